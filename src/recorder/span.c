/* Begin, end and phase: the hot path. Each function is straight code for the common case, without
 * calls inside, and a jump to its rare twin (span_rare.c) before anything is stored otherwise.
 */
#include "span_steps.h"

struct pit__thread pit__nobody;
__thread struct pit__thread *pit__tls __attribute__((tls_model("initial-exec"))) = &pit__nobody;

pit_token pit__begin(pit_site *site)
{
    struct pit__thread *t = pit__tls;
    if (PIT_UNLIKELY(PIT_LOAD(t->ready) != PIT__READY))
        return pit__begin_rare(site);
    pit_token token = pit__begin_common(t, PIT_LOAD(site->id));
    return PIT_LIKELY(token != 0) ? token : pit__begin_rare(site);
}

void pit__end(pit_token token)
{
    struct pit__thread *t = pit__tls;
    uint64_t now = pit__counter_read(), duration;
    if (PIT_UNLIKELY(PIT_LOAD(t->ready) != PIT__READY || token != t->token) ||
        PIT_UNLIKELY(!pit__end_common(t, now, &duration)))
        pit__end_rare(token, now);
}

uint64_t pit__end_ns(pit_token token)
{
    struct pit__thread *t = pit__tls;
    uint64_t now = pit__counter_read(), duration;
    if (PIT_UNLIKELY(PIT_LOAD(t->ready) != PIT__READY || token != t->token) ||
        PIT_UNLIKELY(!pit__end_common(t, now, &duration)))
        duration = pit__end_rare(token, now);
    return duration ? pit__ticks_to_ns(t->recorder, duration) : 0;
}

/* The phase before ends and this one begins with one reading of the clock. */
void pit__phase(pit_site *site)
{
    struct pit__thread *t = pit__tls;
    struct pit_fmt_thread *file = t->file;
    struct pit_fmt_frame *frame = t->top;
    struct pit__previous previous;
    if (PIT_UNLIKELY(PIT_LOAD(t->ready) != PIT__READY) ||
        PIT_UNLIKELY(!(frame->where & PIT_FMT_WHERE_PHASE)) ||
        PIT_UNLIKELY(!pit__previous_is_common(t, file, &previous))) {
        pit__phase_rare(site);
        return;
    }
    const struct pit__cache_entry *entry = pit__cached(t, PIT_LOAD(site->id), frame - 1);
    uint64_t now = pit__counter_read(), begin = frame->begin;
    if (PIT_UNLIKELY(!entry || now < begin)) {
        pit__phase_rare(site);
        return;
    }
    uint64_t where = entry->where | PIT_FMT_WHERE_PHASE;
    pit__hold(t);
    pit__finish_previous(t, file, &previous);
    pit__pop(t, file, frame, now - begin);
    pit__push(t, file, frame, where, now);
    pit__release(t);
}
