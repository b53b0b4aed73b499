/* The cost of a span, measured when a recorder opens, for reports.
 */
#include "span_steps.h"

#include <sys/mman.h>
/* A table that belongs to no run and no recorder: one node, whose window and series bucket accept
 * all samples. */
#define SCRATCH_EVENTS 64
/* some 50 µs in all; the fastest one is used, so that a busy core gives the same result */
#define BATCHES 32
struct scratch {
    struct pit_fmt_thread table;
    struct pit_fmt_node node;
    struct pit_fmt_event events[SCRATCH_EVENTS];
};

/* One span, by the path that the clock allows. */
static void scratch_span(struct pit__thread *t, uint64_t where)
{
    uint64_t now, duration;
    pit_token token = t->counter ? pit__begin_common(t, t->gate, 1) : 0;
    if (!token) {
        pit__hold(t);
        pit__push(t, t->file, t->top + 1, 1, where, pit__clock_read(t->counter));
        pit__release(t);
        token = pit__token(t);
    }
    if (!t->counter || !pit__end_common(t, token, &now, &duration))
        pit__end_on(t, token, pit__clock_read(t->counter));
}

static uint64_t best_batch(struct pit__thread *t, uint64_t where, struct pit_fmt_event *events)
{
    uint64_t best = UINT64_MAX;
    for (int batch = 0; batch < BATCHES; batch++) {
        t->ring_next = events;
        t->ring_left = SCRATCH_EVENTS;
        uint64_t start = pit__clock_monotonic_ns();
        for (int i = 0; i < SCRATCH_EVENTS - 1; i++)
            scratch_span(t, where);
        uint64_t ns = pit__clock_monotonic_ns() - start;
        best = ns < best ? ns : best;
    }
    return best * 1000u / (SCRATCH_EVENTS - 1);
}

uint64_t pit__measure_cost(const struct pit__clock *clock)
{
    struct scratch *scratch =
        mmap(NULL, sizeof *scratch, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (scratch == MAP_FAILED)
        return 0;
    scratch->node.min = UINT64_MAX;
    scratch->node.cur_end = UINT64_MAX;
    uint64_t where =
        pit__ref((unsigned char *)scratch, &scratch->node) | (uint64_t)1 << PIT_FMT_WHERE_DEPTH;
    struct pit__cache_entry entries[2] = {{PIT__NO_KEY, 0}, {1, where}};
    pit_token base = PIT__TOKEN_BIT | (pit_token)1 << PIT__TOKEN_THREAD_SHIFT; /* any value works */
    struct pit__thread t = {.gate = base,
                            .token_base = base,
                            .open = 1,
                            .top = scratch->table.frames,
                            .file = &scratch->table,
                            .base = (unsigned char *)scratch,
                            .cache = entries,
                            .cache_mask = 1,
                            .pending_node = &scratch->node,
                            .counter = pit__clock_is_counter(clock),
                            .always_slow = !pit__clock_is_counter(clock)};
    uint64_t cost = best_batch(&t, where, scratch->events);
    munmap(scratch, sizeof *scratch);
    return cost;
}
