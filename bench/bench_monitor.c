/* The cost of monitors that print lines: a timed call, a line of the stage log, a run with stages and
 * windows, a reading of memory. A run is open and the lines go to a file. */
#include "bench.h"

#include <pitwall_report.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BATCH 200u
#define ROUNDS 50u
#define STAGES 30u        /* of the run */
#define CALLS 100u        /* per stage, and per line of the window */
#define CALL_NS 1e6       /* work before each call */
#define SET_BYTES 262144u /* the work reads this much: it evicts our data from the caches */

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

/* Returns the time when it is done. */
static double work_for(double ns)
{
    static unsigned char set[SET_BYTES];
    double now, end = bench_now_ns() + ns;
    while ((now = bench_now_ns()) < end)
        for (unsigned i = 0; i < SET_BYTES; i += 64)
            set[i]++;
    return now;
}

/* The calls of a run with stages and a window, each after some work. The cost of an empty call there is the
 * cost of the clock, and is subtracted. */
static double overhead_pct(void)
{
    static const pit_window_item items[] = {
        {"Pattern gen", PIT_WINDOW_MS}, {"Total", PIT_WINDOW_MS}, {"Avg nodes", PIT_WINDOW_MEAN}};
    static const double figures[] = {0.0004, 0.001, 28.3};
    static double empty[STAGES], begins[STAGES], lines[STAGES], adds[STAGES * CALLS];
    pit_window *window = pit_window_new("GPM TIMING", "graphs", CALLS, items, 3);
    size_t add_count = 0;
    for (unsigned stage = 0; stage < STAGES; stage++) {
        double begin = work_for(CALL_NS);
        empty[stage] = bench_now_ns() - begin;
        begin = work_for(CALL_NS);
        pit_stage_begin(stages, "Part of the run", 0);
        begins[stage] = bench_now_ns() - begin;
        for (unsigned i = 1; i <= CALLS; i++) {
            begin = work_for(CALL_NS);
            pit_window_add(window, figures);
            double took = bench_now_ns() - begin;
            *(i < CALLS ? &adds[add_count++] : &lines[stage]) = took;
        }
    }
    pit_stage_end(stages);
    pit_window_free(window);
    /* As in the other cases, the undisturbed calls decide. */
    double calls = bench_quantile(begins, STAGES, 0.1) + bench_quantile(lines, STAGES, 0.1) +
                   (CALLS - 1) * bench_quantile(adds, add_count, 0.1) -
                   (CALLS + 1) * bench_quantile(empty, STAGES, 0.1);
    return 100 * calls / (calls + CALLS * CALL_NS);
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
