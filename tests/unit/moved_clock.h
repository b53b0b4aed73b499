/* moved_clock.h: a clock that only the test moves, for benchmarks and monitors: their figures are then the
 * same on every machine. */
#ifndef PIT_MOVED_CLOCK_H
#define PIT_MOVED_CLOCK_H

#include <pitwall_report.h>

#include <stdint.h>

static struct {
    uint64_t ns;
    uint64_t reading_ns; /* time that one reading takes */
} moved_clock;

static inline uint64_t moved_clock_now(void *arg)
{
    (void)arg;
    return moved_clock.ns += moved_clock.reading_ns;
}

static inline void use_moved_clock(uint64_t reading_ns)
{
    static const pit_sources sources = {.monotonic_ns = moved_clock_now};
    moved_clock.ns = 1000000000u;
    moved_clock.reading_ns = reading_ns;
    pit_set_sources(&sources);
}

static inline void move_clock(double seconds)
{
    moved_clock.ns += (uint64_t)(seconds * 1e9 + 0.5);
}

#endif
