/* See variance.h. */
#include "variance.h"

#include "growth.h"
#include "order_stats.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define FAR 5.0            /* deviations above the median that make an outlier */
#define FAR_RELATIVE 0.2   /* and at least this share of the median */
#define PERIOD_LEAST 3     /* fewer slow ones may be chance */
#define PERIOD_MOST 256    /* longest period that is searched */
#define PERIOD_SERIES 4096 /* durations that are used, the last ones */
#define PERIOD_SHARE 0.75  /* share of the outliers on the beat, and of the beats with an outlier */
#define PERIOD_EXPLAINS 0.6 /* share of the variance, adjusted for chance */
#define PERIOD_SLOW 1.1     /* factor over the median from which on a duration is slow */
#define RANKED_LEAST 8      /* beats, to be distinguished from chance by ranks */
/* a logarithm: by chance, one of 1,000 runs exceeds it, over all periods tried */
#define RANKED_SURE 18
#define RANKED_SLOW 1.5 /* factor over the median for the middle one on the beat */

/* ---- simple figures ------------------------------------------------------------------------ */

static void measure(const double *x, size_t count, struct pit__variation *v)
{
    double sum = 0, squares = 0, above = 0;
    v->min = v->max = x[0];
    for (size_t i = 0; i < count; i++) {
        sum += x[i];
        v->min = fmin(v->min, x[i]);
        v->max = fmax(v->max, x[i]);
        above += x[i] > v->median ? x[i] - v->median : 0;
        v->off_count += x[i] > 1.5 * v->median || x[i] < v->median / 1.5;
    }
    v->mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (x[i] - v->mean) * (x[i] - v->mean);
    v->ratio = v->min > 0 ? v->max / v->min : NAN;
    v->variation = v->mean > 0 ? sqrt(squares / (double)count) / v->mean : NAN;
    v->excess = sum > 0 ? above / sum : NAN;
}

static double outlier_above(const struct pit__variation *v)
{
    return v->median + fmax(FAR * v->deviation, FAR_RELATIVE * v->median);
}

static int is_outlier(const struct pit__variation *v, double duration)
{
    return duration > outlier_above(v);
}

/* Keep the index of a large one: the list ascends by index, the smallest is replaced. */
static void keep_outlier(struct pit__variation *v, const double *x, size_t index)
{
    size_t kept = v->outlier_count < PIT__OUTLIERS ? v->outlier_count : PIT__OUTLIERS;
    v->outlier_count++;
    if (kept == PIT__OUTLIERS) {
        size_t least = 0;
        for (size_t i = 1; i < kept; i++)
            if (x[v->outliers[i]] < x[v->outliers[least]])
                least = i;
        if (x[index] <= x[v->outliers[least]])
            return;
        memmove(v->outliers + least, v->outliers + least + 1,
                (kept - 1 - least) * sizeof *v->outliers);
        kept--;
    }
    v->outliers[kept] = index;
}

/* ---- the period ---------------------------------------------------------------------------- */

/* Are the outliers periodic? Spacing p, phase r: most outliers are on the beat, and most beats have one. */
static size_t beat_of(const unsigned char *slow, size_t count, size_t slow_count)
{
    size_t best = 0;
    for (size_t p = 2; p <= PERIOD_MOST && p * (PERIOD_LEAST - 1) < count; p++)
        for (size_t r = 0; r < p; r++) {
            size_t hits = 0, beats = 0;
            for (size_t i = r; i < count; i += p) {
                hits += slow[i];
                beats++;
            }
            if (hits >= PERIOD_LEAST && (double)hits >= PERIOD_SHARE * (double)slow_count &&
                /* a longer one that fits is better: 10, not 5 with every other beat */
                (double)hits >= PERIOD_SHARE * (double)beats)
                best = p;
        }
    return best;
}

/* How much of the variance the position within p explains, less the effect of chance. */
static double explained_by(const double *x, size_t count, size_t p, double *means)
{
    double mean = 0, within = 0, all = 0;
    if (p == 0 || p >= count) /* no data is left to judge by */
        return 0;
    for (size_t i = 0; i < count; i++)
        mean += x[i] / (double)count;
    for (size_t r = 0; r < p; r++) {
        size_t beats = 0;
        means[r] = 0;
        for (size_t i = r; i < count; i += p, beats++)
            means[r] += x[i];
        means[r] /= (double)(beats ? beats : 1);
    }
    for (size_t i = 0; i < count; i++) {
        within += (x[i] - means[i % p]) * (x[i] - means[i % p]);
        all += (x[i] - mean) * (x[i] - mean);
    }
    return all > 0 ? 1 - within / (double)(count - p) / (all / (double)(count - 1)) : 0;
}

