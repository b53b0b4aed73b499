/* See convergence.h. */
#include "convergence.h"

#include <math.h>

/* The mean of the last `smooth` values up to `at`; NaN if there are fewer. */
static double smoothed(const double *values, size_t at, size_t smooth)
{
    double sum = 0;
    if (at + 1 < smooth)
        return NAN;
    for (size_t i = at + 1 - smooth; i <= at; i++)
        sum += values[i];
    return sum / (double)smooth;
}

struct pit__convergence pit__converge(const double *values, const double *seconds, size_t count,
                                      double threshold, int maximise, size_t smooth)
{
    struct pit__convergence found = {.seconds = NAN, .best = NAN, .last = NAN};
    double sum = 0;
    if (smooth == 0)
        smooth = 1;
    for (size_t i = 0; i < count; i++) {
        double value = smoothed(values, i, smooth);
        int good = maximise ? value >= threshold : value <= threshold;
        sum += seconds ? seconds[i] : NAN;
        if (good && !found.reached) {
            found.reached = found.stayed = 1;
            found.epoch = i + 1;
            found.seconds = sum;
        } else if (!good && found.reached) {
            found.stayed = 0;
        }
        int better = maximise ? values[i] > found.best : values[i] < found.best;
        if (!isnan(values[i]) && (isnan(found.best) || better)) {
            found.best = values[i];
            found.best_epoch = i + 1;
        }
        found.last = values[i];
    }
    return found;
}
