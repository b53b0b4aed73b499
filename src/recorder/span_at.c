/* See span_at.h.
 *
 * A span that covered a moment is still open, or the last that ended (the pending sample), or in the flight
 * recorder, whose events are in the order of their ends. The first event that ends after the moment and
 * begins before it is the innermost finished span. Dropped spans are not found; their time belongs to
 * their parents, here as in the report.
 *
 * The thread keeps running meanwhile. Its frames are read twice, until both readings are the same; a piece
 * of the flight recorder that is reused while it is read has another first number afterwards. All loads
 * are ordered for that.
 */
#include "span_at.h"

#include <string.h>
#include <unistd.h>

#define TRIES 8
#define LOOK_BACK 32u     /* events: measured spans end some ticks after the end of their event */
#define MOST_EVENTS 8192u /* to search for one sample */

/* ---- the look ------------------------------------------------------------------------------- */

/* With the recorder's lock, which guards the list and the owner of each table. */
static const struct pit__thread *find_main(pit_recorder *rec)
{
    uint64_t main_thread = (uint64_t)getpid();
    if (!pit__lock_take(&rec->control->lock))
        return NULL;
    const struct pit__thread *t = rec->threads;
    while (t && !(t->in_use && PIT_LOAD(t->file->block.a) == main_thread))
        t = t->next_in_recorder;
    pit__lock_give(&rec->control->lock);
    return t;
}

struct glance {
    uint64_t events, begin, duration, where, top_begin, top_where, root, switched;
    uint32_t depth;
};

static struct glance glance_at(const struct pit__thread *t)
{
    const struct pit_fmt_thread *file = t->file;
    struct glance g;
    g.events = PIT_LOAD_ACQUIRE(file->ring_events);
    g.where = PIT_LOAD_ACQUIRE(file->pending.where);
    g.begin = PIT_LOAD_ACQUIRE(file->pending.begin);
    g.duration = PIT_LOAD_ACQUIRE(file->pending.duration);
    g.depth = PIT_LOAD_ACQUIRE(file->depth) % PIT_FMT_FRAMES;
    g.top_begin = PIT_LOAD_ACQUIRE(file->frames[g.depth].begin);
    g.top_where = PIT_LOAD_ACQUIRE(file->frames[g.depth].where);
    g.root = PIT_LOAD_ACQUIRE(file->frames[0].where);
    g.switched = PIT_LOAD_ACQUIRE(t->switched_at);
    return g;
}

static int is_same(const struct glance *a, const struct glance *b)
{
    return a->events == b->events && a->where == b->where && a->begin == b->begin &&
           a->duration == b->duration && a->depth == b->depth && a->top_begin == b->top_begin &&
           a->top_where == b->top_where && a->root == b->root && a->switched == b->switched;
}

/* During an end, the sample before the pending one is only in the flight recorder: search there. */
static uint64_t last_change(const struct glance *g)
{
    if (!g->where && g->events)
        return UINT64_MAX;
    uint64_t ended = g->where ? g->begin + g->duration : 0;
    return g->depth && g->top_begin > ended ? g->top_begin : ended;
}

static int copy_stack(struct pit__span_view *view, const struct pit__thread *t)
{
    struct glance before = glance_at(t), after = before;
    for (int i = 0; i < TRIES; i++, before = after) {
        for (uint32_t k = 0; k <= before.depth; k++) {
            view->frames[k].begin = PIT_LOAD_ACQUIRE(t->file->frames[k].begin);
            view->frames[k].where = PIT_LOAD_ACQUIRE(t->file->frames[k].where);
        }
        after = glance_at(t);
        if (!is_same(&before, &after))
            continue;
        view->depth = after.depth;
        view->events = after.events;
        view->pending = (struct pit_fmt_event){after.begin, after.duration, after.where};
        view->switched = after.switched;
        view->changed = last_change(&after);
        return 1;
    }
    return 0;
}