/* Alternating slow and fast durations are not outliers, but periodic all the same. */
static size_t rhythm_of(const double *x, size_t count, double median, double *means, double *slow)
{
    double most = 0;
    for (size_t p = 2; p <= 64 && p * 4 <= count; p++)
        most = fmax(most, explained_by(x, count, p, means));
    if (most < PERIOD_EXPLAINS)
        return 0;
    for (size_t p = 2; p <= 64 && p * 4 <= count; p++) {
        if (explained_by(x, count, p, means) < 0.95 * most)
            continue;
        double high = means[0];
        for (size_t r = 1; r < p; r++)
            high = fmax(high, means[r]);
        *slow = (high + median) / 2;
        return high > PERIOD_SLOW * median ? p : 0;
    }
    return 0;
}

struct ranked {
    double value;
    size_t index;
};

static int by_value(const void *a, const void *b)
{
    double x = ((const struct ranked *)a)->value, y = ((const struct ranked *)b)->value;
    return (x > y) - (x < y);
}

/* The logarithm of the probability that so many of all beats are above a quantile by chance (Chernoff
 * bound). */
static double surprise(double hits, double beats, double quantile)
{
    double share = hits / beats;
    if (!(share > 1 - quantile))
        return 0;
    double below = share < 1 ? (1 - share) * log((1 - share) / quantile) : 0;
    return beats * (share * log(share / (1 - quantile)) + below);
}

#define QUANTILES 4
static const double quantiles[QUANTILES] = {0.5, 0.7, 0.8, 0.9};

/* How many of the quantiles a rank reaches. */
static unsigned char level_of(double rank, size_t count)
{
    unsigned char level = 0;
    while (level < QUANTILES && rank >= quantiles[level] * (double)count)
        level++;
    return level;
}

/* Every p-th from r on; *best: the least probable so far. */
static void try_beats(const unsigned char *levels, size_t count, size_t p, double *best,
                      size_t beat[2])
{
    for (size_t r = 0; r < p; r++) {
        size_t beats = 0, at_level[QUANTILES + 1] = {0}, hits = 0;
        for (size_t i = r; i < count; i += p, beats++)
            at_level[levels[i]]++;
        for (size_t q = QUANTILES; q-- > 0 && beats >= RANKED_LEAST;) {
            hits += at_level[q + 1];
            double here = surprise((double)hits, (double)beats, quantiles[q]);
            if (!(here > *best))
                continue;
            *best = here;
            beat[0] = p;
            beat[1] = r;
        }
    }
}

/* If chance makes many durations as slow as those on a beat, these are still slow more often than by
 * chance. Three quarters of them must be above the median. Returns 0, or -1 if memory is exhausted. */
static int beat_by_ranks(const double *x, size_t count, struct pit__variation *v)
{
    struct ranked *sorted = malloc(count * sizeof *sorted);
    double *times = malloc(count * sizeof *times), best = RANKED_SURE;
    unsigned char *levels = malloc(count);
    size_t beat[2] = {0, 0}, beats = 0;
    int code = sorted && times && levels ? 0 : -1;
    for (size_t i = 0; !code && i < count; i++)
        sorted[i] = (struct ranked){x[i], i};
    if (!code)
        qsort(sorted, count, sizeof *sorted, by_value);
    for (size_t i = 0; !code && i < count; i++)
        levels[sorted[i].index] = level_of((double)i, count);
    for (size_t p = 2; !code && p <= PERIOD_MOST && p * RANKED_LEAST <= count; p++)
        try_beats(levels, count, p, &best, beat);
    for (size_t i = beat[1]; beat[0] > 0 && i < count; i += beat[0])
        times[beats++] = x[i];
    if (beats > 0) {
        double middle = pit__median(times, beats);
        if (middle > RANKED_SLOW * v->median && times[beats / 4] > v->median) {
            v->period = beat[0];
            v->slow_count = beats;
            v->slow_mean = middle;
            v->is_ranked = 1;
        }
    }
    free(sorted);
    free(levels);
    free(times);
    return code;
}

