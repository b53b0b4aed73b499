/* Comparisons of arrays, series and made-up runs; Holm's correction; gates; the printed tables. */
#include "check.h"
#include "made_run.h"
#include "noise.h"

#include "pitwall_bench.h"

#include "analysis/rank_test.h"

/* ---- arrays and series ---------------------------------------------------------------------- */

TEST(arrays_that_differ_are_told_apart_with_the_size)
{
    double a[20], b[20];
    pit_comparison c;
    noise_fill(a, 20, 0.1, 0.003);
    noise_fill(b, 20, 0.1 * 0.95, 0.003);
    REQUIRE(pit_compare_arrays(a, a, 20, b, b, 20, NULL, &c) == 0);
    CHECK(c.verdict == PIT_FASTER && fabs(c.change + 0.05) < 0.005);
    CHECK(c.low < c.change && c.change < c.high && c.high < 0 && c.p < 1e-5);
    CHECK(c.a_runs == 20 && c.b_runs == 20 && c.more_runs == 0 && !*c.reason);
    CHECK_NEAR(c.a, 0.1, 0.001);
    REQUIRE(pit_compare_arrays(b, NULL, 20, a, NULL, 20, NULL, &c) == 0);
    CHECK(c.verdict == PIT_SLOWER && isnan(c.other));
}

TEST(an_effect_that_does_not_matter_is_the_same)
{
    double a[20], b[20];
    pit_comparison c;
    noise_fill(a, 20, 1, 0.001);
    noise_fill(b, 20, 1.05, 0.001);
    pit_compare_options options = {.effect = 0.10};
    REQUIRE(pit_compare_arrays(a, NULL, 20, b, NULL, 20, &options, &c) == 0);
    CHECK(c.verdict == PIT_SAME && c.is_real);
}

TEST(one_run_a_side_is_no_verdict_and_says_how_many_more)
{
    double a = 1, b = 2;
    pit_comparison c;
    REQUIRE(pit_compare_arrays(&a, NULL, 1, &b, NULL, 1, NULL, &c) == 0);
    CHECK(c.verdict == PIT_NO_VERDICT && c.more_runs == 9);
    CHECK_NEAR(c.change, 1, 1e-12);
    CHECK(isnan(c.low));
    CHECK_STR(c.reason, "fewer than 5 runs a side");
    REQUIRE(pit_compare_arrays(NULL, NULL, 0, &b, NULL, 1, NULL, &c) == 0);
    CHECK(c.verdict == PIT_NO_VERDICT && isnan(c.change) && c.more_runs == 10);
}

TEST(figures_of_zero_and_bad_arguments_are_refused_in_words)
{
    double none[6] = {0}, some[6] = {1, 1, 1, 1, 1, 1};
    pit_comparison c;
    REQUIRE(pit_compare_arrays(none, NULL, 6, some, NULL, 6, NULL, &c) == 0);
    CHECK(c.verdict == PIT_NO_VERDICT && isnan(c.change) && c.more_runs == 0);
    CHECK_STR(c.reason, "a figure is 0 or missing");
    CHECK_INT(pit_compare_arrays(NULL, NULL, 2, some, NULL, 6, NULL, &c), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_compare_arrays(some, NULL, 6, some, NULL, 6, NULL, NULL), PIT_BAD_ARGUMENT);
    CHECK_INT(
        pit_compare_arrays(some, NULL, 6, some, NULL, 6, &(pit_compare_options){.level = 2}, &c),
        PIT_BAD_ARGUMENT);
    CHECK_INT(
        pit_compare_arrays(some, NULL, 6, some, NULL, 6, &(pit_compare_options){.effect = -1}, &c),
        PIT_BAD_ARGUMENT);
}

TEST(series_that_hang_on_themselves_raise_few_false_alarms)
{
    int ours = 0, naive = 0, trials = check_repeat(25, 50, 500);
    for (int i = 0; i < trials; i++) {
        static double a[400], b[400];
        pit_comparison c;
        struct pit__rank_test test;
        noise_fill_slow(a, 400, 1e-3, 0.05, 0.8);
        noise_fill_slow(b, 400, 1e-3, 0.05, 0.8);
        REQUIRE(pit_compare_series(a, 400, b, 400, NULL, &c) == 0);
        REQUIRE(pit__rank_test(a, 400, b, 400, 0.05, &test) == 0);
        ours += c.verdict == PIT_FASTER || c.verdict == PIT_SLOWER;
        naive += test.is.p < 0.05;
        CHECK(c.is_series && c.a_runs <= 100);
    }
    printf("  false alarms within one process: %.1f %%, every call as a run: %.1f %%\n",
           100.0 * ours / trials, 100.0 * naive / trials);
    CHECK(ours <= trials * 8 / 100);
    CHECK(naive >= trials * 30 / 100); /* shows why blocks are needed */
}

