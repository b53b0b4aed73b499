/* See verdict.h. Everything is done on logarithms: what matters is ratios. */
#include "verdict.h"

#include "order_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_RUNS 5

const size_t pit__look_pairs[PIT__LOOKS] = {10, 20, 40};

/* ---- how many runs it takes ---------------------------------------------------------------- */

/* Of one side: the spread of its quiet half, and the share of runs in a slow mode. */
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

/* How many runs a side it takes to see an effect of `effect`, by the spread of these. */
static size_t runs_needed(const double *logs_a, size_t a_count, const double *logs_b,
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
    double there = (double)(a_count < b_count ? a_count : b_count);
    return (size_t)ceil(fmin(fmax(most, 1.25 * there), 1e9));
}

/* ---- the verdict --------------------------------------------------------------------------- */

static enum pit__call call_of(const struct pit__rank_test *test, double effect)
{
    if (!test->is_defined)
        return PIT__NO_VERDICT;
    if (test->low > 0 && test->estimate >= effect)
        return PIT__SLOWER;
    if (test->high < 0 && test->estimate <= -effect)
        return PIT__FASTER;
    return test->low >= -effect && test->high <= effect ? PIT__SAME : PIT__NO_VERDICT;
}

static int is_opposite(const struct pit__rank_test *a, const struct pit__rank_test *b)
{
    return (a->low > 0 && b->high < 0) || (a->high < 0 && b->low > 0);
}

static void show(const struct pit__rank_test *main_test, const struct pit__rank_test *other,
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
static void decide(const struct pit__rank_test *early, const struct pit__rank_test *late,
                   double effect, struct pit__judgement *j)
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

/* Copies of all sides as logarithms, one after another; NULL without memory, *good 0 for a figure
 * that has none. */
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

int pit__judge(const struct pit__sides *sides, double level, double effect,
               struct pit__judgement *judgement)
{
    struct pit__judgement *j = judgement;
    *j = (struct pit__judgement){.doubt = PIT__TOO_FEW,
                                 .change = NAN,
                                 .low = NAN,
                                 .high = NAN,
                                 .p = NAN,
                                 .other = NAN,
                                 .other_low = NAN,
                                 .other_high = NAN,
                                 .other_p = NAN};
    int has_late = sides->a_late && sides->b_late, good;
    size_t n = sides->a_count, m = sides->b_count;
    const double *const from[4] = {sides->a_early, sides->b_early, sides->a_late, sides->b_late};
    const size_t counts[4] = {n, m, has_late ? n : 0, has_late ? m : 0};
    double *logs = logs_of(from, counts, &good);
    if (!logs)
        return -1;
    struct pit__rank_test early, late;
    double each = has_late ? level / 2 : level, step = log1p(effect);
    int code = 0;
    if (!good) {
        j->doubt = PIT__NO_FIGURES;
    } else {
        code = pit__rank_test(logs, n, logs + n, m, each, &early);
        if (code == 0 && has_late)
            code = pit__rank_test(logs + n + m, n, logs + 2 * n + m, m, each, &late);
        if (code == 0) {
            j->doubt = PIT__NO_DOUBT;
            decide(&early, has_late ? &late : NULL, step, j);
        }
        if (code == 0 && (n < LEAST_RUNS || m < LEAST_RUNS)) {
            j->call = PIT__NO_VERDICT;
            j->doubt = PIT__TOO_FEW;
        }
        if (code == 0 && j->call == PIT__NO_VERDICT && j->doubt != PIT__SHAPE_CHANGED) {
            size_t needed = runs_needed(logs, n, logs + n, m, step);
            size_t there = n < m ? n : m;
            j->more_runs = needed > there ? needed - there : 0;
        }
    }
    free(logs);
    return code;
}
