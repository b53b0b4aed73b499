/* One thread, caches warm: the floor, a span, three nested spans, a phase. */
#include "bench.h"

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

/* By a name made at run time: the text is looked up at each begin. */
static void named_span(uint64_t n, void *argument)
{
    const char *name = argument;
    for (uint64_t i = 0; i < n; i++)
        pit_end(pit_begin_name(name));
}

int main(void)
{
    char name[] = "named";
    struct bench_case cases[] = {
        {bench_floor, NULL, 4000, 1, 0}, {one_span, NULL, 4000, 1, 0},
        {three_spans, NULL, 1500, 3, 0}, {two_phases, NULL, 2000, 2, 0},
        {named_span, name, 2000, 1, 0},
    };
    bench_open("bench_span.pit");
    bench_take_turns(cases, sizeof cases / sizeof *cases, 3000);
    pit_close();

    double floor_ns = cases[0].best_ns;
    bench_print("floor_ns", floor_ns);
    bench_print("span_hot_ns", cases[1].best_ns);
    bench_print("span_hot_x_floor", cases[1].best_ns / floor_ns);
    bench_print("span_3deep_ns", cases[2].best_ns);
    bench_print("span_3deep_x_floor", cases[2].best_ns / floor_ns);
    bench_print("phase_ns", cases[3].best_ns);
    bench_print("phase_x_floor", cases[3].best_ns / floor_ns);
    bench_print("named_x_floor", cases[4].best_ns / floor_ns);
    return 0;
}
