/* Shared by the benchmark programs; see bench.h. */
#include "bench.h"

#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile uint64_t sink; /* keeps results from being optimised away */

static int find_counter(void)
{
#if defined(__x86_64__)
    char name[16] = "";
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "r");
    if (!file)
        return 0;
    int is_tsc = fgets(name, sizeof name, file) && strcmp(name, "tsc\n") == 0;
    fclose(file);
    return is_tsc;
#elif defined(__aarch64__)
    return 1;
#else
    return 0;
#endif
}

int bench_has_counter(void)
{
    static atomic_int known; /* 0: not checked yet, 1: no, 2: yes */
    int now = atomic_load_explicit(&known, memory_order_relaxed);
    if (!now) {
        now = 1 + find_counter();
        atomic_store_explicit(&known, now, memory_order_relaxed);
    }
    return now == 2;
}

static uint64_t read_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

double bench_ns_per_tick(void)
{
    static double result;
    if (result > 0)
        return result;
    uint64_t ns0 = read_ns(CLOCK_MONOTONIC_RAW), ticks0 = bench_counter(), ns1;
    do {
        ns1 = read_ns(CLOCK_MONOTONIC_RAW);
    } while (ns1 - ns0 < 50000000u);
    result = (double)(ns1 - ns0) / (double)(bench_counter() - ticks0);
    return result;
}

double bench_now_ns(void)
{
    static uint64_t origin; /* keeps the double exact; set before threads start */
    if (!bench_has_counter())
        return (double)bench_monotonic_ns();
    if (!origin)
        origin = bench_counter();
    return (double)(bench_counter() - origin) * bench_ns_per_tick();
}

void bench_floor(uint64_t n, void *unused)
{
    uint64_t sum = 0;
    (void)unused;
    if (bench_has_counter()) {
        for (uint64_t i = 0; i < n; i++) {
            uint64_t begin = bench_counter();
            __asm__ volatile("" ::: "memory");
            sum += bench_counter() - begin;
        }
    } else {
        for (uint64_t i = 0; i < n; i++) {
            uint64_t begin = bench_monotonic_ns();
            __asm__ volatile("" ::: "memory");
            sum += bench_monotonic_ns() - begin;
        }
    }
    sink = sum;
}

void bench_take_turns(struct bench_case *cases, size_t count, unsigned rounds)
{
    for (size_t i = 0; i < count; i++) {
        cases[i].best_ns = 1e300;
        cases[i].body(cases[i].n, cases[i].argument); /* warm up: sites, nodes, pages */
    }
    for (unsigned round = 0; round < rounds; round++)
        for (size_t i = 0; i < count; i++) {
            struct bench_case *c = &cases[i];
            double start = bench_now_ns();
            c->body(c->n, c->argument);
            double ns = (bench_now_ns() - start) / (double)c->n;
            ns /= c->per > 0 ? c->per : 1;
            c->best_ns = ns < c->best_ns ? ns : c->best_ns;
        }
}

void bench_print(const char *key, double value)
{
    printf("%s %.6g\n", key, value);
    fflush(stdout);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_quantile(double *values, size_t count, double q)
{
    qsort(values, count, sizeof *values, ascending);
    return values[(size_t)(q * (double)(count - 1))];
}

void bench_run_path(char *path, size_t room, const char *name)
{
    const char *folder = getenv("PITWALL_BENCH_DIR");
    int length = snprintf(path, room, "%s/%s", folder && *folder ? folder : ".", name);
    if (length < 0 || (size_t)length >= room)
        bench_fail("PITWALL_BENCH_DIR", "the path is too long");
}

void bench_fail(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what, why);
    exit(1);
}

void bench_open(const char *name)
{
    char path[4096];
    bench_run_path(path, sizeof path, name);
    unlink(path);
    int code = pit_open(path, NULL);
    if (code)
        bench_fail(path, pit_strerror(code));
}

int bench_pin(unsigned i)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof all, &all))
        return -1;
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, &all) && i-- == 0) {
            CPU_ZERO(&one);
            CPU_SET(cpu, &one);
            return sched_setaffinity(0, sizeof one, &one);
        }
    return -1;
}
