/* The benchmark of a function: what is timed and what is not, the definitions of its figures, the resolution,
 * the entries in the run, and the printed forms. */
#include "check.h"
#include "moved_clock.h"
#include "noise.h"

#include <pitwall_bench.h>

#include <math.h>
#include <pthread.h>
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

/* Work until this thread has used this much processor time, however long that takes. */
static void work(double seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    double end = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec + seconds;
    do
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((double)now.tv_sec + 1e-9 * (double)now.tv_nsec < end);
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
    move_clock(20e-6);
}

static void count_setup(void *argument)
{
    struct counts *c = argument;
    c->setups++;
    move_clock(400e-6);
}

static void count_teardown(void *argument)
{
    struct counts *c = argument;
    c->teardowns++;
    move_clock(400e-6);
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

static void work_100us(void *argument)
{
    (void)argument;
    work(100e-6);
}

/* Advance the clock by the next duration of a sequence. */
static void take_next(void *argument)
{
    const double **next = argument;
    move_clock(*(*next)++);
}

static void take_41ns(void *argument)
{
    (void)argument;
    move_clock(41e-9);
}

static void take_2ms(void *argument)
{
    (void)argument;
    move_clock(2e-3);
}

static void printed(char *text, size_t room, const char *name, const pit_bench_result *r,
                    int percentiles, enum pit_form form)
{
    FILE *out = fmemopen(text, room, "w");
    REQUIRE(out);
    CHECK_INT(pit_bench_print(out, name, r, percentiles, form), 0);
    fclose(out);
}

TEST(an_empty_function_is_at_the_resolution_and_says_so)
{
    use_moved_clock(20);
    pit_bench_options options = {.min_seconds = -1};
    pit_bench_result r;
    REQUIRE(pit_bench(do_nothing, NULL, &options, &r) == 0);
    CHECK(r.at_resolution);
    CHECK_NEAR(r.resolution, 20e-9, 1e-12);
    CHECK(r.median <= r.resolution);
    CHECK_INT(r.trials, 100);
    CHECK_NEAR(r.samples_per_second, 1 / 20e-9, 1);
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
    use_moved_clock(20);
    pit_bench_options options = {.min_seconds = -1};
    pit_bench_result r;
    REQUIRE(pit_bench(take_41ns, NULL, &options, &r) == 0);
    CHECK(!r.at_resolution);
    CHECK_NEAR(r.median, 41e-9, 1e-12);
    char text[1024] = "";
    printed(text, sizeof text, "Chain", &r, 0, PIT_TEXT);
    CHECK(strstr(text, "41.000 ns\n") && !strstr(text, " 0.000"));
    pit_bench_free(&r);
}

TEST(on_the_systems_clock_a_trial_has_as_many_calls_as_it_takes)
{
    pit_bench_result r;
    REQUIRE(pit_bench(do_nothing, NULL, NULL, &r) == 0);
    CHECK(r.iterations >= 1 && r.trials >= 1 && r.resolution > 0);
    CHECK(r.min <= r.median && r.median <= r.max);
    CHECK(isfinite(r.samples_per_second));
    pit_bench_free(&r);
}

TEST(setup_and_teardown_are_outside_the_clock_and_each_call_has_its_own)
{
    struct counts c = {0};
    use_moved_clock(0);
    pit_bench_options options = {.warmup = 3,
                                 .trials = 30,
                                 .min_seconds = -1,
                                 .setup = count_setup,
                                 .teardown = count_teardown};
    pit_bench_result r;
    REQUIRE(pit_bench(count_call, &c, &options, &r) == 0);
    CHECK_INT(r.trials, 30);
    CHECK_INT(r.iterations, 1);
    CHECK_INT(c.calls, 33);
    CHECK_INT(c.setups, c.calls);
    CHECK_INT(c.teardowns, c.calls);
    CHECK(!c.bad_order);
    CHECK_NEAR(r.min, 20e-6, 1e-12);
    CHECK_NEAR(r.max, 20e-6, 1e-12);
    pit_bench_free(&r);
}

TEST(warm_up_can_be_none_and_trials_are_as_asked_for)
{
    struct counts c = {0, 1, 0, 0};
    use_moved_clock(0);
    pit_bench_options options = {
        .warmup = PIT_BENCH_NONE, .trials = 7, .min_seconds = -1, .iterations = 3};
    pit_bench_result r;
    REQUIRE(pit_bench(count_call, &c, &options, &r) == 0);
    CHECK_INT(c.calls, 21);
    CHECK_INT(r.trials, 7);
    CHECK_INT(r.iterations, 3);
    CHECK(r.too_few);
    CHECK_NEAR(r.total, 21 * r.mean, 1e-12);
    pit_bench_free(&r);
}

TEST(figures_are_those_of_the_trials)
{
    pit_bench_options options = {
        .warmup = PIT_BENCH_NONE, .trials = 60, .min_seconds = -1, .batch = 32};
    pit_bench_result r;
    double took[60];
    const double *next = took;
    noise_fill(took, 60, 130e-6, 0.1);
    use_moved_clock(0);
    REQUIRE(pit_bench(take_next, &next, &options, &r) == 0);
    for (size_t i = 0; i < 60; i++)
        CHECK_NEAR(r.times[i], took[i], 1e-9);
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
    CHECK_INT(below_median, 30);
    CHECK_INT(below_p95, 57);
    CHECK(r.median <= r.p95 && r.p95 <= r.p99 && r.p99 <= r.max);
    CHECK_NEAR(r.samples_per_second * r.mean, 32, 1e-9);
    CHECK(r.too_few); /* 60 trials of under 1 ms */
    pit_bench_free(&r);
}

TEST(processor_time_is_not_wall_time)
{
    pit_bench_options options = {.trials = 10, .min_seconds = -1};
    pit_bench_result slept, worked;
    REQUIRE(pit_bench(sleep_2ms, NULL, &options, &slept) == 0);
    REQUIRE(pit_bench(work_100us, NULL, &options, &worked) == 0);
    CHECK(slept.min >= 1.9e-3 && slept.cpu_mean < slept.mean);
    CHECK(worked.cpu_mean > 90e-6);
    CHECK(worked.process_cpu_mean > 90e-6);
    pit_bench_free(&slept);
    pit_bench_free(&worked);
}

static void *work_2ms(void *argument)
{
    work(2e-3);
    return argument;
}

/* This thread waits, another one works. */
static void let_work(void *argument)
{
    pthread_t thread;
    (void)argument;
    REQUIRE(pthread_create(&thread, NULL, work_2ms, NULL) == 0);
    pthread_join(thread, NULL);
}

TEST(processor_time_of_other_threads_is_the_processs)
{
    pit_bench_options options = {.warmup = 1, .trials = 5, .min_seconds = -1, .iterations = 1};
    pit_bench_result r;
    REQUIRE(pit_bench(let_work, NULL, &options, &r) == 0);
    CHECK(r.process_cpu_mean > 1.9e-3);
    CHECK(r.process_cpu_mean > r.cpu_mean + 1e-3);
    char text[4096] = "";
    printed(text, sizeof text, "Other", &r, 0, PIT_JSON);
    CHECK(strstr(text, "\"process_cpu_mean_ms\": "));
    pit_bench_free(&r);
}

TEST(it_goes_on_for_the_least_time_and_stops_at_the_most)
{
    use_moved_clock(0);
    pit_bench_options options = {.warmup = 1, .trials = 2, .min_seconds = 0.02};
    pit_bench_result r;
    REQUIRE(pit_bench(take_2ms, NULL, &options, &r) == 0);
    CHECK_INT(r.trials, 10);
    CHECK_NEAR(r.total, 0.02, 1e-9);
    pit_bench_free(&r);
    options = (pit_bench_options){.warmup = 1, .trials = 1000000, .max_seconds = 0.021};
    REQUIRE(pit_bench(take_2ms, NULL, &options, &r) == 0);
    CHECK_INT(r.trials, 10); /* and one of warm-up */
    pit_bench_free(&r);
}

/* A device whose work continues until a call waits for it. */
static int waits;
static double handed_over;

static int wait_for_it(void *arg)
{
    (void)arg;
    waits++;
    move_clock(handed_over);
    handed_over = 0;
    return 0;
}

static void hand_over_5ms(void *argument)
{
    (void)argument;
    move_clock(4e-6);
    handed_over += 5e-3;
}

static void use_device(void)
{
    static const pit_device device = {.name = "made up", .wait = wait_for_it};
    use_moved_clock(0);
    pit_set_device(&device);
}

TEST(the_device_is_waited_for_where_it_is_asked_for)
{
    use_device();
    pit_bench_options options = {
        .warmup = PIT_BENCH_NONE, .trials = 5, .min_seconds = -1, .iterations = 1};
    pit_bench_result r;
    REQUIRE(pit_bench(hand_over_5ms, NULL, &options, &r) == 0);
    CHECK_INT(waits, 0);
    CHECK_NEAR(r.max, 4e-6, 1e-9);
    pit_bench_free(&r);
    options.wait = 1;
    REQUIRE(pit_bench(hand_over_5ms, NULL, &options, &r) == 0);
    CHECK_INT(waits, 2 * 5);
    CHECK_NEAR(r.min, 5.004e-3, 1e-9);
    CHECK_NEAR(r.max, 5.004e-3, 1e-9);
    pit_bench_free(&r);
}

static void hand_over_steps(void *argument, uint64_t steps)
{
    for (uint64_t i = 0; i < steps; i++)
        hand_over_5ms(argument);
}

TEST(a_forecast_waits_by_its_option_or_by_that_of_all_monitors)
{
    static const struct {
        int all, own, waits;
    } cases[] = {{0, 0, 0}, {0, 1, 1}, {0, -1, 0}, {1, 0, 1}, {1, 1, 1}, {1, -1, 0}};
    use_device();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pit_set_wait(cases[i].all);
        pit_forecast_options options = {.steps = 3, .trials = 4, .wait = cases[i].own};
        pit_bench_model model = {"model", hand_over_steps, NULL};
        pit_bench_result single[2], full[2];
        REQUIRE(pit_bench_forecast(hand_over_steps, NULL, &options, &single[0], &full[0]) == 0);
        REQUIRE(pit_bench_models(&model, 1, &options, &single[1], &full[1]) == 0);
        for (size_t k = 0; k < 2; k++) {
            double each = 4e-6 + (cases[i].waits ? 5e-3 : 0);
            CHECK_NEAR(single[k].median, each, 1e-9);
            CHECK_NEAR(full[k].median, 3 * each, 1e-9);
            pit_bench_free(&single[k]);
            pit_bench_free(&full[k]);
        }
    }
}

