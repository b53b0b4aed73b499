/* The views over the journal: lines from plain entries, forms for machines, nothing to show. */
#include "check.h"

#include "monitor_stage.h"

#include <math.h>

static const char *printed(const char *view, const pit_entry *entries, size_t count,
                           enum pit_form form, int code)
{
    static char *text;
    size_t length;
    free(text);
    FILE *out = open_memstream(&text, &length);
    REQUIRE(out != NULL);
    pit_data data = {.title = "train", .entries = entries, .entry_count = count};
    pit_report_options options = {.form = form};
    CHECK_INT(pit_view_print(out, view, &data, &options), code);
    fclose(out);
    return text;
}

static pit_figure timing[] = {{"seconds", 75, "s"}, {"cpu_delta_mb", 12.5, "MB"}};
static pit_figure sum_row[] = {{"seconds", 75, "s"}, {"share", 100, "%"}};
static pit_figure sum[] = {{"seconds", 75, "s"}};
static pit_figure batch[] = {{"epoch", 0, ""},
                             {"batch", 3, ""},
                             {"seconds", 0.25, "s"},
                             {"cpu_mb", 64.5, "MB"},
                             {"loss", INFINITY, ""}};
static pit_figure ending[] = {{"epoch", 0, ""},
                              {"seconds", 9.5, "s"},
                              {"gpu_mb", 1, "MB"},
                              {"reserved_mb", NAN, "MB"},
                              {"peak_mb", 2, "MB"}};
static pit_figure window[] = {
    {"steps", 50, "count"}, {"Step", 1.5, "ms"}, {"Nodes", 28.25, ""}, {"patterns", 7, "kept"}};

/* 2001-09-09 01:46:40 */
#define WALL 1000000000000000000u

static const pit_entry entries[] = {
    {.kind = "stage", .text = "load", .wall_ns = WALL},
    {.kind = "timing", .text = "load", .wall_ns = WALL, .figures = timing, .figure_count = 2},
    {.kind = "batch", .text = "", .wall_ns = WALL, .figures = batch, .figure_count = 5},
    {.kind = "epoch", .text = "", .wall_ns = WALL, .figures = ending, .figure_count = 5},
    {.kind = "window", .text = "GPM", .wall_ns = WALL, .figures = window, .figure_count = 4},
    {.kind = "somebody's own", .text = "skipped", .wall_ns = WALL},
    {.kind = "summary", .text = "load", .wall_ns = WALL, .figures = sum_row, .figure_count = 2},
    {.kind = "total", .text = "", .wall_ns = WALL, .figures = sum, .figure_count = 1},
};
#define COUNT (sizeof entries / sizeof entries[0])

TEST(each_view_takes_the_kinds_that_are_its_own)
{
    stage_up(0);
    CHECK_STR(printed("stages", entries, COUNT, PIT_TEXT, 0),
              "[2001-09-09 01:46:40] [STAGE] load\n"
              "[2001-09-09 01:46:40] [TIMING] load: 75.00s (1.25min)\n"
              "================================================================================\n"
              "[TIMING SUMMARY]\n"
              "================================================================================\n"
              "  load                                    : 75.00s (1.25min)     (100.0%)\n"
              "  TOTAL                                   : 75.00s (1.25min)\n"
              "================================================================================\n");
    CHECK_STR(printed("epochs", entries, COUNT, PIT_TEXT, 0),
              "  Batch 3: 0.250s, GPU n/a, CPU 64.5MB, loss=inf\n"
              "  Epoch end: 9.500s total, GPU 1.0MB, n/a reserved, peak 2MB\n");
    CHECK_STR(printed("windows", entries, COUNT, PIT_TEXT, 0),
              "[GPM] Last 50 steps: Step=1.50ms, Nodes=28.2\n");
}

TEST(csv_has_the_figures_as_they_are)
{
    stage_up(0);
    CHECK_STR(printed("stages", entries, COUNT, PIT_CSV, 0),
              "kind,time,stage,seconds,share,cpu_delta_mb,cpu_peak_mb,gpu_delta_mb,gpu_peak_mb\n"
              "stage,2001-09-09 01:46:40,load,,,,,,\n"
              "timing,2001-09-09 01:46:40,load,75,,12.5,,,\n"
              "summary,2001-09-09 01:46:40,load,75,100,,,,\n"
              "total,2001-09-09 01:46:40,,75,,,,,\n");
    CHECK_STR(printed("windows", entries, COUNT, PIT_CSV, 0),
              "time,tag,last,of,item,mean,unit\n"
              "2001-09-09 01:46:40,GPM,50,steps,Step,1.5,ms\n"
              "2001-09-09 01:46:40,GPM,50,steps,Nodes,28.25,\n"
              "2001-09-09 01:46:40,GPM,50,steps,patterns,7,kept\n");
}

TEST(json_and_markdown_are_tables_too)
{
    stage_up(0);
    const char *text = printed("epochs", entries, COUNT, PIT_JSON, 0);
    CHECK(strstr(text, "\"view\": \"epochs\""));
    CHECK(strstr(text, "\"title\": \"train\""));
    CHECK(strstr(text, "\"kind\": \"batch\""));
    CHECK(strstr(text, "\"batch\": 3"));
    CHECK(strstr(text, "\"cpu_mb\": 64.5"));
    CHECK(strstr(text, "\"loss\": null"));
    CHECK(strstr(text, "\"reserved_mb\": null"));
    text = printed("stages", entries, COUNT, PIT_MARKDOWN, 0);
    CHECK(strstr(text, "### Stages\n\n| Kind") == text);
    CHECK(strstr(text, "CPU (MB)") != NULL);
    CHECK(strstr(text, "GPU (MB)") == NULL); /* no row has one */
}

TEST(where_there_is_nothing_the_view_says_what_would_log_it)
{
    CHECK(strstr(printed("epochs", entries, 2, PIT_TEXT, PIT_NOTHING), "no epochs were logged"));
    CHECK(strstr(printed("stages", NULL, 0, PIT_TEXT, PIT_NOTHING), "no stages were logged"));
    CHECK(strstr(printed("windows", NULL, 0, PIT_JSON, PIT_NOTHING), "\"nothing\""));
    CHECK_STR(printed("windows", NULL, 0, PIT_CSV, PIT_NOTHING), "");
}

TEST(an_entry_without_its_figures_reads_as_not_available)
{
    stage_up(0);
    pit_entry bare[] = {{.kind = "timing", .wall_ns = WALL},
                        {.kind = "summary", .text = "cut off"},
                        {.kind = "timing", .text = "next", .wall_ns = WALL}};
    const char *text = printed("stages", bare, 3, PIT_TEXT, 0);
    CHECK(strstr(text, "[2001-09-09 01:46:40] [TIMING] : n/a\n===") == text);
    CHECK(strstr(text,
                 "  cut off                                 : n/a                  (n/a)\n==="));
    CHECK(strstr(text, "===\n[2001-09-09 01:46:40] [TIMING] next: n/a\n"));
    pit_entry empty[] = {{.kind = "window", .text = "x"}, {.kind = "batch"}};
    CHECK_STR(printed("windows", empty, 2, PIT_TEXT, 0), "[x]\n");
    CHECK_STR(printed("epochs", empty, 2, PIT_TEXT, 0), "  Batch n/a: n/a, GPU n/a, CPU n/a\n");
}
