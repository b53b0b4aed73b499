/* series_gather.h: the durations of a node in their order, as far as a run has them. */
#ifndef PIT_SERIES_GATHER_H
#define PIT_SERIES_GATHER_H

#include "pitwall_report.h"

struct pit__series {
    double *seconds; /* in their order; the caller frees it */
    size_t count;
    int in_order;             /* each is one call; else they are means of intervals of the run */
    const char *source;       /* events, records, series */
    int is_events;            /* source is events */
    const pit_run *run;       /* the run they are from: of several, the one with the most calls */
    const pit_thread *thread; /* the same for the thread; NULL: there are none */
    uint32_t node;            /* index in the thread */
};

/* The calls of the node at `path` (names joined by '/'). If several threads or runs have it, the one with
 * the most calls: mixed calls would have no order. Uses the flight recorder's events if it has all calls,
 * else records if there is one per call, else the means of the series' buckets. count is 0 if there is
 * nothing. Returns 0 or PIT_NO_MEMORY. */
int pit__series_of(const pit_run *const *runs, size_t run_count, const char *path,
                   struct pit__series *series);

/* The index of the thread's node at `path`, or PIT_NO_NODE. */
uint32_t pit__node_at(const pit_thread *thread, const char *path);

/* The default node for a time course: a node called epoch if it has at least two calls, else batch or step,
 * else the largest repeated node. PIT_NO_NODE if there is none. Returns -1 for PIT_NO_MEMORY. */
int pit__course_node(const pit_tree *tree, uint32_t *node);

#endif
