/* See order_stats.h. */
#include "order_stats.h"

#include <math.h>
#include <stdlib.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void pit__sort(double *numbers, size_t count)
{
    if (count > 1)
        qsort(numbers, count, sizeof *numbers, by_size);
}

double pit__median(double *numbers, size_t count)
{
    if (count == 0)
        return NAN;
    pit__sort(numbers, count);
    if (count % 2 == 1)
        return numbers[count / 2];
    return numbers[count / 2 - 1] + (numbers[count / 2] - numbers[count / 2 - 1]) / 2;
}

double pit__median_deviation(double *numbers, size_t count, double from)
{
    for (size_t i = 0; i < count; i++)
        numbers[i] = fabs(numbers[i] - from);
    return pit__median(numbers, count);
}
