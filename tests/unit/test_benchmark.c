/* A function's benchmark: what is timed and what is not, figures by their definitions, the resolution,
 * what lands in the run, and the printed forms. */
#include "check.h"

#include <pitwall_bench.h>

#include <math.h>
#include <time.h>

static double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void spin(double seconds)
{
    double end = now_seconds() + seconds;
    while (now_seconds() < end)
        ;
}

static void do_nothing(void *argument)
{
    (void)argument;
}

struct counts {
    int calls, setups, teardowns;
    int bad_order;
};

static void count_call(void *argument)
{
    struct counts *c = argument;
    c->calls++;
    c->bad_order |= c->setups != c->teardowns + 1;
    spin(20e-6);
}

static void count_setup(void *argument)
{
    struct counts *c = argument;
    c->setups++;
    spin(400e-6);
}

static void count_teardown(void *argument)
{
    struct counts *c = argument;
    c->teardowns++;
    spin(400e-6);
}

static void sleep_2ms(void *argument)
{
    (void)argument;
    nanosleep(&(struct timespec){0, 2000000}, NULL);
}

static void spin_100us(void *argument)
{
    (void)argument;
    spin(100e-6);
}

/* A chain of multiplications: some ten nanoseconds that no processor can hide. */
static void multiply_chain(void *argument)
{
    double *x = argument, y = *x;
    for (int i = 0; i < 16; i++)
        y = y * 1.0000001;
    *x = y;
    PIT_USE(y);
}

static void printed(char *text, size_t room, const char *name, const pit_bench_result *r,
                    int percentiles, enum pit_form form)
{
    FILE *out = fmemopen(text, room, "w");
    REQUIRE(out);
    CHECK_INT(pit_bench_print(out, name, r, percentiles, form), 0);
    fclose(out);
}

TEST(an_empty_function_reads_under_a_nanosecond_and_says_that_it_is_at_the_resolution)
{
    pit_bench_result r;
    REQUIRE(pit_bench(do_nothing, NULL, NULL, &r) == 0);
    CHECK(r.at_resolution);
    CHECK(r.median <= r.resolution && r.resolution > 0);
    if (!getenv("PITWALL_EMULATED")) /* an emulator's calls are not this processor's */
        CHECK(r.median < 1e-9);
    CHECK(r.iterations > 100 && r.trials >= 100);
    CHECK(isfinite(r.samples_per_second) && r.samples_per_second <= 1.001 / r.resolution);
    char text[1024] = "";
    printed(text, sizeof text, "Empty", &r, 1, PIT_TEXT);
    CHECK(strstr(text, "at or below the resolution of ") && strstr(text, " ns\n"));
    CHECK(!strstr(text, "0.000"));
    memset(text, 0, sizeof text);
    printed(text, sizeof text, "Empty", &r, 1, PIT_MARKDOWN);
    CHECK(strstr(text, "at or below the resolution of ") && !strstr(text, "0.000"));
    pit_bench_free(&r);
    CHECK(!r.times && r.trials == 0);
}

TEST(a_fast_function_is_told_from_nothing)
{
    double x = 1;
    pit_bench_result r;
    REQUIRE(pit_bench(multiply_chain, &x, NULL, &r) == 0);
    CHECK(!r.at_resolution && r.median > r.resolution && r.median < 1e-6);
    CHECK(r.iterations > 1);
    char text[1024] = "";
    printed(text, sizeof text, "Chain", &r, 0, PIT_TEXT);
    CHECK(strstr(text, " ns\n") && !strstr(text, " 0.000"));
    pit_bench_free(&r);
}

TEST(setup_and_teardown_are_outside_the_clock_and_each_call_has_its_own)
{
    struct counts c = {0};
    pit_bench_options options = {.warmup = 3,
                                 .trials = 30,
                                 .min_seconds = -1,
                                 .setup = count_setup,
                                 .teardown = count_teardown};
    pit_bench_result r;
    REQUIRE(pit_bench(count_call, &c, &options, &r) == 0);
    CHECK_INT(r.trials, 30);
    CHECK_INT(r.iterations, 1);
    CHECK_INT(c.calls, 33 + r.interrupted);
    CHECK_INT(c.setups, c.calls);
    CHECK_INT(c.teardowns, c.calls);
    CHECK(!c.bad_order);
    CHECK(r.min >= 19e-6 && r.min < 400e-6);
    pit_bench_free(&r);
}

