/* quantile.h: quantiles of a histogram with sparse bins. Pure functions: no I/O, no runs. */
#ifndef PIT_QUANTILE_H
#define PIT_QUANTILE_H

#include <stddef.h>
#include <stdint.h>

/* Bins inside records of the caller: the next one is `stride` bytes further. Ascending; low and high belong
 * to the bin. */
struct pit__bins {
    const double *low;
    const double *high;
    const uint64_t *count;
    size_t stride;
    size_t bin_count;
};

/* The smallest value whose cumulative count reaches ceil(q * n): the middle of its bin, limited to min…max.
 * q is limited to 0…1. NaN without samples, or if q is NaN. */
double pit__quantile(const struct pit__bins *bins, double min, double max, double q);

#endif
