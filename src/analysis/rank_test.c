/* See rank_test.h.
 *
 * The null distribution is built up one sample at a time: the largest of all values is a y with probability
 * m / (n + m), and is then above all n x; the others are a smaller case. All terms are positive, so nothing
 * cancels. */
#include "rank_test.h"

#include "order_stats.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_PAIRS 10000u /* of x and y; beyond it the normal distribution is used */

/* Probabilities of each U; row[j] is for j values of y, and is updated to one more x. */
static void add_x(double **row, size_t x_count, size_t y_count)
{
    /* With n = x_count values of x: p(n, m, u) = n/(n+m) p(n-1, m, u) + m/(n+m) p(n, m-1, u-n). */
    for (size_t m = 1; m <= y_count; m++) {
        double all = (double)(x_count + m);
        double *now = row[m], *fewer = row[m - 1];
        for (size_t u = x_count * m + 1; u-- > 0;) {
            double largest_is_x = u <= (x_count - 1) * m ? now[u] : 0;
            double largest_is_y = u >= x_count ? fewer[u - x_count] : 0;
            now[u] = (double)x_count / all * largest_is_x + (double)m / all * largest_is_y;
        }
    }
}

int pit__rank_chances(size_t x_count, size_t y_count, double *chances)
{
    size_t most = x_count * y_count;
    double **row = calloc(y_count + 1, sizeof *row);
    double *cells = row ? calloc((y_count + 1) * (most + 1), sizeof *cells) : NULL;
    if (!cells) {
        free(row);
        return -1;
    }
    for (size_t m = 0; m <= y_count; m++) {
        row[m] = cells + m * (most + 1);
        row[m][0] = 1; /* without any x */
    }
    for (size_t n = 1; n <= x_count; n++)
        add_x(row, n, y_count);
    double sum = 0;
    for (size_t u = 0; u <= most; u++)
        chances[u] = sum += row[y_count][u];
    free(cells);
    free(row);
    return 0;
}

/* ---- distributions that were computed already --------------------------------------------------
 *
 * A comparison of many parts asks for the same one again and again, and at 100 of each it takes 30 ms.
 * Any thread adds to the list and none takes away, so that reading it needs no lock; what would be
 * one too many is computed each time.
 */

#define MOST_KEPT 16

struct kept {
    size_t x_count, y_count;
    struct kept *next;
    double chances[];
};

static _Atomic(struct kept *) kept_list;
static atomic_int kept_count;

/* The probabilities; *own must be freed afterwards, or is NULL. Returns NULL if memory is exhausted. */
static const double *chances_of(size_t x_count, size_t y_count, void **own)
{
    *own = NULL;
    for (struct kept *k = atomic_load(&kept_list); k; k = k->next)
        if (k->x_count == x_count && k->y_count == y_count)
            return k->chances;
    struct kept *made = malloc(sizeof *made + (x_count * y_count + 1) * sizeof(double));
    if (!made || pit__rank_chances(x_count, y_count, made->chances) != 0) {
        free(made);
        return NULL;
    }
    made->x_count = x_count;
    made->y_count = y_count;
    if (atomic_fetch_add(&kept_count, 1) >= MOST_KEPT) {
        atomic_fetch_sub(&kept_count, 1);
        *own = made;
        return made->chances;
    }
    made->next = atomic_load(&kept_list);
    while (!atomic_compare_exchange_weak(&kept_list, &made->next, made))
        ;
    return made->chances;
}

/* ---- the test ------------------------------------------------------------------------------ */

static double *sorted_differences(const double *x, size_t x_count, const double *y, size_t y_count)
{
    double *d = malloc((x_count * y_count + 1) * sizeof *d);
    size_t at = 0;
    for (size_t i = 0; d && i < x_count; i++)
        for (size_t j = 0; j < y_count; j++)
            d[at++] = y[j] - x[i];
    if (d)
        pit__sort(d, at);
    return d;
}

static double count_u(const double *d, size_t count)
{
    double u = 0;
    for (size_t i = 0; i < count; i++)
        u += d[i] > 0 ? 1 : d[i] == 0 ? 0.5 : 0;
    return u;
}

/* The largest u with P(U <= u) <= half the level, -1 if there is none; and the p-value. */
static int exact(size_t x_count, size_t y_count, double level, struct pit__rank_test *test,
                 double *k)
{
    size_t most = x_count * y_count;
    void *own;
    const double *chances = chances_of(x_count, y_count, &own);
    if (!chances)
        return -1;
    *k = -1;
    for (size_t u = 0; u <= most && chances[u] <= level / 2; u++)
        *k = (double)u;
    /* ties may leave a half: use the conservative side */
    double away = fmin(test->u, (double)most - test->u);
    test->is.p = fmin(1, 2 * chances[(size_t)ceil(away)]);
    free(own);
    return 0;
}

/* The quantile of the normal distribution by bisection of erfc: called rarely. */
static double normal_quantile(double tail)
{
    double low = 0, high = 40;
    for (int i = 0; i < 200; i++) {
        double middle = (low + high) / 2;
        if (erfc(middle / sqrt(2)) / 2 > tail)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

static void by_normal(size_t x_count, size_t y_count, double level, struct pit__rank_test *test,
                      double *k)
{
    double n = (double)x_count, m = (double)y_count;
    double mean = n * m / 2, deviation = sqrt(n * m * (n + m + 1) / 12);
    double away = fmax(0, fabs(test->u - mean) - 0.5) / deviation;
    test->is.p = erfc(away / sqrt(2));
    test->is_approximate = 1;
    *k = floor(mean - normal_quantile(level / 2) * deviation - 0.5);
}

static double median_of(const double *sorted, size_t count)
{
    return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

int pit__rank_test(const double *x, size_t x_count, const double *y, size_t y_count, double level,
                   struct pit__rank_test *test)
{
    *test = (struct pit__rank_test){{NAN, NAN, NAN, NAN, 0}, NAN, 0};
    if (x_count == 0 || y_count == 0)
        return 0;
    double *d = sorted_differences(x, x_count, y, y_count), k = -1;
    size_t pairs = x_count * y_count;
    if (!d)
        return -1;
    test->u = count_u(d, pairs);
    test->is.estimate = median_of(d, pairs);
    int code = 0;
    if (pairs <= EXACT_PAIRS)
        code = exact(x_count, y_count, level, test, &k);
    else
        by_normal(x_count, y_count, level, test, &k);
    if (code == 0 && k >= 0 && k < (double)pairs / 2) {
        test->is.is_defined = 1;
        test->is.low = d[(size_t)k];
        test->is.high = d[pairs - 1 - (size_t)k];
    }
    free(d);
    return code;
}

/* ---- several at once ----------------------------------------------------------------------- */

int pit__holm(const double *p, size_t count, double level, int *kept)
{
    double *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return -1;
    memcpy(sorted, p, count * sizeof *sorted);
    pit__sort(sorted, count);
    double least = -1; /* the largest p that is kept */
    for (size_t i = 0; i < count && sorted[i] <= level / (double)(count - i); i++)
        least = sorted[i];
    for (size_t i = 0; i < count; i++)
        kept[i] = p[i] <= least;
    free(sorted);
    return 0;
}