TEST(warm_up_can_be_none_and_trials_are_as_asked_for)
{
    struct counts c = {0, 1, 0, 0};
    pit_bench_options options = {
        .warmup = PIT_BENCH_NONE, .trials = 7, .min_seconds = -1, .iterations = 3};
    pit_bench_result r;
    REQUIRE(pit_bench(count_call, &c, &options, &r) == 0);
    CHECK_INT(c.calls, 21 + 3 * r.interrupted);
    CHECK_INT(r.trials, 7);
    CHECK_INT(r.iterations, 3);
    CHECK(r.too_few);
    CHECK_NEAR(r.total, 21 * r.mean, 1e-12);
    pit_bench_free(&r);
}

TEST(figures_are_those_of_the_trials)
{
    pit_bench_options options = {.trials = 60, .min_seconds = -1, .batch = 32};
    pit_bench_result r;
    REQUIRE(pit_bench(spin_100us, NULL, &options, &r) == 0);
    double sum = 0, squares = 0, least = INFINITY, most = 0;
    size_t below_median = 0, below_p95 = 0;
    for (size_t i = 0; i < r.trials; i++) {
        sum += r.times[i];
        least = fmin(least, r.times[i]);
        most = fmax(most, r.times[i]);
        below_median += r.times[i] < r.median;
        below_p95 += r.times[i] < r.p95;
    }
    double mean = sum / 60;
    for (size_t i = 0; i < r.trials; i++)
        squares += (r.times[i] - mean) * (r.times[i] - mean);
    CHECK_NEAR(r.mean, mean, 1e-12);
    CHECK_NEAR(r.std, sqrt(squares / 60), 1e-12);
    CHECK(r.min == least && r.max == most);
    CHECK(below_median <= 30 && below_p95 <= 57); /* those equal to it are not below */
    CHECK(below_median >= 10 && below_p95 > below_median);
    CHECK(r.median <= r.p95 && r.p95 <= r.p99 && r.p99 <= r.max);
    CHECK_NEAR(r.samples_per_second * r.mean, 32, 1e-9);
    CHECK(r.min > 99e-6);
    CHECK(r.too_few); /* 60 trials of under 1 ms */
    pit_bench_free(&r);
}

TEST(processor_time_is_not_wall_time)
{
    pit_bench_options options = {.trials = 10, .min_seconds = -1};
    pit_bench_result slept, spun;
    REQUIRE(pit_bench(sleep_2ms, NULL, &options, &slept) == 0);
    REQUIRE(pit_bench(spin_100us, NULL, &options, &spun) == 0);
    CHECK(slept.min >= 1.9e-3 && slept.cpu_mean < 0.5e-3);
    CHECK(spun.cpu_mean > 50e-6);
    pit_bench_free(&slept);
    pit_bench_free(&spun);
}

TEST(it_goes_on_for_the_least_time_and_stops_at_the_most)
{
    pit_bench_options options = {.warmup = 1, .trials = 2, .min_seconds = 0.02};
    pit_bench_result r;
    REQUIRE(pit_bench(spin_100us, NULL, &options, &r) == 0);
    CHECK(r.trials > 2 && r.total > 0.015);
    pit_bench_free(&r);
    options = (pit_bench_options){.trials = 1000000, .max_seconds = 0.02};
    double begin = now_seconds();
    REQUIRE(pit_bench(sleep_2ms, NULL, &options, &r) == 0);
    CHECK(r.trials >= 1 && r.trials < 20 && now_seconds() - begin < 5);
    pit_bench_free(&r);
}

static int waits;

static int wait_for_it(void *arg)
{
    (void)arg;
    waits++;
    return 0;
}