/* ---- models in turn -------------------------------------------------------------------------- */

enum { MOST_CALLS = 4096 };
static char called[MOST_CALLS + 1]; /* one letter per call of one step; upper case: a trajectory */
static size_t call_count;

static void note_call(void *argument, uint64_t steps)
{
    const char *letter = argument;
    REQUIRE(call_count < MOST_CALLS);
    called[call_count++] = steps == 1 ? *letter : (char)(*letter - 'a' + 'A');
    move_clock((double)steps * 1e-3);
}

static const pit_bench_model three[] = {
    {"a", note_call, "a"}, {"b", note_call, "b"}, {"c", note_call, "c"}};

static void bench_three(const pit_forecast_options *options, pit_bench_result *single,
                        pit_bench_result *full)
{
    memset(called, 0, sizeof called);
    call_count = 0;
    use_moved_clock(0);
    REQUIRE(pit_bench_models(three, 3, options, single, full) == 0);
}

static void free_three(pit_bench_result *single, pit_bench_result *full)
{
    for (size_t i = 0; i < 3; i++) {
        pit_bench_free(&single[i]);
        pit_bench_free(&full[i]);
    }
}

TEST(models_are_timed_in_blocks_in_random_order)
{
    pit_forecast_options options = {.steps = 7, .trials = 53, .warmup_trials = 2, .seed = 5};
    pit_bench_result single[3], full[3];
    bench_three(&options, single, full);
    CHECK_INT(call_count, 2 * 3 * (2 + 53));
    for (size_t i = 0; i < 3; i++) {
        CHECK_INT(single[i].trials, 53);
        CHECK_INT(single[i].blocks, 10);
        CHECK(single[i].session != 0 && single[i].session == full[0].session);
        CHECK_NEAR(single[i].mean, 1e-3, 1e-9);
        CHECK_NEAR(full[i].mean, 7e-3, 1e-9);
    }
    /* warm-up of each, then rounds of blocks: the first of 8 trials, the others of 5 */
    CHECK(strncmp(called, "aabbcc", 6) == 0);
    size_t at = 6, starts[3] = {0, 0, 0};
    for (size_t round = 0; round < 10; round++) {
        size_t length = round == 0 ? 8 : 5, seen = 0;
        starts[called[at] - 'a']++;
        for (size_t block = 0; block < 3; block++, at += length) {
            for (size_t i = 1; i < length; i++)
                CHECK_INT(called[at + i], called[at]);
            seen |= (size_t)1 << (called[at] - 'a');
        }
        CHECK_INT(seen, 7);
    }
    CHECK(starts[0] < 10 && starts[1] < 10 && starts[2] < 10);
    char first[MOST_CALLS + 1];
    memcpy(first, called, sizeof first);
    uint64_t session = single[0].session;
    free_three(single, full);
    bench_three(&options, single, full);
    CHECK_STR(called, first);
    CHECK(single[0].session != session); /* a separate measurement all the same */
    free_three(single, full);
    options.seed = 6;
    bench_three(&options, single, full);
    CHECK(strcmp(called, first) != 0);
    free_three(single, full);
}

