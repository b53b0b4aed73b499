/* quantile.h: quantiles of a histogram with sparse bins. Pure functions: no I/O, no runs. */
#ifndef PIT_QUANTILE_H
#define PIT_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/* Bins that lie inside records of the caller's: the next one is `stride` bytes on. Ascending by
 * low; low and high belong to the bin. */
struct pit__bins {
    const double *low;
    const double *high;
    const uint64_t *count;
    size_t stride;
    size_t bin_count;
};

/* The smallest value whose cumulative count reaches ceil(q * n), taken as the middle of its bin
 * and kept inside min…max. q is kept inside 0…1. NaN without samples, or if q is NaN. */
double pit__quantile(const struct pit__bins *bins, double min, double max, double q);

#endif
