/* The previous span's sample, finished by the next end: all its cases. span_steps.h has the common one.
 */
#include "span_steps.h"

/* Without a sample to finish, the ring does not advance: before the first one it has no room. */
PIT__IN_SPANS void pit__finish_previous_rare(struct pit__thread *t)
{
    struct pit_fmt_node *node = t->pending_node;
    if (!node) {
        pit__ring_resume(t);
        return;
    }
    const struct pit_fmt_pending *sample = &t->file->pending;
    uint64_t duration = sample->duration, end = sample->begin + duration;
    pit__hist_rare(t, node, duration);
    if (end < node->cur_end) {
        if (duration < node->cur_min)
            PIT_STORE_ORDERED(node->cur_min, duration);
        if (duration > node->cur_max)
            PIT_STORE_ORDERED(node->cur_max, duration);
    } else {
        pit__series_rare(t, node, end, duration);
    }
    struct pit_fmt_event *event = t->ring_next;
    if (t->ring_left == 0) {
        pit__ring_rare(t, sample);
        return;
    }
    PIT_STORE_ORDERED(event->begin, sample->begin);
    PIT_STORE_ORDERED(event->duration, duration);
    PIT_STORE_ORDERED(event->where, sample->where);
    t->ring_next = event + 1;
    t->ring_left--;
    PIT_STORE_ORDERED(t->file->ring_events, t->file->ring_events + 1);
}
