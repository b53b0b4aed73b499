/* See verdict.h. Everything is computed on logarithms, because ratios matter. */
#include "verdict.h"

#include "order_stats.h"
#include "paired_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_RUNS 5

/* ---- how many runs it takes ---------------------------------------------------------------- */

/* For one side: the spread of its undisturbed half, and the share of runs in a slow mode. */
static int look_at_side(const double *logs, size_t count, double effect, double *spread,
                        double *slow)
{
    double *sorted = malloc((count + 1) * sizeof *sorted);
    double *away = malloc((count + 1) * sizeof *away);
    int is_good = sorted && away && count > 1;
    if (is_good) {
        memcpy(sorted, logs, count * sizeof *sorted);
        pit__sort(sorted, count);
        size_t half = (count + 1) / 2, above = 0;
        double middle = half % 2 ? sorted[half / 2] : (sorted[half / 2 - 1] + sorted[half / 2]) / 2;
        for (size_t i = 0; i < half; i++)
            away[i] = fabs(sorted[i] - middle);
        *spread = 1.5 * 1.4826 * pit__median(away, half);
        double line = middle + fmax(5 * *spread, effect);
        for (size_t i = 0; i < count; i++)
            above += sorted[i] > line;
        *slow = (double)above / (double)count;
    }
    free(sorted);
    free(away);
    return is_good;
}

/* How many runs per side are needed to detect an effect of `effect`, by the spread of these. */
static double runs_needed(const double *logs_a, size_t a_count, const double *logs_b,
                          size_t b_count, double effect)
{
    double s[2], c[2], most = 0;
    if (!look_at_side(logs_a, a_count, effect, &s[0], &c[0]) ||
        !look_at_side(logs_b, b_count, effect, &s[1], &c[1]))
        return 0;
    for (int i = 0; i < 2; i++) {
        double by_spread = 1.96 * 1.45 * s[i] / (effect / 2);
        double by_modes = 0.8 / (0.48 - fmin(c[i] * (1 - c[i]), 0.24));
        most = fmax(most, 1.5 * fmax(by_spread * by_spread, by_modes * by_modes));
    }
    return ceil(fmax(most, 1.25 * (double)(a_count < b_count ? a_count : b_count)));
}

/* Recommend only a practical number of runs. */
static void advise_runs(const double *logs_a, size_t a_count, const double *logs_b, size_t b_count,
                        double effect, struct pit__judgement *j)
{
    double there = (double)(a_count < b_count ? a_count : b_count);
    double more = runs_needed(logs_a, a_count, logs_b, b_count, effect) - there;
    j->is_too_noisy = j->doubt == PIT__TOO_WIDE && more > PIT__MOST_MORE * there;
    if (more > 0 && more <= PIT__MOST_MORE * fmax(there, 1))
        j->more_runs = (size_t)more;
}

/* ---- the verdict --------------------------------------------------------------------------- */

static enum pit__call call_of(const struct pit__test *test, double effect)
{
    if (!test->is_defined)
        return PIT__NO_VERDICT;
    if (test->low > 0 && test->estimate >= effect)
        return PIT__SLOWER;
    if (test->high < 0 && test->estimate <= -effect)
        return PIT__FASTER;
    return test->low >= -effect && test->high <= effect ? PIT__SAME : PIT__NO_VERDICT;
}

static int is_opposite(const struct pit__test *a, const struct pit__test *b)
{
    return (a->low > 0 && b->high < 0) || (a->high < 0 && b->low > 0);
}

static void show(const struct pit__test *main_test, const struct pit__test *other,
                 struct pit__judgement *j)
{
    j->change = expm1(main_test->estimate);
    j->low = expm1(main_test->low);
    j->high = expm1(main_test->high);
    j->p = main_test->p;
    j->other_p = other ? other->p : NAN;
    j->other = other ? expm1(other->estimate) : NAN;
    j->other_low = other ? expm1(other->low) : NAN;
    j->other_high = other ? expm1(other->high) : NAN;
}

/* late may be NULL. */
static void decide(const struct pit__test *early, const struct pit__test *late, double effect,
                   struct pit__judgement *j)
{
    enum pit__call first = call_of(early, effect), second = late ? call_of(late, effect) : first;
    int first_moved = first == PIT__FASTER || first == PIT__SLOWER;
    int second_moved = second == PIT__FASTER || second == PIT__SLOWER;
    j->by_late = late && second_moved && !first_moved;
    show(j->by_late ? late : early, j->by_late ? early : late, j);
    if (!early->is_defined || (late && !late->is_defined)) {
        j->doubt = PIT__TOO_FEW;
    } else if (late && is_opposite(early, late)) {
        j->doubt = PIT__SHAPE_CHANGED;
    } else if (first_moved || second_moved) {
        j->call = first_moved ? first : second;
    } else if (first == PIT__SAME && second == PIT__SAME) {
        j->call = PIT__SAME;
        j->is_real = early->low > 0 || early->high < 0;
    } else {
        j->doubt = PIT__TOO_WIDE;
    }
}

/* Copies of all sides as logarithms, one after another; NULL if memory is exhausted. *good is 0 if a figure
 * has no logarithm. */
