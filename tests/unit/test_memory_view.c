/* Memory, allocations and readings: merged, in tables, in the memory view and in JSON. */
#include "check.h"

#include "made_run.h"
#include "readings.h"
#include "report/sparkline.h"
#include "report/text.h"

#include <math.h>

#define KB ((uint64_t)1 << 10)
#define MB ((uint64_t)1 << 20)
#define GB ((uint64_t)1 << 30)
#define SECOND ((uint64_t)1000000000)

static pit_raw_node nodes[4];
static pit_thread threads[2];
static pit_sample samples[60];
static struct reading readings[61];
static pit_memory memories[3];
static pit_alloc allocs[1];
static pit_record records[2];

static pit_sample reading(size_t index, uint64_t at, uint64_t rss)
{
    readings[index] = (struct reading){.rss = rss,
                                       .rss_max = rss,
                                       .cpu_ns = at * 3 / 2,
                                       .threads = 4,
                                       .minor_faults = 12345,
                                       .major_faults = 2,
                                       .switches = 10,
                                       .forced_switches = 3,
                                       .read_bytes = 3 * GB,
                                       .write_bytes = PIT_UNKNOWN,
                                       .available = 8 * GB,
                                       .cgroup_used = rss + 100 * MB,
                                       .pressure = 150};
    return as_sample(1000 + at, &readings[index]);
}

/* A minute: RSS rises for ten seconds, then stays. */
static pit_run measured(void)
{
    setenv("TZ", "UTC", 1);
    nodes[0] = made_node("train", PIT_NO_NODE, 1, 50 * SECOND, 40 * SECOND);
    nodes[1] = made_node("epoch", 0, 4, 10 * SECOND, 0);
    nodes[2] = made_node("other", PIT_NO_NODE, 1, SECOND, 0);
    memories[0] = (pit_memory){.count = 4,
                               .delta_last = -512,
                               .delta_sum = (int64_t)(40 * MB),
                               .delta_max = (int64_t)(38 * MB),
                               .peak_last = 50 * MB,
                               .peak_sum = 400 * MB,
                               .peak_max = 200 * MB,
                               .rss_max = 700 * MB,
                               .rss_last = 500 * MB,
                               .minor_faults = 4000,
                               .major_faults = 1,
                               .error_bytes = 256 * KB,
                               .peak_method = PIT_PEAK_RUSAGE};
    nodes[1].memory = &memories[0];
    threads[0] = made_thread("main", nodes, 3);
    pit_run run = made_run(threads, 1);
    run.end_ticks = 1000 + 60 * SECOND;
    run.duration_ns = 60e9;
    for (uint64_t i = 0; i < 60; i++)
        samples[i] = reading(i, i * SECOND, (i < 10 ? 100 + 40 * i : 500) * MB);
    set_readings(&run, samples, 60, 10);
    run.newest = reading(60, 59 * SECOND + SECOND / 2, 500 * MB);
    run.machine_bytes = 16 * GB;
    run.cgroup_limit = GB;
    run.cgroup_version = 2;
    run.rss_peak = 700 * MB;
    return run;
}

static const pit_node *find(const pit_tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->node_count; i++)
        if (strcmp(tree->nodes[i].path, path) == 0)
            return &tree->nodes[i];
    REQUIRE(0);
    return NULL;
}

