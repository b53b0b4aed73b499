/* log_figures.c: sums the entries of a log by name, in order of first appearance.
 *
 * A log can have as many stages as lines, so names are found through a table of their hashes.
 */
#include "log_figures.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *a, const char *b)
{
    uint64_t hash = 14695981039346656037u;
    for (const char *text = a; text; text = text == b ? NULL : b) {
        for (const char *at = text; *at; at++)
            hash = (hash ^ (unsigned char)*at) * 1099511628211u;
        hash = (hash ^ 0xff) * 1099511628211u;
    }
    return hash;
}

static int index_make(struct pit__log_index *index, size_t most)
{
    index->room = 16;
    while (index->room < 2 * most)
        index->room *= 2;
    index->slots = calloc(index->room, sizeof *index->slots);
    return index->slots ? 0 : PIT_NO_MEMORY;
}

/* The slot of a name, or the free slot where it belongs. */
static size_t stage_slot(const struct pit__log_figures *f, const char *name)
{
    const struct pit__log_index *index = &f->stage_index;
    size_t mask = index->room - 1, at = hash_of(name, NULL) & mask;
    while (index->slots[at] && strcmp(f->stages[index->slots[at] - 1].name, name) != 0)
        at = (at + 1) & mask;
    return at;
}

static struct pit__log_stage *stage_of(struct pit__log_figures *f, const char *name)
{
    uint32_t *slot = &f->stage_index.slots[stage_slot(f, name)];
    if (!*slot) {
        f->stages[f->stage_count] = (struct pit__log_stage){.name = name};
        *slot = (uint32_t)++f->stage_count;
    }
    return &f->stages[*slot - 1];
}

/* The same for an item: of one tag, label and unit. */
static size_t item_slot(const struct pit__log_figures *f, const char *tag, const char *label,
                        const char *unit)
{
    const struct pit__log_index *index = &f->item_index;
    size_t mask = index->room - 1, at = hash_of(tag, label) & mask;
    for (; index->slots[at]; at = (at + 1) & mask) {
        const struct pit__log_item *item = &f->items[index->slots[at] - 1];
        if (strcmp(item->tag, tag) == 0 && strcmp(item->label, label) == 0 &&
            strcmp(item->unit, unit) == 0)
            break;
    }
    return at;
}

static struct pit__log_item *item_of(struct pit__log_figures *f, const char *tag,
                                     const pit_figure *figure)
{
    uint32_t *slot = &f->item_index.slots[item_slot(f, tag, figure->key, figure->unit)];
    if (!*slot) {
        f->items[f->item_count] =
            (struct pit__log_item){.tag = tag, .label = figure->key, .unit = figure->unit};
        *slot = (uint32_t)++f->item_count;
    }
    return &f->items[*slot - 1];
}

static void add_window(struct pit__log_figures *f, const pit_entry *entry)
{
    for (size_t i = 1; i < entry->figure_count; i++) {
        const pit_figure *figure = &entry->figures[i];
        struct pit__log_item *item = item_of(f, entry->text, figure);
        double calls = entry->figures[0].value;
        item->call = entry->figures[0].key;
        item->min = item->windows == 0 || figure->value < item->min ? figure->value : item->min;
        item->max = item->windows == 0 || figure->value > item->max ? figure->value : item->max;
        item->windows++;
        item->calls += calls;
        item->sum += calls * figure->value;
    }
}

static int is_kind(const pit_entry *entry, const char *kind)
{
    return strcmp(entry->kind, kind) == 0 && entry->figure_count > 0;
}

static void add_stages(struct pit__log_figures *f, const pit_log *log, const char *kind)
{
    size_t known = f->stage_count; /* stages with a [TIMING] line are not taken from the summary */
    for (size_t i = 0; i < log->count; i++) {
        if (!is_kind(&log->entries[i], kind))
            continue;
        struct pit__log_stage *stage = stage_of(f, log->entries[i].text);
        if ((size_t)(stage - f->stages) < known)
            continue;
        stage->count++;
        stage->seconds += log->entries[i].figures[0].value;
    }
}

int pit__log_figures_make(const pit_log *log, struct pit__log_figures *figures)
{
    size_t items_most = 0;
    for (size_t i = 0; i < log->count; i++)
        items_most += log->entries[i].figure_count;
    *figures = (struct pit__log_figures){
        .said_seconds = -1,
        .stages = calloc(log->count + 1, sizeof *figures->stages),
        .items = calloc(items_most + 1, sizeof *figures->items),
    };
    int code = index_make(&figures->stage_index, log->count);
    if (!code)
        code = index_make(&figures->item_index, items_most);
    if (!figures->stages || !figures->items)
        code = PIT_NO_MEMORY;
    if (!code) {
        add_stages(figures, log, "timing");
        add_stages(figures, log, "summary");
        for (size_t i = 0; i < log->count; i++)
            if (is_kind(&log->entries[i], "window"))
                add_window(figures, &log->entries[i]);
            else if (is_kind(&log->entries[i], "total"))
                figures->said_seconds = log->entries[i].figures[0].value;
        for (size_t i = 0; i < figures->stage_count; i++)
            figures->seconds += figures->stages[i].seconds;
    }
    return code;
}

void pit__log_figures_free(struct pit__log_figures *figures)
{
    free(figures->stages);
    free(figures->items);
    free(figures->stage_index.slots);
    free(figures->item_index.slots);
    memset(figures, 0, sizeof *figures);
}

const struct pit__log_stage *pit__log_stage_find(const struct pit__log_figures *figures,
                                                 const char *name)
{
    uint32_t at = figures->stage_index.slots[stage_slot(figures, name)];
    return at ? &figures->stages[at - 1] : NULL;
}

const struct pit__log_item *pit__log_item_find(const struct pit__log_figures *figures,
                                               const struct pit__log_item *like)
{
    uint32_t at = figures->item_index.slots[item_slot(figures, like->tag, like->label, like->unit)];
    return at ? &figures->items[at - 1] : NULL;
}
