/* Time of the main thread outside all spans: before, between, after; its rows and its JSON. */
#include "check.h"

#include "made_run.h"
#include "model/unmarked.h"

#include <math.h>

#define SECOND ((uint64_t)1000000000)
#define START ((uint64_t)1000)

static pit_raw_node nodes[4];
static pit_event events[4];
static pit_open_span open_spans[2];
static pit_thread threads[2];

/* A run of 100 s: load from 10 s on for 20 s, train from 35 s to 85 s with a step inside. */
static pit_run marked(void)
{
    nodes[0] = made_node("load", PIT_NO_NODE, 1, 20 * SECOND, 0);
    nodes[0].first = START + 10 * SECOND;
    nodes[1] = made_node("train", PIT_NO_NODE, 1, 50 * SECOND, 49 * SECOND);
    nodes[1].first = START + 35 * SECOND;
    nodes[2] = made_node("step", 1, 1, 49 * SECOND, 0);
    nodes[2].first = START + 35 * SECOND;
    nodes[3] = made_node("request", PIT_NO_NODE, 1, 90 * SECOND, 0); /* overlaps all of it */
    nodes[3].first = START;
    nodes[3].detached = 1;
    events[0] = (pit_event){0, 1, START + 10 * SECOND, 20 * SECOND};
    events[1] = (pit_event){2, 2, START + 35 * SECOND, 49 * SECOND};
    events[2] = (pit_event){1, 1, START + 35 * SECOND, 50 * SECOND};
    events[3] = (pit_event){3, 1, START, 90 * SECOND};
    threads[1] = made_thread("main", nodes, 4);
    threads[1].tid = 42; /* the process */
    threads[1].events = events;
    threads[1].event_count = 4;
    static pit_raw_node others[1];
    others[0] = made_node("pool", PIT_NO_NODE, 1, SECOND, 0);
    threads[0] = made_thread("worker", others, 1);
    pit_run run = made_run(threads, 2);
    run.end_ticks = START + 100 * SECOND;
    run.duration_ns = 100e9;
    return run;
}

static pit_tree *tree_of(const pit_run *run)
{
    const pit_run *runs[] = {run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree);
    return tree;
}

TEST(before_between_and_after_are_the_rest_of_the_main_thread)
{
    pit_run run = marked();
    pit_tree *tree = tree_of(&run);
    CHECK_NEAR(tree->before_ns, 10e9, 1);
    CHECK_NEAR(tree->between_ns, 5e9, 1);
    CHECK_NEAR(tree->after_ns, 15e9, 1);
    pit_tree_free(tree);
    run.ns_per_tick = 0.5; /* ticks are not nanoseconds */
    run.duration_ns = 50e9;
    tree = tree_of(&run);
    CHECK_NEAR(tree->between_ns, 2.5e9, 1);
    pit_tree_free(tree);
}

TEST(a_span_that_is_open_reaches_to_the_end)
{
    pit_run run = marked();
    nodes[1].count = nodes[1].total = 0; /* it died in train */
    threads[1].event_count = 2;
    open_spans[0] = (pit_open_span){.node = 1, .begin = START + 35 * SECOND};
    open_spans[1] = (pit_open_span){.node = 3, .object = 1, .begin = START};
    threads[1].open = open_spans;
    threads[1].open_count = 2;
    pit_tree *tree = tree_of(&run);
    CHECK_NEAR(tree->before_ns, 10e9, 1);
    CHECK_NEAR(tree->between_ns, 5e9, 1);
    CHECK_NEAR(tree->after_ns, 0, 0);
    pit_tree_free(tree);
}

TEST(what_the_ring_does_not_tell_is_not_known)
{
    pit_run run = marked();
    threads[1].event_count = 0;
    pit_tree *tree = tree_of(&run);
    CHECK_NEAR(tree->before_ns, 10e9, 1);
    CHECK(isnan(tree->between_ns) && isnan(tree->after_ns));
    pit_tree_free(tree);
    const char *text = made_report(&run, NULL, NULL);
    CHECK_HAS(text, "(before the first span)");
    CHECK(!strstr(text, "(between parts)") && !strstr(text, "(after the last)"));
}

TEST(several_runs_and_passed_on_tables_are_not_known)
{
    pit_run run = marked();
    const pit_run *runs[] = {&run, &run};
    pit_tree *tree = pit_tree_build(runs, 2);
    REQUIRE(tree);
    CHECK(isnan(tree->before_ns) && isnan(tree->between_ns) && isnan(tree->after_ns));
    pit_tree_free(tree);
    threads[1].thread_count = 2;
    tree = tree_of(&run);
    CHECK(isnan(tree->before_ns) && isnan(tree->between_ns) && isnan(tree->after_ns));
    pit_tree_free(tree);
}

TEST(without_spans_on_the_main_thread_the_first_that_had_some_counts)
{
    pit_run run = marked();
    threads[1].tid = 43;
    run.threads = &threads[1];
    run.thread_count = 1;
    pit_tree *tree = tree_of(&run);
    CHECK_NEAR(tree->before_ns, 10e9, 1);
    pit_tree_free(tree);
    run.thread_count = 0;
    tree = tree_of(&run);
    CHECK(isnan(tree->before_ns));
    pit_tree_free(tree);
}

TEST(spans_of_tasks_that_overlap_leave_nothing_between)
{
    pit_run run = marked();
    nodes[0].total = 80 * SECOND;
    pit_tree *tree = tree_of(&run);
    CHECK_NEAR(tree->between_ns, 0, 0);
    CHECK_NEAR(tree->after_ns, 15e9, 1);
    pit_tree_free(tree);
}

TEST(rows_have_shares_of_the_wall_time_and_come_only_where_it_is_much)
{
    pit_run run = marked();
    const char *text = made_report(&run, NULL, NULL);
    CHECK_HAS(text, "\n(before the first span)           10.0 s            10.0 %\n"
                    "(between parts)                   5.00 s             5.0 %\n"
                    "(after the last)                  15.0 s            15.0 %\n");
    CHECK_HAS(text, "\nin brackets: outside of all spans of the main thread, shares of the wall"
                    " time, 1 m 40 s\n");
    nodes[0].total = (uint64_t)(24.5 * 1e9); /* half a second of a hundred is left between spans */
    CHECK(!strstr(made_report(&run, NULL, NULL), "(between parts)"));
    pit_tree tree = {.wall_ns = 1e6};
    CHECK(!pit__is_unmarked_much(&tree, 0.9e6)); /* opening a run takes up to a millisecond */
    CHECK(!pit__is_unmarked_much(&tree, NAN));
    tree.wall_ns = 2e9;
    CHECK(pit__is_unmarked_much(&tree, 21e6) && !pit__is_unmarked_much(&tree, 19e6));
}

TEST(forms_for_machines_have_an_object_and_no_rows)
{
    pit_run run = marked();
    pit_report_options options = {.form = PIT_JSON};
    CHECK_HAS(made_report(&run, &options, NULL), "\"unmarked\": {\n"
                                                 "      \"before_ns\": 10000000000,\n"
                                                 "      \"between_ns\": 5000000000,\n"
                                                 "      \"after_ns\": 15000000000\n");
    threads[1].event_count = 0;
    CHECK_HAS(made_report(&run, &options, NULL), "\"between_ns\": null");
    options.form = PIT_CSV;
    CHECK(!strstr(made_report(&run, &options, NULL), "(before"));
    options.form = PIT_MARKDOWN;
    CHECK(!strstr(made_report(&run, &options, NULL), "(before"));
}
