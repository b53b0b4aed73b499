/* The warm-up view: exact text for plain figures, with more details for a run. */
#include "check.h"

#include "made_run.h"
#include "made_view.h"

static const double epochs[] = {5.2, 3.1, 3.0, 3.1, 3.0, 2.9};

TEST(warm_up_of_plain_figures_is_the_layout_to_the_letter)
{
    pit_data data = {.title = "MLP", .series = epochs, .series_count = 6};
    CHECK_STR(made_view("warmup", &data, NULL, NULL), "MLP - Warmup Analysis:\n"
                                                      "----------------------------------------\n"
                                                      "  First epoch:           5.200s\n"
                                                      "  Steady state:          3.020s\n"
                                                      "  Warmup overhead:       2.180s ( 72.2%)\n"
                                                      "----------------------------------------\n");
}

TEST(warm_up_has_its_forms_for_machines)
{
    pit_data data = {.title = "MLP", .series = epochs, .series_count = 6};
    pit_report_options options = {.form = PIT_CSV};
    char *text = made_view("warmup", &data, &options, NULL);
    CHECK(strstr(text, "first_epoch_time,avg_steady_state_time,warmup_overhead,"
                       "warmup_overhead_pct,count,ends_at,steady_level,course\n5.2,3.02,") != NULL);
    options.form = PIT_JSON;
    text = made_view("warmup", &data, &options, NULL);
    CHECK(strstr(text, "\"ends_at\": 1,") != NULL);
    CHECK(strstr(text, "\"course\": \"warm-up\"") != NULL);
    options.form = PIT_MARKDOWN;
    CHECK(strstr(made_view("warmup", &data, &options, NULL), "### MLP - Warmup Analysis") != NULL);
}

TEST(one_call_has_no_warm_up)
{
    pit_data data = {.title = "MLP", .series = epochs, .series_count = 1};
    int code;
    CHECK_STR(made_view("warmup", &data, NULL, &code),
              "warm-up needs two calls or more: there are fewer\n");
    CHECK_INT(code, PIT_NOTHING);
}

/* Epochs of a run: by events if the flight recorder has all, else by the means of the series. */
static pit_raw_node nodes[2];
static pit_thread threads[1];
static pit_event events[6];
static pit_series_bin bins[3];

static pit_run epochs_run(void)
{
    uint64_t at = 1000;
    for (size_t i = 0; i < 6; i++) {
        uint64_t took = (uint64_t)(epochs[i] * 1e9);
        events[i] = (pit_event){.node = 1, .depth = 2, .begin = at, .duration = took};
        at += took;
    }
    nodes[0] = made_node("train", PIT_NO_NODE, 1, 20300000000u, 20300000000u);
    nodes[1] = made_node("epoch", 0, 6, 3383333333u, 0);
    for (size_t i = 0; i < 3; i++)
        bins[i] = (pit_series_bin){.start = i, .width = 1, .count = 2, .total = 6000000000u + i};
    nodes[1].series = bins;
    nodes[1].series_count = 3;
    threads[0] = made_thread("main", nodes, 2);
    threads[0].events = events;
    threads[0].event_count = 6;
    return made_run(threads, 1);
}

TEST(warm_up_of_a_run_says_where_it_ends)
{
    pit_run run = epochs_run();
    pit_report_options options = {.view = "warmup"};
    CHECK_STR(made_report(&run, &options, NULL),
              "train/epoch - Warmup Analysis:\n"
              "----------------------------------------\n"
              "  First epoch:           5.200s\n"
              "  Steady state:          3.020s\n"
              "  Warmup overhead:       2.180s ( 72.2%)\n"
              "----------------------------------------\n"
              "  course of 6 calls: warm-up; warm-up ends after the first 1; steady level"
              " 3.00 s\n");
}

TEST(dropped_events_leave_the_means_of_the_series)
{
    pit_run run = epochs_run();
    threads[0].events = events + 1;
    threads[0].event_count = 5;
    threads[0].events_dropped = 1;
    pit_report_options options = {.view = "warmup", .title = "KAN"};
    char *text = made_report(&run, &options, NULL);
    CHECK(strstr(text, "KAN - Warmup Analysis:\n") == text);
    CHECK(strstr(text, "  First epoch:           3.000s\n") != NULL);
    CHECK(strstr(text, "course of 3 calls: too short") != NULL);
}

TEST(a_node_that_is_not_there_is_said)
{
    pit_run run = epochs_run();
    pit_report_options options = {.view = "warmup", .node = "train/none"};
    int code;
    CHECK_STR(made_report(&run, &options, &code), "no span has this path or name\n");
    CHECK_INT(code, PIT_NOTHING);
}
