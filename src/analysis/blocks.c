/* See blocks.h. */
#include "blocks.h"

#include "order_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEAST 8      /* fewest values for a correlation time */
#define FAR 5        /* deviations beyond which a value is clamped */
#define WINDOW 5     /* correlation times over which correlations are summed up */
#define POINTS 20000 /* values of a series that are used, from its end */

double pit__sorted_quantile(const double *sorted, size_t count, double q)
{
    if (count == 0 || !(q >= 0 && q <= 1))
        return NAN;
    double place = q * (double)(count - 1);
    size_t at = (size_t)place;
    if (at + 1 >= count)
        return sorted[count - 1];
    return sorted[at] + (place - (double)at) * (sorted[at + 1] - sorted[at]);
}

struct bin {
    double low, high, count;
};

static struct bin bin_at(const struct pit__bins *bins, size_t i)
{
    size_t at = i * bins->stride;
    return (struct bin){*(const double *)(const void *)((const char *)bins->low + at),
                        *(const double *)(const void *)((const char *)bins->high + at),
                        (double)*(const uint64_t *)(const void *)((const char *)bins->count + at)};
}

double pit__bins_quantile(const struct pit__bins *bins, double min, double max, double q)
{
    double all = 0, below = 0;
    for (size_t i = 0; i < bins->bin_count; i++)
        all += bin_at(bins, i).count;
    if (!(all > 0))
        return NAN;
    double wanted = q * all;
    for (size_t i = 0; i < bins->bin_count; i++) {
        struct bin bin = bin_at(bins, i);
        if (bin.count > 0 && (below + bin.count >= wanted || below + bin.count >= all)) {
            double from = fmax(bin.low, min), to = fmin(bin.high, max);
            double part = fmin(1, fmax(0, (wanted - below) / bin.count));
            return to > from ? from + part * (to - from) : fmin(fmax(bin.low, min), max);
        }
        below += bin.count;
    }
    return max;
}

/* ---- correlation ---------------------------------------------------------------------------- */

/* Logarithms minus their median, outliers clamped. Returns 0 if they are all equal, or not all positive. */
static int centre(const double *values, size_t count, double *x, double *scratch)
{
    for (size_t i = 0; i < count; i++) {
        if (!(values[i] > 0) || !isfinite(values[i]))
            return 0;
        x[i] = log(values[i]);
    }
    memcpy(scratch, x, count * sizeof *x);
    pit__sort(scratch, count);
    double middle = pit__sorted_quantile(scratch, count, 0.5);
    for (size_t i = 0; i < count; i++)
        scratch[i] = fabs(x[i] - middle);
    pit__sort(scratch, count);
    double limit = FAR * 1.4826 * pit__sorted_quantile(scratch, count, 0.5), sum = 0;
    for (size_t i = 0; i < count; i++) {
        x[i] -= middle;
        if (limit > 0)
            x[i] = fmax(-limit, fmin(limit, x[i]));
        sum += x[i];
    }
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        x[i] -= sum / (double)count;
        squares += x[i] * x[i];
    }
    return squares > 0;
}

static double correlation(const double *x, size_t count, size_t lag)
{
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++)
        squares += x[i] * x[i];
    for (size_t i = lag; i < count; i++)
        sum += x[i] * x[i - lag];
    return sum / squares;
}

int pit__correlation_time(const double *values, size_t count, double *time)
{
    *time = count < LEAST ? NAN : 1;
    if (count < LEAST)
        return 0;
    if (count > POINTS) {
        values += count - POINTS;
        count = POINTS;
    }
    double *x = malloc(2 * count * sizeof *x);
    if (!x)
        return -1;
    if (centre(values, count, x, x + count)) {
        /* 1 + 2 * the sum of correlations, up to a lag of a few correlation times: beyond it there is only
         * noise. A shorter series cannot show a longer time than its length. */
        double sum = 1;
        for (size_t lag = 1; lag < count / 2 && (double)lag <= WINDOW * fmax(sum, 1); lag++)
            sum += 2 * correlation(x, count, lag);
        *time = fmax(sum, 1);
    }
    free(x);
    return 0;
}

/* ---- blocks --------------------------------------------------------------------------------- */

int pit__block_length(const double *a, size_t a_count, const double *b, size_t b_count, size_t most,
                      size_t *length)
{
    double time[2];
    *length = 1;
    if (pit__correlation_time(a, a_count, &time[0]) != 0 ||
        pit__correlation_time(b, b_count, &time[1]) != 0)
        return -1;
    for (int i = 0; i < 2; i++) { /* a time of hardly over 1 means independent values */
        double wanted = time[i] > 1.5 ? ceil(2 * time[i]) : 1;
        size_t count = i ? b_count : a_count;
        wanted = fmax(wanted, ceil((double)count / (double)most));
        if ((double)*length < wanted)
            *length = (size_t)wanted;
    }
    return 0;
}

int pit__block_figures(const double *values, size_t count, size_t length, double *p10s,
                       double *medians)
{
    size_t blocks = count / length;
    double *block = malloc((length + 1) * sizeof *block);
    if (!block)
        return -1;
    for (size_t i = 0; i < blocks; i++) {
        memcpy(block, values + count - (blocks - i) * length, length * sizeof *block);
        pit__sort(block, length);
        p10s[i] = pit__sorted_quantile(block, length, 0.1);
        medians[i] = pit__sorted_quantile(block, length, 0.5);
    }
    free(block);
    return 0;
}
