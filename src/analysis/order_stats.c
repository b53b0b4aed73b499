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

static double middle_of_three(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

void pit__put_rank(double *numbers, size_t count, size_t rank)
{
    size_t low = 0, high = count;
    while (high - low > 1 && rank < count) {
        double pivot =
            middle_of_three(numbers[low], numbers[low + (high - low) / 2], numbers[high - 1]);
        size_t left = low, right = high - 1;
        for (;;) { /* equal numbers go to both sides, so that many of them are not a worst case */
            while (numbers[left] < pivot)
                left++;
            while (numbers[right] > pivot)
                right--;
            if (left >= right)
                break;
            double swapped = numbers[left];
            numbers[left++] = numbers[right];
            numbers[right--] = swapped;
        }
        /* before `left` no number is above the pivot, from there on none below */
        if (left == low) /* only the pivot, the smallest */
            left++;
        if (rank < left)
            high = left;
        else
            low = left;
    }
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
