/* The steps that begins and ends are made of, for span.c and span_rare.c.
 *
 * The bookkeeping of a sample is finished by the next end: storing to an address that hangs on the
 * clock just read would stall the next loads, storing for the sample before costs next to nothing
 * beside two clock reads. The order of an end makes the run right at every instant, for a live
 * reader and after a kill (docs/run-format.md has the reader's side):
 *
 *   A  the previous sample goes to histogram, series and ring
 *   B  the new sample and a before-image of its node go to the thread's pending line
 *   C  the node's statistics, under its sequence count
 *   D  the parent frame's child time; pop
 *
 * Everything here runs on the thread that owns the table, which it holds.
 */
#ifndef PIT_SPAN_STEPS_H
#define PIT_SPAN_STEPS_H

#include "recorder.h"

#define PIT__INLINE static inline __attribute__((always_inline))

PIT__INLINE struct pit_fmt_node *pit__node_at(const struct pit__thread *t, uint64_t where)
{
    return pit__at(t->base, pit_fmt_ref_of(where));
}

/* Where in the pending sample's node and ring its parts belong, as far as it is the common case. */
struct pit__previous {
    struct pit_fmt_node *node;
    uint32_t *counter; /* of the histogram's window */
    uint32_t count;    /* what it becomes */
    uint64_t begin, duration, where;
    struct pit_fmt_event *event;
};

/* The common case of A, looked at before anything is stored: 0 if it is another one. */
PIT__INLINE int pit__previous_is_common(const struct pit__thread *t,
                                        const struct pit_fmt_thread *file, struct pit__previous *p)
{
    p->event = t->ring_next;
    if (PIT_UNLIKELY(p->event == t->ring_end))
        return 0;
    struct pit_fmt_node *node = p->node = t->pending_node;
    p->begin = file->pending.begin;
    p->duration = file->pending.duration;
    p->where = file->pending.where;
    uint32_t slot = pit_fmt_bucket_of(p->duration) - node->window;
    if (PIT_UNLIKELY(slot >= PIT_FMT_WINDOW))
        return 0;
    p->counter = &node->window_counts[slot];
    p->count = *p->counter + 1;
    if (PIT_UNLIKELY(p->count == 0))
        return 0;
    return PIT_LIKELY(p->begin + p->duration < node->cur_end);
}

/* A. Each of the three has a count by which a reader sees whether the sample has arrived there. */
PIT__INLINE void pit__finish_previous(struct pit__thread *t, struct pit_fmt_thread *file,
                                      const struct pit__previous *p)
{
    struct pit_fmt_node *node = p->node;
    PIT_STORE_ORDERED(*p->counter, p->count);
    PIT_STORE_ORDERED(node->cur_count, node->cur_count + 1);
    PIT_STORE_ORDERED(node->cur_total, node->cur_total + p->duration);
    if (p->duration < node->cur_min)
        PIT_STORE_ORDERED(node->cur_min, p->duration);
    if (p->duration > node->cur_max)
        PIT_STORE_ORDERED(node->cur_max, p->duration);
    PIT_STORE_ORDERED(p->event->begin, p->begin);
    PIT_STORE_ORDERED(p->event->duration, p->duration);
    PIT_STORE_ORDERED(p->event->where, p->where);
    t->ring_next = p->event + 1;
    PIT_STORE_ORDERED(file->ring_events, file->ring_events + 1);
}

