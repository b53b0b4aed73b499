/* tree_merge.c: nodes of threads and runs merged by their path.
 *
 * The first pass finds or creates the merged node of each raw node (by a hash of parent, name and kind;
 * siblings are never scanned) and adds up the figures: within a run as whole ticks, so that the variance
 * stays exact, then in nanoseconds. The second pass copies the histogram bins to their node's part of one
 * array: threads of a run have the same bin limits and are merged at once; runs with different clocks are
 * sorted at the end. */
#include "tree_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- finding a node ------------------------------------------------------------------------ */

uint64_t pit__path_hash(uint32_t parent, int detached, const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u ^ ((uint64_t)parent << 2 | (uint64_t)detached);
    hash *= 0x9e3779b97f4a7c15u;
    for (const char *c = name; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

static int same(const pit_node *node, uint32_t parent, int detached, const char *name)
{
    return node->parent == parent && node->detached == detached &&
           (node->name == name || strcmp(node->name, name) == 0);
}

static int grow_slots(struct pit__builder *b)
{
    size_t slot_count = b->slot_count ? b->slot_count * 2 : 256;
    uint32_t *slots = calloc(slot_count, sizeof *slots);
    if (!slots)
        return 0;
    for (size_t i = 0; i < b->count; i++) {
        const pit_node *node = &b->nodes[i].node;
        size_t at = pit__path_hash(node->parent, node->detached, node->name) & (slot_count - 1);
        while (slots[at])
            at = (at + 1) & (slot_count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(b->slots);
    b->slots = slots;
    b->slot_count = slot_count;
    return 1;
}

static int grow_nodes(struct pit__builder *b)
{
    size_t room = b->room ? b->room * 2 : 128;
    if (room > PIT_NO_NODE / 2)
        return 0;
    struct pit__merged *nodes = realloc(b->nodes, room * sizeof *nodes);
    if (!nodes)
        return 0;
    b->nodes = nodes;
    b->room = room;
    return 1;
}

/* The merged node of a path, created if necessary; PIT_NO_NODE if memory is exhausted. */
static uint32_t find(struct pit__builder *b, uint32_t parent, int detached, const char *name)
{
    if (b->count * 2 >= b->slot_count && !grow_slots(b))
        return PIT_NO_NODE;
    size_t at = pit__path_hash(parent, detached, name) & (b->slot_count - 1);
    for (; b->slots[at]; at = (at + 1) & (b->slot_count - 1))
        if (same(&b->nodes[b->slots[at] - 1].node, parent, detached, name))
            return b->slots[at] - 1;
    if (b->count == b->room && !grow_nodes(b))
        return PIT_NO_NODE;
    struct pit__merged *made = &b->nodes[b->count];
    memset(made, 0, sizeof *made);
    made->node.name = name;
    made->node.parent = parent;
    made->node.depth = parent == PIT_NO_NODE ? 0 : b->nodes[parent].node.depth + 1;
    made->node.detached = detached;
    b->slots[at] = (uint32_t)++b->count;
    return (uint32_t)b->count - 1;
}

/* ---- adding up ----------------------------------------------------------------------------- */

static void add_node(struct pit__merged *to, const pit_raw_node *raw, double ns_per_tick)
{
    pit_node *node = &to->node;
    double min_ns = (double)raw->min * ns_per_tick, max_ns = (double)raw->max * ns_per_tick;
    if (raw->count > 0) {
        if (node->count == 0 || min_ns < node->min_ns)
            node->min_ns = min_ns;
        if (max_ns > node->max_ns)
            node->max_ns = max_ns;
    }
    node->count += raw->count;
    node->items += raw->items;
    node->bytes += raw->bytes;
    node->flops += raw->flops;
    to->count += raw->count;
    to->total += raw->total;
    to->child += raw->child;
    to->squares = pit__squares_add(to->squares, (struct pit__squares){raw->sq_lo, raw->sq_hi});
    to->bin_fill += raw->hist_count;
}

static void add_open(struct pit__builder *b, const pit_run *run, const pit_thread *thread,
                     const uint32_t *map)
{
    for (size_t i = 0; i < thread->open_count; i++) {
        const pit_open_span *open = &thread->open[i];
        if (open->node >= thread->node_count)
            continue;
        pit_node *node = &b->nodes[map[open->node]].node;
        node->open++;
        if (run->end_ticks > open->begin)
            node->open_ns += (double)(run->end_ticks - open->begin) * run->ns_per_tick;
    }
}

/* Convert what a run added in ticks to nanoseconds. */
static void finish_run(struct pit__builder *b, double ns_per_tick)
{
    for (size_t i = 0; i < b->count; i++) {
        struct pit__merged *m = &b->nodes[i];
        if (m->count > 0) {
            struct pit__spread own = {m->count, (double)m->total / (double)m->count * ns_per_tick,
                                      0};
            own.variance =
                pit__variance(m->count, m->total, m->squares) * ns_per_tick * ns_per_tick;
            m->spread = pit__spread_join(m->spread, own);
        }
        m->node.finished_ns += (double)m->total * ns_per_tick;
        m->child_ns += (double)m->child * ns_per_tick;
        m->count = m->total = m->child = 0;
        m->squares = (struct pit__squares){0, 0};
    }
}

int pit__tree_add_run(struct pit__builder *b, const pit_run *run, uint32_t **map)
{
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        double end = pit__thread_end(run, thread);
        for (size_t i = 0; i < thread->node_count; i++) {
            const pit_raw_node *raw = &thread->nodes[i];
            uint32_t parent = raw->parent < i ? (*map)[raw->parent] : PIT_NO_NODE;
            uint32_t index = find(b, parent, raw->detached, raw->name ? raw->name : "");
            if (index == PIT_NO_NODE)
                return 0;
            (*map)[i] = index;
            b->nodes[index].node.is_comm |= raw->is_comm;
            add_node(&b->nodes[index], raw, run->ns_per_tick);
            if ((raw->memory || raw->alloc || raw->teams) &&
                !pit__tree_add_memory(&b->nodes[index], raw, end))
                return 0;
        }
        add_open(b, run, thread, *map);
        *map += thread->node_count;
    }
    finish_run(b, run->ns_per_tick);
    return 1;
}

/* ---- histograms ---------------------------------------------------------------------------- */

/* bin_fill has the number of bins of each node; assign each node its part. */
size_t pit__tree_place_bins(struct pit__builder *b)
{
    size_t total = 0;
    for (size_t i = 0; i < b->count; i++) {
        b->nodes[i].bin_start = total;
        total += b->nodes[i].bin_fill;
        b->nodes[i].bin_fill = 0;
    }
    return total;
}

static int by_low(const void *a, const void *b)
{
    const pit_bin *x = a, *y = b;
    if (x->low_ns != y->low_ns)
        return x->low_ns < y->low_ns ? -1 : 1;
    return (x->high_ns > y->high_ns) - (x->high_ns < y->high_ns);
}

static pit_bin bin_of(const pit_hist_bin *raw, double ns_per_tick)
{
    return (pit_bin){(double)raw->low * ns_per_tick, (double)raw->high * ns_per_tick, raw->count};
}

/* Merge a thread's bins into the `have` sorted bins at `to`; returns their new number. Works backwards, so
 * that nothing is moved twice: the first pass counts the new bins. */
static size_t merge_bins(pit_bin *to, size_t have, const pit_raw_node *raw, double ns_per_tick)
{
    size_t fresh = 0;
    for (size_t i = 0, k = 0; k < raw->hist_count; k++) {
        pit_bin bin = bin_of(&raw->hist[k], ns_per_tick);
        while (i < have && by_low(&to[i], &bin) < 0)
            i++;
        fresh += i == have || by_low(&to[i], &bin) != 0;
    }
    size_t i = have, k = raw->hist_count, end = have + fresh, at = end;
    while (k > 0) {
        pit_bin bin = bin_of(&raw->hist[k - 1], ns_per_tick);
        int order = i > 0 ? by_low(&to[i - 1], &bin) : -1;
        if (order > 0) {
            to[--at] = to[--i];
            continue;
        }
        if (order == 0 && i > 0)
            bin.count += to[--i].count;
        to[--at] = bin;
        k--;
    }
    return end;
}

void pit__tree_copy_bins(struct pit__builder *b, const pit_run *run, size_t number,
                         const uint32_t **map)
{
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        for (size_t i = 0; i < thread->node_count; i++) {
            const pit_raw_node *raw = &thread->nodes[i];
            struct pit__merged *m = &b->nodes[(*map)[i]];
            if (raw->hist_count == 0)
                continue;
            if (m->run != number) {
                m->run = number;
                m->run_start = m->bin_fill;
                m->run_count++;
            }
            m->bin_fill =
                m->run_start + merge_bins(b->bins + m->bin_start + m->run_start,
                                          m->bin_fill - m->run_start, raw, run->ns_per_tick);
        }
        *map += thread->node_count;
    }
}

static void join_bins(struct pit__builder *b, struct pit__merged *m)
{
    pit_bin *bins = b->bins + m->bin_start;
    size_t kept = m->bin_fill;
    if (m->run_count > 1) {
        qsort(bins, m->bin_fill, sizeof *bins, by_low);
        kept = 0;
        for (size_t i = 0; i < m->bin_fill; i++)
            if (kept > 0 && by_low(&bins[kept - 1], &bins[i]) == 0)
                bins[kept - 1].count += bins[i].count;
            else
                bins[kept++] = bins[i];
    }
    m->node.bins = bins;
    m->node.bin_count = kept;
}

static void finish_figures(struct pit__merged *m)
{
    pit_node *node = &m->node;
    node->self_ns = node->finished_ns > m->child_ns ? node->finished_ns - m->child_ns : 0;
    node->mean_ns = m->spread.mean;
    node->std_ns = sqrt(m->spread.variance);
    if (node->count > 0 && node->bin_count > 0) {
        node->p50_ns = pit_node_quantile(node, 0.50);
        node->p95_ns = pit_node_quantile(node, 0.95);
        node->p99_ns = pit_node_quantile(node, 0.99);
    } else {
        node->p50_ns = node->p95_ns = node->p99_ns = NAN;
    }
}

void pit__tree_finish_nodes(struct pit__builder *b)
{
    for (size_t i = 0; i < b->count; i++) {
        join_bins(b, &b->nodes[i]);
        finish_figures(&b->nodes[i]);
    }
}
