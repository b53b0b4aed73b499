/* A kill after any single store leaves a run that the reader completes.
 *
 * The recorder's sources are compiled into this program with every store followed by a call of
 * looked_at(), which reads the run as another process would if this one died at that instant, and
 * checks the invariants: the sums, and that every span is either open or finished.
 */
#include "format/ordered.h"

static void looked_at(void);

#undef PIT_STORE
#undef PIT_STORE_ORDERED
#undef PIT_ADD
#undef PIT_ADD32
#undef PIT_ADD128
#define PIT_STORE(x_, v_) (__atomic_store_n(&(x_), (v_), __ATOMIC_RELEASE), looked_at())
#define PIT_STORE_ORDERED(x_, v_) (__atomic_store_n(&(x_), (v_), __ATOMIC_RELEASE), looked_at())
#define PIT_ADD(x_, v_) PIT_STORE_ORDERED(x_, PIT_LOAD(x_) + (v_))
#define PIT_ADD32(x_, v_) PIT_STORE_ORDERED(x_, PIT_LOAD(x_) + (v_))
#define PIT_ADD128(lo_, hi_, vlo_, vhi_)                                                           \
    do {                                                                                           \
        uint64_t add_lo = PIT_LOAD(lo_), add_sum = add_lo + (vlo_);                                \
        PIT_STORE_ORDERED(lo_, add_sum);                                                           \
        PIT_STORE_ORDERED(hi_, PIT_LOAD(hi_) + (vhi_) + (add_sum < add_lo));                       \
    } while (0)
/* Names of built-in functions are not expanded again inside their own macros. */
#define __atomic_store(p_, v_, order_) (__atomic_store((p_), (v_), (order_)), looked_at())
static int looked_at_after(int result)
{
    looked_at();
    return result;
}
#define __atomic_compare_exchange_n(...) looked_at_after(__atomic_compare_exchange_n(__VA_ARGS__))

/* A clock that the test sets. */
#include "recorder/clock.h"
static uint64_t fake_now;
static uint64_t fake_clock(uint32_t counter)
{
    return fake_now ? fake_now : pit__clock_read(counter);
}
#define pit__clock_read(counter_) fake_clock(counter_)

#include "recorder/node_table.c"
#include "recorder/ring.c"
#include "recorder/run_file.c"
#include "recorder/span.c"
#include "recorder/span_object.c"
#include "recorder/span_rare.c"
#define have_index value_index /* the name table has one too */
#include "recorder/value.c"

#include "probe.h"

/* ---- what is looked for at every store ----------------------------------------------------- */

static pit_recorder *watched;
static int looking;                          /* nesting depth: the reader itself stores nothing */
static uint64_t looks;                       /* number of checks */
static uint64_t least, most;                 /* spans finished or open, at any instant */
static uint64_t objects_least, objects_most; /* the same for objects */
static uint64_t values_least, values_most;   /* total number of values */
static double values_each;                   /* every value fed */

static void count_spans(const pit_run *run, uint64_t *spans, uint64_t *objects, uint64_t *values)
{
    *spans = *objects = *values = 0;
    for (size_t i = 0; i < run->thread_count; i++) {
        const pit_thread *t = &run->threads[i];
        for (size_t k = 0; k < t->node_count; k++)
            *(t->nodes[k].detached ? objects : spans) += t->nodes[k].count;
        for (size_t k = 0; k < t->open_count; k++)
            ++*(t->open[k].object ? objects : spans);
        for (size_t k = 0; k < t->value_count; k++)
            *values += t->values[k].count;
    }
}

static int values_hold(const pit_run *run)
{
    for (size_t i = 0; i < run->thread_count; i++)
        for (size_t k = 0; k < run->threads[i].value_count; k++) {
            const pit_raw_value *value = &run->threads[i].values[k];
            uint64_t count = 0;
            for (size_t n = 0; n < value->point_count; n++) {
                const pit_point *point = &value->points[n];
                count += point->values;
                if (point->mean != values_each || point->min != values_each ||
                    point->max != values_each)
                    return 0;
            }
            if (count != value->count || (count && value->last != values_each))
                return 0;
        }
    return 1;
}

/* Every event belongs to a finished span; none is duplicated; the newest are all present. */
static int events_hold(const pit_run *run)
{
    for (size_t i = 0; i < run->thread_count; i++) {
        const pit_thread *t = &run->threads[i];
        uint64_t finished = 0;
        for (size_t k = 0; k < t->node_count; k++)
            finished += t->nodes[k].count;
        uint64_t known = t->event_count + t->events_dropped;
        int is_off = watched->header->ring_bytes == 0; /* the newest is not counted then */
        if (known != finished && !(is_off && known + 1 == finished))
            return 0;
        for (size_t k = 1; k < t->event_count; k++)
            if (t->events[k - 1].begin + t->events[k - 1].duration >
                t->events[k].begin + t->events[k].duration)
                return 0;
    }
    return 1;
}