/* B and C. */
PIT__INLINE void pit__apply(struct pit__thread *t, struct pit_fmt_thread *file, uint64_t where,
                            uint64_t begin, uint64_t duration, uint64_t child,
                            uint64_t parent_child)
{
    struct pit_fmt_node *node = pit__node_at(t, where);
    struct pit_fmt_pending *pending = &file->pending;
    uint64_t count = node->count, total = node->total, node_child = node->child;
    uint64_t sq_lo = node->sq_lo, sq_hi = node->sq_hi;

    PIT_STORE_ORDERED(pending->where, 0);
    PIT_STORE_ORDERED(pending->begin, begin);
    PIT_STORE_ORDERED(pending->duration, duration);
    PIT_STORE_ORDERED(pending->count, count);
    PIT_STORE_ORDERED(pending->total, total);
    PIT_STORE_ORDERED(pending->child, node_child);
    PIT_STORE_ORDERED(pending->sq_lo, sq_lo);
    PIT_STORE_ORDERED(pending->sq_hi, sq_hi);
    PIT_STORE_ORDERED(file->parent_child, parent_child);
    PIT_STORE_ORDERED(pending->where, where);
    t->pending_node = node;

    __extension__ unsigned __int128 squares =
        ((unsigned __int128)sq_hi << 64 | sq_lo) + (unsigned __int128)duration * duration;
    uint32_t seq = node->seq;
    PIT_STORE_ORDERED(node->seq, seq + 1);
    PIT_STORE_ORDERED(node->count, count + 1);
    PIT_STORE_ORDERED(node->total, total + duration);
    PIT_STORE_ORDERED(node->child, node_child + child);
    PIT_STORE_ORDERED(node->sq_lo, (uint64_t)squares);
    PIT_STORE_ORDERED(node->sq_hi, (uint64_t)(squares >> 64));
    if (duration < node->min)
        PIT_STORE_ORDERED(node->min, duration);
    if (duration > node->max)
        PIT_STORE_ORDERED(node->max, duration);
    PIT_STORE_ORDERED(node->seq, seq + 2);
}

/* B to D for the innermost frame. */
PIT__INLINE void pit__pop(struct pit__thread *t, struct pit_fmt_thread *file,
                          struct pit_fmt_frame *frame, uint64_t duration)
{
    uint64_t parent_child = frame[-1].child + duration;
    pit__apply(t, file, frame->where, frame->begin, duration, frame->child, parent_child);
    PIT_STORE_ORDERED(frame[-1].child, parent_child);
    pit_token token = t->token - 1;
    PIT_STORE_ORDERED(file->depth, (uint16_t)token);
    t->top = frame - 1;
    t->token = token;
}

PIT__INLINE pit_token pit__push(struct pit__thread *t, struct pit_fmt_thread *file,
                                struct pit_fmt_frame *frame, uint64_t where, uint64_t now)
{
    pit_token token = t->token + 1;
    PIT_STORE(frame->where, where);
    PIT_STORE(frame->child, 0);
    PIT_STORE(frame->begin, now);
    t->top = frame;
    t->token = token;
    PIT_STORE_ORDERED(file->depth, (uint16_t)token);
    return token;
}

/* The cached node for a name below a frame. */
PIT__INLINE const struct pit__cache_entry *pit__cached(const struct pit__thread *t, uint32_t id,
                                                       const struct pit_fmt_frame *parent)
{
    const struct pit__cache_entry *entry = &t->cache[id & t->cache_mask];
    uint64_t key = parent->where << 32 | id;
    return PIT_LIKELY(entry->key == key) ? entry : NULL;
}

/* The hot path's clock; PIT__READY says that it is the right one. */
PIT__INLINE uint64_t pit__counter_read(void)
{
    return pit__clock_read(1);
}

/* Begin and end where everything is as usual; 0 and nothing done where it is not. */
PIT__INLINE pit_token pit__begin_common(struct pit__thread *t, uint32_t id)
{
    struct pit_fmt_frame *parent = t->top;
    const struct pit__cache_entry *entry = pit__cached(t, id, parent);
    if (PIT_UNLIKELY(!entry))
        return 0;
    uint64_t where = entry->where;
    pit__hold(t);
    __builtin_prefetch(pit__node_at(t, where), 1);
    pit_token token = pit__push(t, t->file, parent + 1, where, pit__counter_read());
    pit__release(t);
    return token;
}

PIT__INLINE int pit__end_common(struct pit__thread *t, uint64_t now, uint64_t *duration)
{
    struct pit_fmt_thread *file = t->file;
    struct pit_fmt_frame *frame = t->top;
    struct pit__previous previous;
    if (PIT_UNLIKELY(!pit__previous_is_common(t, file, &previous)))
        return 0;
    uint64_t begin = frame->begin;
    if (PIT_UNLIKELY(now < begin))
        return 0;
    *duration = now - begin;
    pit__hold(t);
    pit__finish_previous(t, file, &previous);
    pit__pop(t, file, frame, *duration);
    pit__release(t);
    return 1;
}

#endif
