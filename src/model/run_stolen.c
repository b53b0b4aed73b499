/* See run_stolen.h. */
#include "run_stolen.h"

#include <math.h>

static double grown(const pit_run *run, const pit_sample *from, const pit_sample *to,
                    const char *key)
{
    return pit_sample_figure(run, to, key) - pit_sample_figure(run, from, key);
}

double pit__stolen_between(const pit_run *run, const pit_sample *from, const pit_sample *to,
                           double passed_ns)
{
    double own = grown(run, from, to, "main_cpu_ns");
    double others = passed_ns - own - grown(run, from, to, "run_delay_ns");
    double stolen = grown(run, from, to, "stolen_ns"), busy = grown(run, from, to, "busy_ns");
    if (isnan(others) || isnan(stolen) || isnan(busy))
        return NAN;
    /* the machine's figures are in steps of 10 ms, and may lag */
    double estimate = stolen > 0 && own > 0 ? own * stolen / fmax(busy, own) : 0;
    return fmax(fmin(estimate, others), 0);
}

double pit__stolen_share(const pit_run *run)
{
    if (run->sample_count < 2)
        return NAN;
    /* the figures of a point are from its last reading, taken when the next point began */
    uint64_t begin = run->samples[run->sample_stride > 1].ticks;
    double passed_ns = ((double)run->newest.ticks - (double)begin) * run->ns_per_tick;
    return pit__stolen_between(run, &run->samples[0], &run->newest, passed_ns) / passed_ns;
}