TEST(memory_of_threads_and_runs_adds_up)
{
    pit_run a = measured(), b = a;
    static pit_raw_node others[2];
    others[0] = nodes[0];
    others[1] = nodes[1];
    memories[1] = memories[0];
    memories[1].count = 2;
    memories[1].delta_last = 77;
    memories[1].delta_max = -5;
    memories[1].peak_max = 300 * MB;
    memories[1].error_bytes = MB;
    memories[1].peak_method = PIT_PEAK_HWM;
    others[1].memory = &memories[1];
    threads[1] = made_thread("main", others, 2);
    b.threads = &threads[1];
    b.start_wall_ns -= 3600 * SECOND; /* it ended an hour before */
    const pit_run *runs[] = {&a, &b};
    pit_tree *tree = pit_tree_build(runs, 2);
    REQUIRE(tree);
    CHECK(find(tree, "train")->memory == NULL && find(tree, "train")->alloc == NULL);
    const pit_memory *m = find(tree, "train/epoch")->memory;
    REQUIRE(m);
    CHECK_INT(m->count, 6);
    CHECK_INT(m->delta_sum, 80 * MB);
    CHECK_INT(m->delta_max, 38 * MB);
    CHECK_INT(m->delta_last, -512);
    CHECK_INT(m->peak_sum, 800 * MB);
    CHECK_INT(m->peak_max, 300 * MB);
    CHECK_INT(m->minor_faults, 8000);
    CHECK_INT(m->error_bytes, MB);
    CHECK_INT(m->peak_method, PIT_PEAK_HWM);
    pit_tree_free(tree);
    memories[1].peak_method = PIT_PEAK_NONE; /* if one part has no peak, the sum has none */
    tree = pit_tree_build(runs, 2);
    REQUIRE(tree);
    CHECK_INT(find(tree, "train/epoch")->memory->peak_method, PIT_PEAK_NONE);
    pit_tree_free(tree);
}

TEST(a_negative_largest_delta_stays_negative)
{
    pit_run run = measured();
    memories[0].delta_max = memories[0].delta_sum = -4096;
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree);
    CHECK_INT(find(tree, "train/epoch")->memory->delta_max, -4096);
    pit_tree_free(tree);
}

TEST(allocations_add_up)
{
    pit_run run = measured();
    allocs[0] = (pit_alloc){4, 100, 90, 5 * MB, 4 * MB, 7, 3 * MB, -8, (int64_t)MB, 0, 0, 0};
    nodes[1].alloc = &allocs[0];
    const pit_run *runs[] = {&run, &run};
    pit_tree *tree = pit_tree_build(runs, 2);
    REQUIRE(tree);
    const pit_alloc *a = find(tree, "train/epoch")->alloc;
    REQUIRE(a);
    CHECK_INT(a->count, 8);
    CHECK_INT(a->allocs, 200);
    CHECK_INT(a->alloc_bytes, 10 * MB);
    CHECK_INT(a->peak_max, 3 * MB);
    CHECK_INT(a->live_sum, 2 * MB);
    CHECK_INT(a->live_last, -8);
    pit_tree_free(tree);
}

TEST(columns_of_memory_come_only_with_figures)
{
    pit_run run = measured();
    char *text = made_report(&run, NULL, NULL);
    CHECK_HAS(text, "  mem delta  mem peak\n");
    CHECK_HAS(text, "   +40.0 MB   +200 MB\n");
    CHECK(!strstr(text, "allocated"));
    pit_report_options flat = {.flat = 1};
    CHECK_HAS(made_report(&run, &flat, NULL), "   +40.0 MB   +200 MB\n");
    allocs[0] = (pit_alloc){.count = 4, .alloc_bytes = 5 * MB, .live_sum = -(int64_t)MB};
    nodes[1].alloc = &allocs[0];
    text = made_report(&run, NULL, NULL);
    CHECK_HAS(text, "  mem delta  mem peak  allocated     live\n");
    CHECK_HAS(text, "   +40.0 MB   +200 MB     5.0 MB  -1.0 MB\n");
    nodes[1].alloc = NULL;
    nodes[1].memory = NULL;
    CHECK(!strstr(made_report(&run, NULL, NULL), "mem delta"));
}

TEST(a_peak_that_could_not_be_had_is_not_available)
{
    pit_run run = measured();
    memories[0].peak_method = PIT_PEAK_NONE;
    CHECK_HAS(made_report(&run, NULL, NULL), "   +40.0 MB       n/a\n");
    pit_report_options options = {.view = "memory"};
    char *text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "peak: n/a, the kernel's mark cannot be reset here; each within 256 kB");
    CHECK(!strstr(text, "getrusage"));
    options.form = PIT_JSON;
    text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "\"memory_peak_bytes\": null");
    CHECK_HAS(text, "\"memory_delta_last_bytes\": -512");
    options.view = NULL; /* a view prints only its rows */
    CHECK_HAS(made_report(&run, &options, NULL), "\"memory_peak_method\": null");
}

