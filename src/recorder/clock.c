/* Choosing the span clock and reading clock pairs.
 *
 * The time-stamp counter is used if the kernel itself uses it as clocksource: then the kernel
 * has checked that it runs at one rate, the same on all cores, through sleep states. Its rate is
 * computed from the first and the last pair of a run.
 */
#include "clock.h"

#include "format/ordered.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct pit__clock chosen;
static int is_chosen; /* set after `chosen` is filled; filling it twice gives the same result */

#if defined(__x86_64__)
static int kernel_uses_tsc(void)
{
    char name[16] = "";
    int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                  O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t got = read(fd, name, sizeof name - 1);
    close(fd);
    return got >= 4 && memcmp(name, "tsc\n", 4) == 0;
}
#endif

static struct pit__clock choose(void)
{
    struct pit__clock clock = {PIT_FMT_CLOCK_MONOTONIC, 1000000000u, 20};
    const char *asked = secure_getenv("PITWALL_CLOCK");
    if (asked && strcmp(asked, "monotonic") == 0)
        return clock;
#if defined(__x86_64__)
    if (kernel_uses_tsc()) {
        clock.kind = PIT_FMT_CLOCK_TSC;
        clock.nominal_hz = 0;
        clock.series_shift = 21;
    }
#elif defined(__aarch64__)
    uint64_t hz;
    __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
    if (hz >= 1000000u) {
        clock.kind = PIT_FMT_CLOCK_CNTVCT;
        clock.nominal_hz = hz;
        clock.series_shift = 63u - (uint32_t)__builtin_clzll(hz / 1000u);
    }
#endif
    return clock;
}

const struct pit__clock *pit__clock_get(void)
{
    if (!PIT_LOAD_ACQUIRE(is_chosen)) {
        struct pit__clock clock = choose();
        PIT_STORE(chosen.kind, clock.kind);
        PIT_STORE(chosen.nominal_hz, clock.nominal_hz);
        PIT_STORE(chosen.series_shift, clock.series_shift);
        PIT_STORE_ORDERED(is_chosen, 1);
    }
    return &chosen;
}

static uint64_t read_ns(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The span clock and the wall clock are each read between two readings of the raw clock. The thread may
 * lose its core between any two, so the tightest of ten attempts is used. */
struct pit_fmt_pair pit__clock_pair(void)
{
    uint32_t counter = pit__clock_is_counter(pit__clock_get());
    struct pit_fmt_pair best = {0, 0, 0, UINT64_MAX};
    uint64_t wall_error = UINT64_MAX, wall_at = 0, wall = 0;
    for (int i = 0; i < 10; i++) {
        uint64_t before = read_ns(CLOCK_MONOTONIC_RAW);
        uint64_t ticks = pit__clock_read(counter);
        uint64_t after = read_ns(CLOCK_MONOTONIC_RAW);
        uint64_t error = (after - before + 1) / 2;
        if (error < best.error_ns) {
            best.ticks = ticks;
            best.raw_ns = before + (after - before) / 2;
            best.error_ns = error;
        }
        uint64_t wall_now = read_ns(CLOCK_REALTIME), end = read_ns(CLOCK_MONOTONIC_RAW);
        if (end - after < wall_error) {
            wall_error = end - after;
            wall_at = after + wall_error / 2;
            wall = wall_now;
        }
    }
    best.wall_ns = wall - (wall_at - best.raw_ns);
    return best;
}

static struct pit_fmt_pair process_first;
static int has_first; /* 1: a thread is filling it; 2: it is filled */

void pit__clock_begin(const struct pit_fmt_pair *pair)
{
    int none = 0;
    if (!__atomic_compare_exchange_n(&has_first, &none, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    process_first = *pair;
    PIT_STORE_ORDERED(has_first, 2);
}

uint64_t pit__clock_ns(uint64_t ticks)
{
    const struct pit__clock *clock = pit__clock_get();
    if (clock->nominal_hz)
        return (uint64_t)((double)ticks * 1e9 / (double)clock->nominal_hz);
    if (PIT_LOAD_ACQUIRE(has_first) != 2)
        return 0;
    struct pit_fmt_pair now = pit__clock_pair();
    if (now.ticks <= process_first.ticks)
        return 0;
    return (uint64_t)((double)ticks * (double)(now.raw_ns - process_first.raw_ns) /
                      (double)(now.ticks - process_first.ticks));
}
