/* The robust slope, and what counts as growth. */
#include "check.h"

#include "analysis/growth.h"

#include <math.h>

#define POINTS 101

static double x[POINTS], y[POINTS];

/* A level of 1000 with a slope, and a saw tooth of a given height on it. */
static void make(double slope, double noise)
{
    for (int i = 0; i < POINTS; i++) {
        x[i] = i;
        y[i] = 1000 + slope * i + noise * (i * 7 % 5 - 2);
    }
}

TEST(a_straight_line_has_its_own_slope)
{
    struct pit__growth growth;
    make(3, 0);
    CHECK_INT(pit__growth_fit(x, y, POINTS, &growth), 0);
    CHECK_INT(growth.points, POINTS);
    CHECK_NEAR(growth.slope, 3, 1e-12);
    CHECK_NEAR(growth.low, 3, 1e-12);
    CHECK_NEAR(growth.high, 3, 1e-12);
    CHECK_NEAR(growth.change, 300, 1e-9);
    CHECK_NEAR(growth.level, 1150, 1e-9);
    CHECK(pit__is_growing(&growth, 100));
    CHECK(!pit__is_growing(&growth, 301));
}

TEST(a_quarter_of_wild_points_does_not_move_it_far)
{
    struct pit__growth growth;
    make(3, 1);
    for (int i = 1; i < POINTS; i += 4)
        y[i] = i % 8 == 1 ? 1e9 : 0;
    CHECK_INT(pit__growth_fit(x, y, POINTS, &growth), 0);
    CHECK_NEAR(growth.slope, 3, 0.5);
}

TEST(noise_on_a_level_is_no_growth)
{
    struct pit__growth growth;
    make(0, 200);
    CHECK_INT(pit__growth_fit(x, y, POINTS, &growth), 0);
    CHECK_NEAR(growth.slope, 0, 0.5);
    CHECK(!pit__is_growing(&growth, 1));
}

TEST(a_rise_below_one_percent_of_the_level_is_no_growth)
{
    struct pit__growth growth;
    make(0.05, 0); /* 5 of 1000 */
    CHECK_INT(pit__growth_fit(x, y, POINTS, &growth), 0);
    CHECK_NEAR(growth.change, 5, 1e-9);
    CHECK(!pit__is_growing(&growth, 1));
}

TEST(what_shrinks_does_not_grow)
{
    struct pit__growth growth;
    make(-3, 0);
    CHECK_INT(pit__growth_fit(x, y, POINTS, &growth), 0);
    CHECK_NEAR(growth.slope, -3, 1e-12);
    CHECK(!pit__is_growing(&growth, 0));
}

TEST(too_few_points_give_no_slope)
{
    struct pit__growth growth;
    make(3, 0);
    CHECK_INT(pit__growth_fit(x, y, 2, &growth), 0);
    CHECK(isnan(growth.slope) && !pit__is_growing(&growth, 0));
    CHECK_INT(pit__growth_fit(x, y, 0, &growth), 0);
    CHECK(isnan(growth.slope));
    for (int i = 0; i < POINTS; i++)
        y[i] = i < 2 ? (double)i : (double)NAN; /* unknown values do not count */
    CHECK_INT(pit__growth_fit(x, y, POINTS, &growth), 0);
    CHECK_INT(growth.points, 2);
    CHECK(isnan(growth.slope));
    for (int i = 0; i < POINTS; i++)
        x[i] = 7, y[i] = i; /* nor do values at the same instant */
    CHECK_INT(pit__growth_fit(x, y, POINTS, &growth), 0);
    CHECK_INT(growth.points, 1);
}

TEST(of_very_many_points_some_are_used)
{
    static double many_x[10000], many_y[10000];
    struct pit__growth growth;
    for (int i = 0; i < 10000; i++) {
        many_x[i] = i;
        many_y[i] = 2.0 * i;
    }
    CHECK_INT(pit__growth_fit(many_x, many_y, 10000, &growth), 0);
    CHECK(growth.points <= PIT__GROWTH_POINTS && growth.points > 400);
    CHECK_NEAR(growth.slope, 2, 1e-12);
}