TEST(a_series_that_is_slower_is_found)
{
    static double a[1000], b[1000];
    pit_comparison c;
    noise_fill_slow(a, 1000, 1e-3, 0.02, 0.7);
    noise_fill_slow(b, 1000, 1.06e-3, 0.02, 0.7);
    REQUIRE(pit_compare_series(a, 1000, b, 1000, NULL, &c) == 0);
    CHECK(c.verdict == PIT_SLOWER && fabs(c.change - 0.06) < 0.02);
    CHECK(c.mean.change == 0 || isnan(c.mean.change));
    REQUIRE(pit_compare_series(a, 3, b, 3, NULL, &c) == 0);
    CHECK(c.verdict == PIT_NO_VERDICT && c.more_runs == 0);
    CHECK_STR(c.reason, "fewer than 5 blocks a side");
}

/* ---- runs ------------------------------------------------------------------------------------ */

#define RUNS 10

/* A side of runs: epoch > batch > forward, backward. */
struct made_side {
    pit_raw_node nodes[RUNS][6];
    pit_thread threads[RUNS];
    pit_run runs[RUNS];
    const pit_run *list[RUNS];
};

static uint64_t near(double level, double spread)
{
    return (uint64_t)(level * exp(spread * noise_normal()));
}

/* Start times of B's runs, after all of A have ended. */
#define LATER 1000000

static void make_side(struct made_side *side, double forward, double backward, const char *extra,
                      uint64_t rss, uint64_t first_start)
{
    for (size_t i = 0; i < RUNS; i++) {
        pit_raw_node *n = side->nodes[i];
        uint64_t f = near(forward, 0.002), b = near(backward, 0.002), batch = f + b + 1000;
        n[0] = made_node("epoch", PIT_NO_NODE, 3, 20 * batch, 60 * batch);
        n[1] = made_node("batch", 0, 60, batch, 60 * (f + b));
        n[2] = made_node("forward", 1, 60, f, 0);
        n[3] = made_node("backward", 1, 60, b, 0);
        n[4] = made_node(extra ? extra : "idle", PIT_NO_NODE, extra ? 5 : 0, 1000, 0);
        side->threads[i] = made_thread("main", n, 5);
        side->runs[i] = made_run(&side->threads[i], 1);
        side->runs[i].duration_ns = (double)(60 * batch) + 1e6;
        side->runs[i].rss_peak = near((double)rss, 0.001);
        side->runs[i].start_wall_ns = first_start + 2000 * i;
        side->list[i] = &side->runs[i];
    }
}

static pit_comparisons *compare(const struct made_side *a, const struct made_side *b, size_t count,
                                const pit_compare_options *options)
{
    pit_error error;
    pit_comparisons *all =
        pit_compare_runs(a->list, count, b->list, count, "before", "after", options, &error);
    REQUIRE(all != NULL);
    return all;
}

static const pit_comparison *item(const pit_comparisons *all, const char *what, int is_memory)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->items[i].what, what) == 0 && all->items[i].is_memory == is_memory)
            return &all->items[i];
    return NULL;
}

static struct made_side side_a, side_b, side_c;

TEST(runs_are_compared_node_by_node_and_the_headline_says_where)
{
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1.1e6, 2e6, NULL, 120u << 20, LATER);
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, NULL);
    CHECK_INT(all->count, 6);
    CHECK_STR(all->items[0].what, "wall time");
    CHECK(item(all, "epoch/batch/forward", 0)->verdict == PIT_SLOWER);
    CHECK_NEAR(item(all, "epoch/batch/forward", 0)->change, 0.1, 0.01);
    CHECK(item(all, "epoch/batch/backward", 0)->verdict == PIT_SAME);
    CHECK(item(all, "peak memory", 1)->verdict == PIT_SLOWER);
    CHECK_NEAR(item(all, "peak memory", 1)->change, 0.2, 0.01);
    CHECK(strstr(all->headline, "B (after) is ") == all->headline);
    CHECK(strstr(all->headline, " % slower [") != NULL);
    CHECK(strstr(all->headline, "] in epoch/batch/forward (10 runs a side)") != NULL);
    CHECK_STR(all->names[1], "after");
    CHECK(all->unmatched_count == 0 && all->advisory && all->status == 0);
    pit_comparisons_free(all);
}

