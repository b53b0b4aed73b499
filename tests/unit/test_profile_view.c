/* The profile of one node: from a series, and from a run. */
#include "check.h"

#include "made_run.h"
#include "made_view.h"

static double series[60];

static void fill(void)
{
    for (int i = 0; i < 60; i++)
        series[i] = 0.01 * (1 + 0.01 * (i * 7 % 5)) * (i % 10 == 9 ? 4 : 1);
}

TEST(profile_of_a_series_has_its_course_outliers_and_period)
{
    fill();
    pit_data data = {.title = "batch", .series = series, .series_count = 60};
    pit_report_options options = {.ascii = 1};
    CHECK_STR(
        made_view("profile", &data, &options, NULL),
        "batch\n"
        "  calls      60 of 13.3 ms, standard deviation 9.30 ms (70 %)\n"
        "  durations  min 10.0 ms, p50 10.2 ms, p95 41.2 ms, p99 41.2 ms, max 41.2 ms; max/min"
        " 4.1\n"
        "  course     _________#_________#_________#_________#_________#_________#\n"
        "             flat; steady level 10.2 ms\n"
        "  outliers   6: 9 (41.2 ms), 19 (41.2 ms), 29 (41.2 ms), 39 (41.2 ms), 49 (41.2 ms),"
        " 59 (41.2 ms); a slow one every 10\n");
}

TEST(profile_has_forms_for_machines)
{
    fill();
    pit_data data = {.title = "batch", .series = series, .series_count = 60};
    pit_report_options options = {.form = PIT_CSV};
    char *text = made_view("profile", &data, &options, NULL);
    CHECK(strstr(text, ",flat,0,") != NULL);
    CHECK(strstr(text, ",6,9 19 29 39 49 59,10,,events\n") != NULL);
    options.form = PIT_JSON;
    text = made_view("profile", &data, &options, NULL);
    CHECK(strstr(text, "\"period\": 10, \"drift\": null") != NULL);
    options.form = PIT_MARKDOWN;
    CHECK(strstr(made_view("profile", &data, &options, NULL), "### Profile\n") != NULL);
}

TEST(no_series_is_said)
{
    pit_data data = {0};
    int code;
    CHECK_STR(made_view("profile", &data, NULL, &code), "no durations were measured\n");
    CHECK_INT(code, PIT_NOTHING);
}

static pit_raw_node nodes[3];
static pit_thread threads[1];

static pit_run batches_run(void)
{
    static pit_series_bin bins[2] = {{.start = 0, .width = 1, .count = 2, .total = 40000000},
                                     {.start = 1, .width = 1, .count = 98, .total = 1960000000}};
    nodes[0] = made_node("batch", PIT_NO_NODE, 100, 20000000, 1000000000u);
    nodes[0].series = bins;
    nodes[0].series_count = 2;
    nodes[1] = made_node("forward", 0, 100, 10000000, 0);
    nodes[2] = made_node("never", PIT_NO_NODE, 0, 0, 0);
    threads[0] = made_thread("main", nodes, 3);
    return made_run(threads, 1);
}

TEST(profile_of_a_run_is_of_what_repeats_and_its_parts)
{
    pit_run run = batches_run();
    pit_report_options options = {.view = "profile", .ascii = 1};
    CHECK_STR(
        made_report(&run, &options, NULL),
        "batch\n"
        "  calls      100 of 20.0 ms, standard deviation 0 ns (0 %)\n"
        "  durations  min 20.0 ms, p50 20.0 ms, p95 20.0 ms, p99 20.0 ms, max 20.0 ms; max/min"
        " 1.0\n"
        "  course     ##\n"
        "             too short; by the means of 2 stretches of the run\n"
        "\n"
        "batch/forward\n"
        "  calls      100 of 10.0 ms, standard deviation 0 ns (0 %)\n"
        "  durations  min 10.0 ms, p50 10.0 ms, p95 10.0 ms, p99 10.0 ms, max 10.0 ms; max/min"
        " 1.0\n");
}

TEST(profile_of_a_node_without_calls_says_so)
{
    pit_run run = batches_run();
    pit_report_options options = {.view = "profile", .node = "never"};
    CHECK_STR(made_report(&run, &options, NULL), "never\n  calls      none has ended\n");
}
