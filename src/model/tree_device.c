/* tree_device.c: device work of each node of a finished tree. The work is recorded below the span that
 * launched it; here it is summed for all spans around it. Host times do not include it. */
#include "tree_builder.h"

#include "analysis/quantile.h"

#include <math.h>
#include <stdlib.h>

static int is_work(const pit_node *nodes, size_t i)
{
    return nodes[i].detached == PIT_ON_DEVICE &&
           (nodes[i].parent == PIT_NO_NODE || nodes[nodes[i].parent].detached != PIT_ON_DEVICE);
}

/* Add to the node and to all its ancestors; waiting only to the ancestors. */
static void add_up(pit_node *nodes, uint32_t i)
{
    const pit_node own = nodes[i];
    int runs = is_work(nodes, i);
    for (uint32_t at = runs ? i : own.parent; at != PIT_NO_NODE; at = nodes[at].parent) {
        pit_device_work *work = &nodes[at].device;
        if (!runs) {
            work->wait_count += own.count;
            work->wait_ns += own.finished_ns;
            continue;
        }
        work->count += own.count;
        work->run_ns += own.finished_ns;
        if (own.count > 0 && !(own.max_ns <= work->max_ns))
            work->max_ns = own.max_ns;
    }
}

static int by_low(const void *a, const void *b)
{
    const pit_bin *x = a, *y = b;
    return (x->low_ns > y->low_ns) - (x->low_ns < y->low_ns);
}

/* Nodes are in depth-first order: descendants follow their node. Bins need not be merged, only sorted. */
static void set_quantiles(pit_node *nodes, size_t count, size_t i, pit_bin *room)
{
    size_t filled = 0;
    double least = INFINITY;
    for (size_t k = i; k < count && (k == i || nodes[k].depth > nodes[i].depth); k++) {
        if (!is_work(nodes, k) || nodes[k].count == 0)
            continue;
        for (size_t n = 0; n < nodes[k].bin_count; n++)
            room[filled++] = nodes[k].bins[n];
        least = nodes[k].min_ns < least ? nodes[k].min_ns : least;
    }
    if (filled == 0)
        return;
    qsort(room, filled, sizeof *room, by_low);
    struct pit__bins view = {&room->low_ns, &room->high_ns, &room->count, sizeof *room, filled};
    pit_device_work *work = &nodes[i].device;
    work->p50_ns = pit__quantile(&view, least, work->max_ns, 0.50);
    work->p95_ns = pit__quantile(&view, least, work->max_ns, 0.95);
    work->p99_ns = pit__quantile(&view, least, work->max_ns, 0.99);
}

int pit__tree_add_devices(pit_node *nodes, size_t count)
{
    size_t bins = 0;
    for (size_t i = 0; i < count; i++) {
        pit_device_work *work = &nodes[i].device;
        work->p50_ns = work->p95_ns = work->p99_ns = work->max_ns = NAN;
        bins += nodes[i].detached == PIT_ON_DEVICE ? nodes[i].bin_count : 0;
    }
    if (bins == 0)
        return 1;
    pit_bin *room = malloc(bins * sizeof *room);
    if (!room)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (nodes[i].detached == PIT_ON_DEVICE)
            add_up(nodes, (uint32_t)i);
    for (size_t i = 0; i < count; i++)
        if (nodes[i].device.count > 0)
            set_quantiles(nodes, count, i, room);
    free(room);
    return 1;
}
