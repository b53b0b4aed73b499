/* Timing lines of text logs, parsed into entries. */
#include "check.h"
#include "pitwall_report.h"

#include <errno.h>

static pit_log *read_text(const char *text, size_t length)
{
    FILE *in = fmemopen((void *)(uintptr_t)text, length, "r");
    pit_error error;
    REQUIRE(in);
    pit_log *log = pit_log_read(in, &error);
    REQUIRE(log);
    fclose(in);
    return log;
}

static pit_log *of(const char *text)
{
    return read_text(text, strlen(text));
}

TEST(each_kind_of_line_is_an_entry)
{
    pit_log *log = of("[2024-10-13 22:30:00] [STAGE] start\n"
                      "[2024-10-13 22:30:01] [TIMING] load: 90.00s (1.50min)\n"
                      "[GPM TIMING] Last 100 graphs: Pattern gen=123.45ms, Avg nodes=28.3\n"
                      "[TIMING SUMMARY]\n"
                      "====================\n"
                      "  load                                    : 90.00s (1.50min)     (100.0%)\n"
                      "  TOTAL                                   : 90.00s (1.50min)\n"
                      "====================\n"
                      "  after                                   : 1.00s\n");
    REQUIRE(log->count == 5);
    const pit_entry *e = log->entries;
    CHECK_STR(e[0].kind, "stage");
    CHECK_STR(e[0].text, "start");
    CHECK(e[0].wall_ns > 0);
    CHECK_STR(e[1].kind, "timing");
    CHECK_STR(e[1].text, "load");
    CHECK_INT(e[1].wall_ns - e[0].wall_ns, 1000000000);
    CHECK_STR(e[1].figures[0].key, "seconds");
    CHECK_NEAR(e[1].figures[0].value, 90, 0);
    CHECK_STR(e[2].kind, "window");
    CHECK_STR(e[2].text, "GPM TIMING");
    CHECK_INT(e[2].figure_count, 3);
    CHECK_STR(e[2].figures[0].key, "graphs");
    CHECK_NEAR(e[2].figures[0].value, 100, 0);
    CHECK_STR(e[2].figures[1].key, "Pattern gen");
    CHECK_STR(e[2].figures[1].unit, "ms");
    CHECK_NEAR(e[2].figures[1].value, 123.45, 0);
    CHECK_STR(e[3].kind, "summary");
    CHECK_NEAR(e[3].figures[1].value, 100, 0);
    CHECK_STR(e[4].kind, "total");
    CHECK_INT(log->lines, 9);
    CHECK_INT(log->malformed, 0);
    pit_log_free(log);
}

TEST(a_time_that_cannot_be_is_none)
{
    pit_log *log = of("[2024-13-13 22:30:00] [TIMING] a: 1s\n[2024-10-13 25:30:00] [STAGE] b\n");
    REQUIRE(log->count == 2);
    CHECK_INT(log->entries[0].wall_ns, 0);
    CHECK_INT(log->entries[1].wall_ns, 0);
    pit_log_free(log);
}

TEST(an_escape_code_that_is_cut_takes_nothing_with_it)
{
    static const char *const ends[] = {"\x1b", "\x1b[", "\x1b[31", "\x1b]0;title", "\x1b]0;t\x1b"};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, "[TIMING] a: 1s%s\n[TIMING] b: 2s\n", ends[i]);
        pit_log *log = of(text);
        CHECK_INT(log->count, 2);
        CHECK_STR(log->entries[0].text, "a");
        pit_log_free(log);
    }
}

TEST(numbers_out_of_all_range_are_malformed)
{
    static char text[3000] = "[TIMING] a: ";
    memset(text + strlen(text), '9', 2000);
    strcat(text, "s\n[TIMING] b: 1e999s\n[TIMING] c: 1e-999s\n");
    pit_log *log = of(text);
    CHECK_INT(log->malformed, 2);
    REQUIRE(log->count == 1);
    CHECK_NEAR(log->entries[0].figures[0].value, 0, 0);
    pit_log_free(log);
}

