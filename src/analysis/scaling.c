/* See scaling.h. */
#include "scaling.h"

#include "order_stats.h"

#include <math.h>
#include <stdlib.h>

#define FLAT 1.15 /* largest ratio of costs that counts as constant */

/* f(size) for a class, divided by f(largest), so that no power overflows. */
static double shape(enum pit__class c, double power, double size, double largest)
{
    double part = size / largest;
    switch (c) {
    case PIT__O_1:
        return 1;
    case PIT__O_LOG:
        return log2(size + 1) / log2(largest + 1);
    case PIT__O_N:
        return part;
    case PIT__O_N_LOG_N:
        return part * log2(size + 1) / log2(largest + 1);
    case PIT__O_N2:
        return part * part;
    case PIT__O_N3:
        return part * part * part;
    case PIT__O_2_N:
        return exp((size - largest) * log(power));
    default:
        return pow(part, power);
    }
}

/* ---- one fit ------------------------------------------------------------------------------- */

struct points {
    const double *sizes, *costs;
    size_t count;
    double *shapes, *errors; /* room for count of each */
};

static double sum_of_squares(const struct points *p, double a, double b)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        double error = (a + b * p->shapes[i]) / p->costs[i] - 1;
        sum += error * error;
    }
    return sum;
}

/* The best a + b f with a and b at least 0. If the unconstrained solution has a negative one, that one is
 * 0. */
static void solve(const struct points *p, struct pit__fit *fit)
{
    double uu = 0, uv = 0, vv = 0, u1 = 0, v1 = 0;
    for (size_t i = 0; i < p->count; i++) {
        double u = 1 / p->costs[i], v = p->shapes[i] / p->costs[i];
        uu += u * u;
        uv += u * v;
        vv += v * v;
        u1 += u;
        v1 += v;
    }
    double det = uu * vv - uv * uv;
    fit->a = det > 1e-12 * uu * vv ? (u1 * vv - v1 * uv) / det : -1;
    fit->b = det > 1e-12 * uu * vv ? (v1 * uu - u1 * uv) / det : -1;
    if (fit->a >= 0 && fit->b >= 0)
        return;
    double only_a = u1 / uu, only_b = vv > 0 ? v1 / vv : 0;
    int flat = sum_of_squares(p, only_a, 0) < sum_of_squares(p, 0, only_b);
    fit->a = flat ? only_a : 0;
    fit->b = flat ? 0 : only_b;
}

static void judge_fit(struct points *p, enum pit__class c, struct pit__fit *fit)
{
    double n = (double)p->count, squares = sum_of_squares(p, fit->a, fit->b);
    for (size_t i = 0; i < p->count; i++)
        p->errors[i] = fabs((fit->a + fit->b * p->shapes[i]) / p->costs[i] - 1);
    pit__sort(p->errors, p->count);
    fit->residual = p->errors[p->count / 2];
    fit->rms = sqrt(squares / n);
    /* parameters: a, b and the noise; one less without growth, one more with a free power or base */
    double k = c == PIT__O_1 ? 2 : c == PIT__O_2_N || c == PIT__O_POWER ? 4 : 3;
    double penalty = n - k - 1 > 0 ? 2 * k * (k + 1) / (n - k - 1) : INFINITY;
    fit->aicc = n * log(fmax(squares / n, 1e-12)) + 2 * k + penalty;
    fit->is_good = 1;
}

static struct pit__fit fit_with(struct points *p, enum pit__class c, double power)
{
    struct pit__fit fit = {.power = power};
    for (size_t i = 0; i < p->count; i++)
        p->shapes[i] = shape(c, power, p->sizes[i], p->sizes[p->count - 1]);
    solve(p, &fit);
    if (c == PIT__O_1) {
        fit.a += fit.b; /* all of it is the constant */
        fit.b = 0;
    }
    judge_fit(p, c, &fit);
    return fit;
}

/* Search a grid of powers or bases. */
static struct pit__fit fit_grid(struct points *p, enum pit__class c, double from, double to,
                                double step)
{
    struct pit__fit best = {0};
    for (int i = 0; from + i * step <= to + step / 2; i++) {
        struct pit__fit fit = fit_with(p, c, from + i * step);
        if (!best.is_good || fit.rms < best.rms)
            best = fit;
    }
    return best;
}

/* ---- the choice ---------------------------------------------------------------------------- */

static enum pit__class best_named(const struct pit__fit *fits)
{
    enum pit__class best = PIT__O_1;
    for (int c = 1; c < PIT__NAMED_CLASSES; c++)
        if (fits[c].aicc < fits[best].aicc)
            best = (enum pit__class)c;
    return best;
}

