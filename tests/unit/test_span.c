/* Spans: ways to leave them, nesting, misuse. */
#include "probe.h"
#include "recorder/clock.h"

#include <pthread.h>
#include <setjmp.h>

static int leaves_by_return(int n)
{
    PIT_SPAN("outer") {
        PIT_SPAN("inner") {
            if (n > 0)
                return n;
        }
    }
    return 0;
}

TEST(a_span_closes_on_return)
{
    probe_open();
    CHECK_INT(leaves_by_return(3), 3);
    CHECK_INT(leaves_by_return(0), 0);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "outer")->count, 2);
    CHECK_INT(probe_first(run, "outer/inner")->count, 2);
    CHECK_INT(run->threads[0].open_count, 0);
    CHECK(probe_holds(run));
}

TEST(a_span_closes_on_break_and_continue)
{
    probe_open();
    int rounds = 0, reached = 0;
    for (int i = 0; i < 3; i++) {
        PIT_SPAN("broken") {
            rounds++;
            break;
        }
        PIT_SPAN("continued") {
            rounds++;
            if (i >= 0)
                continue;
            reached = 1;
        }
    }
    CHECK_INT(rounds, 6); /* they leave the block, not the loop */
    CHECK_INT(reached, 0);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "broken")->count, 3);
    CHECK_INT(probe_first(run, "continued")->count, 3);
    CHECK_INT(run->threads[0].open_count, 0);
}

TEST(a_span_closes_on_goto)
{
    probe_open();
    PIT_SPAN("a") {
        PIT_SPAN("b") {
            goto out;
        }
    }
out:
    PIT_SPAN("after") {
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "a/b")->count, 1);
    CHECK_INT(probe_first(run, "a")->count, 1);
    CHECK_INT(probe_first(run, "after")->count, 1);
    CHECK_INT(run->losses.abandoned, 0);
}

TEST(begin_and_end_by_token_nest)
{
    probe_open();
    static pit_site outer = PIT_SITE("outer"), inner = PIT_SITE("inner");
    for (int i = 0; i < 100; i++) {
        pit_token a = pit_begin(&outer), b = pit_begin(&inner);
        CHECK(a && b && a != b);
        pit_end(b);
        pit_end(a);
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "outer")->count, 100);
    CHECK_INT(probe_first(run, "outer/inner")->count, 100);
    CHECK(probe_holds(run));
}

TEST(a_span_by_run_time_name_is_the_node_of_the_same_site_name)
{
    probe_open();
    static pit_site site = PIT_SITE("batch 7");
    char name[32];
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "batch %d", i);
        pit_end(pit_begin_name(name));
    }
    memset(name, 'x', sizeof name); /* the text is read during the call only */
    pit_end(pit_begin(&site));
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->threads[0].node_count, 10);
    CHECK_INT(probe_first(run, "batch 7")->count, 2);
    CHECK_INT(probe_first(run, "batch 3")->count, 1);
}

TEST(two_sites_of_one_name_are_one_node)
{
    probe_open();
    PIT_SPAN("same") {
    }
    PIT_SPAN("same") {
    }
    CHECK_INT(probe_first(probe_read(NULL), "same")->count, 2);
}

TEST(durations_lie_between_readings_of_the_system_clock)
{
    probe_open();
    static pit_site site = PIT_SITE("timed");
    for (int i = 0; i < 20; i++) {
        uint64_t outside = probe_ns();
        pit_token token = pit_begin(&site);
        uint64_t inside = probe_ns();
        probe_spin(200000);
        inside = probe_ns() - inside;
        uint64_t ns = pit_end_ns(token);
        outside = probe_ns() - outside;
        CHECK((double)ns > (double)inside * 0.98 - 2000);
        CHECK((double)ns < (double)outside * 1.02 + 2000);
    }
    const pit_run *run = probe_read(NULL);
    double min_ns = (double)probe_first(run, "timed")->min * run->ns_per_tick;
    CHECK(min_ns > 195000);
}

TEST(ages_grow_and_stay_below_the_duration)
{
    probe_open();
    static pit_site site = PIT_SITE("aged");
    pit_token token = pit_begin(&site);
    uint64_t before = 0;
    for (int i = 0; i < 50; i++) {
        probe_spin(20000);
        uint64_t age = pit_age_ns(token);
        CHECK(age > before);
        before = age;
    }
    CHECK(before > 900000);
    uint64_t duration = pit_end_ns(token);
    CHECK((double)before <= (double)duration * 1.02);
    CHECK_INT(pit_age_ns(token), 0); /* not open any more */
}

