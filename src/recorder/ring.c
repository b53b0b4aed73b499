/* The flight recorder: the last span events of each thread, in pieces taken from one budget.
 *
 * A thread's pieces form a circle. When a piece is full the thread takes another one, as long as
 * what is left of the budget is more than it has already, so that later threads find some; else it
 * writes over its own oldest.
 */
#include "recorder.h"

static struct pit_fmt_ring *piece_new(struct pit__thread *t)
{
    pit_recorder *rec = t->recorder;
    struct pit_fmt_ring *piece = NULL;
    pit__lock_take(&rec->control->lock);
    uint64_t left = rec->ring_budget - rec->ring_pieces;
    if (left > t->ring_pieces) {
        piece = pit__block_new(rec, PIT_FMT_RING, t->index, sizeof *piece, 1);
        if (piece)
            rec->ring_pieces++;
    }
    pit__lock_give(&rec->control->lock);
    if (!piece)
        return NULL;
    PIT_STORE(piece->block.a, UINT64_MAX);
    PIT_STORE_ORDERED(piece->block.b, PIT_FMT_RING_EVENTS);
    struct pit_fmt_ring *after = t->ring_pieces ? t->ring : piece;
    PIT_STORE(piece->block.c, t->ring_pieces ? after->block.c : pit__ref(t->base, piece));
    PIT_STORE(after->block.c, pit__ref(t->base, piece));
    t->ring_pieces++;
    return piece;
}

/* Without a piece of its own a thread writes where nobody looks: the hot path needs some room to
 * write to. The events are still counted. */
static struct pit_fmt_ring *nowhere(struct pit__thread *t)
{
    if (!t->ring)
        t->ring = pit__private_alloc(sizeof *t->ring);
    return t->ring;
}

static struct pit_fmt_ring *piece_next(struct pit__thread *t)
{
    struct pit_fmt_ring *piece = piece_new(t);
    if (piece)
        return piece;
    return t->ring_pieces ? pit__at(t->base, (uint32_t)t->ring->block.c) : nowhere(t);
}

void pit__ring_rare(struct pit__thread *t, const struct pit_fmt_pending *sample)
{
    struct pit_fmt_ring *piece = t->recorder ? piece_next(t) : NULL;
    if (!piece)
        return;
    PIT_STORE_ORDERED(piece->block.a, UINT64_MAX);
    t->ring = piece;
    t->ring_next = piece->events;
    t->ring_end = piece->events + PIT_FMT_RING_EVENTS;

    struct pit_fmt_event *event = t->ring_next++;
    PIT_STORE_ORDERED(event->begin, sample->begin);
    PIT_STORE_ORDERED(event->duration, sample->duration);
    PIT_STORE_ORDERED(event->where, sample->where);
    PIT_STORE_ORDERED(piece->block.a, t->file->ring_events);
    PIT_STORE_ORDERED(t->file->ring_events, t->file->ring_events + 1);
}
