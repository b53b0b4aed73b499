/* Teams of threads: pit_add_team adds to the node of the innermost span, refuses impossible values, and merges. */
#include "check.h"

#include "pitwall_report.h"

#include <pthread.h>

static int open_in_memory(void)
{
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    return pit_open(NULL, &options);
}

static const pit_teams *teams_of(const pit_run *run, const char *name)
{
    const pit_teams *found = NULL;
    for (size_t t = 0; t < run->thread_count; t++)
        for (size_t i = 0; i < run->threads[t].node_count; i++)
            if (strcmp(run->threads[t].nodes[i].name, name) == 0 && run->threads[t].nodes[i].teams)
                found = run->threads[t].nodes[i].teams;
    return found;
}

TEST(regions_add_up_in_the_innermost_span)
{
    CHECK_INT(pit_add_team(2, 1, 1, 1), PIT_NOT_OPEN);
    CHECK_INT(open_in_memory(), 0);
    CHECK_INT(pit_add_team(2, 1, 1, 1), PIT_NOT_OPEN); /* no span */
    pit_token outer = pit_begin_name("outer");
    CHECK_INT(pit_add_team(2, 150, 100, 120), 0);
    pit_token inner = pit_begin_name("inner");
    CHECK_INT(pit_add_team(1, 7, 7, 7), 0);
    pit_end(inner);
    CHECK_INT(pit_add_team(4, 200, 50, 60), 0);
    pit_end(outer);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run != NULL);
    const pit_teams *all = teams_of(run, "outer");
    REQUIRE(all && teams_of(run, "inner"));
    CHECK_INT(all->count, 2);
    CHECK_INT(all->threads, 6);
    CHECK_INT(all->threads_max, 4);
    CHECK_INT(all->busy_ns, 350);
    CHECK_INT(all->slowest_ns, 150);
    CHECK_INT(all->elapsed_ns, 180);
    CHECK_INT(all->wait_ns, 2 * 120 - 150 + 4 * 60 - 200);
    CHECK_INT(all->lag_ns, 2 * 100 - 150 + 0);
    CHECK_INT(teams_of(run, "inner")->count, 1);
    pit_run_free(run);
    CHECK_INT(pit_close(), 0);
}

TEST(what_cannot_be_is_refused)
{
    CHECK_INT(open_in_memory(), 0);
    pit_token token = pit_begin_name("span");
    CHECK_INT(pit_add_team(0, 0, 0, 0), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_add_team(2, 300, 100, 100),
              PIT_BAD_ARGUMENT); /* more than both could have worked */
    CHECK_INT(pit_add_team(2, 50, 100, 100), PIT_BAD_ARGUMENT); /* less than one of them worked */
    CHECK_INT(pit_add_team(2, 150, 100, 99),
              PIT_BAD_ARGUMENT); /* one worked longer than the region lasted */
    CHECK_INT(pit_add_team(3, 10, 5, UINT64_MAX / 2), PIT_BAD_ARGUMENT);
    pit_end(token);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run != NULL);
    CHECK(teams_of(run, "span") == NULL);
    pit_run_free(run);
    CHECK_INT(pit_close(), 0);
}

static void *other_thread(void *arg)
{
    pit_token token = pit_begin_name("span");
    for (int i = 0; i < 1000; i++)
        pit_add_team(3, 30, 10, 10);
    pit_end(token);
    return arg;
}

TEST(threads_and_their_sum_in_the_tree)
{
    pthread_t threads[3];
    CHECK_INT(open_in_memory(), 0);
    for (int i = 0; i < 3; i++)
        REQUIRE(pthread_create(&threads[i], NULL, other_thread, NULL) == 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    pit_run *run = pit_run_read(NULL, NULL);
    const pit_run *runs[] = {run};
    pit_tree *tree = run ? pit_tree_build(runs, 1) : NULL;
    REQUIRE(tree && tree->node_count == 1 && tree->nodes[0].teams);
    CHECK_INT(tree->nodes[0].teams->count, 3000);
    CHECK_INT(tree->nodes[0].teams->threads_max, 3);
    CHECK_INT(tree->nodes[0].teams->busy_ns, 90000);
    CHECK_INT(tree->nodes[0].teams->lag_ns, 0);
    pit_tree_free(tree);
    pit_run_free(run);
    CHECK_INT(pit_close(), 0);
}
