/* Time in which a whole program was stopped from outside. */
#include "check.h"

#include "model/run_stopped.h"
#include "sampled_run.h"

#include <math.h>

#define MS ((uint64_t)1000000u)
#define READINGS 40

/* What happened in the tenth gap between readings; all others are 100 ms long. */
struct gap {
    uint64_t ms, main, delay, stolen;
};

static uint64_t values[READINGS][KEYS];
static pit_sample samples[READINGS];

/* The share of the time, if the main thread works for `main` of every 100 ms. */
static double share_of(uint64_t main, struct gap odd)
{
    uint64_t at = 1000;
    for (int i = 0; i < READINGS; i++) {
        struct gap gap = i == 10 ? odd : (struct gap){100, main, 0, 0};
        uint64_t grown[KEYS] = {gap.main, gap.delay, gap.stolen, gap.main};
        for (int k = 0; k < KEYS; k++)
            values[i][k] = i == 0 ? 0 : values[i - 1][k] + grown[k] * MS;
        at += i == 0 ? 0 : gap.ms * MS;
        samples[i] = (pit_sample){at, values[i]};
    }
    pit_run run = sampled_run(samples, READINGS);
    return pit__stopped_share(&run);
}

TEST(a_program_without_long_gaps_was_not_stopped)
{
    CHECK(share_of(100, (struct gap){100, 100, 0, 0}) == 0);
    CHECK(share_of(0, (struct gap){100, 0, 0, 0}) == 0);
}

TEST(a_gap_in_which_nothing_ran_is_a_stop)
{
    double all = 38 * 0.1 + 2.6;
    CHECK_NEAR(share_of(100, (struct gap){2600, 100, 0, 0}), 2.5 / all, 1e-9);
    /* after the stop it had to wait for a processor, and so had the sampler */
    CHECK_NEAR(share_of(100, (struct gap){2600, 100, 500, 0}), 2.0 / all, 1e-9);
}

TEST(a_late_sampler_of_a_program_that_works_is_no_stop)
{
    CHECK(share_of(100, (struct gap){2600, 2600, 0, 0}) == 0);
    CHECK(share_of(100, (struct gap){2600, 1600, 0, 0}) == 0);   /* and waited for a second of it */
    CHECK(share_of(100, (struct gap){2600, 100, 2500, 0}) == 0); /* both waited for a processor */
    CHECK(share_of(100, (struct gap){2600, 1300, 0, 1300}) == 0); /* the host had it */
}

TEST(a_late_sampler_of_a_program_that_waits_is_no_stop)
{
    CHECK(share_of(10, (struct gap){2600, 0, 0, 0}) == 0);
}

TEST(a_point_of_several_readings_contains_a_stop_and_work)
{
    for (int i = 0; i < READINGS;
         i++) { /* points of a second: each has the figures of its last reading */
        values[i][MAIN] = (uint64_t)(i + 1) * 1000 * MS;
        values[i][DELAY] = values[i][STOLEN] = values[i][BUSY] = 0;
        samples[i] = (pit_sample){(uint64_t)(i + (i > 10 ? 5 : 0)) * 1000 * MS, values[i]};
    }
    pit_run run = sampled_run(samples, READINGS - 1);
    run.sample_stride = 8;
    run.newest = (pit_sample){samples[READINGS - 1].ticks, values[READINGS - 2]};
    CHECK_NEAR(pit__stopped_share(&run), 5.0 / ((double)run.newest.ticks / 1e9 - 1), 1e-9);
}

TEST(what_was_not_read_is_not_known)
{
    (void)share_of(100, (struct gap){2600, 100, 0, 0});
    pit_run run = sampled_run(samples, 3); /* too few */
    CHECK(isnan(pit__stopped_share(&run)));
    values[11][DELAY] = PIT_UNKNOWN;
    run = sampled_run(samples, READINGS);
    CHECK(isnan(pit__stopped_share(&run)));
}
