/* A device's clock mapped to the host's clock from the order of events; the recorder's symbols in this
 * program. */
#include "check.h"

#include "base/device_clock.h"
#include "base/recorder_symbols.h"
#include "pitwall.h"

TEST(bounds_close_in_on_the_offset_and_hold_it)
{
    /* The device's clock is 5,000,000 ns behind. Each command: launched at h, begins some time later, is
     * seen complete some time after its end. */
    struct pit__device_clock bounds = {0};
    int64_t offset;
    uint64_t error, last = (uint64_t)1 << 60;
    CHECK_INT(pit__device_clock_offset(&bounds, &offset, &error), 0);
    for (uint64_t i = 0; i < 50; i++) {
        uint64_t launch = 1000000000 + i * 100000, begin = launch + 1000 + 997 * ((i * 37) % 50);
        uint64_t end = begin + 20000, seen = end + 500 + 911 * ((i * 23) % 50);
        pit__device_clock_add(&bounds, begin - 5000000, launch, PIT__NO_TIME);
        /* only one bound */
        if (i == 0)
            CHECK_INT(pit__device_clock_offset(&bounds, &offset, &error), 0);
        pit__device_clock_add(&bounds, end - 5000000, PIT__NO_TIME, seen);
        REQUIRE(pit__device_clock_offset(&bounds, &offset, &error));
        int64_t off = offset - 5000000;
        CHECK((uint64_t)(off < 0 ? -off : off) <= error);
        CHECK(error <= last + 20); /* drift widens the bounds between readings */
        last = error;
    }
    CHECK(error < 2000);
    CHECK_INT(bounds.restarts, 0);
}

TEST(a_clock_that_was_set_starts_anew)
{
    struct pit__device_clock bounds = {0};
    int64_t offset;
    uint64_t error;
    pit__device_clock_add(&bounds, 1000, 2000, 2010);
    pit__device_clock_add(&bounds, 900000, 2020, 2040);
    CHECK_INT(bounds.restarts, 1);
    REQUIRE(pit__device_clock_offset(&bounds, &offset, &error));
    CHECK_INT(offset, 2030 - 900000);
    CHECK_INT(error, 10);
}

TEST(bounds_widen_by_what_clocks_may_drift)
{
    struct pit__device_clock bounds = {0};
    int64_t offset;
    uint64_t error;
    pit__device_clock_add(&bounds, 1000, 1000, 1000);
    pit__device_clock_add(&bounds, 1000 + (uint64_t)1000000000, 0, PIT__NO_TIME);
    REQUIRE(pit__device_clock_offset(&bounds, &offset, &error));
    CHECK_INT(offset, 0);
    CHECK_INT(error, 100000); /* 100 ppm of a second */
}

TEST(nanoseconds_since_1970_keep_their_last_digit)
{
    struct pit__device_clock bounds = {0};
    int64_t offset;
    uint64_t error;
    pit__device_clock_add(&bounds, 17, 1700000000000000017u, 1700000000000000019u);
    REQUIRE(pit__device_clock_offset(&bounds, &offset, &error));
    CHECK(offset == 1700000000000000001);
    CHECK_INT(error, 1);
}

TEST(a_recorder_inside_the_executable_is_found_by_its_symbols)
{
    static const char *const names[] = {"pit__enabled", "pit_add_span", "pit_position"};
    static const char *const others[] = {"pit__enabled", "pit_no_such_call"};
    void *found[3];
    REQUIRE(pit__recorder_symbols(names, found, 3, 3));
    CHECK(found[0] == (void *)&pit__enabled);
    CHECK((uintptr_t)found[1] == (uintptr_t)pit_add_span);
    CHECK((uintptr_t)found[2] == (uintptr_t)pit_position);
    CHECK(!pit__recorder_symbols(others, found, 2, 2));
    REQUIRE(pit__recorder_symbols(others, found, 1,
                                  2)); /* from the same recorder, as far as it has them */
    CHECK(found[0] == (void *)&pit__enabled && !found[1]);
}
