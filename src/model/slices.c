/* slices.c: a thread's single spans as intervals that nest perfectly.
 *
 * The flight recorder has begin and duration of each span, in the order of their ends. These intervals may
 * not nest, for two reasons: the duration of a span around memory spans excludes the time of memory
 * readings, and a damaged or live run may contain any values. So first every span is extended to the end of
 * its children; then a span that still exceeds its parent is cut. This is done in ticks; converting them to
 * nanoseconds keeps their order. */
#include "slices.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_NS 9e18 /* 285 years; a damaged run may contain more */

uint64_t pit__run_ns(const pit_run *run, uint64_t ticks)
{
    if (ticks <= run->start_ticks)
        return 0;
    double ns = (double)(ticks - run->start_ticks) * run->ns_per_tick;
    if (!(ns > 0))
        return 0;
    return ns < MOST_NS ? (uint64_t)llround(ns) : (uint64_t)MOST_NS;
}

static uint64_t plus(uint64_t begin, uint64_t duration)
{
    return duration > UINT64_MAX - begin ? UINT64_MAX : begin + duration;
}

/* The depth of every node; parents come before their children. */
static uint32_t *make_depths(const pit_thread *thread)
{
    uint32_t *depths = calloc(thread->node_count + 1, sizeof *depths);
    for (size_t i = 0; depths && i < thread->node_count; i++) {
        uint32_t parent = thread->nodes[i].parent;
        depths[i] = parent == PIT_NO_NODE || parent >= i ? 0 : depths[parent] + 1;
    }
    return depths;
}

struct building {
    const pit_thread *thread;
    struct pit__slices *slices;
    const uint32_t *depths;
};

static void add(struct building *b, uint32_t node, uint64_t begin, uint64_t duration, int open)
{
    struct pit__slices *s = b->slices;
    if (node >= b->thread->node_count)
        return;
    int detached = b->thread->nodes[node].detached;
    size_t count = detached ? s->detached_count++ : s->nested_count++;
    struct pit__slice *slice = detached ? &s->detached[count] : &s->nested[count];
    *slice = (struct pit__slice){.begin = begin,
                                 .end = plus(begin, duration),
                                 .took = duration,
                                 .node = node,
                                 .order = (uint32_t)count,
                                 .depth = b->depths[node],
                                 .open = open};
}

/* Records last longer than the flight recorder's events; those that it still has are skipped. */
static void add_all(struct building *b, uint64_t run_end)
{
    const pit_thread *t = b->thread;
    uint64_t first = t->event_count ? plus(t->events[0].begin, t->events[0].duration) : UINT64_MAX;
    uint64_t end = run_end;
    for (size_t i = 0; i < t->record_count; i++) {
        const pit_record *r = &t->records[i];
        if (plus(r->begin, r->duration) < first)
            add(b, r->node, r->begin, r->duration, 0);
    }
    for (size_t i = 0; i < t->event_count; i++) {
        const pit_event *e = &t->events[i];
        uint64_t ended = plus(e->begin, e->duration);
        end = ended > end ? ended : end;
        add(b, e->node, e->begin, e->duration, 0);
    }
    for (size_t i = 0; i < t->open_count; i++)
        end = t->open[i].begin > end ? t->open[i].begin : end;
    for (size_t i = t->open_count; i-- > 0;) /* the innermost would end first */
        add(b, t->open[i].node, t->open[i].begin, end - t->open[i].begin, 1);
}

/* Ordered by end, children come before their parents, and a child has its final length when its parent
 * comes. `stack`: slices that no parent has taken yet; it has room for all. */
static void reach_children(struct pit__slice *slices, size_t count, struct pit__slice **stack)
{
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        struct pit__slice *slice = &slices[i];
        while (depth > 0 && stack[depth - 1]->depth > slice->depth &&
               stack[depth - 1]->begin >= slice->begin) {
            if (stack[depth - 1]->end > slice->end)
                slice->end = stack[depth - 1]->end;
            depth--;
        }
        stack[depth++] = slice;
    }
}

static int by_begin(const void *a, const void *b)
{
    const struct pit__slice *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

/* Cut slices that exceed the slice around them, and set the level of each. */
static void nest(struct pit__slice *slices, size_t count, struct pit__slice **stack)
{
    size_t depth = 0;
    for (size_t i = 0; i < count; i++) {
        struct pit__slice *slice = &slices[i];
        while (depth > 0 && stack[depth - 1]->end <= slice->begin)
            depth--;
        if (depth > 0 && slice->end > stack[depth - 1]->end)
            slice->end = stack[depth - 1]->end;
        slice->level = (uint32_t)depth;
        stack[depth++] = slice;
    }
}

static void to_ns(const pit_run *run, struct pit__slice *slices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        slices[i].begin = pit__run_ns(run, slices[i].begin);
        slices[i].end = pit__run_ns(run, slices[i].end);
    }
}

int pit__slices_make(const pit_run *run, const pit_thread *thread, struct pit__slices *slices)
{
    size_t most = thread->event_count + thread->record_count + thread->open_count + 1;
    *slices = (struct pit__slices){.nested = calloc(most, sizeof *slices->nested),
                                   .detached = calloc(most, sizeof *slices->detached)};
    struct pit__slice **stack = calloc(most, sizeof *stack);
    uint32_t *depths = make_depths(thread);
    int good = slices->nested && slices->detached && stack && depths;
    if (good) {
        add_all(&(struct building){thread, slices, depths}, run->end_ticks);
        reach_children(slices->nested, slices->nested_count, stack);
        qsort(slices->nested, slices->nested_count, sizeof *slices->nested, by_begin);
        qsort(slices->detached, slices->detached_count, sizeof *slices->detached, by_begin);
        nest(slices->nested, slices->nested_count, stack);
        to_ns(run, slices->nested, slices->nested_count);
        to_ns(run, slices->detached, slices->detached_count);
    }
    free(stack);
    free(depths);
    if (!good)
        pit__slices_free(slices);
    return good ? 0 : PIT_NO_MEMORY;
}

void pit__slices_free(struct pit__slices *slices)
{
    free(slices->nested);
    free(slices->detached);
    memset(slices, 0, sizeof *slices);
}
