/* node_percentiles.h: percentiles over the run, as far as the flight recorder has the single spans. */
#ifndef PIT_NODE_PERCENTILES_H
#define PIT_NODE_PERCENTILES_H

#include "node_series.h"

/* One per interval of a series, in nanoseconds. NaN: the flight recorder did not keep every span that ended
 * in the interval. */
struct pit__node_percentiles {
    double *p50, *p95;
};

/* `series` was made from this tree and these runs. Returns 0 or PIT_NO_MEMORY; free it in any case. */
int pit__node_percentiles_make(const pit_tree *tree, const pit_run *const *runs, size_t run_count,
                               const struct pit__node_series *series,
                               struct pit__node_percentiles *percentiles);
void pit__node_percentiles_free(struct pit__node_percentiles *percentiles);

#endif
