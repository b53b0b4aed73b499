/* live_rows.c: which nodes of a live tree are shown, and in which order. */
#include "live_tree.h"

#include "report/tree_lines.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *pit__live_sort_name(enum pit__live_sort sort)
{
    static const char *const names[PIT__LIVE_SORTS] = {"run", "now", "rate", "mean", "name"};
    return names[sort];
}

static int reserve(struct pit__live_rows *rows, size_t count)
{
    if (count <= rows->room && rows->shown)
        return 1;
    size_t room = count * 2 + 16;
    unsigned char *shown = realloc(rows->shown, room);
    if (!shown)
        return 0;
    rows->shown = shown;
    struct pit__live_row *list = realloc(rows->rows, room * sizeof *list);
    if (!list)
        return 0;
    rows->rows = list;
    rows->room = room;
    return 1;
}

static int has_text(const char *name, const char *text)
{
    size_t length = strlen(text);
    for (; *name; name++) {
        size_t i = 0;
        while (i < length && name[i] &&
               tolower((unsigned char)name[i]) == tolower((unsigned char)text[i]))
            i++;
        if (i == length)
            return 1;
    }
    return length == 0;
}

/* Children have higher indices than their parents: going backwards, a shown node also shows its ancestors. */
static void choose(const struct pit__live *live, const char *filter, unsigned char *shown)
{
    memset(shown, 0, live->count);
    for (size_t i = live->count; i-- > 0;) {
        const struct pit__live_node *node = &live->nodes[i];
        if (!shown[i])
            shown[i] = (node->count > 0 || node->open > 0) &&
                       (!filter || !*filter || has_text(node->name, filter));
        if (shown[i] && node->parent != PIT_NO_NODE)
            shown[node->parent] = 1;
    }
}

struct keyed {
    double key;
    const char *name;
    uint32_t node;
};

static double key_of(const struct pit__live_node *node, enum pit__live_sort sort)
{
    double key = 0;
    if (sort == PIT__LIVE_BY_RUN)
        key = node->all_ns;
    else if (sort == PIT__LIVE_BY_NOW)
        key = node->now_ns;
    else if (sort == PIT__LIVE_BY_RATE)
        key = node->rate;
    else if (sort == PIT__LIVE_BY_MEAN)
        key = node->count ? node->total_ns / (double)node->count : 0;
    return isnan(key) ? 0 : key;
}

static int by_key(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;
    if (x->key != y->key)
        return x->key > y->key ? -1 : 1;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->node > y->node) - (x->node < y->node);
}

struct walk {
    const struct pit__live *live;
    struct pit__live_rows *rows;
    enum pit__live_sort sort;
    int is_filtered;
    struct keyed *keyed; /* room for all nodes: each level uses the part after its parents' */
};

/* Sort the shown children of a node into the part after `start`; returns their number. */
static size_t sort_children(struct walk *walk, uint32_t parent, size_t start)
{
    const struct pit__live *live = walk->live;
    size_t count = 0;
    uint32_t child = parent == PIT_NO_NODE ? 0 : live->nodes[parent].first_child;
    while (child != PIT_NO_NODE && child < live->count) {
        const struct pit__live_node *node = &live->nodes[child];
        if (walk->rows->shown[child] && node->parent == parent)
            walk->keyed[start + count++] =
                (struct keyed){key_of(node, walk->sort), node->name, child};
        child = parent == PIT_NO_NODE ? child + 1 : node->next_sibling;
    }
    qsort(walk->keyed + start, count, sizeof *walk->keyed, by_key);
    return count;
}

static uint32_t count_below(const struct walk *walk, uint32_t node)
{
    uint32_t count = 0;
    for (uint32_t child = walk->live->nodes[node].first_child; child != PIT_NO_NODE;
         child = walk->live->nodes[child].next_sibling)
        if (walk->rows->shown[child])
            count += 1 + count_below(walk, child);
    return count;
}

static void add_level(struct walk *walk, uint32_t parent, uint32_t parent_row, size_t start)
{
    size_t count = sort_children(walk, parent, start);
    for (size_t i = 0; i < count; i++) {
        uint32_t node = walk->keyed[start + i].node, own = (uint32_t)walk->rows->count++;
        int is_folded = walk->live->nodes[node].folded && !walk->is_filtered;
        walk->rows->rows[own] = (struct pit__live_row){node, parent_row, i + 1 == count,
                                                       is_folded ? count_below(walk, node) : 0};
        if (!is_folded && walk->live->nodes[node].first_child != PIT_NO_NODE)
            add_level(walk, node, own, start + count);
    }
}

int pit__live_rows(const struct pit__live *live, enum pit__live_sort sort, const char *filter,
                   struct pit__live_rows *rows)
{
    rows->count = 0;
    struct keyed *keyed = malloc((live->count + 1) * sizeof *keyed);
    if (!keyed || !reserve(rows, live->count)) {
        free(keyed);
        return PIT_NO_MEMORY;
    }
    struct walk walk = {live, rows, sort, filter && *filter, keyed};
    choose(live, filter, rows->shown);
    add_level(&walk, PIT_NO_NODE, PIT_NO_NODE, 0);
    free(keyed);
    return 0;
}

void pit__live_rows_free(struct pit__live_rows *rows)
{
    free(rows->rows);
    free(rows->shown);
    *rows = (struct pit__live_rows){0};
}

void pit__live_lines(const struct pit__live_rows *rows, size_t row, int ascii,
                     struct pit__text *text)
{
    unsigned char is_last[PIT__TREE_LEVELS];
    size_t count = 0;
    for (size_t i = row; rows->rows[i].parent_row != PIT_NO_NODE && count < PIT__TREE_LEVELS;
         i = rows->rows[i].parent_row)
        is_last[count++] = (unsigned char)rows->rows[i].is_last;
    pit__tree_lines(text, is_last, count, ascii);
}
