/* The performance monitor: rows, totals, nesting, memory and device. */
#include "check.h"

#include "monitor_stage.h"

#include <math.h>

static void run(pit_monitor *monitor, const char *name, int aggregate, double seconds)
{
    pit_track track;
    pit_monitor_begin(monitor, &track, name, aggregate);
    stage_wait_seconds(seconds);
    pit_monitor_end(monitor, &track);
}

TEST(nested_operations_count_once_in_the_total)
{
    stage_up(1);
    stage_record();
    pit_monitor *monitor = pit_monitor_new();
    pit_track outer, inner;
    pit_monitor_begin(monitor, &outer, "epoch", 0);
    stage_wait_seconds(1);
    pit_monitor_begin(monitor, &inner, "forward", 0);
    stage_wait_seconds(2);
    pit_monitor_end(monitor, &inner);
    pit_monitor_end(monitor, &outer);
    run(monitor, "save", 0, 4);
    CHECK_NEAR(pit_monitor_total(monitor), 7, 1e-9);
    CHECK_NEAR(pit_monitor_time(monitor, "forward"), 2, 1e-9);
    CHECK_NEAR(pit_monitor_time(monitor, "epoch"), 3, 1e-9);
    CHECK(isnan(pit_monitor_time(monitor, "never")));
    CHECK_INT(stage_spans("epoch/forward"), 1);
    CHECK_INT(stage_misuse(), 0);
    pit_monitor_free(monitor);
}

TEST(an_aggregated_operation_is_one_row_however_often_it_runs)
{
    stage_up(1);
    pit_monitor *monitor = pit_monitor_new();
    for (int i = 0; i < 1000; i++)
        run(monitor, "forward", 1, i == 0 ? 0.4 : 0.1);
    run(monitor, "load", 0, 1);
    run(monitor, "load", 0, 2); /* separately: a row each */
    size_t count;
    const pit_row *rows = pit_monitor_rows(monitor, &count);
    CHECK_INT(count, 3);
    CHECK_INT(rows[0].count, 1000);
    CHECK_NEAR(rows[0].min_seconds, 0.1, 1e-9);
    CHECK_NEAR(rows[0].max_seconds, 0.4, 1e-9);
    CHECK_NEAR(rows[0].seconds, 100.3, 1e-6);
    CHECK_NEAR(pit_monitor_time(monitor, "load"), 3, 1e-9);
    pit_monitor_clear(monitor);
    CHECK(pit_monitor_rows(monitor, &count) == NULL && count == 0);
    CHECK_NEAR(pit_monitor_total(monitor), 0, 0);
    run(monitor, "forward", 1, 1);
    CHECK_NEAR(pit_monitor_total(monitor), 1, 1e-9);
    pit_monitor_free(monitor);
}

TEST(an_operation_that_is_nested_now_and_then_counts_where_it_is_not)
{
    stage_up(1);
    pit_monitor *monitor = pit_monitor_new();
    pit_track outer;
    run(monitor, "load", 1, 5);
    pit_monitor_begin(monitor, &outer, "epoch", 0);
    run(monitor, "load", 1, 2);
    pit_monitor_end(monitor, &outer);
    CHECK_NEAR(pit_monitor_total(monitor), 7, 1e-9);
    CHECK_NEAR(pit_monitor_time(monitor, "load"), 7, 1e-9);
    pit_monitor_free(monitor);
}

TEST(an_end_without_begin_and_a_second_end_do_nothing)
{
    stage_up(1);
    pit_monitor *monitor = pit_monitor_new();
    pit_track track = {0};
    size_t count;
    pit_monitor_end(monitor, &track);
    pit_performance_end(&track, 1);
    CHECK(pit_monitor_rows(monitor, &count) == NULL && count == 0);
    pit_monitor_begin(monitor, &track, "once", 0);
    pit_monitor_end(monitor, &track);
    pit_monitor_end(monitor, &track);
    pit_monitor_rows(monitor, &count);
    CHECK_INT(count, 1);
    CHECK_STR(stage_text(), "");
    pit_monitor_free(monitor);
}

