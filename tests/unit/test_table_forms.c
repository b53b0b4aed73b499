/* The other forms of a table: fixed columns, CSV, JSON, Markdown. */
#include "check.h"

#include "kept.h"
#include "report/json_writer.h"
#include "report/table.h"

#include <math.h>

enum { NAME, SECONDS, SHARE, HIDDEN, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "Name",
              .key = "name",
              .kind = PIT__TEXT,
              .fixed = {.width = 8, .suffix = ":", .title_width = 8}},
    [SECONDS] = {.title = "Time",
                 .key = "seconds",
                 .kind = PIT__NUMBER,
                 .fixed = {.width = 7, .decimals = 2, .suffix = "s", .title_width = 7}},
    [SHARE] = {.title = "Share",
               .key = "share",
               .kind = PIT__PERCENT,
               .fixed = {.width = 6, .decimals = 1, .before = " (", .suffix = "%", .after = ")"}},
    [HIDDEN] = {.title = "Count", .key = "count", .kind = PIT__COUNT, .machine = 1},
};

static const struct pit__look look;

static void add(struct pit__table *table, const char *name, double seconds, double share)
{
    struct pit__cell cells[COLUMNS] = {pit__cell_text(name), pit__cell_real(seconds),
                                       pit__cell_real(share), pit__cell_whole(7)};
    pit__table_row(table, cells);
}

static char *fixed(struct pit__table *table, int rule, int cut)
{
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    CHECK_INT(pit__table_head_fixed(table, out, rule, cut, &look), 0);
    CHECK_INT(pit__table_print_fixed(table, out, rule, cut, &look), 0);
    pit__print_rule(out, '-', 4);
    CHECK_INT(pit__table_foot_fixed(table, out, rule, cut, &look), 0);
    fclose(out);
    pit__table_free(table);
    return keep(text);
}

static char *csv(struct pit__table *table)
{
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    CHECK_INT(pit__table_csv(table, out), 0);
    fclose(out);
    pit__table_free(table);
    return keep(text);
}

TEST(figures_stand_where_they_are_declared)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    struct pit__cell sum[COLUMNS] = {pit__cell_text("sum"), pit__cell_real(13.5)};
    add(table, "a", 1.005, 0.5);
    add(table, "bc", 12.345, 0.0123);
    add(table, "none", NAN, NAN);
    pit__table_foot(table, sum);
    CHECK_STR(fixed(table, 60, 0), "Name     Time\n"
                                   "a:        1.00s ( 50.0%)\n"
                                   "bc:      12.35s (  1.2%)\n"
                                   "none:       n/a (   n/a)\n"
                                   "----\n"
                                   "sum:     13.50s\n");
}

TEST(a_long_name_widens_its_column_for_all_rows_as_far_as_the_rule)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    struct pit__cell sum[COLUMNS] = {pit__cell_text("sum"), pit__cell_real(2)};
    add(table, "a", 1, 0.5);
    add(table, "twelve chars", 1, 0.5);
    add(table, "far too long for the rule", 1, 0.5);
    pit__table_foot(table, sum);
    CHECK_STR(fixed(table, 30, 0), "Name           Time\n"
                                   "a:              1.00s ( 50.0%)\n"
                                   "twelve chars:   1.00s ( 50.0%)\n"
                                   "far too long\xe2\x80\xa6:  1.00s ( 50.0%)\n"
                                   "----\n"
                                   "sum:            2.00s\n");
}

TEST(a_name_is_cut_at_its_own_width_if_asked)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    add(table, "twelve chars", 1, 0.5);
    CHECK_STR(fixed(table, 60, 1), "Name     Time\n"
                                   "twelve\xe2\x80\xa6:  1.00s ( 50.0%)\n"
                                   "----\n");
}

TEST(a_figure_is_never_cut_but_widens_its_column)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    add(table, "a", 123456789, 0.5);
    add(table, "b", 1, -1e-9);
    CHECK_STR(fixed(table, 20, 0), "Name     Time\n"
                                   "a:      123456789.00s ( 50.0%)\n"
                                   "b:              1.00s (  0.0%)\n"
                                   "----\n");
}

TEST(loose_columns_are_as_long_as_each_cell)
{
    static const struct pit__column loose[] = {
        {.title = "n", .key = "n", .kind = PIT__TEXT, .fixed = {.width = 1, .suffix = ":"}},
        {.title = "v",
         .key = "v",
         .kind = PIT__NUMBER,
         .fixed = {.width = 1, .decimals = 1, .before = " v=", .suffix = "s", .plus = 1}}};
    struct pit__table *table = pit__table_new(loose, 2);
    pit__table_row(table, (struct pit__cell[]){pit__cell_text("a"), pit__cell_real(1)});
    pit__table_row(table, (struct pit__cell[]){pit__cell_text("long"), pit__cell_real(-10)});
    CHECK_STR(fixed(table, 0, 0), "\na: v=+1.0s\nlong: v=-10.0s\n----\n");
}

