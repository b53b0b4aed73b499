/* The autocorrelation time of calls, blocks that are independent, and quantiles between bins. */
#include "check.h"
#include "noise.h"

#include "analysis/blocks.h"

TEST(independent_values_have_a_time_of_about_one)
{
    double x[2000], time;
    noise_fill(x, 2000, 1e-3, 0.05);
    REQUIRE(pit__correlation_time(x, 2000, &time) == 0);
    CHECK(time >= 1 && time < 1.5);
    for (int i = 0; i < 2000; i++)
        x[i] = 1;
    REQUIRE(pit__correlation_time(x, 2000, &time) == 0);
    CHECK(time == 1);
    REQUIRE(pit__correlation_time(x, 7, &time) == 0);
    CHECK(isnan(time));
}

TEST(the_time_of_values_that_go_on_is_the_known_one)
{
    static double x[20000];
    double time;
    for (int i = 0; i < 3; i++) {
        double keep = (double[]){0.5, 0.8, 0.9}[i], known = (1 + keep) / (1 - keep);
        noise_fill_slow(x, 20000, 1e-3, 0.05, keep);
        REQUIRE(pit__correlation_time(x, 20000, &time) == 0);
        printf("  keep %.1f: %.1f, known %.1f\n", keep, time, known);
        CHECK(fabs(time / known - 1) < 0.3);
    }
}

TEST(a_stall_does_not_hide_it)
{
    static double x[5000];
    double time;
    noise_fill_slow(x, 5000, 1e-3, 0.01, 0.9);
    x[2500] = 10; /* ten thousand times the others */
    REQUIRE(pit__correlation_time(x, 5000, &time) == 0);
    CHECK(time > 10);
}

TEST(blocks_are_longer_than_the_time_and_the_same_for_both)
{
    static double slow[3000], quick[3000], p10[3000], p50[3000];
    size_t length;
    noise_fill_slow(slow, 3000, 1, 0.05, 0.8);
    noise_fill(quick, 3000, 1, 0.05);
    REQUIRE(pit__block_length(slow, 3000, quick, 3000, 1000, &length) == 0);
    CHECK(length > 12 && length < 40);
    REQUIRE(pit__block_length(quick, 3000, quick, 3000, 100, &length) == 0);
    CHECK_INT(length, 30);
    REQUIRE(pit__block_length(quick, 90, quick, 80, 100, &length) == 0);
    CHECK_INT(length, 1);

    const double plain[] = {99, 5, 1, 2, 3, 4, 6, 7};
    REQUIRE(pit__block_figures(plain, 8, 3, p10, p50) == 0);
    CHECK_NEAR(p50[0], 2, 1e-12); /* 1, 2, 3: what is left over is at the beginning */
    CHECK_NEAR(p10[0], 1.2, 1e-12);
    CHECK_NEAR(p50[1], 6, 1e-12);
}

TEST(a_quantile_falls_between_the_ends_of_its_bin)
{
    const double low[] = {10, 20}, high[] = {20, 40};
    const uint64_t count[] = {10, 10};
    struct pit__bins bins = {low, high, count, sizeof(double), 2};
    CHECK_NEAR(pit__bins_quantile(&bins, 0, 100, 0.25), 15, 1e-12);
    CHECK_NEAR(pit__bins_quantile(&bins, 0, 100, 0.75), 30, 1e-12);
    CHECK_NEAR(pit__bins_quantile(&bins, 12, 36, 0), 12, 1e-12);
    CHECK_NEAR(pit__bins_quantile(&bins, 12, 36, 1), 36, 1e-12);
    bins.bin_count = 0;
    CHECK(isnan(pit__bins_quantile(&bins, 0, 1, 0.5)));
}

TEST(quantiles_of_sorted_values)
{
    const double x[] = {1, 2, 3, 4, 5};
    CHECK_NEAR(pit__sorted_quantile(x, 5, 0.5), 3, 0);
    CHECK_NEAR(pit__sorted_quantile(x, 5, 0.1), 1.4, 1e-12);
    CHECK_NEAR(pit__sorted_quantile(x, 5, 1), 5, 0);
    CHECK_NEAR(pit__sorted_quantile(x, 1, 0.9), 1, 0);
    CHECK(isnan(pit__sorted_quantile(x, 0, 0.5)));
}
