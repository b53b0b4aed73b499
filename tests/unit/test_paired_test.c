/* The permutation test of pairs, checked by counting all swaps; and its confidence interval. */
#include "check.h"
#include "noise.h"

#include "analysis/order_stats.h"
#include "analysis/paired_test.h"

#include <math.h>

#define MOST 16

static double figure_of(const double *values, size_t n, enum pit__paired_figure figure)
{
    double sorted[MOST], sum = 0;
    memcpy(sorted, values, n * sizeof *values);
    pit__sort(sorted, n);
    size_t count = figure == PIT__MEAN ? n : (n + 2) / 3;
    for (size_t i = 0; i < count; i++)
        sum += sorted[i];
    return sum / (double)count;
}

/* The share of all 2^n swaps whose difference is at least as large, each computed in full. */
static double p_by_hand(const double *x, const double *y, size_t n, enum pit__paired_figure figure,
                        double shift)
{
    double seen = 0;
    size_t as_large = 0, ways = (size_t)1 << n;
    for (size_t way = 0; way < ways; way++) {
        double a[MOST], b[MOST];
        for (size_t i = 0; i < n; i++) {
            int swap = (int)(way >> i & 1);
            a[i] = swap ? y[i] - shift : x[i];
            b[i] = swap ? x[i] : y[i] - shift;
        }
        double difference = fabs(figure_of(b, n, figure) - figure_of(a, n, figure));
        if (way == 0)
            seen = difference;
        as_large += difference >= seen - 1e-12;
    }
    return (double)as_large / (double)ways;
}

static void make_pairs(double *x, double *y, size_t n, double difference)
{
    for (size_t i = 0; i < n; i++) {
        x[i] = 0.05 * noise_normal() + (noise_uniform() < 0.3 ? 0.4 : 0);
        y[i] = 0.05 * noise_normal() + (noise_uniform() < 0.3 ? 0.4 : 0) + difference;
    }
}

TEST(p_values_are_those_of_all_swaps_counted_by_hand)
{
    double x[MOST], y[MOST];
    for (size_t n = 1; n <= PIT__EXACT_PAIRS; n++)
        for (int round = 0; round < 6; round++) {
            make_pairs(x, y, n, round % 2 ? 0.1 : 0);
            for (enum pit__paired_figure figure = PIT__LOWEST_THIRD; figure <= PIT__MEAN; figure++)
                for (int k = 0; k < 2; k++) {
                    double shift = k * 0.07, want = p_by_hand(x, y, n, figure, shift);
                    CHECK_NEAR(pit__paired_p(x, y, n, figure, shift), want, 1e-12);
                }
        }
}

TEST(drawn_swaps_come_near_to_all_of_them)
{
    double x[MOST], y[MOST];
    size_t n = PIT__EXACT_PAIRS + 1;
    for (int round = 0; round < 4; round++) {
        make_pairs(x, y, n, 0.03 * round);
        for (enum pit__paired_figure figure = PIT__LOWEST_THIRD; figure <= PIT__MEAN; figure++) {
            double want = p_by_hand(x, y, n, figure, 0);
            /* five standard deviations of a share of PIT__SWAPS draws, which are the same each time */
            double room = 5 * sqrt(want * (1 - want) / PIT__SWAPS) + 2.0 / PIT__SWAPS;
            CHECK_NEAR(pit__paired_p(x, y, n, figure, 0), want, room);
        }
    }
}

TEST(a_difference_in_all_pairs_has_the_least_p)
{
    double x[10], y[10];
    struct pit__paired_test test;
    for (int i = 0; i < 10; i++) {
        x[i] = i;
        y[i] = i + 100;
    }
    for (enum pit__paired_figure figure = PIT__LOWEST_THIRD; figure <= PIT__MEAN; figure++) {
        REQUIRE(pit__paired_test(x, y, 10, figure, 0.05, &test) == 0);
        CHECK_NEAR(test.is.p, 2.0 / 1024, 1e-15);
        CHECK(test.is.is_defined && test.is.estimate == 100 && test.b - test.a == 100);
        CHECK(test.is.low > 50 && test.is.low <= 100 && test.is.high >= 100 && test.is.high < 150);
    }
    REQUIRE(pit__paired_test(x, y, 10, PIT__LOWEST_THIRD, 0.05, &test) == 0);
    CHECK(test.a == 1.5 && test.b == 101.5); /* of 0, 1, 2, 3 */
    REQUIRE(pit__paired_test(x, y, 10, PIT__MEAN, 0.05, &test) == 0);
    CHECK(test.a == 4.5);
}