TEST(one_run_a_side_has_figures_and_no_verdict)
{
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1.5e6, 2e6, NULL, 100u << 20, LATER);
    pit_comparisons *all = compare(&side_a, &side_b, 1, NULL);
    const pit_comparison *c = item(all, "epoch/batch/forward", 0);
    CHECK(c->verdict == PIT_NO_VERDICT && fabs(c->change - 0.5) < 0.03 && c->more_runs == 9);
    CHECK(strncmp(all->headline, "no verdict: ", 12) == 0);
    CHECK(strstr(all->headline, "with 1 run a side; about 9 more runs a side") != NULL);
    CHECK_INT(all->status, 2);
    pit_comparisons_free(all);
}

/* Every run of a side processes this many items in its forward pass. */
static void count_items(struct made_side *side, uint64_t items)
{
    for (size_t i = 0; i < RUNS; i++)
        side->nodes[i][2].items = items;
}

TEST(items_a_second_are_a_row_of_which_more_is_better)
{
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1e6, 2e6, NULL, 100u << 20, 2000);
    count_items(&side_a, 6000);
    count_items(&side_b, 9000);
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, NULL);
    const pit_comparison *c = item(all, "items/s", 0);
    REQUIRE(c != NULL);
    CHECK(c->is_rate && c->verdict == PIT_FASTER);
    CHECK_NEAR(c->change, 0.5, 0.02);
    CHECK_NEAR(c->b / c->a - 1, c->change, 1e-9);
    CHECK(c->low < c->change && c->change < c->high);
    CHECK_NEAR(c->a, 6000 / 0.18,
               1000); /* 60 batches of 3 ms: the time of the epoch, not of the run */
    CHECK(strstr(all->headline, "items/s") == NULL);
    CHECK(strncmp(all->items[1].what, "items/s", 7) == 0); /* after the wall time */
    pit_comparisons_free(all);
}

TEST(what_only_one_side_has_is_listed)
{
    make_side(&side_a, 1e6, 2e6, "old", 100u << 20, 1000);
    make_side(&side_b, 1e6, 2e6, "new", 100u << 20, LATER);
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, NULL);
    CHECK_INT(all->unmatched_count, 2);
    CHECK_STR(all->unmatched[0].what, "old");
    CHECK(all->unmatched[0].side == 0 && all->unmatched[0].missing == 1);
    CHECK_STR(all->unmatched[1].what, "new");
    CHECK(all->unmatched[1].side == 1);
    CHECK(item(all, "old", 0) == NULL);
    pit_comparisons_free(all);

    pit_compare_options options = {.node = "old"};
    all = compare(&side_a, &side_b, RUNS, &options);
    CHECK(all->count == 0 && all->unmatched_count == 1 && all->status == 2);
    CHECK_STR(all->headline, "no verdict: the sides have nothing in common");
    pit_comparisons_free(all);
}

TEST(a_killed_run_has_no_wall_time_but_its_nodes)
{
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1e6, 2e6, NULL, 100u << 20, LATER);
    for (int i = 0; i < RUNS; i++)
        side_b.runs[i].state = PIT_RUN_DIED;
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, NULL);
    CHECK(item(all, "wall time", 0) == NULL && item(all, "peak memory", 1) == NULL);
    CHECK(item(all, "epoch", 0)->verdict == PIT_SAME);
    pit_comparisons_free(all);
}

/* Let the runs begin in this order, such as "ABBA". */
static void start_in_order(const char *order)
{
    size_t a = 0, b = 0;
    for (size_t i = 0; order[i]; i++)
        (order[i] == 'A' ? &side_a.runs[a++] : &side_b.runs[b++])->start_wall_ns = 1000 + 1000 * i;
}

static int are_interleaved(const char *order)
{
    size_t a = 0, length = strlen(order);
    for (size_t i = 0; i < length; i++)
        a += order[i] == 'A';
    start_in_order(order);
    return pit_runs_interleaved(side_a.list, a, side_b.list, length - a);
}