TEST(few_and_many_trials_have_their_blocks)
{
    static const uint64_t cases[][2] = {{1, 1},   {7, 7},    {10, 10},  {20, 10},
                                        {50, 10}, {100, 20}, {399, 40}, {400, 40}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        pit_forecast_options options = {
            .steps = 2, .trials = cases[i][0], .warmup_trials = PIT_BENCH_NONE};
        pit_bench_result single[3], full[3];
        bench_three(&options, single, full);
        CHECK_INT(single[2].trials, cases[i][0]);
        CHECK_INT(full[1].blocks, cases[i][1]);
        free_three(single, full);
    }
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
    pit_bench_options options = {.name = "step",
                                 .trials = 20,
                                 .min_seconds = -1,
                                 .max_seconds = INFINITY,
                                 .iterations = 2,
                                 .batch = 8};
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
    move_clock(12e-6 * (double)steps);
}

TEST(a_forecast_is_timed_by_single_steps_and_by_trajectories)
{
    pit_forecast_options options = {.steps = 20, .trials = 10, .warmup_trials = 2};
    pit_bench_result single, full;
    use_moved_clock(0);
    REQUIRE(pit_bench_forecast(forecast, NULL, &options, &single, &full) == 0);
    CHECK_INT(single.trials, 10);
    CHECK_INT(full.trials, 10);
    CHECK_NEAR(single.min, 12e-6, 1e-9);
    CHECK_NEAR(full.min, 240e-6, 1e-9);
    CHECK_INT(forecasts, 2 * 12);
    CHECK_INT(steps_done, 12 * 21);
    pit_bench_free(&single);
    pit_bench_free(&full);
    REQUIRE(pit_bench_forecast(forecast, NULL, NULL, &single, &full) == 0);
    CHECK_INT(single.trials, 50);
    CHECK_INT(full.trials, 50);
    CHECK_NEAR(full.min, 1.2e-3, 1e-9);
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
    few.trials = 50; /* the recommended number, however fast they are */
    memset(text, 0, sizeof text);
    printed(text, sizeof text, "KAN", &few, 0, PIT_TEXT);
    CHECK(!strstr(text, "few"));
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
    pit_bench_model nameless = {NULL, forecast, NULL}, empty = {"x", NULL, NULL};
    CHECK_INT(pit_bench_models(NULL, 0, NULL, &r, &none), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_bench_models(&nameless, 1, NULL, &r, &none), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_bench_models(&empty, 1, NULL, &r, &none), PIT_BAD_ARGUMENT);
    pit_bench_free(NULL);
}