TEST(the_interval_is_what_the_test_does_not_reject)
{
    static double x[100], y[100];
    static const size_t counts[] = {8, 12, 20, 70, 100};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (int round = 0; round < 4; round++) {
            size_t n = counts[c];
            struct pit__paired_test test;
            make_pairs(x, y, n, 0.04 * round);
            for (enum pit__paired_figure figure = PIT__LOWEST_THIRD; figure <= PIT__MEAN;
                 figure++) {
                REQUIRE(pit__paired_test(x, y, n, figure, 0.05, &test) == 0);
                REQUIRE(test.is.is_defined);
                CHECK(test.is.low <= test.is.estimate && test.is.estimate <= test.is.high);
                /* it excludes 0 exactly if the p-value is small */
                CHECK((test.is.low > 0 || test.is.high < 0) == (test.is.p <= 0.05));
                double width = test.is.high - test.is.low;
                CHECK(pit__paired_p(x, y, n, figure, test.is.low - 0.02 * width) <= 0.05);
                CHECK(pit__paired_p(x, y, n, figure, test.is.high + 0.02 * width) <= 0.05);
                CHECK(pit__paired_p(x, y, n, figure, test.is.estimate) > 0.9);
            }
        }
}

TEST(swapped_sides_give_the_mirrored_answer_and_the_same_input_the_same_one)
{
    double x[40], y[40];
    struct pit__paired_test test, again, mirrored;
    make_pairs(x, y, 40, 0.05);
    for (enum pit__paired_figure figure = PIT__LOWEST_THIRD; figure <= PIT__MEAN; figure++) {
        REQUIRE(pit__paired_test(x, y, 40, figure, 0.05, &test) == 0);
        REQUIRE(pit__paired_test(x, y, 40, figure, 0.05, &again) == 0);
        REQUIRE(pit__paired_test(y, x, 40, figure, 0.05, &mirrored) == 0);
        CHECK(again.is.p == test.is.p && again.is.estimate == test.is.estimate &&
              again.is.low == test.is.low && again.is.high == test.is.high);
        CHECK_NEAR(mirrored.is.p, test.is.p, 1e-12);
        CHECK_NEAR(mirrored.is.estimate, -test.is.estimate, 1e-12);
        CHECK_NEAR(mirrored.is.low, -test.is.high, 1e-6);
    }
}

TEST(too_few_pairs_for_the_level_have_no_interval)
{
    double x[5] = {1, 2, 3, 4, 5}, y[5] = {11, 12, 13, 14, 15};
    struct pit__paired_test test;
    REQUIRE(pit__paired_test(x, y, 5, PIT__MEAN, 0.05, &test) == 0);
    CHECK(!test.is.is_defined && isnan(test.is.low) && test.is.estimate == 10);
    CHECK_NEAR(test.is.p, 2.0 / 32, 1e-15);
    REQUIRE(pit__paired_test(x, y, 0, PIT__MEAN, 0.05, &test) == 0);
    CHECK(!test.is.is_defined && isnan(test.is.p) && isnan(test.a));
    REQUIRE(pit__paired_test(x, x, 5, PIT__LOWEST_THIRD, 0.2, &test) == 0);
    CHECK(test.is.p == 1 && test.is.estimate == 0);
}

TEST(equal_pairs_are_no_difference)
{
    double x[30], y[30];
    struct pit__paired_test test;
    for (int i = 0; i < 30; i++)
        x[i] = y[i] = i % 3;
    for (enum pit__paired_figure figure = PIT__LOWEST_THIRD; figure <= PIT__MEAN; figure++) {
        REQUIRE(pit__paired_test(x, y, 30, figure, 0.05, &test) == 0);
        CHECK(test.is.p == 1 && test.is.estimate == 0 && test.is.low <= 0 && test.is.high >= 0);
    }
}

TEST(the_lowest_third_is_rounded_up)
{
    double four[4] = {9, 1, 3, 7}, one[1] = {5}, bad[2] = {1, NAN};
    CHECK(pit__lowest_third(four, 4) == 2);
    CHECK(pit__lowest_third(one, 1) == 5);
    CHECK(isnan(pit__lowest_third(one, 0)) && isnan(pit__lowest_third(bad, 2)));
}
