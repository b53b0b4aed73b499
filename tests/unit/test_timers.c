/* Timed calls: the lines, the sums, and the figures for memory and a device. */
#include "check.h"

#include "monitor_stage.h"

#include <math.h>
#include <pthread.h>

struct work {
    double seconds, rss_mb, device_mb;
};

static void *do_work(void *argument)
{
    const struct work *work = argument;
    stage_wait_seconds(work->seconds);
    stage.rss += (uint64_t)(work->rss_mb * STAGE_MB);
    if (work->device_mb > 0) {
        stage_device_hold(work->device_mb);
        stage_device_hold(512.1);
    }
    return argument;
}

static void *nothing(void *argument)
{
    return argument;
}

TEST(the_lines_are_those_of_the_utilities)
{
    stage_up(1);
    pit_timers *timers = pit_timers_new();
    struct work plain = {.seconds = 45.32}, memory = {.seconds = 45.32, .rss_mb = 234.5};
    struct work device = {.seconds = 12.45, .device_mb = 1024.3}, none = {.seconds = 12.45};
    CHECK(pit_time(timers, "MLP training", 0, do_work, &plain) == &plain);
    pit_time(timers, "Model", PIT_MEMORY, do_work, &memory);
    stage_device_up();
    pit_time(timers, "KAN training", PIT_WAIT, do_work, &device);
    CHECK_INT(stage.waits, 2);
    pit_set_device(NULL);
    pit_time(timers, "KAN training", PIT_WAIT, do_work, &none);
    CHECK_STR(stage_text(), stage_golden("live-complete.txt"));
    size_t count;
    const pit_row *rows = pit_timers_rows(timers, &count);
    CHECK_INT(count, 3);
    CHECK_STR(rows[0].name, "MLP training");
    CHECK_NEAR(rows[0].seconds, 45.32, 1e-9);
    CHECK(!rows[0].has_memory && rows[1].has_memory);
    CHECK_NEAR(rows[1].cpu_peak_mb, 234.5, 0.001);
    CHECK_NEAR(rows[2].seconds, 24.9, 1e-9);
    CHECK(rows[2].has_device);
    CHECK_NEAR(rows[2].gpu_peak_mb, 1024.3, 0.001);
    CHECK_NEAR(rows[2].gpu_end_mb, 512.1, 0.001);
    pit_timers_free(timers);
}

TEST(a_repeated_name_adds_up_its_peak_is_the_highest_and_what_is_left_the_last)
{
    stage_up(1);
    pit_timers *timers = pit_timers_new();
    struct work first = {.seconds = 2, .rss_mb = 30}, second = {.seconds = 3, .rss_mb = 10};
    char name[] = "train";
    pit_time(timers, name, PIT_MEMORY, do_work, &first);
    strcpy(name, "gone"); /* names are copied */
    pit_time(timers, "train", PIT_MEMORY, do_work, &second);
    pit_timers_add(timers, "train", 1);
    size_t count;
    const pit_row *rows = pit_timers_rows(timers, &count);
    CHECK_INT(count, 1);
    CHECK_STR(rows[0].name, "train");
    CHECK_INT(rows[0].count, 3);
    CHECK_NEAR(rows[0].seconds, 6, 1e-9);
    CHECK_NEAR(rows[0].min_seconds, 1, 1e-9);
    CHECK_NEAR(rows[0].max_seconds, 3, 1e-9);
    CHECK_NEAR(rows[0].cpu_peak_mb, 30, 0.001);
    CHECK_NEAR(rows[0].cpu_delta_mb, 10, 0.001);
    pit_timers_free(timers);
}

static void *step_back(void *argument)
{
    stage.ns -= 1000000000u;
    return argument;
}

TEST(a_clock_that_steps_back_gives_no_time_and_none_that_is_negative)
{
    stage_up(0);
    pit_timers *timers = pit_timers_new();
    pit_time(timers, "back", 0, step_back, NULL);
    pit_timers_add(timers, "back", -5);
    pit_timers_add(timers, "back", NAN);
    CHECK_STR(stage_text(), "back complete: 0.00s total\n");
    size_t count;
    const pit_row *rows = pit_timers_rows(timers, &count);
    CHECK_NEAR(rows[0].seconds, 0, 0);
    CHECK_INT(rows[0].count, 2);
    pit_timers_free(timers);
}

static void *timed_inside(void *argument)
{
    struct work work = {.seconds = 1};
    stage_wait_seconds(1);
    return pit_time(argument, "inner", PIT_MEMORY, do_work, &work) ? argument : NULL;
}

TEST(calls_may_be_nested_and_are_spans_of_the_run)
{
    stage_up(1);
    stage_record();
    pit_timers *timers = pit_timers_new();
    CHECK(pit_time(timers, "outer", PIT_MEMORY, timed_inside, timers) == timers);
    size_t count;
    const pit_row *rows = pit_timers_rows(timers, &count);
    CHECK_INT(count, 2);
    CHECK_NEAR(stage_row(rows, count, "outer")->seconds, 2, 1e-9);
    CHECK_NEAR(stage_row(rows, count, "inner")->seconds, 1, 1e-9);
    CHECK_INT(stage_spans("outer"), 1);
    CHECK_INT(stage_spans("outer/inner"), 1);
    CHECK_INT(stage_misuse(), 0);
    pit_timers_free(timers);
}

