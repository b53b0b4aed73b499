/* The cost of a span with cold caches: a span right after the program has read 256 kB of its own data,
 * compared with an empty call in the same place. Each call is timed alone. */
#include "bench.h"

enum { SET_BYTES = 256 * 1024, LINE = 64, CALLS = 20000 };

static unsigned char set[SET_BYTES];

static void walk(unsigned round)
{
    for (unsigned i = 0; i < SET_BYTES; i += LINE)
        set[i] = (unsigned char)(set[i] + round);
}

static __attribute__((noinline)) void nothing(pit_site *site)
{
    __asm__ volatile("" : : "r"(site) : "memory");
}

static __attribute__((noinline)) void span(pit_site *site)
{
    pit_token token = pit_begin(site);
    __asm__ volatile("" ::: "memory");
    pit_end(token);
}

static double timed(void (*call)(pit_site *), pit_site *site, unsigned round)
{
    walk(round);
    uint64_t begin = bench_counter();
    call(site);
    return (double)(bench_counter() - begin) * bench_ns_per_tick();
}

int main(void)
{
    static pit_site site = PIT_SITE("cold");
    static double empty_ns[CALLS], span_ns[CALLS];
    bench_open("bench_cold.pit");
    for (unsigned i = 0; i < CALLS; i++) {
        empty_ns[i] = timed(nothing, &site, i);
        span_ns[i] = timed(span, &site, i);
    }
    pit_close();
    double empty = bench_quantile(empty_ns, CALLS, 0.5);
    double cold = bench_quantile(span_ns, CALLS, 0.5);
    bench_print("cold_noop_ns", empty);
    bench_print("cold_span_ns", cold);
    bench_print("cold_x_noop", cold / empty);
    bench_print("cold_p5_x_noop",
                bench_quantile(span_ns, CALLS, 0.05) / bench_quantile(empty_ns, CALLS, 0.05));
    return 0;
}
