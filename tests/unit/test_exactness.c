/* The figures of a run against the true ones: counts, totals, percentiles, variance. The truth comes from
 * the flight recorder, made large enough to keep every event. */
#include "analysis/moments.h"
#include "probe.h"
#include "recorder/recorder.h"

#include <math.h>
#include <pthread.h>

__extension__ typedef unsigned __int128 wide;

/* ---- every figure of a node from its events ------------------------------------------------ */

static void check_against_events(const pit_thread *t, uint32_t index)
{
    const pit_raw_node *node = &t->nodes[index];
    uint64_t count = 0, total = 0, least = UINT64_MAX, most = 0;
    wide squares = 0;
    static uint64_t buckets[PIT_FMT_BUCKETS];
    memset(buckets, 0, sizeof buckets);
    for (size_t i = 0; i < t->event_count; i++) {
        uint64_t d = t->events[i].duration;
        if (t->events[i].node != index)
            continue;
        count++;
        total += d;
        least = d < least ? d : least;
        most = d > most ? d : most;
        squares += (wide)d * d;
        buckets[pit_fmt_bucket_of(d)]++;
    }
    CHECK_INT(node->count, count);
    CHECK_INT(node->total, total);
    CHECK_INT(node->min, count ? least : 0);
    CHECK_INT(node->max, most);
    CHECK(node->sq_lo == (uint64_t)squares && node->sq_hi == (uint64_t)(squares >> 64));
    for (size_t i = 0; i < node->hist_count; i++) {
        CHECK_INT(node->hist[i].count, buckets[pit_fmt_bucket_of(node->hist[i].low)]);
        CHECK_INT(pit_fmt_bucket_low(pit_fmt_bucket_of(node->hist[i].low)), node->hist[i].low);
    }
}

static void check_all_against_events(const pit_run *run)
{
    for (size_t i = 0; i < run->thread_count; i++) {
        CHECK_INT(run->threads[i].events_dropped, 0);
        for (uint32_t k = 0; k < run->threads[i].node_count; k++)
            check_against_events(&run->threads[i], k);
    }
    CHECK(probe_holds(run));
}

/* ---- random trees of spans on several threads ---------------------------------------------- */

#define THREADS 4
static uint64_t begun[THREADS]; /* counted by each thread itself */

static void random_tree(uint64_t *state, int depth, uint64_t *counted)
{
    static pit_site sites[] = {PIT_SITE("a"), PIT_SITE("b"), PIT_SITE("c"), PIT_SITE("d")};
    int children = (int)(probe_random(state) % 4);
    for (int i = 0; i < children; i++) {
        pit_token token = pit_begin(&sites[probe_random(state) % 4]);
        ++*counted;
        if (depth < 6)
            random_tree(state, depth + 1, counted);
        pit_end(token);
    }
}

static void *random_trees(void *number)
{
    size_t own = *(const size_t *)number;
    uint64_t state = 0x9e3779b97f4a7c15u * (own + 1);
    while (begun[own] < 20000u / (uint64_t)probe_slowness())
        random_tree(&state, 0, &begun[own]);
    return NULL;
}

TEST(threads_count_what_the_program_counted_and_totals_are_the_events)
{
    probe_open_with((uint64_t)64 << 20, 0);
    pthread_t threads[THREADS];
    size_t numbers[THREADS];
    for (size_t i = 0; i < THREADS; i++) {
        numbers[i] = i;
        REQUIRE(pthread_create(&threads[i], NULL, random_trees, &numbers[i]) == 0);
    }
    uint64_t want = 0, got = 0, events = 0;
    for (size_t i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        want += begun[i];
    }
    const pit_run *run = probe_read_dead(NULL);
    for (size_t i = 0; i < run->thread_count; i++) {
        for (size_t k = 0; k < run->threads[i].node_count; k++)
            got += run->threads[i].nodes[k].count;
        events += run->threads[i].event_count;
    }
    CHECK_INT(got, want);
    CHECK_INT(events, want);
    check_all_against_events(run);
    const pit_run *runs[] = {run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree);
    CHECK_INT(tree->spans, want);
    pit_tree_free(tree);
}

