/* Repairs a thread's table after a call that was interrupted and never resumed: by a signal handler that
 * jumped out of a begin or end (siglongjmp), or because its thread ended.
 *
 * The order of the stores keeps a table valid for a reader at every instant; the same rules make it valid
 * for the next writer. Afterwards nothing is pending: the pending sample is in its node, its histogram,
 * its series and its ring, or was dropped. An unfinished begin leaves no frame; an unfinished end leaves
 * its span open or ended, depending on how far it came.
 */
#include "span_steps.h"

/* The sum of a node's histogram. */
static uint64_t samples_in(const struct pit__thread *t, const struct pit_fmt_node *node)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < PIT_FMT_WINDOW; i++)
        sum += node->window_counts[i];
    const struct pit_fmt_octave *block = pit__checked_at(t->recorder, node->octaves, sizeof *block);
    for (uint32_t i = 0; block && i < PIT_FMT_BUCKETS / PIT_FMT_SUB; i++) {
        for (uint32_t k = 0; k < PIT_FMT_SUB; k++)
            sum += block->counts[k];
        block = pit__checked_at(t->recorder, block->block.c, sizeof *block);
    }
    return sum;
}

/* C was interrupted: the result is the before-image plus the sample. */
static void complete(const struct pit_fmt_thread *file, struct pit_fmt_node *node)
{
    const struct pit_fmt_pending *p = &file->pending;
    uint32_t depth = pit_fmt_depth_of(p->where);
    uint64_t child = depth > 0 && depth < PIT_FMT_FRAMES ? file->frames[depth].child : 0;
    __extension__ unsigned __int128 squares = ((unsigned __int128)p->sq_hi << 64 | p->sq_lo) +
                                              (unsigned __int128)p->duration * p->duration;
    PIT_STORE_ORDERED(node->count, p->count + 1);
    PIT_STORE_ORDERED(node->total, p->total + p->duration);
    PIT_STORE_ORDERED(node->child, p->child + child);
    PIT_STORE_ORDERED(node->sq_lo, (uint64_t)squares);
    PIT_STORE_ORDERED(node->sq_hi, (uint64_t)(squares >> 64));
    if (p->duration < node->min)
        PIT_STORE_ORDERED(node->min, p->duration);
    if (p->duration > node->max)
        PIT_STORE_ORDERED(node->max, p->duration);
    PIT_STORE_ORDERED(node->seq, node->seq + 1);
}

/* Does the newest event of the ring belong to this sample? */
static int is_in_ring(const struct pit__thread *t, const struct pit_fmt_pending *p)
{
    uint32_t used = PIT_FMT_RING_EVENTS - t->ring_left;
    if (!t->ring || t->ring->block.a == UINT64_MAX || used == 0)
        return 0;
    const struct pit_fmt_event *event = &t->ring->events[used - 1];
    return event->begin == p->begin && event->duration == p->duration && event->where == p->where;
}

/* The missing part of A. */
static void finish(struct pit__thread *t, struct pit_fmt_node *node)
{
    const struct pit_fmt_pending *p = &t->file->pending;
    uint64_t in_histogram = samples_in(t, node), end = p->begin + p->duration;
    if (node->count - in_histogram == 1)
        pit__hist_rare(t, node, p->duration);
    if (end >= node->cur_end) {
        pit__series_rare(t, node, end, p->duration);
    } else {
        if (p->duration < node->cur_min)
            PIT_STORE_ORDERED(node->cur_min, p->duration);
        if (p->duration > node->cur_max)
            PIT_STORE_ORDERED(node->cur_max, p->duration);
    }
    pit__ring_resume(t);
    if (is_in_ring(t, p))
        return;
    if (t->ring_left == 0) {
        pit__ring_rare(t, p);
        return;
    }
    PIT_STORE_ORDERED(t->ring_next->begin, p->begin);
    PIT_STORE_ORDERED(t->ring_next->duration, p->duration);
    PIT_STORE_ORDERED(t->ring_next->where, p->where);
    PIT_STORE_ORDERED(t->file->ring_events, t->file->ring_events + 1);
}

/* D, if the sample's frame is still on the stack. */
static void leave_frame(struct pit_fmt_thread *file)
{
    const struct pit_fmt_pending *p = &file->pending;
    uint32_t depth = pit_fmt_depth_of(p->where);
    struct pit_fmt_frame *frame = &file->frames[depth % PIT_FMT_FRAMES];
    if (depth == 0 || depth >= PIT_FMT_FRAMES || depth > file->depth ||
        file->parent_child == PIT_FMT_POPPED || frame->begin != p->begin ||
        pit_fmt_ref_of(frame->where) != pit_fmt_ref_of(p->where) ||
        frame->where & PIT_FMT_WHERE_ENDED)
        return;
    PIT_STORE_ORDERED(frame[-1].child, file->parent_child);
    if (depth == file->depth)
        PIT_STORE_ORDERED(file->depth, (uint16_t)(depth - 1));
    else
        PIT_STORE_ORDERED(frame->where, frame->where | PIT_FMT_WHERE_ENDED);
}

#define NEEDS_RARE_END                                                                             \
    (PIT_FMT_WHERE_MEMORY | PIT_FMT_WHERE_RECORD | PIT_FMT_WHERE_ALLOC | PIT_FMT_WHERE_WAIT |      \
     PIT_FMT_WHERE_ENERGY | PIT_FMT_WHERE_ENDED | PIT_FMT_WHERE_GROUP)

/* Data about the frames that is kept outside the run. */
static void mend_frames(struct pit__thread *t)
{
    struct pit_fmt_thread *file = t->file;
    uint32_t depth = file->depth < PIT_FMT_FRAMES ? file->depth : 0;
    t->top = file->frames + depth;
    t->special = 0;
    for (uint32_t i = depth; i > 0; i--)
        if (file->frames[i].apart || file->frames[i].where & NEEDS_RARE_END)
            t->special = i;
    for (uint32_t i = depth + 1; i < PIT_FMT_FRAMES; i++)
        PIT_STORE(file->frames[i].apart, 0);
    pit__measure_mend(t, depth);
    t->measured_at = 0;
}

void pit__mend(struct pit__thread *t)
{
    struct pit_fmt_thread *file = t->file;
    uint64_t where = file->pending.where;
    struct pit_fmt_node *node =
        where ? pit__checked_at(t->recorder, pit_fmt_ref_of(where), sizeof *node) : NULL;
    if (node) {
        if (node->seq % 2)
            complete(file, node);
        if (node->count == file->pending.count + 1) { /* the sample has reached the node */
            finish(t, node);
            leave_frame(file);
        }
    }
    mend_frames(t);
    pit__records_resume(t);
    t->pending_node = NULL;
    t->ring_left = 0;
    t->outer = 0;
    pit__release(t);
}
