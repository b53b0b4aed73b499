/* last_span.h: when a run's spans last showed activity. */
#ifndef PIT_LAST_SPAN_H
#define PIT_LAST_SPAN_H

#include "pitwall_report.h"

/* Wall-clock time when a span last began or ended, in nanoseconds since 1970, from the stacks and the
 * flight recorder; NaN: not known. */
double pit__last_span_wall_ns(const pit_run *run);

#endif