static void *touch_inside(void *argument)
{
    stage_touch(*(size_t *)argument);
    return argument;
}

struct nested {
    pit_timers *timers;
    size_t outer, inner;
};

static void *touch_nested(void *argument)
{
    struct nested *nested = argument;
    touch_inside(&nested->outer);
    pit_time(nested->timers, "inner", PIT_MEMORY, touch_inside, &nested->inner);
    return argument;
}

TEST(the_peak_is_real_and_an_inner_call_does_not_spoil_the_outer_one)
{
    if (getenv("PITWALL_EMULATED")) /* an emulator has no mark to reset */
        return;
    pit_set_print(stage_line, NULL);
    pit_timers *timers = pit_timers_new();
    struct nested nested = {timers, 96u << 20, 32u << 20};
    pit_time(timers, "outer", PIT_MEMORY, touch_nested, &nested);
    size_t count;
    const pit_row *rows = pit_timers_rows(timers, &count);
    CHECK_NEAR(stage_row(rows, count, "outer")->cpu_peak_mb, 96, 4);
    CHECK_NEAR(stage_row(rows, count, "inner")->cpu_peak_mb, 32, 4);
    CHECK_NEAR(stage_row(rows, count, "outer")->cpu_delta_mb, 0, 4);
    pit_timers_free(timers);
}

TEST(without_an_object_or_a_function_nothing_breaks)
{
    stage_up(0);
    int mark;
    size_t count = 7;
    CHECK(pit_time(NULL, "alone", 0, nothing, &mark) == &mark);
    CHECK_STR(stage_text(), "alone complete: 0.00s total\n");
    CHECK(pit_time(NULL, "none", 0, NULL, &mark) == NULL);
    CHECK(pit_time(NULL, NULL, 0, nothing, &mark) == &mark);
    CHECK(pit_timers_rows(NULL, &count) == NULL);
    CHECK_INT(count, 0);
    pit_timers_add(NULL, "x", 1);
    pit_timers_free(NULL);
}

static void *add_many(void *argument)
{
    for (int i = 0; i < 1000; i++) {
        char name[16];
        snprintf(name, sizeof name, "row %d", i % 50);
        pit_timers_add(argument, name, 0.5);
    }
    return NULL;
}

static void *fails_inside(void *timers)
{
    pit_time(timers, "inner", 0, nothing, NULL);
    pit_time_failed();
    return NULL;
}

TEST(a_function_that_says_it_failed_is_not_complete)
{
    stage_up(0);
    pit_timers *timers = pit_timers_new();
    pit_time(timers, "outer", 0, fails_inside, timers);
    pit_time(timers, "next", 0, nothing, NULL);
    CHECK_STR(stage_text(), "inner complete: 0.00s total\nouter failed after 0.00s\n"
                            "next complete: 0.00s total\n");
    size_t count = 0;
    pit_timers_rows(timers, &count);
    CHECK_INT((int)count, 3);
    pit_timers_free(timers);
}

static void *counts(void *counted)
{
    pit_time(NULL, "inner", PIT_MEMORY, nothing, NULL); /* reported nothing */
    pit_time_counted(counted);
    return NULL;
}

TEST(what_a_function_counted_itself_stands_where_it_is_more)
{
    stage_up(0);
    pit_set_sources(NULL);
    pit_timers *timers = pit_timers_new();
    pit_counted counted = {.peak = 500u << 20, .live = 300u << 20};
    pit_time(timers, "more", PIT_MEMORY, counts, &counted);
    pit_counted less = {.peak = 0, .live = 0, .overhead = 400u << 20};
    pit_time(timers, "less", PIT_MEMORY, counts, &less);
    pit_time(timers, "time", 0, counts, &counted);
    size_t count;
    const pit_row *rows = pit_timers_rows(timers, &count);
    CHECK_NEAR(stage_row(rows, count, "more")->cpu_peak_mb, 500, 1e-9);
    CHECK_NEAR(stage_row(rows, count, "more")->cpu_delta_mb, 300, 1e-9);
    CHECK_NEAR(stage_row(rows, count, "less")->cpu_peak_mb, 0, 1e-9);
    CHECK_INT(stage_row(rows, count, "time")->has_memory, 0);
    /* The clock is the real one here, so the duration is not known. */
    const char *line = strstr(stage_text(), "more complete: ");
    REQUIRE(line != NULL);
    CHECK(strncmp(strchr(line, ','), ", peak memory: 500.0 MB\n", 24) == 0);
    pit_timers_free(timers);
}

TEST(threads_add_to_one_object)
{
    pit_timers *timers = pit_timers_new();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, add_many, timers) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    size_t count;
    double sum = 0;
    const pit_row *rows = pit_timers_rows(timers, &count);
    for (size_t i = 0; i < count; i++)
        sum += rows[i].seconds;
    CHECK_INT(count, 50);
    CHECK_NEAR(sum, 2000, 1e-6);
    pit_timers_free(timers);
}
