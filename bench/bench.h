/* bench.h: shared by the benchmark programs.
 *
 * A program prints lines "key value"; bench/run.sh runs all of them and bench/collect.py makes the
 * table and the JSON. The figure of a case is the time of the fastest of many short batches:
 * disturbances only ever make a batch slower. Times are read from the tick clock, because the CPU time of a
 * virtual machine can leave out time that was spent. Cases that are compared take turns in one run, so that
 * they run under the same conditions.
 */
#ifndef PIT_BENCH_H
#define PIT_BENCH_H

#include <pitwall.h>

#include <stddef.h>
#include <stdint.h>
#include <time.h>

/* Returns 1 if the recorder uses the hardware counter: on x86 if the kernel does, on ARM always. */
int bench_has_counter(void);

static inline uint64_t bench_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One read of the hardware counter, if there is one. */
static inline uint64_t bench_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
#else
    return bench_monotonic_ns();
#endif
}

/* Nanoseconds of one tick of bench_counter, measured once against CLOCK_MONOTONIC_RAW. */
double bench_ns_per_tick(void);

/* Time for batches, in nanoseconds: the hardware counter, or CLOCK_MONOTONIC. */
double bench_now_ns(void);

/* The floor: n times two clock reads whose difference is summed, as a program would do by hand. */
void bench_floor(uint64_t n, void *unused);

struct bench_case {
    void (*body)(uint64_t n, void *argument);
    void *argument;
    uint64_t n;     /* iterations per batch */
    double per;     /* units per iteration, 0: 1 */
    double best_ns; /* result: per iteration / per, of the fastest batch */
};

/* Run the cases in turns, `rounds` times each. */
void bench_take_turns(struct bench_case *cases, size_t count, unsigned rounds);

void bench_print(const char *key, double value);

/* The value below which a share `q` of the values lies. Sorts the array. */
double bench_quantile(double *values, size_t count, double q);

/* The path for a run of this benchmark: in PITWALL_BENCH_DIR, or in ".". */
void bench_run_path(char *path, size_t room, const char *name);

/* Print "program: what: why" and exit with 1. */
_Noreturn void bench_fail(const char *what, const char *why);

/* Call pit_open, which must succeed, at the path for `name`, which is removed first. */
void bench_open(const char *name);

/* Bind the calling thread to the i-th of the processors it may use. Returns 0, or -1 if there is none. */
int bench_pin(unsigned i);

#endif
