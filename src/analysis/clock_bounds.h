/* clock_bounds.h: the offset between the clocks of two machines and its drift, from calls that no rank
 * leaves before all have entered. Pure functions: no I/O, no runs.
 *
 * No message is sent for this, and nothing is assumed about the duration of a call: each call gives a lower
 * and an upper bound, and the true offset is within all of them. */
#ifndef PIT_CLOCK_BOUNDS_H
#define PIT_CLOCK_BOUNDS_H

#include <stddef.h>

/* One call, in nanoseconds of each machine's own clock: the latest entry and the earliest leave of the
 * ranks on it. Times of `here` and `there` have arbitrary origins, the same for all calls. */
struct pit__crossing {
    double here_enter, here_leave;
    double there_enter, there_leave;
};

#define PIT__MOST_DRIFT 500e-6 /* of a clock: far more than the worst real one */

struct pit__clock_bounds {
    double at;     /* a time of the clock here */
    double offset; /* clock there less clock here, then */
    double drift;  /* growth of the offset per nanosecond */
    double bound;  /* error bound of the offset between the first and the last call */
    double drift_bound;
    /* 0: no offset fits all calls, because a clock was set meanwhile; all figures are NaN */
    int is_consistent;
};

/* The offset at a time of the clock here. */
double pit__clock_offset(const struct pit__clock_bounds *bounds, double at);

/* From at least one call; with none, is_consistent is 0. */
void pit__clock_bounds_find(const struct pit__crossing *calls, size_t count,
                            struct pit__clock_bounds *out);

#endif
