/* See warmup.h. The constants are those that performed best on hundreds of series with known behaviour;
 * tests/unit/test_warmup.c counts. */
#include "warmup.h"

#include "change_points.h"
#include "order_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_FULL 1000 /* with more durations, medians of several are used */
#define POINTS_OF_MEDIANS 500
#define SPIKE 4.0  /* deviations from the running median of 5 that make a spike */
#define FAR_LAG 10 /* a lag at which durations are nearly independent */
#define LAGS 20    /* a series must be this many far lags long, or a nearer lag is used */
/* highest correlation of neighbours that is distinguishable from a change of level */
#define MOST_CORRELATED 0.95
#define UNKNOWN_TAU 2.0      /* for a series too short to measure it */
#define LEAST_TOLERANCE 0.02 /* relative: closer levels are equal */
#define LEAST_NOISE 1e-4     /* relative: below the resolution of clocks */
#define PENALTY 3.0          /* times variance, autocorrelation time and ln N: the cost of a cut */
#define LEAST_HOLD 0.1       /* share of the points that the best level must cover */
#define MOST_TURNS 0.2       /* share of the points that may contradict a warm-up or a slowdown */
#define LEAST_DRIFT 0.04     /* relative change over the series that counts as drift */

struct work {
    size_t count;                /* points */
    size_t each;                 /* durations per point */
    double *y;                   /* logarithms of the durations, later without spikes */
    double *spare;               /* the same size, for medians */
    struct pit__stretch *levels; /* as many */
    size_t level_count;
    double variance, tau, penalty, cost;
    double tolerance; /* logarithmic */
};

/* ---- the points ---------------------------------------------------------------------------- */

static double shortest_above_0(const double *durations, size_t count)
{
    double least = INFINITY;
    for (size_t i = 0; i < count; i++)
        if (durations[i] > 0 && durations[i] < least)
            least = durations[i];
    return isfinite(least) ? least : 1;
}

static void make_points(const double *durations, size_t count, struct work *work)
{
    double least = shortest_above_0(durations, count);
    for (size_t i = 0; i < work->count; i++) {
        size_t from = i * work->each;
        size_t to = i + 1 == work->count ? count : from + work->each;
        for (size_t k = from; k < to; k++)
            work->spare[k - from] =
                durations[k] > 0 && isfinite(durations[k]) ? durations[k] : least;
        work->y[i] = log(pit__median(work->spare, to - from));
    }
}

static double running_median(const struct work *work, const double *y, size_t i)
{
    double window[5];
    size_t from = i < 2 ? 0 : i - 2, to = i + 3 > work->count ? work->count : i + 3;
    memcpy(window, y + from, (to - from) * sizeof *window);
    return pit__median(window, to - from);
}

/* Replace single points that are far from their neighbours: a spike is not a level. Never the first two,
 * where the warm-up is. */
static int drop_spikes(struct work *work)
{
    double *original = malloc(work->count * sizeof *original);
    if (!original)
        return -1;
    memcpy(original, work->y, work->count * sizeof *original);
    for (size_t i = 0; i < work->count; i++)
        work->spare[i] = original[i] - running_median(work, original, i);
    double scale = PIT__MAD_SIGMA * pit__median_deviation(work->spare, work->count, 0);
    double most = SPIKE * fmax(scale, LEAST_TOLERANCE / 2);
    for (size_t i = 2; i < work->count; i++) {
        double middle = running_median(work, original, i);
        if (fabs(original[i] - middle) > most)
            work->y[i] = middle;
    }
    free(original);
    return 0;
}

/* ---- the noise ----------------------------------------------------------------------------- */

/* The variance of one point from differences at distance `lag`: levels and slow changes hardly affect it. */
static double variance_by_lag(const struct work *work, size_t lag, int about_median)
{
    size_t count = work->count - lag;
    for (size_t i = 0; i < count; i++)
        work->spare[i] = work->y[i + lag] - work->y[i];
    double middle = about_median ? pit__median(work->spare, count) : 0;
    double sigma = PIT__MAD_SIGMA * pit__median_deviation(work->spare, count, middle);
    return sigma * sigma / 2;
}

/* For an autoregressive series the ratio of the two variances is 1 - f to 1 - f^lag. */
static double autocorrelation_time(double near, double far, double lag)
{
    double low = 0, high = MOST_CORRELATED;
    if (!(far > near))
        return 1;
    for (int i = 0; i < 40; i++) {
        double f = (low + high) / 2;
        if ((1 - f) / (1 - pow(f, lag)) > near / far)
            low = f;
        else
            high = f;
    }
    return (1 + low) / (1 - low);
}

