/* warmup.h: where the warm-up of a series of durations ends, and what course it takes. Pure functions: no
 * I/O, no runs.
 *
 * The series is cut into stretches of one level each (change points), on a logarithmic scale: a
 * level is "so many percent above another". The best level is the lowest that holds for a tenth of
 * the series; warm-up ends with the first stretch that is as good as it. docs/analysis.md says how
 * often that was right.
 */
#ifndef PIT_WARMUP_H
#define PIT_WARMUP_H

#include <stddef.h>

#define PIT__COURSE_LEAST 5 /* durations, below which nothing is said */

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
    size_t ends_at;        /* index of the first steady one; 0 where there is no warm-up */
    double level;          /* of the steady part; NaN: none holds */
    double noise;          /* relative deviation of one duration */
    double autocorrelated; /* time of it, in durations; 1: independent */
    double tolerance;      /* relative, within which two levels are one */
    size_t stretches;      /* of one level */
};

/* 0, or -1 without memory. Durations that are not above 0 count as the shortest that is. */
int pit__warmup_find(const double *durations, size_t count, struct pit__warmup *warmup);

/* The steady part begins at ends_at and goes to the end, off it only in stretches. */
const char *pit__course_word(enum pit__course course);

#endif
