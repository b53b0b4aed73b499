/* The export formats on runs made by hand, for cases that the system tests cannot produce. */
#include "check.h"
#include "made_run.h"

#include <math.h>

static const pit_raw_node nodes[] = {{.name = "root", .parent = PIT_NO_NODE, .count = 1}};
static const pit_event events[] = {{0, 1, 2000, 5678}};

static char *exported(const pit_run *const *runs, size_t count, const char *format, int *code)
{
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    *code = pit_export(out, format, runs, count);
    fclose(out);
    return keep(text);
}

static pit_thread one_thread(void)
{
    pit_thread thread = made_thread("main", nodes, 1);
    thread.events = events;
    thread.event_count = 1;
    return thread;
}

TEST(every_format_has_its_name_and_is_written)
{
    pit_thread thread = one_thread();
    pit_run run = made_run(&thread, 1);
    const pit_run *runs[] = {&run};
    size_t count = 0;
    const pit_export_format *format;
    for (; (format = pit_export_at(count)); count++) {
        int code;
        char *text = exported(runs, 1, format->name, &code);
        CHECK(strlen(format->help) > 10 && format->endings[0]);
        CHECK_INT(code, 0);
        CHECK(strstr(text, "root") != NULL);
        CHECK(text[strlen(text) - 1] == '\n');
    }
    CHECK_INT(count, 7);
}

TEST(wrong_arguments_are_refused)
{
    pit_run run = made_run(NULL, 0);
    const pit_run *runs[] = {&run};
    CHECK_INT(pit_export(stdout, "xml", runs, 1), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_export(stdout, NULL, runs, 1), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_export(NULL, "csv", runs, 1), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_export(stdout, "csv", runs, 0), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_export_file("/tmp/x", "xml", runs, 1), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_export_file(NULL, "csv", runs, 1), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_export_file("/dev/full", "csv", runs, 1), PIT_CANNOT_WRITE);
}

TEST(times_of_a_trace_are_exact_microseconds)
{
    pit_thread thread = one_thread();
    pit_run run = made_run(&thread, 1);
    const pit_run *runs[] = {&run};
    int code;
    char *text = exported(runs, 1, "chrome-trace", &code);
    CHECK(strstr(text, "{\"name\": \"root\", \"cat\": \"span\", \"ph\": \"X\", \"ts\": 1, "
                       "\"pid\": 42, \"tid\": 7, \"dur\": 5.678}") != NULL);
}

TEST(the_journal_becomes_instants)
{
    static const pit_figure figures[] = {
        {"seconds", 1.5, "s"}, {"loss", 0.25, ""}, {"bad", NAN, ""}};
    static const pit_entry journal[] = {
        {.kind = "timing", .text = "load", .ticks = 3000, .figures = figures, .figure_count = 3}};
    pit_thread thread = one_thread();
    pit_run run = made_run(&thread, 1);
    run.journal = journal;
    run.journal_count = 1;
    const pit_run *runs[] = {&run};
    int code;
    char *text = exported(runs, 1, "chrome-trace", &code);
    CHECK(strstr(text,
                 "{\"name\": \"load\", \"cat\": \"timing\", \"ph\": \"i\", \"ts\": 2, \"pid\": "
                 "42, \"tid\": 7, \"s\": \"p\", \"args\": {\"seconds_s\": 1.5, \"loss\": "
                 "0.25, \"bad\": null}}") != NULL);
}

TEST(values_that_are_no_numbers_are_left_out_of_counters)
{
    static const pit_point points[] = {{2000, 1, 0.5, 0.5, 0.5}, {3000, 1, NAN, NAN, NAN}};
    static const pit_raw_value values[] = {
        {.name = "loss", .count = 2, .points = points, .point_count = 2}};
    pit_thread thread = one_thread();
    thread.values = values;
    thread.value_count = 1;
    pit_run run = made_run(&thread, 1);
    const pit_run *runs[] = {&run};
    int code;
    char *text = exported(runs, 1, "chrome-trace", &code), *at = text;
    size_t count = 0;
    while ((at = strstr(at, "\"ph\": \"C\"")) != NULL) {
        count++;
        at++;
    }
    CHECK_INT(count, 1);
}

