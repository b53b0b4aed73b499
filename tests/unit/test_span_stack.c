/* Spans that do not end in the order of a stack, and several stacks on one thread. */
#include "check.h"

#include "pitwall_report.h"

#include <pthread.h>
#include <string.h>
#include <time.h>

static void open_in_memory(void)
{
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    REQUIRE(pit_open(NULL, &options) == 0);
}

static void nap(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

/* "a/b 2" for every node with a count, in tree order; joined by commas. */
static const char *tree_of(const pit_run *run)
{
    static char text[4096];
    pit_tree *tree = pit_tree_build(&run, 1);
    REQUIRE(tree);
    text[0] = 0;
    for (size_t i = 0; i < tree->node_count; i++)
        if (tree->nodes[i].count)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s %d", i ? ", " : "",
                     tree->nodes[i].path, (int)tree->nodes[i].count);
    pit_tree_free(tree);
    return text;
}

static pit_run *read_now(void)
{
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run && run->thread_count == 1);
    return run;
}

TEST(the_outer_span_may_end_before_the_inner_one)
{
    open_in_memory();
    pit_token a = pit_begin_name("a"), b = pit_begin_name("b");
    nap(2);
    uint64_t took_a = pit_end_out_of_order(a);
    CHECK(took_a > 1000000);
    pit_run *run = read_now();
    CHECK(run->threads[0].open_count == 1);
    CHECK(strcmp(run->threads[0].nodes[run->threads[0].open[0].node].name, "b") == 0);
    pit_run_free(run);
    CHECK(pit_age_ns(a) == 0 && pit_age_ns(b) > 0);
    pit_token c = pit_begin_name("c"); /* below b, which is open */
    pit_end(c);
    CHECK(pit_end_out_of_order(b) > 0);
    pit_end(pit_begin_name("d")); /* a is gone: at the top again */
    run = read_now();
    CHECK(strcmp(tree_of(run), "a 1, a/b 1, a/b/c 1, d 1") == 0);
    CHECK(run->threads[0].open_count == 0);
    CHECK(run->losses.abandoned == 0 && run->losses.end_without_begin == 0);
    CHECK(run->threads[0].event_count == 4);
    pit_run_free(run);
}

TEST(a_dropped_span_leaves_no_trace)
{
    open_in_memory();
    pit_token a = pit_begin_name("a");
    pit_cancel(pit_begin_name("b"));
    pit_token c = pit_begin_name("c"), d = pit_begin_with("d", PIT_MEMORY);
    pit_cancel(d);
    pit_cancel(0);
    CHECK(pit_end_ns(c) > 0);
    CHECK(pit_end_ns(a) > 0);
    pit_run *run = read_now();
    CHECK(strcmp(tree_of(run), "a 1, a/c 1") == 0);
    CHECK(run->losses.abandoned == 0 && run->losses.end_without_begin == 0);
    CHECK(run->threads[0].open_count == 0);
    pit_run_free(run);
}

TEST(dropping_an_outer_span_abandons_what_is_open_inside)
{
    open_in_memory();
    pit_token a = pit_begin_name("a");
    pit_begin_name("b");
    pit_cancel(a);
    pit_cancel(a); /* twice: counted */
    pit_end(pit_begin_name("c"));
    pit_run *run = read_now();
    CHECK(run->losses.abandoned == 1 && run->losses.end_without_begin == 1);
    CHECK(run->threads[0].open_count == 0);
    pit_run_free(run);
}

TEST(a_second_end_is_counted)
{
    open_in_memory();
    pit_token a = pit_begin_name("a"), b = pit_begin_name("b");
    CHECK(pit_end_out_of_order(0) == 0);
    CHECK(pit_end_out_of_order(a) > 0 && pit_end_out_of_order(a) == 0);
    pit_end(a);
    pit_end(b);
    CHECK(pit_end_out_of_order(b) == 0);
    pit_run *run = read_now();
    CHECK(run->losses.end_without_begin == 3 && strcmp(tree_of(run), "a 1, a/b 1") == 0);
    pit_run_free(run);
}

