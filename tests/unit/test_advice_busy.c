/* The course of iterations without the waits for a processor: a run made by hand, with the readings that
 * the sampler would have left. Ticks are nanoseconds. */
#include "check.h"

#include "model/advice_case.h"

#include <math.h>

#define MS 1000000ull

enum { ITERATIONS = 400, READINGS = 1000 };

static pit_event events[3 * ITERATIONS];
static uint64_t values[READINGS];
static pit_sample samples[READINGS];
static pit_channel channel = {.key = "run_delay_ns"};
static pit_raw_node nodes[] = {{.name = "step", .parent = PIT_NO_NODE},
                               {.name = "forward", .parent = 0},
                               {.name = "backward", .parent = 0}};
static pit_thread thread = {.nodes = nodes, .node_count = 3, .events = events};
static pit_run run;
static uint32_t state;

static double random_share(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / 16777216;
}

/* A step works for so long; in the run's second half as well as in its first it waits for `waits(i)` of
 * the time, and the sampler reads ten times a second. */
static struct pit__case made(double (*work_ms)(size_t), double (*waits)(size_t))
{
    struct pit__case all = {.has_course = 1, .warmup = {.ends_at = 1}};
    double now = 0, waited = 0, total = 0;
    size_t readings = 0;
    state = 11;
    thread.event_count = 0;
    for (size_t i = 0; i < ITERATIONS; i++) {
        double each = work_ms(i) * (0.9 + 0.2 * random_share());
        double wait = each * waits(i) / (1 - waits(i)) * 2 * random_share();
        uint64_t begin = (uint64_t)(now * MS), half = (uint64_t)((each + wait) / 2 * MS);
        events[thread.event_count++] = (pit_event){1, 2, begin, half};
        events[thread.event_count++] = (pit_event){2, 2, begin + half, half};
        events[thread.event_count++] = (pit_event){0, 1, begin, 2 * half};
        now += each + wait;
        waited += wait;
        total += each + wait;
        for (; readings < READINGS && (double)readings * 100 < now; readings++) {
            double since = now - (double)readings * 100; /* waits are even along an iteration */
            values[readings] = (uint64_t)((waited - wait * since / (each + wait)) * MS);
            samples[readings] = (pit_sample){readings * 100 * MS, &values[readings]};
        }
    }
    nodes[0].total = (uint64_t)(total * MS);
    nodes[1].total = nodes[2].total = nodes[0].total / 2;
    run = (pit_run){.ns_per_tick = 1,
                    .channels = &channel,
                    .channel_count = 1,
                    .samples = samples,
                    .sample_count = readings,
                    .sample_stride = 1,
                    .newest = samples[readings - 1],
                    .has_samples = 1};
    struct pit__series series = {
        .count = ITERATIONS, .is_events = 1, .run = &run, .thread = &thread, .node = 0};
    REQUIRE(pit__see_through(&series, &all) == 0);
    return all;
}

static double even(size_t i)
{
    return i < ITERATIONS ? 20 : 0;
}
static double stepped(size_t i)
{
    return i < ITERATIONS / 2 ? 10 : 40;
}
static double growing(size_t i)
{
    return 10 + 30 * (double)i / ITERATIONS;
}
static double always(size_t i)
{
    return i < ITERATIONS ? 0.6 : 0;
}
static double later(size_t i)
{
    return i < ITERATIONS / 2 ? 0.1 : 0.75;
}

TEST(a_step_in_the_work_is_seen_through_waits)
{
    struct pit__case all = made(stepped, always);
    CHECK(all.fair.blocks >= 20);
    CHECK_NEAR(all.fair.step_up, 4, 0.6);
    CHECK_NEAR(all.fair.step_from, 0.01, 0.002);
    CHECK(all.fair.above > 0.4 && all.fair.above < 0.8);
}

TEST(waits_that_begin_later_are_no_slowdown)
{
    struct pit__case all = made(even, later);
    CHECK(all.fair.blocks >= 20);
    CHECK(!(all.fair.step_up > 1.3));
    CHECK(!(all.fair.drift > 0.3));
}

TEST(work_that_grows_drifts)
{
    struct pit__case all = made(growing, always);
    CHECK(!(all.fair.step_up > 1));
    CHECK(all.fair.drift > 0.6);
}

static double seldom(size_t i)
{
    return i < ITERATIONS ? 0.2 : 0;
}
static double first_long(size_t i)
{
    return i == 0 ? 2000 : 20;
}
static double at_first(size_t i)
{
    return i == 0 ? 0.9 : 0.1;
}

TEST(a_first_iteration_is_judged_without_its_waits)
{
    CHECK_NEAR(made(first_long, always).fair.warming, 0.2, 0.05);
    CHECK(made(even, at_first).fair.warming < 0.05);
}

static double some_later(size_t i)
{
    return i >= ITERATIONS / 2 && i % 3 ? 12 : 3;
}

TEST(what_leaves_the_shortest_as_they_were_may_be_waits_of_other_threads)
{
    struct pit__case all = made(some_later, seldom);
    CHECK(isnan(all.fair.step_up));
    CHECK(isnan(all.fair.drift));
}

TEST(parts_of_the_same_length_vary_together)
{
    CHECK(made(even, always).together > 1);
    CHECK(made(stepped, always).together < 3); /* most of that is its stretches */
}

TEST(without_readings_nothing_is_known)
{
    struct pit__case all = made(even, always);
    struct pit__series series = {.count = ITERATIONS, .is_events = 1, .run = &run, .node = 0};
    CHECK(pit__see_through(&series, &all) == 0 && all.fair.blocks == 0 && isnan(all.together));
    series.thread = &thread;
    run.sample_count = 1;
    CHECK(pit__see_through(&series, &all) == 0 && all.fair.blocks == 0);
    run.has_samples = 0;
    CHECK(pit__see_through(&series, &all) == 0 && isnan(all.fair.drift));
}