TEST(runs_made_in_turn_are_known_by_their_start_times)
{
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1e6, 2e6, NULL, 100u << 20, LATER);
    /* all of A, then all of B */
    CHECK(!pit_runs_interleaved(side_a.list, RUNS, side_b.list, RUNS));
    CHECK(are_interleaved("ABAB") && are_interleaved("BABA"));
    CHECK(are_interleaved("ABBA") && are_interleaved("ABBAABBA"));
    CHECK(are_interleaved("ABBABAABABBAABABABBA")); /* a coin for each pair */
    CHECK(!are_interleaved("AB") && !are_interleaved("A"));
    CHECK(!are_interleaved("AABB") && !are_interleaved("ABAABB") && !are_interleaved("AAABBB"));
    CHECK(!are_interleaved("ABABA")); /* one has no partner */
    /* at the same time: not one after the other */
    side_b.runs[0].start_wall_ns = side_a.runs[0].start_wall_ns;
    CHECK(!pit_runs_interleaved(side_a.list, 2, side_b.list, 2));
    start_in_order("ABABABABABABABABABAB");
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, NULL);
    CHECK(!all->advisory && all->interleaved == 2);
    pit_comparisons_free(all);
}

TEST(whole_runs_made_in_turn_are_judged_by_pairs)
{
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1e6, 2e6, NULL, 100u << 20, LATER);
    for (size_t i = 0; i < RUNS; i++) {
        double mode = i % 4 == 0 ? 1.4 : 1;
        side_a.runs[i].start_wall_ns = 10000 * (i + 1) + (i % 3 == 0 ? 500 : 0);
        side_b.runs[i].start_wall_ns = 10000 * (i + 1) + 200;
        side_a.runs[i].duration_ns = 1e8 * mode * (1 + 1e-3 * (double)(i * 7 % 5));
        side_b.runs[i].duration_ns = 1.1e8 * mode * (1 + 1e-3 * (double)(i * 3 % 5));
        side_a.list[i] = &side_a.runs[RUNS - 1 - i];
    }
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, NULL);
    const pit_comparison *wall = item(all, "wall time", 0);
    CHECK(!all->advisory && wall->verdict == PIT_SLOWER);
    CHECK(wall->decided_by == PIT_BY_LOWEST_THIRD || wall->decided_by == PIT_BY_MEAN);
    CHECK_NEAR(wall->change, 0.1, 0.01);
    CHECK_NEAR(wall->b / wall->a - 1, wall->change, 1e-12);
    CHECK(item(all, "epoch/batch/forward", 0)->decided_by == PIT_BY_P10); /* many calls a run */
    pit_comparisons_free(all);
    side_b.runs[3].state = PIT_RUN_DIED; /* has no wall time: figure 4 does not belong to pair 4 */
    all = compare(&side_a, &side_b, RUNS, NULL);
    CHECK(item(all, "wall time", 0)->decided_by == PIT_BY_FIGURE);
    CHECK_INT(item(all, "wall time", 0)->b_runs, RUNS - 1);
    pit_comparisons_free(all);
}

/* The flight recorder has every call: then the histogram's bins do not matter. */
TEST(calls_that_were_all_kept_are_used_as_they_are)
{
    static pit_event events[RUNS][60];
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1e6, 2e6, NULL, 100u << 20, LATER);
    for (int r = 0; r < RUNS; r++) {
        for (uint32_t i = 0; i < 60; i++)
            events[r][i] = (pit_event){
                .node = 2, .depth = 3, .begin = 10000 * i, .duration = 500000 + 1000 * i};
        side_b.threads[r].events = events[r];
        side_b.threads[r].event_count = 60;
    }
    pit_side *side = pit_side_of_runs(side_b.list, RUNS, "B");
    REQUIRE(side != NULL);
    int seen = 0;
    for (size_t i = 0; i < side->figure_count; i++) {
        const pit_figures *f = &side->figures[i];
        if (strcmp(f->what, "epoch/batch/forward") != 0)
            continue;
        seen = 1;
        CHECK_NEAR(f->medians[3], 529.5e-6, 1e-12);
        CHECK_NEAR(f->values[3], 505.9e-6, 1e-12);
        CHECK_NEAR(f->mean[3], 529.5e-6, 1e-12);
    }
    CHECK(seen);
    pit_side_free(side);
}

TEST(warm_up_is_left_out_of_a_runs_figures)
{
    double seconds[60];
    pit_call_times calls;
    for (int i = 0; i < 60; i++)
        seconds[i] = (i < 20 ? 3e-3 : 1e-3) * (1 + 0.001 * (i % 5));
    REQUIRE(pit_find_call_times(seconds, 60, &calls) == 0);
    CHECK_INT(calls.warmup, 20);
    CHECK(calls.p99 < 1.1e-3 && calls.mean < 1.1e-3);
    CHECK_NEAR(calls.total, 0.1, 0.001); /* of all calls */
    REQUIRE(pit_find_call_times(seconds, 1, &calls) == 0);
    CHECK(calls.warmup == 0 && calls.p10 == seconds[0]);
    CHECK_INT(pit_find_call_times(seconds, 0, &calls), PIT_NOTHING);
    CHECK_INT(pit_find_call_times(NULL, 3, &calls), PIT_BAD_ARGUMENT);
}

