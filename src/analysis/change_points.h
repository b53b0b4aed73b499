/* change_points.h: a series of numbers cut into stretches of one level each. Pure functions: no I/O, no
 * runs. */
#ifndef PIT_CHANGE_POINTS_H
#define PIT_CHANGE_POINTS_H

#include <stddef.h>

struct pit__stretch {
    size_t start, count;
    double level; /* the mean */
};

/* The cuts with the least squared error, a cut costing `penalty`: exact, by dynamic programming with
 * pruning (PELT). `stretches` has room for `count`; how many there are goes to *found, what they
 * cost, penalties included, to *cost. 0, or -1 without memory. */
int pit__change_points(const double *numbers, size_t count, double penalty,
                       struct pit__stretch *stretches, size_t *found, double *cost);

#endif
