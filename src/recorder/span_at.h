/* span_at.h: in which span a thread was at a moment that has just passed. */
#ifndef PIT_SPAN_AT_H
#define PIT_SPAN_AT_H

#include "recorder.h"

#define PIT__SPAN_UNKNOWN UINT32_MAX

/* A thread's stack as it was for a moment, and the way into its flight recorder. */
struct pit__span_view {
    const pit_recorder *rec;
    const struct pit__thread *thread; /* NULL: it has no table */
    const struct pit_fmt_ring *piece; /* where the next search begins; NULL: there is none */
    uint64_t piece_first;             /* number of its first event, as it was when it was found */
    uint64_t came;                    /* ticks when the thread got its table */
    uint64_t switched;                /* ticks of the last change to another stack */
    uint64_t changed;                 /* ticks of the last begin or end */
    uint64_t events;                  /* in the flight recorder, ever */
    struct pit_fmt_event pending;     /* the one that is not there yet; where 0: none */
    uint32_t index;                   /* of the table, or PIT_FMT_NO_THREAD */
    uint32_t depth;
    int is_steady; /* 0: the thread was too busy to be looked at */
    struct {
        uint64_t begin, where;
    } frames[PIT_FMT_FRAMES];
};

/* Look at the process's main thread. The view keeps its place in the flight recorder from one look to the
 * next; zero before the first. By one thread of our own, while the recorder is not freed. */
void pit__span_look(struct pit__span_view *view, pit_recorder *rec);

/* The innermost span that the thread was in at these ticks, which lie before the look and not before those
 * asked for earlier: the ref of its node, 0: outside of all. PIT__SPAN_UNKNOWN where the flight
 * recorder has lost that time: a guess would be a lie. */
uint32_t pit__span_at(struct pit__span_view *view, uint64_t ticks);

#endif