/* ---- several at once ------------------------------------------------------------------------- */

#define PARTS 30

/* Parts of pure noise, all compared at once. */
static pit_side noise_side(pit_figures *figures, double values[PARTS][RUNS], char names[PARTS][8])
{
    for (int i = 0; i < PARTS; i++) {
        noise_fill(values[i], RUNS, 1, 0.05);
        snprintf(names[i], 8, "part%d", i);
        figures[i] = (pit_figures){.what = names[i], .count = RUNS, .values = values[i]};
    }
    return (pit_side){"noise", figures, PARTS, RUNS};
}

TEST(many_comparisons_at_once_raise_few_false_alarms)
{
    static double a_values[PARTS][RUNS], b_values[PARTS][RUNS];
    static char names[PARTS][8];
    int together = 0, alone = 0, trials = check_rounds(100, 1000);
    for (int t = 0; t < trials; t++) {
        pit_figures a_figures[PARTS], b_figures[PARTS];
        pit_side a = noise_side(a_figures, a_values, names);
        pit_side b = noise_side(b_figures, b_values, names);
        const pit_side *sides[] = {&a, &b};
        pit_comparisons *all = pit_compare_sides(sides, 2, NULL, NULL);
        REQUIRE(all != NULL && all->count == PARTS);
        int any = 0, any_alone = 0;
        for (int i = 0; i < PARTS; i++) {
            pit_comparison c;
            any |= all->items[i].verdict == PIT_FASTER || all->items[i].verdict == PIT_SLOWER;
            REQUIRE(pit_compare_arrays(a_values[i], NULL, RUNS, b_values[i], NULL, RUNS, NULL,
                                       &c) == 0);
            any_alone |= c.verdict == PIT_FASTER || c.verdict == PIT_SLOWER;
        }
        together += any;
        alone += any_alone;
        pit_comparisons_free(all);
    }
    printf("  any false alarm among %d parts: %d %%, each judged alone: %d %%\n", PARTS,
           100 * together / trials, 100 * alone / trials);
    CHECK(together <= trials * 10 / 100);
    CHECK(alone >= trials * 50 / 100); /* shows why Holm's method is needed */
}

TEST(what_does_not_hold_among_many_says_so)
{
    static double a_values[PARTS][RUNS], b_values[PARTS][RUNS];
    static char names[PARTS][8];
    pit_figures a_figures[PARTS], b_figures[PARTS];
    pit_side a = noise_side(a_figures, a_values, names);
    pit_side b = noise_side(b_figures, b_values, names);
    const pit_side *sides[] = {&a, &b};
    for (int i = 0; i < RUNS; i++) { /* p about 0.01: enough alone, not among thirty */
        a_values[0][i] = 1 + 0.01 * i;
        b_values[0][i] = 1.045 + 0.01 * i;
    }
    pit_comparison alone;
    REQUIRE(pit_compare_arrays(a_values[0], NULL, RUNS, b_values[0], NULL, RUNS, NULL, &alone) ==
            0);
    CHECK(alone.verdict == PIT_SLOWER && alone.p > 0.05 / PARTS);
    pit_comparisons *all = pit_compare_sides(sides, 2, NULL, NULL);
    REQUIRE(all != NULL);
    const pit_comparison *c = item(all, "part0", 0);
    CHECK(c->verdict == PIT_NO_VERDICT && c->low < 0 && c->low < alone.low);
    CHECK_STR(c->reason, "among 30 comparisons it can be chance");
    pit_comparisons_free(all);
}

TEST(several_sides_are_ranked_against_the_first)
{
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1.3e6, 2e6, NULL, 100u << 20, LATER);
    make_side(&side_c, 0.7e6, 2e6, NULL, 100u << 20, 3000);
    pit_side *a = pit_side_of_runs(side_a.list, RUNS, "a"),
             *b = pit_side_of_runs(side_b.list, RUNS, "b"),
             *c = pit_side_of_runs(side_c.list, RUNS, NULL);
    const pit_side *sides[] = {a, b, c};
    pit_comparisons *all = pit_compare_sides(sides, 3, NULL, NULL);
    REQUIRE(all != NULL && all->count == 12);
    CHECK(all->ranking[0] == 2 && all->ranking[1] == 0 && all->ranking[2] == 1);
    CHECK(strncmp(all->headline, "C is ", 5) == 0 && strstr(all->headline, "faster"));
    CHECK_STR(all->names[2], "C");
    pit_comparisons_free(all);
    pit_side_free(a);
    pit_side_free(b);
    pit_side_free(c);
    CHECK(pit_compare_sides(sides, 1, NULL, NULL) == NULL);
}

