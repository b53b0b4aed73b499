/* Records: spans that are kept individually, in bounded memory. */
#include "probe.h"

#include <pthread.h>

#define PIECE sizeof(struct pit_fmt_records)

static void open_records(uint64_t record_bytes)
{
    pit_options options = {.record_bytes = record_bytes, .sample_hz = -1, .in_memory = 1};
    REQUIRE(pit_open(NULL, &options) == PIT_OK);
}

/* The n-th span has n items, so that each record can be identified. */
static void keep_spans(uint64_t from, uint64_t to)
{
    static pit_site site = PIT_SITE_WITH("kept", PIT_RECORD);
    for (uint64_t i = from; i <= to; i++) {
        pit_token token = pit_begin(&site);
        pit_items(i);
        pit_end(token);
    }
}

/* `ever` were written; the newest are present, in order. Returns their number. */
static size_t check_newest(const pit_run *run, uint64_t ever)
{
    REQUIRE(run->thread_count == 1);
    const pit_thread *t = &run->threads[0];
    CHECK_INT(t->record_count + t->records_dropped, ever);
    for (size_t i = 0; i < t->record_count && check_failures < 5; i++) {
        const pit_record *r = &t->records[i];
        CHECK_INT(r->items, t->records_dropped + i + 1);
        CHECK_STR(t->nodes[r->node].name, "kept");
        CHECK_INT(r->depth, 1);
        CHECK_INT(r->has_memory, 0);
        CHECK(i == 0 || t->records[i - 1].begin + t->records[i - 1].duration <= r->begin);
    }
    return t->record_count;
}

TEST(records_are_right_at_every_count)
{
    open_records(4 * PIECE);
    for (uint64_t i = 1; i <= 5 * PIT_FMT_RECORD_COUNT; i++) {
        keep_spans(i, i);
        if (i % 17 && i % PIT_FMT_RECORD_COUNT > 2)
            continue;
        size_t kept_now = check_newest(probe_read(NULL), i);
        /* Two pieces of four: the rest is for other threads. One of them may just have been started. */
        CHECK(kept_now == i || kept_now > PIT_FMT_RECORD_COUNT);
        CHECK(kept_now <= 4 * PIT_FMT_RECORD_COUNT);
        probe_free_runs();
    }
}

TEST(what_fits_is_all_there_and_adds_up_to_the_node)
{
    open_records(0);
    keep_spans(1, 10000);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(check_newest(run, 10000), 10000);
    uint64_t total = 0;
    for (size_t i = 0; i < run->threads[0].record_count; i++)
        total += run->threads[0].records[i].duration;
    CHECK_INT(total, probe_first(run, "kept")->total);
}

TEST(a_million_in_one_piece_keeps_the_newest)
{
    uint64_t count = 1000000 / (uint64_t)probe_slowness();
    size_t before = 0, after = 0;
    open_records(1); /* less than a piece: one is the minimum */
    keep_spans(1, 1000);
    pit_recorder_memory(NULL, &before);
    keep_spans(1001, count);
    pit_recorder_memory(NULL, &after);
    const pit_run *run = probe_read(NULL);
    size_t kept_now = check_newest(run, count);
    CHECK(kept_now >= 1 && kept_now <= PIT_FMT_RECORD_COUNT);
    CHECK_INT(probe_first(run, "kept")->count, count);
    /* Without the flight recorder, which has its own room, and the histogram's octaves. */
    CHECK(after - before < ((size_t)5 << 20));
}

TEST(a_dead_run_has_the_same_records_as_a_live_one)
{
    open_records(2 * PIECE);
    keep_spans(1, 300);
    CHECK_INT(check_newest(probe_read_dead(NULL), 300), check_newest(probe_read(NULL), 300));
}

TEST(records_of_nested_spans_come_in_the_order_of_their_ends)
{
    open_records(0);
    PIT_SPAN_WITH("outer", PIT_RECORD)
    {
        pit_items(100);
        PIT_SPAN("plain") {
            PIT_SPAN_WITH("inner", PIT_RECORD | PIT_MEMORY)
            {
                pit_items(7);
            }
        }
        pit_items(1);
    }
    const pit_thread *t = &probe_read(NULL)->threads[0];
    REQUIRE(t->record_count == 2);
    const pit_record *inner = &t->records[0], *outer = &t->records[1];
    CHECK_STR(t->nodes[inner->node].name, "inner");
    CHECK_STR(t->nodes[outer->node].name, "outer");
    CHECK_INT(inner->depth, 3);
    CHECK_INT(outer->depth, 1);
    CHECK_INT(inner->items, 7);
    CHECK_INT(outer->items, 101); /* its own items, not those of spans inside */
    CHECK(outer->begin <= inner->begin);
    CHECK_INT(outer->has_memory, 0);
    CHECK_INT(inner->has_memory, 1);
    CHECK(inner->rss_begin > 0 && inner->rss_end > 0);
    CHECK((inner->peak_method == PIT_PEAK_NONE) == (inner->rss_peak == 0));
}

/* Items that one span adds are not in the record of the next. */
TEST(a_record_has_the_items_of_its_own_span)
{
    static pit_site plain = PIT_SITE("mixed"), asks = PIT_SITE_WITH("mixed", PIT_RECORD);
    open_records(0);
    for (uint64_t i = 0; i < 50; i++) {
        pit_token token = pit_begin(&plain);
        pit_items(1000);
        pit_end(token);
        token = pit_begin(&asks);
        pit_items(i);
        pit_end(token);
    }
    const pit_thread *t = &probe_read(NULL)->threads[0];
    REQUIRE(t->record_count == 50);
    for (uint64_t i = 0; i < 50; i++)
        CHECK_INT(t->records[i].items, i);
}

static pthread_barrier_t all_done;

static void *keep_much(void *arg)
{
    (void)arg;
    keep_spans(1, 2000);
    pthread_barrier_wait(&all_done); /* no thread gets the table of another */
    return NULL;
}

TEST(the_room_is_one_for_all_threads)
{
    enum { THREADS = 8, BUDGET = 12 };
    pthread_t threads[THREADS];
    open_records(BUDGET * PIECE);
    pthread_barrier_init(&all_done, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, keep_much, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->thread_count, THREADS);
    uint64_t all = 0;
    for (size_t i = 0; i < run->thread_count; i++) {
        const pit_thread *t = &run->threads[i];
        CHECK_INT(t->record_count + t->records_dropped, 2000);
        for (size_t k = 0; k < t->record_count; k++)
            CHECK_INT(t->records[k].items, t->records_dropped + k + 1);
        all += t->record_count;
    }
    CHECK(all > 0 && all <= BUDGET * PIT_FMT_RECORD_COUNT);
}
