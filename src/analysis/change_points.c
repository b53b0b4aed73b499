/* See change_points.h. */
#include "change_points.h"

#include <stdlib.h>

/* Sums of the first i numbers and of their squares, minus the first number, so that cancellation depends on
 * the spread and not on the level. */
struct sums {
    const double *sum, *squares;
};

static double error_of(const struct sums *sums, size_t from, size_t to)
{
    double sum = sums->sum[to] - sums->sum[from];
    double error = sums->squares[to] - sums->squares[from] - sum * sum / (double)(to - from);
    return error > 0 ? error : 0;
}

/* best[t]: the least cost of the first t numbers; last[t]: where their last segment begins. */
static void find_cuts(const struct sums *sums, size_t count, double penalty, double *best,
                      size_t *last, size_t *open)
{
    size_t open_count = 1;
    open[0] = 0;
    best[0] = -penalty;
    for (size_t t = 1; t <= count; t++) {
        size_t at = 0;
        for (size_t k = 0; k < open_count; k++) {
            double cost = best[open[k]] + error_of(sums, open[k], t) + penalty;
            if (k == 0 || cost < best[t]) {
                best[t] = cost;
                at = open[k];
            }
        }
        last[t] = at;
        size_t kept = 0; /* a start that is already worse than the best cannot win any more */
        for (size_t k = 0; k < open_count; k++)
            if (best[open[k]] + error_of(sums, open[k], t) <= best[t])
                open[kept++] = open[k];
        open[kept++] = t;
        open_count = kept;
    }
}

static size_t list_stretches(const struct sums *sums, double first, size_t count,
                             const size_t *last, struct pit__stretch *stretches)
{
    size_t found = 0;
    for (size_t t = count; t > 0; t = last[t])
        found++;
    size_t k = found;
    for (size_t t = count; t > 0; t = last[t]) {
        size_t from = last[t];
        double mean = (sums->sum[t] - sums->sum[from]) / (double)(t - from);
        stretches[--k] = (struct pit__stretch){from, t - from, first + mean};
    }
    return found;
}

int pit__change_points(const double *numbers, size_t count, double penalty,
                       struct pit__stretch *stretches, size_t *found, double *cost)
{
    *found = 0;
    *cost = 0;
    if (count == 0)
        return 0;
    double *sum = calloc(3 * (count + 1), sizeof *sum);
    size_t *last = calloc(2 * (count + 2), sizeof *last);
    if (sum && last) {
        double *squares = sum + count + 1, *best = squares + count + 1;
        for (size_t i = 0; i < count; i++) {
            double off = numbers[i] - numbers[0];
            sum[i + 1] = sum[i] + off;
            squares[i + 1] = squares[i] + off * off;
        }
        struct sums sums = {sum, squares};
        find_cuts(&sums, count, penalty, best, last, last + count + 2);
        *found = list_stretches(&sums, numbers[0], count, last, stretches);
        *cost = best[count];
    }
    int code = sum && last ? 0 : -1;
    free(sum);
    free(last);
    return code;
}
