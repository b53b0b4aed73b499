/* The views over rows: their rows from runs, and their output if there is nothing to show. */
#include "check.h"

#include "made_run.h"

#include <math.h>

static pit_raw_node nodes[10];
static pit_thread threads[1];
static pit_open_span spans[2];

/* setup, then train with three kinds of spans in it; the last one took the most time. */
static pit_run training(void)
{
    nodes[0] = made_node("main", PIT_NO_NODE, 1, 12000000000u, 11000000000u);
    nodes[1] = made_node("setup", 0, 1, 1000000000u, 0);
    nodes[2] = made_node("epoch", 0, 10, 1000000000u, 9000000000u);
    nodes[3] = made_node("load", 2, 100, 10000000u, 0);
    nodes[4] = made_node("forward", 2, 100, 30000000u, 0);
    nodes[5] = made_node("backward", 2, 100, 50000000u, 0);
    nodes[4].items = 3200;
    threads[0] = made_thread("main", nodes, 6);
    return made_run(threads, 1);
}

static char *view(const pit_run *run, const char *name, pit_report_options options, int *code)
{
    options.view = name;
    return made_report(run, &options, code);
}

static char *rows_view(const char *name, const pit_row *rows, size_t count,
                       pit_report_options options, int *code)
{
    static char *text;
    static size_t bytes;
    pit_data data = {.rows = rows, .row_count = count};
    FILE *out = open_memstream(&text, &bytes);
    int result = pit_view_print(out, name, &data, &options);
    fclose(out);
    if (code)
        *code = result;
    return keep(text);
}

/* ---- rows of runs --------------------------------------------------------------------------- */

TEST(rows_are_the_outermost_level_with_more_than_one_node_in_the_order_seen)
{
    pit_run run = training();
    CHECK_STR(view(&run, "timing-summary", (pit_report_options){.form = PIT_CSV}, NULL),
              "name,seconds,share,count,nested\n"
              "setup,1,0.090909090909090912,1,0\n"
              "epoch,10,0.90909090909090906,10,0\n");
    CHECK_HAS(view(&run, "timing-summary", (pit_report_options){0}, NULL),
              "\nTIMING SUMMARY - main\n");
}

TEST(rows_are_the_children_of_the_node_asked_for_by_path_or_name)
{
    pit_run run = training();
    static const char *const ways[] = {"main/epoch", "epoch"};
    for (size_t i = 0; i < 2; i++)
        CHECK_STR(view(&run, "breakdown", (pit_report_options){.node = ways[i]}, NULL),
                  "epoch - Detailed Breakdown:\n"
                  "----------------------------------------\n"
                  "  backward            :     5.00s ( 55.6%)\n"
                  "  forward             :     3.00s ( 33.3%)\n"
                  "  load                :     1.00s ( 11.1%)\n"
                  "----------------------------------------\n");
    int code;
    CHECK_STR(view(&run, "breakdown", (pit_report_options){.node = "main/no"}, &code),
              "no span has this path or name\n");
    CHECK_INT(code, PIT_NOTHING);
    CHECK_STR(view(&run, "breakdown", (pit_report_options){.node = "load"}, &code),
              "this span has no spans inside it\n");
    CHECK_INT(code, PIT_NOTHING);
}

TEST(rows_of_two_threads_are_merged_and_keep_the_order_of_the_first)
{
    static pit_raw_node other[2];
    static pit_thread both[2];
    pit_run run = training();
    other[0] = made_node("late", PIT_NO_NODE, 1, 5000000000u, 0);
    other[1] = made_node("main", PIT_NO_NODE, 1, 1000000000u, 0);
    both[0] = threads[0];
    both[1] = made_thread("worker", other, 2);
    run.threads = both;
    run.thread_count = 2;
    CHECK_STR(view(&run, "timing-summary", (pit_report_options){.form = PIT_CSV}, NULL),
              "name,seconds,share,count,nested\n"
              "main,13,0.72222222222222221,2,0\n"
              "late,5,0.27777777777777779,1,0\n");
}

TEST(a_span_that_is_open_counts_with_its_time_so_far)
{
    pit_run run = training();
    nodes[2] = made_node("epoch", 0, 0, 0, 0);
    spans[0] = (pit_open_span){.node = 2, .begin = 1000 + 8500000000u}; /* 4 s before the end */
    threads[0].open = spans;
    threads[0].open_count = 1;
    CHECK_STR(view(&run, "timing-summary", (pit_report_options){.form = PIT_CSV}, NULL),
              "name,seconds,share,count,nested\n"
              "setup,1,0.2,1,0\n"
              "epoch,4,0.8,1,0\n");
}

