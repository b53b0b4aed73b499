/* Spans with every combination of flags, nested, with phases, ended in every way: no span is shorter
 * than its children, and time never appears to go back. */
#include "probe.h"

#include <signal.h>
#include <sys/time.h>

#define COMBINATIONS 16u /* of enum pit_span_flag */

static void open_with(unsigned flags)
{
    pit_options options = {.sample_hz = -1, .in_memory = 1, .span_flags = flags};
    REQUIRE(pit_open(NULL, &options) == PIT_OK);
}

/* Every node lasted at least as long as its children together. A lost span has no time. */
static int is_sane(const pit_run *run, const char *what, unsigned all, unsigned a, unsigned b)
{
    int bad = run->losses.clock_back != 0;
    for (size_t th = 0; th < run->thread_count; th++) {
        const pit_thread *t = &run->threads[th];
        for (size_t i = 0; i < t->node_count; i++) {
            uint64_t children = 0;
            for (size_t k = 0; k < t->node_count; k++)
                if (t->nodes[k].parent == i && !t->nodes[k].detached)
                    children += t->nodes[k].total;
            int is_lost = strcmp(t->nodes[i].name, "lost") == 0;
            if (!is_lost && children > t->nodes[i].total) {
                printf("  %s: %s: %llu ticks, its children %llu\n", what, t->nodes[i].name,
                       (unsigned long long)t->nodes[i].total, (unsigned long long)children);
                bad = 1;
            }
        }
    }
    if (bad)
        printf("  %s: flags of all spans %u, outer %u, inner %u; clock stepped back %llu times\n",
               what, all, a, b, (unsigned long long)run->losses.clock_back);
    return !bad;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static void three_phases(void)
{
    PIT_PHASE("one");
    PIT_PHASE("two");
    PIT_PHASE("three");
}

static void phases_ended_by_the_span(unsigned a, unsigned b)
{
    (void)b;
    pit_token outer = pit_begin_with("outer", a);
    three_phases();
    pit_end(outer);
}

static void phases_ended_by_hand(unsigned a, unsigned b)
{
    (void)b;
    pit_token outer = pit_begin_with("outer", a);
    three_phases();
    pit_phase_end();
    pit_end(outer);
}

static void phases_ended_apart(unsigned a, unsigned b)
{
    (void)b;
    pit_token outer = pit_begin_with("outer", a);
    three_phases();
    pit_end_out_of_order(outer);
}

static void spans_inside_phases(unsigned a, unsigned b)
{
    pit_token outer = pit_begin_with("outer", a);
    for (int i = 0; i < 3; i++) {
        PIT_PHASE("one");
        pit_end(pit_begin_with("inner", b));
        PIT_PHASE("two");
        pit_token inner = pit_begin_with("inner", b);
        three_phases();
        pit_end(inner);
    }
    pit_end(outer);
}

static void phases_in_nested_spans_ended_at_once(unsigned a, unsigned b)
{
    pit_token top = pit_begin_name("top"), outer = pit_begin_with("outer", a);
    PIT_PHASE("one");
    pit_begin_with("lost", b); /* abandoned, with the phase in it */
    PIT_PHASE("two");
    pit_end(outer);
    pit_end(top);
}

static void everything_dropped(unsigned a, unsigned b)
{
    pit_token top = pit_begin_with("top", b), outer = pit_begin_with("lost", a);
    three_phases();
    pit_begin_with("lost", b);
    pit_cancel(outer);
    pit_end(top);
}

static void flags_that_change_from_frame_to_frame(unsigned a, unsigned b)
{
    pit_token tokens[6];
    for (unsigned i = 0; i < 6; i++)
        tokens[i] = pit_begin_with("level", i % 3 == 0 ? a : i % 3 == 1 ? 0 : b);
    three_phases();
    for (unsigned i = 6; i-- > 0;)
        pit_end(tokens[i]);
}

static void two_stacks(unsigned a, unsigned b)
{
    pit_stack *one = pit_stack_new(), *two = pit_stack_new();
    pit_token top = pit_begin_name("top"), outer = pit_begin_with("outer", a);
    pit_end(pit_begin_with("measured", PIT_MEMORY)); /* costs time apart in both */
    REQUIRE(pit_stack_switch(one, two) == 0);
    pit_token other = pit_begin_name("other"), inner = pit_begin_with("inner", b);
    pit_end(inner);
    pit_end(other);
    REQUIRE(pit_stack_switch(two, one) == 0);
    pit_end(outer);
    pit_end(top);
    pit_stack_free(one);
    pit_stack_free(two);
}

static void nested_and_beside(unsigned a, unsigned b)
{
    pit_token outer = pit_begin_with("outer", a);
    for (int i = 0; i < 4; i++) {
        pit_token inner = pit_begin_with("inner", b);
        pit_end(pit_begin_name("plain"));
        pit_end(inner);
        pit_end(pit_begin_with("beside", a));
    }
    pit_end(outer);
}

static const struct {
    const char *name;
    void (*run)(unsigned a, unsigned b);
} shapes[] = {{"phases_ended_by_the_span", phases_ended_by_the_span},
              {"phases_ended_by_hand", phases_ended_by_hand},
              {"phases_ended_apart", phases_ended_apart},
              {"spans_inside_phases", spans_inside_phases},
              {"phases_in_nested_spans_ended_at_once", phases_in_nested_spans_ended_at_once},
              {"everything_dropped", everything_dropped},
              {"flags_that_change_from_frame_to_frame", flags_that_change_from_frame_to_frame},
              {"two_stacks", two_stacks},
              {"nested_and_beside", nested_and_beside}};

/* All combinations for the recorder, or every `step`-th, with all combinations for one span or two. */
static void try_all(unsigned all_step)
{
    for (unsigned all = 0; all < COMBINATIONS; all += all_step)
        for (size_t shape = 0; shape < sizeof shapes / sizeof shapes[0]; shape++) {
            open_with(all);
            for (unsigned a = 0; a < COMBINATIONS; a++) {
                unsigned b = (a * 7 + all) % COMBINATIONS;
                pit_token around = pit_begin_name("around");
                shapes[shape].run(a, b);
                shapes[shape].run(b, a);
                pit_end(around);
                shapes[shape].run(a, 0);
                shapes[shape].run(0, b);
            }
            pit_run *run = pit_run_read(NULL, NULL);
            REQUIRE(run && run->threads[0].open_count == 0);
            CHECK(is_sane(run, shapes[shape].name, all, COMBINATIONS, COMBINATIONS));
            pit_run_free(run);
            REQUIRE(pit_close() == 0);
            pit_recorder_free(pit_default_recorder());
        }
}

TEST(no_span_is_shorter_than_what_is_inside_it)
{
    try_all(getenv("PITWALL_TEST_ALL") ? 1 : 3); /* 0, 3, 6, …: memory and records among them */
}

TEST(no_span_is_shorter_where_every_span_measures_memory)
{
    setenv("PITWALL_MEMORY", "1", 1);
    try_all(5);
}

/* Ended below the innermost span: the others continue and are measured as requested. */
TEST(a_memory_span_that_ends_before_a_plain_one_inside_it)
{
    open_with(0);
    for (int round = 0; round < 50; round++) {
        pit_token outer = pit_begin_with("outer", PIT_MEMORY), inner = pit_begin_name("inner");
        pit_end_out_of_order(outer);
        pit_end_out_of_order(inner);
        pit_end(pit_begin_with("after", PIT_MEMORY));
    }
    const pit_run *run = probe_read(NULL);
    const pit_raw_node *outer = probe_first(run, "outer"), *after = probe_first(run, "after");
    CHECK_INT(outer->count, 50);
    REQUIRE(outer->memory && after->memory);
    CHECK_INT(outer->memory->count, 50);
    CHECK_INT(after->memory->count, 50);
    CHECK_INT(run->losses.clock_back, 0);
}

static void measure_in_handler(int signal)
{
    (void)signal;
    pit_end(pit_begin_with("handler", PIT_MEMORY));
}

/* The handler's memory readings cost time inside whatever it interrupts, even an end. */
TEST(memory_spans_of_a_signal_handler_make_no_clock_step_back)
{
    open_with(PIT_RECORD);
    struct sigaction action = {.sa_handler = measure_in_handler};
    sigaction(SIGALRM, &action, NULL);
    struct itimerval often = {{0, 50}, {0, 50}};
    setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < 100000 / probe_slowness(); i++)
        pit_end(pit_begin_name("span"));
    setitimer(ITIMER_REAL, &(struct itimerval){{0, 0}, {0, 0}}, NULL);
    CHECK(is_sane(probe_read(NULL), "signal handler", PIT_RECORD, 0, 0));
}