static void measure_noise(struct work *work)
{
    double near = variance_by_lag(work, 1, 0), far = near;
    size_t lag = work->count / LAGS < FAR_LAG ? work->count / LAGS : FAR_LAG;
    if (lag < 2)
        lag = 2;
    if (work->count >= 2 * LAGS)
        far = variance_by_lag(work, lag, 1);
    work->tau = autocorrelation_time(near, far, (double)lag);
    if (work->count < 2 * LAGS)
        work->tau = UNKNOWN_TAU;
    work->variance = fmax(fmax(near, far), LEAST_NOISE * LEAST_NOISE);
    work->penalty = PENALTY * work->variance * work->tau * log((double)work->count);
    work->tolerance = fmax(log1p(LEAST_TOLERANCE), sqrt(work->variance));
}

/* ---- the course ---------------------------------------------------------------------------- */

struct trend {
    double change; /* from the first point to the last */
    double error;  /* squared, of all points */
    int one_way;   /* it rises all the time, or falls */
};

/* A straight line or, with `bent`, a parabola: the logarithm of a duration that grows linearly is bent. */
static struct trend fit_trend(const double *y, size_t count, int bent)
{
    double mean = 0, middle = 0, xy = 0, xx = 0, py = 0, pp = 0, yy = 0;
    for (size_t i = 0; i < count; i++) {
        double x = 2 * (double)i / (double)(count - 1) - 1;
        mean += y[i] / (double)count;
        middle += x * x / (double)count;
    }
    for (size_t i = 0; i < count; i++) {
        double x = 2 * (double)i / (double)(count - 1) - 1, off = y[i] - mean;
        double p = x * x - middle; /* x and p are orthogonal, so each is fitted separately */
        xy += x * off;
        xx += x * x;
        py += p * off;
        pp += p * p;
        yy += off * off;
    }
    double slope = xy / xx, bend = bent ? py / pp : 0;
    return (struct trend){2 * slope, fmax(yy - slope * xy - bend * py, 0),
                          2 * fabs(bend) <= fabs(slope)};
}

/* Does a trend fit better than the segments, if each of its parameters costs as much as a cut? A short
 * first segment may deviate from it: warm-up before a drift. */
static int is_drift(const struct work *work)
{
    for (int k = 0; k < 4; k++) {
        int skip = k / 2, bent = k % 2;
        size_t from = skip ? work->levels[0].count : 0;
        if (skip && (work->level_count < 3 || (double)from > LEAST_HOLD * (double)work->count))
            break;
        if (work->count - from < 2 * PIT__COURSE_LEAST)
            break;
        struct trend trend = fit_trend(work->y + from, work->count - from, bent);
        if (trend.one_way && fabs(trend.change) > fmax(LEAST_DRIFT, work->tolerance) &&
            trend.error + work->penalty * (1 + skip + bent) < work->cost)
            return 1;
    }
    return 0;
}

static int is_at(const struct work *work, size_t stretch, double level)
{
    return fabs(work->levels[stretch].level - level) <= work->tolerance;
}

/* The lowest level that covers a tenth of the points; NaN if none does. Separate segments at one level
 * count together. */
static double best_level(const struct work *work)
{
    double best = NAN;
    for (size_t i = 0; i < work->level_count; i++) {
        size_t points = 0;
        for (size_t k = 0; k < work->level_count; k++)
            points += is_at(work, k, work->levels[i].level) ? work->levels[k].count : 0;
        if ((double)points >= LEAST_HOLD * (double)work->count && !(work->levels[i].level >= best))
            best = work->levels[i].level;
    }
    return best;
}

/* Points of the segments from `from` to `to` that turn: a level above the previous one while the course
 * goes down (sign 1), or below it while it goes up (sign -1). */
static size_t against(const struct work *work, size_t from, size_t to, double sign)
{
    size_t points = 0;
    for (size_t i = from + 1; i < to; i++)
        if (sign * (work->levels[i].level - work->levels[i - 1].level) > work->tolerance)
            points += work->levels[i].count;
    return points;
}

static enum pit__course judge_rest(const struct work *work, size_t first, double best)
{
    size_t in = 0, after = 0, changes = 0, tail = 0, out_from = first;
    double hold = LEAST_HOLD * (double)work->count;
    for (size_t i = first; i < work->level_count; i++) {
        int is_in = is_at(work, i, best);
        changes += i > first && is_in != is_at(work, i - 1, best);
        after += work->levels[i].count;
        in += is_in ? work->levels[i].count : 0;
        tail = is_in ? 0 : tail + work->levels[i].count;
        out_from = is_in ? i + 1 : out_from;
    }
    double share = (double)in / (double)after;
    /* long ups and downs before or after the best level are neither a warm-up nor a slowdown */
    size_t turns = against(work, 0, first, 1);
    if (changes == 1)
        turns += against(work, out_from, work->level_count, -1);
    if ((double)turns > MOST_TURNS * (double)work->count)
        return PIT__COURSE_UNSTEADY;
    if (in == after)
        return first > 0 ? PIT__COURSE_WARMUP : PIT__COURSE_FLAT;
    if (changes == 1 && (double)tail >= hold && tail >= 2)
        return PIT__COURSE_SLOWDOWN;
    return share >= 0.5 ? PIT__COURSE_DISTURBED : PIT__COURSE_UNSTEADY;
}

