/* A view printed to a callback, and to a buffer. */
#include "check.h"

#include "pitwall_report.h"

struct kept {
    char text[4096];
    size_t length;
    int calls;
};

static void keep(void *arg, const char *bytes, size_t count)
{
    struct kept *kept = arg;
    REQUIRE(kept->length + count < sizeof kept->text);
    memcpy(kept->text + kept->length, bytes, count);
    kept->length += count;
    kept->calls++;
}

static const pit_row rows[] = {{.name = "MLP", .seconds = 1}, {.name = "KAN", .seconds = 3}};

TEST(a_function_gets_what_a_buffer_gets_line_by_line)
{
    pit_data data = {.title = "both", .rows = rows, .row_count = 2};
    static struct kept kept;
    FILE *file = pit_callback_file(keep, &kept);
    REQUIRE(file);
    CHECK(pit_view_print(file, "timing-summary", &data, NULL) == 0);
    CHECK(kept.calls > 1);
    CHECK(fclose(file) == 0);
    char *text = NULL;
    size_t length = 0;
    FILE *buffer = open_memstream(&text, &length);
    REQUIRE(buffer && pit_view_print(buffer, "timing-summary", &data, NULL) == 0);
    fclose(buffer);
    CHECK(length == kept.length && memcmp(text, kept.text, length) == 0);
    CHECK(strstr(text, "TIMING SUMMARY - both\n") && strstr(text, "( 75.0%)\n"));
    free(text);
}

TEST(without_a_function_there_is_no_stream)
{
    CHECK(pit_callback_file(NULL, NULL) == NULL);
}
