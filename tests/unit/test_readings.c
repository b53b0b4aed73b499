/* Rows of readings in a run: merge rules, folding, what a source may rely on. */
#include "check.h"

#include "recorder/recorder.h"
#include "recorder/sample_source.h"

#include <stdlib.h>
#include <string.h>

#define UNKNOWN PIT__UNKNOWN

TEST(each_rule_merges_as_it_says)
{
    CHECK_INT(pit__merge(PIT_FMT_MERGE_LAST, 5, 1, 3, 1), 3);
    CHECK_INT(pit__merge(PIT_FMT_MERGE_MAX, 5, 1, 3, 1), 5);
    CHECK_INT(pit__merge(PIT_FMT_MERGE_MAX, 3, 1, 5, 1), 5);
    CHECK_INT(pit__merge(PIT_FMT_MERGE_MIN, 5, 1, 3, 1), 3);
    CHECK_INT(pit__merge(PIT_FMT_MERGE_MIN, 3, 1, 5, 1), 3);
    CHECK_INT(pit__merge(PIT_FMT_MERGE_SUM, 5, 1, 3, 1), 8);
    CHECK_INT(pit__merge(PIT_FMT_MERGE_MEAN, 5, 1, 3, 1), 4);
    CHECK_INT(pit__merge(PIT_FMT_MERGE_MEAN, 10, 3, 2, 1), 8); /* three readings against one */
}

TEST(an_unknown_reading_gives_way_except_to_the_last)
{
    for (int rule = PIT_FMT_MERGE_MAX; rule <= PIT_FMT_MERGE_MEAN; rule++) {
        CHECK_INT(pit__merge((enum pit_fmt_merge)rule, UNKNOWN, 1, 3, 1), 3);
        CHECK_INT(pit__merge((enum pit_fmt_merge)rule, 3, 1, UNKNOWN, 1), 3);
        CHECK(pit__merge((enum pit_fmt_merge)rule, UNKNOWN, 1, UNKNOWN, 1) == UNKNOWN);
    }
    CHECK(pit__merge(PIT_FMT_MERGE_LAST, 3, 1, UNKNOWN, 1) == UNKNOWN);
}

TEST(large_figures_neither_wrap_nor_become_unknown)
{
    uint64_t most = UNKNOWN - 1;
    CHECK(pit__merge(PIT_FMT_MERGE_SUM, most, 1, most, 1) == most);
    CHECK(pit__merge(PIT_FMT_MERGE_SUM, most - 1, 1, 1, 1) == most);
    CHECK(pit__merge(PIT_FMT_MERGE_MEAN, most, UINT32_MAX, most, UINT32_MAX) == most);
}

/* ---- folding ------------------------------------------------------------------------------- */

enum { LAST, MAX, MIN, SUM, MEAN, RULES };

static struct pit_recorder made;

/* A recorder with readings only, in our own memory. */
static pit_recorder *with_rules(void)
{
    static const enum pit_fmt_merge rules[] = {PIT_FMT_MERGE_LAST, PIT_FMT_MERGE_MAX,
                                               PIT_FMT_MERGE_MIN, PIT_FMT_MERGE_SUM,
                                               PIT_FMT_MERGE_MEAN};
    memset(&made, 0, sizeof made);
    made.samples = calloc(1, pit_fmt_channels_bytes(RULES));
    made.samples_rows = (void *)((unsigned char *)made.samples + pit_fmt_rows_offset(RULES));
    made.samples_stride = made.samples->stride[0] = 1;
    made.sources.list.count = RULES;
    for (int i = 0; i < RULES; i++)
        made.sources.list.of[i].over_time = rules[i];
    return &made;
}

static const uint64_t *point(uint64_t index)
{
    return made.samples_rows +
           (2 + made.samples->half * PIT_FMT_SAMPLE_POINTS + index) * (1 + RULES);
}

/* Reading n is at tick 100 + n and holds n in every channel. */
static void add(uint64_t from, uint64_t count)
{
    for (uint64_t n = from; n < from + count; n++) {
        const uint64_t row[1 + RULES] = {100 + n, n, n, n, n, n};
        pit__readings_add(&made, row);
    }
}

