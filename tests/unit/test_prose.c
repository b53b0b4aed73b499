/* Text wrapped into lines, cut and labelled; and writers that remember an error until it is queried. */
#include "check.h"

#include "kept.h"
#include "report/prose.h"

static char *bytes;
static size_t length;

static struct pit__prose begin(int width)
{
    return (struct pit__prose){.out = open_memstream(&bytes, &length), .look = {.width = width}};
}

static char *end(struct pit__prose *prose)
{
    fclose(prose->out);
    return keep(bytes);
}

static struct pit__text text_of(const char *string)
{
    struct pit__text text = {0};
    pit__text_puts(&text, string);
    return text;
}

TEST(words_are_broken_at_spaces_and_indented)
{
    struct pit__prose prose = begin(20);
    struct pit__text words = text_of("one two three four five six seven");
    fputs("  ", prose.out);
    pit__prose_words(&prose, &words, 2, PIT__PLAIN);
    CHECK_STR(end(&prose), "  one two three four\n  five six seven\n");
    CHECK_INT(words.length, 0);
    CHECK(!words.data);
}

TEST(a_number_and_its_unit_stay_together)
{
    struct pit__prose prose = begin(10);
    struct pit__text words = text_of("took 12 ms here");
    pit__prose_words(&prose, &words, 0, PIT__PLAIN);
    CHECK_STR(end(&prose), "took 12 ms\nhere\n");
    prose = begin(9);
    words = text_of("took 12 ms here");
    pit__prose_words(&prose, &words, 0, PIT__PLAIN);
    CHECK_STR(end(&prose), "took\n12 ms\nhere\n");
}

TEST(a_line_is_cut_at_its_end_and_a_path_at_its_beginning)
{
    struct pit__prose prose = begin(10);
    struct pit__text line = text_of("  epoch > batch > backward");
    pit__prose_path(&prose, &line, PIT__PLAIN);
    line = text_of("epoch > batch");
    pit__prose_line(&prose, &line, PIT__PLAIN);
    CHECK_STR(end(&prose), "  …ackward\nepoch > b…\n");
    CHECK_INT(prose.failed, 0);
}

TEST(a_fact_without_words_is_left_out_and_a_label_lines_up)
{
    struct pit__prose prose = begin(0);
    struct pit__text words = {0};
    pit__prose_fact(&prose, "rank", &words);
    pit__text_puts(&words, "box");
    pit__prose_fact(&prose, "machine", &words);
    pit__text_puts(&words, "closed");
    pit__prose_labelled(&prose, "state", &words, PIT__PLAIN);
    CHECK_STR(end(&prose), "machine   box\nstate     closed\n");
}

TEST(a_name_of_others_is_made_visible_and_gives_way)
{
    struct pit__prose prose = begin(0);
    pit__prose_named(&prose, "Baseline: ", "a\nb", " (1s)", 0);
    pit__prose_named(&prose, "Baseline: ", "a long name", " (1s)", 20);
    CHECK_STR(end(&prose), "Baseline: a\\nb (1s)\nBaseline: a lo… (1s)\n");
}

TEST(lack_of_memory_is_kept_and_later_lines_are_still_written)
{
    struct pit__prose prose = begin(0);
    struct pit__text words = {.failed = 1};
    pit__prose_line(&prose, &words, PIT__PLAIN);
    CHECK_INT(prose.failed, 1);
    words = text_of("next");
    pit__prose_line(&prose, &words, PIT__PLAIN);
    CHECK_INT(prose.failed, 1); /* it stays */
    CHECK_STR(end(&prose), "\nnext\n");
}

TEST(a_table_that_is_not_there_or_was_printed_well_tells_so_when_asked)
{
    static const struct pit__column columns[] = {
        {.title = "name", .key = "name", .kind = PIT__TEXT, .fixed = {.width = 4}}};
    static const struct pit__look look;
    struct pit__prose prose = begin(0);
    struct pit__table *table = pit__table_new(columns, 1);
    struct pit__cell cell = pit__cell_text("a");
    pit__table_row(table, &cell);
    pit__table_print(table, prose.out, &look);
    pit__table_print_fixed(table, prose.out, 0, 0, &look);
    CHECK_INT(pit__table_failed(table), 0);
    CHECK_INT(pit__table_failed(NULL), 1);
    pit__table_free(table);
    CHECK_STR(end(&prose), "name\na\na\n");
}
