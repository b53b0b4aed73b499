/* change_points.h: cuts a series of numbers into segments of constant level. Pure functions: no I/O, no
 * runs. */
#ifndef PIT_CHANGE_POINTS_H
#define PIT_CHANGE_POINTS_H

#include <stddef.h>

struct pit__stretch {
    size_t start, count;
    double level; /* the mean */
};

/* The cuts with the least squared error, where a cut costs `penalty`: exact, by dynamic programming with
 * pruning (PELT). `stretches` has room for `count`; *found is their number, *cost their cost with
 * penalties. Returns 0, or -1 if memory is exhausted. */
int pit__change_points(const double *numbers, size_t count, double penalty,
                       struct pit__stretch *stretches, size_t *found, double *cost);

#endif