TEST(the_device_is_waited_for_only_where_it_is_asked_for)
{
    static const pit_device device = {.name = "made up", .wait = wait_for_it};
    pit_set_device(&device);
    pit_bench_options options = {
        .warmup = PIT_BENCH_NONE, .trials = 5, .min_seconds = -1, .iterations = 1};
    pit_bench_result r;
    REQUIRE(pit_bench(spin_100us, NULL, &options, &r) == 0);
    CHECK_INT(waits, 0);
    pit_bench_free(&r);
    options.wait = 1;
    REQUIRE(pit_bench(spin_100us, NULL, &options, &r) == 0);
    CHECK_INT(waits, 2 * (5 + r.interrupted));
    pit_bench_free(&r);
}

static double figure(const pit_entry *entry, const char *key)
{
    for (size_t i = 0; i < entry->figure_count; i++)
        if (strcmp(entry->figures[i].key, key) == 0)
            return entry->figures[i].value;
    return NAN;
}

TEST(the_results_land_in_the_run)
{
    pit_options in_memory = {.in_memory = 1, .sample_hz = -1};
    REQUIRE(pit_open(NULL, &in_memory) == 0);
    pit_bench_options options = {
        .name = "step", .trials = 20, .min_seconds = -1, .iterations = 2, .batch = 8};
    pit_bench_result r;
    REQUIRE(pit_bench(spin_100us, NULL, &options, &r) == 0);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run);
    const pit_run *runs[] = {run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree);
    const pit_node *node = NULL, *warm = NULL;
    for (size_t i = 0; i < tree->node_count; i++) {
        if (strcmp(tree->nodes[i].path, "step") == 0)
            node = &tree->nodes[i];
        if (strcmp(tree->nodes[i].path, "step warm-up") == 0)
            warm = &tree->nodes[i];
    }
    REQUIRE(node && warm);
    CHECK_INT(node->count, 20 + r.interrupted);
    CHECK_INT(node->items, (20 + r.interrupted) * 2 * 8);
    CHECK(node->min_ns > 198e3 && node->p95_ns >= node->p50_ns);
    CHECK_INT(warm->count, 1);
    REQUIRE(run->journal_count == 1);
    CHECK_STR(run->journal[0].kind, "benchmark");
    CHECK_STR(run->journal[0].text, "step");
    CHECK(figure(&run->journal[0], "mean") == r.mean);
    CHECK(figure(&run->journal[0], "p99") == r.p99);
    CHECK(figure(&run->journal[0], "trials") == 20);
    pit_tree_free(tree);
    pit_run_free(run);
    pit_bench_free(&r);
    pit_close();
}

static uint64_t steps_done, forecasts;

static void forecast(void *argument, uint64_t steps)
{
    (void)argument;
    forecasts++;
    steps_done += steps;
    for (uint64_t i = 0; i < steps; i++)
        spin(12e-6);
}

TEST(a_forecast_is_timed_by_single_steps_and_by_trajectories)
{
    pit_forecast_options options = {.steps = 20, .trials = 10, .warmup_trials = 2};
    pit_bench_result single, full;
    REQUIRE(pit_bench_forecast(forecast, NULL, &options, &single, &full) == 0);
    CHECK_INT(single.trials, 10);
    CHECK_INT(full.trials, 10);
    CHECK(single.min > 11e-6 && full.min > 20 * 11e-6 && full.min < 60 * single.max);
    CHECK(steps_done > forecasts);
    pit_bench_free(&single);
    pit_bench_free(&full);
    REQUIRE(pit_bench_forecast(forecast, NULL, NULL, &single, &full) == 0);
    CHECK_INT(single.trials, 50);
    CHECK_INT(full.trials, 50);
    CHECK(full.min > 100 * 11e-6);
    pit_bench_free(&single);
    pit_bench_free(&full);
}

/* The sample of the timing utilities. */
static const pit_bench_result sample = {.mean = 2.345495e-3,
                                        .min = 2.123e-3,
                                        .max = 3.456e-3,
                                        .median = 2.3e-3,
                                        .p95 = 2.9e-3,
                                        .p99 = 3.4e-3,
                                        .samples_per_second = 1 / 2.345495e-3,
                                        .trials = 100,
                                        .iterations = 1,
                                        .resolution = 25e-9};

