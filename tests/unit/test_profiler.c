/* The training profiler: averages, the block, steps, the clock. */
#include "check.h"

#include "monitor_stage.h"

#include <math.h>
#include <pthread.h>

static void operation(pit_profiler *profiler, const char *name, double seconds)
{
    double start = pit_profiler_start(profiler, name);
    stage_wait_seconds(seconds);
    pit_profiler_end(profiler, name, start);
}

TEST(the_block_is_the_documents_and_comes_by_itself)
{
    stage_up(0);
    stage_record();
    pit_profiler *profiler = pit_profiler_new(0);
    for (int i = 0; i < 100; i++) {
        operation(profiler, "data_batch_production", 0.0234);
        operation(profiler, "loss_fn_computation", 0.0456);
        operation(profiler, "make_step_total", 0.0789);
    }
    CHECK_STR(stage_text(), stage_golden("live-profiling.txt"));
    CHECK_INT(stage_spans("make_step_total"), 100);
    CHECK_INT(stage_misuse(), 0);
    size_t count;
    const pit_row *rows = pit_profiler_rows(profiler, &count);
    CHECK_INT(count, 3);
    CHECK_INT(rows[2].count, 100);
    CHECK_NEAR(rows[2].seconds, 7.89, 1e-4);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run && run->journal_count == 4);
    CHECK_STR(run->journal[0].kind, "profiling-step");
    CHECK_STR(run->journal[3].kind, "profiling");
    CHECK_STR(run->journal[3].text, "make_step_total");
    pit_run_free(run);
    pit_profiler_free(profiler);
}

TEST(a_step_inside_a_step_is_one_step)
{
    stage_up(0);
    pit_profiler *profiler = pit_profiler_new(10);
    for (int i = 0; i < 19; i++) {
        double start = pit_profiler_start(profiler, "training_step");
        operation(profiler, "make_step_total", 0.5);
        pit_profiler_end(profiler, "training_step", start);
    }
    const char *text = stage_text();
    CHECK(strstr(text, "--- Profiling Metrics (Step 10) ---\n") == text);
    CHECK(strstr(text + 1, "---\n---") == NULL && strstr(text, "Step 20") == NULL);
    pit_profiler_free(profiler);
}

TEST(a_log_may_name_its_step_and_a_reset_starts_anew)
{
    stage_up(0);
    pit_profiler *profiler = pit_profiler_new(1000);
    uint64_t step = 42;
    pit_profiler_log(profiler, &step); /* nothing yet */
    CHECK_STR(stage_text(), "No profiling metrics recorded\n");
    operation(profiler, "training_step", 2);
    pit_profiler_log(profiler, NULL);
    pit_profiler_log(profiler, &step);
    CHECK_STR(stage_text(), "--- Profiling Metrics (Step 1) ---\n"
                            "training_step: avg=2.0000s, total=2.00s, count=1\n"
                            "--- Profiling Metrics (Step 42) ---\n"
                            "training_step: avg=2.0000s, total=2.00s, count=1\n");
    pit_profiler_reset(profiler);
    size_t count = 3;
    CHECK(pit_profiler_rows(profiler, &count) == NULL && count == 0);
    operation(profiler, "training_step", 1);
    pit_profiler_log(profiler, NULL);
    CHECK_STR(stage_text(), "--- Profiling Metrics (Step 1) ---\n"
                            "training_step: avg=1.0000s, total=1.00s, count=1\n");
    pit_profiler_free(profiler);
}

TEST(a_start_goes_with_the_wall_clock_but_does_not_step_back_with_it)
{
    stage_up(0);
    pit_profiler *profiler = pit_profiler_new(0);
    double start = pit_profiler_start(profiler, "x");
    CHECK_NEAR(start, (double)stage.wall_ns / 1e9, 1e-3);
    stage_wait_seconds(2);
    stage.wall_ns -= 3600u * 1000000000ull; /* the wall clock is set back */
    pit_profiler_end(profiler, "x", start);
    size_t count;
    const pit_row *rows = pit_profiler_rows(profiler, &count);
    CHECK_NEAR(rows[0].seconds, 2, 1e-5);
    pit_profiler_end(profiler, "x", start + 100); /* seems not to have begun yet */
    CHECK_NEAR(rows[0].min_seconds, 0, 0);
    CHECK_NEAR(rows[0].seconds, 2, 1e-5);
    pit_profiler_end(profiler, "x", NAN);
    CHECK_INT(rows[0].count, 2);
    pit_profiler_free(profiler);
}

TEST(operations_may_end_in_any_order)
{
    stage_up(0);
    stage_record();
    pit_profiler *profiler = pit_profiler_new(0);
    double load = pit_profiler_start(profiler, "load");
    stage_wait_seconds(1);
    double step = pit_profiler_start(profiler, "step");
    stage_wait_seconds(1);
    pit_profiler_end(profiler, "load", load);
    stage_wait_seconds(1);
    pit_profiler_end(profiler, "step", step);
    size_t count;
    const pit_row *rows = pit_profiler_rows(profiler, &count);
    CHECK_NEAR(stage_row(rows, count, "load")->seconds, 2, 1e-5);
    CHECK_NEAR(stage_row(rows, count, "step")->seconds, 2, 1e-5);
    CHECK_INT(stage_spans("load"), 1);
    CHECK_INT(stage_spans("load/step"), 1);
    CHECK_INT(stage_misuse(), 0);
    pit_profiler_free(profiler);
}

TEST(starts_that_are_never_ended_do_not_grow_without_end)
{
    stage_up(0);
    stage_record();
    pit_profiler *profiler = pit_profiler_new(0);
    for (int i = 0; i < 200; i++) {
        pit_profiler_start(profiler, "lost");
        stage_wait_seconds(0.001);
    }
    operation(profiler, "kept", 1);
    size_t count;
    const pit_row *rows = pit_profiler_rows(profiler, &count);
    CHECK_INT(count, 1);
    CHECK_NEAR(rows[0].seconds, 1, 1e-5);
    pit_profiler_free(profiler);
}

static void *train(void *argument)
{
    for (int i = 0; i < 500; i++) {
        double start = pit_profiler_start(argument, "training_step");
        pit_profiler_end(argument, "training_step", start);
    }
    return NULL;
}

TEST(threads_share_a_profiler)
{
    pit_set_verbose(0);
    stage_record();
    pit_profiler *profiler = pit_profiler_new(100);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, train, profiler) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    size_t count;
    const pit_row *rows = pit_profiler_rows(profiler, &count);
    CHECK_INT(rows[0].count, 2000);
    CHECK_INT(stage_misuse(), 0);
    pit_profiler_free(profiler);
}

TEST(no_profiler_no_harm)
{
    size_t count = 3;
    CHECK(isnan(pit_profiler_start(NULL, "x")));
    pit_profiler_end(NULL, "x", 1);
    pit_profiler_log(NULL, NULL);
    pit_profiler_reset(NULL);
    pit_profiler_free(NULL);
    CHECK(pit_profiler_rows(NULL, &count) == NULL && count == 0);
}