/* ---- the flight recorder -------------------------------------------------------------------- */

static const struct pit_fmt_ring *next_piece(const struct pit__span_view *view,
                                             const struct pit_fmt_ring *piece)
{
    return pit__checked_at(view->rec, PIT_LOAD(piece->block.c), sizeof *piece);
}

static uint64_t first_of(const struct pit_fmt_ring *piece)
{
    return PIT_LOAD_ACQUIRE(piece->block.a);
}

static int is_in_run(const pit_recorder *rec, const struct pit_fmt_ring *piece)
{
    uintptr_t from = (uintptr_t)rec->base, at = (uintptr_t)piece;
    return at >= from && at - from < PIT_LOAD(rec->mapped_bytes);
}

/* Start where the last search ended, unless the thread has reused that piece. Else start with the oldest
 * piece: the one after the newest or, while the circle is still growing, the first one. */
static void find_piece(struct pit__span_view *view)
{
    if (view->piece && first_of(view->piece) == view->piece_first)
        return;
    const struct pit_fmt_ring *newest = PIT_LOAD_ACQUIRE(view->thread->ring);
    view->piece = NULL;
    if (!newest || !is_in_run(view->rec, newest))
        return; /* a thread without a piece writes to memory that is never read */
    const struct pit_fmt_ring *oldest = next_piece(view, newest);
    if (oldest && first_of(oldest) == UINT64_MAX) /* it is about to be the newest */
        oldest = next_piece(view, oldest);
    view->piece = oldest;
    view->piece_first = oldest ? first_of(oldest) : UINT64_MAX;
    if (view->piece_first == UINT64_MAX)
        view->piece = NULL;
}

void pit__span_look(struct pit__span_view *view, pit_recorder *rec)
{
    const struct pit__thread *t = find_main(rec);
    if (t != view->thread)
        view->piece = NULL;
    view->rec = rec;
    view->thread = t;
    view->index = t ? t->index : PIT_FMT_NO_THREAD;
    view->is_steady = !t || copy_stack(view, t);
    if (t)
        view->came = PIT_LOAD(t->file->block.c);
    if (t && view->is_steady)
        find_piece(view);
}

static struct pit_fmt_event event_at(const struct pit_fmt_ring *piece, uint64_t i)
{
    const struct pit_fmt_event *event = &piece->events[i];
    return (struct pit_fmt_event){PIT_LOAD_ACQUIRE(event->begin), PIT_LOAD_ACQUIRE(event->duration),
                                  PIT_LOAD_ACQUIRE(event->where)};
}

static uint64_t end_of(struct pit_fmt_event event)
{
    return event.begin + event.duration;
}

/* How many events of a piece there were at the time of the copy. */
static uint64_t events_in(const struct pit__span_view *view, uint64_t first)
{
    uint64_t count = first < view->events ? view->events - first : 0;
    return count < PIT_FMT_RING_EVENTS ? count : PIT_FMT_RING_EVENTS;
}

/* Advance to the last piece that begins with an event before these ticks. 0: all begin later. */
static int go_to(struct pit__span_view *view, uint64_t ticks)
{
    if (!events_in(view, view->piece_first))
        return 0; /* the thread went once around the circle since the copy */
    for (;;) {
        const struct pit_fmt_ring *next = next_piece(view, view->piece);
        uint64_t first = next ? first_of(next) : UINT64_MAX;
        if (first <= view->piece_first || !events_in(view, first) ||
            end_of(event_at(next, 0)) > ticks)
            break;
        view->piece = next;
        view->piece_first = first;
    }
    return view->piece_first == 0 || end_of(event_at(view->piece, 0)) <= ticks;
}

/* A span object or device work: on no stack, and added at any time after its end. */
static int is_object(struct pit_fmt_event event)
{
    return pit_fmt_depth_of(event.where) == 0;
}

