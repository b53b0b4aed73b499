/* The cost of spans in a program that does not record: begin and end, minus the loop around them. Run
 * without PITWALL and PITWALL_FILE in the environment, and with PITWALL=0. */
#include "bench.h"

#include <stdlib.h>
#include <string.h>

static void empty_loop(uint64_t n, void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < n; i++)
        __asm__ volatile("" ::: "memory");
}

static void span_loop(uint64_t n, void *unused)
{
    static pit_site site = PIT_SITE("off");
    (void)unused;
    for (uint64_t i = 0; i < n; i++) {
        pit_token token = pit_begin(&site);
        __asm__ volatile("" ::: "memory");
        pit_end(token);
    }
}

int main(void)
{
    const char *setting = getenv("PITWALL");
    if (setting && strcmp(setting, "0") != 0)
        bench_fail("PITWALL", "must not be set, or be 0");
    struct bench_case cases[] = {{empty_loop, NULL, 20000, 1, 0}, {span_loop, NULL, 20000, 1, 0}};
    bench_take_turns(cases, 2, 2000);
    bench_print(setting ? "off_by_environment_ns" : "off_ns", cases[1].best_ns - cases[0].best_ns);
    return 0;
}
