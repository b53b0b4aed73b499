/* Findings as text and in the forms for machines. */
#include "check.h"

#include "made_run.h"
#include "made_view.h"
#include "readings.h"

static const pit_row rows[] = {{.name = "setup", .seconds = 1.4},
                               {.name = "optimization", .seconds = 8.6}};

TEST(findings_have_their_figures_and_remedies_below)
{
    pit_data data = {.rows = rows, .row_count = 2};
    CHECK_STR(made_view("bottlenecks", &data, NULL, NULL),
              "⚠️  BOTTLENECK: optimization (86.0%)\n"
              "    8.60 s of 10.0 s in 1 call\n"
              "    start here: nothing else can gain as much\n");
    pit_report_options options = {.ascii = 1, .width = 30};
    CHECK_STR(made_view("bottlenecks", &data, &options, NULL), "BOTTLENECK: optimization (86.0%)\n"
                                                               "    8.60 s of 10.0 s in 1 call\n"
                                                               "    start here: nothing else\n"
                                                               "    can gain as much\n");
}

TEST(findings_have_forms_for_machines)
{
    pit_data data = {.rows = rows, .row_count = 2};
    pit_report_options options = {.form = PIT_CSV, .ascii = 1};
    CHECK_STR(made_view("bottlenecks", &data, &options, NULL),
              "rule,severity,headline,evidence,remedy,path,share,savings_ns\n"
              "bottleneck,2,BOTTLENECK: optimization (86.0%),8.60 s of 10.0 s in 1 call,"
              "start here: nothing else can gain as much,optimization,0.86,\n");
    options.form = PIT_JSON;
    char *text = made_view("bottlenecks", &data, &options, NULL);
    CHECK(strstr(text, "\"rule\": \"bottleneck\", \"severity\": 2,") != NULL);
    CHECK(strstr(text, "\"too_little_data\": false") != NULL);
    options.form = PIT_MARKDOWN;
    CHECK(strstr(made_view("bottlenecks", &data, &options, NULL), "| bottleneck | 2 |") != NULL);
}

TEST(nothing_wrong_and_too_little_are_said)
{
    static const pit_row even[] = {{.name = "a", .seconds = 1},
                                   {.name = "b", .seconds = 1},
                                   {.name = "c", .seconds = 1},
                                   {.name = "d", .seconds = 1},
                                   {.name = "e", .seconds = 1}};
    pit_data data = {.rows = even, .row_count = 5};
    CHECK_STR(made_view("bottlenecks", &data, NULL, NULL), "nothing stands out\n");
    data.row_count = 0;
    CHECK_STR(made_view("bottlenecks", &data, NULL, NULL),
              "too little data: nothing was measured\n");
}

TEST(a_run_is_judged_by_all_that_is_known_of_it)
{
    static pit_raw_node nodes[3];
    static pit_thread threads[1];
    nodes[0] = made_node("batch", PIT_NO_NODE, 100, 25000000, 2400000000u);
    nodes[1] = made_node("data_loading", 0, 100, 16000000, 0);
    nodes[2] = made_node("forward", 0, 100, 8000000, 0);
    threads[0] = made_thread("main", nodes, 3);
    pit_run run = made_run(threads, 1);
    run.duration_ns = 2.5e9;
    pit_report_options options = {.view = "bottlenecks"};
    CHECK_STR(
        made_report(&run, &options, NULL),
        "INPUT-BOUND: data_loading is 64 % of the batch\n"
        "    1.60 s of 2.50 s in 100 calls; at most 64 % shorter without it\n"
        "    prepare the data once and keep it, or work on whole arrays at a time; a second thread"
        " or process could prepare the next piece meanwhile\n");
    char *report = made_report(&run, NULL, NULL);
    CHECK(strstr(report,
                 "INPUT-BOUND: data_loading is 64 % of the batch; at most 64 % shorter without it;"
                 " prepare the data once and keep it, or work on whole arrays at a time.\n"
                 "batch/data_loading took the most:") == report);
}

#define STEPS 21
#define MB (1024 * (uint64_t)1024)
#define MS 1000000u

/* Memory grows by 5 MB each tenth of a second until `full`; the first step is over after `loaded`
 * tenths, the others share the rest. The run takes 2.4 s. */
