/* variance.h: how far durations vary, and in what way: outliers, a period, a drift. Pure functions: no
 * I/O, no runs. */
#ifndef PIT_VARIANCE_H
#define PIT_VARIANCE_H

#include <stddef.h>

#define PIT__OUTLIERS 8

struct pit__variation {
    size_t count;
    double mean, median, min, max;
    double ratio;     /* max / min; NaN if min is 0 */
    double variation; /* standard deviation (of the population) / mean; NaN if that is 0 */
    double deviation; /* robust: 1.48 median deviations */
    size_t outlier_count;
    size_t outliers[PIT__OUTLIERS]; /* the largest ones' indices, ascending */
    size_t period;                  /* every so many a slow one comes; 0: none */
    size_t slow_count;              /* with a period: the slow ones */
    double slow_mean;               /* with a period: the mean of the slow ones; else NaN */
    int is_ranked; /* the period shows in ranks alone, among others that are as long by chance: slow_mean
                       * is the median of those on the beat */
    double drift;      /* change along the series / median; NaN: not to be told from noise */
    double low_spread; /* the third from below to the fastest twentieth: what is added by chance to
                        * less than half of them is not in it */
    double excess;     /* share of the whole time that lies above the median */
    size_t off_count;  /* further than half from the median, up or down */
};

/* -1 without memory, else 0. Without durations all figures are NaN. Numbers that are not finite are
 * passed over, and count as the median where the order matters. */
int pit__variation_find(const double *durations, size_t count, struct pit__variation *variation);

#endif
