/* verdict.h: is B slower, faster or the same as A, or is there no verdict? The input is p10 and median of
 * the calls of each run, or one figure per run in pairs. Pure functions: no I/O, no runs.
 * docs/statistics.md gives the reasons. */
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
                  PIT__TOO_FEW,       /* under 5 runs per side, or too few for the level */
                  PIT__TOO_WIDE,      /* the interval is too wide */
                  PIT__SHAPE_CHANGED, /* p10 and median moved in opposite directions */
                  PIT__NO_FIGURES     /* a time of 0, or no figures */
};

/* One figure per run of each side, over 0. `late` may be NULL: then only `early` is judged. */
struct pit__sides {
    const double *a_early, *a_late; /* p10 and median of the calls of each run of A */
    const double *b_early, *b_late;
    size_t a_count, b_count;
};

struct pit__judgement {
    enum pit__call call;
    enum pit__doubt doubt;
    double change;    /* B compared with A: 0.041 is 4.1 % more; NaN: not available */
    double low, high; /* its interval */
    double p;         /* of the deciding test */
    int is_real;      /* with PIT__SAME: the interval excludes 0 */
    int by_late;      /* the late figure decided, not the early one */
    double a, b;      /* of the deciding figure: change is b / a - 1 */
    double other, other_low, other_high; /* change of the other figure */
    double other_p;
    /* about how many more runs per side are needed for a verdict; 0: none, or not known */
    size_t more_runs;
    int is_too_noisy; /* over PIT__MOST_MORE times the present number: more runs are not recommended */
};

#define PIT__MOST_MORE 10

#define PIT__SMALLEST_EFFECT 0.02

/* level: of the whole judgement, 0.05; each of the two tests uses half of it. effect: the smallest that
 * matters. Returns 0, or -1 if memory is exhausted. */
int pit__judge(const struct pit__sides *sides, double level, double effect,
               struct pit__judgement *judgement);

/* One figure per run, over 0; a[i] and b[i] are a pair, run one after the other in random order. The early
 * figure is the mean of the lowest third of the logarithms, the late one the mean of all, each at half the
 * level by the permutation test (paired_test.h). Returns 0, or -1 if memory is exhausted. */
int pit__judge_pairs(const double *a, const double *b, size_t pairs, double level, double effect,
                     struct pit__judgement *judgement);

/* Are there enough pairs for a verdict at `level`? With six pairs even the clearest result occurs by chance
 * in two of 64; the rank test, which combines all runs, needs five. */
int pit__enough_pairs(size_t pairs, double level);

#endif
