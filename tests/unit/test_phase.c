/* Phases: one after another, ended by the next one, by the span around them, or by hand. */
#include "probe.h"

#include <pthread.h>

TEST(phases_end_one_another_without_a_gap)
{
    probe_open();
    PIT_SPAN("step") {
        for (int i = 0; i < 50; i++) {
            PIT_PHASE("load");
            PIT_PHASE("compute");
            PIT_PHASE("store");
        }
    }
    const pit_run *run = probe_read(NULL);
    const pit_thread *t = &run->threads[0];
    CHECK_INT(probe_first(run, "step/load")->count, 50);
    CHECK_INT(probe_first(run, "step/compute")->count, 50);
    CHECK_INT(probe_first(run, "step/store")->count, 50);
    REQUIRE(t->event_count == 151);
    for (size_t i = 1; i < 150; i++)
        CHECK(t->events[i - 1].begin + t->events[i - 1].duration == t->events[i].begin);
    /* The last phase ends with the span around it, to the tick. */
    const pit_event *last = &t->events[149], *step = &t->events[150];
    CHECK(last->begin + last->duration == step->begin + step->duration);
    CHECK_INT(last->depth, 2);
    CHECK_INT(step->depth, 1);
    CHECK(probe_holds(run));
}

TEST(a_phase_is_ended_by_the_span_around_it_and_is_not_abandoned)
{
    probe_open();
    pit_token outer = pit_begin_name("outer");
    PIT_PHASE("p");
    CHECK_INT(probe_read(NULL)->threads[0].open_count, 2);
    CHECK_INT(probe_read(NULL)->threads[0].open[1].phase, 1);
    CHECK_INT(probe_read(NULL)->threads[0].open[0].phase, 0);
    pit_end(outer);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "outer/p")->count, 1);
    CHECK_INT(run->losses.abandoned, 0);
    CHECK_INT(run->threads[0].open_count, 0);
    CHECK(probe_holds(run));
}

TEST(a_span_inside_a_phase_is_its_child)
{
    probe_open();
    PIT_SPAN("outer") {
        PIT_PHASE("p");
        PIT_SPAN("s") {
        }
        PIT_PHASE("q");
        PIT_SPAN("s") {
        }
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "outer/p/s")->count, 1);
    CHECK_INT(probe_first(run, "outer/q/s")->count, 1);
    CHECK(probe_holds(run));
}

TEST(phases_of_an_inner_span_leave_those_of_the_outer_one_alone)
{
    probe_open();
    PIT_SPAN("outer") {
        PIT_PHASE("p");
        PIT_SPAN("inner") {
            PIT_PHASE("x");
            PIT_PHASE("y");
        }
        pit_items(3); /* still in p */
        PIT_PHASE("q");
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "outer/p")->count, 1);
    CHECK_INT(probe_first(run, "outer/p")->items, 3);
    CHECK_INT(probe_first(run, "outer/q")->count, 1);
    CHECK_INT(probe_first(run, "outer/p/inner/x")->count, 1);
    CHECK_INT(probe_first(run, "outer/p/inner/y")->count, 1);
    CHECK(probe_holds(run));
}

TEST(pit_phase_end_ends_the_phase_and_nothing_else)
{
    probe_open();
    pit_phase_end(); /* none is open */
    pit_token outer = pit_begin_name("outer");
    pit_phase_end(); /* a span is not a phase */
    PIT_PHASE("p");
    pit_phase_end();
    pit_phase_end();
    CHECK_INT(probe_read(NULL)->threads[0].open_count, 1);
    pit_end(pit_begin_name("after"));
    pit_end(outer);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "outer/p")->count, 1);
    CHECK_INT(probe_first(run, "outer/after")->count, 1);
    CHECK_INT(probe_first(run, "outer")->count, 1);
    CHECK_INT(run->losses.end_without_begin, 0);
}

TEST(a_phase_needs_no_span_around_it)
{
    probe_open();
    PIT_PHASE("a");
    PIT_PHASE("b");
    PIT_PHASE("a");
    pit_phase_end();
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "a")->count, 2);
    CHECK_INT(probe_first(run, "b")->count, 1);
    CHECK_INT(run->threads[0].open_count, 0);
}

TEST(a_lost_span_above_a_phase_is_abandoned_and_the_phase_ends)
{
    probe_open();
    pit_token outer = pit_begin_name("outer");
    PIT_PHASE("p");
    pit_begin_name("lost");
    pit_end(outer);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.abandoned, 1);
    CHECK_INT(probe_first(run, "outer/p")->count, 1);
    CHECK_INT(probe_first(run, "outer")->count, 1);
}

static void *phase_and_leave(void *arg)
{
    (void)arg;
    PIT_PHASE("left");
    return NULL;
}

TEST(a_phase_open_when_its_thread_ends_is_ended)
{
    probe_open();
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, phase_and_leave, NULL) == 0);
    pthread_join(thread, NULL);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_count(run, "left"), 1);
    CHECK_INT(run->losses.left_open, 0);
    CHECK(probe_holds(run));
}

TEST(phases_at_the_deepest_level_follow_one_another_too)
{
    probe_open();
    pit_token first = pit_begin_name("d");
    for (int i = 1; i < 254; i++)
        pit_begin_name("d");
    for (int i = 0; i < 3; i++) {
        PIT_PHASE("p");
        PIT_PHASE("q");
    }
    pit_begin_name("too deep");
    pit_end(first);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.too_deep, 1);
    CHECK_INT(run->losses.abandoned, 253);
    const pit_thread *t = &run->threads[0];
    uint64_t phases = 0;
    for (size_t i = 0; i < t->node_count; i++)
        if (strcmp(t->nodes[i].name, "p") == 0 || strcmp(t->nodes[i].name, "q") == 0)
            phases += t->nodes[i].count;
    CHECK_INT(phases, 6);
}
