/* log_figures.c: entries of a log added up by name, in the order they came.
 *
 * A log can have as many stages as lines, so names are found through a table of their hashes.
 */
#include "log_figures.h"

#include <stdlib.h>
#include <string.h>

/* Open addressing over indices + 1 of an array; 0 is free. At most half full. */
struct index {
    uint32_t *slots;
    size_t room; /* a power of two */
};

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

static int index_make(struct index *index, size_t most)
{
    index->room = 16;
    while (index->room < 2 * most)
        index->room *= 2;
    index->slots = calloc(index->room, sizeof *index->slots);
    return index->slots ? 0 : PIT_NO_MEMORY;
}

/* Where a name is, or the free slot where it belongs. */
static size_t stage_slot(const struct pit__log_figures *f, const char *name)
{
    size_t mask = f->slot_count - 1, at = hash_of(name, NULL) & mask;
    while (f->slots[at] && strcmp(f->stages[f->slots[at] - 1].name, name) != 0)
        at = (at + 1) & mask;
    return at;
}

static struct pit__log_stage *stage_of(struct pit__log_figures *f, const char *name)
{
    size_t slot = stage_slot(f, name);
    if (!f->slots[slot]) {
        f->stages[f->stage_count] = (struct pit__log_stage){.name = name};
        f->slots[slot] = (uint32_t)++f->stage_count;
    }
    return &f->stages[f->slots[slot] - 1];
}

static struct pit__log_item *item_of(struct pit__log_figures *f, const struct index *index,
                                     const char *tag, const pit_figure *figure)
{
    size_t at = hash_of(tag, figure->key) & (index->room - 1);
    for (; index->slots[at]; at = (at + 1) & (index->room - 1)) {
        struct pit__log_item *item = &f->items[index->slots[at] - 1];
        if (strcmp(item->tag, tag) == 0 && strcmp(item->label, figure->key) == 0 &&
            strcmp(item->unit, figure->unit) == 0)
            return item;
    }
    f->items[f->item_count] =
        (struct pit__log_item){.tag = tag, .label = figure->key, .unit = figure->unit};
    index->slots[at] = (uint32_t)++f->item_count;
    return &f->items[f->item_count - 1];
}

static void add_window(struct pit__log_figures *f, const struct index *index,
                       const pit_entry *entry)
{
    for (size_t i = 1; i < entry->figure_count; i++) {
        const pit_figure *figure = &entry->figures[i];
        struct pit__log_item *item = item_of(f, index, entry->text, figure);
        double passages = entry->figures[0].value;
        item->passage = entry->figures[0].key;
        item->min = item->windows == 0 || figure->value < item->min ? figure->value : item->min;
        item->max = item->windows == 0 || figure->value > item->max ? figure->value : item->max;
        item->windows++;
        item->passages += passages;
        item->sum += passages * figure->value;
    }
}

static int is_kind(const pit_entry *entry, const char *kind)
{
    return strcmp(entry->kind, kind) == 0 && entry->figure_count > 0;
}

static void add_stages(struct pit__log_figures *f, const pit_log *log, const char *kind)
{
    size_t known = f->stage_count; /* those that have lines of their own need no summary */
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
    struct index stages = {0}, items = {0};
    size_t items_most = 0;
    for (size_t i = 0; i < log->count; i++)
        items_most += log->entries[i].figure_count;
    *figures = (struct pit__log_figures){
        .said_seconds = -1,
        .stages = calloc(log->count + 1, sizeof *figures->stages),
        .items = calloc(items_most + 1, sizeof *figures->items),
    };
    int code = index_make(&stages, log->count);
    figures->slots = stages.slots;
    figures->slot_count = stages.room;
    if (!code)
        code = index_make(&items, items_most);
    if (!figures->stages || !figures->items)
        code = PIT_NO_MEMORY;
    if (!code) {
        add_stages(figures, log, "timing");
        add_stages(figures, log, "summary");
        for (size_t i = 0; i < log->count; i++)
            if (is_kind(&log->entries[i], "window"))
                add_window(figures, &items, &log->entries[i]);
            else if (is_kind(&log->entries[i], "total"))
                figures->said_seconds = log->entries[i].figures[0].value;
        for (size_t i = 0; i < figures->stage_count; i++)
            figures->seconds += figures->stages[i].seconds;
    }
    free(items.slots);
    return code;
}

void pit__log_figures_free(struct pit__log_figures *figures)
{
    free(figures->stages);
    free(figures->items);
    free(figures->slots);
    memset(figures, 0, sizeof *figures);
}

const struct pit__log_stage *pit__log_stage_find(const struct pit__log_figures *figures,
                                                 const char *name)
{
    size_t slot = stage_slot(figures, name);
    return figures->slots[slot] ? &figures->stages[figures->slots[slot] - 1] : NULL;
}
