/* Spans that measure memory, inside one process: the figures kept, and which span pays for a reading.
 * tests/system/test_memory.py checks the amounts. */
#include "probe.h"

#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>

#define MB ((uint64_t)1 << 20)

/* An emulator's own memory counts for the process: amounts are unreliable there, counts are not. */
static int amounts_are_ours(void)
{
    return !getenv("PITWALL_EMULATED");
}

static int near_mb(int64_t bytes, double megabytes)
{
    double off = (double)bytes / (double)MB - megabytes;
    int near = off < 4 && off > -4;
    if (!near)
        printf("  %.2f MB, not %.2f\n", (double)bytes / (double)MB, megabytes);
    return near || !amounts_are_ours();
}

/* Without sanitizers, whose shadow of these pages would be resident too. */
__attribute__((no_sanitize("address", "thread", "undefined"), noinline)) static void
touch_pages(volatile unsigned char *memory, uint64_t bytes)
{
    for (uint64_t i = 0; i < bytes; i += 4096)
        memory[i] = 1;
}

/* Resident for a moment. */
static void touch(uint64_t bytes)
{
    unsigned char *memory =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    REQUIRE(memory != MAP_FAILED);
    touch_pages(memory, bytes);
    munmap(memory, bytes);
}

static const pit_memory *memory_of(const pit_run *run, const char *path)
{
    const pit_raw_node *node = probe_first(run, path);
    REQUIRE(node->memory);
    return node->memory;
}

TEST(a_plain_span_has_no_memory_figures)
{
    probe_open();
    PIT_SPAN("plain") {
    }
    CHECK(probe_first(probe_read(NULL), "plain")->memory == NULL);
    CHECK_INT(probe_read(NULL)->threads[0].record_count, 0);
}

/* The first span of a thread takes other paths than the second; all must be measured. */
TEST(every_span_of_a_site_is_measured)
{
    probe_open();
    for (int i = 0; i < 500; i++)
        PIT_SPAN_WITH("measured", PIT_MEMORY | PIT_RECORD)
        {
        }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "measured")->count, 500);
    CHECK_INT(memory_of(run, "measured")->count, 500);
    CHECK_INT(run->threads[0].record_count, 500);
    CHECK(probe_holds(run));
}

/* Plain spans of the same name share the node, and are not measured. */
TEST(only_spans_that_ask_are_measured)
{
    static pit_site plain = PIT_SITE("one"), measured = PIT_SITE_WITH("one", PIT_MEMORY);
    probe_open();
    for (int i = 0; i < 300; i++) {
        pit_end(pit_begin(&plain));
        pit_end(pit_begin(&measured));
        pit_end(pit_begin(&plain));
        pit_end(pit_begin_with("one", PIT_RECORD));
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "one")->count, 1200);
    CHECK_INT(memory_of(run, "one")->count, 300);
    CHECK_INT(run->threads[0].record_count, 300);
    for (size_t i = 0; i < run->threads[0].record_count; i++)
        CHECK_INT(run->threads[0].records[i].has_memory, 0);
    CHECK(probe_holds(run));
}

TEST(nested_spans_have_each_their_own_peak)
{
    probe_open();
    for (int i = 0; i < 3; i++)
        PIT_SPAN_WITH("outer", PIT_MEMORY)
        {
            touch(40 * MB);
            PIT_SPAN("plain") {
                PIT_SPAN_WITH("inner", PIT_MEMORY)
                {
                    touch(20 * MB);
                }
            }
            touch(10 * MB);
        }
    const pit_run *run = probe_read(NULL);
    const pit_memory *outer = memory_of(run, "outer");
    const pit_memory *inner = memory_of(run, "outer/plain/inner");
    CHECK_INT(outer->count, 3);
    CHECK_INT(inner->count, 3);
    if (outer->peak_method != PIT_PEAK_NONE) {
        CHECK(near_mb((int64_t)outer->peak_last, 40) && near_mb((int64_t)outer->peak_max, 40));
        CHECK(near_mb((int64_t)outer->peak_sum, 120));
        CHECK(near_mb((int64_t)inner->peak_last, 20) && near_mb((int64_t)inner->peak_max, 20));
    }
    CHECK(near_mb(outer->delta_sum, 0) && near_mb(inner->delta_sum, 0));
    CHECK(outer->minor_faults >= inner->minor_faults);
    CHECK(outer->error_bytes > 0);
}

/* ---- misuse -------------------------------------------------------------------------------- */

static jmp_buf back;

static void leave_by_jump(void)
{
    pit_begin_with("lost", PIT_MEMORY | PIT_RECORD);
    touch(30 * MB);
    pit_begin_with("lost", PIT_MEMORY);
    longjmp(back, 1);
}

