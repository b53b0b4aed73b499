/* rows_gather.c: nodes of the tree as rows for views, in the order in which they were first seen.
 *
 * A row's figures are those of its node over all threads and runs. Device figures are not in a run. */
#include "gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MB 1048576.0

static void fill_memory(pit_row *row, const pit_memory *memory)
{
    row->has_memory = 1;
    row->cpu_delta_mb = (double)memory->delta_sum / MB;
    row->cpu_peak_mb = memory->peak_method == PIT_PEAK_NONE ? NAN : (double)memory->peak_max / MB;
    row->cpu_end_mb = (double)memory->rss_last / MB;
    /* of several calls, only the begin of the last one is known, and the row is about all */
    row->cpu_start_mb =
        memory->count == 1 ? ((double)memory->rss_last - (double)memory->delta_last) / MB : NAN;
}

void pit__fill_row(pit_row *row, const pit_node *node, const char *name, int open)
{
    *row = (pit_row){.name = name,
                     .seconds = (open ? node->total_ns : node->finished_ns) / 1e9,
                     .count = node->count + (open ? node->open : 0),
                     .items = (double)node->items};
    if (node->count > 0) {
        row->min_seconds = node->min_ns / 1e9;
        row->max_seconds = node->max_ns / 1e9;
        row->p50_seconds = node->p50_ns / 1e9;
        row->p95_seconds = node->p95_ns / 1e9;
        row->p99_seconds = node->p99_ns / 1e9;
    } else if (open && node->open > 0) { /* no call has ended */
        row->min_seconds = row->max_seconds = NAN;
    }
    if (node->memory && node->memory->count > 0)
        fill_memory(row, node->memory);
}

static int has_spans(const pit_node *node)
{
    return node->count > 0 || node->open > 0;
}

static int by_seen(const void *a, const void *b)
{
    const pit_node *x = *(const pit_node *const *)a, *y = *(const pit_node *const *)b;
    return (x->seen > y->seen) - (x->seen < y->seen);
}

static int nothing(struct pit__gathered *gathered, const char *why)
{
    snprintf(gathered->why, sizeof gathered->why, "%s", why);
    return PIT_NOTHING;
}

int pit__gather_node(struct pit__gathered *gathered, uint32_t *found)
{
    const char *wanted = gathered->options->node;
    const pit_tree *tree = gathered->tree;
    *found = PIT_NO_NODE;
    if (!wanted)
        return 0;
    for (uint32_t i = 0; i < tree->node_count; i++)
        if (strcmp(tree->nodes[i].path, wanted) == 0) {
            *found = i;
            return 0;
        }
    for (uint32_t i = 0; i < tree->node_count; i++)
        if (strcmp(tree->nodes[i].name, wanted) == 0 &&
            (*found == PIT_NO_NODE || tree->nodes[i].total_ns > tree->nodes[*found].total_ns))
            *found = i;
    return *found == PIT_NO_NODE ? nothing(gathered, "no span has this path or name") : 0;
}

/* The children of a node that have spans, in the order in which they were seen; returns their number. */
static size_t children_of(const pit_tree *tree, uint32_t parent, const pit_node **children)
{
    size_t count = 0;
    for (size_t i = 0; i < tree->node_count; i++)
        if (tree->nodes[i].parent == parent && has_spans(&tree->nodes[i]))
            children[count++] = &tree->nodes[i];
    qsort(children, count, sizeof *children, by_seen);
    return count;
}

/* Goes down from the top while a level has a single node with children. */
static size_t outermost_level(const pit_tree *tree, const pit_node **level, uint32_t *parent)
{
    size_t count = children_of(tree, *parent, level);
    while (count == 1) {
        const pit_node *only = level[0];
        size_t below = children_of(tree, (uint32_t)(only - tree->nodes), level);
        if (below == 0) {
            level[0] = only;
            break;
        }
        *parent = (uint32_t)(only - tree->nodes);
        count = below;
    }
    return count;
}

int pit__gather_rows(struct pit__gathered *gathered)
{
    const pit_tree *tree = gathered->tree;
    const pit_node **level = pit__gather_alloc(gathered, tree->node_count + 1, sizeof *level);
    pit_row *rows = pit__gather_alloc(gathered, tree->node_count + 1, sizeof *rows);
    uint32_t parent;
    if (!level || !rows)
        return PIT_NO_MEMORY;
    int code = pit__gather_node(gathered, &parent);
    if (code)
        return code;
    size_t count = parent == PIT_NO_NODE ? outermost_level(tree, level, &parent)
                                         : children_of(tree, parent, level);
    if (count == 0)
        return nothing(gathered, parent == PIT_NO_NODE ? "no span was recorded"
                                                       : "this span has no spans inside it");
    size_t detached = 0;
    for (size_t i = 0; i < count; i++)
        detached += level[i]->detached != 0;
    for (size_t i = 0; i < count; i++) {
        pit__fill_row(&rows[i], level[i], level[i]->name, 1);
        /* span objects overlap the others; if there is nothing else, they count */
        rows[i].nested = level[i]->detached && detached < count;
    }
    if (parent != PIT_NO_NODE)
        gathered->data.title = tree->nodes[parent].name;
    gathered->data.rows = rows;
    gathered->data.row_count = count;
    return 0;
}

