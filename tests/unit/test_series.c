/* The series of a node, against a plain binning of the same samples. The test supplies samples with times
 * far ahead, so that a run of days takes milliseconds. */
#include "probe.h"
#include "recorder/recorder.h"

#define MOST 20000

struct fed {
    struct pit_fmt_node *node;
    const char *name;
    uint64_t ends[MOST], durations[MOST];
    size_t count;
};

static struct pit__thread *t;
static uint64_t start;

static void open_by_hand(void)
{
    probe_open_with(PIT_RING_OFF, 0);
    t = pit__thread_ready();
    REQUIRE(t);
    start = t->recorder->header->first.ticks;
}

static void name_node(struct fed *fed, const char *name)
{
    fed->name = name;
    fed->node = pit__node_find(t, 0, pit__name_intern(name)->id);
    REQUIRE(fed->node);
}

static void feed(struct fed *fed, uint64_t end, uint64_t duration)
{
    REQUIRE(fed->count < MOST);
    fed->ends[fed->count] = end;
    fed->durations[fed->count++] = duration;
    pit__hold(t);
    pit__sample(t, fed->node, start + end - duration, start + end);
    pit__release(t);
}

/* Compare every bucket of the read series with the samples that end in it. */
static void check_course(const struct fed *fed)
{
    const pit_run *run = probe_read_dead(NULL);
    const pit_raw_node *node = probe_first(run, fed->name);
    CHECK(probe_holds(run));
    REQUIRE(node->series_count > 0);
    uint64_t width = node->series[0].width;
    size_t at = 0, bucket = 0;
    while (at < fed->count && check_failures < 10) {
        uint64_t index = fed->ends[at] / width;
        pit_series_bin want = {index * width, width, 0, 0, UINT64_MAX, 0};
        for (; at < fed->count && fed->ends[at] / width == index; at++) {
            uint64_t d = fed->durations[at];
            want.count++;
            want.total += d;
            want.min = d < want.min ? d : want.min;
            want.max = d > want.max ? d : want.max;
        }
        REQUIRE(bucket < node->series_count);
        const pit_series_bin *got = &node->series[bucket++];
        CHECK_INT(got->start, want.start);
        CHECK_INT(got->width, width);
        CHECK_INT(got->count, want.count);
        CHECK_INT(got->total, want.total);
        CHECK_INT(got->min, want.min);
        CHECK_INT(got->max, want.max);
    }
    CHECK_INT(bucket, node->series_count);
    /* The newest sample is still pending: only it may be after the 128th bucket. */
    CHECK(fed->count < 2 || fed->ends[fed->count - 2] / width < PIT_FMT_SERIES_BUCKETS);
    CHECK((width & (width - 1)) == 0);
}

static struct fed one, other, third;

/* `count` samples, `step` ticks apart; checked after the first few and then from time to time. */
static void check_steps(uint64_t count, uint64_t step)
{
    memset(&one, 0, sizeof one);
    open_by_hand();
    name_node(&one, "x");
    uint64_t state = step + count;
    for (uint64_t i = 1; i <= count; i++) {
        feed(&one, i * step, probe_random(&state) % (step + 1));
        if (i < 300 ? i % 7 == 1 || i < 8 : i % (count / 8 + 1) == 0)
            check_course(&one);
        probe_free_runs();
    }
    check_course(&one);
    pit_close();
}

TEST(a_single_sample_is_a_series)
{
    check_steps(1, 12345);
}
TEST(samples_inside_one_bucket_add_up)
{
    check_steps(100, 10);
}
TEST(samples_one_first_width_apart_fill_bucket_after_bucket)
{
    uint64_t width = (uint64_t)1 << pit__clock_get()->series_shift;
    check_steps(127, width);
    check_steps(128, width);
    check_steps(129, width);
    check_steps(300, width);
}
TEST(samples_three_quarters_of_a_width_apart_fold_in_place)
{
    check_steps(2000, ((uint64_t)3 << pit__clock_get()->series_shift) / 4);
}
TEST(a_run_of_days_folds_over_and_over)
{
    check_steps(5000 / (uint64_t)probe_slowness(), (uint64_t)1 << 37);
}
TEST(a_first_sample_far_ahead_starts_with_wide_buckets)
{
    check_steps(1, (uint64_t)1 << 50);
    check_steps(2, (uint64_t)1 << 50);
}
TEST(one_jump_over_many_widths_folds_many_times_at_once)
{
    open_by_hand();
    name_node(&one, "x");
    for (uint64_t i = 1; i <= 500; i++)
        feed(&one, i << 20, i);
    feed(&one, (uint64_t)1 << 44, 7);
    check_course(&one);
    feed(&one, ((uint64_t)1 << 44) + 5, 9);
    check_course(&one);
    feed(&one, (uint64_t)1 << 48, 3);
    feed(&one, (uint64_t)1 << 52, 1);
    check_course(&one);
}

