/* The exact rank test, checked by counting every arrangement; and its confidence interval. */
#include "check.h"

#include "analysis/rank_test.h"

#include <math.h>

/* All ways to choose which ranks belong to y, counted by U. */
static void count_all(int n, int m, double *counts)
{
    for (unsigned set = 0; set < 1u << (n + m); set++) {
        if (__builtin_popcount(set) != m)
            continue;
        int u = 0, below = 0;
        for (int rank = 0; rank < n + m; rank++) {
            if (set >> rank & 1)
                u += below;
            else
                below++;
        }
        counts[u]++;
    }
}

TEST(chances_equal_those_of_all_arrangements)
{
    for (int n = 1; n <= 8; n++)
        for (int m = 1; m <= 8; m++) {
            double counts[65] = {0}, all = 0, chances[65], sum = 0;
            count_all(n, m, counts);
            for (int u = 0; u <= n * m; u++)
                all += counts[u];
            REQUIRE(pit__rank_chances((size_t)n, (size_t)m, chances) == 0);
            for (int u = 0; u <= n * m; u++) {
                sum += counts[u];
                REQUIRE(fabs(chances[u] - sum / all) < 1e-12);
            }
        }
}

/* 10 and 10: 184756 arrangements, of which 1, 1, 2, 3, 5, 7, 11 have U = 0 … 6. */
TEST(ten_and_ten_are_the_known_numbers)
{
    static const double ways[] = {1, 1, 2, 3, 5, 7, 11, 15, 22, 30, 42};
    double chances[101], sum = 0;
    REQUIRE(pit__rank_chances(10, 10, chances) == 0);
    for (int u = 0; u <= 10; u++) {
        sum += ways[u];
        CHECK(fabs(chances[u] - sum / 184756) < 1e-12);
    }
    CHECK(fabs(chances[100] - 1) < 1e-12);
}

TEST(forty_and_forty_add_up)
{
    static double chances[1601];
    REQUIRE(pit__rank_chances(40, 40, chances) == 0);
    CHECK(fabs(chances[1600] - 1) < 1e-10);
    for (int u = 0; u < 800; u++) /* symmetric */
        REQUIRE(fabs(chances[u] + chances[1599 - u] - 1) < 1e-10);
}

TEST(the_interval_is_of_the_sorted_differences)
{
    double x[] = {1, 2, 3, 4, 5, 6, 7, 8}, y[] = {11, 12, 13, 14, 15, 16, 17, 18};
    struct pit__rank_test test;
    REQUIRE(pit__rank_test(x, 8, y, 8, 0.05, &test) == 0);
    CHECK(test.u == 64 && test.is.is_defined && !test.is_approximate);
    CHECK(test.is.estimate == 10);
    /* k = 13 for 8 and 8 at 0.05: the 14th smallest and the 14th largest of 64 differences */
    CHECK(test.is.low == 7 && test.is.high == 13);
    CHECK(fabs(test.is.p - 2.0 / 12870) < 1e-12);
}

TEST(too_few_have_no_interval)
{
    double x[] = {1, 2}, y[] = {3, 4};
    struct pit__rank_test test;
    REQUIRE(pit__rank_test(x, 2, y, 2, 0.05, &test) == 0);
    CHECK(!test.is.is_defined && isnan(test.is.low) && test.is.estimate == 2);
    REQUIRE(pit__rank_test(x, 0, y, 2, 0.05, &test) == 0);
    CHECK(isnan(test.is.estimate) && isnan(test.is.p));
}

TEST(ties_count_half_and_never_make_it_more_certain)
{
    double x[] = {1, 1, 1, 2, 2}, y[] = {1, 1, 2, 2, 2};
    struct pit__rank_test test;
    REQUIRE(pit__rank_test(x, 5, y, 5, 0.05, &test) == 0);
    CHECK(test.u == 2 * 1.5 + 3 * (3 + 1)); /* y = 1 twice: 3 ties; y = 2: above 3, ties with 2 */
    CHECK(test.is.p > 0.5 && test.is.p <= 1);
    double same[] = {3, 3, 3, 3, 3};
    REQUIRE(pit__rank_test(same, 5, same, 5, 0.05, &test) == 0);
    CHECK(test.is.p == 1 && test.is.low == 0 && test.is.high == 0);
}

TEST(many_use_the_normal_distribution_and_agree_with_the_exact_one)
{
    static double x[120], y[120];
    for (int i = 0; i < 120; i++) {
        x[i] = (i * 37) % 120;
        y[i] = (i * 53) % 120 + 15.5;
    }
    struct pit__rank_test exact, normal;
    REQUIRE(pit__rank_test(x, 100, y, 100, 0.05, &exact) == 0);
    REQUIRE(pit__rank_test(x, 101, y, 100, 0.05, &normal) == 0);
    CHECK(!exact.is_approximate && normal.is_approximate);
    CHECK(fabs(exact.is.low - normal.is.low) <= 1.5 && fabs(exact.is.high - normal.is.high) <= 1.5);
}

TEST(holm_keeps_what_holds_together)
{
    double p[] = {0.04, 0.01, 0.03, 0.005};
    int kept[4];
    REQUIRE(pit__holm(p, 4, 0.05, kept) == 0); /* 0.005 <= 0.0125, 0.01 <= 0.0167, 0.03 > 0.025 */
    CHECK(!kept[0] && kept[1] && !kept[2] && kept[3]);
    double none[] = {0.5};
    REQUIRE(pit__holm(none, 1, 0.05, kept) == 0 && pit__holm(none, 0, 0.05, kept) == 0);
    REQUIRE(pit__holm(none, 1, 0.05, kept) == 0);
    CHECK(!kept[0]);
}
