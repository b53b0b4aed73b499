/* growth.h: does a figure grow over time, and how fast? A robust slope. Pure functions: no I/O, no runs. */
#ifndef PIT_GROWTH_H
#define PIT_GROWTH_H

#include <stddef.h>

#define PIT__GROWTH_POINTS 512 /* most points used; of more, every n-th */

struct pit__growth {
    size_t points;    /* points that were used */
    double slope;     /* the median of the slopes of all pairs of points; NaN with fewer than 3 */
    double low, high; /* their quartiles */
    double change;    /* slope times the time from the first point to the last */
    double level;     /* the median of y */
};

/* The slope by Theil and Sen: up to 29 % of the points may be outliers without moving it far. x ascends;
 * points whose y is not finite, or whose x repeats, are skipped. Returns 0, or -1 if memory is exhausted. */
int pit__growth_fit(const double *x, const double *y, size_t count, struct pit__growth *growth);

/* Is it growth, or noise around a level? It is growth if three quarters of the pairs rise, and the total
 * rise is at least `least` and 1 % of the level. */
int pit__is_growing(const struct pit__growth *growth, double least);

#endif
