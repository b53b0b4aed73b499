/* See paired_test.h.
 *
 * For the lowest third all figures are sorted once. A combination of swaps assigns each figure to a side;
 * going up the sorted figures until both sides have their third gives both means. After a shift of one
 * side, two sorted lists are merged again. For the mean, a combination is two sums, whatever the shift.
 *
 * Swapping all pairs only changes the sign, so the distribution is symmetric and half of the combinations
 * are enough: the first pair is never swapped if all combinations are tried. */
#include "paired_test.h"

#include "order_stats.h"
#include "random_order.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define SEED 0x9e3779b97f4a7c15u
/* of the bisection: the ends of the interval are found to 1/1024 of the first bracket */
#define STEPS 10
#define WIDENINGS 60 /* until a shift is rejected */

struct ranked {
    double value;
    uint32_t pair, is_y;
};

struct paired {
    size_t pairs, third;
    enum pit__paired_figure figure;
    size_t ways; /* to swap */
    /* combinations × pairs: 1 if that pair is swapped; followed by a row of zeros */
    unsigned char *swaps;
    struct ranked *x, *y, *merged;
    double *sums, *counts; /* for the mean: of each combination, Σ ±(y - x) and Σ ±1 */
    double difference;     /* for the mean: Σ (y - x) */
    double step; /* about one deviation of the mean: the scale for finding the interval's ends */
};

/* ---- the ways to swap ------------------------------------------------------------------------ */

static void fill_swaps(struct paired *p)
{
    uint64_t state = SEED, bits = 0;
    for (size_t way = 0; way < p->ways; way++)
        for (size_t i = 0; i < p->pairs; i++, bits >>= 1) {
            if (p->pairs <= PIT__EXACT_PAIRS && i == 0)
                bits = 2 * (uint64_t)way;
            else if (p->pairs > PIT__EXACT_PAIRS && i % 64 == 0)
                bits = pit__next_random(&state);
            p->swaps[way * p->pairs + i] = (unsigned char)(bits & 1);
        }
}

/* ---- the lowest third ------------------------------------------------------------------------ */