static int is_power(const struct pit__fit *power, const struct pit__fit *named)
{
    double k = power->power,
           nearest = fmin(fmin(fabs(k), fabs(k - 1)), fmin(fabs(k - 2), fabs(k - 3)));
    return power->residual < 0.05 && power->residual < named->residual / 4 && nearest > 0.15;
}

static int is_flat(const double *costs, size_t count)
{
    double low = costs[0], high = costs[0];
    for (size_t i = 1; i < count; i++) {
        low = fmin(low, costs[i]);
        high = fmax(high, costs[i]);
    }
    return high < FLAT * low;
}

/* The median of the slopes of all pairs among the larger half of the sizes, and its quartiles. */
static int find_tail(struct pit__scaling *s, const double *sizes, const double *costs, size_t count)
{
    size_t from = count >= 6 ? count / 2 : 0, left = count - from, at = 0;
    double *slopes = malloc((left * left + 1) * sizeof *slopes);
    if (!slopes)
        return -1;
    for (size_t i = from; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            slopes[at++] = log(costs[k] / costs[i]) / log(sizes[k] / sizes[i]);
    s->tail = s->tail_low = s->tail_high = NAN;
    if (at > 0) {
        pit__sort(slopes, at);
        s->tail = slopes[at / 2];
        s->tail_low = slopes[at / 4];
        s->tail_high = slopes[at * 3 / 4];
    }
    free(slopes);
    return 0;
}

static void choose(struct pit__scaling *s, const double *costs, size_t count)
{
    enum pit__class named = best_named(s->fits);
    s->found = is_flat(costs, count)                               ? PIT__O_1
               : is_power(&s->fits[PIT__O_POWER], &s->fits[named]) ? PIT__O_POWER
                                                                   : named;
    double best = INFINITY;
    for (int c = 0; c < PIT__CLASSES; c++)
        best = fmin(best, s->fits[c].rms);
    for (int c = 0; c < PIT__CLASSES; c++)
        s->possible[c] =
            c == (int)s->found || (c < PIT__NAMED_CLASSES && s->fits[c].rms <= 1.5 * best);
    s->low_confidence = s->fits[s->found].rms > 0.10;
}

int pit__scaling_fit(const double *sizes, const double *costs, size_t count,
                     struct pit__scaling *scaling)
{
    *scaling = (struct pit__scaling){.count = count};
    if (count < 3)
        return -2;
    scaling->largest = sizes[count - 1];
    double *room = malloc(2 * count * sizeof *room);
    if (!room)
        return -1;
    struct points p = {sizes, costs, count, room, room + count};
    for (int c = 0; c < PIT__NAMED_CLASSES; c++)
        scaling->fits[c] = c == PIT__O_2_N ? fit_grid(&p, PIT__O_2_N, 1.2, 3, 0.01)
                                           : fit_with(&p, (enum pit__class)c, 0);
    scaling->fits[PIT__O_POWER] = fit_grid(&p, PIT__O_POWER, 0.1, 4, 0.01);
    free(room);
    choose(scaling, costs, count);
    return find_tail(scaling, sizes, costs, count);
}

double pit__scaling_predict(const struct pit__scaling *scaling, double size, double *low,
                            double *high)
{
    const struct pit__fit *fit = &scaling->fits[scaling->found];
    double cost = fit->a + fit->b * shape(scaling->found, fit->power, size, scaling->largest);
    *low = cost * fmax(0, 1 - 2 * fit->rms);
    *high = cost * (1 + 2 * fit->rms);
    return cost;
}

double pit__scaling_factor(const struct pit__scaling *scaling, enum pit__class c)
{
    const struct pit__fit *fit = &scaling->fits[c];
    double n = scaling->largest, logarithm = log2(n + 1);
    switch (c) {
    case PIT__O_1:
        return fit->b;
    case PIT__O_LOG:
        return fit->b / logarithm;
    case PIT__O_N:
        return fit->b / n;
    case PIT__O_N_LOG_N:
        return fit->b / (n * logarithm);
    case PIT__O_N2:
        return fit->b / (n * n);
    case PIT__O_N3:
        return fit->b / (n * n * n);
    default:
        return fit->b / (c == PIT__O_2_N ? pow(fit->power, n) : pow(n, fit->power));
    }
}

const char *pit__class_name(enum pit__class c)
{
    static const char *const names[PIT__CLASSES] = {"1",   "log n", "n",   "n log n",
                                                    "n^2", "n^3",   "2^n", "n^k"};
    return (unsigned)c < PIT__CLASSES ? names[c] : "?";
}