TEST(performance_has_every_node_and_counts_nested_ones_once)
{
    pit_run run = training();
    static pit_memory memory = {.count = 1,
                                .delta_last = 3 << 20,
                                .delta_sum = 3 << 20,
                                .peak_max = 5 << 20,
                                .rss_last = 13 << 20,
                                .peak_method = PIT_PEAK_RUSAGE};
    nodes[1].memory = &memory;
    CHECK_STR(view(&run, "performance", (pit_report_options){.depth = 2, .form = PIT_CSV}, NULL),
              "operation,time,cpu_mb,gpu_mb,gpu_peak_mb,cpu_peak_mb,cpu_start_mb,cpu_end_mb,"
              "gpu_start_mb,gpu_end_mb,call_count,nested\n"
              "main,12,,,,,,,,,1,0\n"
              "main/setup,1,3,,,5,10,13,,,1,1\n"
              "main/epoch,10,,,,,,,,,10,1\n");
    char *text = view(&run, "performance", (pit_report_options){0}, NULL);
    CHECK_HAS(text, "\nTOTAL                              12.000s\n");
    CHECK_HAS(text, "\nmain/setup                          1.000           +3.0            n/a"
                    "         n/a\n");
}

TEST(a_peak_that_could_not_be_had_is_not_zero)
{
    pit_run run = training();
    static pit_memory memory = {.count = 2, .delta_sum = 1 << 20, .rss_last = 9 << 20};
    nodes[1].memory = &memory;
    CHECK_HAS(view(&run, "performance", (pit_report_options){.form = PIT_JSON}, NULL),
              "\"operation\": \"main/setup\", \"time\": 1, \"cpu_mb\": 1, \"gpu_mb\": null, "
              "\"gpu_peak_mb\": null, \"cpu_peak_mb\": null, \"cpu_start_mb\": null, "
              "\"cpu_end_mb\": 9,");
}

TEST(aggregate_is_of_repeated_operations_alone)
{
    pit_run run = training();
    CHECK_STR(view(&run, "aggregate", (pit_report_options){.form = PIT_CSV, .depth = 2}, NULL),
              "operation,count,total_seconds,mean_seconds,min_seconds,max_seconds\n"
              "main/epoch,10,10,1,1,1\n");
    int code;
    CHECK_STR(view(&run, "aggregate", (pit_report_options){.depth = 1}, &code),
              "no operation was repeated\n");
    CHECK_INT(code, PIT_NOTHING);
}

TEST(profiling_adds_a_name_up_over_all_its_places)
{
    pit_run run = training();
    nodes[6] = made_node("load", 1, 5, 20000000u, 0);
    threads[0].node_count = 7;
    CHECK_STR(view(&run, "profiling", (pit_report_options){.step = 7}, NULL),
              "--- Profiling Metrics (Step 7) ---\n"
              "main: avg=12.0000s, total=12.00s, count=1\n"
              "setup: avg=1.0000s, total=1.00s, count=1\n"
              "epoch: avg=1.0000s, total=10.00s, count=10\n"
              "load: avg=0.0105s, total=1.10s, count=105\n"
              "forward: avg=0.0300s, total=3.00s, count=100\n"
              "backward: avg=0.0500s, total=5.00s, count=100\n");
}

/* The profiler's blocks in the journal: how much of forward was compiling. */
TEST(profiling_tells_tracing_from_running_as_the_last_block_did)
{
    static pit_figure early[] = {{"total", 0.5, "s"}, {"count", 1, NULL}};
    static pit_figure late[] = {{"total", 2.5, "s"}, {"count", 2, NULL}};
    static pit_figure more[] = {{"total", 99, "s"}, {"count", 2, NULL}};
    static const pit_entry journal[] = {
        {.kind = "profiling-step"},
        {.kind = "profiling", .text = "forward_trace", .figures = early, .figure_count = 2},
        {.kind = "profiling-step"},
        {.kind = "profiling", .text = "forward", .figures = late, .figure_count = 2},
        {.kind = "profiling", .text = "forward_trace", .figures = late, .figure_count = 2},
        {.kind = "profiling", .text = "backward_trace", .figures = more, .figure_count = 2},
        {.kind = "profiling", .text = "other_trace", .figures = late, .figure_count = 2},
        {.kind = "window", .text = "load_trace", .figures = late, .figure_count = 2},
    };
    static const char after[] = "backward: avg=0.0500s, total=5.00s, count=100\n";
    pit_run run = training();
    run.journal = journal;
    run.journal_count = sizeof journal / sizeof journal[0];
    char *text = view(&run, "profiling", (pit_report_options){0}, NULL);
    CHECK_HAS(text, "\nload: avg=0.0100s, total=1.00s, count=100\n"
                    "forward: avg=0.0050s, total=0.50s, count=100\n"
                    "forward_trace: avg=1.2500s, total=2.50s, count=2\n");
    CHECK_STR(text + strlen(text) - strlen(after), after);
    CHECK(!strstr(text, "other"));
    nodes[5].name = "forward_trace"; /* its own spans contain all of it */
    text = view(&run, "profiling", (pit_report_options){0}, NULL);
    CHECK_HAS(text, "\nforward: avg=0.0300s, total=3.00s, count=100\n"
                    "forward_trace: avg=0.0500s, total=5.00s, count=100\n");
}