TEST(same_columns_are_flush_right_among_themselves_and_left_in_their_room)
{
    static const struct pit__column same[] = {
        {.title = "A",
         .key = "a",
         .kind = PIT__COUNT,
         .fixed = {.width = 6, .title_width = 6, .same = 1}},
        {.title = "B",
         .key = "b",
         .kind = PIT__COUNT,
         .fixed = {.width = 6, .before = " ", .title_width = 6, .same = 1}}};
    struct pit__table *table = pit__table_new(same, 2);
    pit__table_row(table, (struct pit__cell[]){pit__cell_whole(5), pit__cell_whole(12345678)});
    pit__table_row(table, (struct pit__cell[]){pit__cell_whole(150), pit__cell_whole(1)});
    CHECK_STR(fixed(table, 60, 0), "A      B\n"
                                   "  5    12345678\n"
                                   "150           1\n"
                                   "----\n");
}

TEST(a_row_as_a_list_leaves_out_what_is_empty)
{
    static const struct pit__column list[] = {
        {.title = "Name", .key = "name", .kind = PIT__TEXT, .fixed = {.width = 9}},
        {.title = "Mean",
         .key = "mean",
         .kind = PIT__NUMBER,
         .fixed = {.width = 8, .decimals = 2, .before = "  ", .suffix = " ms"}},
        {.title = "Rate",
         .key = "rate",
         .kind = PIT__NUMBER,
         .fixed = {.width = 8, .decimals = 2, .before = "  ", .suffix = " /s"}},
        {.title = "p50", .key = "p50", .kind = PIT__NUMBER, .fixed = {.width = 8}}};
    struct pit__table *table = pit__table_new(list, 4);
    pit__table_row(table, (struct pit__cell[]){pit__cell_text("x"), pit__cell_real(1.5),
                                               pit__cell_real(NAN), pit__cell_empty()});
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    pit__table_print_list(table, 0, out, 8);
    pit__table_print_list(table, 1, out, 8); /* there is none */
    fclose(out);
    pit__table_free(table);
    CHECK_STR(keep(text), "  Mean:    1.50 ms\n  Rate:     n/a\n");
}

TEST(csv_has_raw_figures_and_harmless_names)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    struct pit__cell sum[COLUMNS] = {pit__cell_text("sum"), pit__cell_real(1)};
    add(table, "a,\"b\"\nc", 1.0 / 3, 0.5);
    add(table, "=1+1", -2.5, NAN);
    add(table, "'=1+1", 1e300, 1e-300);
    add(table, "'tis", 0, 0);
    add(table, " x", 1, 1);
    pit__table_foot(table, sum);
    CHECK_STR(csv(table), "name,seconds,share,count\n"
                          "\"a,\"\"b\"\"\nc\",0.33333333333333331,0.5,7\n"
                          "'=1+1,-2.5,,7\n"
                          "''=1+1,1e+300,1e-300,7\n"
                          "'tis,0,0,7\n"
                          "\" x\",1,1,7\n");
}

TEST(durations_in_csv_are_nanoseconds_to_the_thousandth)
{
    static const struct pit__column ns[] = {{.title = "t", .key = "t_ns", .kind = PIT__DURATION}};
    static const double values[] = {0, 1, 0.9996, 12.3456, 1234567890.5, -1.25, 1e16};
    struct pit__table *table = pit__table_new(ns, 1);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        pit__table_row(table, (struct pit__cell[]){pit__cell_real(values[i])});
    CHECK_STR(csv(table), "t_ns\n0\n1\n1\n12.346\n1234567890.500\n-1.25\n1e+16\n");
}

TEST(json_rows_have_every_column_and_null_for_what_is_not_known)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    add(table, "\xff\x1b", NAN, 0.5);
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    struct pit__json json;
    pit__json_init(&json, out);
    CHECK_INT(pit__table_json(table, &json, NULL), 0);
    fclose(out);
    pit__table_free(table);
    CHECK_STR(keep(text), "[\n  {\"name\": \"\xef\xbf\xbd\\u001b\", \"seconds\": null, \"share\": "
                          "0.5, \"count\": 7}\n]");
}

TEST(markdown_takes_nothing_in_a_name_for_markup)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    struct pit__cell sum[COLUMNS] = {pit__cell_text("sum"), pit__cell_real(1)};
    add(table, "a|b`c\n<i>_\\", 1, 0.5);
    pit__table_foot(table, sum);
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    CHECK_INT(pit__table_markdown(table, out, &look), 0);
    fclose(out);
    pit__table_free(table);
    CHECK_STR(keep(text), "| Name | Time | Share |\n|---|---:|---:|\n"
                          "| a\\|b\\`c\\\\n\\<i\\>\\_\\\\ | 1.00s | 50.0% |\n"
                          "| sum | 1.00s |  |\n");
}

TEST(a_table_can_be_written_in_all_forms_one_after_another)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    FILE *out = fopen("/dev/null", "w");
    add(table, "a\n", 1, 0.5);
    CHECK_INT(pit__table_print(table, out, &look), 0);
    CHECK_INT(pit__table_markdown(table, out, &look), 0);
    fclose(out);
    CHECK_STR(csv(table), "name,seconds,share,count\n\"a\n\",1,0.5,7\n");
}
