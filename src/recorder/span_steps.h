/* The steps of begins and ends, for span.c and span_rare.c.
 *
 * The bookkeeping of a sample is finished by the next end: storing to an address that depends on the
 * clock just read would stall the next loads, while storing for the previous sample costs almost nothing
 * compared with two clock readings. The order of an end keeps the run valid at every instant, for a
 * live reader and after a kill (docs/run-format.md has the reader's side):
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
    uint32_t ref = pit_fmt_ref_of(where);
    __asm__(""
            : "+r"(ref)); /* else the compiler shifts first and then masks with a long constant */
    return pit__at(t->base, ref);
}

/* Where the pending sample belongs, in the common case. */
struct pit__previous {
    struct pit_fmt_node *node;
    uint32_t *counter; /* of the histogram's window */
    uint64_t begin, duration;
    struct pit_fmt_event *event;
};

/* The common case of A, checked before anything is stored: 0 if it is another case. */
PIT__INLINE int pit__previous_is_common(const struct pit__thread *t,
                                        const struct pit_fmt_thread *file, struct pit__previous *p)
{
    p->event = t->ring_next;
    if (PIT_UNLIKELY(t->ring_left == 0))
        return 0;
    struct pit_fmt_node *node = p->node = t->pending_node;
    p->begin = file->pending.begin;
    p->duration = file->pending.duration;
    uint32_t slot = pit_fmt_bucket_of(p->duration) - node->window;
    if (PIT_UNLIKELY(slot >= PIT_FMT_WINDOW))
        return 0;
    p->counter = &node->window_counts[slot];
    if (PIT_UNLIKELY(*p->counter == UINT32_MAX))
        return 0;
    return PIT_LIKELY(p->begin + p->duration < node->cur_end);
}

/* A. From the histogram's sum and the ring's count a reader knows whether the sample has arrived there;
 * it is in the series if it ended before cur_end. */
PIT__INLINE void pit__finish_previous(struct pit__thread *t, struct pit_fmt_thread *file,
                                      const struct pit__previous *p)
{
    struct pit_fmt_node *node = p->node;
    PIT_ADD32(*p->counter, 1);
    if (p->duration < node->cur_min)
        PIT_STORE_ORDERED(node->cur_min, p->duration);
    if (p->duration > node->cur_max)
        PIT_STORE_ORDERED(node->cur_max, p->duration);
    PIT_STORE_ORDERED(p->event->begin, p->begin);
    PIT_STORE_ORDERED(p->event->duration, p->duration);
    PIT_STORE_ORDERED(p->event->where, file->pending.where);
    t->ring_next = p->event + 1;
    t->ring_left--;
    PIT_ADD(file->ring_events, 1);
}

/* B and C. */
PIT__INLINE void pit__apply(struct pit__thread *t, struct pit_fmt_thread *file, uint64_t where,
                            uint64_t begin, uint64_t duration, uint64_t child,
                            uint64_t parent_child)
{
    struct pit_fmt_node *node = pit__node_at(t, where);
    struct pit_fmt_pending *pending = &file->pending;

    PIT_STORE_ORDERED(pending->where, 0);
    PIT_STORE_ORDERED(pending->begin, begin);
    PIT_STORE_ORDERED(pending->duration, duration);
    PIT_STORE_ORDERED(pending->count, node->count);
    PIT_STORE_ORDERED(pending->total, node->total);
    PIT_STORE_ORDERED(pending->child, node->child);
    PIT_STORE_ORDERED(pending->sq_lo, node->sq_lo);
    PIT_STORE_ORDERED(pending->sq_hi, node->sq_hi);
    PIT_STORE_ORDERED(file->parent_child, parent_child);
    PIT_STORE_ORDERED(pending->where, where);
    t->pending_node = node;

    __extension__ unsigned __int128 square = (unsigned __int128)duration * duration;
    PIT_ADD32(node->seq, 1);
    PIT_ADD(node->count, 1);
    PIT_ADD(node->total, duration);
    PIT_ADD(node->child, child);
    PIT_ADD128(node->sq_lo, node->sq_hi, (uint64_t)square, (uint64_t)(square >> 64));
    if (duration < node->min)
        PIT_STORE_ORDERED(node->min, duration);
    if (duration > node->max)
        PIT_STORE_ORDERED(node->max, duration);
    PIT_ADD32(node->seq, 1);
}

/* B to D for the innermost frame; depth is the one below it. */
PIT__INLINE void pit__pop(struct pit__thread *t, struct pit_fmt_thread *file,
                          struct pit_fmt_frame *frame, uint16_t depth, uint64_t duration)
{
    uint64_t parent_child = frame[-1].child + duration;
    pit__apply(t, file, frame->where, frame->begin, duration, frame->child, parent_child);
    PIT_STORE_ORDERED(frame[-1].child, parent_child);
    PIT_STORE_ORDERED(file->depth, depth);
    t->top = frame - 1;
}

PIT__INLINE void pit__push(struct pit__thread *t, struct pit_fmt_thread *file,
                           struct pit_fmt_frame *frame, uint16_t depth, uint64_t where,
                           uint64_t now)
{
#if !defined(__x86_64__)
    /* If two clock readings can give the same tick, a new frame can look like the sample that
     * was just popped: this marks it as popped. */
    PIT_STORE_ORDERED(file->parent_child, PIT_FMT_POPPED);
#endif
    PIT_STORE(frame->where, where);
    PIT_STORE(frame->child, 0);
    PIT_STORE(frame->begin, now);
    t->top = frame;
    PIT_STORE_ORDERED(file->depth, depth);
}