/* The median of all points at the level: the mean of one segment may be of few points. */
static double level_of(struct work *work, size_t first, double best)
{
    size_t used = 0;
    for (size_t i = first; i < work->level_count; i++)
        if (is_at(work, i, best))
            for (size_t k = 0; k < work->levels[i].count; k++)
                work->spare[used++] = work->y[work->levels[i].start + k];
    return exp(pit__median(work->spare, used));
}

static void judge(struct work *work, struct pit__warmup *warmup)
{
    double best = best_level(work);
    size_t first = 0;
    while (first < work->level_count && !is_at(work, first, best))
        first++;
    if (work->level_count > 1 && is_drift(work))
        warmup->course = PIT__COURSE_DRIFT;
    else if (first == work->level_count)
        warmup->course = PIT__COURSE_UNSTEADY;
    else
        warmup->course = judge_rest(work, first, best);
    if (warmup->course == PIT__COURSE_DRIFT || warmup->course == PIT__COURSE_UNSTEADY)
        return;
    warmup->ends_at = work->levels[first].start * work->each;
    warmup->level = level_of(work, first, best);
}

/* Medians of several durations hide a warm-up shorter than half of them, and a single slow first duration
 * may not justify a cut if noise is autocorrelated: so the first durations are checked one by one, against
 * the level and the noise of single durations. */
static void look_at_first(const double *durations, size_t count, struct work *work,
                          struct pit__warmup *warmup)
{
    int is_steady = warmup->course == PIT__COURSE_FLAT || warmup->course == PIT__COURSE_DISTURBED ||
                    warmup->course == PIT__COURSE_SLOWDOWN;
    if (warmup->ends_at > 0 || !is_steady)
        return;
    size_t used = 0, first = 0;
    for (size_t i = 0; i + 1 < count && used < work->count; i += work->each)
        if (durations[i] > 0 && durations[i + 1] > 0)
            work->spare[used++] = log(durations[i + 1] / durations[i]);
    double sigma = PIT__MAD_SIGMA * pit__median_deviation(work->spare, used, 0) / sqrt(2);
    sigma = fmax(sigma, sqrt(work->variance));
    double least = log(warmup->level) + fmax(LEAST_TOLERANCE, SPIKE * sigma);
    while (first < 2 * work->each && durations[first] > 0 && log(durations[first]) > least)
        first++;
    warmup->ends_at = first;
    if (first > 0 && warmup->course == PIT__COURSE_FLAT)
        warmup->course = PIT__COURSE_WARMUP;
}

static int find(const double *durations, size_t count, struct work *work,
                struct pit__warmup *warmup)
{
    make_points(durations, count, work);
    if (drop_spikes(work))
        return -1;
    measure_noise(work);
    if (pit__change_points(work->y, work->count, work->penalty, work->levels, &work->level_count,
                           &work->cost))
        return -1;
    judge(work, warmup);
    look_at_first(durations, count, work, warmup);
    warmup->noise = sqrt(work->variance);
    warmup->autocorrelated = work->tau * (double)work->each;
    warmup->tolerance = expm1(work->tolerance);
    warmup->stretches = work->level_count;
    return 0;
}

int pit__warmup_find(const double *durations, size_t count, struct pit__warmup *warmup)
{
    *warmup = (struct pit__warmup){PIT__COURSE_SHORT, 0, NAN, NAN, 1, NAN, 0};
    if (count < PIT__COURSE_LEAST)
        return 0;
    struct work work = {.count = count, .each = 1};
    if (count >= POINTS_FULL) {
        work.each = count / POINTS_OF_MEDIANS;
        work.count = count / work.each;
    }
    size_t room = work.count > 2 * work.each ? work.count : 2 * work.each;
    work.y = malloc((work.count + room) * sizeof *work.y);
    work.levels = malloc(work.count * sizeof *work.levels);
    int code = -1;
    if (work.y && work.levels) {
        work.spare = work.y + work.count;
        code = find(durations, count, &work, warmup);
    }
    free(work.y);
    free(work.levels);
    return code;
}

const char *pit__course_word(enum pit__course course)
{
    static const char *const words[] = {"too short", "flat",      "warm-up",        "slowdown",
                                        "drift",     "disturbed", "no steady state"};
    return (size_t)course < sizeof words / sizeof words[0] ? words[course] : "unknown";
}