static void look(const pit_run *run)
{
    uint64_t spans, objects, values;
    count_spans(run, &spans, &objects, &values);
    CHECK(probe_holds(run));
    CHECK(spans >= least && spans <= most);
    CHECK(objects >= objects_least && objects <= objects_most);
    CHECK(values >= values_least && values <= values_most);
    CHECK(values_hold(run));
    CHECK(events_hold(run));
    if (check_failures)
        printf("  look %llu: %llu spans (%llu to %llu), %llu objects, %llu values\n",
               (unsigned long long)looks, (unsigned long long)spans, (unsigned long long)least,
               (unsigned long long)most, (unsigned long long)objects, (unsigned long long)values);
}

static void looked_at(void)
{
    if (!watched || looking || check_failures)
        return;
    looking = 1;
    looks++;
    pit_error error = {0, "", 0};
    pit_run *run = pit_run_parse(watched->base, watched->mapped_bytes, 0, &error);
    CHECK(run != NULL);
    if (run)
        look(run);
    pit_run_free(run);
    looking = 0;
}

/* ---- situations ---------------------------------------------------------------------------- */

static struct pit__thread *self;
static uint64_t now, start; /* a clock of the test's own */

static void watch(uint64_t ring_bytes)
{
    probe_open_with(ring_bytes, 0);
    self = pit__thread_ready();
    REQUIRE(self);
    start = self->recorder->header->first.ticks;
    now = start + 1000;
    watched = pit_default_recorder();
}

/* Begin and end at the test's time, by the rare paths. */
static pit_token begin(const char *name, uint64_t flag)
{
    most++;
    now++; /* no two spans begin in one tick, because the hot path relies on it */
    pit__hold(self);
    const struct pit__name *entry = pit__name_intern(name);
    pit_token token = push_below_top(self, entry->id, flag, now);
    pit__release(self);
    least++;
    return token;
}

static void end_after(pit_token token, uint64_t ticks)
{
    now += ticks;
    pit__end_on(self, token, now);
}

static void check_was_looked_at(uint64_t at_least)
{
    watched = NULL;
    CHECK(looks >= at_least);
    CHECK(probe_holds(probe_read_dead(NULL)));
}

TEST(the_first_span_of_a_node)
{
    watch(0);
    end_after(begin("x", 0), 500);
    check_was_looked_at(30);
}

TEST(the_same_node_again_and_again)
{
    watch(0);
    for (uint64_t i = 0; i < 40; i++)
        end_after(begin("x", 0), 100 + i * 13 % 50);
    check_was_looked_at(1000);
}

TEST(one_node_after_another)
{
    watch(0);
    static const char *const names[] = {"a", "b", "c"};
    for (uint64_t i = 0; i < 40; i++)
        end_after(begin(names[i % 3], 0), i * i);
    check_was_looked_at(1000);
}

TEST(nested_spans_with_child_time)
{
    watch(0);
    for (uint64_t i = 0; i < 15; i++) {
        pit_token a = begin("a", 0);
        now += 7;
        pit_token b = begin("b", 0);
        end_after(begin("c", 0), 10 + i);
        end_after(begin("c", 0), 5);
        end_after(b, 3);
        end_after(begin("b", 0), 4);
        end_after(a, 11);
    }
    check_was_looked_at(2000);
}

TEST(recursion_into_the_same_name)
{
    watch(0);
    for (int i = 0; i < 5; i++) {
        pit_token tokens[6];
        for (int k = 0; k < 6; k++) {
            tokens[k] = begin("f", 0);
            now += 3;
        }
        for (int k = 6; k-- > 0;)
            end_after(tokens[k], 2);
    }
    check_was_looked_at(1000);
}

TEST(spans_that_take_no_time)
{
    watch(0);
    for (int i = 0; i < 20; i++) {
        pit_token a = begin("a", 0);
        now += 1;
        end_after(begin("b", 0), 0);
        end_after(a, 0);
    }
    check_was_looked_at(1000);
}

TEST(phases_that_end_one_another)
{
    watch(0);
    pit_token outer = begin("outer", 0);
    for (int i = 0; i < 20; i++) {
        if (i) { /* like pit__phase_rare: one reading for both */
            now += 50;
            pit__hold(self);
            end_top(self, now);
            pit__release(self);
        }
        begin(i % 2 ? "p" : "q", PIT_FMT_WHERE_PHASE);
    }
    end_after(outer, 9); /* ends the last phase too */
    check_was_looked_at(500);
}

TEST(durations_outside_the_histograms_window)
{
    watch(0);
    for (uint64_t i = 0; i < 60; i++)
        end_after(begin("x", 0), i < 10 ? 1000 : (uint64_t)1 << (i * 7 % 34));
    check_was_looked_at(1500);
}

