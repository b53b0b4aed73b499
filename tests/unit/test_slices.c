/* Spans as slices that nest perfectly, for any contents of the flight recorder. */
#include "check.h"
#include "made_run.h"
#include "model/slices.h"

/* root > plain > memory; other beside plain; object detached */
static const pit_raw_node nodes[] = {
    {.name = "root", .parent = PIT_NO_NODE, .count = 1},
    {.name = "plain", .parent = 0, .count = 1},
    {.name = "memory", .parent = 1, .count = 1},
    {.name = "other", .parent = 0, .count = 1},
    {.name = "object", .parent = 0, .count = 1, .detached = 1},
};

static struct pit__slices made(const pit_event *events, size_t count, const pit_open_span *open,
                               size_t open_count)
{
    pit_thread thread = made_thread("main", nodes, 5);
    thread.events = events;
    thread.event_count = count;
    thread.open = open;
    thread.open_count = open_count;
    pit_run run = made_run(&thread, 1);
    run.end_ticks = 2000;
    struct pit__slices slices;
    REQUIRE(pit__slices_make(&run, &thread, &slices) == 0);
    return slices;
}

/* Any two of them are disjoint, or one contains the other; and the outer one comes first. */
static void check_nested(const struct pit__slices *s)
{
    for (size_t i = 0; i < s->nested_count; i++)
        for (size_t k = i + 1; k < s->nested_count; k++) {
            const struct pit__slice *a = &s->nested[i], *b = &s->nested[k];
            CHECK(a->begin <= b->begin);
            CHECK(b->begin >= a->end || b->end <= a->end);
        }
}

TEST(a_parent_reaches_to_the_end_of_its_children)
{
    /* plain was open from 1100 to 1300, of which reading memory took 100: it measured 100 */
    static const pit_event events[] = {
        {2, 3, 1110, 20}, {2, 3, 1250, 20}, {1, 2, 1100, 100}, {0, 1, 1050, 300}};
    struct pit__slices s = made(events, 4, NULL, 0);
    REQUIRE(s.nested_count == 4);
    check_nested(&s);
    CHECK_INT(s.nested[1].node, 1);
    CHECK_INT(s.nested[1].begin, 100);
    CHECK_INT(s.nested[1].end, 270);
    CHECK_INT(s.nested[1].took, 100);
    CHECK_INT(s.nested[3].level, 2);
    pit__slices_free(&s);
}

TEST(spans_whose_parent_was_dropped_stand_alone)
{
    static const pit_event events[] = {{2, 3, 1110, 20}, {3, 2, 1200, 50}};
    struct pit__slices s = made(events, 2, NULL, 0);
    check_nested(&s);
    CHECK_INT(s.nested[0].level, 0);
    CHECK_INT(s.nested[1].level, 0);
    CHECK_INT(s.nested[1].end - s.nested[1].begin, 50);
    pit__slices_free(&s);
}

TEST(open_spans_reach_to_the_end_and_hold_what_ended_in_them)
{
    static const pit_event events[] = {{1, 2, 1100, 100}};
    static const pit_open_span open[] = {
        {0, 0, 0, 1050, 0}, {3, 0, 0, 1500, 0}, {4, 0, 1, 1010, 0}};
    struct pit__slices s = made(events, 1, open, 3);
    REQUIRE(s.nested_count == 3 && s.detached_count == 1);
    check_nested(&s);
    CHECK_INT(s.nested[0].node, 0);
    CHECK_INT(s.nested[0].end, 1000);
    CHECK(s.nested[0].open);
    CHECK_INT(s.nested[2].node, 3);
    CHECK_INT(s.nested[2].level, 1);
    CHECK_INT(s.detached[0].end, 1000);
    pit__slices_free(&s);
}

TEST(spans_of_no_length_and_touching_ones_nest)
{
    static const pit_event events[] = {
        {1, 2, 1100, 0}, {3, 2, 1100, 50}, {1, 2, 1150, 0}, {0, 1, 1100, 50}, {0, 1, 1150, 0}};
    struct pit__slices s = made(events, 5, NULL, 0);
    check_nested(&s);
    CHECK_INT(s.nested_count, 5);
    CHECK_INT(s.nested[0].node, 0);
    pit__slices_free(&s);
}

TEST(records_that_the_flight_recorder_lost_are_slices_too)
{
    static const pit_event events[] = {{1, 2, 1500, 100}};
    static const pit_record records[] = {{.node = 1, .begin = 1100, .duration = 10},
                                         {.node = 1, .begin = 1500, .duration = 100}};
    pit_thread thread = made_thread("main", nodes, 5);
    thread.events = events;
    thread.event_count = 1;
    thread.records = records;
    thread.record_count = 2;
    pit_run run = made_run(&thread, 1);
    struct pit__slices s;
    REQUIRE(pit__slices_make(&run, &thread, &s) == 0);
    CHECK_INT(s.nested_count, 2);
    CHECK_INT(s.nested[0].begin, 100);
    pit__slices_free(&s);
}

TEST(any_events_nest_in_the_end)
{
    uint64_t seed = 12345;
    for (int round = 0; round < 300; round++) {
        pit_event events[40];
        for (int i = 0; i < 40; i++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            events[i] = (pit_event){(uint32_t)(seed >> 40) % 6, 1, 900 + (seed >> 33) % 300,
                                    (seed >> 20) % 97 == 0 ? UINT64_MAX : (seed >> 20) % 200};
        }
        struct pit__slices s = made(events, 40, NULL, 0);
        check_nested(&s);
        CHECK(s.nested_count + s.detached_count <= 40);
        pit__slices_free(&s);
    }
}
