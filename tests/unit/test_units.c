/* Numbers with units, as printed. */
#include "check.h"

#include "report/units.h"

#include <math.h>

static const char *duration(double ns)
{
    static char out[8][PIT__UNIT_BYTES];
    static int next;
    return pit__unit_duration(out[next++ % 8], ns, 1);
}

TEST(durations_have_three_digits_and_the_unit_that_fits)
{
    CHECK_STR(duration(0), "0 ns");
    CHECK_STR(duration(0.4), "0.4 ns");
    CHECK_STR(duration(7), "7 ns");
    CHECK_STR(duration(24.3), "24 ns");
    CHECK_STR(duration(950), "950 ns");
    CHECK_STR(duration(1240), "1.24 us");
    CHECK_STR(duration(12.345e3), "12.3 us");
    CHECK_STR(duration(1.24e6), "1.24 ms");
    CHECK_STR(duration(123.4e6), "123 ms");
    CHECK_STR(duration(12.34e9), "12.3 s");
    CHECK_STR(duration(192e9), "3 m 12 s");
    CHECK_STR(duration(7500e9), "2 h 05 m");
    CHECK_STR(duration(86400e9 * 4 + 3 * 3600e9), "4 d 03 h");
}

TEST(rounding_goes_over_into_the_next_unit)
{
    CHECK_STR(duration(999.4), "999 ns");
    CHECK_STR(duration(999.5), "1.00 us");
    CHECK_STR(duration(9.994e3), "9.99 us");
    CHECK_STR(duration(9.996e3), "10.0 us");
    CHECK_STR(duration(99.96e3), "100 us");
    CHECK_STR(duration(999.6e3), "1.00 ms");
    CHECK_STR(duration(999.6e6), "1.00 s");
    CHECK_STR(duration(59.94e9), "59.9 s");
    CHECK_STR(duration(59.96e9), "1 m 00 s");
    CHECK_STR(duration(119.6e9), "2 m 00 s");
    CHECK_STR(duration(3599.6e9), "1 h 00 m");
    CHECK_STR(duration(86399e9), "1 d 00 h");
}

TEST(differences_keep_their_sign_in_every_unit)
{
    CHECK_STR(duration(-5), "-5 ns");
    CHECK_STR(duration(-59.9e9), "-59.9 s");
    CHECK_STR(duration(-59.96e9), "-1 m 00 s");
    CHECK_STR(duration(-192e9), "-3 m 12 s");
    CHECK_STR(duration(-7500e9), "-2 h 05 m");
    CHECK_STR(duration(-356400e9), "-4 d 03 h");
}

TEST(ratios_have_two_decimals)
{
    char out[PIT__UNIT_BYTES];
    CHECK_STR(pit__unit_ratio(out, 0.75), "0.75");
    CHECK_STR(pit__unit_ratio(out, 1), "1.00");
    CHECK_STR(pit__unit_ratio(out, 123.456), "123.46");
    CHECK_STR(pit__unit_ratio(out, 0.004), "<0.01");
    CHECK_STR(pit__unit_ratio(out, 0), "0.00");
    CHECK_STR(pit__unit_ratio(out, 1e12), "1e+12");
    CHECK_STR(pit__unit_ratio(out, NAN), "n/a");
}

TEST(what_is_no_number_is_not_available)
{
    char out[PIT__UNIT_BYTES];
    CHECK_STR(duration(NAN), "n/a");
    CHECK_STR(duration(INFINITY), "n/a");
    CHECK_STR(pit__unit_percent(out, NAN), "n/a");
    CHECK_STR(pit__unit_rate(out, NAN), "n/a");
    CHECK_STR(pit__unit_bytes(out, NAN), "n/a");
    CHECK_STR(pit__unit_number(out, NAN), "NaN");
    CHECK_STR(pit__unit_number(out, -INFINITY), "-inf");
}

TEST(micro_is_one_character_where_that_may_be)
{
    char out[PIT__UNIT_BYTES];
    CHECK_STR(pit__unit_duration(out, 1500, 0), "1.50 µs");
}

TEST(counts_are_grouped_then_shortened)
{
    char out[PIT__UNIT_BYTES];
    CHECK_STR(pit__unit_count(out, 0), "0");
    CHECK_STR(pit__unit_count(out, 999), "999");
    CHECK_STR(pit__unit_count(out, 4000), "4,000");
    CHECK_STR(pit__unit_count(out, 9999999), "9,999,999");
    CHECK_STR(pit__unit_count(out, 10000000), "10.0 M");
    CHECK_STR(pit__unit_count(out, 1234567890), "1.23 G");
    CHECK_STR(pit__unit_count(out, UINT64_MAX), "18.4 E");
}

TEST(sizes_are_powers_of_1024_and_rates_of_1000)
{
    char out[PIT__UNIT_BYTES];
    CHECK_STR(pit__unit_bytes(out, 512), "512 B");
    CHECK_STR(pit__unit_bytes(out, 3.1 * 1073741824), "3.1 GB");
    CHECK_STR(pit__unit_bytes(out, 1023.0 * 1024), "1.0 MB");
    CHECK_STR(pit__unit_rate(out, 12), "12");
    CHECK_STR(pit__unit_rate(out, 0.25), "0.25");
    CHECK_STR(pit__unit_rate(out, 1234567), "1.23 M");
    CHECK_STR(pit__unit_rate(out, 999600), "1.00 M");
}

TEST(shares_in_columns_and_in_sentences)
{
    char out[PIT__UNIT_BYTES];
    CHECK_STR(pit__unit_percent(out, 0), "0 %");
    CHECK_STR(pit__unit_percent(out, 0.0001), "<0.1 %");
    CHECK_STR(pit__unit_percent(out, 0.6123), "61.2 %");
    CHECK_STR(pit__unit_percent(out, 1), "100 %");
    CHECK_STR(pit__unit_percent_words(out, 0.6123), "61 %");
    CHECK_STR(pit__unit_percent_words(out, 0.0412), "4.1 %");
    CHECK_STR(pit__unit_percent_words(out, 0.000203), "0.02 %");
    CHECK_STR(pit__unit_percent_words(out, 1e-9), "under 0.001 %");
}

TEST(decimal_sign_is_a_point_whatever_the_locale_wrote)
{
    char comma[] = "1,5",
         arabic[] = "-12\xd9\xab"
                    "25e+07",
         none[] = "24 ns", point[] = "1.5", power[] = "1e-07";
    pit__fix_decimal_sign(comma);
    pit__fix_decimal_sign(arabic);
    pit__fix_decimal_sign(none);
    pit__fix_decimal_sign(point);
    pit__fix_decimal_sign(power);
    CHECK_STR(comma, "1.5");
    CHECK_STR(arabic, "-12.25e+07");
    CHECK_STR(none, "24 ns");
    CHECK_STR(point, "1.5");
    CHECK_STR(power, "1e-07");
}

TEST(the_largest_figures_fit)
{
    char out[PIT__UNIT_BYTES];
    pit__unit_duration(out, 1.7e308, 0);
    pit__unit_bytes(out, 1.7e308);
    CHECK(strlen(out) < PIT__UNIT_BYTES);
    pit__unit_rate(out, 1.7e308);
    CHECK(strlen(out) < PIT__UNIT_BYTES);
    pit__unit_percent(out, 1e300);
    CHECK(strlen(out) < PIT__UNIT_BYTES);
    pit__unit_number(out, -1.23456789e-300);
    CHECK_STR(out, "-1.23457e-300");
}