TEST(ended_frames_go_with_those_around_them)
{
    open_in_memory();
    pit_token outer = pit_begin_name("outer"), a = pit_begin_name("a");
    pit_begin_name("left");
    pit_end_out_of_order(a);
    pit_end(outer); /* drops `left`, which is abandoned; `a` already has its sample */
    pit_end(pit_begin_name("after"));
    pit_run *run = read_now();
    CHECK(strcmp(tree_of(run), "outer 1, outer/a 1, after 1") == 0 ||
          strcmp(tree_of(run), "after 1, outer 1, outer/a 1") == 0);
    CHECK(run->losses.abandoned == 1 && run->losses.left_open == 0);
    pit_run_free(run);
}

TEST(the_same_name_again_and_again_in_any_order)
{
    open_in_memory();
    for (int round = 0; round < 1000; round++) {
        pit_token tokens[8];
        for (int i = 0; i < 8; i++)
            tokens[i] = pit_begin_name("span");
        for (int i = 0; i < 8; i++)
            pit_end_out_of_order(tokens[(i * 5 + round) % 8]); /* may take less than a tick */
    }
    pit_run *run = read_now();
    uint64_t sum = 0;
    for (size_t i = 0; i < run->threads[0].node_count; i++) {
        REQUIRE(run->threads[0].nodes[i].count == 1000);
        sum += run->threads[0].nodes[i].count;
    }
    CHECK(sum == 8000 && run->threads[0].open_count == 0);
    CHECK(run->losses.abandoned == 0 && run->losses.end_without_begin == 0);
    pit_run_free(run);
}

TEST(a_memory_span_may_end_in_the_middle)
{
    open_in_memory();
    pit_token a = pit_begin_with("a", PIT_MEMORY | PIT_RECORD);
    pit_token b = pit_begin_with("b", PIT_MEMORY);
    pit_end_out_of_order(a);
    pit_end_out_of_order(b);
    pit_run *run = read_now();
    CHECK(run->threads[0].record_count == 1);
    for (size_t i = 0; i < 2; i++)
        CHECK(run->threads[0].nodes[i].memory && run->threads[0].nodes[i].memory->count == 1);
    pit_run_free(run);
}

/* ---- stacks -------------------------------------------------------------------------------- */

TEST(each_stack_has_its_own_parents)
{
    open_in_memory();
    pit_stack *main_stack = pit_stack_new(), *one = pit_stack_new(), *two = pit_stack_new();
    pit_token outer = pit_begin_name("main");
    REQUIRE(pit_stack_switch(main_stack, one) == 0);
    pit_token a = pit_begin_name("a");
    REQUIRE(pit_stack_switch(one, two) == 0);
    pit_token b = pit_begin_name("b"), c = pit_begin_with("c", PIT_MEMORY);
    REQUIRE(pit_stack_switch(two, one) == 0);
    pit_end(pit_begin_name("inside a"));
    CHECK(pit_end_ns(a) > 0);
    REQUIRE(pit_stack_switch(one, two) == 0);
    CHECK(pit_end_ns(c) > 0 && pit_end_ns(b) > 0);
    REQUIRE(pit_stack_switch(two, main_stack) == 0);
    pit_end(pit_begin_name("inside main"));
    CHECK(pit_end_ns(outer) > 0);
    pit_run *run = read_now();
    const char *tree = tree_of(run);
    CHECK(strstr(tree, "main/inside main 1") && strstr(tree, "a/inside a 1") &&
          strstr(tree, "b/c 1"));
    CHECK(!strstr(tree, "main/a") && !strstr(tree, "a/b"));
    CHECK(run->losses.abandoned == 0 && run->threads[0].open_count == 0);
    pit_run_free(run);
    pit_stack_free(main_stack);
    pit_stack_free(one);
    pit_stack_free(two);
    pit_stack_free(NULL);
}

