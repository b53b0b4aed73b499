/* The printed report of runs made by hand: golden texts. */
#include "check.h"

#include "made_run.h"
#include "report/text.h"

#include <errno.h>
#include <math.h>

static pit_raw_node nodes[8];
static pit_open_span spans[4];
static pit_thread threads[2];
static pit_point points[2];
static pit_raw_value values[1];

/* A small training run of one thread. */
static pit_run training(void)
{
    setenv("TZ", "UTC", 1);
    nodes[0] = made_node("train", PIT_NO_NODE, 1, 12400000000u, 12300000000u);
    nodes[1] = made_node("epoch", 0, 10, 1230000000u, 12000000000u);
    nodes[2] = made_node("batch", 1, 4000, 3000000, 4000 * (uint64_t)2850000);
    nodes[3] = made_node("forward", 2, 4000, 950000, 0);
    nodes[4] = made_node("backward", 2, 4000, 1900000, 0);
    nodes[3].items = 128000;
    threads[0] = made_thread("main", nodes, 5);
    return made_run(threads, 1);
}

/* The same, killed in its fourth epoch. */
static pit_run killed(void)
{
    pit_run run = training();
    run.state = PIT_RUN_DIED;
    nodes[0].count = nodes[0].total = nodes[0].child = 0;
    nodes[0].hist_count = 0;
    nodes[1] = made_node("epoch", 0, 3, 1230000000u, 3600000000u);
    spans[0] = (pit_open_span){.node = 0, .begin = 1000};
    spans[1] = (pit_open_span){.node = 1, .begin = 1000 + 10000000000u};
    spans[2] = (pit_open_span){.node = 2, .begin = 1000 + 11100000000u};
    spans[3] = (pit_open_span){.node = 4, .begin = 1000 + 11300000000u};
    threads[0].open = spans;
    threads[0].open_count = 4;
    return run;
}

TEST(report_of_a_run_that_ended_well)
{
    pit_run run = training();
    int code;
    CHECK_STR(made_report(&run, NULL, &code),
              "NOTHING STANDS OUT: backward 61 %, forward 31 %, batch 4.8 %.\n"
              "train/epoch/batch/backward took the most: 61 % of 12.4 s (self time), 4,000 spans of"
              " 1.90 ms\n"
              "\n"
              "program   train --epochs 10\n"
              "machine   box, A CPU, Linux 6.1\n"
              "started   2023-11-14 22:13:20 +0000\n"
              "state     ran 12.5 s, ended cleanly\n"
              "threads   1\n"
              "labels    lr=0.1\n"
              "run       run.pit (293 kB)\n"
              "\n"
              "span               count   total    self   share     mean      p50      p95      p99"
              "      max  items/s\n"
              "train                  1  12.4 s  100 ms   100 %   12.4 s   12.4 s   12.4 s   12.4 s"
              "   12.4 s\n"
              "└─ epoch              10  12.3 s  300 ms  99.2 %   1.23 s   1.23 s   1.23 s   1.23 s"
              "   1.23 s\n"
              "   └─ batch        4,000  12.0 s  600 ms  96.8 %  3.00 ms  3.00 ms  3.00 ms  3.00 ms"
              "  3.00 ms\n"
              "      ├─ backward  4,000  7.60 s  7.60 s  61.3 %  1.90 ms  1.90 ms  1.90 ms  1.90 ms"
              "  1.90 ms\n"
              "      └─ forward   4,000  3.80 s  3.80 s  30.6 %   950 µs   950 µs   950 µs   950 µs"
              "   950 µs   33.7 k\n"
              "\n"
              "instrumentation: 24 ns a span, 0.0023 % of the run\n");
    CHECK_INT(code, 0);
}

