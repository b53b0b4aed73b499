/* order_stats.h: medians and deviations from them. Pure functions: no I/O, no runs. */
#ifndef PIT_ORDER_STATS_H
#define PIT_ORDER_STATS_H

#include <stddef.h>

/* factor from the median deviation to the standard deviation of a normal distribution */
#define PIT__MAD_SIGMA 1.4826

/* Sorts `numbers`; none may be NaN. */
void pit__sort(double *numbers, size_t count);

/* Put the number of this rank (from 0) where it would be if all were sorted: numbers before it are not
 * larger, numbers after it not smaller. On average this takes a few passes over the numbers. None may be
 * NaN. */
void pit__put_rank(double *numbers, size_t count, size_t rank);

/* The middle number, or the mean of the two middle ones; NaN if there are none. Sorts `numbers`. */
double pit__median(double *numbers, size_t count);

/* The median of |number - from|. Overwrites `numbers`. */
double pit__median_deviation(double *numbers, size_t count, double from);

#endif