TEST(the_age_of_an_outer_span_is_known_inside_inner_ones)
{
    probe_open();
    pit_token a = pit_begin_name("a");
    probe_spin(100000);
    pit_token b = pit_begin_name("b");
    uint64_t inner = pit_age_ns(b), outer = pit_age_ns(a);
    CHECK(outer > inner);
    CHECK(outer > 90000);
    pit_end(b);
    pit_end(a);
}

static void recurse(int depth)
{
    PIT_SPAN("f") {
        if (depth > 1)
            recurse(depth - 1);
    }
}

TEST(recursion_makes_a_node_of_every_level)
{
    probe_open();
    recurse(4);
    recurse(2);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->threads[0].node_count, 4);
    CHECK_INT(probe_first(run, "f")->count, 2);
    CHECK_INT(probe_first(run, "f/f")->count, 2);
    CHECK_INT(probe_first(run, "f/f/f")->count, 1);
    CHECK_INT(probe_first(run, "f/f/f/f")->count, 1);
    CHECK(probe_first(run, "f")->child == probe_first(run, "f/f")->total);
    CHECK(probe_holds(run));
}

TEST(a_missed_end_is_abandoned_and_the_outer_span_is_right)
{
    probe_open();
    pit_token outer = pit_begin_name("outer");
    pit_begin_name("lost");
    pit_begin_name("lost too");
    pit_end(outer);
    pit_end(pit_begin_name("next"));
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.abandoned, 2);
    CHECK_INT(probe_first(run, "outer")->count, 1);
    CHECK_INT(probe_first(run, "outer/lost")->count, 0);
    CHECK_INT(probe_first(run, "outer/lost/lost too")->count, 0);
    CHECK_INT(probe_first(run, "next")->count, 1); /* at the top again, not below "outer" */
    CHECK_INT(run->threads[0].open_count, 0);
}

static jmp_buf back;

static void jump_from_deep(int depth)
{
    while (depth--)
        pit_begin_name("deep");
    longjmp(back, 1);
}

TEST(longjmp_out_of_spans_is_put_right_by_the_outer_end)
{
    probe_open();
    static pit_token outer;
    static volatile int jumps;
    for (jumps = 0; jumps < 3; jumps++) {
        outer = pit_begin_name("outer");
        if (setjmp(back) == 0)
            jump_from_deep(5);
        pit_end(outer);
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.abandoned, 15);
    CHECK_INT(probe_first(run, "outer")->count, 3);
    CHECK_INT(run->threads[0].open_count, 0);
}

TEST(a_second_end_is_counted_and_changes_nothing)
{
    probe_open();
    pit_token token = pit_begin_name("once");
    pit_end(token);
    pit_end(token);
    CHECK_INT(pit_end_ns(token), 0);
    pit_end(0); /* the result of a begin when nothing is recorded: not misuse */
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.end_without_begin, 2);
    CHECK_INT(probe_first(run, "once")->count, 1);
}

/* Like a caller of the fast path: if that does nothing, the slow path ends the span. */
static int short_end(pit_token token)
{
    if (pit__end_at(pit__here(), token) != UINT64_MAX)
        return 1;
    pit_end_out_of_order(token);
    return 0;
}

/* There is no fast path if the clock is a system call, or for a bucket's first sample. */
TEST(the_short_way_records_as_any_other_or_does_nothing)
{
    static pit_site outer = PIT_SITE("outer"), inner = PIT_SITE("inner");
    struct pit__thread *const *here = pit__here();
    CHECK_INT(pit__begin_at(here, 1), 0);
    probe_open();
    int is_counter = pit__clock_is_counter(pit__clock_get()) != 0, begins = 0, ends = 0;
    for (int i = 0; i < 2000; i++) {
        pit_token a = pit__begin_at(here, outer.id);
        begins += a != 0;
        a = a ? a : pit_begin(&outer);
        pit_token b = pit__begin_at(here, inner.id);
        begins += b != 0;
        b = b ? b : pit_begin(&inner);
        CHECK(pit__end_at(here, a) == UINT64_MAX); /* the inner one is open */
        CHECK_INT(pit__begin_at(here, 4000), 0);   /* an id that is not used */
        ends += short_end(b);
        CHECK(pit__end_at(here, b) == UINT64_MAX);
        ends += short_end(a);
    }
    CHECK_INT(begins, is_counter ? 2 * 2000 - 2 : 0); /* all but the first two */
    CHECK_INT(ends > 0, is_counter);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "outer")->count, 2000);
    CHECK_INT(probe_first(run, "outer/inner")->count, 2000);
    CHECK_INT(run->losses.end_without_begin, 0);
    CHECK(probe_holds(run));
    CHECK_INT(pit_close(), 0);
    CHECK_INT(pit__begin_at(here, outer.id), 0);
}

