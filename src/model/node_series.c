/* node_series.c: see node_series.h.
 *
 * Threads and runs have intervals of different width, and runs have different clocks. The merged series of
 * a node has the widest intervals; a narrower interval is added to the one that contains its middle.
 * Counts, totals and extremes are exact; a start is within half a width. */
#include "node_series.h"

#include "tree_builder.h"

#include <math.h>
#include <stdlib.h>

/* Visit all raw nodes; `at` gets the tree's node of each. */
typedef void raw_step(struct pit__node_series *series, uint32_t node, const pit_raw_node *raw,
                      double ns_per_tick);

static void each_raw(const pit_tree *tree, const pit_run *const *runs, size_t run_count,
                     struct pit__node_series *series, raw_step *step)
{
    const uint32_t *map = ((const struct pit__tree_box *)(const void *)tree)->map;
    for (size_t r = 0; r < run_count; r++)
        for (size_t t = 0; t < runs[r]->thread_count; t++)
            for (size_t i = 0; i < runs[r]->threads[t].node_count; i++)
                step(series, *map++, &runs[r]->threads[t].nodes[i], runs[r]->ns_per_tick);
}

static void count_raw(struct pit__node_series *series, uint32_t node, const pit_raw_node *raw,
                      double ns_per_tick)
{
    (void)ns_per_tick;
    series->first[node + 1] += raw->series_count;
}

/* first[node] advances as the intervals of a node are filled in. */
static void copy_raw(struct pit__node_series *series, uint32_t node, const pit_raw_node *raw,
                     double ns_per_tick)
{
    for (size_t i = 0; i < raw->series_count; i++) {
        const pit_series_bin *bin = &raw->series[i];
        series->stretches[series->first[node]++] =
            (struct pit__stretch){(double)bin->start * ns_per_tick,
                                  (double)bin->width * ns_per_tick,
                                  bin->count,
                                  (double)bin->total * ns_per_tick,
                                  (double)bin->min * ns_per_tick,
                                  (double)bin->max * ns_per_tick};
    }
}

static int by_start(const void *a, const void *b)
{
    const struct pit__stretch *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Merge the intervals of one node into intervals of the widest width; returns how many remain. */
static size_t join(struct pit__stretch *list, size_t count)
{
    double width = 0;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        width = fmax(width, list[i].width_ns);
    for (size_t i = 0; width > 0 && i < count; i++) {
        double middle = list[i].start_ns + list[i].width_ns / 2;
        list[i].start_ns = floor(middle / width) * width;
        list[i].width_ns = width;
    }
    qsort(list, count, sizeof *list, by_start);
    for (size_t i = 0; i < count; i++) {
        struct pit__stretch *to = kept > 0 ? &list[kept - 1] : NULL;
        if (!to || to->start_ns != list[i].start_ns) {
            list[kept++] = list[i];
            continue;
        }
        to->count += list[i].count;
        to->total_ns += list[i].total_ns;
        to->min_ns = fmin(to->min_ns, list[i].min_ns);
        to->max_ns = fmax(to->max_ns, list[i].max_ns);
    }
    return kept;
}

int pit__node_series_make(const pit_tree *tree, const pit_run *const *runs, size_t run_count,
                          struct pit__node_series *series)
{
    size_t count = tree->node_count, kept = 0, from = 0;
    *series = (struct pit__node_series){.first = calloc(count + 2, sizeof *series->first)};
    if (!series->first)
        return PIT_NO_MEMORY;
    each_raw(tree, runs, run_count, series, count_raw);
    for (size_t i = 0; i < count; i++)
        series->first[i + 1] += series->first[i];
    series->stretches = calloc(series->first[count] + 1, sizeof *series->stretches);
    if (!series->stretches)
        return PIT_NO_MEMORY;
    each_raw(tree, runs, run_count, series, copy_raw);
    for (size_t i = 0; i < count; i++) { /* first[i] is the end of node i now */
        size_t end = series->first[i], own = join(series->stretches + from, end - from);
        for (size_t k = 0; k < own; k++)
            series->stretches[kept + k] = series->stretches[from + k];
        series->first[i] = kept;
        kept += own;
        from = end;
    }
    series->first[count] = kept;
    return 0;
}

void pit__node_series_free(struct pit__node_series *series)
{
    free(series->stretches);
    free(series->first);
}
