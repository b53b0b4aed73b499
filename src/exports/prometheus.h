/* prometheus.h: runs as metrics in the text format 0.0.4 of Prometheus.
 *
 * All lines of one metric must be adjacent, across runs. So the lines of each run are made
 * first, metric by metric, and cached while they are valid; then they are written metric by
 * metric.
 */
#ifndef PIT_PROMETHEUS_H
#define PIT_PROMETHEUS_H

#include "pitwall_report.h"

#define PIT__METRICS_SPANS 100 /* default number of spans per run, by total time */

/* The lines of one run. */
struct pit__metrics;
void pit__metrics_free(struct pit__metrics *metrics);

/* The highest value written for each counter of a live run. The figures of a live run are not
 * read at one instant, and the estimate of its clock frequency improves, so figures may decrease
 * slightly. Prometheus would take that for a restart. A zeroed struct is empty. */
struct pit__metrics_floor {
    struct pit__floor_span *spans;
    size_t count, room;
};
void pit__metrics_floor_free(struct pit__metrics_floor *floor);

/* The lines of a run. spans: the most spans to include; floor may be NULL. Returns NULL without
 * memory. */
struct pit__metrics *pit__metrics_make(const pit_run *run, size_t spans,
                                       struct pit__metrics_floor *floor);

/* The document: every metric with its help and type, then the lines of each run. All must be of
 * different runs. */
void pit__metrics_write(FILE *out, struct pit__metrics *const *runs, size_t run_count);

#endif
