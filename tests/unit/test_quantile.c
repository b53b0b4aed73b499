/* Quantiles of a histogram with sparse bins. */
#include "check.h"

#include "analysis/quantile.h"

#include <math.h>

struct bin {
    double low, high;
    uint64_t count;
};

static double quantile(const struct bin *bins, size_t count, double min, double max, double q)
{
    struct pit__bins view = {&bins->low, &bins->high, &bins->count, sizeof *bins, count};
    return pit__quantile(&view, min, max, q);
}

TEST(rank_is_the_smallest_whose_cumulative_count_reaches_q_times_n)
{
    struct bin bins[100];
    for (int i = 0; i < 100; i++)
        bins[i] = (struct bin){i + 1, i + 1, 1};
    CHECK_NEAR(quantile(bins, 100, 1, 100, 0), 1, 0);
    CHECK_NEAR(quantile(bins, 100, 1, 100, 0.005), 1, 0);
    CHECK_NEAR(quantile(bins, 100, 1, 100, 0.5), 50, 0);
    CHECK_NEAR(quantile(bins, 100, 1, 100, 0.501), 51, 0);
    CHECK_NEAR(quantile(bins, 100, 1, 100, 0.95), 95, 0);
    CHECK_NEAR(quantile(bins, 100, 1, 100, 0.99), 99, 0);
    CHECK_NEAR(quantile(bins, 100, 1, 100, 1), 100, 0);
}

TEST(every_percent_of_a_hundred_samples_is_that_sample)
{
    struct bin bins[100];
    for (int i = 0; i < 100; i++)
        bins[i] = (struct bin){i + 1, i + 1, 1};
    for (int i = 1; i <= 100; i++)
        CHECK_NEAR(quantile(bins, 100, 1, 100, i / 100.0), i, 0);
}

TEST(middle_of_the_bin_is_kept_inside_min_and_max)
{
    struct bin bins[] = {{100, 200, 10}};
    CHECK_NEAR(quantile(bins, 1, 100, 200, 0.5), 150, 0);
    CHECK_NEAR(quantile(bins, 1, 180, 190, 0.5), 180, 0);
    CHECK_NEAR(quantile(bins, 1, 101, 103, 0.5), 103, 0);
}

TEST(no_samples_have_no_quantile)
{
    struct bin bins[] = {{1, 2, 0}};
    CHECK(isnan(quantile(bins, 0, 0, 0, 0.5)));
    CHECK(isnan(quantile(bins, 1, 0, 0, 0.5)));
    bins[0].count = 3;
    CHECK(isnan(quantile(bins, 1, 1, 2, NAN)));
}

TEST(q_outside_of_0_to_1_is_the_nearest_end)
{
    struct bin bins[] = {{1, 1, 5}, {9, 9, 5}};
    CHECK_NEAR(quantile(bins, 2, 1, 9, -3), 1, 0);
    CHECK_NEAR(quantile(bins, 2, 1, 9, 7), 9, 0);
}