/* ---- gates ----------------------------------------------------------------------------------- */

TEST(gates_are_read_in_all_their_forms)
{
    static const char *const good[] = {
        "slower:5%",       "slower:0.5%",     "memory:10%",       "slower:5%@epoch/batch",
        "epoch:slower:5%", "a:b:c:slower:5%", "slower:5%:2ms",    "slower:5%:2us@x",
        "memory:10%:64MB", "slower:5%@*",     "slower:5%@a@b:c%", "slower:5%@slower:5%"};
    static const char *const bad[] = {"",
                                      "slower",
                                      "slower:",
                                      "slower:5",
                                      "slower:%",
                                      "slower:5%x",
                                      "slower:5%@",
                                      "faster:5%",
                                      "slower:-1%",
                                      "slower:5%:2",
                                      "slower:5%:2MB",
                                      ":slower:5%",
                                      "memory:10%:3ms",
                                      "5%",
                                      "slower:.%"};
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        if (pit_gate_check(good[i]) != 0)
            CHECK_STR(good[i], "a gate");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (pit_gate_check(bad[i]) == 0)
            CHECK_STR(bad[i], "no gate");
    CHECK_INT(pit_gate_check(NULL), PIT_BAD_ARGUMENT);
}

static int gate(const struct made_side *a, const struct made_side *b, const char *spec, int trust,
                char *why)
{
    pit_compare_options options = {.gates = &spec, .gate_count = 1, .interleaved = !trust};
    pit_comparisons *all = compare(a, b, RUNS, &options);
    int status = all->status;
    CHECK(all->gate_count == 1 && (int)all->gates[0].state == status);
    if (why)
        snprintf(why, 192, "%s", all->gates[0].why);
    pit_comparisons_free(all);
    return status;
}

TEST(a_gate_passes_fails_or_has_no_verdict)
{
    char why[192];
    make_side(&side_a, 1e6, 2e6, "old", 100u << 20, 1000);
    make_side(&side_b, 1.3e6, 2e6, "new", 130u << 20, LATER);
    CHECK_INT(gate(&side_a, &side_b, "slower:5%", 0, NULL), 1);
    CHECK_INT(gate(&side_a, &side_b, "slower:50%", 0, NULL), 0);
    CHECK_INT(gate(&side_b, &side_a, "slower:5%", 0, NULL), 0); /* faster is no regression */
    CHECK_INT(gate(&side_a, &side_b, "slower:20%", 0, why), 1); /* 10 % in all, 30 % in forward */
    CHECK(strstr(why, "epoch/batch/forward of B: +") == why);
    CHECK_INT(gate(&side_a, &side_b, "slower:20%@epoch/batch/forward", 0, NULL), 1);
    CHECK_INT(gate(&side_a, &side_b, "epoch/batch/backward:slower:5%", 0, NULL), 0);
    CHECK_INT(gate(&side_a, &side_b, "slower:20%@*", 0, NULL), 1);
    CHECK_INT(gate(&side_a, &side_b, "memory:10%", 0, NULL), 1);
    CHECK_INT(gate(&side_a, &side_b, "memory:40%", 0, NULL), 0);
    CHECK_INT(gate(&side_a, &side_b, "memory:10%:64MB", 0, NULL), 0);
    CHECK_INT(gate(&side_a, &side_b, "slower:20%:1ms@epoch/batch/forward", 0, NULL), 0);
    CHECK_INT(gate(&side_a, &side_b, "slower:20%:100us@epoch/batch/forward", 0, NULL), 1);
    CHECK_INT(gate(&side_a, &side_b, "slower:5%@nowhere", 0, why), 2);
    CHECK_STR(why, "not measured on both sides");
    CHECK_INT(gate(&side_a, &side_b, "memory:5%@epoch", 0, NULL), 2);
    CHECK_INT(gate(&side_a, &side_b, "slower:5%@old", 0, NULL), 2); /* only one side has it */
}

/* A span outside all others that took five times `before` in each run of A, and five times `after` in B. */
static int gate_of_small_part(uint64_t before, uint64_t after)
{
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1e6, 2e6, NULL, 100u << 20, LATER);
    for (size_t i = 0; i < RUNS; i++) {
        side_a.nodes[i][4] = made_node("small", PIT_NO_NODE, 5, near((double)before, 0.002), 0);
        side_b.nodes[i][4] = made_node("small", PIT_NO_NODE, 5, near((double)after, 0.002), 0);
    }
    return gate(&side_a, &side_b, "slower:5%", 0, NULL);
}

