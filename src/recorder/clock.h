/* The span clock: its choice, one reading of it, and pairs that relate its ticks to real time. */
#ifndef PIT_CLOCK_H
#define PIT_CLOCK_H

#include "format/run_format.h"

#include <stdint.h>
#include <time.h>

struct pit__clock {
    enum pit_fmt_clock kind;
    uint64_t nominal_hz;   /* 0 if the hardware does not provide it */
    uint32_t series_shift; /* about 1 ms as a power of two of ticks: the first series width */
};

/* Choose the clock, once per process. */
const struct pit__clock *pit__clock_get(void);

/* Read all clocks, the best of ten. */
struct pit_fmt_pair pit__clock_pair(void);

/* Keep the process's first pair, from which the clock's rate is measured. */
void pit__clock_begin(const struct pit_fmt_pair *pair);
/* Nanoseconds by the rate measured since then, for callers without a recorder. 0 if there was no pair. */
uint64_t pit__clock_ns(uint64_t ticks);

static inline uint64_t pit__clock_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One reading. `counter`: the hardware counter was chosen; the caller passes its own copy, so that
 * the hot path touches no further cache line. */
static inline uint64_t pit__clock_read(uint32_t counter)
{
#if defined(__x86_64__)
    if (__builtin_expect(counter, 1))
        return __builtin_ia32_rdtsc(); /* __rdtsc without the 45,000 lines of <x86intrin.h> */
#elif defined(__aarch64__)
    if (__builtin_expect(counter, 1)) {
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
        return ticks;
    }
#else
    (void)counter;
#endif
    return pit__clock_monotonic_ns();
}

static inline uint32_t pit__clock_is_counter(const struct pit__clock *clock)
{
    return clock->kind != PIT_FMT_CLOCK_MONOTONIC;
}

#endif
