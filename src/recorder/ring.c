/* The flight recorder and the records: the last span events, and the last spans with PIT_RECORD,
 * of each thread, each in pieces taken from one budget.
 *
 * A thread's pieces form a circle. When a piece is full the thread takes another one, if more of the
 * budget is left than the thread has already, so that later threads get some; else it
 * overwrites its own oldest.
 */
#include "recorder.h"

static void link_in(const struct pit__thread *t, struct pit_fmt_block *piece, uint64_t room,
                    uint32_t *own, struct pit_fmt_block *after)
{
    PIT_STORE(piece->a, UINT64_MAX);
    PIT_STORE_ORDERED(piece->b, room);
    if (!*own || !after) /* the first one is its own circle */
        after = piece;
    PIT_STORE(piece->c, after == piece ? pit__ref(t->base, piece) : after->c);
    PIT_STORE(after->c, pit__ref(t->base, piece));
    ++*own;
}

/* One more piece for a circle of `own` pieces, linked after `after`. NULL: not within the budget. */
static void *piece_new(struct pit__thread *t, enum pit_fmt_block_type type, uint64_t bytes,
                       uint64_t room, uint32_t *own, struct pit_fmt_block *after)
{
    pit_recorder *rec = t->recorder;
    int is_ring = type == PIT_FMT_RING;
    uint64_t budget = is_ring ? rec->ring_budget : rec->record_budget;
    uint64_t *taken = is_ring ? &rec->ring_pieces : &rec->record_pieces;
    struct pit_fmt_block *piece = NULL;
    if (budget - PIT_LOAD(*taken) <= *own) /* `taken` never falls, so this needs no lock */
        return NULL;
    pit__signals_off();
    if (pit__lock_take(&rec->control->lock)) {
        if (budget - *taken > *own)
            piece = pit__block_new(rec, type, t->index, bytes, 1);
        if (piece)
            PIT_STORE(*taken, *taken + 1);
        pit__lock_give(&rec->control->lock);
    }
    if (piece)
        link_in(t, piece, room, own, after);
    pit__signals_on();
    return piece;
}

/* A thread without a piece writes to memory that is never read: the hot path needs room to write.
 * The events are still counted. */
static struct pit_fmt_ring *nowhere(struct pit__thread *t)
{
    if (!t->ring)
        PIT_STORE_ORDERED(t->ring, (struct pit_fmt_ring *)pit__private_alloc(sizeof *t->ring));
    return t->ring;
}

static struct pit_fmt_ring *piece_next(struct pit__thread *t)
{
    struct pit_fmt_ring *piece = piece_new(t, PIT_FMT_RING, sizeof *piece, PIT_FMT_RING_EVENTS,
                                           &t->ring_pieces, t->ring ? &t->ring->block : NULL);
    if (piece)
        return piece;
    if (!t->ring_pieces || !t->ring)
        return nowhere(t);
    piece = pit__checked_at(t->recorder, t->ring->block.c, sizeof *piece);
    return piece ? piece : t->ring;
}

void pit__ring_rare(struct pit__thread *t, const struct pit_fmt_pending *sample)
{
    struct pit_fmt_ring *piece = t->recorder ? piece_next(t) : NULL;
    if (!piece)
        return;
    PIT_STORE_ORDERED(piece->block.a, UINT64_MAX);
    PIT_STORE_ORDERED(t->ring, piece); /* the sampler's thread looks there */
    t->ring_next = piece->events;
    t->ring_left = PIT_FMT_RING_EVENTS - 1;

    struct pit_fmt_event *event = t->ring_next++;
    PIT_STORE_ORDERED(event->begin, sample->begin);
    PIT_STORE_ORDERED(event->duration, sample->duration);
    PIT_STORE_ORDERED(event->where, sample->where);
    PIT_STORE_ORDERED(piece->block.a, t->file->ring_events);
    PIT_STORE_ORDERED(t->file->ring_events, t->file->ring_events + 1);
}

void pit__ring_resume(struct pit__thread *t)
{
    uint64_t first = t->ring ? t->ring->block.a : UINT64_MAX;
    uint64_t used = first == UINT64_MAX ? UINT64_MAX : t->file->ring_events - first;
    t->ring_left = 0;
    if (used > PIT_FMT_RING_EVENTS)
        return;
    t->ring_next = t->ring->events + used;
    t->ring_left = PIT_FMT_RING_EVENTS - (uint32_t)used;
}

/* ---- records ------------------------------------------------------------------------------- */

struct pit_fmt_record *pit__record_next(struct pit__thread *t)
{
    if (t->records && t->records_next < PIT_FMT_RECORD_COUNT)
        return &t->records->records[t->records_next];
    struct pit_fmt_records *piece =
        piece_new(t, PIT_FMT_RECORDS, sizeof *piece, PIT_FMT_RECORD_COUNT, &t->record_pieces,
                  t->records ? &t->records->block : NULL);
    if (!piece && t->records)
        piece = pit__checked_at(t->recorder, t->records->block.c, sizeof *piece);
    if (!piece)
        piece = t->records;
    if (!piece) { /* nothing left for this thread: counted as dropped */
        PIT_ADD(t->file->records, 1);
        return NULL;
    }
    PIT_STORE_ORDERED(piece->block.a, UINT64_MAX);
    t->records = piece;
    t->records_next = 0;
    return &piece->records[0];
}

/* A piece gets its number with its first record. */
void pit__record_done(struct pit__thread *t)
{
    if (t->records_next++ == 0)
        PIT_STORE_ORDERED(t->records->block.a, t->file->records);
    PIT_ADD(t->file->records, 1);
}

void pit__records_resume(struct pit__thread *t)
{
    if (!t->records)
        return;
    uint64_t first = t->records->block.a;
    uint64_t used = first == UINT64_MAX ? 0 : t->file->records - first;
    t->records_next = used < PIT_FMT_RECORD_COUNT ? (uint32_t)used : PIT_FMT_RECORD_COUNT;
}
