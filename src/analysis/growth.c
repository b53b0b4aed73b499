/* See growth.h. */
#include "growth.h"

#include "blocks.h"
#include "order_stats.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_POINTS 3
#define LEAST_SHARE 0.01 /* share of the level that a rise must reach */

/* Copy the points that are used to xs and ys; returns their number. */
static size_t pick_points(const double *x, const double *y, size_t count, double *xs, double *ys)
{
    size_t step = (count + PIT__GROWTH_POINTS - 1) / PIT__GROWTH_POINTS, used = 0;
    for (size_t i = 0; i < count; i += step) {
        if (!isfinite(x[i]) || !isfinite(y[i]) || (used > 0 && x[i] <= xs[used - 1]))
            continue;
        xs[used] = x[i];
        ys[used++] = y[i];
    }
    return used;
}

/* Partially sorts the numbers, enough for one quantile. */
static void sort_for(double *numbers, size_t count, double q)
{
    size_t at = (size_t)(q * (double)(count - 1));
    pit__put_rank(numbers, count, at);
    if (at + 1 < count)
        pit__put_rank(numbers + at + 1, count - at - 1, 0);
}

static void fit(const double *xs, double *ys, size_t count, double *slopes,
                struct pit__growth *growth)
{
    size_t pairs = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++)
            slopes[pairs++] = (ys[k] - ys[i]) / (xs[k] - xs[i]);
    sort_for(slopes, pairs, 0.5); /* sorting all of them took most of the time of advice */
    growth->slope = pit__sorted_quantile(slopes, pairs, 0.5);
    sort_for(slopes, pairs, 0.25);
    growth->low = pit__sorted_quantile(slopes, pairs, 0.25);
    sort_for(slopes, pairs, 0.75);
    growth->high = pit__sorted_quantile(slopes, pairs, 0.75);
    growth->change = growth->slope * (xs[count - 1] - xs[0]);
    pit__sort(ys, count);
    growth->level = pit__sorted_quantile(ys, count, 0.5);
}

int pit__growth_fit(const double *x, const double *y, size_t count, struct pit__growth *growth)
{
    *growth = (struct pit__growth){0, NAN, NAN, NAN, NAN, NAN};
    if (count < LEAST_POINTS)
        return 0;
    size_t room = count < PIT__GROWTH_POINTS ? count : PIT__GROWTH_POINTS;
    double *xs = malloc((2 * room + room * (room - 1) / 2) * sizeof *xs);
    if (!xs)
        return -1;
    double *ys = xs + room, *slopes = ys + room;
    growth->points = pick_points(x, y, count, xs, ys);
    if (growth->points >= LEAST_POINTS)
        fit(xs, ys, growth->points, slopes, growth);
    free(xs);
    return 0;
}

int pit__is_growing(const struct pit__growth *growth, double least)
{
    return growth->low > 0 && growth->change >= least &&
           growth->change >= LEAST_SHARE * growth->level;
}
