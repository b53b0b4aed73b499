/* rank_test.h: do two samples differ, and by how much? The exact rank test of Mann and Whitney with
 * the estimate and the interval of Hodges and Lehmann. Pure functions: no I/O, no runs. */
#ifndef PIT_RANK_TEST_H
#define PIT_RANK_TEST_H

#include <stddef.h>

/* The result of any test, about y - x. */
struct pit__test {
    double p;         /* two-sided */
    double estimate;  /* of the difference */
    double low, high; /* interval at the requested level; NaN if is_defined is 0 */
    int is_defined;   /* enough of both for the level */
};

struct pit__rank_test {
    struct pit__test is; /* the estimate is the median of all differences y - x */
    double u;            /* pairs in which y is larger; ties count half */
    int is_approximate;  /* too many for the exact distribution: the normal one was used */
};

/* At `level` (0.05: an interval of 95 %). Returns 0, or -1 if memory is exhausted; if one side is empty,
 * all figures are NaN. */
int pit__rank_test(const double *x, size_t x_count, const double *y, size_t y_count, double level,
                   struct pit__rank_test *test);

/* The probability that U is at most u if both samples come from one distribution without ties: `chances[u]`
 * for u from 0 to x_count * y_count. Returns 0, or -1 if memory is exhausted. */
int pit__rank_chances(size_t x_count, size_t y_count, double *chances);

/* Holm's method: which of `count` p-values are significant together at `level`; kept[i] becomes 1 or 0.
 * Returns 0, or -1 if memory is exhausted. */
int pit__holm(const double *p, size_t count, double level, int *kept);

#endif
