/* UTF-8, and the width of a text in columns. */
#include "check.h"

#include "kept.h"
#include "report/text.h"

static char *visible(const char *string)
{
    struct pit__text text = {0};
    pit__text_add_visible(&text, string);
    return keep(text.data ? text.data : strdup(""));
}

static char *cut(const char *string, size_t columns, int ascii, int tail)
{
    struct pit__text text = {0};
    size_t used = tail ? pit__text_add_tail(&text, string, columns, ascii)
                       : pit__text_add_cut(&text, string, columns, ascii);
    CHECK(used <= columns);
    CHECK_INT(used, pit__text_width(pit__text_string(&text)));
    return keep(text.data ? text.data : strdup(""));
}

TEST(width_is_that_of_the_terminal)
{
    CHECK_INT(pit__text_width(""), 0);
    CHECK_INT(pit__text_width("plain"), 5);
    CHECK_INT(pit__text_width("Größe"), 5);
    CHECK_INT(pit__text_width("数据"), 4);
    CHECK_INT(pit__text_width("한글"), 4);
    CHECK_INT(pit__text_width("ﾊﾝｶｸ"), 4);
    CHECK_INT(pit__text_width("🚀🔥"), 4);
    CHECK_INT(pit__text_width("e\xcc\x81t"), 2);               /* e, combining acute */
    CHECK_INT(pit__text_width("\xe0\xa4\x95\xe0\xa5\x8d"), 1); /* Devanagari with virama */
    CHECK_INT(pit__text_width("𠀀"), 2);                       /* plane 2 */
    CHECK_INT(pit__text_width("│─└…"), 4);
}

TEST(invalid_bytes_are_told_from_characters)
{
    uint32_t code;
    CHECK_INT(pit__utf8_next("\xc3\xa9", 2, &code), 2);
    CHECK_INT(code, 0xe9);
    static const char *const bad[] = {
        "\xff",
        "\x80",
        "\xc3",
        "\xc0\xaf",
        "\xe0\x80\xaf",
        "\xed\xa0\x80",
        "\xf4\x90\x80\x80",
        "\xf0\x82\x82\xac",
        "\xe2\x82",
        "\xe2(\xa1",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_INT(pit__utf8_next(bad[i], strlen(bad[i]), &code), 1);
        CHECK(code == UINT32_MAX);
    }
}

TEST(control_characters_are_shown_not_sent)
{
    CHECK_STR(visible("a\nb\tc"), "a\\nb\\tc");
    CHECK_STR(visible("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
    CHECK_STR(visible("\x7f\x01"), "\\x7f\\x01");
    CHECK_STR(visible("\xc2\x9b"
                      "31m"),
              "\\u009b31m"); /* the one-character CSI */
    CHECK_STR(visible("\xe2\x80\xae"
                      "x"),
              "\\u202ex"); /* right-to-left override */
    CHECK_STR(visible("bad\xff\xc3"), "bad\\xff\\xc3");
    CHECK_STR(visible("Größe 数据 🚀"), "Größe 数据 🚀");
}

TEST(cut_text_never_takes_more_than_it_is_given)
{
    CHECK_STR(cut("backward", 8, 0, 0), "backward");
    CHECK_STR(cut("backward", 7, 0, 0), "backwa…");
    CHECK_STR(cut("backward", 7, 1, 0), "back...");
    CHECK_STR(cut("backward", 2, 1, 0), "..");
    CHECK_STR(cut("backward", 0, 0, 0), "");
    CHECK_STR(cut("数据加载", 6, 0, 0), "数据…"); /* a wide one does not fit the last column */
    CHECK_STR(cut("e\xcc\x81"
                  "e\xcc\x81"
                  "e\xcc\x81",
                  2, 0, 0),
              "e\xcc\x81…");
    CHECK_STR(cut("train/epoch/batch", 8, 0, 1), "…h/batch");
    CHECK_STR(cut("train/epoch/batch", 8, 1, 1), "...batch");
    CHECK_STR(cut("数据加载", 5, 0, 1), "…加载");
}

TEST(text_of_4000_characters_is_cut_like_any_other)
{
    char *name = malloc(4001);
    memset(name, 'x', 4000);
    name[4000] = '\0';
    CHECK_INT(pit__text_width(name), 4000);
    CHECK_STR(cut(name, 5, 0, 0), "xxxx…");
    CHECK_STR(cut(name, 5, 0, 1), "…xxxx");
    free(name);
}

TEST(a_text_grows_by_printf_and_by_bytes)
{
    struct pit__text text = {0};
    CHECK_STR(pit__text_string(&text), "");
    for (int i = 0; i < 100; i++)
        pit__text_printf(&text, "%d,", i);
    pit__text_add(&text, "end", 3);
    CHECK_INT(text.length, 293);
    CHECK_INT(strlen(text.data), 293);
    CHECK(!text.failed);
    pit__text_free(&text);
    CHECK(text.data == NULL);
}
