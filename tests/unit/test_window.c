/* Windows: one line per N calls, about exactly these calls. */
#include "check.h"

#include "monitor_stage.h"

#include <math.h>
#include <pthread.h>

static const pit_window_item gpm[] = {{"Pattern gen", PIT_WINDOW_MS},
                                      {"Total", PIT_WINDOW_MS},
                                      {"Avg nodes", PIT_WINDOW_MEAN},
                                      {"patterns", PIT_WINDOW_HIDDEN}};

static void pass(pit_window *window, double pattern_ms, double total_ms, double nodes)
{
    for (int i = 0; i < 100; i++) { /* the mean is the wanted value, the figures vary */
        double off = i % 2 ? 0.5 : 1.5;
        double figures[] = {pattern_ms / 1000 * off, total_ms / 1000 * off, nodes * off, 10};
        pit_window_add(window, figures);
    }
}

TEST(the_lines_are_the_documents_and_the_run_gives_them_again)
{
    stage_up(0);
    stage_record();
    pit_window *window = pit_window_new("GPM TIMING", "graphs", 100, gpm, 4);
    REQUIRE(window != NULL);
    pass(window, 123.45, 456.78, 28.3);
    pass(window, 118.92, 445.23, 29.1); /* the first hundred do not affect it */
    CHECK_STR(stage_text(), stage_golden("live-windows.txt"));
    CHECK_STR(stage_view("windows", PIT_TEXT), stage_golden("live-windows.txt"));
    CHECK_INT(pit_window_count(window), 200);
    CHECK_NEAR(pit_window_sum(window, 3), 2000, 1e-9);
    CHECK_NEAR(pit_window_sum(window, 2), 100 * (28.3 + 29.1), 1e-6);
    CHECK_NEAR(pit_window_sum(window, 4), 0, 0);
    pit_window_free(window);
}

TEST(a_window_that_is_not_full_says_nothing_and_names_are_copied)
{
    stage_up(0);
    char tag[] = "TAG", unit[] = "steps", label[] = "t";
    pit_window_item item = {label, PIT_WINDOW_MEAN};
    pit_window *window = pit_window_new(tag, unit, 3, &item, 1);
    tag[0] = unit[0] = label[0] = '?';
    double one = 1, two = 2, none = NAN;
    pit_window_add(window, &one);
    pit_window_add(window, &one);
    CHECK_STR(stage_text(), "");
    pit_window_add(window, &two);
    CHECK_STR(stage_text(), "[TAG] Last 3 steps: t=1.3\n");
    pit_window_add(window, &none);
    pit_window_add(window, &one);
    pit_window_add(window, &one);
    CHECK_STR(stage_text(), "[TAG] Last 3 steps: t=n/a\n");
    pit_window_free(window);
}

TEST(what_cannot_be_a_window_is_none)
{
    pit_window_item many[33] = {{0}};
    CHECK(pit_window_new("t", "u", 10, gpm, 0) == NULL);
    CHECK(pit_window_new("t", "u", 10, NULL, 1) == NULL);
    CHECK(pit_window_new("t", "u", 0, gpm, 1) == NULL);
    CHECK(pit_window_new("t", "u", 10, many, 33) == NULL);
    pit_window *window = pit_window_new(NULL, NULL, 10, many, 32);
    CHECK(window != NULL);
    pit_window_free(window);
    pit_window_free(NULL);
    pit_window_add(NULL, NULL);
    CHECK_INT(pit_window_count(NULL), 0);
    CHECK_NEAR(pit_window_sum(NULL, 0), 0, 0);
}

static void *add_many(void *argument)
{
    double figures[] = {0.001, 0.002, 5, 1};
    for (int i = 0; i < 1000; i++)
        pit_window_add(argument, figures);
    return NULL;
}

TEST(threads_share_a_window)
{
    pit_set_verbose(0);
    stage_record();
    pit_window *window = pit_window_new("T", "x", 100, gpm, 4);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, add_many, window) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    CHECK_INT(pit_window_count(window), 4000);
    CHECK_NEAR(pit_window_sum(window, 3), 4000, 1e-6);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run != NULL);
    CHECK_INT(run->journal_count, 40); /* recorded although nothing was printed */
    pit_run_free(run);
    pit_window_free(window);
}

TEST(the_last_figures_are_kept)
{
    stage_up(0);
    pit_window_item items[] = {{"a", PIT_WINDOW_MEAN}, {"b", PIT_WINDOW_HIDDEN}};
    pit_window *window = pit_window_new("T", "x", 1000, items, 2);
    double found[200];
    CHECK_INT(pit_window_figures(window, 0, found, 200), 0);
    CHECK(isnan(pit_window_percentile(window, 0, 50)));
    pit_window_keep(window, 100);
    for (int i = 1; i <= 250; i++) {
        double figures[] = {i, i == 200 ? (double)NAN : -i};
        pit_window_add(window, figures);
        size_t count = pit_window_figures(window, 0, found, 200);
        REQUIRE(count == (size_t)(i < 100 ? i : 100));
        CHECK(found[0] == (i < 100 ? 1 : i - 99) && found[count - 1] == i);
    }
    CHECK_INT(pit_window_figures(window, 1, NULL, 0), 100);
    CHECK_INT(pit_window_figures(window, 1, found, 3), 3);
    CHECK(found[0] == -248 && found[2] == -250);
    CHECK_NEAR(pit_window_percentile(window, 0, 0), 151, 0);
    CHECK_NEAR(pit_window_percentile(window, 0, 50), 200, 0);
    CHECK_NEAR(pit_window_percentile(window, 0, 100), 250, 0);
    CHECK_NEAR(pit_window_percentile(window, 1, 100), -151, 0);
    CHECK(isnan(pit_window_percentile(window, 0, 101)));
    CHECK_INT(pit_window_figures(window, 2, found, 3), 0);
    pit_window_keep(window, 0);
    pit_window_add(window, found);
    CHECK_INT(pit_window_figures(window, 0, NULL, 0), 0);
    pit_window_free(window);
}
