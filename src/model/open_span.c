/* See open_span.h. */
#include "open_span.h"

#include "report/span_path.h"

#include <stdlib.h>
#include <string.h>

#define NAMES_IN_PATH 64

double pit__open_age_ns(const pit_run *run, const pit_open_span *open)
{
    if (run->end_ticks <= open->begin)
        return 0;
    return (double)(run->end_ticks - open->begin) * run->ns_per_tick;
}

/* From the innermost outwards; if the path is too deep, its inner end. */
static size_t names_of(const pit_thread *thread, uint32_t node, const char **names, int *is_cut)
{
    size_t count = 0;
    while (node < thread->node_count && count < NAMES_IN_PATH) {
        names[count++] = thread->nodes[node].name;
        uint32_t parent = thread->nodes[node].parent;
        node = parent < node ? parent : PIT_NO_NODE;
    }
    *is_cut = node != PIT_NO_NODE && count == NAMES_IN_PATH;
    return count;
}

void pit__open_path(const pit_thread *thread, uint32_t node, const char *between, int visible,
                    struct pit__text *text)
{
    const char *names[NAMES_IN_PATH] = {0};
    int is_cut;
    size_t count = names_of(thread, node, names, &is_cut);
    if (is_cut) {
        pit__text_puts(text, "...");
        pit__text_puts(text, between);
    }
    while (count-- > 0) {
        const char *name = names[count] ? names[count] : "";
        if (visible)
            pit__text_add_visible(text, *name ? name : "\"\"");
        else
            pit__text_puts(text, name);
        if (count > 0)
            pit__text_puts(text, between);
    }
}

void pit__span_path(const pit_thread *thread, uint32_t node, struct pit__text *text)
{
    const char *names[NAMES_IN_PATH] = {0};
    int is_cut;
    size_t count = names_of(thread, node, names, &is_cut);
    if (is_cut)
        pit__text_puts(text, ".../");
    while (count-- > 0) {
        const char *name = names[count] ? names[count] : "";
        char *escaped = malloc(PIT__PATH_NAME_MAX(strlen(name)) + 1);
        if (escaped)
            pit__text_add(text, escaped, (size_t)(pit__path_put_name(escaped, name) - escaped));
        text->failed |= !escaped;
        free(escaped);
        if (count > 0)
            pit__text_puts(text, "/");
    }
}
