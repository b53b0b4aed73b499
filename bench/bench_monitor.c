/* What the monitors cost that print as they go: a timed call, a line of the stage log, a run with
 * stages and windows, a reading of memory. A run is open and the lines go to a file. */
#include "bench.h"

#include <pitwall_report.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BATCH 200u
#define ROUNDS 50u
#define PASSAGES 1000u /* of the run, each with about a millisecond of work */
#define WINDOW 100u
#define STAGES 10u

static pit_timers *timers;
static pit_stages *stages;

static void *nothing(void *argument)
{
    return argument;
}

static void time_calls(uint64_t n, void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < n; i++)
        pit_time(timers, "call", 0, nothing, NULL);
}

static void log_stages(uint64_t n, void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < n; i++)
        pit_stage_took(stages, "Dataset loading and preprocessing", 12.34);
}

static void measure_memory(uint64_t n, void *unused)
{
    pit_probe probe;
    (void)unused;
    for (uint64_t i = 0; i < n; i++) {
        pit_probe_begin(&probe);
        pit_probe_end(&probe);
    }
}

static double work_until(double ns)
{
    double now;
    while ((now = bench_now_ns()) < ns)
        ;
    return now;
}

/* The share of the calls in a run of PASSAGES graphs with a window and some stages, in percent. */
static double overhead_pct(void)
{
    static const pit_window_item items[] = {
        {"Pattern gen", PIT_WINDOW_MS}, {"Total", PIT_WINDOW_MS}, {"Avg nodes", PIT_WINDOW_MEAN}};
    pit_window *window = pit_window_new("GPM TIMING", "graphs", WINDOW, items, 3);
    double begin = bench_now_ns(), calls = 0;
    for (unsigned i = 0; i < PASSAGES; i++) {
        double now = work_until(bench_now_ns() + 1e6);
        double figures[] = {0.0004, 0.001, 28.3};
        if (i % (PASSAGES / STAGES) == 0)
            pit_stage_begin(stages, "Part of the run", 0);
        pit_window_add(window, figures);
        calls += bench_now_ns() - now;
    }
    pit_stage_end(stages);
    double whole = bench_now_ns() - begin;
    pit_window_free(window);
    return 100 * calls / whole;
}

int main(void)
{
    char path[4096];
    bench_run_path(path, sizeof path, "bench_monitor.log");
    int log = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0666), results = dup(STDOUT_FILENO);
    if (log < 0 || results < 0 || dup2(log, STDOUT_FILENO) < 0)
        bench_fail(path, strerror(errno));
    bench_open("bench_monitor.pit");
    timers = pit_timers_new();
    stages = pit_stages_new();
    struct bench_case cases[] = {
        {.body = time_calls, .n = BATCH},
        {.body = log_stages, .n = BATCH},
        {.body = measure_memory, .n = BATCH},
    };
    bench_take_turns(cases, 3, ROUNDS);
    double share = overhead_pct();
    pit_timers_free(timers);
    pit_stages_free(stages);
    fflush(stdout);
    dup2(results, STDOUT_FILENO);
    bench_print("timer_call_us", cases[0].best_ns / 1000);
    bench_print("stage_log_us", cases[1].best_ns / 1000);
    bench_print("measure_memory_us", cases[2].best_ns / 1000);
    bench_print("stage_overhead_pct", share);
    return pit_close() ? 1 : 0;
}