/* The first event of the piece that ends after these ticks; the piece's count if none does. */
static uint64_t first_after(const struct pit__span_view *view, uint64_t ticks)
{
    uint64_t low = 0, high = events_in(view, view->piece_first);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2, at = middle;
        while (at > low && is_object(event_at(view->piece, at)))
            at--; /* those are not in the order of their ends */
        struct pit_fmt_event event = event_at(view->piece, at);
        if (is_object(event) || end_of(event) <= ticks)
            low = middle + 1;
        else
            high = at;
    }
    return low > LOOK_BACK ? low - LOOK_BACK : 0;
}

/* What an event shows about the moment. COVERS: this was the innermost finished span. NONE_DOES: no
 * finished span covers it, because one directly in the open frame began later. */
enum says { NOTHING, COVERS, NONE_DOES };
static enum says ask(struct pit_fmt_event event, uint64_t ticks, uint32_t depth)
{
    uint32_t own = pit_fmt_depth_of(event.where);
    if (own == 0 || end_of(event) <= ticks) /* own 0: a span object, which is on no stack */
        return NOTHING;
    if (event.begin <= ticks)
        return COVERS;
    return own <= depth + 1 ? NONE_DOES : NOTHING;
}

struct search {
    uint64_t ticks;
    uint32_t depth; /* of the innermost open frame that covers them */
    struct pit_fmt_event found;
};

static enum says search_ring(struct pit__span_view *view, struct search *search, int *is_known)
{
    const struct pit_fmt_ring *piece = view->piece;
    uint64_t first = view->piece_first, i = first_after(view, search->ticks), looked = 0;
    enum says says = NOTHING;
    while (says == NOTHING && piece && looked < MOST_EVENTS) {
        uint64_t count = events_in(view, first);
        for (; i < count && says == NOTHING && looked < MOST_EVENTS; i++, looked++) {
            search->found = event_at(piece, i);
            says = ask(search->found, search->ticks, search->depth);
        }
        *is_known = first_of(piece) == first && looked < MOST_EVENTS;
        if (says != NOTHING || !*is_known || count < PIT_FMT_RING_EVENTS)
            break;
        const struct pit_fmt_ring *next = next_piece(view, piece);
        uint64_t next_first = next ? first_of(next) : UINT64_MAX;
        if (next_first <= first || !events_in(view, next_first))
            break;
        piece = next;
        first = next_first;
        i = 0;
    }
    if (says == NOTHING && first + events_in(view, first) < view->events)
        *is_known = 0; /* the search reached events that are lost */
    return says;
}

/* Search the spans that have ended. */
static enum says search_ended(struct pit__span_view *view, struct search *search, int *is_known)
{
    enum says says = NOTHING;
    *is_known = 1;
    if (view->events) {
        *is_known = view->piece && go_to(view, search->ticks);
        if (*is_known)
            says = search_ring(view, search, is_known);
    }
    if (says != NOTHING || !*is_known || !view->pending.where)
        return says;
    search->found = view->pending;
    return ask(search->found, search->ticks, search->depth);
}

uint32_t pit__span_at(struct pit__span_view *view, uint64_t ticks)
{
    if (!view->thread || ticks < view->came)
        return 0;
    if (!view->is_steady || ticks < view->switched)
        return PIT__SPAN_UNKNOWN;
    uint32_t depth = view->depth;
    for (; depth; depth--) {
        int is_ended = (view->frames[depth].where & PIT_FMT_WHERE_ENDED) != 0;
        if (!is_ended && view->frames[depth].begin <= ticks)
            break;
    }
    uint32_t open = pit_fmt_ref_of(view->frames[depth].where) & ~PIT__BELOW_BIT;
    if (ticks >= view->changed)
        return open;
    struct search search = {ticks, depth, {0, 0, 0}};
    int is_known;
    enum says says = search_ended(view, &search, &is_known);
    if (!is_known)
        return PIT__SPAN_UNKNOWN;
    return says == COVERS ? pit_fmt_ref_of(search.found.where) : open;
}
