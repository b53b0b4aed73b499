/* prometheus.h: runs as metrics in the text format 0.0.4 of Prometheus.
 *
 * Lines of one metric must stand together, whatever the runs: so the lines of each run are made first,
 * metric by metric, and kept as long as they hold, and then written metric by metric.
 */
#ifndef PIT_PROMETHEUS_H
#define PIT_PROMETHEUS_H

#include "pitwall_report.h"

#define PIT__METRICS_SPANS 100 /* of a run, by total time, where nobody says more */

/* The lines of one run. */
struct pit__metrics;
void pit__metrics_free(struct pit__metrics *metrics);

/* The highest that each counter of a live run was written with. Readings of a run that goes on are not of
 * one moment, and its clock's frequency is known better and better: figures may step back by a little,
 * which Prometheus would take for a restart. Zeroed is empty. */
struct pit__metrics_floor {
    struct pit__floor_span *spans;
    size_t count, room;
};
void pit__metrics_floor_free(struct pit__metrics_floor *floor);

/* The lines of a run. spans: how many of them; floor may be NULL. NULL without memory. */
struct pit__metrics *pit__metrics_make(const pit_run *run, size_t spans,
                                       struct pit__metrics_floor *floor);

/* The document: every metric with its help and type, then the lines of each run. No two may be of the
 * same run. */
void pit__metrics_write(FILE *out, struct pit__metrics *const *runs, size_t run_count);

#endif