TEST(inference_is_of_the_leaf_that_counted_items_unless_one_is_called_so)
{
    pit_run run = training();
    CHECK_STR(view(&run, "inference", (pit_report_options){.percentiles = 1}, NULL),
              "main/epoch/forward Inference Benchmark:\n"
              "----------------------------------------\n"
              "  Mean latency:       30.000 ms\n"
              "  Min latency:        30.000 ms\n"
              "  Max latency:        30.000 ms\n"
              "  Throughput:         1066.7 samples/sec\n"
              "  p50 latency:        30.000 ms\n"
              "  p95 latency:        30.000 ms\n"
              "  p99 latency:        30.000 ms\n"
              "----------------------------------------\n");
    nodes[3] = made_node("inference", 2, 100, 10000000u, 0);
    char *text = view(&run, "inference", (pit_report_options){.title = "KAN"}, NULL);
    CHECK_HAS(text, "KAN Inference Benchmark:\n");
    CHECK_HAS(text, "  Throughput:          100.0 samples/sec\n"); /* one sample a call */
    CHECK(!strstr(text, "p50"));
}

TEST(sweep_of_one_run_is_of_spans_that_end_in_a_number)
{
    pit_run run = training();
    nodes[3] = made_node("batch_size_8", 2, 1, 3000000000u, 0);
    nodes[4] = made_node("batch_size_16", 2, 2, 1000000000u, 0);
    nodes[5] = made_node("batch_size_32", 2, 1, 1500000000u, 0);
    CHECK_STR(view(&run, "sweep", (pit_report_options){0}, NULL),
              "Optimal batch size: 16 (1.000s)\n"
              "50 % ahead of 32; too few times: race to be sure\n"
              "------------------------------------------------------------\n"
              "Value                Time (s)     Of best   Count\n"
              "16                   1.000        1.00x     2\n"
              "32                   1.500        1.50x     1\n"
              "8                    3.000        3.00x     1\n"
              "------------------------------------------------------------\n");
}

TEST(sweep_says_whether_the_times_of_the_two_best_overlap)
{
    pit_run run = training();
    nodes[3] = made_node("batch_size_8", 2, 5, 3000000000u, 0);
    nodes[4] = made_node("batch_size_16", 2, 5, 1000000000u, 0);
    nodes[5] = made_node("batch_size_32", 2, 5, 1500000000u, 0);
    CHECK_HAS(view(&run, "sweep", (pit_report_options){0}, NULL),
              "\n50 % ahead of 32; all its times were longer\n");
    nodes[4].max = 1600000000u; /* one of its five took longer than those of 32 */
    CHECK_HAS(view(&run, "sweep", (pit_report_options){0}, NULL),
              "\n50 % ahead of 32; their times overlap: race to be sure\n");
}

TEST(sweep_of_runs_that_differ_in_two_labels_names_both)
{
    pit_run run = training(), more = run;
    static const pit_fact one[] = {{"label.lr", "0.1"}, {"label.batch", "8"}};
    static const pit_fact two[] = {{"label.lr", "0.2"}, {"label.batch", "9"}};
    run.facts = one;
    more.facts = two;
    run.fact_count = more.fact_count = 2;
    more.duration_ns = 1e9;
    const pit_run *runs[] = {&run, &more};
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    pit_report_options options = {.view = "sweep"};
    CHECK_INT(pit_report_print(out, runs, 2, &options), 0);
    fclose(out);
    CHECK_HAS(keep(text), "Optimal configuration: lr=0.2, batch=9 (1.000s)\n");
}

/* ---- plain rows ------------------------------------------------------------------------------ */

