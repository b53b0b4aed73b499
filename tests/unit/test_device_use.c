/* Objects with one device each: what an object reads, waits for, and does not touch. */
#include "check.h"

#include "monitor_stage.h"

#include <math.h>

/* A simulated device: its work advances the fixture's clock only when it is waited for. */
struct stub_device {
    double now_mb, peak_mb;
    double pending; /* seconds of submitted work */
    int waits, resets;
};

static int stub_memory(void *arg, pit_device_memory *memory)
{
    const struct stub_device *stub = arg;
    *memory = (pit_device_memory){(uint64_t)(stub->now_mb * STAGE_MB), 0,
                                  (uint64_t)(stub->peak_mb * STAGE_MB)};
    return 0;
}

static int stub_wait(void *arg)
{
    struct stub_device *stub = arg;
    stage_wait_seconds(stub->pending);
    stub->pending = 0;
    stub->waits++;
    return 0;
}

static int stub_reset(void *arg)
{
    struct stub_device *stub = arg;
    stub->peak_mb = stub->now_mb;
    stub->resets++;
    return 0;
}

static void stub_hold(struct stub_device *stub, double mb)
{
    stub->now_mb = mb;
    stub->peak_mb = mb > stub->peak_mb ? mb : stub->peak_mb;
}

static struct stub_device stubs[2];
static const pit_device devices[2] = {
    {.name = "zero", .memory = stub_memory, .wait = stub_wait, .arg = &stubs[0]},
    {.name = "one", .memory = stub_memory, .wait = stub_wait, .arg = &stubs[1]},
};

static void start(void)
{
    stage_up(1);
    stubs[0] = stubs[1] = (struct stub_device){0};
    pit_set_device(NULL);
}

static void *hand_over(void *arg)
{
    stubs[1].pending += 5;
    return arg;
}

TEST(all_objects_wait_for_their_device_where_they_are_told_to)
{
    start();
    pit_device_use use = {&devices[1], 1};
    size_t count;
    pit_track track;
    stubs[1].pending = 100; /* submitted earlier: belongs to no object */
    pit_timers *timers = pit_timers_new();
    pit_timers_set_device(timers, &use);
    pit_time(timers, "a", 0, hand_over, NULL);
    CHECK_NEAR(pit_timers_rows(timers, &count)->seconds, 5, 1e-9);
    pit_phase_timer *phases = pit_phase_timer_new("x");
    pit_phase_timer_set_device(phases, &use);
    pit_phase_timer_start(phases, "a");
    hand_over(NULL);
    pit_phase_timer_end(phases);
    CHECK_NEAR(pit_phase_timer_rows(phases, &count)->seconds, 5, 1e-9);
    pit_monitor *monitor = pit_monitor_new();
    pit_monitor_set_device(monitor, &use);
    pit_monitor_begin(monitor, &track, "a", 0);
    hand_over(NULL);
    pit_monitor_end(monitor, &track);
    CHECK_NEAR(pit_monitor_total(monitor), 5, 1e-9);
    pit_stages *stages = pit_stages_new();
    pit_stages_set_device(stages, &use);
    pit_stage_enter(stages, "a", 0);
    hand_over(NULL);
    pit_stage_leave(stages, "a");
    CHECK_NEAR(pit_stages_time(stages, "a"), 5, 1e-9);
    pit_profiler *profiler = pit_profiler_new(0);
    pit_profiler_set_device(profiler, &use);
    double began = pit_profiler_start(profiler, "a");
    hand_over(NULL);
    pit_profiler_end(profiler, "a", began);
    CHECK_NEAR(pit_profiler_rows(profiler, &count)->seconds, 5, 1e-6);
    pit_epoch_monitor *epochs = pit_epoch_monitor_new(NULL);
    pit_epoch_monitor_set_device(epochs, &use);
    pit_epoch_statistics statistics;
    pit_epoch_begin(epochs);
    pit_epoch_batch_begin(epochs, 0);
    hand_over(NULL);
    pit_epoch_batch_end(epochs, 0, NULL);
    pit_epoch_end(epochs);
    REQUIRE(pit_epoch_statistics_of(epochs, &statistics) == 0);
    CHECK_NEAR(statistics.avg_batch_time, 5, 1e-9);
    CHECK_INT(stubs[0].waits, 0);
    pit_timers_free(timers);
    pit_phase_timer_free(phases);
    pit_monitor_free(monitor);
    pit_stages_free(stages);
    pit_profiler_free(profiler);
    pit_epoch_monitor_free(epochs);
}

TEST(one_object_may_be_told_not_to_wait)
{
    start();
    pit_device_use use = {&devices[1], -1};
    pit_track track;
    pit_set_wait(1);
    pit_performance_begin_on(&track, "a", &use);
    hand_over(NULL);
    pit_performance_end(&track, 1);
    CHECK_INT(stubs[1].waits, 0);
    use.wait = 0; /* the setting of all */
    pit_performance_begin_on(&track, "a", &use);
    pit_performance_end(&track, 0);
    CHECK_INT(stubs[1].waits, 2);
    pit_set_wait(0);
}

