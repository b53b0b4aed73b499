/* The layout's pure helpers: buckets cover all durations without gap or overlap. */
#include "probe.h"

TEST(every_bucket_starts_where_the_one_before_it_ends)
{
    CHECK_INT(pit_fmt_bucket_low(0), 0);
    for (uint32_t k = 0; k + 1 < PIT_FMT_BUCKETS; k++)
        CHECK(pit_fmt_bucket_high(k) + 1 == pit_fmt_bucket_low(k + 1));
    CHECK(pit_fmt_bucket_high(PIT_FMT_BUCKETS - 1) == UINT64_MAX);
}

TEST(the_ends_of_every_bucket_belong_to_it)
{
    for (uint32_t k = 0; k < PIT_FMT_BUCKETS; k++) {
        CHECK_INT(pit_fmt_bucket_of(pit_fmt_bucket_low(k)), k);
        CHECK_INT(pit_fmt_bucket_of(pit_fmt_bucket_high(k)), k);
    }
}

TEST(a_bucket_is_as_the_format_page_says)
{
    uint64_t state = 123456789;
    for (int i = 0; i < 100000; i++) {
        uint64_t d = probe_random(&state) >> (probe_random(&state) % 64);
        uint32_t bits = d ? 64 - (uint32_t)__builtin_clzll(d) : 0;
        uint64_t want = d < 64 ? d : 32u * (bits - 6) + (d >> (bits - 6));
        CHECK(pit_fmt_bucket_of(d) == want);
    }
}

TEST(the_middle_of_a_bucket_is_within_1_6_percent_of_all_in_it)
{
    for (uint32_t k = 1; k < PIT_FMT_BUCKETS; k++) {
        double low = (double)pit_fmt_bucket_low(k), high = (double)pit_fmt_bucket_high(k);
        double middle = (low + high) / 2;
        CHECK((high - middle) / low <= 0.016);
    }
}

TEST(the_parts_of_a_where_come_back)
{
    uint64_t where = 0xdeadbeefu | (uint64_t)255 << PIT_FMT_WHERE_DEPTH | PIT_FMT_WHERE_PHASE;
    CHECK(pit_fmt_ref_of(where) == 0xdeadbeefu);
    CHECK_INT(pit_fmt_depth_of(where), 255);
}