TEST(more_items_than_a_window_has_are_malformed)
{
    char text[1000] = "[W] Last 5 x: a=1";
    for (int i = 0; i < 40; i++)
        strcat(text, ", a=1");
    pit_log *log = of(text);
    CHECK_INT(log->malformed, 1);
    CHECK_INT(log->count, 0);
    CHECK_INT(log->lines, 1);
    pit_log_free(log);
}

TEST(an_input_that_cannot_be_read_is_an_error)
{
    pit_error error;
    FILE *folder = fopen("/tmp", "r");
    REQUIRE(folder);
    CHECK(pit_log_read(folder, &error) == NULL);
    CHECK_INT(error.code, PIT_CANNOT_READ);
    CHECK_STR(error.message, strerror(EISDIR));
    fclose(folder);
    CHECK(pit_log_read(NULL, &error) == NULL);
    CHECK_INT(error.code, PIT_BAD_ARGUMENT);
    CHECK(pit_log_read(NULL, NULL) == NULL);
    pit_log_free(NULL);
}

static char *print_two(const char *a, const char *b, enum pit_form form)
{
    pit_log *first = of(a), *second = of(b);
    const pit_log *logs[] = {first, second};
    const char *names[] = {"a.log", "b.log"};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    pit_report_options options = {.form = form, .ascii = 1};
    CHECK_INT(pit_log_print(out, logs, names, 2, &options), 0);
    fclose(out);
    pit_log_free(first);
    pit_log_free(second);
    return text;
}

TEST(logs_side_by_side_show_falls_of_minutes_and_line_up_their_ratios)
{
    char *text =
        print_two("[TIMING] loop: 7200s\n[TIMING] load: 4s\n[TIMING] save: 3s\n",
                  "[TIMING] loop: 3600s\n[TIMING] load: 40s\n[TIMING] save: 3s\n", PIT_TEXT);
    CHECK_STR(text, "stages side by side; ratio and difference: last log to first\n"
                    "stage     a.log     b.log  ratio  difference\n"
                    "loop   2 h 00 m  1 h 00 m   0.50   -1 h 00 m\n"
                    "load     4.00 s    40.0 s  10.00      36.0 s\n"
                    "save     3.00 s    3.00 s   1.00        0 ns\n");
    free(text);
}

TEST(windows_are_compared_side_by_side)
{
    const char *a = "[W] Last 10 rays: hit=4ms, n=2\n[W] Last 30 rays: hit=8ms, n=2\n";
    const char *b = "[W] Last 10 rays: hit=3.5ms, m=1\n";
    char *text = print_two(a, b, PIT_TEXT);
    static const char want[] = "windows side by side, by their means\n"
                               "window  item  unit  a.log  b.log  ratio  difference\n"
                               "W       hit   ms        7    3.5   0.50        -3.5\n"
                               "W       n               2    n/a    n/a         n/a\n"
                               "W       m             n/a      1    n/a         n/a\n";
    CHECK_INT(strncmp(text, want, sizeof want - 1), 0);
    if (strncmp(text, want, sizeof want - 1) != 0)
        fprintf(stderr, "%s", text);
    free(text);
    text = print_two(a, b, PIT_JSON);
    CHECK(strstr(text, "\"window_comparison\""));
    CHECK(strstr(text, "\"difference\": -3.5"));
    free(text);
}

TEST(tables_of_nothing_say_so)
{
    pit_log *log = of("hello\n");
    const pit_log *logs[] = {log};
    const char *names[] = {"a.log"};
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    CHECK_INT(pit_log_print(out, logs, names, 1, NULL), PIT_NOTHING);
    fclose(out);
    CHECK_STR(text, "no [TIMING], window or summary lines with a time were found\n");
    free(text);
    CHECK_INT(pit_log_print(stdout, logs, names, 0, NULL), PIT_BAD_ARGUMENT);
    FILE *full = fopen("/dev/full", "w");
    REQUIRE(full);
    CHECK_INT(pit_log_print(full, logs, names, 1, NULL), PIT_CANNOT_WRITE);
    fclose(full);
    pit_log_free(log);
}
