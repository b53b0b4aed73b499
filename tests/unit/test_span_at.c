/* In which span a thread was at a moment that has passed: known from its open spans and its flight
 * recorder, or reported as unknown. Times are those that the recorder wrote, so nothing depends on how long
 * a step took. */
#include "recorder/span_at.h"

#include "probe.h"

static struct pit__span_view view;
static struct pit__thread *t;
static uint64_t now; /* a clock that the test moves; it stays behind the real one */

static void open_run(uint64_t ring_bytes)
{
    probe_open_with(ring_bytes, 0);
    t = pit__thread_ready();
    REQUIRE(t);
    now = PIT_LOAD(t->file->block.c) + 1;
}

static uint32_t node_of(uint32_t parent, const char *name)
{
    return pit__ref(t->base, pit__node_find(t, parent, pit__name_intern(name)->id));
}

/* Write a span that ended, as an end does: ordered by ends, with a depth. */
static void ended(uint32_t node, uint32_t depth, uint64_t begin, uint64_t end)
{
    pit__hold(t);
    pit__finish_previous_rare(t);
    struct pit_fmt_node *of = pit__at(t->base, node);
    struct pit_fmt_pending *pending = &t->file->pending;
    PIT_STORE(pending->begin, begin);
    PIT_STORE(pending->duration, end - begin);
    PIT_STORE_ORDERED(pending->where, node | (uint64_t)depth << PIT_FMT_WHERE_DEPTH);
    t->pending_node = of;
    pit__release(t);
}

/* Write a span that is open since then. */
static void opened(const char *name, uint64_t begin)
{
    REQUIRE(pit_begin_name(name));
    PIT_STORE(t->top->begin, begin);
}

static uint32_t at(uint64_t ticks)
{
    return pit__span_at(&view, ticks);
}

static uint32_t open_node(uint32_t depth)
{
    return pit_fmt_ref_of(t->file->frames[depth].where);
}

TEST(without_a_table_the_thread_is_outside)
{
    probe_open();
    pit__span_look(&view, pit_default_recorder());
    CHECK_INT(view.index, PIT_FMT_NO_THREAD);
    CHECK_INT(at(UINT64_MAX), 0);
}

TEST(open_spans_cover_what_comes_after_their_begin)
{
    open_run(0);
    opened("a", now + 100);
    opened("b", now + 200);
    pit__span_look(&view, pit_default_recorder());
    CHECK_INT(at(now + 99), 0);
    CHECK_INT(at(now + 100), open_node(1));
    CHECK_INT(at(now + 199), open_node(1));
    CHECK_INT(at(now + 200), open_node(2));
    CHECK_INT(at(now + 1000000), open_node(2));
}

TEST(the_last_span_that_ended_is_known_before_it_is_in_the_flight_recorder)
{
    open_run(0);
    uint32_t a = node_of(0, "a");
    ended(a, 1, now + 100, now + 200);
    pit__span_look(&view, pit_default_recorder());
    CHECK_INT(at(now + 99), 0);
    CHECK_INT(at(now + 100), a);
    CHECK_INT(at(now + 199), a);
    CHECK_INT(at(now + 200), 0);
}

/* outer 0–1000: in it inner 100–200 with leaf 120–130, other 300–400; then later 2000–3000. */
TEST(the_innermost_of_nested_spans_is_found)
{
    open_run(0);
    uint32_t outer = node_of(0, "outer"), inner = node_of(outer, "inner"),
             leaf = node_of(inner, "leaf"), other = node_of(outer, "other"),
             later = node_of(0, "later");
    ended(leaf, 3, now + 120, now + 130);
    ended(inner, 2, now + 100, now + 200);
    ended(other, 2, now + 300, now + 400);
    ended(outer, 1, now, now + 1000);
    ended(later, 1, now + 2000, now + 3000);
    pit__span_look(&view, pit_default_recorder());
    const struct {
        uint64_t after;
        uint32_t node;
    } wanted[] = {{0, outer},   {99, outer},  {100, inner},  {120, leaf},  {129, leaf},
                  {130, inner}, {250, outer}, {300, other},  {400, outer}, {999, outer},
                  {1000, 0},    {1999, 0},    {2000, later}, {3000, 0}};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        CHECK_INT(at(now + wanted[i].after), wanted[i].node);
}

TEST(spans_that_ended_inside_one_that_is_open)
{
    open_run(0);
    opened("step", now);
    uint32_t step = open_node(1), part = node_of(step, "part");
    for (uint64_t i = 0; i < 2000; i++)
        ended(part, 2, now + 100 * i + 50, now + 100 * i + 90);
    pit__span_look(&view, pit_default_recorder());
    for (uint64_t i = 0; i < 2000; i += 7) {
        CHECK_INT(at(now + 100 * i + 49), step);
        CHECK_INT(at(now + 100 * i + 50), part);
        CHECK_INT(at(now + 100 * i + 89), part);
        CHECK_INT(at(now + 100 * i + 90), step);
    }
    CHECK_INT(at(now + 1000000), step);
}