TEST(total_and_self_agree_to_the_tick_over_a_random_tree)
{
    probe_open_with((uint64_t)64 << 20, 0);
    uint64_t state = 4711, counted = 0;
    PIT_SPAN("root") {
        while (counted < 10000u / (uint64_t)probe_slowness())
            random_tree(&state, 0, &counted);
    }
    pit_close();
    const pit_run *run = probe_read(NULL);
    check_all_against_events(run);
    const pit_thread *t = &run->threads[0];
    uint64_t self = 0;
    for (size_t i = 0; i < t->node_count; i++)
        self += t->nodes[i].total - t->nodes[i].child;
    CHECK_INT(self, probe_first(run, "root")->total); /* every tick belongs to one node */
}

/* ---- percentiles --------------------------------------------------------------------------- */

static int by_size(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* The tree's quantiles of a node compared with those of the sorted samples. */
static void check_quantiles(const pit_run *run, const char *name, uint64_t *samples, size_t count)
{
    qsort(samples, count, sizeof *samples, by_size);
    const pit_run *runs[] = {run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree);
    const pit_node *node = NULL;
    for (size_t i = 0; i < tree->node_count; i++)
        if (strcmp(tree->nodes[i].path, name) == 0)
            node = &tree->nodes[i];
    REQUIRE(node);
    static const double quantiles[] = {0.001, 0.01, 0.05, 0.1,  0.25,  0.5,
                                       0.75,  0.9,  0.95, 0.99, 0.999, 1};
    for (size_t i = 0; i < sizeof quantiles / sizeof quantiles[0]; i++) {
        size_t rank = (size_t)ceil(quantiles[i] * (double)count - 1e-9);
        double want = (double)samples[rank ? rank - 1 : 0];
        double got = pit_node_quantile(node, quantiles[i]) / run->ns_per_tick;
        double room = want * 0.016 > 1 ? want * 0.016 : 1;
        if (fabs(got - want) > room)
            printf("  quantile %g: %g, not %g\n", quantiles[i], got, want);
        CHECK(fabs(got - want) <= room);
    }
    CHECK_NEAR(node->min_ns / run->ns_per_tick, (double)samples[0], 1e-6 * (double)samples[0]);
    CHECK_NEAR(node->max_ns / run->ns_per_tick, (double)samples[count - 1],
               1e-6 * (double)samples[count - 1]);
    pit_tree_free(tree);
}

TEST(percentiles_of_real_spans_are_those_of_the_sorted_events)
{
    probe_open_with((uint64_t)64 << 20, 0);
    static pit_site site = PIT_SITE("spread");
    uint64_t state = 99;
    int count = 100000 / probe_slowness();
    for (int i = 0; i < count; i++) {
        /* from 0 to some 100 µs, equally many in each octave */
        double rounds = exp2((double)(probe_random(&state) % 1600) / 100);
        /* and a few milliseconds */
        if (i % 5000 == 0)
            rounds *= 100;
        pit_token token = pit_begin(&site);
        for (int k = 0; k < (int)rounds; k++)
            __asm__ volatile("");
        pit_end(token);
    }
    const pit_run *run = probe_read(NULL);
    const pit_thread *t = &run->threads[0];
    REQUIRE(t->event_count == (size_t)count);
    uint64_t *samples = keep(calloc(t->event_count, sizeof *samples));
    for (size_t i = 0; i < t->event_count; i++)
        samples[i] = t->events[i].duration;
    check_quantiles(run, "spread", samples, t->event_count);
    check_all_against_events(run);
}

/* ---- samples by hand ----------------------------------------------------------------------- */

static struct pit__thread *hand_thread;
static struct pit_fmt_node *hand_node;
static uint64_t hand_start;

static void by_hand(uint64_t ring_bytes)
{
    probe_open_with(ring_bytes, 0);
    hand_thread = pit__thread_ready();
    REQUIRE(hand_thread);
    hand_node = pit__node_find(hand_thread, 0, pit__name_intern("x")->id);
    REQUIRE(hand_node);
    hand_start = hand_thread->recorder->header->first.ticks;
}

static void feed(uint64_t begin, uint64_t duration)
{
    pit__hold(hand_thread);
    pit__sample(hand_thread, hand_node, begin, begin + duration);
    pit__release(hand_thread);
}

TEST(durations_at_every_power_of_two_are_counted_in_their_bucket)
{
    by_hand((uint64_t)1 << 20);
    uint64_t samples[160];
    size_t count = 0;
    for (uint32_t bit = 0; bit <= 62; bit++) {
        samples[count++] = ((uint64_t)1 << bit) - 1;
        samples[count++] = (uint64_t)1 << bit;
    }
    for (size_t i = 0; i < count; i++)
        feed(hand_start + i, samples[i]); /* ends ascend like the durations */
    const pit_run *run = probe_read_dead(NULL);
    const pit_raw_node *node = probe_first(run, "x");
    CHECK_INT(node->count, count);
    CHECK_INT(node->min, 0);
    CHECK(node->max == (uint64_t)1 << 62);
    check_quantiles(run, "x", samples, count);
    check_all_against_events(run);
}

TEST(the_longest_duration_has_a_bucket_too)
{
    by_hand(0);
    feed(hand_start, (uint64_t)1 << 63);
    feed(hand_start, UINT64_MAX - hand_start);
    const pit_raw_node *node = probe_first(probe_read_dead(NULL), "x");
    CHECK_INT(probe_hist_sum(node), 2);
    CHECK(node->max == UINT64_MAX - hand_start);
    CHECK(node->hist[0].low == (uint64_t)1 << 63);
}

TEST(percentiles_of_any_range_are_within_the_bound)
{
    by_hand((uint64_t)16 << 20);
    size_t count = 50000u / (size_t)probe_slowness();
    uint64_t *samples = keep(calloc(count, sizeof *samples)), state = 5, end = hand_start;
    for (size_t i = 0; i < count; i++) {
        samples[i] = probe_random(&state) >> (24 + probe_random(&state) % 40);
        end += 1000;
        feed(end, samples[i]);
        end += samples[i];
    }
    check_quantiles(probe_read_dead(NULL), "x", samples, count);
}

TEST(small_durations_are_exact)
{
    by_hand((uint64_t)1 << 20);
    for (size_t i = 0; i < 64; i++)
        feed(hand_start + 1000 * i, i);
    const pit_raw_node *node = probe_first(probe_read_dead(NULL), "x");
    REQUIRE(node->hist_count == 64);
    for (size_t i = 0; i < 64; i++)
        CHECK(node->hist[i].low == i && node->hist[i].high == i && node->hist[i].count == 1);
}

/* ---- variance ------------------------------------------------------------------------------ */

TEST(a_spread_of_one_part_in_ten_million_is_not_lost)
{
    by_hand(PIT_RING_OFF);
    uint64_t count = 1000000u / (uint64_t)probe_slowness() / 2 * 2, each = 10000000;
    for (uint64_t i = 0; i < count; i++)
        feed(hand_start + i * 3 * each, each + i % 2);
    const pit_run *run = probe_read_dead(NULL);
    const pit_raw_node *node = probe_first(run, "x");
    CHECK_INT(node->total, count * each + count / 2);
    struct pit__squares squares = {node->sq_lo, node->sq_hi};
    CHECK_NEAR(pit__variance(node->count, node->total, squares), 0.25, 0);
    const pit_run *runs[] = {run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree && tree->node_count == 1);
    CHECK_NEAR(tree->nodes[0].std_ns / run->ns_per_tick, 0.5, 1e-9);
    CHECK_NEAR(tree->nodes[0].mean_ns / run->ns_per_tick, 10000000.5, 1e-2);
    pit_tree_free(tree);
    CHECK(probe_holds(run));
}

TEST(the_sum_of_squares_carries_past_64_bits)
{
    by_hand(PIT_RING_OFF);
    wide squares = 0;
    uint64_t state = 77, end = hand_start;
    for (int i = 0; i < 1000; i++) {
        uint64_t d = probe_random(&state) >> 20;
        end += d + 1;
        feed(end - d, d);
        squares += (wide)d * d;
    }
    const pit_raw_node *node = probe_first(probe_read_dead(NULL), "x");
    CHECK(node->sq_hi > 0);
    CHECK(node->sq_lo == (uint64_t)squares && node->sq_hi == (uint64_t)(squares >> 64));
}

TEST(a_clock_that_steps_back_gives_0_and_is_counted)
{
    by_hand(0);
    pit__hold(hand_thread);
    pit__sample(hand_thread, hand_node, hand_start + 1000, hand_start + 500);
    pit__release(hand_thread);
    const pit_run *run = probe_read_dead(NULL);
    CHECK_INT(run->losses.clock_back, 1);
    CHECK_INT(probe_first(run, "x")->count, 1);
    CHECK_INT(probe_first(run, "x")->total, 0);
    CHECK(probe_holds(run));
}