TEST(nested_objects_read_their_own_device)
{
    start();
    pit_device_use zero = {&devices[0], 0}, one = {&devices[1], 0};
    pit_monitor *inner = pit_monitor_new(), *outer = pit_monitor_new();
    pit_epoch_monitor *epochs = pit_epoch_monitor_new(NULL);
    pit_track inner_track, outer_track;
    size_t count;
    pit_monitor_set_device(inner, &zero);
    pit_monitor_set_device(outer, &one);
    pit_epoch_monitor_set_device(epochs, &one);
    stub_hold(&stubs[0], 100);
    stub_hold(&stubs[1], 900);
    pit_epoch_begin(epochs);
    pit_monitor_begin(outer, &outer_track, "outer", 0);
    pit_monitor_begin(inner, &inner_track, "inner", 0);
    stub_hold(&stubs[0], 130);
    pit_monitor_set_device(inner, NULL); /* work that began on a device ends on it */
    pit_monitor_end(inner, &inner_track);
    stub_hold(&stubs[1], 950);
    pit_monitor_end(outer, &outer_track);
    pit_epoch_end(epochs);
    const pit_row *row = pit_monitor_rows(inner, &count);
    CHECK_NEAR(row->gpu_start_mb, 100, 1e-9);
    CHECK_NEAR(row->gpu_delta_mb, 30, 1e-9);
    CHECK_NEAR(row->gpu_peak_mb, 130, 1e-9);
    row = pit_monitor_rows(outer, &count);
    CHECK_NEAR(row->gpu_start_mb, 900, 1e-9);
    CHECK_NEAR(row->gpu_delta_mb, 50, 1e-9);
    CHECK_NEAR(row->gpu_peak_mb, 950, 1e-9);
    CHECK_STR(stage_text(), "  Epoch end: 0.000s total, GPU 950.0MB, 0MB reserved, peak 950MB\n");
    pit_monitor_free(inner);
    pit_monitor_free(outer);
    pit_epoch_monitor_free(epochs);
}

/* The peak of work that goes up to `high` and back to `low`. */
static double peak_of(pit_monitor *monitor, struct stub_device *stub, double high, double low)
{
    pit_track track;
    size_t count;
    pit_monitor_begin(monitor, &track, "a", 0);
    stub_hold(stub, high);
    stub_hold(stub, low);
    pit_monitor_end(monitor, &track);
    const pit_row *rows = pit_monitor_rows(monitor, &count);
    return rows[count - 1].gpu_peak_mb;
}

TEST(a_mark_that_is_not_reset_tells_the_peaks_that_it_can)
{
    start();
    pit_device_use use = {&devices[0], 0};
    pit_monitor *monitor = pit_monitor_new();
    pit_monitor_set_device(monitor, &use);
    CHECK_NEAR(peak_of(monitor, &stubs[0], 1024, 512), 1024, 1e-9);
    CHECK(isnan(peak_of(monitor, &stubs[0], 600, 512))); /* below the mark */
    CHECK_NEAR(peak_of(monitor, &stubs[0], 2048, 2048), 2048, 1e-9);
    CHECK_NEAR(peak_of(monitor, &stubs[0], 2048, 10), 2048, 1e-9); /* it begins at the mark */
    CHECK_NEAR(stubs[0].peak_mb, 2048, 1e-9);
    pit_monitor_print(monitor, 0);
    CHECK(strstr(stage_text(), "\nGPU Peak n/a: the device reported no new peak") != NULL);
    pit_monitor_free(monitor);
}

TEST(a_device_that_resets_gives_each_its_peak_and_the_epoch_the_highest)
{
    start();
    static const pit_device resets = {
        .memory = stub_memory, .reset_peak = stub_reset, .arg = &stubs[0]};
    pit_device_use use = {&resets, 0};
    pit_monitor *monitor = pit_monitor_new();
    pit_epoch_monitor *epochs = pit_epoch_monitor_new(NULL);
    pit_monitor_set_device(monitor, &use);
    pit_epoch_monitor_set_device(epochs, &use);
    stub_hold(&stubs[0], 100);
    pit_epoch_begin(epochs);
    CHECK_INT(stubs[0].resets, 0);
    CHECK_NEAR(peak_of(monitor, &stubs[0], 700, 200), 700, 1e-9);
    CHECK_NEAR(peak_of(monitor, &stubs[0], 300, 200), 300, 1e-9);
    pit_epoch_end(epochs);
    CHECK_STR(stage_text(), "  Epoch end: 0.000s total, GPU 200.0MB, 0MB reserved, peak 700MB\n");
    pit_monitor_free(monitor);
    pit_epoch_monitor_free(epochs);
}

TEST(what_a_pause_takes_is_not_the_operations)
{
    start();
    pit_track track;
    pit_performance_begin(&track, "generator");
    stage_wait_seconds(1);
    pit_track_pause(&track);
    pit_track_pause(&track);
    stage_wait_seconds(10);
    pit_track_resume(&track);
    stage_wait_seconds(2);
    pit_track_pause(&track);
    stage_wait_seconds(20);
    pit_performance_end(&track, 1);
    CHECK(strncmp(stage_text(), "[Performance] generator: 3.000s,", 32) == 0);
    pit_track_pause(&track); /* nothing is running */
    pit_track_resume(NULL);
}

TEST(the_environment_disables_operations_and_the_code_wins)
{
    start();
    setenv("PITWALL_MONITOR", "0", 1);
    pit_monitor *monitor = pit_monitor_new();
    pit_track track;
    size_t count;
    pit_monitor_begin(monitor, &track, "a", 0);
    pit_monitor_end(monitor, &track);
    pit_monitor_print(monitor, 1);
    pit_monitor_rows(monitor, &count);
    CHECK_INT(count, 0);
    CHECK_STR(stage_text(), "");
    pit_monitor_enable(monitor, 1);
    pit_monitor_begin(monitor, &track, "a", 0);
    pit_monitor_end(monitor, &track);
    pit_monitor_rows(monitor, &count);
    CHECK_INT(count, 1);
    unsetenv("PITWALL_MONITOR");
    pit_monitor_free(monitor);
}
