/* open_view.c: spans that were open: where a run is, was left, or died. */
#include "report_view.h"

#include "report/span_path.h"
#include "report/units.h"

#include <stdlib.h>
#include <string.h>

#define LINES_A_RUN 40
#define OBJECTS_A_THREAD 5
#define NAMES_IN_PATH 64

double pit__open_age_ns(const pit_run *run, const pit_open_span *open)
{
    if (run->end_ticks <= open->begin)
        return 0;
    return (double)(run->end_ticks - open->begin) * run->ns_per_tick;
}

/* From the innermost outwards; of a deeper path, the inner end. */
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

/* The innermost span of the thread's stack, or NULL. */
static const pit_open_span *innermost(const pit_thread *thread)
{
    const pit_open_span *found = NULL;
    for (size_t i = 0; i < thread->open_count; i++)
        if (!thread->open[i].object)
            found = &thread->open[i];
    return found;
}

int pit__print_path_line(const struct pit__report *report, struct pit__text *line,
                         enum pit__style style)
{
    size_t width = (size_t)report->look.width;
    if (width > 0 && pit__text_width(pit__text_string(line)) > width) {
        struct pit__text shorter = {0};
        pit__text_puts(&shorter, "  ");
        pit__text_add_tail(&shorter, pit__text_string(line) + 2, width > 2 ? width - 2 : 1,
                           report->look.ascii);
        shorter.failed |= line->failed;
        pit__text_free(line);
        *line = shorter;
    }
    return pit__print_line(report, line, style);
}

void pit__add_open_age(struct pit__text *line, const pit_run *run, const pit_open_span *open,
                       const char *after, int ascii)
{
    char age[PIT__UNIT_BYTES];
    double ns = pit__open_age_ns(run, open);
    if (ns > 0)
        pit__text_printf(line, "%s%s", pit__unit_duration(age, ns, ascii), after);
    else
        pit__text_puts(line, "just begun");
}

static int print_span(const struct pit__report *report, const pit_run *run,
                      const pit_thread *thread, const pit_open_span *open)
{
    struct pit__text line = {0};
    pit__text_puts(&line, "  ");
    pit__text_add_visible(&line, thread->name && *thread->name ? thread->name : "(thread)");
    pit__text_puts(&line, ": ");
    pit__open_path(thread, open->node, " > ", 1, &line);
    pit__text_puts(&line, open->object ? " [detached], " : ", ");
    pit__add_open_age(&line, run, open, " in", report->look.ascii);
    return pit__print_path_line(report, &line, run->state == PIT_RUN_DIED ? PIT__HOT : PIT__PLAIN);
}

/* How long each span of the stack had been open, outermost first. */
static int print_ages(const struct pit__report *report, const pit_run *run,
                      const pit_thread *thread)
{
    struct pit__text line = {0};
    size_t count = 0;
    for (size_t i = 0; i < thread->open_count; i++) {
        if (thread->open[i].object)
            continue;
        pit__text_puts(&line, count++ ? " > " : "    open for ");
        pit__add_open_age(&line, run, &thread->open[i], "", report->look.ascii);
    }
    if (count > 1)
        return pit__print_path_line(report, &line, PIT__DIM);
    pit__text_free(&line);
    return 0;
}

/* The thread's stack, and the oldest of its span objects. */
static int print_thread(const struct pit__report *report, const pit_run *run,
                        const pit_thread *thread, size_t *lines)
{
    const pit_open_span *inner = innermost(thread);
    size_t objects = 0;
    int code = 0;
    if (inner) {
        code = print_span(report, run, thread, inner);
        if (!code && run->state == PIT_RUN_DIED)
            code = print_ages(report, run, thread);
        ++*lines;
    }
    for (size_t i = 0; i < thread->open_count && !code; i++) {
        if (!thread->open[i].object)
            continue;
        if (objects++ < OBJECTS_A_THREAD) {
            code = print_span(report, run, thread, &thread->open[i]);
            ++*lines;
        }
    }
    if (objects > OBJECTS_A_THREAD)
        fprintf(report->out, "  and %zu more detached spans\n", objects - OBJECTS_A_THREAD);
    return code;
}

static void print_title(const struct pit__report *report, const pit_run *run)
{
    struct pit__text line = {0};
    if (report->run_count > 1) {
        pit__text_add_visible(&line, run->path);
        pit__text_puts(&line, ": ");
    }
    switch (run->state) {
    case PIT_RUN_LIVE:
        pit__text_puts(&line, "open now:");
        break;
    case PIT_RUN_CLOSED:
        pit__text_puts(&line, "still open when the run was closed:");
        break;
    case PIT_RUN_DIED:
        pit__text_puts(&line, "where it died:");
        break;
    }
    putc('\n', report->out);
    pit__print_line(report, &line, PIT__STRONG);
}

static int print_run(const struct pit__report *report, const pit_run *run)
{
    size_t lines = 0, left_out = 0;
    int code = 0;
    for (size_t t = 0; t < run->thread_count && !code; t++) {
        const pit_thread *thread = &run->threads[t];
        if (thread->open_count == 0)
            continue;
        if (lines >= LINES_A_RUN) {
            left_out++;
            continue;
        }
        if (lines == 0)
            print_title(report, run);
        code = print_thread(report, run, thread, &lines);
    }
    if (left_out > 0)
        fprintf(report->out, "  and %zu more threads\n", left_out);
    if (lines == 0 && run->state == PIT_RUN_DIED) {
        print_title(report, run);
        fputs("  outside of any span\n", report->out);
    }
    return code;
}

int pit__print_open(const struct pit__report *report)
{
    int code = 0;
    for (size_t r = 0; r < report->run_count && !code; r++)
        code = print_run(report, report->runs[r]);
    return code;
}