/* Any number of ended spans after the moment must not hide the span around them. */
TEST(one_that_ended_after_many_others_in_it)
{
    open_run(0);
    uint32_t outer = node_of(0, "outer"), part = node_of(outer, "part");
    for (uint64_t i = 1; i <= 3000; i++)
        ended(part, 2, now + 10 * i, now + 10 * i + 5);
    ended(outer, 1, now, now + 40000);
    pit__span_look(&view, pit_default_recorder());
    CHECK_INT(at(now + 7), outer);
    CHECK_INT(at(now + 12), part);
    CHECK_INT(at(now + 30007), outer);
}

TEST(what_the_flight_recorder_has_lost_is_unknown_and_not_guessed)
{
    open_run(2 * sizeof(struct pit_fmt_ring));
    uint32_t part = node_of(0, "part");
    uint64_t count = 10 * PIT_FMT_RING_EVENTS;
    for (uint64_t i = 0; i < count; i++)
        ended(part, 1, now + 10 * i, now + 10 * i + 5);
    pit__span_look(&view, pit_default_recorder());
    CHECK_INT(at(now + 2), PIT__SPAN_UNKNOWN);
    CHECK_INT(at(now + 10 * (count / 2) + 2), PIT__SPAN_UNKNOWN);
    CHECK_INT(at(now + 10 * (count - 9) + 2), part);
    CHECK_INT(at(now + 10 * (count - 9) + 7), 0);
    CHECK_INT(at(now + 10 * count), 0);
}

/* The position in the flight recorder is kept between searches, over many rounds. */
TEST(look_after_look_the_newest_are_found)
{
    open_run(4 * sizeof(struct pit_fmt_ring));
    uint32_t part = node_of(0, "part");
    for (uint64_t i = 0; i < 40 * PIT_FMT_RING_EVENTS; i++) {
        ended(part, 1, now + 10 * i, now + 10 * i + 5);
        if (i % 97 != 96)
            continue;
        pit__span_look(&view, pit_default_recorder());
        for (uint64_t back = 90; back > 0; back -= 30) {
            CHECK_INT(at(now + 10 * (i - back) + 4), part);
            CHECK_INT(at(now + 10 * (i - back) + 6), 0);
        }
    }
}

TEST(without_a_flight_recorder_only_what_is_open_is_known)
{
    open_run(PIT_RING_OFF);
    uint32_t part = node_of(0, "part");
    for (uint64_t i = 0; i < 10; i++)
        ended(part, 1, now + 10 * i, now + 10 * i + 5);
    opened("open", now + 200);
    pit__span_look(&view, pit_default_recorder());
    CHECK_INT(at(now + 32), PIT__SPAN_UNKNOWN);
    CHECK_INT(at(now + 92), PIT__SPAN_UNKNOWN); /* the pending one; earlier ones are lost */
    CHECK_INT(at(now + 200), open_node(1));
}

TEST(after_a_change_of_stacks_what_was_before_is_unknown)
{
    open_run(0);
    pit_stack *first = pit_stack_new(), *second = pit_stack_new();
    opened("task", now);
    CHECK_INT(pit_stack_switch(first, second), PIT_OK);
    pit__span_look(&view, pit_default_recorder());
    CHECK_INT(at(now + 1), PIT__SPAN_UNKNOWN);
    CHECK_INT(at(PIT_LOAD(t->switched_at)), 0);
    CHECK_INT(pit_stack_switch(second, first), PIT_OK);
    pit__span_look(&view, pit_default_recorder());
    CHECK_INT(at(PIT_LOAD(t->switched_at)), open_node(1));
}

TEST(span_objects_are_on_no_stack)
{
    open_run(0);
    uint32_t object = node_of(0, "object"), a = node_of(0, "a");
    ended(a, 1, now + 100, now + 200);
    ended(object, 0, now + 50, now + 300);
    ended(a, 1, now + 400, now + 500);
    pit__span_look(&view, pit_default_recorder());
    CHECK_INT(at(now + 60), 0);
    CHECK_INT(at(now + 150), a);
    CHECK_INT(at(now + 250), 0);
    CHECK_INT(at(now + 450), a);
}

/* A thread that begins and ends spans as fast as it can, observed from another: no answer may be a node
 * that it never had. */
static int stop;

static void begin_and_end(void)
{
    while (!PIT_LOAD(stop))
        PIT_SPAN("x")
            PIT_SPAN("y") {
            }
}

static void *looks(void *arg)
{
    (void)arg;
    pit_recorder *rec = pit_default_recorder();
    uint64_t known = 0;
    for (int i = 0; i < 200000 / probe_slowness() && known < 2000; i++) {
        uint64_t moment = pit__clock_read(pit__clock_is_counter(pit__clock_get()));
        pit__span_look(&view, rec);
        uint32_t node = pit__span_at(&view, moment);
        if (node == PIT__SPAN_UNKNOWN || node == 0)
            continue;
        known++;
        const struct pit_fmt_node *n = pit__checked_at(rec, node, sizeof *n);
        REQUIRE(n);
        CHECK(PIT_LOAD(n->id) == pit__name_intern("x")->id ||
              PIT_LOAD(n->id) == pit__name_intern("y")->id);
    }
    PIT_STORE(stop, 1);
    return NULL;
}

TEST(a_busy_thread_is_looked_at_from_another)
{
    open_run(2 * sizeof(struct pit_fmt_ring));
    pthread_t other;
    REQUIRE(pthread_create(&other, NULL, looks, NULL) == 0);
    begin_and_end();
    pthread_join(other, NULL);
}
