/* sampled_run.h: a run made by hand whose sampler read how the main thread was scheduled. */
#ifndef PIT_SAMPLED_RUN_H
#define PIT_SAMPLED_RUN_H

#include "made_run.h"

enum { MAIN, DELAY, STOLEN, BUSY, KEYS };

/* The last reading is the newest. */
static inline pit_run sampled_run(const pit_sample *samples, size_t count)
{
    static const pit_channel channels[KEYS] = {
        {.key = "main_cpu_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
        {.key = "run_delay_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
        {.key = "stolen_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
        {.key = "busy_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
    };
    pit_run run = made_run(NULL, 0);
    run.has_samples = 1;
    run.channels = channels;
    run.channel_count = KEYS;
    run.samples = samples;
    run.sample_count = count;
    run.sample_stride = 1;
    run.newest = samples[count - 1];
    return run;
}

#endif