TEST(memory_view_of_a_run_that_holds_its_memory)
{
    pit_run run = measured();
    pit_report_options options = {.view = "memory", .width = 120};
    CHECK_STR(
        made_report(&run, &options, NULL),
        "peak RSS 700 MB, 68 % of the limit of 1.00 GB; memory was held without growing\n"
        "\n"
        "program   train --epochs 10\n"
        "machine   box, A CPU, Linux 6.1\n"
        "started   2023-11-14 22:13:20 +0000\n"
        "state     ran 1 m 00 s, ended cleanly\n"
        "threads   1\n"
        "memory    peak RSS 700 MB of a limit of 1.00 GB, not growing\n"
        "labels    lr=0.1\n"
        "run       run.pit (293 kB)\n"
        "\n"
        "RSS       ▁▁▂▃▄▅▅▆▇███████████████████████████████████████████████████\n"
        "          min 100 MB, max 500 MB, last 500 MB, peak between readings 700 MB; limit 1.00 GB"
        " (cgroup v2); each bar 1.00 s\n"
        "growth    none over the work's second half: 0 B a minute is within the noise of the "
        "readings;"
        " median slope of 31 points\n"
        "CPU       153 % busy on average of one core; threads 4, at most 4\n"
        "I/O       read 3.00 GB, wrote n/a (storage); page faults 12,345 minor, 2 major\n"
        "around    cgroup v2 at most 600 MB of 1.00 GB with cached files; machine 16.0 GB, at least"
        " 8.00 GB left; memory pressure\n"
        "          at most 1.5 %\n"
        "\n"
        "span      spans  last delta  mean delta  max delta  mean peak  max peak  of run's peak "
        " minor faults  major\n"
        "train\n"
        "└─ epoch      4      -512 B    +10.0 MB   +38.0 MB    +100 MB   +200 MB          100 % "
        "        4,000      1\n"
        "delta: RSS at the end less RSS at the begin; peak: the kernel's high-water mark, reset at"
        " each begin (getrusage), less\n"
        "RSS at the begin, of the whole process; each within 256 kB\n"
        "\n"
        "instrumentation: 24 ns a span, under 0.001 % of the run\n");
}

static void grew(pit_raw_node *node, pit_memory *memory, uint64_t bytes)
{
    *memory = (pit_memory){.count = 100, .delta_sum = (int64_t)bytes, .delta_max = (int64_t)bytes};
    node->memory = memory;
}

/* Batches are loaded in one span and freed by the span around it; another span leaks less than that. */
TEST(growth_is_not_where_memory_is_given_back_around)
{
    pit_run run = measured();
    nodes[0] = made_node("step", PIT_NO_NODE, 100, 50 * SECOND, 40 * SECOND);
    nodes[1] = made_node("load", 0, 100, 20 * SECOND, 0);
    nodes[2] = made_node("log", 0, 100, 20 * SECOND, 0);
    grew(&nodes[0], &memories[0], 310 * MB);
    grew(&nodes[1], &memories[1], 380 * MB);
    grew(&nodes[2], &memories[2], 300 * MB);
    for (uint64_t i = 0; i < 60; i++)
        samples[i] = reading(i, i * SECOND, (100 + 5 * i) * MB);
    pit_report_options options = {.view = "memory", .width = 120};
    CHECK_HAS(made_report(&run, &options, NULL), " inside step/log");
    grew(&nodes[1], &memories[1], 5 * MB); /* memory that stays in one part belongs to that part */
    grew(&nodes[2], &memories[2], 300 * MB);
    CHECK_HAS(made_report(&run, &options, NULL), " inside step/log");
    grew(&nodes[2], &memories[2], 100 * MB); /* no part has most of it: report the whole */
    CHECK(!strstr(made_report(&run, &options, NULL), " inside step/l"));
}