TEST(speedups_hold_the_baseline_as_one_and_nothing_is_divided_by_zero)
{
    pit_row rows[] = {{.name = "a", .seconds = 120},
                      {.name = "b", .seconds = 0},
                      {.name = "c", .seconds = 150},
                      {.name = "d", .seconds = 150}};
    double ratios[4];
    CHECK_INT(pit_find_speedups(rows, 4, NULL, ratios), 0);
    CHECK_NEAR(ratios[0], 1.25, 1e-12);
    CHECK(isnan(ratios[1]));
    CHECK_NEAR(ratios[2], 1, 0);
    CHECK_INT(pit_find_speedups(rows, 4, "a", ratios), 0);
    CHECK_NEAR(ratios[2], 0.8, 1e-12);
    CHECK_INT(pit_find_speedups(rows, 4, "b", ratios), 0);
    CHECK(isnan(ratios[0]));
    CHECK_INT(pit_find_speedups(rows, 4, "x", ratios), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_find_speedups(rows, 0, NULL, ratios), 0);
    CHECK_STR(rows_view("speedup", rows, 4, (pit_report_options){0}, NULL),
              "============================================================\n"
              "SPEEDUP ANALYSIS\n"
              "============================================================\n"
              "Baseline: c (150.00s)\n"
              "------------------------------------------------------------\n"
              "a                    :  1.25x faster\n"
              "d                    :  1.00x as fast\n"
              "no time was taken by b\n"
              "============================================================\n");
    CHECK_HAS(rows_view("speedup", rows, 4, (pit_report_options){.baseline = "a"}, NULL),
              "c                    :  0.80x slower\n");
    int code;
    CHECK_STR(rows_view("speedup", rows, 4, (pit_report_options){.baseline = "b"}, &code),
              "no time was taken by b, the baseline: nothing can be compared with it\n");
    CHECK_INT(code, PIT_NOTHING);
}

TEST(shares_are_of_the_rows_that_do_not_lie_inside_others)
{
    pit_row rows[] = {{.name = "outer", .seconds = 4},
                      {.name = "inner", .seconds = 1, .nested = 1},
                      {.name = "nothing", .seconds = 0}};
    char *text = rows_view("timing-summary", rows, 3, (pit_report_options){.title = "x"}, NULL);
    CHECK_HAS(text, "outer:                       4.00s (100.0%)\n"
                    "  inner:                     1.00s ( 25.0%)\n"
                    "nothing:                     0.00s (  0.0%)\n");
    CHECK_HAS(text, "Total time:                  4.00s\n==");
    rows[1].seconds = 5; /* it overlaps: longer than everything that is counted */
    text = rows_view("timing-summary", rows, 3, (pit_report_options){0}, NULL);
    CHECK_HAS(text, "  inner:                     5.00s (   n/a)\n");
    rows[1].seconds = 1;
    rows[0].seconds = 0;
    text = rows_view("timing-summary", rows, 3, (pit_report_options){0}, NULL);
    CHECK_HAS(text, "  inner:                     1.00s (   n/a)\n");
}

TEST(inference_takes_its_figures_from_a_series)
{
    double series[] = {0.004, 0.001, 0.002, 0.003, 0.005};
    pit_data data = {.title = "net", .series = series, .series_count = 5};
    pit_report_options options = {.percentiles = 1};
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    CHECK_INT(pit_view_print(out, "inference", &data, &options), 0);
    fclose(out);
    CHECK_STR(keep(text), "net Inference Benchmark:\n"
                          "----------------------------------------\n"
                          "  Mean latency:        3.000 ms\n"
                          "  Min latency:         1.000 ms\n"
                          "  Max latency:         5.000 ms\n"
                          "  Throughput:          333.3 samples/sec\n"
                          "  p50 latency:         3.000 ms\n"
                          "  p95 latency:         4.800 ms\n"
                          "  p99 latency:         4.960 ms\n"
                          "----------------------------------------\n");
}

TEST(every_view_says_why_it_has_nothing_to_show)
{
    static const char *const names[] = {"timing-summary", "speedup",   "breakdown", "performance",
                                        "aggregate",      "profiling", "inference", "sweep"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        int code;
        CHECK(strlen(rows_view(names[i], NULL, 0, (pit_report_options){0}, &code)) > 10);
        CHECK_INT(code, PIT_NOTHING);
        CHECK_STR(rows_view(names[i], NULL, 0, (pit_report_options){.form = PIT_CSV}, &code), "");
        CHECK_INT(code, PIT_NOTHING);
        pit_run run = made_run(NULL, 0);
        CHECK(strlen(view(&run, names[i], (pit_report_options){0}, &code)) > 10);
        CHECK_INT(code, PIT_NOTHING);
    }
    CHECK_STR(rows_view("performance", NULL, 0, (pit_report_options){0}, NULL),
              "No performance metrics recorded\n");
}

TEST(a_view_or_form_that_does_not_exist_is_refused)
{
    pit_row row = {.name = "a", .seconds = 1, .count = 2};
    pit_data data = {.rows = &row, .row_count = 1};
    pit_report_options odd = {.form = (enum pit_form)9};
    CHECK_INT(pit_view_print(stdout, "no-such-view", &data, NULL), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_view_print(stdout, "tree", &data, NULL), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_view_print(NULL, "speedup", &data, NULL), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_view_print(stdout, "aggregate", &data, &odd), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_view_print(stdout, "sweep", &data, &odd), PIT_BAD_ARGUMENT);
}
