/* node_series.h: the durations of each node of a tree over the run, merged over threads and runs. */
#ifndef PIT_NODE_SERIES_H
#define PIT_NODE_SERIES_H

#include "pitwall_report.h"

struct pit__stretch { /* times since the start of the run */
    double start_ns, width_ns;
    uint64_t count; /* spans that ended in the interval, over 0 */
    double total_ns, min_ns, max_ns;
};

struct pit__node_series {
    struct pit__stretch *stretches; /* sorted by node, then ascending */
    size_t *first;                  /* per node, and one past the last */
};

/* `tree` was made from these runs. Returns 0 or PIT_NO_MEMORY; free it in any case. */
int pit__node_series_make(const pit_tree *tree, const pit_run *const *runs, size_t run_count,
                          struct pit__node_series *series);
void pit__node_series_free(struct pit__node_series *series);

#endif