TEST(a_window_counter_that_carries_over)
{
    watch(PIT_RING_OFF);
    watched = NULL;
    for (int i = 0; i < 12; i++)
        end_after(begin("x", 0), 1000);
    struct pit_fmt_node *node = self->pending_node;
    uint32_t slot = pit_fmt_bucket_of(1000) - node->window;
    REQUIRE(slot < PIT_FMT_WINDOW);
    uint64_t more = UINT32_MAX - node->window_counts[slot];
    node->window_counts[slot] = UINT32_MAX;
    node->count += more;
    node->total += 1000 * more;
    self->file->pending.count += more;
    self->file->pending.total += 1000 * more;
    self->file->ring_events += more;
    least += more;
    most += more;
    watched = pit_default_recorder();
    for (int i = 0; i < 5; i++)
        end_after(begin("x", 0), 1000);
    check_was_looked_at(100);
}

TEST(buckets_of_the_series_that_change_and_fold)
{
    watch(0);
    uint64_t width = (uint64_t)1 << pit__clock_get()->series_shift;
    for (uint64_t i = 0; i < 60; i++) {
        end_after(begin("x", 0), i % 9);
        now += i * width / 3;
    }
    now += width << 10; /* many folds at once */
    end_after(begin("x", 0), 5);
    end_after(begin("y", 0), 5);
    end_after(begin("x", 0), 5);
    check_was_looked_at(2000);
}

TEST(a_flight_recorder_that_goes_round)
{
    watch(3 * sizeof(struct pit_fmt_ring));
    watched = NULL;
    for (int lap = 0; lap < 4; lap++) {
        for (uint32_t i = 0; i < PIT_FMT_RING_EVENTS - 3; i++)
            end_after(begin("x", 0), 10 + i % 5);
        watched = pit_default_recorder();
        for (int i = 0; i < 6; i++)
            end_after(begin("x", 0), 10);
        watched = NULL;
    }
    check_was_looked_at(500);
}

TEST(frames_that_an_outer_end_abandons)
{
    watch(0);
    for (int i = 0; i < 10; i++) {
        pit_token a = begin("a", 0);
        begin("b", 0);
        begin("c", 0);
        least -= 2; /* they leave no trace in the statistics */
        end_after(a, 10);
        most -= 2;
    }
    check_was_looked_at(300);
}

static void end_apart_after(pit_token token, uint64_t ticks)
{
    now += ticks;
    struct pit_fmt_frame *frame = frame_of(self, token);
    REQUIRE(frame);
    end_apart_on(self, frame, now);
}

TEST(frames_that_end_before_those_above_them)
{
    probe_out_of_order = 1;
    watch(0);
    for (uint64_t i = 0; i < 10; i++) {
        pit_token a = begin("a", 0), b = begin("b", 0), c = begin("c", 0);
        end_apart_after(b, 10 + i);
        end_apart_after(a, 5);
        end_after(begin("d", 0), 3);
        end_apart_after(c, 7);
        end_after(begin("d", 0), 3);
    }
    check_was_looked_at(1000);
}

TEST(span_objects)
{
    watch(0);
    static pit_site site = PIT_SITE("x");
    for (int i = 0; i < 12; i++) {
        objects_most++;
        pit_object object = pit_object_begin_name("o");
        objects_least++;
        most++;
        pit_token token = pit__begin(&site); /* objects use only the real clock */
        least++;
        pit__end(token);
        pit_object_end(&object);
    }
    check_was_looked_at(500);
}

TEST(values_that_fold)
{
    watch(0);
    values_each = 2.5;
    for (int i = 0; i < 1030; i++) {
        /* only the interesting ones */
        if (i % 512 > 3 && i % 512 < 508)
            watched = NULL;
        values_most++;
        pit__value("loss", values_each);
        values_least++;
        watched = pit_default_recorder();
    }
    check_was_looked_at(300);
}

TEST(the_hot_path_itself)
{
    watch(0);
    static pit_site a = PIT_SITE("a"), b = PIT_SITE("b"), p = PIT_SITE("p");
    for (int i = 0; i < 30; i++) {
        most++;
        pit_token outer = pit__begin(&a);
        least++;
        for (int k = 0; k < 3; k++) {
            most++;
            pit_token inner = pit__begin(&b);
            least++;
            pit__end(inner);
        }
        most++;
        pit__phase(&p);
        least++;
        most++;
        pit__phase(&p);
        least++;
        pit__phase_end();
        pit__end(outer);
    }
    check_was_looked_at(3000);
}

/* Every new minimum and maximum is off by a single tick. */
TEST(the_hot_path_with_durations_one_tick_apart)
{
    watch(0);
    static pit_site site = PIT_SITE("x");
    fake_now = now;
    for (uint64_t i = 0; i < 60; i++) {
        fake_now += 1;
        most++;
        pit_token token = pit__begin(&site);
        least++;
        fake_now += i % 2 ? 1000 + (i + 1) / 2 : 1000 - i / 2;
        pit__end(token);
    }
    check_was_looked_at(1000);
    const pit_raw_node *node = probe_first(probe_read_dead(NULL), "x");
    CHECK_INT(node->min, 1000 - 29);
    CHECK_INT(node->max, 1000 + 30);
    CHECK_INT(node->total, 60 * 1000 + 30);
}
