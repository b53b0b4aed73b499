/* Span objects: begun on one thread, ended on another. */
#include "probe.h"

#include <pthread.h>

TEST(an_object_is_a_detached_node_below_the_span_where_it_began)
{
    probe_open();
    pit_token outer = pit_begin_name("outer");
    pit_object object = pit_object_begin_name("request");
    uint64_t outer_ns = pit_end_ns(outer);
    const pit_run *run = probe_read(NULL);
    REQUIRE(run->threads[0].open_count == 1);
    CHECK_INT(run->threads[0].open[0].object, 1);
    CHECK_INT(probe_first(run, "outer/request")->count, 0);
    probe_spin(100000 +
               2 * outer_ns); /* longer than its parent, also if that was stopped before it */
    CHECK(pit_object_end(&object) > 90000);
    run = probe_read(NULL);
    const pit_raw_node *node = probe_first(run, "outer/request");
    CHECK_INT(node->count, 1);
    CHECK_INT(node->detached, 1);
    CHECK(node->total > probe_first(run, "outer")->total); /* it outlived its parent */
    CHECK_INT(probe_first(run, "outer")->child, 0);        /* and took none of its time */
    CHECK_INT(run->threads[0].open_count, 0);
    CHECK(probe_holds(run));
}

TEST(an_object_and_a_span_of_one_name_are_two_nodes)
{
    probe_open();
    static pit_site site = PIT_SITE("same");
    pit_object object = pit_object_begin(&site);
    pit_end(pit_begin(&site));
    pit_object_end(&object);
    const pit_run *run = probe_read(NULL);
    REQUIRE(run->threads[0].node_count == 2);
    CHECK(run->threads[0].nodes[0].detached != run->threads[0].nodes[1].detached);
    CHECK_INT(run->threads[0].nodes[0].count, 1);
    CHECK_INT(run->threads[0].nodes[1].count, 1);
}

TEST(objects_may_overlap_and_end_in_any_order)
{
    probe_open();
    pit_object objects[100];
    for (int i = 0; i < 100; i++)
        objects[i] = pit_object_begin_name(i % 2 ? "odd" : "even");
    CHECK_INT(probe_read(NULL)->threads[0].open_count, 100);
    for (int i = 0; i < 100; i++)
        pit_object_end(&objects[i * 37 % 100]);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "odd")->count, 50);
    CHECK_INT(probe_first(run, "even")->count, 50);
    CHECK_INT(run->threads[0].open_count, 0);
    CHECK_INT(run->losses.end_without_begin, 0);
    CHECK(probe_holds(run));
}

static pit_object handed;
static uint64_t handed_ns;

static void *end_handed(void *arg)
{
    (void)arg;
    pit_thread_name("ender");
    handed_ns = pit_object_end(&handed);
    return NULL;
}

TEST(an_object_ended_on_another_thread_counts_there_at_the_same_path)
{
    probe_open();
    pit_thread_name("beginner");
    PIT_SPAN("outer") {
        PIT_SPAN("inner") {
            handed = pit_object_begin_name("job");
        }
    }
    probe_spin(50000);
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, end_handed, NULL) == 0);
    pthread_join(thread, NULL);
    CHECK(handed_ns > 45000);
    const pit_run *run = probe_read(NULL);
    const pit_thread *beginner = probe_thread_named(run, "beginner"),
                     *ender = probe_thread_named(run, "ender");
    REQUIRE(beginner && ender);
    const pit_raw_node *there = probe_node(ender, "outer/inner/job");
    const pit_raw_node *here = probe_node(beginner, "outer/inner/job");
    REQUIRE(there && here);
    CHECK_INT(there->count, 1);
    CHECK_INT(there->detached, 1);
    CHECK_INT(here->count, 0);
    CHECK_INT(probe_node(ender, "outer/inner")->count, 0);
    CHECK_INT(beginner->open_count + ender->open_count, 0);
    CHECK(probe_holds(run));
}

TEST(a_second_end_of_an_object_is_counted_and_returns_0)
{
    probe_open();
    pit_object object = pit_object_begin_name("once"), copy = object;
    CHECK(pit_object_end(&object) > 0 || probe_count(probe_read(NULL), "once") == 1);
    CHECK_INT(pit_object_end(&object), 0); /* it knows that it has ended */
    CHECK_INT(pit_object_end(&copy), 0);   /* a copy does not know, but the recorder does */
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "once")->count, 1);
    CHECK_INT(run->losses.end_without_begin, 1);
}

TEST(objects_past_the_visible_ones_are_recorded_all_the_same)
{
    probe_open();
    static pit_object objects[300];
    for (int i = 0; i < 300; i++)
        objects[i] = pit_object_begin_name("many");
    CHECK_INT(probe_read(NULL)->threads[0].open_count, PIT_FMT_OBJECT_SLOTS);
    for (int i = 0; i < 300; i++)
        pit_object_end(&objects[i]);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "many")->count, 300);
    CHECK_INT(run->threads[0].open_count, 0);
    const struct pit_fmt_header *header = pit_recorder_memory(NULL, NULL);
    CHECK_INT(header->counters[PIT_FMT_OBJECTS_UNSEEN], 300 - PIT_FMT_OBJECT_SLOTS);
}

TEST(an_object_of_a_closed_recorder_ends_without_a_trace)
{
    probe_open();
    pit_object object = pit_object_begin_name("old");
    CHECK_INT(pit_close(), 0);
    CHECK_INT(pit_object_end(&object), 0);
    probe_open();
    CHECK_INT(pit_object_end(&object), 0);
    pit_object none = {0, 0, 0, 0, 0};
    CHECK_INT(pit_object_end(&none), 0);
    CHECK_INT(pit_object_end(NULL), 0);
    CHECK_INT(probe_count(probe_read(NULL), "old"), 0);
    CHECK_INT(probe_read(NULL)->losses.end_without_begin, 0);
}

static void *many_objects(void *arg)
{
    (void)arg;
    for (int i = 0; i < 2000 / probe_slowness(); i++) {
        pit_object a = pit_object_begin_name("a"), b = pit_object_begin_name("b");
        pit_object_end(&a);
        pit_object_end(&b);
    }
    return NULL;
}

TEST(objects_of_several_threads_do_not_get_in_each_others_way)
{
    probe_open();
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        REQUIRE(pthread_create(&threads[i], NULL, many_objects, NULL) == 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_count(run, "a"), 4 * (2000 / probe_slowness()));
    CHECK_INT(probe_count(run, "b"), 4 * (2000 / probe_slowness()));
    CHECK_INT(run->losses.end_without_begin, 0);
    CHECK(probe_holds(run));
}
