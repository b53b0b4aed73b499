/* gpu_events.h: device times of spans with PIT_DEVICE: an event goes into the stream at the begin and at
 * the end, and a thread of ours asks later what lay between them. */
#ifndef PIT_GPU_EVENTS_H
#define PIT_GPU_EVENTS_H

#include "recorder.h"

struct pit__gpu_event {
    void *event;        /* NULL: none could be had */
    void *context;      /* that it belongs to */
    uint64_t before_ns; /* CLOCK_MONOTONIC_RAW before it was recorded */
};

/* An event in the calling thread's stream, recorded now. It never waits: without a driver, a context or
 * an event to be had the span has no device time. */
struct pit__gpu_event pit__gpu_mark(void);

/* The frame of this token, which was just pushed, begins with this event. t is held. */
void pit__gpu_begin(struct pit__thread *t, pit_token token, struct pit__gpu_event event);

/* The frame ends now; it may be one without an event. t is not held, and has t->gpu. */
void pit__gpu_end(struct pit__thread *t, const struct pit_fmt_frame *frame);

#endif
