/* moments.h: mean and variance from sums, without cancellation. Pure functions: no I/O, no runs. */
#ifndef PIT_MOMENTS_H
#define PIT_MOMENTS_H

#include <stdint.h>

/* A sum of squares: 128 bits, exact. */
struct pit__squares {
    uint64_t low, high;
};

/* a + b; wraps past 128 bits. */
struct pit__squares pit__squares_add(struct pit__squares a, struct pit__squares b);

/* The population variance of `count` integers, from their sum and their sum of squares: exact except for
 * the final rounding to a double. 0 if there are none, and for impossible sums. */
double pit__variance(uint64_t count, uint64_t total, struct pit__squares squares);

/* A group of samples. */
struct pit__spread {
    uint64_t count;
    double mean;
    double variance;
};

/* The union of both groups. */
struct pit__spread pit__spread_join(struct pit__spread a, struct pit__spread b);

#endif