TEST(flat_report_has_one_row_a_name_sorted_as_asked)
{
    pit_run run = training();
    nodes[5] = made_node("batch", 0, 10, 1000000, 0); /* the same name elsewhere */
    nodes[6] = made_node("batch", 5, 10, 500000, 0);  /* and inside itself */
    threads[0].node_count = 7;
    pit_report_options options = {.flat = 1, .sort = "self", .ascii = 1};
    char *text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "\nspan      count   total    self");
    CHECK_HAS(text, "\nbackward  4,000  7.60 s  7.60 s");
    CHECK_HAS(text, "\nbatch     4,020  12.0 s  615 ms");
    CHECK(strstr(text, "\nforward") < strstr(text, "\nbatch"));
    options.sort = "name";
    text = made_report(&run, &options, NULL);
    CHECK(strstr(text, "\nbackward") < strstr(text, "\nbatch"));
    CHECK(strstr(text, "\nforward") < strstr(text, "\ntrain "));
}

TEST(dead_run_says_where_it_died)
{
    pit_run run = killed();
    char *text = made_report(&run, NULL, NULL);
    CHECK_HAS(text, "ended without a close (killed, _exit or exec) 2023-11-14 22:13:32 +0000,"
                    " 12.5 s after its start");
    CHECK_HAS(text, "where it died:\n  main: train > epoch > batch > backward, 1.20 s in\n");
    CHECK_HAS(text, "train [open] ");
    const pit_thread *thread = &run.threads[0];
    pit_run at_begin = run; /* the last known event is the begin of the innermost span */
    at_begin.end_ticks = thread->open[thread->open_count - 1].begin;
    CHECK_HAS(made_report(&at_begin, NULL, NULL), "batch > backward, just begun\n    open for ");
    text = made_report(&run, NULL, NULL);
    /* open time is in the totals: 100 % is the time in spans, finished or not */
    CHECK_HAS(text,
              "ended without a close; the reason is not known, because its memory was not read\n"
              "UNMARKED: ");
    CHECK_HAS(text, "\ntrain/epoch/batch/backward took the most: 70 % of 12.5 s");
}

TEST(dead_run_without_open_spans_says_so)
{
    pit_run run = killed();
    threads[0].open_count = 0;
    CHECK_HAS(made_report(&run, NULL, NULL), "where it died:\n  outside of any span\n");
}

TEST(live_run_says_so_far)
{
    pit_run run = killed();
    run.state = PIT_RUN_LIVE;
    run.is_mirror = 1;
    run.storage = PIT_STORAGE_SHM;
    char *text = made_report(&run, NULL, NULL);
    CHECK_HAS(text, "state     live, 12.5 s so far\n");
    CHECK_HAS(text, "open now:\n  main: train > epoch > batch > backward, 1.20 s in\n");
    CHECK_HAS(text, "note      its live pages were in shared memory, not in its file\n");
    CHECK_HAS(text, "counts may be some spans apart");
}

TEST(shortages_are_said_with_the_systems_reason)
{
    pit_run run = training();
    run.growth_errno = ENOSPC;
    run.storage = PIT_STORAGE_MEMORY;
    run.open_errno = EACCES;
    char *text = made_report(&run, NULL, NULL);
    CHECK_HAS(text, "its file stopped growing: later spans are lost: No space left on device");
    CHECK_HAS(text, "recorded in memory: its file could not be created: Permission denied");
}

TEST(only_losses_that_happened_are_said)
{
    pit_run run = training();
    run.losses = (pit_losses){.abandoned = 1, .wrong_thread = 4000};
    char *text = made_report(&run, NULL, NULL);
    CHECK_HAS(text, "\n1 span was begun and not ended\n");
    CHECK_HAS(text, "\n4,000 spans were ended on another thread\n  use pit_object_begin");
    CHECK(!strstr(text, "nested too deep"));
    CHECK(!strstr(text, "signal"));
}

TEST(cost_that_was_not_measured_is_not_0)
{
    pit_run run = training();
    run.span_cost_ns = 0;
    CHECK_HAS(made_report(&run, NULL, NULL), "instrumentation: n/a");
}

TEST(values_are_listed_and_nan_is_a_value)
{
    pit_run run = training();
    points[0] = (pit_point){.ticks = 1000, .values = 2, .mean = 2, .min = 1.5, .max = 2.5};
    points[1] = (pit_point){.ticks = 2000, .values = 1, .mean = NAN, .min = NAN, .max = NAN};
    values[0] = (pit_raw_value){"loss", 3, NAN, points, 2};
    threads[0].values = values;
    threads[0].value_count = 1;
    CHECK_HAS(made_report(&run, NULL, NULL), "\nvalue  count  last  min  max\n"
                                             "loss       3   NaN  1.5  2.5\n");
}

