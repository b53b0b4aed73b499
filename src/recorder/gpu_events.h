/* gpu_events.h: device times of spans with PIT_DEVICE. An event is put into the stream at the begin and at
 * the end, and a separate thread later reads the time between them. */
#ifndef PIT_GPU_EVENTS_H
#define PIT_GPU_EVENTS_H

#include "recorder.h"

struct pit__gpu_event {
    void *event;        /* NULL: none was available */
    void *context;      /* of the event */
    uint64_t before_ns; /* CLOCK_MONOTONIC_RAW before it was recorded */
};

/* Record an event in the calling thread's stream now. It never waits: without a driver, a context or
 * a free event, the span has no device time. */
struct pit__gpu_event pit__gpu_mark(void);

/* The frame of this token, which was just pushed, begins with this event. t is held. */
void pit__gpu_begin(struct pit__thread *t, pit_token token, struct pit__gpu_event event);

/* The frame ends now; it need not have an event. t is not held, and has t->gpu. */
void pit__gpu_end(struct pit__thread *t, const struct pit_fmt_frame *frame);

#endif
