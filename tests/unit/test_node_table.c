/* Nodes: found by parent and name, made once, in every state of the cache and the hash table. */
#include "probe.h"
#include "recorder/recorder.h"

static struct pit__thread *ready_thread(void)
{
    probe_open();
    struct pit__thread *t = pit__thread_ready();
    REQUIRE(t);
    return t;
}

TEST(the_same_parent_and_name_give_the_same_node)
{
    struct pit__thread *t = ready_thread();
    uint32_t id = pit__name_intern("x")->id, other = pit__name_intern("y")->id;
    struct pit_fmt_node *x = pit__node_find(t, 0, id);
    REQUIRE(x);
    CHECK(pit__node_find(t, 0, id) == x);
    CHECK(pit__node_find(t, 0, other) != x);
    CHECK(pit__node_find(t, pit__ref(t->base, x), id) != x);
    CHECK(pit__node_find(t, 0, id | PIT__DETACHED_BIT) != x);
    CHECK_INT(x->flags, 0);
    CHECK_INT(pit__node_find(t, 0, id | PIT__DETACHED_BIT)->flags, PIT_FMT_NODE_DETACHED);
}

TEST(a_new_node_is_empty_and_knows_its_place)
{
    struct pit__thread *t = ready_thread();
    struct pit_fmt_node *x = pit__node_find(t, 0, pit__name_intern("x")->id);
    struct pit_fmt_node *y = pit__node_find(t, pit__ref(t->base, x), pit__name_intern("y")->id);
    CHECK_INT(y->parent, pit__ref(t->base, x));
    CHECK(y->count == 0 && y->min == UINT64_MAX && y->window == PIT_FMT_NO_WINDOW &&
          y->cur_index == PIT_FMT_NO_BUCKET);
    CHECK((uintptr_t)y % 64 == 0);
    const pit_run *run = probe_read(NULL);
    CHECK_INT(probe_first(run, "x/y")->count, 0);
    CHECK_INT(probe_first(run, "x/y")->min, 0);
    CHECK_INT(probe_first(run, "x/y")->hist_count, 0);
}

TEST(ten_thousand_nodes_are_found_again)
{
    struct pit__thread *t = ready_thread();
    enum { COUNT = 10000 };
    static struct pit_fmt_node *nodes[COUNT];
    static uint32_t parents[COUNT], ids[COUNT];
    uint64_t state = 88172645463325252u;
    char name[16];
    int made = 0;
    while (made < COUNT / probe_slowness()) {
        snprintf(name, sizeof name, "n%llu", (unsigned long long)(probe_random(&state) % 2000));
        ids[made] = pit__name_intern(name)->id;
        uint64_t pick = probe_random(&state) % (uint64_t)(made + 1);
        parents[made] = pick ? pit__ref(t->base, nodes[pick - 1]) : 0;
        nodes[made] = pit__node_find(t, parents[made], ids[made]);
        REQUIRE(nodes[made]);
        made++;
    }
    for (int i = 0; i < made; i++) {
        CHECK(pit__node_find(t, parents[i], ids[i]) == nodes[i]);
        CHECK(nodes[i]->parent == parents[i] && nodes[i]->id == ids[i]);
    }
    CHECK(probe_read(NULL)->threads[0].node_count <= (size_t)made);
}

TEST(the_cache_never_answers_for_another_parent)
{
    probe_open();
    static pit_site shared = PIT_SITE("shared");
    char name[16];
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 50; i++) {
            snprintf(name, sizeof name, "p%d", i);
            pit_token parent = pit_begin_name(name);
            for (int k = 0; k <= i; k++)
                pit_end(pit_begin(&shared));
            pit_end(parent);
        }
    const pit_run *run = probe_read(NULL);
    for (int i = 0; i < 50; i++) {
        snprintf(name, sizeof name, "p%d/shared", i);
        CHECK_INT(probe_first(run, name)->count, 2 * (i + 1));
    }
    CHECK(probe_holds(run));
}

/* ---- histogram ----------------------------------------------------------------------------- */

static struct pit_fmt_node *node_x(struct pit__thread *t)
{
    return pit__node_find(t, 0, pit__name_intern("x")->id);
}