/* The number of calls of a path, inside its parent's time or detached. */
static int count_of(const pit_run *run, const char *path, int detached)
{
    pit_tree *tree = pit_tree_build(&run, 1);
    REQUIRE(tree);
    int count = 0;
    for (size_t i = 0; i < tree->node_count; i++)
        if (strcmp(tree->nodes[i].path, path) == 0 && tree->nodes[i].detached == detached)
            count += (int)tree->nodes[i].count;
    pit_tree_free(tree);
    return count;
}

TEST(a_stack_begins_below_the_place_it_was_given)
{
    open_in_memory();
    pit_stack *main_stack = pit_stack_new(), *task = pit_stack_new();
    CHECK_INT((int)pit_position(), 0);
    pit_token a = pit_begin_name("a");
    uint64_t place = pit_position();
    CHECK(place != 0);
    CHECK_INT(pit_set_root(place), PIT_BAD_ARGUMENT); /* a span is open */
    CHECK_INT(pit_stack_switch(main_stack, task), 0);
    CHECK_INT(pit_set_root(place), 0);
    CHECK(pit_position() == place);
    pit_token b = pit_begin_name("b");
    CHECK(pit_position() != place);
    CHECK_INT(pit_stack_switch(task, main_stack), 0);
    pit_end(pit_begin_name("c")); /* really inside a */
    CHECK_INT(pit_stack_switch(main_stack, task), 0);
    pit_end(pit_begin_name("d"));
    pit_end(b);
    pit_end(pit_begin_name("c")); /* the same name, below a */
    CHECK_INT(pit_set_root(0), 0);
    pit_end(pit_begin_name("e"));
    CHECK_INT(pit_set_root(place ^ (uint64_t)1 << 40), PIT_BAD_ARGUMENT); /* another recorder's */
    pit_end(pit_begin_name("e"));
    CHECK_INT(pit_stack_switch(task, main_stack), 0);
    pit_end(a);
    pit_end(pit_begin_name("f"));
    pit_run *run = read_now();
    CHECK_INT(count_of(run, "a", 0), 1);
    CHECK_INT(count_of(run, "a/b", 1), 1);
    CHECK_INT(count_of(run, "a/b/d", 0), 1);
    CHECK_INT(count_of(run, "a/c", 0), 1);
    CHECK_INT(count_of(run, "a/c", 1), 1);
    CHECK_INT(count_of(run, "e", 0), 2);
    CHECK_INT(count_of(run, "f", 0), 1);
    pit_run_free(run);
    pit_stack_free(task);
    pit_stack_free(main_stack);
}

static void *work_below(void *place)
{
    CHECK_INT(pit_set_root(*(uint64_t *)place), 0);
    pit_end(pit_begin_name("work"));
    return NULL;
}

TEST(a_place_is_good_for_another_thread)
{
    open_in_memory();
    pit_token a = pit_begin_name("a"), b = pit_begin_name("b");
    uint64_t place = pit_position();
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, work_below, &place) == 0);
    pthread_join(thread, NULL);
    pit_end(b);
    pit_end(a);
    pit_run *run = pit_run_read(NULL, NULL);
    REQUIRE(run && run->thread_count == 2);
    CHECK_STR(tree_of(run), "a 1, a/b 1, a/b/work 1");
    pit_run_free(run);
}

TEST(deep_stacks_survive_and_what_is_left_is_counted)
{
    open_in_memory();
    pit_stack *away = pit_stack_new(), *other = pit_stack_new();
    pit_token tokens[100];
    for (int i = 0; i < 100; i++)
        tokens[i] = pit_begin_name("deep");
    REQUIRE(pit_stack_switch(away, other) == 0);
    pit_begin_name("left");
    pit_begin_name("behind");
    REQUIRE(pit_stack_switch(other, away) == 0);
    for (int i = 99; i >= 0; i--)
        REQUIRE(pit_end_ns(tokens[i]) > 0);
    pit_stack_free(other);
    pit_run *run = read_now();
    CHECK(run->losses.left_open == 2 && run->threads[0].open_count == 0);
    pit_run_free(run);
}