TEST(a_gate_without_a_span_looks_at_those_that_take_a_hundredth_of_the_run)
{
    CHECK_INT(gate_of_small_part(100000, 200000), 0);  /* 0.5 and 1 ms of 181 */
    CHECK_INT(gate_of_small_part(500000, 1000000), 1); /* 2.5 and 5 ms */
}

TEST(a_gate_passes_only_where_the_whole_interval_lies_below_it)
{
    double a[RUNS], b[RUNS];
    for (int i = 0; i < RUNS; i++) {
        a[i] = 1 + 0.012 * (i - 4.5);
        b[i] = 1.03 * a[i];
    }
    pit_figures figures[2] = {{.what = "x", .count = RUNS, .values = a},
                              {.what = "x", .count = RUNS, .values = b}};
    pit_side sides[2] = {{"a", &figures[0], 1, RUNS}, {"b", &figures[1], 1, RUNS}};
    const pit_side *list[] = {&sides[0], &sides[1]};
    const char *specs[] = {"slower:5%", "slower:12%"};
    pit_compare_options options = {.gates = specs, .gate_count = 2, .interleaved = 1};
    pit_comparisons *all = pit_compare_sides(list, 2, &options, NULL);
    REQUIRE(all != NULL);
    CHECK(all->items[0].change < 0.05 && all->items[0].high > 0.05 && all->items[0].high < 0.1);
    CHECK(all->gates[0].state == PIT_GATE_NO_VERDICT);
    CHECK(all->gates[1].state == PIT_GATE_PASSED);
    pit_comparisons_free(all);
}

TEST(noise_over_the_threshold_is_no_verdict_of_a_gate)
{
    double a[RUNS], b[RUNS];
    noise_fill(a, RUNS, 1, 0.3);
    noise_fill(b, RUNS, 1, 0.3);
    pit_figures figures[2] = {{.what = "x", .count = RUNS, .values = a},
                              {.what = "x", .count = RUNS, .values = b}};
    pit_side sides[2] = {{"a", &figures[0], 1, RUNS}, {"b", &figures[1], 1, RUNS}};
    const pit_side *list[] = {&sides[0], &sides[1]};
    const char *spec = "slower:5%";
    pit_compare_options options = {.gates = &spec, .gate_count = 1, .interleaved = 1};
    pit_comparisons *all = pit_compare_sides(list, 2, &options, NULL);
    REQUIRE(all != NULL);
    CHECK_INT(all->status, 2);
    CHECK(all->items[0].is_too_noisy && all->items[0].more_runs == 0);
    CHECK_STR(all->items[0].reason, "the machine is too noisy for this difference");
    CHECK(strstr(all->headline,
                 "; the machine is too noisy for this difference: try --cpu, a quiet "
                 "hour, or more iterations inside one run"));
    pit_comparisons_free(all);
}

TEST(advisory_figures_fail_no_gate_unless_trusted)
{
    const char *spec = "slower:5%";
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 2e6, 2e6, NULL, 100u << 20, LATER);
    pit_compare_options options = {.gates = &spec, .gate_count = 1};
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, &options);
    CHECK(all->advisory && all->status == 2);
    CHECK(strstr(all->gates[0].why, "; advisory figures fail no gate unless they are trusted"));
    pit_comparisons_free(all);
    options.trust = 1;
    all = compare(&side_a, &side_b, RUNS, &options);
    CHECK(all->advisory && all->status == 1);
    pit_comparisons_free(all);
    spec = "slower:5";
    CHECK(pit_compare_runs(side_a.list, RUNS, side_b.list, RUNS, NULL, NULL, &options, NULL) ==
          NULL);
}

/* ---- what is printed ------------------------------------------------------------------------- */

static char *print(const pit_comparisons *all, enum pit_form form, int width)
{
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    REQUIRE(pit_comparisons_print(out, all, &(pit_report_options){.form = form, .width = width}) ==
            0);
    fclose(out);
    return keep(text);
}

TEST(how_it_is_known_that_runs_were_made_in_turn_is_printed)
{
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1e6, 2e6, NULL, 100u << 20, 2000);
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, NULL);
    CHECK(strstr(print(all, PIT_TEXT, 80), "\ninterleaved: found by their start times\n"));
    CHECK(strstr(print(all, PIT_JSON, 0), "\"interleaved\": \"by start times\""));
    pit_comparisons_free(all);
}

