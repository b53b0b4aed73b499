/* See run_stopped.h. */
#include "run_stopped.h"

#include "run_stolen.h"

#include "analysis/order_stats.h"

#include <math.h>
#include <stdlib.h>

#define LEAST_NS 0.4e9 /* a shorter gap between readings can be a late sampler */
#define LEAST_GAPS 4   /* times the usual gap */
#define IDLE_LEAST 0.6 /* share of the additional time in which the main thread was idle */
#define WORKS 0.5      /* share of the rest in which it worked */
#define READINGS 4     /* with fewer, no gap is usual */

struct gap {
    double ns;   /* between two readings */
    double idle; /* of these, the main thread neither ran nor was ready to run */
};

/* A point has the figures of its last reading, made when the next point began. */
static uint64_t ticks_of(const pit_run *run, size_t i)
{
    i += run->sample_stride > 1;
    return i < run->sample_count ? run->samples[i].ticks : run->newest.ticks;
}

static struct gap gap_after(const pit_run *run, size_t i)
{
    const pit_sample *from = &run->samples[i];
    const pit_sample *to = i + 1 < run->sample_count ? &run->samples[i + 1] : &run->newest;
    uint64_t end = i + 1 < run->sample_count ? ticks_of(run, i + 1) : run->newest.ticks;
    double ns = ((double)end - (double)ticks_of(run, i)) * run->ns_per_tick;
    double used =
        pit_sample_figure(run, to, "main_cpu_ns") - pit_sample_figure(run, from, "main_cpu_ns") +
        pit_sample_figure(run, to, "run_delay_ns") - pit_sample_figure(run, from, "run_delay_ns");
    double stolen = pit__stolen_between(run, from, to, ns);
    double idle = ns - used - (stolen > 0 ? stolen : 0);
    return (struct gap){ns, idle < 0 ? 0 : idle};
}

static double usual(const struct gap *gaps, size_t count)
{
    double *ns = malloc(count * sizeof *ns), middle = NAN;
    for (size_t i = 0; ns && i < count; i++)
        ns[i] = gaps[i].ns;
    if (ns)
        middle = pit__median(ns, count);
    free(ns);
    return middle;
}

static double share_of(const struct gap *gaps, size_t count)
{
    double least = usual(gaps, count), stopped = 0, whole = 0, idle = 0;
    for (size_t i = 0; i < count; i++) {
        double more = gaps[i].ns - least;
        if (gaps[i].ns > fmax(LEAST_NS, LEAST_GAPS * least) && gaps[i].idle > IDLE_LEAST * more)
            stopped += fmin(more, gaps[i].idle);
        whole += gaps[i].ns;
        idle += gaps[i].idle;
    }
    double rest = whole - stopped;
    return isnan(least) || isnan(idle) || !(rest > 0) ? NAN
           : idle - stopped < (1 - WORKS) * rest      ? stopped / whole
                                                      : 0;
}

double pit__stopped_share(const pit_run *run)
{
    size_t count = run->sample_count;
    struct gap *gaps = count >= READINGS ? malloc(count * sizeof *gaps) : NULL;
    if (!gaps)
        return NAN;
    for (size_t i = 0; i < count; i++)
        gaps[i] = gap_after(run, i);
    double share = share_of(gaps, count);
    free(gaps);
    return share;
}