TEST(gaps_leave_empty_buckets_out)
{
    uint64_t width = (uint64_t)1 << pit__clock_get()->series_shift;
    open_by_hand();
    name_node(&one, "x");
    for (uint64_t i = 0; i < 60; i += 1 + i % 5)
        for (uint64_t k = 0; k < i % 3 + 1; k++)
            feed(&one, i * width + k * 10, k);
    check_course(&one);
}

TEST(random_times_land_in_their_buckets)
{
    open_by_hand();
    name_node(&one, "x");
    uint64_t state = 31337, end = 0;
    for (int i = 0; i < 4000 / probe_slowness(); i++) {
        end += probe_random(&state) >> (20 + probe_random(&state) % 44);
        if (end >= (uint64_t)1 << 60)
            break;
        feed(&one, end, probe_random(&state) % (end + 1));
        if (i % 37 == 0)
            check_course(&one);
        probe_free_runs();
    }
    check_course(&one);
}

/* Nodes of one thread share the spare block that a fold writes to. */
TEST(several_nodes_fold_without_mixing_their_courses)
{
    open_by_hand();
    name_node(&one, "one");
    name_node(&other, "other");
    name_node(&third, "third");
    uint64_t state = 2, end = 0;
    for (int i = 0; i < 6000 / probe_slowness(); i++) {
        end += ((uint64_t)1 << 22) + (i % 1000 == 999 ? (uint64_t)1 << 33 : 0);
        struct fed *fed = i % 5 < 3 ? &one : i % 5 == 3 ? &other : &third;
        feed(fed, end, probe_random(&state) % (end + 1));
    }
    check_course(&one);
    check_course(&other);
    check_course(&third);
}

TEST(times_before_the_start_count_as_the_first_bucket)
{
    open_by_hand();
    name_node(&one, "x");
    for (int i = 0; i < 3; i++) {
        pit__hold(t);
        pit__sample(t, one.node, start - 1000, start - 10);
        pit__release(t);
    }
    const pit_run *run = probe_read_dead(NULL);
    const pit_raw_node *node = probe_first(run, "x");
    REQUIRE(node->series_count == 1);
    CHECK_INT(node->series[0].start, 0);
    CHECK_INT(node->series[0].count, 3);
    CHECK(probe_holds(run));
}

TEST(without_room_the_last_bucket_goes_on_and_nothing_is_lost)
{
    probe_open_with(PIT_RING_OFF, 4u << 20);
    t = pit__thread_ready();
    REQUIRE(t);
    start = t->recorder->header->first.ticks;
    char name[24];
    for (int i = 0; i < 5000; i++) { /* fill the run up */
        snprintf(name, sizeof name, "n%d", i);
        pit__node_find(t, 0, pit__name_intern(name)->id);
    }
    struct pit_fmt_node *node = pit__node_find(t, 0, pit__name_intern("n0")->id);
    REQUIRE(node);
    for (uint64_t i = 1; i <= 2000; i++) {
        pit__hold(t);
        pit__sample(t, node, start + (i << 22) - 5, start + (i << 22));
        pit__release(t);
    }
    const pit_run *run = probe_read_dead(NULL);
    const pit_raw_node *read = probe_first(run, "n0");
    uint64_t count = 0, total = 0;
    for (size_t i = 0; i < read->series_count; i++) {
        count += read->series[i].count;
        total += read->series[i].total;
    }
    CHECK_INT(read->count, 2000);
    CHECK_INT(count, 2000);
    CHECK_INT(total, 10000);
}
