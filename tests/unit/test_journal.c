/* The journal: entries are read back in order, also while threads write; what does not fit is refused, and
 * the oldest entries are dropped first. */
#include "check.h"

#include "pitwall_report.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void open_in_memory(void)
{
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    REQUIRE(pit_open(NULL, &options) == 0);
}

TEST(an_entry_comes_back_as_it_was_put_in)
{
    open_in_memory();
    pit_figure figures[] = {{"Pattern gen", 123.45, "ms"}, {"Avg nodes", NAN, NULL}};
    CHECK(pit_journal("window", "GPM \"TIMING\"\n\x1b[31m", figures, 2, 1700000000000000000u) == 0);
    CHECK(pit_journal("stage", NULL, NULL, 0, 0) == 0);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run && run->journal_count == 2);
    const pit_entry *e = &run->journal[0];
    CHECK(strcmp(e->kind, "window") == 0 && strcmp(e->text, "GPM \"TIMING\"\n\x1b[31m") == 0);
    CHECK(e->wall_ns == 1700000000000000000u && e->figure_count == 2);
    CHECK(strcmp(e->figures[0].key, "Pattern gen") == 0 && e->figures[0].value == 123.45);
    CHECK(strcmp(e->figures[0].unit, "ms") == 0 && strcmp(e->figures[1].unit, "") == 0);
    CHECK(isnan(e->figures[1].value));
    CHECK(strcmp(run->journal[1].text, "") == 0 && run->journal[1].figure_count == 0);
    CHECK(run->journal[1].wall_ns > 1700000000000000000u);
    CHECK(run->journal[1].ticks >= e->ticks && e->ticks >= run->start_ticks);
    pit_run_free(run);
}

TEST(what_does_not_fit_is_refused_and_nothing_is_kept)
{
    open_in_memory();
    static char large[20000];
    memset(large, 'x', sizeof large - 1);
    pit_figure figures[65] = {{"a", 1, NULL}};
    CHECK(pit_journal(NULL, "text", NULL, 0, 0) == PIT_BAD_ARGUMENT);
    CHECK(pit_journal("", "text", NULL, 0, 0) == PIT_BAD_ARGUMENT);
    CHECK(pit_journal("k", large, NULL, 0, 0) == PIT_BAD_ARGUMENT);
    CHECK(pit_journal("k", "text", figures, 65, 0) == PIT_BAD_ARGUMENT);
    CHECK(pit_journal("k", "text", NULL, 1, 0) == PIT_BAD_ARGUMENT);
    large[16000] = 0;
    CHECK(pit_journal("k", large, NULL, 0, 0) == 0);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run && run->journal_count == 1);
    CHECK(strlen(run->journal[0].text) == 16000);
    pit_run_free(run);
}

TEST(the_oldest_go_first_and_are_counted)
{
    int all = check_repeat(30000, 50000, 50000); /* twice what there is room for */
    open_in_memory();
    for (int i = 0; i < all; i++) {
        pit_figure figure = {"index", i, NULL};
        REQUIRE(pit_journal("line", "some text of a line", &figure, 1, 1) == 0);
    }
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run && run->journal_count > 10000 && run->journal_count < (size_t)all);
    CHECK(run->used_bytes < 2 * 1024 * 1024);
    CHECK_INT(run->journal_dropped + run->journal_count, all);
    for (size_t i = 0; i < run->journal_count; i++)
        REQUIRE(run->journal[i].figures[0].value == (double)(run->journal_dropped + i));
    pit_run_free(run);
}

TEST(without_a_recorder_nothing_happens)
{
    CHECK(pit_journal("stage", "x", NULL, 0, 0) == PIT_NOT_OPEN);
    open_in_memory();
    REQUIRE(pit_close() == 0);
    CHECK(pit_journal("stage", "x", NULL, 0, 0) == PIT_NOT_OPEN);
}

static int is_over;

/* Of each thread; there is not room for those of both. */
static int entries(void)
{
    return check_repeat(12000, 20000, 20000);
}

static void *write_entries(void *arg)
{
    for (int i = 0; i < entries(); i++) {
        pit_figure figure = {"index", i, "s"};
        pit_journal((const char *)arg, "a line", &figure, 1, 1);
    }
    __atomic_add_fetch(&is_over, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

/* The entries of each thread are in order at any moment. */
TEST(threads_write_while_it_is_read)
{
    open_in_memory();
    pthread_t threads[2];
    REQUIRE(pthread_create(&threads[0], NULL, write_entries, (void *)"one") == 0);
    REQUIRE(pthread_create(&threads[1], NULL, write_entries, (void *)"two") == 0);
    int looks = 0;
    while (__atomic_load_n(&is_over, __ATOMIC_SEQ_CST) < 2 || looks == 0) {
        pit_run *run = pit_run_read(NULL, NULL);
        REQUIRE(run);
        double last[2] = {-1, -1};
        for (size_t i = 0; i < run->journal_count; i++) {
            const pit_entry *e = &run->journal[i];
            int who = strcmp(e->kind, "two") == 0;
            REQUIRE(who || strcmp(e->kind, "one") == 0);
            REQUIRE(e->figure_count == 1 && e->figures[0].value > last[who]);
            last[who] = e->figures[0].value;
        }
        pit_run_free(run);
        looks++;
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run);
    CHECK_INT(run->journal_dropped + run->journal_count, 2 * entries());
    CHECK(run->journal_dropped > 0);
    pit_run_free(run);
}
