/* Work of devices: pit_add_span, and the trees and rows computed from it. */
#include "probe.h"

#include "made_run.h"
#include "model/live_fields.h"
#include "model/live_tree.h"
#include "pitwall_fields.h"

#include <math.h>
#include <pthread.h>

static uint64_t raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Wait until the rate of the run's clock is known well. */
static void grow_old(void)
{
    uint64_t until = raw_ns() + 30000000u;
    while (raw_ns() < until) {
    }
}

struct drained {
    uint64_t place, begin, end, count;
};

static void *drain(void *arg)
{
    const struct drained *d = arg;
    pit_thread_name("drain");
    for (uint64_t i = 0; i < d->count; i++) {
        uint64_t work = pit_add_span(d->place, "saxpy", PIT_DEVICE, d->begin, d->end);
        CHECK(work != 0);
        CHECK(pit_add_span(work, "queued", PIT_DEVICE, d->begin - 1000000, d->begin) != 0);
        pit_add_bytes(work, 100);
    }
    return NULL;
}

TEST(device_work_is_below_what_launched_it_and_no_part_of_its_time)
{
    probe_open();
    grow_old();
    struct drained d = {.count = 3};
    PIT_SPAN("step") {
        PIT_SPAN("launch") {
            d.place = pit_position();
        }
    }
    d.end = raw_ns();
    d.begin = d.end - 5000000;
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, drain, &d) == 0);
    pthread_join(thread, NULL);
    const pit_run *run = probe_read(NULL);
    CHECK(probe_holds(run));
    const pit_thread *own = probe_thread_named(run, "drain");
    REQUIRE(own);
    const pit_raw_node *work = probe_node(own, "step/launch/saxpy");
    REQUIRE(work);
    CHECK_INT(work->detached, PIT_ON_DEVICE);
    CHECK_INT(work->bytes, 300);

    pit_tree *tree = pit_tree_build(&run, 1);
    REQUIRE(tree && tree->node_count == 4);
    const pit_node *step = &tree->nodes[0], *launch = &tree->nodes[1], *saxpy = &tree->nodes[2];
    CHECK_STR(saxpy->path, "step/launch/saxpy");
    CHECK_INT(step->device.count, 3);
    CHECK_INT(launch->device.count, 3);
    CHECK_INT(saxpy->device.count, 3);
    CHECK_INT(tree->nodes[3].device.count, 0); /* waiting is not work */
    CHECK(fabs(step->device.run_ns - 15e6) < 15e4);
    CHECK(fabs(step->device.wait_ns - 3e6) < 3e4);
    CHECK(fabs(step->device.p50_ns - 5e6) < 2e5);
    CHECK_INT(step->count, 1);
    CHECK(tree->total_ns == step->total_ns); /* the time in spans is host time */
    CHECK(launch->self_ns == launch->total_ns);
    CHECK(isnan(saxpy->share));
    pit_tree_free(tree);
}

TEST(work_by_a_clock_of_the_devices_own_is_put_between_its_launch_and_now)
{
    probe_open();
    grow_old();
    uint64_t launched = raw_ns(), place = 0,
             began = 77; /* the device's clock has an arbitrary origin */
    PIT_SPAN("step") {
        place = pit_position();
    }
    grow_old();
    REQUIRE(pit_add_device("stub:0", place, "kernel", began, began + 5000000, launched));
    uint64_t seen = raw_ns();
    CHECK(pit_add_device("stub:0", place, NULL, 1, 2, launched) == 0);
    CHECK(pit_add_device(NULL, place, "kernel", 1, 2, launched) == 0);
    CHECK(pit_add_device("stub:0", place, "kernel", 1, 2, raw_ns() + 3600000000000u) == 0);
    /* It took longer than the time since its launch: its position is unknown, its duration is not. */
    REQUIRE(pit_add_device("stub:0", place, "long", began, began + 3600000000000u, seen));
    char name[8];
    for (int i = 1; i < 20; i++) {
        snprintf(name, sizeof name, "more:%d", i);
        CHECK((pit_add_device(name, place, "other", began, began + 1, launched) != 0) == (i < 16));
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_count(run, "step/kernel"), 1);
    CHECK_INT(probe_count(run, "step/other"), 15);
    pit_tree *tree = pit_tree_build(&run, 1);
    REQUIRE(tree && tree->node_count == 4);
    for (size_t i = 1; i < 4; i++) {
        const pit_node *node = &tree->nodes[i];
        double took = strcmp(node->name, "kernel") == 0 ? 5e6
                      : strcmp(node->name, "long") == 0 ? 3.6e12
                                                        : 15;
        CHECK(fabs(node->total_ns - took) < took / 100 + 50);
    }
    pit_tree_free(tree);
    CHECK(strstr(pit_run_fact(run, "device_clock"), "on the host's time line") != NULL);
    CHECK_INT(run->losses.null_argument, 2);
}

