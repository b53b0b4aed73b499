/* The cost of a function compiled with -finstrument-functions, compared with a plain span.
 *
 * The program starts itself with libpitwall-functions preloaded and calls the two hooks as the compiler
 * would around an empty function. Its own recorder is the static library's, which the hooks find in its
 * symbol table; so both cases write into one run, in turn.
 */
#include "bench.h"

#include <pitwall_report.h>

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLS 2000u
#define ROUNDS 2000u

void __cyg_profile_func_enter(void *function, void *call_site);
void __cyg_profile_func_exit(void *function, void *call_site);

static void empty(void)
{
}

static void functions(uint64_t n, void *unused)
{
    (void)unused;
    void *function = (void *)(uintptr_t)empty;
    void *call_site = (char *)(uintptr_t)functions + 4;
    for (uint64_t i = 0; i < n; i++) {
        __cyg_profile_func_enter(function, call_site);
        __cyg_profile_func_exit(function, call_site);
    }
}

static void spans(uint64_t n, void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < n; i++)
        PIT_SPAN("plain") {
        }
}

/* Check that the hooks found this program's own recorder and that all calls are in it. */
static void check_run(void)
{
    pit_run *run = pit_run_read(NULL, NULL);
    uint64_t count = 0;
    for (size_t i = 0; run && i < run->threads[0].node_count; i++)
        if (strcmp(run->threads[0].nodes[i].name, "empty") == 0)
            count = run->threads[0].nodes[i].count;
    pit_run_free(run);
    if (count < (uint64_t)CALLS * ROUNDS)
        bench_fail("functions", "the calls are not in the run");
}

static int measure(void)
{
    bench_open("functions");
    struct bench_case cases[] = {{.body = functions, .n = CALLS}, {.body = spans, .n = CALLS}};
    bench_take_turns(cases, 2, ROUNDS);
    check_run();
    bench_print("function_span_ns", cases[0].best_ns);
    bench_print("function_span_x_span", cases[0].best_ns / cases[1].best_ns);
    return 0;
}

/* Preload the library of the same build: ../lib from the program's folder. */
static void set_preload(void)
{
    char self[PATH_MAX], library[PATH_MAX + 64];
    if (!realpath("/proc/self/exe", self))
        bench_fail("/proc/self/exe", strerror(errno));
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
    snprintf(library, sizeof library, "%s/lib/libpitwall-functions.so", self);
    if (access(library, R_OK))
        bench_fail(library, strerror(errno));
    if (setenv("LD_PRELOAD", library, 1))
        bench_fail("LD_PRELOAD", strerror(errno));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return measure();
    char *again[] = {argv[0], "preloaded", NULL};
    set_preload();
    execv("/proc/self/exe", again);
    bench_fail(argv[0], strerror(errno));
}
