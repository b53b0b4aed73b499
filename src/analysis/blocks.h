/* blocks.h: calls of one process, which hang on one another, made into figures that do not. Pure;
 * knows nothing of runs. */
#ifndef PIT_BLOCKS_H
#define PIT_BLOCKS_H

#include "quantile.h"

#include <stddef.h>

/* Over how many values in a row they still hang on each other; 1: not at all. At least 1, NaN for
 * fewer than 8 values. Values are taken as ratios (logarithms) and far ones are pulled in, so that
 * a single stall does not hide what the others do. 0, or -1 without memory. */
int pit__correlation_time(const double *values, size_t count, double *time);

/* How long a block of two series must be: over twice the longer correlation time of both, and so
 * long that neither gives more than `most` blocks. Both get the same, because the p10 of a block
 * hangs on its length. 0, or -1 without memory. */
int pit__block_length(const double *a, size_t a_count, const double *b, size_t b_count, size_t most,
                      size_t *length);

/* p10 and median of each whole block, from the end of the series backwards (what is left over is
 * its beginning, where the warm-up is). count / length of each. 0, or -1 without memory. */
int pit__block_figures(const double *values, size_t count, size_t length, double *p10s,
                       double *medians);

/* A quantile of ascending values, between neighbours where it falls between them. NaN for none. */
double pit__sorted_quantile(const double *sorted, size_t count, double q);

/* The same from bins, as if the values of a bin lay evenly in it: finer than the middle of the bin,
 * whose width can hide what is compared. min and max are the values' own. NaN without any. */
double pit__bins_quantile(const struct pit__bins *bins, double min, double max, double q);

#endif
