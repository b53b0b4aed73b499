/* Spans of one thread that overlap, as tasks of an event loop do: their times are divided by how many are open
 * at once before the rules judge them. */
#include "check.h"
#include "made_run.h"

#include "model/advice_case.h"

#include <math.h>

#define NONE UINT32_MAX
#define MS 1000000u

static struct pit__advice_case made; /* its texts are those of the tree */
static pit_tree *tree;
static int main_is_first;

static const struct pit__part *part_of(const char *path)
{
    size_t i = 0;
    while (i < made.all.part_count && strcmp(made.parts[i].path, path) != 0)
        i++;
    CHECK(i < made.all.part_count);
    return &made.parts[i < made.all.part_count ? i : 0];
}

/* A run of so many seconds whose threads all have these nodes. */
static void judge(const pit_raw_node *nodes, size_t count, double seconds, size_t threads)
{
    pit_thread own[4];
    for (size_t i = 0; i < threads; i++)
        own[i] = made_thread("main", nodes, count);
    pit_run run = made_run(own, threads);
    if (main_is_first)
        own[0].tid = run.pid;
    run.duration_ns = seconds * 1e9;
    run.end_ticks = run.start_ticks + (uint64_t)run.duration_ns;
    const pit_run *runs[] = {&run};
    pit__case_free(&made);
    pit_tree_free(tree);
    tree = pit_tree_build(runs, 1);
    CHECK(tree != NULL && pit__case_of_runs(runs, 1, tree, &made) == 0);
}

static pit_raw_node detached(const char *name, uint32_t parent, uint64_t count, uint64_t each)
{
    pit_raw_node node = made_node(name, parent, count, each, 0);
    node.detached = PIT_DETACHED;
    return node;
}

TEST(tasks_at_the_top_share_the_time_that_passed)
{
    pit_raw_node nodes[] = {made_node("page", NONE, 500, 20 * MS, 8 * MS * (uint64_t)500),
                            made_node("parse", 0, 500, 8 * MS, 0)};
    judge(nodes, 2, 2, 1);
    CHECK_NEAR(part_of("page")->overlap, 5, 1e-9);
    CHECK_NEAR(part_of("page")->seconds, 2, 1e-9);
    CHECK_NEAR(part_of("page")->self_seconds, 1.2, 1e-9);
    CHECK_NEAR(part_of("page")->half_seconds, 1, 0.05);
    CHECK_NEAR(part_of("page")->longest, 0.02, 1e-9); /* one call takes what it takes */
    CHECK_NEAR(part_of("page/parse")->seconds, 0.8, 1e-9);
    CHECK_NEAR(made.all.total, 2, 1e-9);
}

TEST(threads_do_not_overlap)
{
    pit_raw_node nodes[] = {made_node("work", NONE, 100, 19 * MS, 0)};
    judge(nodes, 1, 2, 3);
    CHECK_NEAR(part_of("work")->overlap, 1, 0);
    CHECK_NEAR(part_of("work")->seconds, 5.7, 1e-9);
    CHECK_NEAR(made.all.total, 5.7, 1e-9);
}

TEST(tasks_below_a_span_share_its_time)
{
    pit_raw_node nodes[] = {made_node("crawl", NONE, 1, 2000 * MS, 0),
                            detached("page", 0, 500, 16 * MS), detached("image", 0, 100, 20 * MS),
                            made_node("fetch", 1, 500, 12 * MS, 0),
                            detached("part", 1, 1000, 16 * MS)};
    judge(nodes, 5, 4, 1);
    CHECK_NEAR(part_of("crawl")->seconds, 2, 1e-9);
    CHECK_NEAR(part_of("crawl/page")->overlap, 5, 1e-9); /* (8 + 2) / 2, the images too */
    CHECK_NEAR(part_of("crawl/image")->seconds, 0.4, 1e-9);
    CHECK_NEAR(part_of("crawl/page/fetch")->seconds, 1.2, 1e-9);
    CHECK_NEAR(part_of("crawl/page/part")->overlap, 10, 1e-9); /* two in each of five */
    CHECK_NEAR(made.all.total, 2, 1e-9);
}

TEST(objects_that_outlive_their_span_share_the_time_of_the_run)
{
    pit_raw_node nodes[] = {made_node("submit", NONE, 100, 1 * MS, 0),
                            detached("job", 0, 100, 50 * MS)};
    judge(nodes, 2, 10, 1);
    CHECK_NEAR(part_of("submit/job")->overlap, 1, 0);
    CHECK_NEAR(part_of("submit/job")->seconds, 5, 1e-9);
    judge(nodes, 2, 2, 1);
    CHECK_NEAR(part_of("submit/job")->overlap, 2.5, 1e-9);
    CHECK_NEAR(part_of("submit")->seconds, 0.1, 1e-9);
}

TEST(parts_on_other_threads_than_the_main_one_are_known)
{
    pit_raw_node nodes[] = {made_node("page", NONE, 30, 40 * MS, 0),
                            made_node("fetch", 0, 30, 30 * MS, 0),
                            made_node("rare", 0, 30, 1 * MS, 0)};
    judge(nodes, 3, 2, 3); /* the main thread has no span */
    CHECK_NEAR(part_of("page/fetch")->elsewhere, 1, 0);
    CHECK(pit__overlaps(&made.all, part_of("page/fetch")));
    CHECK_NEAR(part_of("page/rare")->elsewhere, 0, 0); /* not looked for */
    main_is_first = 1;
    judge(nodes, 3, 2, 3);
    CHECK_NEAR(part_of("page/fetch")->elsewhere, 2.0 / 3, 1e-9);
    judge(nodes, 3, 2, 1);
    CHECK_NEAR(part_of("page/fetch")->elsewhere, 0, 0);
    CHECK(!pit__overlaps(&made.all, part_of("page/fetch")));
    main_is_first = 0;
    judge(nodes, 3, 2, 1); /* one other thread: nothing overlaps */
    CHECK_NEAR(part_of("page/fetch")->elsewhere, 1, 0);
    CHECK(!pit__overlaps(&made.all, part_of("page/fetch")));
}

TEST(work_of_a_device_and_runs_without_spans_or_time_are_left_alone)
{
    pit_raw_node nodes[] = {made_node("step", NONE, 10, 100 * MS, 0),
                            detached("kernel", 0, 10, 300 * MS)};
    nodes[1].detached = PIT_ON_DEVICE;
    judge(nodes, 2, 1, 1);
    CHECK_NEAR(part_of("step/kernel")->overlap, 1, 0);
    nodes[0] = made_node("step", NONE, 0, 0, 0);
    nodes[1] = detached("job", 0, 10, 10 * MS);
    judge(nodes, 2, 0, 1);
    CHECK(isfinite(part_of("step/job")->seconds) && part_of("step/job")->overlap >= 1);
    judge(NULL, 0, 1, 1);
    CHECK_INT(made.all.part_count, 0);
}