static void count_slow(const double *x, size_t count, double above, struct pit__variation *v)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (x[i] > above) {
            sum += x[i];
            v->slow_count++;
        }
    v->slow_mean = v->slow_count > 0 ? sum / (double)v->slow_count : NAN;
}

static int find_period(const double *x, size_t count, struct pit__variation *v)
{
    if (count > PERIOD_SERIES) {
        x += count - PERIOD_SERIES;
        count = PERIOD_SERIES;
    }
    unsigned char *slow = calloc(count, 1);
    double *means = malloc(PERIOD_MOST * sizeof *means);
    if (slow && means) {
        size_t slow_count = 0;
        for (size_t i = 0; i < count; i++)
            slow_count += slow[i] = (unsigned char)is_outlier(v, x[i]);
        if (slow_count >= PERIOD_LEAST)
            v->period = beat_of(slow, count, slow_count);
        double above = outlier_above(v);
        if (v->period == 0)
            v->period = rhythm_of(x, count, v->median, means, &above);
        if (v->period > 0)
            count_slow(x, count, above, v);
    }
    int code = slow && means ? 0 : -1;
    if (!code && v->period == 0)
        code = beat_by_ranks(x, count, v);
    free(slow);
    free(means);
    return code;
}

/* ---- the drift ----------------------------------------------------------------------------- */

#define DRIFT_PARTS                                                                                \
    10 /* of a series: what grows with the run is longer in each than in the one before */

/* How far the medians of the parts fall from an earlier to a later one, as a share of their range: 0 for what
 * grows all the time. */
static double falls_of(const double *x, size_t count, double *spare)
{
    double low = INFINITY, high = -INFINITY, fall = 0;
    for (size_t i = 0; i < DRIFT_PARTS; i++) {
        size_t from = i * count / DRIFT_PARTS, to = (i + 1) * count / DRIFT_PARTS;
        if (from == to)
            return NAN;
        memcpy(spare, x + from, (to - from) * sizeof *x);
        double median = pit__median(spare, to - from);
        high = fmax(high, median);
        low = fmin(low, median);
        fall = fmax(fall, high - median);
    }
    return high > low ? fall / (high - low) : NAN;
}

/* Growth, or the same downwards. */
static int find_drift(const double *x, size_t count, double *spare, struct pit__variation *v)
{
    struct pit__growth growth;
    for (size_t i = 0; i < count; i++)
        spare[i] = (double)i;
    if (pit__growth_fit(spare, x, count, &growth))
        return -1;
    struct pit__growth mirror = growth;
    mirror.low = -growth.high;
    mirror.change = -growth.change;
    if (v->median > 0 && (pit__is_growing(&growth, 0) || pit__is_growing(&mirror, 0)))
        v->drift = growth.change / v->median;
    if (!isnan(v->drift))
        v->falls = falls_of(x, count, spare);
    return 0;
}

static int find(const double *x, size_t count, double *spare, struct pit__variation *v)
{
    memcpy(spare, x, count * sizeof *x);
    v->median = pit__median(spare, count);
    v->low_spread = spare[count / 20] > 0 ? spare[count / 3] / spare[count / 20] : NAN;
    v->deviation = PIT__MAD_SIGMA * pit__median_deviation(spare, count, v->median);
    measure(x, count, v);
    for (size_t i = 0; i < count; i++)
        if (is_outlier(v, x[i]))
            keep_outlier(v, x, i);
    return find_period(x, count, v) || find_drift(x, count, spare, v) ? -1 : 0;
}

int pit__variation_find(const double *durations, size_t count, struct pit__variation *v)
{
    *v = (struct pit__variation){.count = count,
                                 .mean = NAN,
                                 .median = NAN,
                                 .min = NAN,
                                 .max = NAN,
                                 .ratio = NAN,
                                 .variation = NAN,
                                 .deviation = NAN,
                                 .slow_mean = NAN,
                                 .drift = NAN,
                                 .falls = NAN,
                                 .low_spread = NAN,
                                 .excess = NAN};
    if (count == 0)
        return 0;
    double *x = malloc(2 * count * sizeof *x);
    if (!x)
        return -1;
    size_t good = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(durations[i]))
            x[good++] = durations[i];
    double middle = pit__median(x, good);
    for (size_t i = 0; i < count; i++)
        x[i] = isfinite(durations[i]) ? durations[i] : middle;
    int code = good > 0 ? find(x, count, x + count, v) : 0;
    free(x);
    return code;
}