/* Half of the run is imports that fill the memory; the spans begin after them. */
TEST(memory_that_is_filled_before_the_first_span_is_not_growth)
{
    pit_run run = measured();
    for (uint64_t i = 0; i < 60; i++)
        samples[i] = reading(i, i * SECOND, (i < 45 ? 100 + 10 * i : 550) * MB);
    for (size_t i = 0; i < 3; i++)
        nodes[i].first = run.start_ticks + 45 * SECOND;
    CHECK_HAS(made_report(&run, NULL, NULL), " of a limit of 1.00 GB, not growing\n");
    for (size_t i = 0; i < 3; i++) /* spans at the very end do not represent the work */
        nodes[i].first = run.start_ticks + 59 * SECOND;
    CHECK_HAS(made_report(&run, NULL, NULL), ", growing ");
}

TEST(memory_view_without_figures_says_what_to_do)
{
    pit_run run = measured();
    nodes[1].memory = NULL;
    run.has_samples = 0;
    run.sample_count = 0;
    run.rss_peak = 0;
    pit_report_options options = {.view = "memory"};
    char *text = made_report(&run, &options, NULL);
    CHECK(strncmp(text, "memory n/a: the run had no sampler", 34) == 0);
    CHECK_HAS(text, "no span measured its memory: mark those that matter with PIT_SPAN_WITH(name,"
                    " PIT_MEMORY)");
    CHECK(!strstr(text, "RSS  "));
}

TEST(leaks_are_shown_where_they_were_asked_for)
{
    pit_run run = measured();
    allocs[0] = (pit_alloc){.count = 4, .alloc_bytes = 5 * MB, .freed_bytes = 4 * MB};
    nodes[1].alloc = &allocs[0];
    pit_report_options options = {.view = "memory"};
    char *text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "allocated   freed  peak live  live\n");
    CHECK_HAS(text, "allocations: counted one by one");
    options.form = PIT_JSON;
    CHECK_HAS(made_report(&run, &options, NULL), "\"leaked_bytes\": null");
    allocs[0].leak_spans = 1;
    allocs[0].leaked_bytes = 64 * KB;
    options.form = PIT_TEXT;
    text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "  leaked\n");
    CHECK_HAS(text, "  64.0 kB\n");
}

TEST(unknown_views_are_refused)
{
    pit_run run = measured();
    pit_report_options options = {.view = "colour"};
    int code;
    made_report(&run, &options, &code);
    CHECK_INT(code, PIT_BAD_ARGUMENT);
}

TEST(no_line_of_the_memory_view_passes_the_width)
{
    pit_run run = measured();
    run.state = PIT_RUN_DIED;
    static char name[301];
    memset(name, 'x', 300);
    nodes[1].name = name;
    for (int width = 40; width <= 200; width += 8) {
        pit_report_options options = {.view = "memory", .width = width};
        char *text = made_report(&run, &options, NULL);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            if (pit__text_width(line) > (size_t)width) {
                printf("  %d: %s\n", width, line);
                CHECK(pit__text_width(line) <= (size_t)width);
            }
    }
}

TEST(ascii_memory_view_is_ascii)
{
    pit_run run = measured();
    pit_report_options options = {.view = "memory", .ascii = 1};
    char *text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "RSS       __.-:==+*####");
    for (const char *c = text; *c; c++)
        if ((unsigned char)*c >= 0x80) {
            CHECK((unsigned char)*c < 0x80);
            break;
        }
}

