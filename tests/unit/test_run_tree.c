/* Threads and runs merged into one tree. */
#include "check.h"

#include "made_run.h"

#include <math.h>

static const pit_node *find(const pit_tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->node_count; i++)
        if (strcmp(tree->nodes[i].path, path) == 0)
            return &tree->nodes[i];
    printf("  no node %s\n", path);
    REQUIRE(0);
    return NULL;
}

static void check_order(const pit_tree *tree)
{
    double last_total[64];
    for (size_t i = 0; i < tree->node_count; i++) {
        const pit_node *node = &tree->nodes[i];
        CHECK(node->parent == PIT_NO_NODE || node->parent < i);
        CHECK_INT(node->depth,
                  node->parent == PIT_NO_NODE ? 0 : tree->nodes[node->parent].depth + 1);
        if (i > 0 && tree->nodes[i - 1].depth >= node->depth)
            CHECK(node->total_ns <= last_total[node->depth]);
        last_total[node->depth] = node->total_ns;
    }
}

TEST(threads_merge_by_path_and_siblings_stand_by_total)
{
    pit_raw_node a[] = {made_node("train", PIT_NO_NODE, 1, 1000, 900),
                        made_node("small", 0, 2, 50, 0), made_node("large", 0, 4, 200, 0)};
    pit_raw_node b[] = {made_node("other", PIT_NO_NODE, 1, 10, 0),
                        made_node("train", PIT_NO_NODE, 2, 3000, 5000),
                        made_node("large", 1, 5, 1000, 0)};
    pit_thread threads[] = {made_thread("main", a, 3), made_thread("worker", b, 3)};
    pit_run run = made_run(threads, 2);
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree && tree->node_count == 4);
    check_order(tree);
    const pit_node *train = find(tree, "train"), *large = find(tree, "train/large");
    CHECK_INT(train->count, 3);
    CHECK_NEAR(train->total_ns, 7000, 0);
    CHECK_NEAR(train->self_ns, 1100, 0);
    CHECK_NEAR(train->min_ns, 1000, 0);
    CHECK_NEAR(train->max_ns, 3000, 0);
    CHECK_INT(large->count, 9);
    CHECK_INT(large->bin_count, 2);
    CHECK_NEAR(large->mean_ns, 5800 / 9.0, 1e-9);
    CHECK_NEAR(large->std_ns, sqrt((4 * 200.0 * 200 + 5e6) / 9 - 5800 / 9.0 * 5800 / 9), 1e-9);
    CHECK_NEAR(large->p50_ns, 1000, 16);
    CHECK_NEAR(pit_node_quantile(large, 0.1), 200, 4);
    CHECK_NEAR(tree->total_ns, 7010, 0);
    CHECK_NEAR(tree->wall_ns, 12.5e9, 0);
    CHECK_INT(tree->spans, 1 + 2 + 4 + 1 + 2 + 5);
    CHECK_NEAR(tree->cost_ns, 15 * 24, 0);
    CHECK_STR(tree->nodes[0].path, "train");
    CHECK_STR(tree->nodes[1].path, "train/large");
    CHECK_STR(tree->nodes[3].path, "other");
    pit_tree_free(tree);
}

TEST(bins_of_one_run_join_and_their_counts_add_up)
{
    pit_raw_node a[] = {made_node("x", PIT_NO_NODE, 3, 5000, 0)};
    pit_raw_node b[] = {made_node("x", PIT_NO_NODE, 4, 5001, 0)};
    pit_raw_node c[] = {made_node("x", PIT_NO_NODE, 5, 90, 0)};
    pit_thread threads[] = {made_thread("a", a, 1), made_thread("b", b, 1), made_thread("c", c, 1)};
    pit_run run = made_run(threads, 3);
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree && tree->node_count == 1 && tree->nodes[0].bin_count == 2);
    CHECK_INT(tree->nodes[0].bins[0].count, 5);
    CHECK_INT(tree->nodes[0].bins[1].count, 7);
    CHECK(tree->nodes[0].bins[0].low_ns < tree->nodes[0].bins[1].low_ns);
    pit_tree_free(tree);
}

TEST(runs_of_different_clocks_merge_in_nanoseconds)
{
    pit_raw_node a[] = {made_node("x", PIT_NO_NODE, 2, 1000, 0)};
    pit_raw_node b[] = {made_node("x", PIT_NO_NODE, 2, 1000, 0)};
    pit_thread ta = made_thread("main", a, 1), tb = made_thread("main", b, 1);
    pit_run ra = made_run(&ta, 1), rb = made_run(&tb, 1);
    rb.ns_per_tick = 0.5;
    rb.duration_ns = 99e9;
    rb.losses.abandoned = 3;
    const pit_run *runs[] = {&ra, &rb};
    pit_tree *tree = pit_tree_build(runs, 2);
    REQUIRE(tree && tree->node_count == 1);
    const pit_node *x = &tree->nodes[0];
    CHECK_INT(x->count, 4);
    CHECK_NEAR(x->total_ns, 3000, 0);
    CHECK_NEAR(x->min_ns, 500, 0);
    CHECK_NEAR(x->max_ns, 1000, 0);
    CHECK_NEAR(x->mean_ns, 750, 1e-9);
    CHECK_NEAR(x->std_ns, 250, 1e-9);
    CHECK_INT(x->bin_count, 2);
    CHECK(x->bins[0].low_ns < x->bins[1].low_ns);
    CHECK_NEAR(tree->wall_ns, 99e9, 0);
    CHECK_INT(tree->losses.abandoned, 3);
    pit_tree_free(tree);
}