TEST(a_stale_inner_token_does_not_end_the_outer_span)
{
    probe_open();
    pit_token outer = pit_begin_name("outer"), inner = pit_begin_name("inner");
    pit_end(inner);
    pit_end(inner);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.end_without_begin, 1);
    CHECK_INT(run->threads[0].open_count, 1);
    pit_end(outer);
    CHECK_INT(probe_first(probe_read(NULL), "outer")->count, 1);
}

static void *end_here(void *token)
{
    pit_end(*(pit_token *)token);
    CHECK_INT(pit_end_ns(*(pit_token *)token), 0);
    CHECK_INT(pit_age_ns(*(pit_token *)token), 0);
    return NULL;
}

TEST(an_end_on_another_thread_is_counted_there_and_the_span_stays_open)
{
    probe_open();
    pit_token token = pit_begin_name("mine");
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, end_here, &token) == 0);
    pthread_join(thread, NULL);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.wrong_thread, 2);
    CHECK_INT(run->threads[0].open_count, 1);
    CHECK(pit_end_ns(token) > 0);
    run = probe_read(NULL);
    CHECK_INT(probe_first(run, "mine")->count, 1);
    CHECK_INT(run->losses.end_without_begin, 0);
}

TEST(levels_past_255_are_counted_and_the_rest_is_right)
{
    probe_open();
    static pit_site site = PIT_SITE("level");
    static pit_token tokens[300];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 300; i++)
            tokens[i] = pit_begin(&site);
        CHECK(tokens[254] != 0);
        CHECK(tokens[255] == 0 && tokens[299] == 0);
        CHECK_INT(probe_read(NULL)->threads[0].open_count, 255);
        for (int i = 299; i >= 0; i--)
            pit_end(tokens[i]);
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.too_deep, 3 * 45);
    CHECK_INT(run->losses.end_without_begin, 0);
    CHECK_INT(run->threads[0].node_count, 255);
    for (size_t i = 0; i < run->threads[0].node_count; i++)
        CHECK_INT(run->threads[0].nodes[i].count, 3);
    CHECK(probe_holds(run));
}

TEST(items_bytes_and_flops_land_in_the_innermost_span)
{
    probe_open();
    pit_items(99); /* no span is open: counts nowhere */
    PIT_SPAN("outer") {
        pit_items(1);
        PIT_SPAN("inner") {
            pit_items(32);
            pit_bytes(4096);
            pit_flops(1000000);
            pit_items(32);
        }
        pit_bytes(5);
    }
    const pit_run *run = probe_read(NULL);
    const pit_raw_node *outer = probe_first(run, "outer"), *inner = probe_first(run, "outer/inner");
    CHECK_INT(outer->items, 1);
    CHECK_INT(outer->bytes, 5);
    CHECK_INT(outer->flops, 0);
    CHECK_INT(inner->items, 64);
    CHECK_INT(inner->bytes, 4096);
    CHECK_INT(inner->flops, 1000000);
}

TEST(open_spans_are_shown_outermost_first_with_their_begin_and_child_time)
{
    probe_open();
    pit_token a = pit_begin_name("a");
    pit_end(pit_begin_name("done"));
    pit_begin_name("b");
    const pit_run *run = probe_read(NULL);
    const pit_thread *t = &run->threads[0];
    REQUIRE(t->open_count == 2);
    CHECK_STR(t->nodes[t->open[0].node].name, "a");
    CHECK_STR(t->nodes[t->open[1].node].name, "b");
    CHECK(t->open[0].begin <= t->open[1].begin);
    CHECK(t->open[0].begin >= run->start_ticks && t->open[1].begin <= run->end_ticks);
    CHECK(t->open[0].child == probe_first(run, "a/done")->total);
    CHECK_INT(t->open[1].child, 0);
    CHECK(probe_holds(run));
    pit_end(a);
}

TEST(empty_and_null_names_are_names_too)
{
    probe_open();
    pit_end(pit_begin_name(""));
    pit_end(pit_begin_name(NULL));
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "")->count, 1);
    CHECK_INT(probe_first(run, "(null)")->count, 1);
}

TEST(one_thread_may_use_more_names_than_any_table_holds_at_first)
{
    probe_open();
    char name[32];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 3000; i++) {
            snprintf(name, sizeof name, "n%d", i);
            pit_end(pit_begin_name(name));
        }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->threads[0].node_count, 3000);
    for (size_t i = 0; i < run->threads[0].node_count; i++)
        CHECK_INT(run->threads[0].nodes[i].count, 2);
}