static int by_value(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static void merge(struct paired *p, double shift)
{
    size_t i = 0, k = 0;
    for (size_t at = 0; at < 2 * p->pairs; at++) {
        int from_y = i == p->pairs || (k < p->pairs && p->y[k].value - shift < p->x[i].value);
        p->merged[at] = from_y ? p->y[k++] : p->x[i++];
        p->merged[at].value -= from_y ? shift : 0;
    }
}

/* Mean of the lowest third of Y minus that of X, with these swaps. No branch depends on a random bit: it
 * would be mispredicted every other time. */
static double third_difference(const struct paired *p, const unsigned char *swap)
{
    const struct ranked *at = p->merged;
    int x_left = (int)p->third, y_left = (int)p->third;
    double difference = 0;
    for (; (x_left > 0) | (y_left > 0); at++) {
        int is_y = (int)at->is_y ^ swap[at->pair];
        difference += at->value * (double)((is_y & (y_left > 0)) - ((is_y ^ 1) & (x_left > 0)));
        y_left -= is_y;
        x_left -= is_y ^ 1;
    }
    return difference / (double)p->third;
}

/* ---- p-values -------------------------------------------------------------------------------- */

/* How many combinations give a difference at least as large; counted up to `enough`. Sums are taken in a
 * different order each time, so differences by rounding count as equal. */
static size_t count_as_large(struct paired *p, double shift, size_t enough)
{
    size_t as_large = 0;
    double n = (double)p->pairs, seen;
    if (p->figure == PIT__MEAN) {
        seen = fabs(p->difference - n * shift) - 1e-12 * (1 + fabs(n * shift));
        for (size_t i = 0; i < p->ways; i++)
            as_large += fabs(p->sums[i] - p->counts[i] * shift) >= seen;
        return as_large;
    }
    merge(p, shift);
    seen = fabs(third_difference(p, p->swaps + p->ways * p->pairs)) - 1e-12;
    for (size_t i = 0; i < p->ways && as_large < enough; i++)
        as_large += fabs(third_difference(p, p->swaps + i * p->pairs)) >= seen;
    return as_large;
}

/* If all combinations are tried, the observed one is among them; otherwise it is one more. */
static double p_of_count(const struct paired *p, size_t as_large)
{
    size_t seen = p->pairs > PIT__EXACT_PAIRS;
    return (double)(as_large + seen) / (double)(p->ways + seen);
}

static double p_of_shift(struct paired *p, double shift)
{
    return p_of_count(p, count_as_large(p, shift, p->ways));
}

/* Is the p-value at most the level? Most shifts that are not rejected are known after a few combinations. */
static int is_rejected(struct paired *p, double shift, double level)
{
    size_t enough = (size_t)(level * (double)(p->ways + 1)) + 2;
    return p_of_count(p, count_as_large(p, shift, enough)) <= level;
}

static size_t ways_of(size_t pairs)
{
    return pairs == 0 ? 0 : pairs <= PIT__EXACT_PAIRS ? (size_t)1 << (pairs - 1) : PIT__SWAPS;
}

double pit__least_paired_p(size_t pairs)
{
    return 1 / (double)(ways_of(pairs) + (pairs > PIT__EXACT_PAIRS));
}

/* ---- set up ---------------------------------------------------------------------------------- */

static void sum_ways(struct paired *p, const double *x, const double *y)
{
    for (size_t i = 0; i < p->pairs; i++)
        p->difference += y[i] - x[i];
    for (size_t way = 0; way < p->ways; way++) {
        const unsigned char *swap = p->swaps + way * p->pairs;
        for (size_t i = 0; i < p->pairs; i++) {
            double sign = swap[i] ? -1 : 1;
            p->sums[way] += sign * (y[i] - x[i]);
            p->counts[way] += sign;
        }
    }
}

static void drop(struct paired *p)
{
    free(p->swaps);
    free(p->x);
    free(p->sums);
}

static int set_up(struct paired *p, const double *x, const double *y, size_t pairs,
                  enum pit__paired_figure figure)
{
    *p = (struct paired){.pairs = pairs, .third = (pairs + 2) / 3, .figure = figure};
    p->ways = ways_of(pairs);
    p->swaps = calloc(p->ways + 1, pairs);
    p->x = calloc(4 * pairs, sizeof *p->x);
    p->sums = calloc(2 * p->ways, sizeof *p->sums);
    if (!p->swaps || !p->x || !p->sums) {
        drop(p);
        return -1;
    }
    p->y = p->x + pairs;
    p->merged = p->y + pairs;
    p->counts = p->sums + p->ways;
    fill_swaps(p);
    for (size_t i = 0; i < pairs; i++) {
        p->x[i] = (struct ranked){x[i], (uint32_t)i, 0};
        p->y[i] = (struct ranked){y[i], (uint32_t)i, 1};
    }
    double squares = 0, sum = 0;
    for (size_t i = 0; i < pairs; i++) {
        sum += y[i] - x[i];
        squares += (y[i] - x[i]) * (y[i] - x[i]);
    }
    double variance = squares / (double)pairs - sum / (double)pairs * (sum / (double)pairs);
    p->step = fmax(1e-6, sqrt(fmax(0, variance) / (double)pairs));
    qsort(p->x, pairs, sizeof *p->x, by_value);
    qsort(p->y, pairs, sizeof *p->y, by_value);
    if (figure == PIT__MEAN)
        sum_ways(p, x, y);
    return 0;
}

static double figure_of(const struct ranked *sorted, const struct paired *p)
{
    size_t count = p->figure == PIT__MEAN ? p->pairs : p->third;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += sorted[i].value;
    return sum / (double)count;
}

/* ---- the interval ---------------------------------------------------------------------------- */

/* Start at a shift that is not rejected and find where it is rejected in `direction`. The shift 0 is tried
 * first, so that the interval excludes 0 exactly if the p-value is at most the level. */
static double find_end(struct paired *p, double estimate, double p_of_zero, double level,
                       double direction)
{
    double held = estimate, rejected = NAN, step = p->step;
    int zero_is_beyond = (0 - estimate) * direction > 0;
    if (zero_is_beyond && p_of_zero <= level)
        rejected = 0;
    else if (zero_is_beyond)
        held = 0;
    for (int i = 0; isnan(rejected) && i < WIDENINGS; i++, step *= 2) {
        double tried = held + direction * step;
        if (is_rejected(p, tried, level))
            rejected = tried;
        else
            held = tried;
    }
    for (int i = 0; !isnan(rejected) && i < STEPS; i++) {
        double middle = (held + rejected) / 2;
        if (is_rejected(p, middle, level))
            rejected = middle;
        else
            held = middle;
    }
    return (held + rejected) / 2;
}

int pit__paired_test(const double *x, const double *y, size_t pairs, enum pit__paired_figure figure,
                     double level, struct pit__paired_test *test)
{
    struct paired p;
    struct pit__test *is = &test->is;
    *test =
        (struct pit__paired_test){NAN, NAN, {.p = NAN, .estimate = NAN, .low = NAN, .high = NAN}};
    if (pairs == 0)
        return 0;
    if (set_up(&p, x, y, pairs, figure) != 0)
        return -1;
    test->a = figure_of(p.x, &p);
    test->b = figure_of(p.y, &p);
    is->estimate = test->b - test->a;
    is->p = p_of_shift(&p, 0);
    if (pit__least_paired_p(pairs) <= level) {
        is->low = find_end(&p, is->estimate, is->p, level, -1);
        is->high = find_end(&p, is->estimate, is->p, level, 1);
        is->is_defined = !isnan(is->low) && !isnan(is->high);
    }
    drop(&p);
    return 0;
}

double pit__paired_p(const double *x, const double *y, size_t pairs, enum pit__paired_figure figure,
                     double shift)
{
    struct paired p;
    if (pairs == 0 || set_up(&p, x, y, pairs, figure) != 0)
        return NAN;
    double found = p_of_shift(&p, shift);
    drop(&p);
    return found;
}

double pit__lowest_third(double *numbers, size_t count)
{
    size_t third = (count + 2) / 3;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (isnan(numbers[i]))
            return NAN;
    pit__sort(numbers, count);
    for (size_t i = 0; i < third; i++)
        sum += numbers[i];
    return third ? sum / (double)third : NAN;
}
