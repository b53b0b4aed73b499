/* See together.h. */
#include "together.h"

#include "order_stats.h"

#include <math.h>
#include <stdlib.h>

#define LEAST 30 /* iterations */

struct pair {
    double key, value;
};

static int by_key(const void *a, const void *b)
{
    double x = ((const struct pair *)a)->key, y = ((const struct pair *)b)->key;
    return (x > y) - (x < y);
}

/* Ratio of the values in the third with the largest keys to those in the third with the smallest. */
static double parted_by(const double *keys, const double *values, size_t count, struct pair *pairs,
                        double *spare)
{
    size_t third = count / 3;
    for (size_t i = 0; i < count; i++)
        pairs[i] = (struct pair){keys[i], values[i]};
    qsort(pairs, count, sizeof *pairs, by_key);
    for (size_t i = 0; i < third; i++)
        spare[i] = pairs[i].value;
    double low = pit__median(spare, third);
    for (size_t i = 0; i < third; i++)
        spare[i] = pairs[count - third + i].value;
    double high = pit__median(spare, third);
    return low > 0 ? high / low : NAN;
}

static double beyond_neighbours(const double *keys, const double *values, size_t count,
                                struct pair *pairs, double *spare)
{
    double same = parted_by(keys, values, count, pairs, spare);
    double after = parted_by(keys + 1, values, count - 1, pairs, spare);
    double before = parted_by(keys, values + 1, count - 1, pairs, spare);
    return same / fmax(1, fmax(before, after));
}

int pit__together_find(const double *first, const double *second, size_t count, double *times)
{
    *times = NAN;
    if (count < LEAST)
        return 0;
    struct pair *pairs = malloc(count * sizeof *pairs);
    double *spare = malloc(count * sizeof *spare);
    if (pairs && spare) {
        double one = beyond_neighbours(first, second, count, pairs, spare);
        double other = beyond_neighbours(second, first, count, pairs, spare);
        *times = isnan(one) || isnan(other) ? NAN : fmin(one, other);
    }
    int code = pairs && spare ? 0 : -1;
    free(pairs);
    free(spare);
    return code;
}
