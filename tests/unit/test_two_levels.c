/* Two levels are distinguished from a trend, from one level, and from noise. */
#include "check.h"

#include "analysis/two_levels.h"

#include <math.h>

static unsigned state;
static double noise(double most)
{
    state = state * 1664525u + 1013904223u;
    return 1 + most * ((double)(state >> 16) / 65536 - 0.5);
}

static struct pit__two_levels found_in(double (*at)(size_t), double most, size_t count)
{
    double durations[400];
    struct pit__two_levels levels;
    state = 7;
    for (size_t i = 0; i < count; i++)
        durations[i] = at(i) * noise(most);
    REQUIRE(pit__two_levels_find(durations, count, &levels) == 0);
    return levels;
}

static double stepped(size_t i)
{
    return i < 150 ? 2 : 8;
}
static double rising(size_t i)
{
    return 1 + (double)i / 100;
}
static double flat(size_t i)
{
    return i < 1000 ? 3 : 0;
}
static double first_slow(size_t i)
{
    return i < 3 ? 20 : 1;
}

TEST(a_step_has_its_place_and_its_height)
{
    struct pit__two_levels levels = found_in(stepped, 0.3, 400);
    CHECK_INT(levels.begins, 150);
    CHECK_NEAR(levels.first, 2, 0.1);
    CHECK_NEAR(levels.times, 4, 0.2);
}

TEST(a_trend_one_level_and_a_slow_start_are_no_step)
{
    CHECK(isnan(found_in(rising, 0.1, 400).times));
    CHECK(isnan(found_in(flat, 0.3, 400).times));
    CHECK(isnan(found_in(first_slow, 0.1, 400).times));
    CHECK(isnan(found_in(stepped, 0.1, 10).times)); /* too few */
}

TEST(durations_of_nothing_are_no_step)
{
    double durations[40] = {0};
    struct pit__two_levels levels;
    REQUIRE(pit__two_levels_find(durations, 40, &levels) == 0);
    CHECK(isnan(levels.times));
}