/* Is the node below `top` (PIT_NO_NODE: anywhere), within the requested levels? Nodes are in depth-first
 * order, so the answer for its parent is known. */
static int is_inside(const struct pit__gathered *gathered, uint32_t top, uint32_t i,
                     const unsigned char *inside)
{
    const pit_node *node = &gathered->tree->nodes[i];
    uint32_t base = top == PIT_NO_NODE ? 0 : gathered->tree->nodes[top].depth + 1;
    uint64_t depth = gathered->options->depth;
    if (depth > 0 && node->depth >= base + depth)
        return 0;
    return node->parent == top || (node->parent != PIT_NO_NODE && inside[node->parent]);
}

/* The nodes to show, in the order in which they were seen; returns their number, or a code. */
static int choose(struct pit__gathered *gathered, const pit_node **chosen, size_t *count,
                  uint32_t *top, int open)
{
    const pit_tree *tree = gathered->tree;
    unsigned char *inside = pit__gather_alloc(gathered, tree->node_count + 1, 1);
    int code = pit__gather_node(gathered, top);
    double least = gathered->options->min_share * (open ? tree->total_ns : tree->finished_ns);
    *count = 0;
    if (!inside || code)
        return code ? code : PIT_NO_MEMORY;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        const pit_node *node = &tree->nodes[i];
        inside[i] = (unsigned char)is_inside(gathered, *top, i, inside);
        if (inside[i] && (open ? has_spans(node) : node->count > 0) &&
            (open ? node->total_ns : node->finished_ns) >= least)
            chosen[(*count)++] = node;
    }
    qsort(chosen, *count, sizeof *chosen, by_seen);
    if (*count == 0)
        return nothing(gathered, *top == PIT_NO_NODE ? "no span was recorded, or none of the share "
                                                       "or depth requested"
                                                     : "this span has no spans inside it");
    return 0;
}

static int gather_paths(struct pit__gathered *gathered, int open)
{
    const pit_tree *tree = gathered->tree;
    const pit_node **chosen = pit__gather_alloc(gathered, tree->node_count + 1, sizeof *chosen);
    pit_row *rows = pit__gather_alloc(gathered, tree->node_count + 1, sizeof *rows);
    uint32_t top;
    size_t count;
    if (!chosen || !rows)
        return PIT_NO_MEMORY;
    int code = choose(gathered, chosen, &count, &top, open);
    if (code)
        return code;
    size_t skip = top == PIT_NO_NODE ? 0 : strlen(tree->nodes[top].path) + 1;
    for (size_t i = 0; i < count; i++) {
        const char *path = chosen[i]->path;
        /* the beginning of a path that is too long is cut off */
        int starts = skip > 0 && strncmp(path, tree->nodes[top].path, skip - 1) == 0;
        pit__fill_row(&rows[i], chosen[i], starts ? path + skip : path, open);
        rows[i].nested = chosen[i]->parent != top || chosen[i]->detached;
    }
    gathered->data.rows = rows;
    gathered->data.row_count = count;
    return 0;
}

int pit__gather_all_rows(struct pit__gathered *gathered)
{
    return gather_paths(gathered, 1);
}

int pit__gather_finished_rows(struct pit__gathered *gathered)
{
    return gather_paths(gathered, 0);
}

/* ---- by name ------------------------------------------------------------------------------- */

struct named {
    pit_row row;
    uint32_t seen;
};

static int by_name(const void *a, const void *b)
{
    const pit_node *x = *(const pit_node *const *)a, *y = *(const pit_node *const *)b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->seen > y->seen) - (x->seen < y->seen);
}

static int by_first(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return (x->seen > y->seen) - (x->seen < y->seen);
}

static void add_place(struct named *to, const pit_node *node)
{
    pit_row more;
    pit__fill_row(&more, node, node->name, 0);
    to->row.seconds += more.seconds;
    to->row.count += more.count;
    to->row.items += more.items;
    to->row.min_seconds = fmin(to->row.min_seconds, more.min_seconds);
    to->row.max_seconds = fmax(to->row.max_seconds, more.max_seconds);
}

int pit__gather_named_rows(struct pit__gathered *gathered)
{
    size_t room = gathered->tree->node_count + 1;
    const pit_node **chosen = pit__gather_alloc(gathered, room, sizeof *chosen);
    struct named *named = pit__gather_alloc(gathered, room, sizeof *named);
    pit_row *rows = pit__gather_alloc(gathered, room, sizeof *rows);
    uint32_t top;
    size_t count, filled = 0;
    if (!chosen || !named || !rows)
        return PIT_NO_MEMORY;
    int code = choose(gathered, chosen, &count, &top, 0);
    if (code)
        return code;
    qsort(chosen, count, sizeof *chosen, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && strcmp(chosen[i]->name, chosen[i - 1]->name) == 0) {
            add_place(&named[filled - 1], chosen[i]);
            continue;
        }
        pit__fill_row(&named[filled].row, chosen[i], chosen[i]->name, 0);
        named[filled++].seen = chosen[i]->seen;
    }
    qsort(named, filled, sizeof *named, by_first);
    for (size_t i = 0; i < filled; i++)
        rows[i] = named[i].row;
    gathered->data.rows = rows;
    gathered->data.row_count = filled;
    return 0;
}
