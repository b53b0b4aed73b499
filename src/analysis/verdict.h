/* verdict.h: is B slower or faster than A, or the same, or can it not be said? One figure a run goes
 * in, p10 and median of its passages. Pure; knows nothing of runs. docs/statistics.md says why so. */
#ifndef PIT_VERDICT_H
#define PIT_VERDICT_H

#include "rank_test.h"

#include <stddef.h>

enum pit__call {
    PIT__NO_VERDICT,
    PIT__FASTER, /* B */
    PIT__SLOWER,
    PIT__SAME /* within the smallest effect that matters */
};

enum pit__doubt { /* why there is no verdict */
                  PIT__NO_DOUBT,
                  PIT__TOO_FEW,       /* under 5 runs a side, or too few for the level */
                  PIT__TOO_WIDE,      /* the interval holds too much */
                  PIT__SHAPE_CHANGED, /* p10 and median moved apart */
                  PIT__NO_FIGURES     /* a time of 0, or none */
};

/* One figure a run, of each side; over 0. `late` may be NULL: then `early` alone is judged. */
struct pit__sides {
    const double *a_early, *a_late; /* p10 and median of the passages of each run of A */
    const double *b_early, *b_late;
    size_t a_count, b_count;
};

struct pit__judgement {
    enum pit__call call;
    enum pit__doubt doubt;
    double change;                       /* B against A: 0.041 is 4.1 % more; NaN: not to be had */
    double low, high;                    /* its interval */
    double p;                            /* of the deciding test */
    int is_real;                         /* with PIT__SAME: the interval excludes 0 */
    int by_late;                         /* the median decided, not the p10 */
    double other, other_low, other_high; /* the other one's change */
    double other_p;
    size_t more_runs; /* about how many more a side for a verdict; 0: none, or not known */
};

#define PIT__SMALLEST_EFFECT 0.02

/* level: of the whole judgement, 0.05; each of the two tests is at half of it. effect: the smallest
 * that matters. 0, or -1 without memory. */
int pit__judge(const struct pit__sides *sides, double level, double effect,
               struct pit__judgement *judgement);

/* Looks at the data after 10, 20 and 40 pairs and at no other time, each at a third of the level. */
#define PIT__LOOKS 3
extern const size_t pit__look_pairs[PIT__LOOKS];

#endif