static pit_run growing_run(uint64_t loaded, uint64_t full)
{
    static pit_raw_node nodes[1];
    static pit_thread threads[1];
    static pit_event events[STEPS];
    static pit_sample samples[25];
    static struct reading readings[25];
    uint64_t each = (2400 - loaded * 100) / (STEPS - 1) * MS;
    for (uint64_t i = 0; i < STEPS; i++)
        events[i] = (pit_event){.begin = 1000 + (i ? loaded * 100 * MS + (i - 1) * each : 0),
                                .duration = i ? each : loaded * 100 * MS};
    for (uint64_t i = 0; i < 25; i++) {
        uint64_t rss = (100 + 5 * (i < full ? i : full)) * MB;
        readings[i] = (struct reading){.rss = rss, .rss_max = rss};
        samples[i] = as_sample(1000 + i * 100 * MS, &readings[i]);
    }
    nodes[0] = made_node("step", PIT_NO_NODE, STEPS, 2400 * MS / STEPS, 0);
    threads[0] = made_thread("main", nodes, 1);
    threads[0].events = events;
    threads[0].event_count = STEPS;
    pit_run run = made_run(threads, 1);
    set_readings(&run, samples, 25, 1);
    run.duration_ns = 2400.0 * MS;
    run.end_ticks = 1000 + 2400 * (uint64_t)MS;
    return run;
}

TEST(memory_that_the_first_step_takes_is_no_leak)
{
    pit_report_options options = {.view = "bottlenecks", .form = PIT_CSV};
    pit_run run = growing_run(20, 20);
    CHECK(strstr(made_report(&run, &options, NULL), "first_step,") != NULL);
    CHECK(strstr(made_report(&run, &options, NULL), "leak,") == NULL);
    options.view = "memory";
    options.form = PIT_TEXT;
    CHECK(strstr(made_report(&run, &options, NULL), "growing ") != NULL);
}

/* No spans; memory grows by `more` MB per tenth of a second, in steps of `every` tenths, `until` then. The run
 * takes 2.4 s. */
static pit_run plain_run(uint64_t more, uint64_t until, uint64_t every)
{
    static pit_sample samples[25];
    static struct reading readings[25];
    for (uint64_t i = 0; i < 25; i++) {
        uint64_t rss = (20 + more * ((i < until ? i : until) / every * every)) * MB;
        readings[i] = (struct reading){.rss = rss, .rss_max = rss};
        samples[i] = as_sample(1000 + i * 100 * MS, &readings[i]);
    }
    pit_run run = made_run(NULL, 0);
    set_readings(&run, samples, 25, 1);
    run.duration_ns = 2400.0 * MS;
    run.end_ticks = 1000 + 2400 * (uint64_t)MS;
    return run;
}

TEST(without_spans_memory_that_grows_to_the_end_is_a_leak)
{
    pit_report_options options = {.view = "bottlenecks", .form = PIT_CSV};
    pit_run run = plain_run(10, 25, 1);
    CHECK(strstr(made_report(&run, &options, NULL), "leak,0,") != NULL);
    run = plain_run(20, 12, 1); /* a table that is filled, and then used */
    CHECK(strstr(made_report(&run, &options, NULL), "leak,") == NULL);
    run = plain_run(2, 25, 1); /* too little to be one */
    CHECK(strstr(made_report(&run, &options, NULL), "leak,") == NULL);
    run = plain_run(20, 25, 2); /* iterations of 0.2 s */
    CHECK(strstr(made_report(&run, &options, NULL), "leak,0,") != NULL);
    run = plain_run(20, 25, 4); /* a table that is enlarged */
    CHECK(strstr(made_report(&run, &options, NULL), "leak,") == NULL);
}

TEST(memory_that_each_step_takes_is_a_leak)
{
    pit_report_options options = {.view = "bottlenecks", .form = PIT_CSV};
    pit_run run = growing_run(2, 24);
    CHECK(strstr(made_report(&run, &options, NULL), "leak,2,") != NULL);
}

/* The others become slower during the run, so there is no level that they reach. */
TEST(a_first_step_of_many_times_the_others_is_named_though_they_drift)
{
    static pit_raw_node nodes[1];
    static pit_thread threads[1];
    static pit_event events[STEPS * 4];
    uint64_t at = 1000, took = 0;
    for (uint64_t i = 0; i < STEPS * 4; i++) {
        took = i ? 20 * MS + i * MS / 5 : 1000 * MS;
        events[i] = (pit_event){.begin = at, .duration = took};
        at += took;
    }
    nodes[0] = made_node("step", PIT_NO_NODE, STEPS * 4, (at - 1000) / (STEPS * 4), 0);
    threads[0] = made_thread("main", nodes, 1);
    threads[0].events = events;
    threads[0].event_count = STEPS * 4;
    pit_run run = made_run(threads, 1);
    run.duration_ns = (double)(at - 1000);
    run.end_ticks = at;
    pit_report_options options = {.view = "bottlenecks", .form = PIT_CSV};
    CHECK(strstr(made_report(&run, &options, NULL), "first_step,") != NULL);
}
