/* Parts that are slow in the same iterations, and parts that are slow at random. */
#include "check.h"

#include "analysis/together.h"

#include <math.h>

enum { COUNT = 200 };

static double first[COUNT], second[COUNT];
static uint32_t state;

static double random_share(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / 16777216;
}

static double waits(double share)
{
    return random_share() < share ? -0.01 * log(random_share() + 1e-9) : 0;
}

static double together(size_t count)
{
    double times;
    REQUIRE(pit__together_find(first, second, count, &times) == 0);
    return times;
}

TEST(inputs_of_many_sizes_make_both_parts_longer)
{
    state = 3;
    for (size_t i = 0; i < COUNT; i++) {
        double size = 1 + 9 * random_share();
        first[i] = 0.002 * size + waits(0.5);
        second[i] = 0.005 * size + waits(0.5);
    }
    CHECK(together(COUNT) > 2);
}

TEST(waits_at_random_do_not)
{
    int wrong = 0;
    state = 5;
    for (int trial = 0; trial < 100; trial++) {
        for (size_t i = 0; i < COUNT; i++) {
            first[i] = 0.002 + waits(0.008 * trial);
            second[i] = 0.005 + waits(0.008 * trial);
        }
        wrong += together(COUNT) > 2;
    }
    CHECK_INT(wrong, 0);
}

TEST(a_slow_stretch_of_the_run_is_no_input)
{
    state = 7;
    for (size_t i = 0; i < COUNT; i++) {
        double slow = i < COUNT / 2 ? 1 : 6;
        first[i] = 0.002 * slow + waits(0.2);
        second[i] = 0.005 * slow + waits(0.2);
    }
    CHECK(together(COUNT) < 1.5);
}

TEST(too_few_and_parts_without_time_say_nothing)
{
    CHECK(isnan(together(20)));
    for (size_t i = 0; i < COUNT; i++)
        second[i] = 0;
    CHECK(isnan(together(COUNT)));
}
