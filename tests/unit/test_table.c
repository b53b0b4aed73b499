/* The table writer: golden texts. */
#include "check.h"

#include "kept.h"
#include "report/table.h"
#include "report/text.h"

#include <math.h>

static const struct pit__column columns[] = {
    {.title = "span", .key = "name", .kind = PIT__TEXT, .min_width = 8, .max_width = 40},
    {.title = "count", .key = "count", .kind = PIT__COUNT, .drop = 1},
    {.title = "total", .key = "total_ns", .kind = PIT__DURATION},
    {.title = "items/s", .key = "items_per_s", .kind = PIT__RATE, .drop = 2, .optional = 1},
};

static void add(struct pit__table *table, const char *lines, const char *name, const char *mark,
                uint64_t count, double ns, double rate)
{
    struct pit__cell cells[] = {pit__cell_text(name), pit__cell_whole(count), pit__cell_real(ns),
                                rate > 0 ? pit__cell_real(rate) : pit__cell_empty()};
    cells[0].before = lines;
    cells[0].after = mark;
    pit__table_row(table, cells);
}

static char *print(struct pit__table *table, int width, int ascii, int colour)
{
    struct pit__look look = {.width = width, .ascii = ascii, .colour = colour};
    char *text;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    CHECK_INT(pit__table_print(table, out, &look), 0);
    fclose(out);
    return keep(text);
}

static struct pit__table *sample(double rate)
{
    struct pit__table *table = keep(pit__table_new(columns, 4));
    add(table, NULL, "train", NULL, 1, 12.4e9, 0);
    add(table, "├─ ", "数据加载", NULL, 4000, 1.24e6, rate);
    add(table, "├─ ", "🚀 go", " [open]", 10, NAN, 0);
    add(table, "├─ ", "e\xcc\x81te\xcc\x81", NULL, 2, 950, 0);
    add(table, "└─ ", "\x1b[31m\n", NULL, 3, 0, 0);
    return table;
}

TEST(columns_line_up_for_any_name)
{
    CHECK_STR(print(sample(0), 0, 0, 0), "span             count    total\n"
                                         "train                1   12.4 s\n"
                                         "├─ 数据加载      4,000  1.24 ms\n"
                                         "├─ 🚀 go [open]     10      n/a\n"
                                         "├─ e\xcc\x81te\xcc\x81               2   950 ns\n"
                                         "└─ \\x1b[31m\\n        3     0 ns\n");
}

TEST(an_optional_column_shows_where_something_is_in_it)
{
    CHECK_STR(print(sample(1.5e6), 0, 0, 0), "span             count    total  items/s\n"
                                             "train                1   12.4 s\n"
                                             "├─ 数据加载      4,000  1.24 ms   1.50 M\n"
                                             "├─ 🚀 go [open]     10      n/a\n"
                                             "├─ e\xcc\x81te\xcc\x81               2   950 ns\n"
                                             "└─ \\x1b[31m\\n        3     0 ns\n");
}

TEST(names_are_cut_before_columns_go)
{
    CHECK_STR(print(sample(0), 26, 0, 0), "span        count    total\n"
                                          "train           1   12.4 s\n"
                                          "├─ 数据加…  4,000  1.24 ms\n"
                                          "├─ 🚀 go       10      n/a\n"
                                          "├─ e\xcc\x81te\xcc\x81          2   950 ns\n"
                                          "└─ \\x1b[3…      3     0 ns\n");
}

TEST(columns_go_by_their_rank_and_are_named)
{
    CHECK_STR(print(sample(1.5e6), 19, 1, 0), "span          total\n"
                                              "train        12.4 s\n"
                                              "├─ 数据...  1.24 ms\n"
                                              "├─ 🚀 go        n/a\n"
                                              "├─ e\xcc\x81te\xcc\x81       950 ns\n"
                                              "└─ \\x1b...     0 ns\n"
                                              "not shown: count...\n");
}

TEST(no_line_is_wider_than_it_may_be)
{
    char *name = malloc(4001);
    memset(name, 'x', 4000);
    name[4000] = '\0';
    char lines[301] = "";
    for (int i = 0; i < 100; i++)
        strcat(lines, "|  ");
    for (int width = 12; width < 200; width++) {
        struct pit__table *table = sample(1.5e6);
        add(table, "└─ ", name, NULL, 1, 1, 0);
        add(table, lines, "deep", NULL, 1, 1, 0);
        char *text = print(table, width, 0, 0);
        char *end = strstr(text, "not shown");
        for (char *line = strtok(text, "\n"); line && (!end || line < end);
             line = strtok(NULL, "\n"))
            if (pit__text_width(line) > (size_t)width) {
                printf("  %d: %s\n", width, line);
                CHECK(pit__text_width(line) <= (size_t)width);
            }
    }
    free(name);
}

TEST(a_name_of_4000_characters_takes_its_columns_most)
{
    char *name = malloc(4001);
    memset(name, 'x', 4000);
    name[4000] = '\0';
    struct pit__table *table = keep(pit__table_new(columns, 4));
    add(table, NULL, name, NULL, 1, 1, 0);
    CHECK_STR(print(table, 0, 0, 0), "span                                      count  total\n"
                                     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…      1   1 ns\n");
    free(name);
}

TEST(deep_trees_keep_their_inner_lines_and_the_name)
{
    struct pit__table *table = keep(pit__table_new(columns, 4));
    add(table, "│  │  │  │  │  └─ ", "inner", NULL, 1, 1, 0);
    CHECK_STR(print(table, 25, 0, 0), "span         count  total\n"
                                      "…  └─ inner      1   1 ns\n");
}

TEST(colour_is_there_when_it_is_asked_for_and_takes_no_width)
{
    struct pit__table *table = keep(pit__table_new(columns, 4));
    add(table, "└─ ", "a", NULL, 1, 1, 0);
    CHECK_STR(print(table, 0, 0, 1),
              "\x1b[1mspan\x1b[0m  \x1b[1mcount\x1b[0m  \x1b[1mtotal\x1b[0m\n"
              "\x1b[2m└─ \x1b[0ma      1   1 ns\n");
}

TEST(a_table_can_be_printed_twice)
{
    struct pit__table *table = sample(0);
    char *first = print(table, 80, 0, 0), *second = print(table, 80, 0, 0);
    CHECK_STR(second, first);
}

TEST(a_table_gives_its_memory_back)
{
    struct pit__table *table = pit__table_new(columns, 4);
    for (uint64_t i = 0; i < 100; i++)
        add(table, "└─ ", "name", " [open]", i, 1, 1);
    char *text = print(table, 0, 0, 0);
    CHECK(strstr(text, "└─ name [open]     99   1 ns        1\n") != NULL);
    pit__table_free(table);
    pit__table_free(NULL);
}
