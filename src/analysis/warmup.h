/* warmup.h: where the warm-up of a series of durations ends, and how the series develops. Pure functions:
 * no I/O, no runs.
 *
 * The series is cut into segments of constant level (change points), on a logarithmic scale, because levels
 * are compared by their ratio. The best level is the lowest that covers a tenth of the series; the warm-up
 * ends with the first segment at this level. docs/analysis.md says how often that was right. */
#ifndef PIT_WARMUP_H
#define PIT_WARMUP_H

#include <stddef.h>

#define PIT__COURSE_LEAST 5 /* fewest durations for a result */

enum pit__course {
    PIT__COURSE_SHORT,
    PIT__COURSE_FLAT,
    PIT__COURSE_WARMUP,
    PIT__COURSE_SLOWDOWN,
    PIT__COURSE_DRIFT,
    PIT__COURSE_DISTURBED,
    PIT__COURSE_UNSTEADY
};

struct pit__warmup {
    enum pit__course course;
    size_t ends_at;        /* index of the first steady one; 0 without a warm-up */
    double level;          /* of the steady part; NaN: none */
    double noise;          /* relative deviation of one duration */
    double autocorrelated; /* autocorrelation time, in durations; 1: independent */
    double tolerance;      /* relative; levels closer than this are equal */
    size_t stretches;      /* segments of constant level */
};

/* Returns 0, or -1 if memory is exhausted. Durations that are not above 0 count as the shortest that is. */
int pit__warmup_find(const double *durations, size_t count, struct pit__warmup *warmup);

/* The steady part begins at ends_at and lasts to the end, with interruptions. */
const char *pit__course_word(enum pit__course course);

#endif