TEST(a_point_of_several_readings_follows_the_rules_of_its_channels)
{
    pit_recorder *rec = with_rules();
    add(0, 4 * PIT_FMT_SAMPLE_POINTS + 2); /* folded three times: eight readings a point */
    CHECK_INT(rec->samples->block.used, 4 * PIT_FMT_SAMPLE_POINTS + 2);
    CHECK_INT(rec->samples->stride[rec->samples->half], 8);
    for (uint64_t i = 0; i < 128; i++) {
        const uint64_t *row = point(i), first = 8 * i;
        CHECK_INT(row[0], 100 + first);
        CHECK_INT(row[1 + LAST], first + 7);
        CHECK_INT(row[1 + MAX], first + 7);
        CHECK_INT(row[1 + MIN], first);
        CHECK_INT(row[1 + SUM], 8 * first + 28);
        CHECK(row[1 + MEAN] >= first + 3 && row[1 + MEAN] <= first + 5); /* 3.5, as an integer */
    }
    const uint64_t *last = point(128); /* it has just begun */
    CHECK_INT(last[0], 100 + 1024);
    CHECK_INT(last[1 + LAST], 1025);
    CHECK_INT(last[1 + SUM], 2049);
    const uint64_t *newest = rec->samples_rows + rec->samples->newest_copy * (1 + RULES);
    CHECK_INT(newest[0], 100 + 1025);
    CHECK_INT(newest[1 + MIN], 1025);
    free(rec->samples);
}

/* Before each store that activates it, the other half or copy is unchanged. */
TEST(the_half_in_force_is_whole_after_each_reading)
{
    pit_recorder *rec = with_rules();
    for (uint64_t n = 0; n < 3 * PIT_FMT_SAMPLE_POINTS; n++) {
        add(n, 1);
        uint64_t stride = rec->samples->stride[rec->samples->half], used = rec->samples->block.used;
        CHECK_INT(used, n + 1);
        REQUIRE(used <= stride * PIT_FMT_SAMPLE_POINTS);
        CHECK_INT(point((used - 1) / stride)[1 + LAST], n);
        CHECK_INT(point(0)[0], 100);
    }
    free(rec->samples);
}

/* ---- sources ------------------------------------------------------------------------------- */

TEST(every_source_describes_its_channels_well)
{
    static struct pit__channel_list list;
    pit__channels_list(&list);
    CHECK(list.count >= 13 && list.count <= PIT_FMT_CHANNEL_MAX);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct pit_fmt_channel *channel = &list.of[i];
        size_t length = strlen(channel->key);
        CHECK(length > 0 && length < sizeof channel->key - 1);
        CHECK_INT(strspn(channel->key, "abcdefghijklmnopqrstuvwxyz0123456789_"), length);
        CHECK(*channel->source && *channel->help && *channel->missing);
        CHECK(strlen(channel->help) < sizeof channel->help - 1); /* not cut */
        CHECK(strlen(channel->missing) < sizeof channel->missing - 1);
        CHECK(channel->per_unit > 0);
        CHECK(channel->over_time <= PIT_FMT_MERGE_MEAN);
        CHECK(channel->over_runs <= PIT_FMT_MERGE_ONCE && channel->over_runs != PIT_FMT_MERGE_LAST);
        for (uint32_t k = 0; k < i; k++)
            CHECK(strcmp(list.of[k].key, channel->key) != 0);
    }
}

TEST(more_channels_than_there_is_room_for_leave_their_source_out)
{
    static struct pit__channel_list list;
    memset(&list, 0, sizeof list);
    for (unsigned i = 0; i < PIT_FMT_CHANNEL_MAX; i++) {
        pit__channel_add(&list, &(struct pit__channel){.key = "some"});
        CHECK_INT(list.is_full, 0);
    }
    pit__channel_add(&list, &(struct pit__channel){.key = "one_more"});
    CHECK_INT(list.is_full, 1);
    CHECK_INT(list.count, PIT_FMT_CHANNEL_MAX);
}

TEST(the_first_reading_renews_all_and_slow_sources_take_turns)
{
    static struct pit__sources sources;
    pit__channels_list(&sources.list);
    pit__sources_reset(&sources);
    CHECK(pit__sources_read(&sources, 42) > 0); /* the peak */
    CHECK_INT(sources.row[0], 42);
    uint64_t known = 0;
    for (uint32_t i = 0; i < sources.list.count; i++)
        known += sources.row[1 + i] != UNKNOWN;
    CHECK(known >= 9); /* a container may lack cgroup, pressure, storage */
    CHECK_INT(sources.readings, 1);
    pit__sources_close(&sources);
}
