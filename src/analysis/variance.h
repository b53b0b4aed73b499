/* variance.h: how much durations vary, and how: outliers, a period, a drift. Pure functions: no I/O, no
 * runs. */
#ifndef PIT_VARIANCE_H
#define PIT_VARIANCE_H

#include <stddef.h>

#define PIT__OUTLIERS 8

struct pit__variation {
    size_t count;
    double mean, median, min, max;
    double ratio;     /* max / min; NaN if min is 0 */
    double variation; /* standard deviation (of the population) / mean; NaN if the mean is 0 */
    double deviation; /* robust: 1.48 median deviations */
    size_t outlier_count;
    size_t outliers[PIT__OUTLIERS]; /* indices of the largest ones, ascending */
    size_t period;                  /* a slow one every `period` durations; 0: no period */
    size_t slow_count;              /* with a period: the slow ones */
    double slow_mean;               /* with a period: the mean of the slow ones; else NaN */
    /* the period is visible only in ranks, because others are as long by chance: slow_mean is the median of
     * those on the beat */
    int is_ranked;
    double drift; /* change over the series / median; NaN: not distinguishable from noise */
    double falls; /* with a drift: the largest fall between parts of the series / their range */
    /* ratio of the lower third to the fastest twentieth: additions by chance to less than half of them do
     * not affect it */
    double low_spread;
    double excess;    /* share of the total time above the median */
    size_t off_count; /* more than half the median away from it, above or below */
};

/* Returns 0, or -1 if memory is exhausted. Without durations all figures are NaN. Numbers that are not
 * finite are skipped, and count as the median where the order matters. */
int pit__variation_find(const double *durations, size_t count, struct pit__variation *variation);

#endif
