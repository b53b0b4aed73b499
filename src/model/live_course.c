/* live_course.c: the curves of a live screen: durations of a node, and memory. */
#include "live_tree.h"

#include <math.h>

#define THREADS_READ 8 /* per node: the series of one thread takes 4 kB */
#define COLUMNS_MOST 512

/* The column of a time since the run's start. */
static size_t column_of(uint64_t since, uint64_t length, size_t columns)
{
    double share = length ? (double)since / (double)length : 0;
    size_t column = (size_t)(share * (double)columns);
    return column < columns ? column : columns - 1;
}

void pit__live_course(const struct pit__live *live, pit_watch *watch, uint32_t node, double *means,
                      size_t columns)
{
    double counts[COLUMNS_MOST] = {0}, totals[COLUMNS_MOST] = {0};
    const pit_run *run = pit_watch_run(watch);
    uint64_t length = run->end_ticks - run->start_ticks, raw = live->nodes[node].first_raw;
    if (columns > COLUMNS_MOST)
        columns = COLUMNS_MOST;
    for (int left = THREADS_READ; left > 0 && raw != PIT__NO_RAW;) {
        size_t thread = (size_t)(raw >> 32), index = (uint32_t)raw, count = 0;
        const struct pit__live_raw *own = &live->maps[thread].raw[index];
        raw = own->next;
        if (live->thread != PIT__ALL_THREADS && live->thread != thread)
            continue;
        left--;
        const pit_series_bin *bins = pit_watch_series(watch, thread, index, &count);
        for (size_t i = 0; i < count; i++) {
            size_t at = column_of(bins[i].start + bins[i].width / 2, length, columns);
            counts[at] += (double)bins[i].count;
            totals[at] += (double)bins[i].total;
        }
    }
    for (size_t i = 0; i < columns; i++)
        means[i] = counts[i] > 0 ? totals[i] / counts[i] * run->ns_per_tick : NAN;
}

static void put_rss(const pit_run *run, const pit_sample *sample, double *bytes, size_t columns)
{
    double rss = pit_sample_figure(run, sample, "rss_max_bytes");
    if (isnan(rss))
        rss = pit_sample_figure(run, sample, "rss_bytes");
    if (isnan(rss) || sample->ticks < run->start_ticks)
        return;
    size_t at =
        column_of(sample->ticks - run->start_ticks, run->end_ticks - run->start_ticks, columns);
    bytes[at] = fmax(bytes[at], rss); /* fmax ignores NaN */
}

double pit__live_rss(const pit_run *run, double *bytes, size_t columns)
{
    double most = NAN;
    for (size_t i = 0; i < columns; i++)
        bytes[i] = NAN;
    for (size_t i = 0; columns && i < run->sample_count; i++)
        put_rss(run, &run->samples[i], bytes, columns);
    if (columns && run->has_samples)
        put_rss(run, &run->newest, bytes, columns);
    for (size_t i = 0; i < columns; i++) {
        /* the last reading is still valid */
        if (isnan(bytes[i]) && i > 0)
            bytes[i] = bytes[i - 1];
        most = fmax(most, bytes[i]);
    }
    return most;
}

double pit__live_newest(const pit_run *run, const char *key)
{
    return run->has_samples ? pit_sample_figure(run, &run->newest, key) : NAN;
}

uint64_t pit__live_limit(const pit_run *run)
{
    return run->cgroup_limit < run->machine_bytes ? run->cgroup_limit : run->machine_bytes;
}
