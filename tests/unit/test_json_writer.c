/* JSON as a stream. */
#include "check.h"

#include "kept.h"
#include "report/json_writer.h"
#include "report/text.h"

#include <math.h>

static char *text;
static size_t bytes;
static struct pit__json json;

static void begin(void)
{
    pit__json_init(&json, open_memstream(&text, &bytes));
}

static const char *end(void)
{
    fclose(json.out);
    return keep(text);
}

TEST(a_document_is_indented_and_has_its_commas)
{
    begin();
    pit__json_object(&json, NULL);
    pit__json_uint(&json, "a", 18446744073709551615u);
    pit__json_array(&json, "list");
    pit__json_bool(&json, NULL, 1);
    pit__json_null(&json, NULL);
    pit__json_array_end(&json);
    pit__json_object(&json, "empty");
    pit__json_object_end(&json);
    pit__json_flat_array(&json, "flat");
    pit__json_array(&json, NULL);
    pit__json_uint(&json, NULL, 1);
    pit__json_uint(&json, NULL, 2);
    pit__json_array_end(&json);
    pit__json_uint(&json, NULL, 3);
    pit__json_array_end(&json);
    pit__json_string(&json, "last", NULL);
    pit__json_object_end(&json);
    pit__json_finish(&json);
    CHECK_STR(end(), "{\n"
                     "  \"a\": 18446744073709551615,\n"
                     "  \"list\": [\n"
                     "    true,\n"
                     "    null\n"
                     "  ],\n"
                     "  \"empty\": {},\n"
                     "  \"flat\": [[1, 2], 3],\n"
                     "  \"last\": null\n"
                     "}\n");
}

TEST(strings_are_escaped_and_made_valid)
{
    begin();
    pit__json_string(&json, NULL, "\"\\/\n\t\x01\x1b\x7f 数 🚀 \xff\xc3(\xed\xa0\x80");
    CHECK_STR(end(), "\"\\\"\\\\/\\n\\t\\u0001\\u001b\\u007f 数 🚀 "
                     "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");
}

TEST(numbers_read_back_the_same_and_others_are_null)
{
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        {0, "0"},       {0.1, "0.1"},  {1e300, "1e+300"},  {1.0 / 3, "0.33333333333333331"},
        {-2.5, "-2.5"}, {NAN, "null"}, {INFINITY, "null"}, {-INFINITY, "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        pit__json_double(&json, NULL, cases[i].value);
        CHECK_STR(end(), cases[i].want);
    }
}

TEST(thousandths_are_rounded)
{
    static const struct {
        double value;
        const char *want;
    } cases[] = {
        {0, "0"},           {12, "12"},     {12.3456, "12.346"},
        {12.005, "12.005"}, {0.9996, "1"},  {123456789.0004, "123456789"},
        {1e17, "1e+17"},    {-1.5, "-1.5"}, {NAN, "null"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        begin();
        pit__json_milli(&json, NULL, cases[i].value);
        CHECK_STR(end(), cases[i].want);
    }
}

static struct pit__text memory;

static const char *brief(double value)
{
    memory.length = 0;
    pit__json_init_text(&json, &memory);
    pit__json_double(&json, NULL, value);
    return pit__text_string(&memory);
}

static void check_brief(double value)
{
    char want[40];
    snprintf(want, sizeof want, "%.6g", value);
    CHECK_STR(brief(value), want);
}

TEST(brief_figures_are_those_of_printf_with_six_digits)
{
    static const double cases[] = {
        0.5,       1.5,       0.1,        0.0001,    0.00010000005, 0.00099999949, 99999.5, 99999.4,
        99999.949, 0.9999995, 0.99999949, 9.9999951, 2.5e-5,        1.0 / 3,       2.0 / 3, 1e-300,
        12345.65,  1234.565,  0.1 + 2,    100.0001,  1000.125,      10.00005};
    uint64_t state = 7;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_brief(cases[i]);
        check_brief(-cases[i]);
    }
    for (int i = 0; i < 200000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        double share = (double)(state >> 11) * 0x1p-53;
        check_brief(pow(10, 10 * share - 5) - (i % 2) * 100);
        /* halves of the sixth digit, which round to even */
        check_brief((double)(state >> 47) / 2 + 0.25 * (i % 4));
    }
    pit__text_free(&memory);
}

TEST(memory_gets_the_same_text_as_a_stream)
{
    static const char is_long[] =
        "a key that is longer than what is copied in one piece: it has to be written in "
        "several parts, and is not cut at any place";
    static const char *const texts[] = {"", "plain", "\"\\/\n\t\x01\x7f 数 \xff", is_long};
    FILE *stream = open_memstream(&text, &bytes);
    for (int is_stream = 1; is_stream >= 0; is_stream--) {
        if (is_stream)
            pit__json_init_brief(&json, stream);
        else
            pit__json_init_text(&json, &memory);
        pit__json_object(&json, NULL);
        for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
            pit__json_string(&json, texts[i], texts[i]);
            pit__json_int(&json, texts[i], -5);
        }
        pit__json_array(&json, "list");
        pit__json_uint(&json, NULL, 18446744073709551615u);
        pit__json_micro(&json, NULL, 1234567);
        pit__json_double(&json, NULL, NAN);
        pit__json_bool(&json, NULL, 0);
        pit__json_raw(&json, NULL, "[1,2]", 5);
        pit__json_array_end(&json);
        pit__json_object_end(&json);
        pit__json_finish(&json);
    }
    fclose(stream);
    CHECK_STR(pit__text_string(&memory), keep(text));
    pit__text_free(&memory);
}
