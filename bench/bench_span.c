/* One thread, caches warm: the floor, a span, three nested spans, a phase.
 *
 * A run is opened twenty times, because the addresses of its pages and the durations of its first spans
 * differ each time. The figure of one run is its fastest batch; the result is the median of the runs, with
 * the best and the worst. Linked with the shared library, as most user programs are. */
#include "bench.h"

#include "pitwall_report.h"

#include <stdio.h>

static void one_span(uint64_t n, void *unused)
{
    static pit_site site = PIT_SITE("one");
    (void)unused;
    for (uint64_t i = 0; i < n; i++) {
        pit_token token = pit_begin(&site);
        __asm__ volatile("" ::: "memory");
        pit_end(token);
    }
}

static void three_spans(uint64_t n, void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < n; i++)
        PIT_SPAN("outer") {
            PIT_SPAN("middle") {
                PIT_SPAN("inner") {
                    __asm__ volatile("" ::: "memory");
                }
            }
        }
}

static void two_phases(uint64_t n, void *unused)
{
    (void)unused;
    PIT_SPAN("phases") {
        for (uint64_t i = 0; i < n; i++) {
            PIT_PHASE("a");
            __asm__ volatile("" ::: "memory");
            PIT_PHASE("b");
            __asm__ volatile("" ::: "memory");
        }
    }
}

/* With a name made at run time: the text is looked up at each begin. */
static void named_span(uint64_t n, void *argument)
{
    const char *name = argument;
    for (uint64_t i = 0; i < n; i++)
        pit_end(pit_begin_name(name));
}

#define OPENS 20
#define ROUNDS 300 /* batches of each case per run */

enum { FLOOR, SPAN, THREE_DEEP, PHASE, NAMED, CASES };

/* The cost of a span that the run itself reports. */
static double said_ns(void)
{
    pit_run *run = pit_run_read(NULL, NULL);
    double said = run ? run->span_cost_ns : 0;
    pit_run_free(run);
    return said;
}

/* Median, best and worst of one figure over all runs. */
static void print_figure(const char *key, double *values)
{
    char longer[128];
    bench_print(key, bench_quantile(values, OPENS, 0.5));
    snprintf(longer, sizeof longer, "%s_best", key);
    bench_print(longer, values[0]);
    snprintf(longer, sizeof longer, "%s_worst", key);
    bench_print(longer, values[OPENS - 1]);
}

int main(void)
{
    static const char *const keys[CASES] = {"floor_ns", "span_hot", "span_3deep", "phase", "named"};
    static double ns[CASES][OPENS], over_floor[CASES][OPENS], said_over_measured[OPENS];
    char name[] = "named", key[64];
    for (int open = 0; open < OPENS; open++) {
        struct bench_case cases[CASES] = {
            [FLOOR] = {bench_floor, NULL, 4000, 1, 0},
            [SPAN] = {one_span, NULL, 4000, 1, 0},
            [THREE_DEEP] = {three_spans, NULL, 1500, 3, 0},
            [PHASE] = {two_phases, NULL, 2000, 2, 0},
            [NAMED] = {named_span, name, 2000, 1, 0},
        };
        bench_open("bench_span.pit");
        bench_take_turns(cases, CASES, ROUNDS);
        said_over_measured[open] = said_ns() / cases[SPAN].best_ns;
        pit_close();
        for (int i = 0; i < CASES; i++) {
            ns[i][open] = cases[i].best_ns;
            over_floor[i][open] = cases[i].best_ns / cases[FLOOR].best_ns;
        }
    }
    bench_print(keys[FLOOR], bench_quantile(ns[FLOOR], OPENS, 0.5));
    for (int i = SPAN; i < CASES; i++) {
        snprintf(key, sizeof key, "%s_ns", keys[i]);
        bench_print(key, bench_quantile(ns[i], OPENS, 0.5));
        snprintf(key, sizeof key, "%s_x_floor", keys[i]);
        print_figure(key, over_floor[i]);
    }
    bench_print("span_said_x_measured", bench_quantile(said_over_measured, OPENS, 0.5));
    return 0;
}
