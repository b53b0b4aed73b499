/* paired_test.h: do the two sides of pairs differ, and by how much? Each run gives one figure, each pair has
 * one run of each side in random order. If the sides do not differ, swapping the two figures of a pair
 * changes nothing, so every combination of swaps is as likely as the one observed: a permutation test. It
 * assumes nothing about the distribution, so fast and slow modes are fine. Pure functions: no I/O, no runs. */
#ifndef PIT_PAIRED_TEST_H
#define PIT_PAIRED_TEST_H

#include "rank_test.h"

#include <stddef.h>

/* The figure of a side, on logarithms. */
enum pit__paired_figure {
    PIT__LOWEST_THIRD, /* mean of the lowest third: the program's time when undisturbed */
    PIT__MEAN          /* mean of all: the time that users wait */
};

/* Up to this many pairs all combinations are tried; beyond it, PIT__SWAPS of them, drawn with a fixed seed. */
#define PIT__EXACT_PAIRS 12
#define PIT__SWAPS 3999

struct pit__paired_test {
    double a, b;         /* the figure of each side; the estimate is b - a */
    struct pit__test is; /* p, estimate, interval */
};

/* x[i] and y[i] are a pair. The interval contains the shifts that the test does not reject at `level`.
 * Returns 0, or -1 if memory is exhausted; without a pair all figures are NaN. */
int pit__paired_test(const double *x, const double *y, size_t pairs, enum pit__paired_figure figure,
                     double level, struct pit__paired_test *test);

/* The least possible p-value with this many pairs: 2 / 2^pairs if all combinations are tried. */
double pit__least_paired_p(size_t pairs);

/* The mean of the lowest third; sorts the numbers. NaN if there are none, or if one is NaN. */
double pit__lowest_third(double *numbers, size_t count);

/* The two-sided p-value for y - shift. NaN without a pair or if memory is exhausted. */
double pit__paired_p(const double *x, const double *y, size_t pairs, enum pit__paired_figure figure,
                     double shift);

#endif