/* A sample that ended at its own time, later than all before it. */
static void feed(struct pit__thread *t, struct pit_fmt_node *node, uint64_t duration)
{
    static uint64_t end;
    if (!end)
        end = t->recorder->header->first.ticks + ((uint64_t)1 << 40);
    end += 1000;
    uint64_t begin = end - duration; /* wraps for the longest, and so do the sums */
    pit__hold(t);
    if (duration <= end)
        pit__sample(t, node, begin, end);
    pit__release(t);
}

TEST(every_octave_of_durations_finds_its_bucket)
{
    struct pit__thread *t = ready_thread();
    struct pit_fmt_node *node = node_x(t);
    uint64_t fed = 0;
    for (uint32_t bit = 0; bit < 40; bit++)
        for (int off = -1; off <= 1; off++) {
            feed(t, node, ((uint64_t)1 << bit) + (uint64_t)(int64_t)off);
            fed++;
        }
    const pit_raw_node *read = probe_first(probe_read(NULL), "x");
    CHECK_INT(read->count, fed);
    CHECK_INT(probe_hist_sum(read), fed);
    for (size_t i = 0; i < read->hist_count; i++) {
        uint64_t expected = 0;
        for (uint32_t bit = 0; bit < 40; bit++)
            for (int off = -1; off <= 1; off++) {
                uint64_t d = ((uint64_t)1 << bit) + (uint64_t)(int64_t)off;
                expected += d >= read->hist[i].low && d <= read->hist[i].high;
            }
        CHECK_INT(read->hist[i].count, expected);
    }
    CHECK(probe_holds(probe_read(NULL)));
}

/* The first calls of a short span are its longest: later ones are still counted by the hot path. */
TEST(the_window_of_short_spans_reaches_down_to_nothing)
{
    static const uint64_t first[] = {1000, 700, 300, 150, 60, 31};
    struct pit__thread *t = ready_thread();
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        char name[] = {'n', (char)('0' + i), '\0'};
        struct pit_fmt_node *node = pit__node_find(t, 0, pit__name_intern(name)->id);
        REQUIRE(node);
        for (int k = 0; k < 10; k++)
            feed(t, node, first[i]);
        CHECK_INT(node->window, 0);
        feed(t, node, 3);
        feed(t, node, 3); /* finishes the previous one */
        CHECK_INT(node->window_counts[pit_fmt_bucket_of(3)], 1);
    }
}

TEST(the_window_of_long_spans_lies_around_them)
{
    struct pit__thread *t = ready_thread();
    struct pit_fmt_node *node = node_x(t);
    for (int k = 0; k < 10; k++)
        feed(t, node, 1000000);
    uint32_t slot = pit_fmt_bucket_of(1000000) - node->window;
    CHECK(slot >= 2 * PIT_FMT_SUB && slot < 3 * PIT_FMT_SUB);
}

TEST(a_window_counter_carries_over_at_its_end)
{
    struct pit__thread *t = ready_thread();
    struct pit_fmt_node *node = node_x(t);
    for (int i = 0; i < 10; i++)
        feed(t, node, 1000);
    REQUIRE(node->window != PIT_FMT_NO_WINDOW);
    uint32_t slot = pit_fmt_bucket_of(1000) - node->window;
    REQUIRE(slot < PIT_FMT_WINDOW);
    /* As if there had been four billion: nine are in the histogram, the tenth is pending. */
    uint64_t more = UINT32_MAX - node->window_counts[slot];
    node->window_counts[slot] = UINT32_MAX;
    node->count += more;
    node->total += 1000 * more;
    t->file->pending.count += more;
    t->file->pending.total += 1000 * more;
    uint64_t before = node->count;
    CHECK_INT(probe_hist_sum(probe_first(probe_read(NULL), "x")), before);
    for (int i = 0; i < 5; i++) {
        feed(t, node, 1000);
        const pit_raw_node *read = probe_first(probe_read(NULL), "x");
        CHECK_INT(read->count, before + (uint64_t)i + 1);
        CHECK_INT(probe_hist_sum(read), read->count);
    }
    CHECK(node->window_counts[slot] < 10);
    CHECK(probe_holds(probe_read(NULL)));
}
