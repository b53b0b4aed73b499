/* span_at.h: in which span a thread was at a moment that has just passed. */
#ifndef PIT_SPAN_AT_H
#define PIT_SPAN_AT_H

#include "recorder.h"

#define PIT__SPAN_UNKNOWN UINT32_MAX

/* A consistent copy of a thread's stack, and the position in its flight recorder. */
struct pit__span_view {
    const pit_recorder *rec;
    const struct pit__thread *thread; /* NULL: it has no table */
    const struct pit_fmt_ring *piece; /* where the next search begins; NULL: there is none */
    uint64_t piece_first;             /* number of its first event, as it was when it was found */
    uint64_t came;                    /* ticks when the thread got its table */
    uint64_t switched;                /* ticks of the last change to another stack */
    uint64_t changed;                 /* ticks of the last begin or end */
    uint64_t events;                  /* in the flight recorder, so far */
    struct pit_fmt_event pending;     /* the newest, which is not in it yet; where 0: none */
    uint32_t index;                   /* of the table, or PIT_FMT_NO_THREAD */
    uint32_t depth;
    int is_steady; /* 0: the thread changed too often for a consistent copy */
    struct {
        uint64_t begin, where;
    } frames[PIT_FMT_FRAMES];
};

/* Copy the main thread's state. Zero the view before the first call; it keeps its position in the flight
 * recorder from one call to the next. Only for our own threads, while the recorder is not freed. */
void pit__span_look(struct pit__span_view *view, pit_recorder *rec);

/* The ref of the node of the innermost span that the thread was in at these ticks; 0: outside all spans.
 * The ticks must be before the copy, and not before those of earlier calls. PIT__SPAN_UNKNOWN if the
 * flight recorder no longer has that time: we never guess. */
uint32_t pit__span_at(struct pit__span_view *view, uint64_t ticks);

#endif
