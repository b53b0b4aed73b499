/* See two_levels.h. Works on logarithms, because levels are compared by their ratio. */
#include "two_levels.h"

#include <math.h>
#include <stdlib.h>

#define LEAST 20        /* durations */
#define PART 10         /* each level has at least one of this many parts of the series */
#define ERROR_SHARE 0.7 /* most error that two levels may leave, as a share of a straight line's */

/* Squared error of numbers around their mean, by their sum and sum of squares. */
static double around_mean(double sum, double squares, size_t count)
{
    return squares - sum * sum / (double)count;
}

/* Squared error of numbers around the straight line that fits them best. */
static double around_line(const double *numbers, size_t count)
{
    double n = (double)count, middle = (n - 1) / 2, sum = 0, squares = 0, along = 0;
    for (size_t i = 0; i < count; i++) {
        sum += numbers[i];
        squares += numbers[i] * numbers[i];
        along += numbers[i] * ((double)i - middle);
    }
    double spread = n * (n * n - 1) / 12;
    return around_mean(sum, squares, count) - along * along / spread;
}

static void split(const double *numbers, size_t count, struct pit__two_levels *levels)
{
    double sum = 0, squares = 0, left = 0, left_squares = 0, best = INFINITY;
    for (size_t i = 0; i < count; i++) {
        sum += numbers[i];
        squares += numbers[i] * numbers[i];
    }
    for (size_t i = 0; i + 1 < count; i++) {
        left += numbers[i];
        left_squares += numbers[i] * numbers[i];
        size_t before = i + 1, after = count - before;
        if (before * PART < count || after * PART < count)
            continue;
        double error = around_mean(left, left_squares, before) +
                       around_mean(sum - left, squares - left_squares, after);
        if (error >= best)
            continue;
        best = error;
        levels->begins = before;
        levels->first = exp(left / (double)before);
        levels->times = exp((sum - left) / (double)after) / levels->first;
    }
    if (!(best < ERROR_SHARE * around_line(numbers, count)))
        levels->first = levels->times = NAN;
}

int pit__two_levels_find(const double *durations, size_t count, struct pit__two_levels *levels)
{
    *levels = (struct pit__two_levels){NAN, NAN, 0};
    if (count < LEAST)
        return 0;
    double *logs = malloc(count * sizeof *logs);
    if (!logs)
        return -1;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (durations[i] > 0 && isfinite(durations[i]))
            logs[used++] = log(durations[i]);
    if (used == count)
        split(logs, count, levels);
    free(logs);
    return 0;
}