TEST(an_inner_operation_that_was_never_ended_is_over_with_the_outer_one)
{
    stage_up(1);
    pit_monitor *monitor = pit_monitor_new();
    pit_track outer, inner;
    pit_monitor_begin(monitor, &outer, "outer", 0);
    pit_monitor_begin(monitor, &inner, "left by a jump", 0);
    pit_monitor_end(monitor, &outer);
    run(monitor, "next", 0, 2);
    size_t count;
    const pit_row *rows = pit_monitor_rows(monitor, &count);
    CHECK_INT(count, 2);
    CHECK(!stage_row(rows, count, "next")->nested);
    pit_monitor_end(monitor, &inner); /* so that nothing leaks here */
    pit_monitor_free(monitor);
}

TEST(an_inner_operation_does_not_spoil_the_outer_ones_device_peak)
{
    stage_up(1);
    stage_device_up();
    pit_monitor *monitor = pit_monitor_new();
    pit_track outer, inner;
    stage_device_hold(1);
    pit_monitor_begin(monitor, &outer, "outer", 0);
    stage_device_hold(8192);
    stage_device_hold(2);
    pit_monitor_begin(monitor, &inner, "inner", 0);
    stage_device_hold(3);
    pit_monitor_end(monitor, &inner);
    pit_monitor_end(monitor, &outer);
    size_t count;
    const pit_row *rows = pit_monitor_rows(monitor, &count);
    const pit_row *in = stage_row(rows, count, "inner"), *out = stage_row(rows, count, "outer");
    CHECK_NEAR(in->gpu_peak_mb, 3, 1e-6);
    CHECK_NEAR(in->gpu_delta_mb, 1, 1e-6);
    CHECK_NEAR(out->gpu_peak_mb, 8192, 1e-6);
    CHECK_NEAR(out->gpu_delta_mb, 2, 1e-6);
    CHECK_NEAR(out->gpu_start_mb, 1, 1e-6);
    CHECK_NEAR(out->gpu_end_mb, 3, 1e-6);
    pit_monitor_free(monitor);
}

TEST(a_peak_that_a_device_cannot_tell_is_not_made_up)
{
    static const pit_device device = {.memory = stage_device_memory}; /* its mark never falls */
    stage_up(1);
    pit_set_device(&device);
    pit_monitor *monitor = pit_monitor_new();
    stage_device_hold(100);
    stage_device_hold(10);
    run(monitor, "below the mark", 0, 1);
    pit_track track;
    pit_monitor_begin(monitor, &track, "over the mark", 0);
    stage_device_hold(200);
    pit_monitor_end(monitor, &track);
    size_t count;
    const pit_row *rows = pit_monitor_rows(monitor, &count);
    CHECK(rows[0].has_device && isnan(rows[0].gpu_peak_mb));
    CHECK_NEAR(rows[0].gpu_end_mb, 10, 1e-6);
    CHECK_NEAR(rows[1].gpu_peak_mb, 200, 1e-6);
    pit_monitor_free(monitor);
}

TEST(a_large_temporary_is_in_the_peak)
{
    if (getenv("PITWALL_EMULATED")) /* an emulator has no mark to reset */
        return;
    pit_monitor *monitor = pit_monitor_new();
    pit_track track;
    size_t count;
    pit_monitor_begin(monitor, &track, "temporary", 0);
    stage_touch(200u << 20);
    pit_monitor_end(monitor, &track);
    const pit_row *row = pit_monitor_rows(monitor, &count);
    CHECK(row->has_memory);
    CHECK_NEAR(row->cpu_peak_mb - row->cpu_start_mb, 200, 4);
    CHECK_NEAR(row->cpu_delta_mb, 0, 4);
    pit_monitor_free(monitor);
}

/* A reading that takes ten seconds. */
static uint64_t slow_rss(void *arg)
{
    (void)arg;
    stage_wait_seconds(10);
    return stage.rss;
}

