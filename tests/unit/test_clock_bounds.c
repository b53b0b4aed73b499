/* Offset and drift between clocks, from collectives of two hosts whose clocks are known. */
#include "analysis/clock_bounds.h"
#include "check.h"

#include <math.h>
#include <stdint.h>

enum { CALLS = 220 };

static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* A call every 100 ms: each host arrives up to 5 ms after the other, and leaves 20 to 120 µs after both
 * have arrived. The clock there shows offset + (1 + drift) times that of here. */
static void make_calls(struct pit__crossing *calls, double offset, double drift, uint64_t seed)
{
    state = seed;
    for (int i = 0; i < CALLS; i++) {
        double here = i * 1e8 + 5e6 * uniform(), there = i * 1e8 + 5e6 * uniform();
        double both = fmax(here, there);
        double here_left = both + 20e3 + 100e3 * uniform();
        double there_left = both + 20e3 + 100e3 * uniform();
        calls[i] = (struct pit__crossing){.here_enter = here,
                                          .here_leave = here_left,
                                          .there_enter = there * (1 + drift) + offset,
                                          .there_leave = there_left * (1 + drift) + offset};
    }
}

static void check_found(double offset, double drift, uint64_t seed)
{
    static struct pit__crossing calls[CALLS];
    struct pit__clock_bounds found;
    make_calls(calls, offset, drift, seed);
    pit__clock_bounds_find(calls, CALLS, &found);
    CHECK_INT(found.is_consistent, 1);
    /* about a tenth of a millisecond, not the 5 ms between their arrivals */
    CHECK(found.bound < 200e3);
    CHECK(fabs(found.drift - drift) <= found.drift_bound);
    for (int i = 0; i < CALLS; i++) {
        double at = calls[i].here_enter, truth = offset + drift * at;
        CHECK(fabs(pit__clock_offset(&found, at) - truth) <= found.bound);
    }
}

TEST(a_second_and_fifty_ppm_are_found_within_the_bound)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        check_found(1e9, 50e-6, seed);
        check_found(-1e9, -50e-6, seed);
        check_found(1e9, 0, seed);
        check_found(0, 0, seed);
    }
}

TEST(one_call_bounds_the_offset_and_not_the_drift)
{
    const struct pit__crossing call = {100, 200, 1100, 1250};
    struct pit__clock_bounds found;
    pit__clock_bounds_find(&call, 1, &found);
    CHECK_INT(found.is_consistent, 1);
    CHECK(found.offset - found.bound <= 900.1 && found.offset + found.bound >= 1149.9);
    CHECK(found.drift_bound >= 0.9 * PIT__MOST_DRIFT);
}

TEST(a_clock_that_was_set_meanwhile_fits_nothing)
{
    static struct pit__crossing calls[CALLS];
    struct pit__clock_bounds found;
    make_calls(calls, 1e9, 0, 5);
    for (int i = CALLS / 2; i < CALLS; i++) {
        calls[i].there_enter += 5e9;
        calls[i].there_leave += 5e9;
    }
    pit__clock_bounds_find(calls, CALLS, &found);
    CHECK_INT(found.is_consistent, 0);
    CHECK(isnan(found.offset));
    pit__clock_bounds_find(calls, 0, &found);
    CHECK_INT(found.is_consistent, 0);
}