TEST(threads_and_runs_of_one_number_are_told_apart)
{
    pit_thread threads[] = {one_thread(), one_thread()};
    pit_run a = made_run(threads, 2), b = made_run(threads, 2);
    b.start_wall_ns += 1000;
    const pit_run *runs[] = {&a, &b};
    int code;
    char *text = exported(runs, 2, "chrome-trace", &code);
    CHECK_INT(code, 0);
    CHECK(strstr(text, "\"ts\": 1, \"pid\": 42, \"tid\": 7, \"dur\"") != NULL);
    CHECK(strstr(text, "\"ts\": 1, \"pid\": 42, \"tid\": 4194306, \"dur\"") != NULL);
    CHECK(strstr(text, "\"ts\": 2, \"pid\": 4194306, \"tid\": 7, \"dur\"") != NULL);
}

/* ---- timings ------------------------------------------------------------------------------- */

static const char *content(const char *path)
{
    static char text[2000];
    FILE *in = fopen(path, "r");
    REQUIRE(in);
    text[fread(text, 1, sizeof text - 1, in)] = '\0';
    fclose(in);
    return text;
}

TEST(timings_are_saved_as_the_timing_utilities_do)
{
    static const pit_row rows[] = {
        {.name = "MLP", .seconds = 120},
        {.name = "a, \"b\"", .seconds = 0.00005},
        {.name = "=KAN",
         .seconds = 1.5,
         .has_memory = 1,
         .cpu_peak_mb = 234.5,
         .cpu_delta_mb = 0.5},
        {.name = "GPU", .seconds = 2, .has_device = 1, .gpu_end_mb = 10, .gpu_peak_mb = 20}};
    char folder[] = "/tmp/pitwall-unit-timings-XXXXXX";
    REQUIRE(mkdtemp(folder) && chdir(folder) == 0);
    CHECK_INT(pit_save_timings("t.csv", PIT_CSV, "Section 1.1", rows, 4, 0), 0);
    CHECK_STR(content("t.csv"),
              "Section,Model,Time (s),peak_memory_mb,current_memory_mb,allocated_mb,"
              "max_allocated_mb\n"
              "Section 1.1,MLP,120.0000,,,,\n"
              "Section 1.1,\"a, \"\"b\"\"\",0.0001,,,,\n"
              "Section 1.1,'=KAN,1.5000,234.5000,0.5000,,\n"
              "Section 1.1,GPU,2.0000,,,10.0000,20.0000\n");
    CHECK_INT(pit_save_timings("t.csv", PIT_CSV, "S", rows, 1, 0), 0);
    CHECK_STR(content("t.csv"), "Section,Model,Time (s)\nS,MLP,120.0000\n");
    CHECK_INT(pit_save_timings("t.json", PIT_JSON, "Section 1.1", rows, 4, 1700000000000000000u),
              0);
    CHECK_STR(content("t.json"), "{\n"
                                 "  \"section\": \"Section 1.1\",\n"
                                 "  \"timestamp\": \"2023-11-14T22:13:20Z\",\n"
                                 "  \"timings\": {\n"
                                 "    \"MLP\": 120,\n"
                                 "    \"a, \\\"b\\\"\": 5e-05,\n"
                                 "    \"=KAN\": {\n"
                                 "      \"time\": 1.5,\n"
                                 "      \"peak_memory_mb\": 234.5,\n"
                                 "      \"current_memory_mb\": 0.5\n"
                                 "    },\n"
                                 "    \"GPU\": {\n"
                                 "      \"time\": 2,\n"
                                 "      \"allocated_mb\": 10,\n"
                                 "      \"max_allocated_mb\": 20\n"
                                 "    }\n"
                                 "  }\n"
                                 "}\n");
    CHECK_INT(pit_save_timings("t.txt", PIT_TEXT, "", rows, 4, 0), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_save_timings("t.csv", PIT_CSV, NULL, NULL, 0, 0), 0);
    CHECK_STR(content("t.csv"), "Section,Model,Time (s)\n");
    CHECK(unlink("t.csv") == 0 && unlink("t.json") == 0 && chdir("/") == 0 && rmdir(folder) == 0);
}
