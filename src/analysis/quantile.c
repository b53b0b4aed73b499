/* quantile.c: finds the sample of a given rank in a histogram. */
#include "quantile.h"

#include <float.h>
#include <math.h>

static uint64_t count_of(const struct pit__bins *bins, size_t i)
{
    return *(const uint64_t *)(const void *)((const char *)bins->count + i * bins->stride);
}

static double middle_of(const struct pit__bins *bins, size_t i)
{
    double low = *(const double *)(const void *)((const char *)bins->low + i * bins->stride);
    double high = *(const double *)(const void *)((const char *)bins->high + i * bins->stride);
    return low + (high - low) / 2;
}

/* ceil(q * n), within 1…n. 0.07 is stored as a little more than 0.07, so that 0.07 * 100 is a
 * little more than 7; without the correction its rank would be 8. */
static uint64_t rank_of(double q, uint64_t n)
{
    double exact = q * (double)n;
    double rank = ceil(exact - exact * 4 * DBL_EPSILON);
    if (!(rank >= 1))
        return 1;
    return rank >= (double)n ? n : (uint64_t)rank;
}

double pit__quantile(const struct pit__bins *bins, double min, double max, double q)
{
    uint64_t n = 0;
    for (size_t i = 0; i < bins->bin_count; i++)
        n += count_of(bins, i);
    if (n == 0 || isnan(q))
        return NAN;
    uint64_t rank = rank_of(q < 0 ? 0 : q, n), seen = 0;
    size_t i = 0;
    for (; i < bins->bin_count; i++) {
        seen += count_of(bins, i);
        if (seen >= rank)
            break;
    }
    double value = middle_of(bins, i < bins->bin_count ? i : bins->bin_count - 1);
    if (value < min)
        return min;
    return value > max ? max : value;
}
