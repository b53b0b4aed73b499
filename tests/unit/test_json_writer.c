/* JSON as a stream. */
#include "check.h"

#include "kept.h"
#include "report/json_writer.h"

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