TEST(json_has_records_and_readings_and_null_for_the_unknown)
{
    pit_run run = measured();
    records[0] = (pit_record){.node = 1,
                              .depth = 2,
                              .begin = 1000 + SECOND,
                              .duration = 10 * SECOND,
                              .items = 7,
                              .has_memory = 1,
                              .rss_begin = MB,
                              .rss_end = 2 * MB,
                              .rss_peak = 3 * MB,
                              .error_bytes = 256 * KB,
                              .peak_method = PIT_PEAK_HWM};
    records[1] = (pit_record){
        .node = 1, .depth = 2, .begin = 1000, .duration = 5, .has_alloc = 1, .alloc_bytes = 9};
    threads[0].records = records;
    threads[0].record_count = 2;
    threads[0].records_dropped = 5;
    pit_report_options options = {.form = PIT_JSON};
    char *text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "\"records_dropped\": 5");
    CHECK_HAS(text,
              "{\"path\": \"train/epoch\", \"at_ns\": 1000000000, \"duration_ns\": 10000000000,"
              " \"depth\": 2, \"items\": 7, \"rss_begin_bytes\": 1048576, \"rss_end_bytes\":"
              " 2097152, \"rss_peak_bytes\": 3145728, \"minor_faults\": 0, \"major_faults\": 0,"
              " \"error_bytes\": 262144, \"peak_method\": \"hwm\", \"alloc_bytes\": null,"
              " \"freed_bytes\": null}");
    CHECK_HAS(text, "\"rss_begin_bytes\": null, \"rss_end_bytes\": null, \"rss_peak_bytes\": null,"
                    " \"minor_faults\": null, \"major_faults\": null, \"error_bytes\": null,"
                    " \"peak_method\": null, \"alloc_bytes\": 9, \"freed_bytes\": 0}");
    CHECK_HAS(text, "\"newest\": {\"time_ns\": 59500000000, \"rss_bytes\": 524288000,");
    CHECK_HAS(text, "\"write_bytes\": null");
    CHECK_HAS(text, "\"cgroup_limit_bytes\": 1073741824");
    CHECK_HAS(text, "\"memory_pressure\": 0.015");
    CHECK_HAS(text, "\"alloc_bytes\": null");
}

TEST(sparkline_shows_the_largest_of_each_stretch)
{
    static const double numbers[] = {0, 1, 2, 3, 4, 5, 6, 8};
    struct pit__text text = {0};
    pit__sparkline(&text, numbers, 8, 8, 0, 8, 1);
    CHECK_STR(pit__text_string(&text), "_.-:=+*#");
    text.length = 0;
    pit__sparkline(&text, numbers, 8, 4, 0, 8, 1);
    CHECK_STR(pit__text_string(&text), ".:+#");
    text.length = 0;
    static const double odd[] = {NAN, 5, INFINITY, 5};
    pit__sparkline(&text, odd, 4, 100, 5, 5, 1);
    CHECK_STR(pit__text_string(&text), " _ _");
    pit__text_free(&text);
}

/* ---- waiting ------------------------------------------------------------------------------- */

TEST(what_the_main_thread_waited_for_is_one_line)
{
    static const pit_channel channels[] = {
        {.key = "rss_bytes", .unit = "bytes", .per_unit = 1},
        {.key = "run_delay_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
        {.key = "io_delay_ns",
         .unit = "ns",
         .per_unit = 1,
         .is_counter = 1,
         .missing = "kernel.task_delayacct is 0"},
        {.key = "throttled_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
        {.key = "processors", .unit = "", .per_unit = 100},
        {.key = "swap_bytes", .unit = "bytes", .per_unit = 1},
        {.key = "processor_pressure", .unit = "share", .per_unit = 10000},
        {.key = "storage_pressure", .unit = "share", .per_unit = 10000},
        {.key = "main_cpu_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
        {.key = "stolen_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
        {.key = "busy_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
    };
    static const uint64_t first[] = {MB, 1000, PIT_UNKNOWN, 0, 150, 0, 10, 0, 5, 6, 7},
                          last[] = {
                              MB, 1000 + SECOND,  PIT_UNKNOWN,    2 * SECOND,     150, 3 * MB, 4000,
                              0,  5 + 4 * SECOND, 6 + 2 * SECOND, 7 + 16 * SECOND};
    static const pit_sample two[] = {{1000, first}, {1000 + 10 * SECOND, last}};
    pit_run run = measured();
    pit_report_options options = {.view = "memory"};
    CHECK(!strstr(made_report(&run, &options, NULL), "waited")); /* of an older run */
    run.channels = channels;
    run.channel_count = sizeof channels / sizeof channels[0];
    run.samples = two;
    run.sample_count = 2;
    run.sample_stride = 1;
    run.newest = two[1];
    const char *text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "waited    for a processor 10 %, for the host of the machine ~5 %, for storage"
                    " n/a (kernel.task_delayacct is 0), throttled 20 %; may use 1.5 processors\n");
    CHECK_HAS(text, "; in swap at most 3.00 MB\n");
    CHECK_HAS(text, ", processor 40 %, storage 0 %\n");
    CHECK(!strstr(text, "run_delay_ns"));
    CHECK(!strstr(text, "stolen_ns"));
}