TEST(work_of_another_recorder_is_not_taken)
{
    probe_open();
    uint64_t place = 0;
    PIT_SPAN("old") {
        place = pit_position();
    }
    CHECK(place != 0);
    pit_close();
    pit_recorder_free(pit_default_recorder());
    probe_open();
    CHECK(pit_add_span(place, "late", PIT_DEVICE, 1, 2) == 0);
    CHECK(pit_add_span(0, NULL, PIT_DEVICE, 1, 2) == 0);
    CHECK(pit_add_span(0, "early", PIT_DEVICE, 1, 2) !=
          0); /* before the run's begin: counted there */
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_count(run, "early"), 1);
    CHECK_INT(probe_first(run, "early")->total, 0);
    CHECK_INT(probe_count(run, "late"), 0);
    CHECK_INT(run->losses.null_argument, 1);
}

TEST(an_object_and_device_work_of_one_name_are_two_nodes)
{
    probe_open();
    PIT_SPAN("step") {
        pit_object object = pit_object_begin_name("same");
        pit_object_end(&object);
        pit_add_span(pit_position(), "same", PIT_DEVICE, raw_ns(), raw_ns());
        pit_add_span(pit_position(), "same", 0, raw_ns(), raw_ns());
    }
    const pit_run *run = probe_read(NULL);
    pit_tree *tree = pit_tree_build(&run, 1);
    REQUIRE(tree && tree->node_count == 3);
    CHECK_INT(tree->nodes[1].detached + tree->nodes[2].detached, PIT_DETACHED + PIT_ON_DEVICE);
    CHECK_INT(tree->nodes[1].count + tree->nodes[2].count, 3);
    CHECK_INT(tree->nodes[0].device.count, 1);
    pit_tree_free(tree);
}

static uint64_t before_close_calls;
static void before_close(void *arg)
{
    (void)arg;
    before_close_calls++;
    pit_add_span(0, "last", PIT_DEVICE, raw_ns(), raw_ns());
}

TEST(who_has_work_to_tell_of_is_asked_before_a_close)
{
    REQUIRE(pit_before_close(before_close, NULL) == 0);
    REQUIRE(pit_before_close(before_close, NULL) == 0); /* registering it once is enough */
    probe_open();
    pit_recorder *rec = pit_default_recorder();
    CHECK_INT(pit_close(), 0);
    CHECK_INT(before_close_calls, 1);
    CHECK_INT(probe_count(probe_read(rec), "last"), 1);
    CHECK_INT(pit_close(), PIT_NOT_OPEN);
    CHECK_INT(before_close_calls, 1);
}

static double real_of(const char *key, const void *row)
{
    pit_field_value value;
    pit_field_get(pit_field_find(PIT_OF_NODE, key), row, &value);
    return value.type == PIT_VALUE_REAL    ? value.real
           : value.type == PIT_VALUE_WHOLE ? (double)value.whole
                                           : NAN;
}

TEST(rows_have_the_host_and_the_device_each_in_its_columns)
{
    pit_raw_node nodes[] = {
        made_node("step", PIT_NO_NODE, 10, 1000, 0),
        made_node("a", 0, 10, 400, 0),
        made_node("b", 0, 20, 800, 0),
        made_node("queued", 1, 10, 50, 0),
        made_node("idle", PIT_NO_NODE, 1, 7, 0),
    };
    nodes[1].detached = nodes[2].detached = nodes[3].detached = PIT_ON_DEVICE;
    pit_thread thread = made_thread("main", nodes, 5);
    pit_run run = made_run(&thread, 1);
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree && tree->node_count == 5);
    const pit_node *step = &tree->nodes[0];
    CHECK(real_of("total_ns", step) == 10000);
    CHECK(real_of("device_total_ns", step) == 20000); /* two queues: more than the elapsed time */
    CHECK(real_of("device_count", step) == 30);
    CHECK(real_of("device_wait_ns", step) == 500);
    CHECK(fabs(real_of("device_p50_ns", step) - 800) < 20);
    CHECK(real_of("device_max_ns", step) == 800);
    CHECK(isnan(real_of("device_total_ns", &tree->nodes[4])));
    CHECK(isnan(real_of("device_wait_ns", &tree->nodes[1]))); /* b: not reported */

    struct pit__live live = {0};
    struct pit__live_figures row;
    CHECK_INT(pit__live_look(&live, &run, PIT__ALL_THREADS), 0);
    pit__live_figures(&live, 0, NULL, 0, &row);
    CHECK(real_of("device_total_ns", &row) == 20000);
    CHECK(real_of("device_count", &row) == 30);
    CHECK(real_of("device_wait_ns", &row) == 500);
    pit__live_free(&live);
    pit_tree_free(tree);
}
