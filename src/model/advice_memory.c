/* advice_memory.c: how a program's memory developed, for the advice rules. See advice_case.h. */
#include "advice_case.h"

#include <math.h>

#define LOADING_NS 10e9 /* a run without iterations may take this long to load */
#define FIRST_PARTS 10 /* the first of this many parts of the iterations is loading and compiling */
#define GROWS_NS 1.5e9 /* growth is not judged over a shorter time */
#define SHORT_NS 10e9  /* in a shorter time, a few jumps are a table that was enlarged */
#define BRIEF_NS 0.8e9 /* shorter limit, for a run that grows much and with nearly every reading */
#define BRIEF_RISES 0.8  /* share of the readings that rise, for the shorter limit */
#define BRIEF_GROWN 0.25 /* growth as a share of the memory, for the shorter limit */
#define BRIEF_CALL 0.2   /* the longest iteration's share of that time, for the shorter limit */
#define BRIEF_READINGS 6 /* readings, for the shorter limit */
#define JUMPS 5          /* rising readings that are more than a few */
#define PLAIN_START 4    /* a run without iterations: the first of this many parts loads */
#define PLAIN_NS 1e9     /* the shortest time in which its growth is judged */
#define PLAIN_END 0.8    /* it holds the most after this share of the run */
#define PLAIN_GROWN 0.5  /* growth as a share of the memory */
#define PLAIN_LEAST 64e6 /* bytes */

/* Without iterations: the last reading of the most memory. After it, the program cleans up. */
static double holds_most(const pit_run *run)
{
    double held = 0, at = run->duration_ns;
    for (size_t i = 0; i < run->sample_count; i++) {
        double bytes = pit_sample_figure(run, &run->samples[i], "rss_bytes");
        if (!(bytes >= held))
            continue;
        held = bytes;
        at = ((double)run->samples[i].ticks - (double)run->start_ticks) * run->ns_per_tick;
    }
    return at;
}

/* The time from the end of the first iterations to the end of the last one, in nanoseconds since the run's
 * start. Before it the program loads, after it the program cleans up. Calls that the flight recorder
 * dropped are older than all that it holds. */
static void find_window(const struct pit__case *all, const pit_run *run, double window[2])
{
    uint32_t node = 0;
    const pit_thread *thread =
        all->unit == PIT__NO_PART ? NULL : pit__thread_of(run, all->parts[all->unit].path, &node);
    int is_plain = !thread && run->duration_ns < 2 * LOADING_NS;
    window[0] = is_plain ? run->duration_ns / PLAIN_START : LOADING_NS;
    window[1] = is_plain ? holds_most(run) : run->duration_ns;
    if (!thread)
        return;
    uint64_t passed = thread->nodes[node].count, seen = 0, first = run->start_ticks, last = 0;
    uint64_t left = passed > FIRST_PARTS ? passed / FIRST_PARTS : 1;
    for (size_t i = 0; i < thread->event_count; i++) {
        if (thread->events[i].node != node)
            continue;
        last = thread->events[i].begin + thread->events[i].duration;
        if (++seen <= left)
            first = last;
    }
    int is_going = thread->open_count > 0; /* open spans are still work */
    window[0] = ((double)first - (double)run->start_ticks) * run->ns_per_tick;
    if (last > first && !is_going)
        window[1] = ((double)last - (double)run->start_ticks) * run->ns_per_tick;
}

/* How many readings of an interval are above the previous one, and the number of readings. */
static size_t rises(const pit_run *run, const double window[2], size_t *readings)
{
    size_t count = 0;
    *readings = 0;
    for (size_t i = 1; i < run->sample_count; i++) {
        double at = ((double)run->samples[i].ticks - (double)run->start_ticks) * run->ns_per_tick;
        *readings += at > window[0] && at <= window[1];
        count += at > window[0] && at <= window[1] &&
                 pit_sample_figure(run, &run->samples[i], "rss_bytes") >
                     pit_sample_figure(run, &run->samples[i - 1], "rss_bytes");
    }
    return count;
}

static double held_at(const pit_run *run, double at_ns)
{
    double held = NAN;
    for (size_t i = 0; i < run->sample_count; i++) {
        double time = ((double)run->samples[i].ticks - (double)run->start_ticks) * run->ns_per_tick;
        if (time <= at_ns || isnan(held))
            held = pit_sample_figure(run, &run->samples[i], "rss_bytes");
    }
    return held;
}

/* Is the interval long enough for its evidence? A table that is enlarged grows in a few jumps, or in one
 * call. */
static int is_long_enough(const pit_run *run, const struct pit__case *all, const double window[2],
                          double length, const struct pit__growth *growth)
{
    size_t readings, up = rises(run, window, &readings);
    double held = held_at(run, window[1]);
    double call = all->unit == PIT__NO_PART ? INFINITY : all->parts[all->unit].longest * 1e9;
    /* a program may also load for this long, or fill a table once: it must grow all the time, to its end */
    if (all->unit == PIT__NO_PART && window[0] < LOADING_NS)
        return length > PLAIN_NS && window[1] > PLAIN_END * run->duration_ns && up > JUMPS &&
               growth->change > PLAIN_GROWN * held && growth->change > PLAIN_LEAST;
    if (length < GROWS_NS)
        return length > BRIEF_NS && call < BRIEF_CALL * (window[1] - window[0]) &&
               readings >= BRIEF_READINGS && (double)up > BRIEF_RISES * (double)readings &&
               growth->change > BRIEF_GROWN * held;
    return length >= SHORT_NS || up > JUMPS;
}

/* Did memory grow, and also in the second half? Memory that fills up and stays is not a leak. */
static int grows_on(const pit_run *run, const struct pit__case *all, const double window[2],
                    struct pit__growth *growth)
{
    struct pit__growth later;
    double delayed = all->around.delayed;
    int code = pit__growth_between(run, window[0], window[1], growth);
    /* a program that waits for a processor does the work of a shorter time */
    double length = (window[1] - window[0]) * (1 - (delayed > 0 ? fmin(delayed, 1) : 0));
    if (code > 0 && !is_long_enough(run, all, window, length, growth)) {
        growth->slope = NAN; /* whether it would continue is unknown */
        code = 0;
    }
    if (code > 0)
        code = pit__growth_between(run, (window[0] + window[1]) / 2, window[1], &later);
    return code;
}

int pit__set_memory(const pit_run *const *runs, size_t run_count, struct pit__advice_case *made)
{
    struct pit__case *all = &made->all;
    double most = -1;
    all->growth_a_minute = all->held = all->held_at_first = all->limit = NAN;
    for (size_t r = 0; r < run_count; r++) {
        struct pit__growth growth;
        double window[2];
        find_window(all, runs[r], window);
        int code = grows_on(runs[r], all, window, &growth);
        double change = code > 0 ? growth.change : 0;
        if (code < 0)
            return code;
        if (!(change > most))
            continue;
        most = change; /* use the run that grows most */
        all->is_growing = code;
        all->grown = change;
        all->growth_a_minute = growth.slope * 60e9;
        all->held = held_at(runs[r], window[1]);
        /* importing a framework takes some hundred megabytes */
        all->held_at_first =
            held_at(runs[r], all->told.framework && all->before > 0 ? all->before * 1e9 : 0);
        pit__run_memory_free(&made->memory);
        code = pit__run_memory_make(runs[r], &made->memory);
        if (code)
            return code;
        all->limit = pit__memory_limit(&made->memory.last);
        all->grows_in =
            made->memory.where.length > 0 ? pit__text_string(&made->memory.where) : NULL;
    }
    return 0;
}
