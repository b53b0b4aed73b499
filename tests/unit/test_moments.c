/* Variance from sums, exact where doubles would cancel. */
#include "check.h"

#include "analysis/moments.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

static struct pit__squares squares_of(wide sum)
{
    return (struct pit__squares){(uint64_t)sum, (uint64_t)(sum >> 64)};
}

TEST(a_million_samples_one_part_in_ten_million_apart)
{
    /* half are 10^7, half are 10^7 + 1: the variance is 1/4, whatever their size */
    uint64_t n = 1000000, base = 10000000;
    wide sum = (wide)(n / 2) * base * base + (wide)(n / 2) * (base + 1) * (base + 1);
    CHECK_NEAR(pit__variance(n, n * base + n / 2, squares_of(sum)), 0.25, 1e-15);
}

TEST(large_samples_that_differ_by_a_tick_or_two)
{
    /* half are 2^43, half are 2^43 + 2: the total nearly fills its 64 bits */
    uint64_t n = (uint64_t)1 << 20, base = (uint64_t)1 << 43;
    wide sum = (wide)(n / 2) * base * base + (wide)(n / 2) * (base + 2) * (base + 2);
    CHECK_NEAR(pit__variance(n, n * base + n, squares_of(sum)), 1, 1e-12);
    base = (uint64_t)1 << 61;
    sum = (wide)base * base * 2 + (wide)(base + 3) * (base + 3);
    CHECK_NEAR(pit__variance(3, 3 * base + 3, squares_of(sum)), 2, 1e-12);
    CHECK_NEAR(pit__variance(3, 3 * base, squares_of((wide)base * base * 3)), 0, 0);
}

TEST(n_times_squares_may_pass_128_bits)
{
    /* seven of 0 and one of 2^63: n * squares is 2^129 */
    uint64_t large = (uint64_t)1 << 63;
    double want = ldexp(1, 123) - ldexp(1, 120);
    double got = pit__variance(8, large, squares_of((wide)large * large));
    CHECK_NEAR(got / want, 1, 1e-15);
}

TEST(small_numbers_by_hand)
{
    CHECK_NEAR(pit__variance(0, 0, squares_of(0)), 0, 0);
    CHECK_NEAR(pit__variance(1, 5, squares_of(25)), 0, 0);
    CHECK_NEAR(pit__variance(4, 1 + 2 + 3 + 6, squares_of(1 + 4 + 9 + 36)), 3.5, 0);
}

TEST(sums_that_fit_no_numbers_give_0)
{
    CHECK_NEAR(pit__variance(2, 100, squares_of(1)), 0, 0);
}

TEST(squares_carry_into_the_upper_half)
{
    struct pit__squares sum =
        pit__squares_add((struct pit__squares){UINT64_MAX, 1}, (struct pit__squares){2, 3});
    CHECK(sum.low == 1);
    CHECK(sum.high == 5);
}

TEST(joined_groups_are_as_one)
{
    /* 1 2 3 | 10 20: mean 7.2, variance 51.76 */
    struct pit__spread a = {3, 2, 2.0 / 3}, b = {2, 15, 25}, none = {0, 0, 0};
    struct pit__spread both = pit__spread_join(a, b);
    CHECK_INT(both.count, 5);
    CHECK_NEAR(both.mean, 7.2, 1e-12);
    CHECK_NEAR(both.variance, 50.96, 1e-12);
    CHECK_NEAR(pit__spread_join(none, b).variance, 25, 0);
    CHECK_NEAR(pit__spread_join(a, none).mean, 2, 0);
}
