/* node_percentiles.c: see node_percentiles.h. A series keeps only sums and extremes of each interval, to
 * stay small; percentiles need the individual spans. The flight recorder has the newest spans, and all
 * spans of a short run. */
#include "node_percentiles.h"

#include "analysis/order_stats.h"
#include "tree_builder.h"

#include <math.h>
#include <stdlib.h>

struct ended {
    double end_ns, took_ns;
};

struct ended_list {
    struct ended *spans; /* sorted by node */
    size_t *first;       /* per node, and one past the last */
};

/* Visit all events of known nodes: count them or, with `fill`, add them. */
static void each_event(const pit_tree *tree, const pit_run *const *runs, size_t run_count,
                       struct ended_list *list, int fill)
{
    const uint32_t *map = ((const struct pit__tree_box *)(const void *)tree)->map;
    for (size_t r = 0; r < run_count; r++)
        for (size_t t = 0; t < runs[r]->thread_count; t++) {
            const pit_run *run = runs[r];
            const pit_thread *thread = &run->threads[t];
            for (size_t i = 0; i < thread->event_count; i++) {
                const pit_event *event = &thread->events[i];
                if (event->node >= thread->node_count)
                    continue;
                uint32_t node = map[event->node];
                if (!fill) {
                    list->first[node + 1]++;
                    continue;
                }
                double end = (double)event->begin - (double)run->start_ticks;
                list->spans[list->first[node]++] =
                    (struct ended){(end + (double)event->duration) * run->ns_per_tick,
                                   (double)event->duration * run->ns_per_tick};
            }
            map += thread->node_count;
        }
}

static int by_end(const void *a, const void *b)
{
    const struct ended *x = a, *y = b;
    return (x->end_ns > y->end_ns) - (x->end_ns < y->end_ns);
}

/* The spans of a node on one thread are sorted already, as a rule. */
static void sort(struct ended *spans, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (by_end(&spans[i - 1], &spans[i]) > 0) {
            qsort(spans, count, sizeof *spans, by_end);
            return;
        }
}

/* Returns 0 or PIT_NO_MEMORY. */
static int list_make(const pit_tree *tree, const pit_run *const *runs, size_t run_count,
                     struct ended_list *list)
{
    size_t nodes = tree->node_count;
    list->first = calloc(nodes + 2, sizeof *list->first);
    if (!list->first)
        return PIT_NO_MEMORY;
    each_event(tree, runs, run_count, list, 0);
    for (size_t i = 0; i < nodes; i++)
        list->first[i + 1] += list->first[i];
    list->spans = calloc(list->first[nodes] + 1, sizeof *list->spans);
    if (!list->spans)
        return PIT_NO_MEMORY;
    each_event(tree, runs, run_count, list, 1);
    for (size_t i = nodes; i > 0; i--) /* filling moved each start to its end */
        list->first[i] = list->first[i - 1];
    list->first[0] = 0;
    for (size_t i = 0; i < nodes; i++)
        sort(list->spans + list->first[i], list->first[i + 1] - list->first[i]);
    return 0;
}

/* The place of the smallest value that is not below a share `q` of all. */
static size_t rank_of(size_t count, double q)
{
    size_t at = (size_t)ceil(q * (double)count);
    return at - (at > 0);
}

/* Sorts only as much as both need: what is above p95 is above p50. */
static void find_both(double *values, size_t count, double *p50, double *p95)
{
    size_t half = rank_of(count, 0.5), most = rank_of(count, 0.95);
    pit__put_rank(values, count, half);
    *p50 = values[half];
    pit__put_rank(values + half, count - half, most - half);
    *p95 = values[most];
}

/* The intervals of one node; `spans` are its spans ordered by their ends. */
static void find_of_node(const struct pit__node_series *series, size_t node,
                         const struct ended *spans, size_t count, double *room,
                         struct pit__node_percentiles *found)
{
    size_t at = 0;
    for (size_t s = series->first[node]; s < series->first[node + 1]; s++) {
        const struct pit__stretch *stretch = &series->stretches[s];
        size_t in = 0;
        while (at < count && spans[at].end_ns < stretch->start_ns)
            at++;
        for (; at < count && spans[at].end_ns < stretch->start_ns + stretch->width_ns; at++)
            room[in++] = spans[at].took_ns;
        if (in == 0 || in != stretch->count)
            continue;
        find_both(room, in, &found->p50[s], &found->p95[s]);
    }
}

int pit__node_percentiles_make(const pit_tree *tree, const pit_run *const *runs, size_t run_count,
                               const struct pit__node_series *series,
                               struct pit__node_percentiles *percentiles)
{
    struct ended_list list = {0};
    size_t stretches = series->first[tree->node_count];
    *percentiles = (struct pit__node_percentiles){malloc((stretches + 1) * sizeof(double)),
                                                  malloc((stretches + 1) * sizeof(double))};
    int code = list_make(tree, runs, run_count, &list);
    double *room = code ? NULL : malloc((list.first[tree->node_count] + 1) * sizeof *room);
    if (!room || !percentiles->p50 || !percentiles->p95)
        code = PIT_NO_MEMORY;
    for (size_t i = 0; i < stretches && !code; i++)
        percentiles->p50[i] = percentiles->p95[i] = NAN;
    for (size_t i = 0; i < tree->node_count && !code; i++)
        find_of_node(series, i, list.spans + list.first[i], list.first[i + 1] - list.first[i], room,
                     percentiles);
    free(room);
    free(list.spans);
    free(list.first);
    return code;
}

void pit__node_percentiles_free(struct pit__node_percentiles *percentiles)
{
    free(percentiles->p50);
    free(percentiles->p95);
}
