/* blocks.h: turns the autocorrelated calls of one process into independent figures. Pure functions:
 * no I/O, no runs. */
#ifndef PIT_BLOCKS_H
#define PIT_BLOCKS_H

#include "quantile.h"

#include <stddef.h>

/* The autocorrelation time in values: at least 1, which means independent; NaN for fewer than 8 values. It
 * uses logarithms and clamps outliers, so that a single stall does not hide the correlation of the others.
 * Returns 0, or -1 if memory is exhausted. */
int pit__correlation_time(const double *values, size_t count, double *time);

/* The block length for two series: over twice the longer correlation time of both, and long enough that
 * neither gives more than `most` blocks. Both get the same length, because the p10 of a block depends on
 * it. Returns 0, or -1 if memory is exhausted. */
int pit__block_length(const double *a, size_t a_count, const double *b, size_t b_count, size_t most,
                      size_t *length);

/* p10 and median of each whole block, from the end of the series backwards; the remainder is at its
 * beginning, where the warm-up is. count / length of each. Returns 0, or -1 if memory is exhausted. */
int pit__block_figures(const double *values, size_t count, size_t length, double *p10s,
                       double *medians);

/* A quantile of ascending values, interpolated between neighbours. NaN if there are none. */
double pit__sorted_quantile(const double *sorted, size_t count, double q);

/* The same from bins, assuming that values are spread evenly in a bin: more precise than the middle of the
 * bin, whose width can hide a difference. min and max are those of the values. NaN if there are none. */
double pit__bins_quantile(const struct pit__bins *bins, double min, double max, double q);

#endif
