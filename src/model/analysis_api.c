/* analysis_api.c: the public functions that analyse series and curves. */
#include "pitwall_report.h"

#include "analysis/convergence.h"
#include "analysis/variance.h"
#include "analysis/warmup.h"

#include <math.h>
#include <string.h>

/* The public enumerators have the numbers of the internal ones. */
_Static_assert((int)PIT_COURSE_SHORT == (int)PIT__COURSE_SHORT, "");
_Static_assert((int)PIT_COURSE_SLOWDOWN == (int)PIT__COURSE_SLOWDOWN, "");
_Static_assert((int)PIT_COURSE_UNSTEADY == (int)PIT__COURSE_UNSTEADY, "");
_Static_assert(PIT_OUTLIERS == PIT__OUTLIERS, "");

PIT_API const char *pit_course_name(enum pit_course course)
{
    return pit__course_word((enum pit__course)course);
}

PIT_API int pit_find_warmup(const double *seconds, size_t count, pit_warmup *warmup)
{
    struct pit__warmup found;
    if (!seconds || count < 2 || !warmup)
        return warmup && (seconds || count < 2) ? PIT_NOTHING : PIT_BAD_ARGUMENT;
    if (pit__warmup_find(seconds, count, &found))
        return PIT_NO_MEMORY;
    double sum = 0;
    for (size_t i = 1; i < count; i++)
        sum += seconds[i];
    warmup->first = seconds[0];
    warmup->steady = sum / (double)(count - 1);
    warmup->overhead = warmup->first - warmup->steady;
    warmup->overhead_pct = warmup->steady > 0 ? 100 * warmup->overhead / warmup->steady : NAN;
    warmup->ends_at = found.ends_at;
    warmup->steady_level = found.level;
    warmup->course = (enum pit_course)found.course;
    return 0;
}

PIT_API int pit_find_variance(const double *seconds, size_t count, pit_variance *variance)
{
    struct pit__variation found;
    if (!variance || (!seconds && count > 0))
        return PIT_BAD_ARGUMENT;
    if (count == 0)
        return PIT_NOTHING;
    if (pit__variation_find(seconds, count, &found))
        return PIT_NO_MEMORY;
    *variance = (pit_variance){.count = found.count,
                               .mean = found.mean,
                               .median = found.median,
                               .min = found.min,
                               .max = found.max,
                               .ratio = found.ratio,
                               .variation = found.variation,
                               .outlier_count = found.outlier_count,
                               .period = found.period,
                               .drift = found.drift};
    memcpy(variance->outliers, found.outliers, sizeof variance->outliers);
    return 0;
}

PIT_API int pit_find_convergence(const pit_curve *curve, double threshold, int maximise,
                                 uint64_t smooth, pit_convergence *convergence)
{
    if (!curve || !convergence || (!curve->values && curve->count > 0) || isnan(threshold))
        return PIT_BAD_ARGUMENT;
    if (curve->count == 0)
        return PIT_NOTHING;
    struct pit__convergence found = pit__converge(curve->values, curve->seconds, curve->count,
                                                  threshold, maximise, (size_t)smooth);
    *convergence = (pit_convergence){.reached = found.reached,
                                     .epochs = found.epoch,
                                     .seconds = found.seconds,
                                     .stayed = found.stayed,
                                     .best = found.best,
                                     .last = found.last,
                                     .best_epoch = found.best_epoch};
    return 0;
}