TEST(a_jump_out_of_memory_spans_leaves_those_around_right)
{
    probe_open();
    for (volatile int i = 0; i < 20; i++) {
        pit_token outer = pit_begin_with("outer", PIT_MEMORY | PIT_RECORD);
        if (setjmp(back) == 0)
            leave_by_jump();
        pit_end(outer);
        PIT_SPAN_WITH("next", PIT_MEMORY)
        {
            touch(10 * MB);
        }
    }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.abandoned, 40);
    CHECK_INT(memory_of(run, "outer")->count, 20);
    CHECK_INT(memory_of(run, "next")->count, 20);
    CHECK_INT(run->threads[0].record_count, 20); /* lost spans belong to no thread */
    CHECK(probe_first(run, "outer/lost")->memory == NULL);
    if (memory_of(run, "outer")->peak_method != PIT_PEAK_NONE) {
        CHECK(near_mb((int64_t)memory_of(run, "outer")->peak_max, 30));
        CHECK(near_mb((int64_t)memory_of(run, "next")->peak_max, 10));
    }
    CHECK(probe_holds(run));
}

static void *leave_open(void *arg)
{
    (void)arg;
    pit_end(pit_begin_with("done", PIT_MEMORY));
    pit_begin_with("left", PIT_MEMORY | PIT_RECORD);
    pit_begin_with("left", PIT_MEMORY | PIT_RECORD);
    return NULL;
}

TEST(threads_that_end_inside_memory_spans_leave_nothing_behind)
{
    probe_open();
    pit_token outer = pit_begin_with("outer", PIT_MEMORY);
    for (int i = 0; i < 50; i++) {
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, leave_open, NULL) == 0);
        pthread_join(thread, NULL);
    }
    pit_end(outer);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(run->losses.left_open, 100);
    CHECK_INT(run->thread_count, 2);
    CHECK_INT(probe_count(run, "done"), 50);
    CHECK_INT(probe_count(run, "left"), 0);
    CHECK_INT(memory_of(run, "outer")->count, 1);
}

TEST(a_span_open_at_close_does_not_hurt_the_next_recorder)
{
    for (int i = 0; i < 5; i++) {
        probe_open();
        pit_begin_with("open", PIT_MEMORY);
        CHECK_INT(pit_close(), 0);
    }
    probe_open();
    PIT_SPAN_WITH("later", PIT_MEMORY)
    {
        touch(10 * MB);
    }
    CHECK_INT(memory_of(probe_read(NULL), "later")->count, 1);
    CHECK(near_mb((int64_t)memory_of(probe_read(NULL), "later")->peak_last, 10));
}

/* ---- several recorders, one mark ----------------------------------------------------------- */

/* In memory, sampled so rarely that the sampler reads nothing between open and close. */
static pit_recorder *open_beside(unsigned span_flags)
{
    pit_options options = {.span_flags = span_flags, .sample_hz = 0.01, .in_memory = 1};
    int code = 0;
    pit_recorder *rec = pit_recorder_open(NULL, &options, &code);
    REQUIRE(rec && code == PIT_OK);
    return rec;
}

static void measure_in(pit_recorder *rec)
{
    pit_recorder_end(rec, pit_recorder_begin_name(rec, "measured"));
}

/* A span of one recorder resets the mark; the peak before that belongs to the runs of all recorders. */
TEST(a_reset_hides_no_peak_from_another_recorders_run)
{
    pit_recorder *measuring = open_beside(PIT_MEMORY), *other = open_beside(0);
    measure_in(measuring);
    uint64_t before = probe_read(other)->rss_peak;
    CHECK(before > 0);
    touch(before + 64 * MB); /* whatever was resident before the first reset */
    measure_in(measuring);
    uint64_t after = probe_read(other)->rss_peak;
    if (amounts_are_ours())
        CHECK(after >= before + 60 * MB);
    CHECK_INT(after, probe_read(measuring)->rss_peak);
    CHECK_INT(pit_recorder_close(other), PIT_OK);
    CHECK(probe_read(other)->rss_peak >= after);
    pit_recorder_free(other);
    pit_recorder_free(measuring);
}

/* The pages of a freed recorder are unmapped: passing it a peak would crash. Its slot is reused. */
TEST(a_recorder_that_is_gone_is_told_of_no_peak)
{
    pit_recorder *measuring = open_beside(PIT_MEMORY);
    for (int i = 0; i < 20; i++) {
        pit_recorder *first = open_beside(0), *second = open_beside(0);
        pit_recorder_free(i % 2 ? first : second);
        touch(4 * MB);
        measure_in(measuring);
        CHECK(probe_read(i % 2 ? second : first)->rss_peak > 0);
        pit_recorder_free(i % 2 ? second : first);
        measure_in(measuring);
        probe_free_runs();
    }
    CHECK_INT(memory_of(probe_read(measuring), "measured")->count, 40);
    pit_recorder_free(measuring);
}

/* ---- time ---------------------------------------------------------------------------------- */

