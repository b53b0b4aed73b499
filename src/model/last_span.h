/* last_span.h: the last time at which a run's spans showed activity. */
#ifndef PIT_LAST_SPAN_H
#define PIT_LAST_SPAN_H

#include "pitwall_report.h"

/* Wall clock when a span last began or ended, in nanoseconds since 1970, as far as the stacks and the
 * flight recorder know; NaN: not known. */
double pit__last_span_wall_ns(const pit_run *run);

#endif