/* The recorder's clock data is kept in the cache lines that a span touches. */
PIT__INLINE uint64_t pit__in_ns(struct pit__thread *t, uint64_t now, uint64_t ticks)
{
    return PIT_LIKELY(now < t->scale_until) ? (uint64_t)((double)ticks * t->scale)
                                            : pit__ticks_to_ns_rare(t, ticks);
}

/* The cached node for a name below a frame. */
PIT__INLINE const struct pit__cache_entry *pit__cached(const struct pit__thread *t, uint32_t id,
                                                       const struct pit_fmt_frame *parent)
{
    const struct pit__cache_entry *entry = &t->cache[id & t->cache_mask];
    uint64_t key = parent->where << 32 | id;
    return PIT_LIKELY(entry->key == key) ? entry : NULL;
}

/* The hot path's clock: an open gate guarantees that it is the right one. */
PIT__INLINE uint64_t pit__counter_read(void)
{
    return pit__clock_read(1);
}

/* Close the gate: the stack address shows later whether this call still runs. */
PIT__INLINE void pit__gate_close(struct pit__thread *t)
{
    PIT_SIGNAL_FENCE();
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
    __asm__ volatile("movq %%rsp, %0" : "=m"(t->gate));
#else
    PIT_STORE(t->gate, pit__stack_here());
#endif
    PIT_SIGNAL_FENCE();
}

/* Open it for the innermost frame. */
PIT__INLINE void pit__gate(struct pit__thread *t, pit_token token)
{
    PIT_SIGNAL_FENCE();
    PIT_STORE(t->gate, token);
    PIT_SIGNAL_FENCE();
}

/* Begin and end in the common case; 0, with the gate open again and nothing done, in any other case.
 * The gate is closed before anything is read: a signal handler's span in between would make the data
 * stale. */
PIT__INLINE pit_token pit__begin_where(struct pit__thread *t, pit_token gate, uint32_t id,
                                       uint64_t *to)
{
    pit__gate_close(t);
    struct pit_fmt_frame *parent = t->top;
    const struct pit__cache_entry *entry = pit__cached(t, id, parent);
    if (PIT_UNLIKELY(!entry)) {
        pit__gate(t, gate);
        return 0;
    }
    uint64_t where = *to = entry->where;
    __builtin_prefetch(pit__node_at(t, where), 1);
    pit_token token = gate + 1; /* its low bits are the depth */
    pit__push(t, t->file, parent + 1, (uint16_t)token, where, pit__counter_read());
    pit__gate(t, token);
    if (token == 0)
        __builtin_unreachable(); /* saves the caller a check */
    return token;
}

PIT__INLINE pit_token pit__begin_common(struct pit__thread *t, pit_token gate, uint32_t id)
{
    uint64_t where;
    return pit__begin_where(t, gate, id, &where);
}

/* Call it with the gate closed; now is not before the last sample's end. */
PIT__INLINE int pit__end_closed(struct pit__thread *t, pit_token gate, uint64_t now,
                                uint64_t *duration)
{
    struct pit_fmt_thread *file = t->file;
    struct pit_fmt_frame *frame = t->top;
    uint64_t begin = frame->begin;
    struct pit__previous previous;
    if (PIT_UNLIKELY(!pit__previous_is_common(t, file, &previous)) || PIT_UNLIKELY(now < begin)) {
        pit__gate(t, gate);
        return 0;
    }
    *duration = now - begin;
    pit__finish_previous(t, file, &previous);
    pit__pop(t, file, frame, (uint16_t)(gate - 1), *duration);
    pit__gate(t, gate - 1);
    return 1;
}

/* The clock is read after the gate is closed: a signal handler's span between the two would be inside
 * this span but after its end, and could be the longer one. */
PIT__INLINE int pit__end_common(struct pit__thread *t, pit_token gate, uint64_t *now,
                                uint64_t *duration)
{
    pit__gate_close(t);
    *now = pit__counter_read();
    return pit__end_closed(t, gate, *now, duration);
}

PIT__INLINE int pit__phase_common(struct pit__thread *t, pit_token gate, uint32_t id)
{
    pit__gate_close(t);
    struct pit_fmt_thread *file = t->file;
    struct pit_fmt_frame *frame = t->top; /* frame 0 is no phase, so frame - 1 exists */
    uint64_t now = pit__counter_read(), begin = frame->begin;
    const struct pit__cache_entry *entry =
        frame->where & PIT_FMT_WHERE_PHASE ? pit__cached(t, id, frame - 1) : NULL;
    struct pit__previous previous;
    if (PIT_UNLIKELY(!entry) || PIT_UNLIKELY(!pit__previous_is_common(t, file, &previous)) ||
        PIT_UNLIKELY(now < begin)) {
        pit__gate(t, gate);
        return 0;
    }
    uint64_t where = entry->where | PIT_FMT_WHERE_PHASE;
    pit__finish_previous(t, file, &previous);
    pit__pop(t, file, frame, (uint16_t)(gate - 1), now - begin);
    pit__push(t, file, frame, (uint16_t)gate, where, now);
    pit__gate(t, gate);
    return 1;
}

#endif