/* The reading counts for no span: a plain span around it takes as long as its parts. One undisturbed try is
 * enough to show it. */
TEST(the_reading_is_not_in_the_spans_around)
{
    enum { SPANS = 300, TRIES = 1000 };
    int is_seen = 0;
    double wall = 0, outer = 0;
    for (int i = 0; i < TRIES && !is_seen; i++) {
        probe_open();
        uint64_t start = probe_ns();
        PIT_SPAN("outer") {
            PIT_SPAN("middle") {
                for (int k = 0; k < SPANS; k++)
                    PIT_SPAN_WITH("inner", PIT_MEMORY)
                    {
                    }
            }
        }
        wall = (double)(probe_ns() - start);
        pit_run *run = pit_run_read(NULL, NULL);
        REQUIRE(run);
        outer = (double)probe_first(run, "outer")->total * run->ns_per_tick;
        CHECK(probe_holds(run));
        pit_run_free(run);
        REQUIRE(pit_close() == 0);
        pit_recorder_free(pit_default_recorder());
        is_seen = probe_slowness() > 1 || wall > 2 * outer;
    }
    if (!is_seen)
        printf("  the last try: %.0f ns, of those in the outer span %.0f\n", wall, outer);
    CHECK(is_seen);
}

/* A span with real work takes the time of that work, no more and no less. */
TEST(work_beside_the_reading_is_still_counted)
{
    probe_open();
    PIT_SPAN("outer") {
        for (int i = 0; i < 50; i++)
            PIT_SPAN_WITH("inner", PIT_MEMORY)
            {
                probe_spin(200000);
            }
        probe_spin(5000000);
    }
    const pit_run *run = probe_read(NULL);
    double outer = (double)probe_first(run, "outer")->total * run->ns_per_tick;
    double inner = (double)probe_first(run, "outer/inner")->total * run->ns_per_tick;
    CHECK(inner >= 50 * 200000 * 0.99);
    CHECK(outer >= (inner + 5000000) * 0.99);
    CHECK(probe_holds(run));
}

/* ---- many at once -------------------------------------------------------------------------- */

static pthread_barrier_t begin_line, finish_line;

static void *measure_much(void *arg)
{
    int rounds = 2000 / probe_slowness();
    (void)arg;
    pthread_barrier_wait(&begin_line);
    for (int i = 0; i < rounds; i++)
        PIT_SPAN_WITH("outer", PIT_MEMORY | PIT_RECORD)
        {
            PIT_SPAN("plain") {
                PIT_SPAN_WITH("inner", PIT_MEMORY)
                {
                }
            }
        }
    pthread_barrier_wait(&finish_line); /* no thread gets the table of another */
    return NULL;
}

TEST(threads_measure_at_once_and_lose_nothing)
{
    enum { THREADS = 8 };
    pthread_t threads[THREADS];
    int rounds = 2000 / probe_slowness();
    probe_open();
    pthread_barrier_init(&begin_line, NULL, THREADS);
    pthread_barrier_init(&finish_line, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, measure_much, NULL) == 0);
    for (int i = 0; i < 50; i++) { /* a concurrent reader */
        const pit_run *run = probe_read(NULL);
        for (size_t k = 0; k < run->thread_count; k++)
            for (size_t n = 0; n < run->threads[k].node_count; n++) {
                const pit_memory *m = run->threads[k].nodes[n].memory;
                CHECK(!m || m->rss_max >= m->peak_max);
            }
        probe_free_runs();
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    const pit_run *run = probe_read(NULL);
    uint64_t measured = 0, kept_or_not = 0;
    for (size_t k = 0; k < run->thread_count; k++) {
        const pit_thread *t = &run->threads[k];
        measured += probe_node(t, "outer")->memory->count;
        measured += probe_node(t, "outer/plain/inner")->memory->count;
        kept_or_not += t->record_count + t->records_dropped;
    }
    CHECK_INT(measured, 2 * THREADS * rounds);
    CHECK_INT(kept_or_not, THREADS * rounds);
    CHECK(probe_holds(run));
}

/* ---- every span of a recorder -------------------------------------------------------------- */

TEST(a_recorder_with_flags_measures_every_span_and_phase)
{
    pit_options options = {.span_flags = PIT_MEMORY, .sample_hz = -1, .in_memory = 1};
    REQUIRE(pit_open(NULL, &options) == PIT_OK);
    for (int i = 0; i < 100; i++)
        PIT_SPAN("outer") {
            PIT_PHASE("first");
            PIT_PHASE("second");
        }
    const pit_run *run = probe_read(NULL);
    CHECK_INT(memory_of(run, "outer")->count, 100);
    CHECK_INT(memory_of(run, "outer/first")->count, 100);
    CHECK_INT(memory_of(run, "outer/second")->count, 100);
    CHECK_INT(run->threads[0].record_count, 0);
    CHECK(probe_holds(run));
}