TEST(depth_and_share_leave_out_and_say_so)
{
    pit_run run = training();
    pit_report_options options = {.depth = 2};
    char *text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "3 nodes not shown");
    CHECK(!strstr(text, "batch  "));
    options = (pit_report_options){.min_share = 0.5};
    text = made_report(&run, &options, NULL);
    CHECK_HAS(text, "─ backward");
    CHECK(!strstr(text, "─ forward"));
    CHECK_HAS(text, "1 node not shown");
}

TEST(on_a_narrow_screen_the_path_gives_way_and_then_the_figures_flow_on)
{
    pit_run run = training();
    pit_report_options options = {.width = 80};
    CHECK_HAS(made_report(&run, &options, NULL),
              "…atch/backward took the most: 61 % of 12.4 s (self time), 4,000 spans of 1.90 ms\n");
    options.width = 70;
    CHECK_HAS(made_report(&run, &options, NULL),
              "\ntrain/epoch/batch/backward took the most: 61 % of 12.4 s (self time),\n"
              "4,000 spans of 1.90 ms\n");
}

TEST(no_line_passes_the_width_and_columns_line_up)
{
    pit_run run = killed();
    static char name[4001];
    memset(name, 'x', 4000);
    nodes[5] = made_node(name, 2, 3, 1000, 0);
    nodes[6] = made_node("数据 🚀 e\xcc\x81\n\x1b[0m", 5, 3, 1000, 0);
    threads[0].losses = run.losses = (pit_losses){1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    nodes[7] = made_node(name, 6, 1, 900000000000u, 0); /* takes the most */
    threads[0].node_count = 8;
    for (int width = 40; width <= 200; width += 5) {
        pit_report_options options = {.width = width};
        char *text = made_report(&run, &options, NULL);
        for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
            if (pit__text_width(line) > (size_t)width) {
                printf("  %d: %s\n", width, line);
                CHECK(pit__text_width(line) <= (size_t)width);
            }
    }
}

static pit_raw_value one_loss(const char *name, pit_point *point, uint64_t ticks, double low,
                              double high, double last)
{
    *point = (pit_point){.ticks = ticks, .values = 2, .mean = low, .min = low, .max = high};
    return (pit_raw_value){
        .name = name, .count = 2, .last = last, .points = point, .point_count = 1};
}

TEST(values_of_threads_are_joined_and_the_newest_is_the_last)
{
    static pit_point ends[3];
    static pit_raw_value three[3];
    static pit_thread both[2];
    pit_run run = training();
    three[0] = one_loss("loss", &ends[0], 5000, 0.25, 2, 0.5); /* the newest */
    three[1] = one_loss("rate", &ends[1], 4000, 1, 1, 1);
    three[2] = one_loss("loss", &ends[2], 3000, 0.125, 8, 4);
    both[0] = both[1] = threads[0];
    both[0].values = three;
    both[0].value_count = 2;
    both[1].values = &three[2];
    both[1].value_count = 1;
    run.threads = both;
    run.thread_count = 2;
    CHECK_HAS(made_report(&run, NULL, NULL), "\nvalue  count  last    min  max\n"
                                             "loss       4   0.5  0.125    8\n"
                                             "rate       2     1      1    1\n");
}

TEST(no_spans_at_all_is_said)
{
    pit_run run = training();
    run.thread_count = 0;
    char *text = made_report(&run, NULL, NULL);
    CHECK(strncmp(text, "no spans were recorded\n\nprogram", 31) == 0);
    CHECK(!strstr(text, "instrumentation"));
}

TEST(several_runs_are_listed_and_merged)
{
    pit_run a = training(), b = a;
    b.path = "other.pit";
    b.state = PIT_RUN_DIED;
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    const pit_run *runs[] = {&a, &b};
    CHECK_INT(pit_report_print(out, runs, 2, NULL), 0);
    fclose(out);
    keep(text);
    CHECK_HAS(text, "61 % of 24.8 s on 2 threads (self time), 8,000 spans of 1.90 ms\n");
    CHECK_HAS(text,
              "\nrun.pit    train    box   2023-11-14 22:13:20 +0000    12.5 s  closed        1\n"
              "other.pit  train    box   2023-11-14 22:13:20 +0000    12.5 s  died          1\n");
    CHECK_HAS(text, "other.pit: where it died:\n");
}

TEST(options_out_of_range_are_refused)
{
    pit_run run = training();
    int code;
    pit_report_options options = {.sort = "speed"};
    made_report(&run, &options, &code);
    CHECK_INT(code, PIT_BAD_ARGUMENT);
    options = (pit_report_options){.min_share = 2};
    made_report(&run, &options, &code);
    CHECK_INT(code, PIT_BAD_ARGUMENT);
    options = (pit_report_options){.width = -1};
    made_report(&run, &options, &code);
    CHECK_INT(code, PIT_BAD_ARGUMENT);
    CHECK_INT(pit_report_print(stdout, NULL, 0, NULL), PIT_BAD_ARGUMENT);
}

TEST(a_full_disk_is_an_error)
{
    pit_run run = training();
    const pit_run *runs[] = {&run};
    FILE *full = fopen("/dev/full", "w");
    REQUIRE(full);
    CHECK_INT(pit_report_print(full, runs, 1, NULL), PIT_CANNOT_WRITE);
    CHECK_INT(errno, ENOSPC);
    fclose(full);
}

/* Brackets and quotes are balanced, every character is allowed: enough to show that a name cannot break the
 * document. The tests of the command line use a real parser. */
static int is_balanced(const char *text)
{
    char stack[64];
    int depth = 0, quoted = 0;
    for (const char *c = text; *c; c++) {
        if (quoted) {
            if ((unsigned char)*c < 0x20)
                return 0;
            if (*c == '\\')
                c++;
            else if (*c == '"')
                quoted = 0;
        } else if (*c == '"') {
            quoted = 1;
        } else if (*c == '{' || *c == '[') {
            if (depth == 64)
                return 0;
            stack[depth++] = *c;
        } else if (*c == '}' || *c == ']') {
            if (depth == 0 || stack[--depth] != (*c == '}' ? '{' : '['))
                return 0;
        }
    }
    return depth == 0 && !quoted;
}

TEST(json_is_whole_for_any_name)
{
    pit_run run = killed();
    nodes[5] = made_node("\"}],\n\\\x1b\xff", 2, 3, 1000, 0);
    nodes[6] = made_node("", 2, 0, 0, 0);
    threads[0].node_count = 7;
    pit_report_options options = {.form = PIT_JSON};
    int code;
    char *text = made_report(&run, &options, &code);
    CHECK_INT(code, 0);
    CHECK(is_balanced(text));
    CHECK_HAS(text, "\"schema_version\": 2,");
    CHECK_HAS(text, "\"name\": \"\\\"}],\\n\\\\\\u001b\xef\xbf\xbd\"");
    CHECK_HAS(text, "\"state\": \"died\"");
    CHECK_HAS(text,
              "{\"name\": \"backward\", \"path\": \"train/epoch/batch/backward\", \"phase\": false,"
              " \"detached\": false, \"open_ns\": 1200000000}");
    CHECK_HAS(text, "\"p99_ns\": null");
    CHECK(!strstr(text, ": nan") && !strstr(text, ": inf"));
}

TEST(colour_only_when_asked)
{
    pit_run run = killed();
    CHECK(!strchr(made_report(&run, NULL, NULL), '\x1b'));
    pit_report_options options = {.colour = 1};
    CHECK(strchr(made_report(&run, &options, NULL), '\x1b') != NULL);
}

TEST(ascii_report_of_ascii_names_is_ascii)
{
    pit_run run = killed();
    pit_report_options options = {.ascii = 1, .width = 70};
    for (const char *c = made_report(&run, &options, NULL); *c; c++)
        if ((unsigned char)*c >= 0x80) {
            CHECK((unsigned char)*c < 0x80);
            break;
        }
}
