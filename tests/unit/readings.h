/* readings.h: readings of the sampler made by hand, with the channels that every run has. */
#ifndef PIT_TEST_READINGS_H
#define PIT_TEST_READINGS_H

#include "pitwall_report.h"

/* One word for each channel, in the order of reading_channels. */
struct reading {
    uint64_t rss, rss_max, cpu_ns, threads, minor_faults, major_faults, switches, forced_switches;
    uint64_t read_bytes, write_bytes, available, cgroup_used, pressure;
};

static const pit_channel reading_channels[] = {
    {.key = "rss_bytes", .unit = "bytes", .per_unit = 1},
    {.key = "rss_max_bytes", .unit = "bytes", .per_unit = 1},
    {.key = "cpu_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
    {.key = "threads", .unit = "", .per_unit = 1},
    {.key = "minor_faults", .unit = "", .per_unit = 1, .is_counter = 1},
    {.key = "major_faults", .unit = "", .per_unit = 1, .is_counter = 1},
    {.key = "switches", .unit = "", .per_unit = 1, .is_counter = 1},
    {.key = "forced_switches", .unit = "", .per_unit = 1, .is_counter = 1},
    {.key = "read_bytes", .unit = "bytes", .per_unit = 1, .is_counter = 1},
    {.key = "write_bytes", .unit = "bytes", .per_unit = 1, .is_counter = 1},
    {.key = "available_bytes", .unit = "bytes", .per_unit = 1},
    {.key = "cgroup_used_bytes", .unit = "bytes", .per_unit = 1},
    {.key = "memory_pressure", .unit = "share", .per_unit = 10000},
};
#define READING_CHANNELS (sizeof reading_channels / sizeof reading_channels[0])
_Static_assert(sizeof(struct reading) == READING_CHANNELS * sizeof(uint64_t), "a word a channel");

/* Set `samples` of a run, all with these channels; the last one is also the newest. */
static inline void set_readings(pit_run *run, const pit_sample *samples, size_t count,
                                uint64_t stride)
{
    run->channels = reading_channels;
    run->channel_count = READING_CHANNELS;
    run->samples = samples;
    run->sample_count = count;
    run->sample_stride = stride;
    run->newest = samples[count - 1];
    run->has_samples = 1;
}

static inline pit_sample as_sample(uint64_t ticks, const struct reading *reading)
{
    return (pit_sample){ticks, &reading->rss};
}

#endif
