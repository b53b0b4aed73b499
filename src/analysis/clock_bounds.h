/* clock_bounds.h: how far the clock of one machine is ahead of another's, and how fast it runs away, from
 * calls that nobody leaves before everybody has entered. Pure functions: no I/O, no runs.
 *
 * No message is sent for it and nothing is assumed of how long a call takes: each call gives one lower
 * and one upper bound, and the truth is inside what all of them leave.
 */
#ifndef PIT_CLOCK_BOUNDS_H
#define PIT_CLOCK_BOUNDS_H

#include <stddef.h>

/* One call, in nanoseconds of each machine's own clock: the latest entry and the earliest leave of the
 * ranks on it. Times of `here` and of `there` count from any points, the same for all calls. */
struct pit__crossing {
    double here_enter, here_leave;
    double there_enter, there_leave;
};

#define PIT__MOST_DRIFT 500e-6 /* of a clock: far more than the worst crystal */

struct pit__clock_bounds {
    double at;     /* a time of the clock here */
    double offset; /* clock there less clock here, then */
    double drift;  /* by which the offset grows in a nanosecond */
    double bound;  /* at no time between the first and the last call is the offset further off */
    double drift_bound;
    int is_consistent; /* 0: no offset fits all calls, a clock was set meanwhile; all is NaN */
};

/* The offset at a time of the clock here. */
double pit__clock_offset(const struct pit__clock_bounds *bounds, double at);

/* Of at least one call; of fewer than that is_consistent is 0. */
void pit__clock_bounds_find(const struct pit__crossing *calls, size_t count,
                            struct pit__clock_bounds *out);

#endif