TEST(text_has_the_answer_first_and_keeps_to_its_width)
{
    make_side(&side_a, 1e6, 2e6, "old", 100u << 20, 1000);
    make_side(&side_b, 1.1e6, 2e6, NULL, 120u << 20, LATER);
    const char *specs[] = {"slower:5%", "memory:50%"};
    pit_compare_options options = {.gates = specs, .gate_count = 2};
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, &options);
    char *text = print(all, PIT_TEXT, 0);
    CHECK(strncmp(text, all->headline, strlen(all->headline)) == 0);
    CHECK(strstr(text, "\nadvisory: not interleaved"));
    CHECK(strstr(text, "\ngate memory:50%: passed: peak memory of B: +"));
    CHECK(strstr(text, "\nA = before, 10 runs\nB = after, 10 runs\n"));
    CHECK(strstr(text, "\nepoch/batch/forward "));
    CHECK(strstr(text, "\nonly in A, not in B: old\n"));
    CHECK(strstr(text, "B takes 20."));
    text = print(all, PIT_TEXT, 60);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        size_t columns = 0;
        for (char *at = line; *at; at++)
            columns += ((unsigned char)*at & 0xc0) != 0x80;
        CHECK(columns <= 60);
    }
    pit_comparisons_free(all);
}

TEST(the_answer_comes_again_where_it_has_left_the_screen)
{
    make_side(&side_a, 1e6, 2e6, NULL, 100u << 20, 1000);
    make_side(&side_b, 1.1e6, 2e6, NULL, 100u << 20, 2000);
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, NULL);
    for (int height = 0; height <= 200; height += 5) {
        char *text = NULL, *end;
        size_t bytes = 0, lines = 0;
        FILE *out = open_memstream(&text, &bytes);
        REQUIRE(pit_comparisons_print(out, all, &(pit_report_options){.height = height}) == 0);
        fclose(out);
        for (size_t i = 0; i < bytes; i++)
            lines += text[i] == '\n';
        end = text + bytes - strlen(all->headline) - 1;
        int is_again = strncmp(end, all->headline, strlen(all->headline)) == 0;
        CHECK(is_again == (height > 0 && lines - (is_again ? 2 : 0) >= (size_t)height));
        free(text);
    }
    pit_comparisons_free(all);
}

TEST(nasty_names_break_no_form)
{
    static const char nasty[] = "a|b,\"c\"\n<b>=1\x1b[31m\xff`*_";
    make_side(&side_a, 1e6, 2e6, nasty, 100u << 20, 1000);
    make_side(&side_b, 1e6, 2e6, nasty, 100u << 20, LATER);
    const char *spec = "slower:5%@a|b\x1b[2J";
    pit_compare_options options = {.gates = &spec, .gate_count = 1};
    pit_comparisons *all = compare(&side_a, &side_b, RUNS, &options);
    for (int form = PIT_TEXT; form <= PIT_MARKDOWN; form++) {
        char *text = print(all, (enum pit_form)form, 0);
        if (form != PIT_CSV)
            CHECK(!strchr(text, '\x1b'));
        if (form == PIT_TEXT)
            CHECK(strstr(text, "a|b,\"c\"\\n<b>=1\\x1b[31m\\xff`*_"));
        if (form == PIT_MARKDOWN)
            CHECK(strstr(text, "a\\|b,\"c\"\\\\n\\<b\\>=1"));
        if (form == PIT_CSV)
            CHECK(strstr(text, "\"a|b,\"\"c\"\"\n<b>"));
    }
    pit_comparisons_free(all);
}

TEST(a_comparison_of_nothing_is_printed_in_every_form)
{
    pit_side none = {"none", NULL, 0, 0};
    const pit_side *sides[] = {&none, &none};
    pit_comparisons *all = pit_compare_sides(sides, 2, NULL, NULL);
    REQUIRE(all != NULL);
    CHECK_INT(all->status, 2);
    for (int form = PIT_TEXT; form <= PIT_MARKDOWN; form++)
        CHECK(*print(all, (enum pit_form)form, 0));
    CHECK_INT(pit_comparisons_print(NULL, all, NULL), PIT_BAD_ARGUMENT);
    FILE *full = fopen("/dev/full", "w");
    REQUIRE(full != NULL);
    CHECK_INT(pit_comparisons_print(full, all, NULL), PIT_CANNOT_WRITE);
    fclose(full);
    pit_comparisons_free(all);
    pit_comparisons_free(NULL);
    pit_side_free(NULL);
}
