/* order_stats.h: medians and deviations from them. Pure functions: no I/O, no runs. */
#ifndef PIT_ORDER_STATS_H
#define PIT_ORDER_STATS_H

#include <stddef.h>

#define PIT__MAD_SIGMA 1.4826 /* times the median deviation is the deviation of a normal one */

/* Sorts `numbers`; none may be NaN. */
void pit__sort(double *numbers, size_t count);

/* Put the number of this rank, counted from 0, where it would be if they were sorted: what is before it is
 * not larger, what is behind it not smaller. In the mean this takes as long as reading them a few times.
 * None may be NaN. */
void pit__put_rank(double *numbers, size_t count, size_t rank);

/* The middle one, or the mean of the two middle ones; NaN without any. Sorts `numbers`. */
double pit__median(double *numbers, size_t count);

/* The median of |number - from|. Overwrites `numbers`. */
double pit__median_deviation(double *numbers, size_t count, double from);

#endif