static double *logs_of(const double *const from[4], const size_t counts[4], int *good)
{
    size_t sum = counts[0] + counts[1] + counts[2] + counts[3], at = 0;
    double *logs = malloc((sum + 1) * sizeof *logs);
    *good = 1;
    for (int i = 0; logs && i < 4; i++)
        for (size_t k = 0; k < counts[i]; k++) {
            *good = *good && from[i][k] > 0 && isfinite(from[i][k]);
            logs[at++] = *good ? log(from[i][k]) : 0;
        }
    return logs;
}

static void clear(struct pit__judgement *j)
{
    *j = (struct pit__judgement){.doubt = PIT__TOO_FEW,
                                 .change = NAN,
                                 .low = NAN,
                                 .high = NAN,
                                 .p = NAN,
                                 .a = NAN,
                                 .b = NAN,
                                 .other = NAN,
                                 .other_low = NAN,
                                 .other_high = NAN,
                                 .other_p = NAN};
}

/* The verdict of two tests, or the reason why there is none. */
static void conclude(const struct pit__test *early, const struct pit__test *late, double step,
                     const double *logs_a, size_t n, const double *logs_b, size_t m,
                     struct pit__judgement *j)
{
    j->doubt = PIT__NO_DOUBT;
    decide(early, late, step, j);
    if (n < LEAST_RUNS || m < LEAST_RUNS) {
        j->call = PIT__NO_VERDICT;
        j->doubt = PIT__TOO_FEW;
    }
    if (j->call == PIT__NO_VERDICT && j->doubt != PIT__SHAPE_CHANGED)
        advise_runs(logs_a, n, logs_b, m, step, j);
}

/* The two values that the change is between: the middle of all runs, those of B without the change, and the
 * same with the change. Medians of the sides would be wrong: if runs have two modes they can differ
 * arbitrarily. */
static int place_sides(const double *logs_a, size_t n, const double *logs_b, size_t m,
                       struct pit__judgement *j)
{
    double *all = malloc((n + m + 1) * sizeof *all), estimate = log1p(j->change);
    if (!all)
        return -1;
    for (size_t i = 0; i < n; i++)
        all[i] = logs_a[i];
    for (size_t i = 0; i < m; i++)
        all[n + i] = logs_b[i] - (isnan(estimate) ? 0 : estimate);
    double middle = n + m > 0 ? pit__median(all, n + m) : NAN;
    j->a = n > 0 ? exp(middle) : NAN;
    j->b = m > 0 ? exp(middle + (isnan(estimate) ? 0 : estimate)) : NAN;
    free(all);
    return 0;
}

int pit__judge(const struct pit__sides *sides, double level, double effect,
               struct pit__judgement *judgement)
{
    struct pit__judgement *j = judgement;
    clear(j);
    int has_late = sides->a_late && sides->b_late, good;
    size_t n = sides->a_count, m = sides->b_count;
    const double *const from[4] = {sides->a_early, sides->b_early, sides->a_late, sides->b_late};
    const size_t counts[4] = {n, m, has_late ? n : 0, has_late ? m : 0};
    double *logs = logs_of(from, counts, &good);
    if (!logs)
        return -1;
    double *late_logs = logs + n + m;
    struct pit__rank_test early, late;
    double each = has_late ? level / 2 : level, step = log1p(effect);
    int code = 0;
    if (!good) {
        j->doubt = PIT__NO_FIGURES;
    } else {
        code = pit__rank_test(logs, n, logs + n, m, each, &early);
        if (code == 0 && has_late)
            code = pit__rank_test(late_logs, n, late_logs + n, m, each, &late);
        if (code == 0) {
            conclude(&early.is, has_late ? &late.is : NULL, step, logs, n, logs + n, m, j);
            const double *shown = j->by_late ? late_logs : logs;
            code = place_sides(shown, n, shown + n, m, j);
        }
    }
    free(logs);
    return code;
}

int pit__judge_pairs(const double *a, const double *b, size_t pairs, double level, double effect,
                     struct pit__judgement *judgement)
{
    struct pit__judgement *j = judgement;
    int good;
    const double *const from[4] = {a, b, NULL, NULL};
    const size_t counts[4] = {pairs, pairs, 0, 0};
    double *x = logs_of(from, counts, &good), *y = x ? x + pairs : NULL;
    struct pit__paired_test third, mean;
    clear(j);
    if (!x)
        return -1;
    int code = 0;
    if (!good) {
        j->doubt = PIT__NO_FIGURES;
    } else if (pit__paired_test(x, y, pairs, PIT__LOWEST_THIRD, level / 2, &third) != 0 ||
               pit__paired_test(x, y, pairs, PIT__MEAN, level / 2, &mean) != 0) {
        code = -1;
    } else {
        conclude(&third.is, &mean.is, log1p(effect), x, pairs, y, pairs, j);
        j->a = exp(j->by_late ? mean.a : third.a);
        j->b = exp(j->by_late ? mean.b : third.b);
    }
    free(x);
    return code;
}

int pit__enough_pairs(size_t pairs, double level)
{
    return pit__least_paired_p(pairs) <= level / 2;
}
