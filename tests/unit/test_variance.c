/* Outliers, periods and drift, on series in which they are known. */
#include "check.h"

#include "analysis/variance.h"

#include <math.h>

static double series[2000];
static uint32_t state = 1;

static double random_share(void)
{
    state = state * 1664525u + 1013904223u;
    return (double)(state >> 8) / 16777216;
}

/* About 10 ms, by up to `noise` more or less. */
static void fill(size_t count, double noise)
{
    for (size_t i = 0; i < count; i++)
        series[i] = 0.01 * (1 + noise * (2 * random_share() - 1));
}

static struct pit__variation find(size_t count)
{
    struct pit__variation found;
    REQUIRE(pit__variation_find(series, count, &found) == 0);
    return found;
}

TEST(figures_are_those_of_the_numbers)
{
    static const double numbers[] = {1, 2, 3, 4, 10};
    memcpy(series, numbers, sizeof numbers);
    struct pit__variation v = find(5);
    CHECK_NEAR(v.mean, 4, 1e-12);
    CHECK_NEAR(v.median, 3, 0);
    CHECK_NEAR(v.ratio, 10, 0);
    CHECK_NEAR(v.variation, sqrt(50.0 / 5) / 4, 1e-12);
    CHECK_INT(v.off_count, 2); /* 1 and 10; 2 is just 3 / 1.5 */
    v = find(0);
    CHECK(isnan(v.mean) && isnan(v.drift) && v.period == 0);
}

TEST(noise_has_no_outlier_no_period_and_no_drift)
{
    int periods = 0, drifts = 0, outliers = 0;
    for (int round = 0; round < 100; round++) {
        fill(20 + 7 * (size_t)round, 0.05);
        struct pit__variation v = find(20 + 7 * (size_t)round);
        periods += v.period > 0;
        drifts += !isnan(v.drift);
        outliers += v.outlier_count > 0;
    }
    CHECK_INT(periods, 0);
    CHECK(drifts <= 2);
    CHECK_INT(outliers, 0);
}

TEST(outliers_are_listed_in_their_order_the_largest_of_many)
{
    fill(500, 0.05);
    for (size_t i = 0; i < 20; i++)
        series[i * i + 3] = 0.02 + 0.001 * (double)((i * 7) % 20);
    struct pit__variation v = find(500);
    CHECK_INT(v.outlier_count, 20);
    for (size_t i = 1; i < PIT__OUTLIERS; i++)
        CHECK(v.outliers[i] > v.outliers[i - 1]);
    double least = 1;
    for (size_t i = 0; i < PIT__OUTLIERS; i++)
        least = fmin(least, series[v.outliers[i]]);
    CHECK_NEAR(least, 0.032, 1e-9);
}

TEST(stalls_on_a_beat_have_its_period)
{
    static const size_t periods[] = {2, 5, 10, 33, 100};
    for (size_t k = 0; k < 5; k++) {
        fill(600, 0.05);
        for (size_t i = 4; i < 600; i += periods[k])
            series[i] *= 4;
        CHECK_INT(find(600).period, periods[k]);
    }
}

TEST(a_beat_survives_a_missed_one_and_stray_outliers)
{
    fill(300, 0.05);
    for (size_t i = 9; i < 300; i += 10)
        series[i] *= 3;
    series[49] = 0.01;
    series[101] = series[222] = 0.05;
    struct pit__variation v = find(300);
    CHECK_INT(v.period, 10);
    CHECK_INT(v.slow_count, 31);
}

TEST(slow_and_fast_in_turn_is_a_rhythm)
{
    fill(100, 0.05);
    for (size_t i = 0; i < 100; i++)
        series[i] *= i % 4 < 2 ? 2 : 1;
    CHECK_INT(find(100).period, 4);
}

TEST(outliers_without_a_beat_have_no_period)
{
    int periods = 0;
    for (int round = 0; round < 50; round++) {
        fill(300, 0.05);
        for (int k = 0; k < 12; k++)
            series[(size_t)(300 * random_share())] = 0.04;
        periods += find(300).period > 0;
    }
    CHECK_INT(periods, 0);
}

TEST(drift_up_and_down_is_its_change_along_the_series)
{
    fill(200, 0.1);
    for (size_t i = 0; i < 200; i++)
        series[i] *= 1 + (double)i / 199;
    CHECK_NEAR(find(200).drift, 0.667, 0.05);
    for (size_t i = 0; i < 100; i++) {
        double swap = series[i];
        series[i] = series[199 - i];
        series[199 - i] = swap;
    }
    CHECK_NEAR(find(200).drift, -0.667, 0.05);
}

TEST(growth_that_goes_back_on_its_way_is_known)
{
    fill(200, 0.02);
    for (size_t i = 0; i < 200; i++)
        series[i] *= 1 + 0.3 * (double)i / 199;
    CHECK(find(200).drift > 0.2);
    CHECK(find(200).falls < 0.1);
    fill(200, 0.02);
    for (size_t i = 0; i < 200; i++) /* fast again for a while */
        series[i] *= i >= 100 && i < 140 ? 1 : 1 + 0.3 * (double)i / 199;
    CHECK(find(200).drift > 0.2);
    CHECK(find(200).falls > 0.3);
    fill(200, 0.02);
    CHECK(isnan(find(200).drift) == isnan(find(200).falls));
    fill(7, 0);
    CHECK(isnan(find(7).falls));
}

TEST(what_is_no_number_is_passed_over)
{
    fill(50, 0.05);
    series[3] = NAN;
    series[4] = INFINITY;
    struct pit__variation v = find(50);
    CHECK(v.max < 0.011);
    CHECK_INT(v.count, 50);
    for (size_t i = 0; i < 50; i++)
        series[i] = NAN;
    CHECK(isnan(find(50).median));
}

/* Most waits of a busy machine are in iterations that are not on the beat. */
static void add_waits(size_t count, double share)
{
    for (size_t i = 0; i < count; i++)
        if (random_share() < share)
            series[i] += 0.02 - 0.02 * log(random_share() + 1e-9);
}

TEST(a_beat_among_waits_is_found_by_ranks)
{
    size_t wrong = 0;
    for (int trial = 0; trial < 20; trial++) {
        fill(500, 0.1);
        for (size_t i = 3; i < 500; i += 25)
            series[i] += 0.03;
        add_waits(500, 0.3);
        struct pit__variation v = find(500);
        wrong += v.period != 25 || !v.is_ranked || v.slow_count != 20 || v.slow_mean < 0.035;
    }
    CHECK(wrong <= 1);
}

TEST(waits_alone_have_no_beat)
{
    int periods = 0;
    for (int trial = 0; trial < 100; trial++) {
        fill(400, 0.1);
        add_waits(400, 0.05 + 0.009 * trial);
        periods += find(400).period > 0;
    }
    CHECK_INT(periods, 0);
}

TEST(the_lower_third_does_not_know_of_waits)
{
    fill(400, 0.1);
    add_waits(400, 0.3);
    CHECK(find(400).low_spread < 1.2);
    for (size_t i = 0; i < 400; i++)
        series[i] *= 1 + 9 * random_share();
    CHECK(find(400).low_spread > 2);
}