TEST(variance_stays_exact_over_threads)
{
    pit_raw_node a[] = {made_node("x", PIT_NO_NODE, 500000, 10000000, 0)};
    pit_raw_node b[] = {made_node("x", PIT_NO_NODE, 500000, 10000001, 0)};
    pit_thread threads[] = {made_thread("a", a, 1), made_thread("b", b, 1)};
    pit_run run = made_run(threads, 2);
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree);
    CHECK_NEAR(tree->nodes[0].std_ns, 0.5, 1e-15);
    pit_tree_free(tree);
}

TEST(detached_nodes_are_their_own_and_no_part_of_the_total)
{
    pit_raw_node nodes[] = {made_node("x", PIT_NO_NODE, 1, 100, 0),
                            made_node("x", PIT_NO_NODE, 1, 900, 0), made_node("x", 0, 1, 10, 0)};
    nodes[1].detached = 1;
    pit_thread thread = made_thread("main", nodes, 3);
    pit_run run = made_run(&thread, 1);
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree && tree->node_count == 3);
    CHECK(tree->nodes[0].detached);
    CHECK(!tree->nodes[1].detached);
    CHECK_NEAR(tree->total_ns, 100, 0);
    pit_tree_free(tree);
}

TEST(open_spans_are_counted_with_their_age)
{
    pit_raw_node nodes[] = {made_node("a", PIT_NO_NODE, 0, 0, 0), made_node("b", 0, 2, 5, 0)};
    pit_open_span open[] = {{.node = 0, .begin = 1000},
                            {.node = 1, .begin = 4000},
                            {.node = 1, .begin = 9999999999999u},
                            {.node = 77, .begin = 1}};
    pit_thread thread = made_thread("main", nodes, 2);
    thread.open = open;
    thread.open_count = 4;
    pit_run run = made_run(&thread, 1);
    run.end_ticks = 6000;
    run.ns_per_tick = 2;
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree);
    const pit_node *a = find(tree, "a"), *b = find(tree, "a/b");
    CHECK_INT(a->open, 1);
    CHECK_NEAR(a->open_ns, 10000, 0);
    CHECK_INT(b->open, 2);
    CHECK_NEAR(b->open_ns, 4000, 0);
    CHECK(isnan(a->p50_ns));
    CHECK(isnan(pit_node_quantile(a, 0.5)));
    CHECK_NEAR(a->std_ns, 0, 0);
    pit_tree_free(tree);
}

TEST(nothing_gives_an_empty_tree)
{
    pit_run run = made_run(NULL, 0);
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree);
    CHECK_INT(tree->node_count, 0);
    CHECK_NEAR(tree->total_ns, 0, 0);
    pit_tree_free(tree);
    pit_tree_free(NULL);
}

TEST(names_outlive_the_run)
{
    char name[] = "gone";
    pit_raw_node nodes[] = {made_node(name, PIT_NO_NODE, 1, 5, 0)};
    pit_thread thread = made_thread("main", nodes, 1);
    pit_run run = made_run(&thread, 1);
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    memset(name, 'x', 4);
    CHECK_STR(tree->nodes[0].name, "gone");
    CHECK_STR(tree->nodes[0].path, "gone");
    pit_tree_free(tree);
}

/* 4095-byte names nested 10,000 deep would have 200 GB of paths. */
TEST(paths_of_a_deep_tree_stay_small)
{
    static pit_raw_node nodes[10000];
    static char name[4096];
    memset(name, 'n', 4095);
    for (uint32_t i = 0; i < 10000; i++)
        nodes[i] = made_node(name, i ? i - 1 : PIT_NO_NODE, 1, 10000 - i, 0);
    pit_thread thread = made_thread("main", nodes, 10000);
    pit_run run = made_run(&thread, 1);
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree && tree->node_count == 10000);
    CHECK_INT(tree->nodes[9999].depth, 9999);
    CHECK_INT(strlen(tree->nodes[1].path), 4095 * 2 + 1);
    CHECK(strncmp(tree->nodes[2].path, "…/nnn", 7) == 0);
    CHECK(strlen(tree->nodes[9999].path) <= 8192);
    pit_tree_free(tree);
}

TEST(many_siblings_on_several_threads_merge)
{
    enum { COUNT = 10000 };
    static pit_raw_node nodes[4][COUNT];
    static char names[COUNT][12];
    pit_thread threads[4];
    for (uint32_t t = 0; t < 4; t++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            snprintf(names[i], sizeof names[i], "n%u", i);
            nodes[t][i] = made_node(names[i], i ? 0 : PIT_NO_NODE, 1, 100 + i, 0);
        }
        threads[t] = made_thread("worker", nodes[t], COUNT);
    }
    pit_run run = made_run(threads, 4);
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree && tree->node_count == COUNT);
    check_order(tree);
    for (size_t i = 0; i < COUNT; i++)
        CHECK_INT(tree->nodes[i].count, 4);
    CHECK_STR(tree->nodes[1].path, "n0/n9999");
    pit_tree_free(tree);
}