TEST(reading_memory_is_neither_in_the_time_nor_in_that_of_the_operation_around)
{
    stage_up(1);
    pit_sources sources = {.monotonic_ns = stage_ns, .wall_ns = stage_wall_ns, .rss = slow_rss};
    pit_set_sources(&sources);
    pit_monitor *monitor = pit_monitor_new();
    pit_track outer, inner;
    pit_monitor_begin(monitor, &outer, "outer", 0);
    for (int i = 0; i < 3; i++) {
        stage_wait_seconds(1);
        pit_monitor_begin(monitor, &inner, "inner", 1);
        stage_wait_seconds(2);
        pit_monitor_end(monitor, &inner);
    }
    pit_monitor_end(monitor, &outer);
    CHECK_NEAR(pit_monitor_time(monitor, "inner"), 6, 1e-9);
    CHECK_NEAR(pit_monitor_time(monitor, "outer"), 9, 1e-9);
    pit_monitor_free(monitor);
}

TEST(the_performance_lines_are_the_documents)
{
    stage_up(1);
    stage_device_up();
    pit_track track;
    stage_device_hold(0.3);
    pit_performance_begin(&track, "critical_operation");
    stage_wait_seconds(1.234);
    stage.rss += (uint64_t)(250.5 * STAGE_MB);
    stage_device_hold(1024.3);
    stage_device_hold(512.3);
    pit_performance_end(&track, 1);
    CHECK_STR(stage_text(), stage_golden("live-performance.txt"));
    pit_set_device(NULL);
    pit_performance_begin(&track, "no device");
    stage.rss -= (uint64_t)(0.5 * STAGE_MB);
    pit_performance_end(&track, 1);
    CHECK_STR(stage_text(), "[Performance] no device: 0.000s, CPU -0.5MB, GPU n/a\n");
    pit_performance_begin(&track, "silent");
    pit_performance_end(&track, 0);
    CHECK_STR(stage_text(), "");
}

TEST(the_tables_are_the_documents)
{
    stage_up(1);
    pit_monitor *monitor = pit_monitor_new();
    pit_monitor_print(monitor, 1);
    CHECK_STR(stage_text(), "No performance metrics recorded\n");
    pit_track track;
    stage_device_up();
    pit_monitor_begin(monitor, &track, "data loading", 0);
    stage_wait_seconds(0.45);
    stage.rss += (uint64_t)(523.1 * STAGE_MB);
    pit_monitor_end(monitor, &track);
    run(monitor, "batch_forward", 1, 0.5);
    run(monitor, "batch_forward", 1, 0.25);
    run(monitor, "batch_once", 1, 0.25);
    pit_monitor_print(monitor, 0);
    const char *rule =
        "============================================================================="
        "=============\n";
    const char *line =
        "-----------------------------------------------------------------------------"
        "-------------\n";
    char want[4096];
    int length = snprintf(
        want, sizeof want,
        "%sPERFORMANCE SUMMARY\n%s"
        "Operation                      Time (s)     CPU (MB)        GPU (MB)        GPU Peak\n%s"
        "data loading                        0.450         +523.1           +0.0         0.0\n"
        "batch_forward                       0.750           +0.0           +0.0         0.0\n"
        "batch_once                          0.250           +0.0           +0.0         0.0\n%s"
        "TOTAL                               1.450s\n%s",
        rule, rule, line, line, rule);
    CHECK_STR(stage_text(), want);
    pit_monitor_print(monitor, 1);
    snprintf(
        want + length, sizeof want - (size_t)length,
        "\n%sAGGREGATE STATISTICS (for repeated operations)\n%s"
        "Operation                      Count    Total (s)    Mean (s)     Min (s)      Max "
        "(s)\n%s"
        "batch_forward                  2        0.750        0.375        0.250        0.500\n"
        "%s",
        rule, rule, line, rule);
    CHECK_STR(stage_text(), want);
    pit_monitor_free(monitor);
}

TEST(no_monitor_no_harm)
{
    pit_track track;
    size_t count = 3;
    pit_monitor_begin(NULL, &track, "x", 0);
    pit_monitor_end(NULL, &track);
    pit_monitor_print(NULL, 1);
    pit_monitor_clear(NULL);
    pit_monitor_free(NULL);
    CHECK(pit_monitor_rows(NULL, &count) == NULL && count == 0);
    CHECK_NEAR(pit_monitor_total(NULL), 0, 0);
    CHECK(isnan(pit_monitor_time(NULL, "x")));
    pit_performance_begin(NULL, "x");
    pit_performance_end(NULL, 1);
}
