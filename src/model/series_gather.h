/* series_gather.h: the durations of a node one after another, as far as a run knows them. */
#ifndef PIT_SERIES_GATHER_H
#define PIT_SERIES_GATHER_H

#include "pitwall_report.h"

struct pit__series {
    double *seconds; /* in their order; the caller frees it */
    size_t count;
    int in_order;             /* each is one call; else they are means of stretches of the run */
    const char *source;       /* events, records, series */
    int is_events;            /* source is events */
    const pit_run *run;       /* whose they are: of several the one with the most calls */
    const pit_thread *thread; /* likewise; NULL: there are none */
    uint32_t node;            /* of the thread */
};

/* The calls of the node at `path`, by its names joined with '/'. Of several threads and runs the
 * one with the most calls: mixed together they would have no order. The flight recorder's events
 * if it has them all, else records if there is one of each call, else the means of the series'
 * bins. count is 0 where there is nothing. 0 or PIT_NO_MEMORY. */
int pit__series_of(const pit_run *const *runs, size_t run_count, const char *path,
                   struct pit__series *series);

/* The index of the thread's node at `path`; PIT_NO_NODE. */
uint32_t pit__node_at(const pit_thread *thread, const char *path);

/* The node that a course is about where none is named: one called epoch if it has two calls or
 * more, else batch or step, else the largest that is repeated. PIT_NO_NODE; PIT_NO_MEMORY is -1. */
int pit__course_node(const pit_tree *tree, uint32_t *node);

#endif