static void *use_elsewhere(void *arg)
{
    pit_stack **stacks = arg, *mine = pit_stack_new();
    pit_end(pit_begin_name("thread"));
    return (void *)(intptr_t)pit_stack_switch(mine, stacks[0]);
}

TEST(misuse_changes_nothing)
{
    pit_stack *a = pit_stack_new(), *b = pit_stack_new(), *c = pit_stack_new();
    CHECK(pit_stack_switch(a, b) == PIT_NOT_OPEN);
    open_in_memory();
    pit_token token = pit_begin_name("open");
    CHECK(pit_stack_switch(a, a) == PIT_BAD_ARGUMENT &&
          pit_stack_switch(NULL, a) == PIT_BAD_ARGUMENT);
    REQUIRE(pit_stack_switch(a, b) == 0);
    CHECK(pit_stack_switch(a, c) == PIT_BAD_ARGUMENT); /* a holds a stack already */
    pthread_t thread;
    void *code;
    REQUIRE(pthread_create(&thread, NULL, use_elsewhere, &a) == 0);
    pthread_join(thread, &code);
    CHECK((intptr_t)code == PIT_BAD_ARGUMENT);
    REQUIRE(pit_stack_switch(b, a) == 0);
    CHECK(pit_end_ns(token) > 0);
}

TEST(a_stack_outlives_its_recorder)
{
    open_in_memory();
    pit_stack *a = pit_stack_new(), *b = pit_stack_new();
    pit_begin_name("old");
    REQUIRE(pit_stack_switch(a, b) == 0);
    REQUIRE(pit_close() == 0);
    open_in_memory();
    pit_token token = pit_begin_name("new");
    REQUIRE(pit_stack_switch(b, a) == 0); /* the stack it held is gone */
    pit_end(pit_begin_name("top"));
    REQUIRE(pit_stack_switch(a, b) == 0);
    CHECK(pit_end_ns(token) > 0);
    pit_run *run = read_now();
    CHECK(strstr(tree_of(run), "top 1") && strstr(tree_of(run), "new 1"));
    CHECK(!strstr(tree_of(run), "old"));
    pit_run_free(run);
    pit_stack_free(a);
    pit_stack_free(b);
}

/* Often enough that the hot path would take the end if it could. */
TEST(a_memory_span_that_was_put_away_is_measured_at_its_end)
{
    open_in_memory();
    pit_stack *away = pit_stack_new(), *other = pit_stack_new();
    for (int i = 0; i < 500; i++) {
        pit_token token = pit_begin_with("measured", PIT_MEMORY);
        REQUIRE(pit_stack_switch(away, other) == 0);
        pit_end(pit_begin_name("plain"));
        REQUIRE(pit_stack_switch(other, away) == 0);
        pit_end(token);
    }
    pit_run *run = read_now();
    uint64_t measured = 0;
    for (size_t i = 0; i < run->threads[0].node_count; i++)
        if (run->threads[0].nodes[i].memory)
            measured += run->threads[0].nodes[i].memory->count;
    CHECK(measured == 500);
    pit_run_free(run);
    pit_stack_free(away);
    pit_stack_free(other);
}

/* Each stack has its own room for figures of open memory spans, which the next stack reuses. */
TEST(stacks_with_memory_spans_come_and_go_without_taking_more_room)
{
    open_in_memory();
    pit_stack *main_stack = pit_stack_new();
    uint64_t before = 0;
    for (int i = 0; i < 2000; i++) {
        pit_stack *task = pit_stack_new();
        REQUIRE(pit_stack_switch(main_stack, task) == 0);
        pit_token token = pit_begin_with("measured", PIT_MEMORY);
        /* the others are left open */
        if (i % 2)
            pit_end(token);
        REQUIRE(pit_stack_switch(task, main_stack) == 0);
        pit_stack_free(task);
        if (i == 100)
            before = pit_rss();
    }
    /* A page each would be twice that. A sanitizer keeps freed memory. */
    CHECK(getenv("PITWALL_SANITIZER") || pit_rss() < before + (4u << 20));
}