TEST(the_layout_is_the_documents_to_the_byte)
{
    char text[1024] = "";
    printed(text, sizeof text, "KAN", &sample, 0, PIT_TEXT);
    CHECK_STR(text, "KAN Inference Benchmark:\n"
                    "----------------------------------------\n"
                    "  Mean latency:        2.345 ms\n"
                    "  Min latency:         2.123 ms\n"
                    "  Max latency:         3.456 ms\n"
                    "  Throughput:          426.3 samples/sec\n"
                    "----------------------------------------\n");
}

TEST(small_figures_keep_their_digits_in_smaller_units)
{
    pit_bench_result small = sample;
    small.mean = 4.1234e-6, small.min = 4e-6, small.max = 5e-6;
    small.samples_per_second = 1 / small.mean;
    char text[1024] = "";
    printed(text, sizeof text, "KAN", &small, 0, PIT_TEXT);
    CHECK_STR(text, "KAN Inference Benchmark:\n"
                    "----------------------------------------\n"
                    "  Mean latency:        4.123 us\n"
                    "  Min latency:         4.000 us\n"
                    "  Max latency:         5.000 us\n"
                    "  Throughput:       242518.3 samples/sec\n"
                    "----------------------------------------\n");
    small.mean = 41.234e-9, small.min = 40e-9, small.max = 50e-9;
    memset(text, 0, sizeof text);
    printed(text, sizeof text, "KAN", &small, 0, PIT_TEXT);
    CHECK(strstr(text, "  Mean latency:       41.234 ns\n"));
}

TEST(percentiles_come_after_by_option)
{
    char text[1024] = "";
    printed(text, sizeof text, "KAN", &sample, 1, PIT_TEXT);
    CHECK(strstr(text, "  Throughput:          426.3 samples/sec\n"
                       "  p50 latency:         2.300 ms\n"
                       "  p95 latency:         2.900 ms\n"
                       "  p99 latency:         3.400 ms\n"));
}

TEST(few_trials_are_hinted_at_below_the_block)
{
    pit_bench_result few = sample;
    few.trials = 20;
    few.too_few = 1;
    char text[1024] = "";
    printed(text, sizeof text, "KAN", &few, 0, PIT_TEXT);
    CHECK(strstr(text, "----\n  20 trials are few: take 50 or more"));
}

TEST(the_other_forms_have_the_figures)
{
    char text[2048] = "";
    printed(text, sizeof text, "KAN", &sample, 0, PIT_JSON);
    CHECK(strstr(text, "\"mean_ms\": 2.345495") && strstr(text, "\"p99_ms\": 3.4"));
    CHECK(strstr(text, "\"at_resolution\": false") && strstr(text, "\"count\": 100"));
    memset(text, 0, sizeof text);
    printed(text, sizeof text, "KAN", &sample, 0, PIT_CSV);
    CHECK(strstr(text, "mean_ms") && strstr(text, "2.345495"));
    memset(text, 0, sizeof text);
    printed(text, sizeof text, "KAN", &sample, 0, PIT_MARKDOWN);
    CHECK(strstr(text, "| KAN | 2.345 ms |"));
}

TEST(arguments_out_of_their_range_are_refused)
{
    pit_bench_result r;
    CHECK_INT(pit_bench(NULL, NULL, NULL, &r), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_bench(do_nothing, NULL, NULL, NULL), PIT_BAD_ARGUMENT);
    pit_bench_options options = {.max_seconds = -1};
    CHECK_INT(pit_bench(do_nothing, NULL, &options, &r), PIT_BAD_ARGUMENT);
    pit_bench_result none = {0};
    CHECK_INT(pit_bench_print(stdout, "x", &none, 0, PIT_TEXT), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_bench_forecast(NULL, NULL, NULL, &r, &none), PIT_BAD_ARGUMENT);
    pit_bench_free(NULL);
}
