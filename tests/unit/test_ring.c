/* The flight recorder: the last events in order, within its budget. */
#include "probe.h"
#include "recorder/recorder.h"

#include <pthread.h>

#define PIECE ((uint64_t)sizeof(struct pit_fmt_ring))

static struct pit__thread *t;
static struct pit_fmt_node *node;
static uint64_t start, fed;

static void open_ring(uint64_t bytes)
{
    probe_open_with(bytes, 0);
    t = pit__thread_ready();
    REQUIRE(t);
    node = pit__node_find(t, 0, pit__name_intern("x")->id);
    start = t->recorder->header->first.ticks;
    fed = 0;
}

/* Event number n lasts n ticks, so that it can be identified. */
static void feed(void)
{
    pit__hold(t);
    pit__sample(t, node, start + fed * 100000, start + fed * 100000 + fed);
    pit__release(t);
    fed++;
}

static void check_last_events(uint64_t least, uint64_t most)
{
    const pit_thread *read = &probe_read_dead(NULL)->threads[0];
    CHECK_INT(read->event_count + read->events_dropped, fed);
    CHECK(read->event_count >= least && read->event_count <= most);
    uint64_t first = fed - read->event_count;
    for (size_t i = 0; i < read->event_count && check_failures < 5; i++) {
        CHECK_INT(read->events[i].duration, first + i);
        CHECK_INT(read->events[i].begin, start + (first + i) * 100000);
        CHECK_INT(read->events[i].node, 0);
    }
    probe_free_runs();
}

TEST(one_event_is_kept_while_it_is_still_pending)
{
    open_ring(4 * PIECE);
    feed();
    check_last_events(1, 1);
    feed();
    check_last_events(2, 2);
}

TEST(events_are_kept_in_order_at_every_count)
{
    open_ring(4 * PIECE);
    for (uint32_t i = 0; i < 2100; i++) {
        feed();
        if (i % 13 == 0 || i % PIT_FMT_RING_EVENTS < 3)
            check_last_events(fed < PIT_FMT_RING_EVENTS ? fed : PIT_FMT_RING_EVENTS,
                              2 * PIT_FMT_RING_EVENTS + 1);
    }
}

TEST(a_ring_with_room_drops_nothing)
{
    open_ring(64 * PIECE);
    for (int i = 0; i < 20000; i++)
        feed();
    check_last_events(20000, 20000);
}

TEST(a_full_ring_keeps_the_last_ones_and_counts_the_rest)
{
    open_ring(8 * PIECE);
    for (int i = 0; i < 20000; i++)
        feed();
    check_last_events(3 * PIT_FMT_RING_EVENTS, 8 * PIT_FMT_RING_EVENTS);
}

TEST(a_ring_of_one_piece_starts_over)
{
    open_ring(PIECE);
    for (uint32_t i = 0; i < 3000; i++) {
        feed();
        if (i % PIT_FMT_RING_EVENTS < 3 || i % 100 == 0)
            check_last_events(1, PIT_FMT_RING_EVENTS + 1);
    }
}

TEST(no_ring_no_events_but_their_number)
{
    open_ring(PIT_RING_OFF);
    for (int i = 0; i < 3000; i++)
        feed();
    const pit_thread *read = &probe_read_dead(NULL)->threads[0];
    CHECK_INT(read->event_count, 0);
    CHECK(read->events_dropped >= 2999); /* the newest is still pending */
    CHECK_INT(((const struct pit_fmt_header *)pit_recorder_memory(NULL, NULL))->ring_bytes, 0);
    CHECK(probe_holds(probe_read_dead(NULL)));
    CHECK_INT(probe_first(probe_read_dead(NULL), "x")->count, 3000);
}

/* Blocks of the flight recorder in the run. */
static uint64_t ring_blocks(void)
{
    size_t bytes;
    const unsigned char *base = pit_recorder_memory(NULL, &bytes);
    uint64_t found = 0;
    for (size_t at = PIT_FMT_HEADER_BYTES; at < bytes;) {
        const struct pit_fmt_block *block = (const void *)(base + at);
        found += block->type == PIT_FMT_RING;
        at += block->bytes;
    }
    return found;
}

static pthread_barrier_t all_done;

static void *many_events(void *arg)
{
    (void)arg;
    for (int i = 0; i < 10000 / probe_slowness(); i++)
        pit_end(pit_begin_name("x"));
    pthread_barrier_wait(&all_done); /* no thread gets the table of another */
    return NULL;
}

TEST(the_budget_is_one_for_all_threads)
{
    enum { THREADS = 16, BUDGET = 24 };
    probe_open_with(BUDGET * PIECE, 0);
    pthread_t threads[THREADS];
    pthread_barrier_init(&all_done, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, many_events, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->thread_count, THREADS);
    CHECK(ring_blocks() <= BUDGET && ring_blocks() >= 5);
    uint64_t events = 0, gone = 0;
    for (size_t i = 0; i < run->thread_count; i++) {
        const pit_thread *one = &run->threads[i];
        events += one->event_count;
        gone += one->events_dropped;
        for (size_t k = 1; k < one->event_count; k++)
            CHECK(one->events[k - 1].begin <= one->events[k].begin);
    }
    CHECK(events <= BUDGET * PIT_FMT_RING_EVENTS + THREADS);
    CHECK_INT(events + gone, THREADS * (10000 / probe_slowness()));
    CHECK_INT(probe_count(run, "x"), THREADS * (10000 / probe_slowness()));
}

TEST(events_of_nested_spans_come_in_the_order_of_their_ends)
{
    probe_open();
    PIT_SPAN("outer") {
        PIT_SPAN("inner") {
        }
        PIT_SPAN("inner") {
        }
    }
    const pit_thread *read = &probe_read(NULL)->threads[0];
    REQUIRE(read->event_count == 3);
    CHECK_STR(read->nodes[read->events[0].node].name, "inner");
    CHECK_STR(read->nodes[read->events[1].node].name, "inner");
    CHECK_STR(read->nodes[read->events[2].node].name, "outer");
    CHECK_INT(read->events[0].depth, 2);
    CHECK_INT(read->events[2].depth, 1);
    CHECK(read->events[2].begin <= read->events[0].begin);
}

/* Two spans of one node in one tick look the same: both happened. */
TEST(two_events_of_one_tick_are_two)
{
    open_ring(4 * PIECE);
    for (int i = 0; i < 5; i++) {
        pit__hold(t);
        pit__sample(t, node, start + 1000, start + 1000);
        pit__release(t);
    }
    CHECK_INT(probe_read_dead(NULL)->threads[0].event_count, 5);
    CHECK_INT(probe_first(probe_read_dead(NULL), "x")->count, 5);
}
