/* See poll_check.h. */
#include "poll_check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct poll_node {
    uint32_t thread, node;
    uint64_t count, total, items;
    uint64_t hist, series, most_bin; /* sums of the reading before, and its largest bucket */
};

__extension__ typedef unsigned __int128 wide;

static void complain(struct poll_check *check, const pit_raw_node *node, const char *what,
                     uint64_t a, uint64_t b)
{
    if (check->wrong++ < 10)
        fprintf(stderr, "poll %lu: %s: %s: %llu, %llu\n", check->polls, node->name, what,
                (unsigned long long)a, (unsigned long long)b);
}

static struct poll_node *seen_before(struct poll_check *check, uint32_t thread, uint32_t node)
{
    for (size_t i = 0; i < check->count; i++)
        if (check->nodes[i].thread == thread && check->nodes[i].node == node)
            return &check->nodes[i];
    if (check->count == check->room) {
        check->room = check->room ? 2 * check->room : 64;
        check->nodes = realloc(check->nodes, check->room * sizeof *check->nodes);
        if (!check->nodes)
            abort();
    }
    struct poll_node *seen = &check->nodes[check->count++];
    memset(seen, 0, sizeof *seen);
    seen->thread = thread;
    seen->node = node;
    return seen;
}

/* Count, total, minimum, maximum and squares belong to one instant. */
static void check_instant(struct poll_check *check, const pit_raw_node *node)
{
    wide squares = (wide)node->sq_hi << 64 | node->sq_lo;
    if ((wide)node->min * node->count > node->total)
        complain(check, node, "minimum × count is over the total", node->min, node->total);
    if ((wide)node->max * node->count < node->total)
        complain(check, node, "maximum × count is below the total", node->max, node->total);
    if ((wide)node->total * node->total > squares * node->count)
        complain(check, node, "total² is over count × squares", node->total, node->count);
    if (squares > (wide)node->max * node->total)
        complain(check, node, "squares are over maximum × total", node->max, node->total);
    if (node->child > node->total)
        complain(check, node, "child time is over the total", node->child, node->total);
}

static void check_parts(struct poll_check *check, const pit_raw_node *node, struct poll_node *now)
{
    now->hist = now->series = now->most_bin = 0;
    for (size_t i = 0; i < node->hist_count; i++)
        now->hist += node->hist[i].count;
    for (size_t i = 0; i < node->series_count; i++) {
        now->series += node->series[i].count;
        if (node->series[i].count > now->most_bin)
            now->most_bin = node->series[i].count;
    }
    uint64_t off = now->hist > node->count ? now->hist - node->count : node->count - now->hist;
    if (off > check->most_off)
        check->most_off = off;
    if (check->at_rest && (off != 0 || now->series != node->count))
        complain(check, node, "histogram or series of a writer at rest", now->hist, node->count);
}

static void check_node(struct poll_check *check, uint32_t thread, uint32_t index,
                       const pit_raw_node *node)
{
    struct poll_node *seen = seen_before(check, thread, index);
    check_instant(check, node);
    if (node->count < seen->count || node->total < seen->total || node->items < seen->items)
        complain(check, node, "count, total or items went back", node->count, seen->count);
    /* A part of the histogram that is created during the reading may be missed, otherwise only the newest
     * sample. */
    if (check->is_steady && seen->hist + 1 < seen->count)
        complain(check, node, "the histogram was behind", seen->hist, seen->count);
    /* The samples that histogram and series had in the previous reading must be in the count now. */
    if (seen->hist > node->count)
        complain(check, node, "the histogram was ahead", seen->hist, node->count);
    if (seen->series > node->count || seen->most_bin > node->count)
        complain(check, node, "the series was ahead", seen->most_bin, node->count);
    check_parts(check, node, seen);
    seen->count = node->count;
    seen->total = node->total;
    seen->items = node->items;
    check->spans += node->count;
}

void poll_check(struct poll_check *check, const pit_run *run)
{
    check->polls++;
    check->spans = 0;
    check->is_steady = check->polls > 2 && run->used_bytes == check->used_bytes[0] &&
                       run->used_bytes == check->used_bytes[1];
    check->used_bytes[check->polls % 2] = run->used_bytes;
    check->steady += check->is_steady != 0;
    for (uint32_t i = 0; i < run->thread_count; i++)
        for (uint32_t k = 0; k < run->threads[i].node_count; k++)
            check_node(check, i, k, &run->threads[i].nodes[k]);
}
