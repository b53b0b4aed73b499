/* Begin, end and phase: the hot path. Each function is straight code for the common case, without
 * calls, and jumps to its rare counterpart (span_rare.c) before anything is stored in other cases.
 */
#include "span_steps.h"

struct pit__thread pit__nobody;
__thread struct pit__thread *pit__tls __attribute__((tls_model("initial-exec"))) = &pit__nobody;

/* This function and the next one are in one page. */
#define ONE_PAGE __attribute__((aligned(1024)))

/* For callers whose caches are cold: touches only what a span needs, not even the table of addresses
 * through which a shared library finds its thread's pointer. */
PIT__IN_SPANS ONE_PAGE pit_token pit__begin_at(struct pit__thread *const *at, uint32_t id)
{
    struct pit__thread *t = *at;
    pit_token gate = PIT_LOAD(t->gate);
    return PIT_LIKELY(pit__is_token(gate)) ? pit__begin_common(t, gate, id) : 0;
}

PIT__IN_SPANS uint64_t pit__end_at(struct pit__thread *const *at, pit_token token)
{
    struct pit__thread *t = *at;
    uint64_t now, duration;
    if (PIT_UNLIKELY(token != PIT_LOAD(t->gate)) ||
        PIT_UNLIKELY(!pit__end_common(t, token, &now, &duration)))
        return UINT64_MAX;
    return duration;
}

struct pit__thread *const *pit__here(void)
{
    return &pit__tls;
}

pit_token pit__begin(pit_site *site)
{
    struct pit__thread *t = pit__tls;
    pit_token gate = PIT_LOAD(t->gate);
    if (PIT_UNLIKELY(!pit__is_token(gate)))
        return pit__begin_rare(site);
    pit_token token = pit__begin_common(t, gate, PIT_LOAD(site->id));
    return PIT_LIKELY(token != 0) ? token : pit__begin_rare(site);
}

/* A closed gate holds a value that is not a token, so it matches none. The rare path reads the clock
 * again: keeping the first reading for it would cost the hot path a register. */
uint64_t pit_end_out_of_order(pit_token token)
{
    struct pit__thread *t = pit__tls;
    uint64_t now, duration;
    if (!token)
        return 0;
    if (PIT_UNLIKELY(token != PIT_LOAD(t->gate)) ||
        PIT_UNLIKELY(!pit__end_common(t, token, &now, &duration))) {
        duration = pit__end_apart_rare(token);
        now = pit__counter_read();
        t = pit__tls;
    }
    return duration ? pit__in_ns(t, now, duration) : 0;
}

void pit__end(pit_token token)
{
    struct pit__thread *t = pit__tls;
    uint64_t now, duration;
    if (PIT_UNLIKELY(token != PIT_LOAD(t->gate)) ||
        PIT_UNLIKELY(!pit__end_common(t, token, &now, &duration)))
        pit__end_rare(token, pit__counter_read());
}

uint64_t pit__end_ns(pit_token token)
{
    struct pit__thread *t = pit__tls;
    uint64_t now, duration;
    if (PIT_UNLIKELY(token != PIT_LOAD(t->gate)) ||
        PIT_UNLIKELY(!pit__end_common(t, token, &now, &duration))) {
        now = pit__counter_read();
        duration = pit__end_rare(token, now);
    }
    return duration ? pit__in_ns(t, now, duration) : 0;
}

/* The previous phase ends and this one begins with one clock reading. */
void pit__phase(pit_site *site)
{
    struct pit__thread *t = pit__tls;
    pit_token gate = PIT_LOAD(t->gate);
    if (PIT_UNLIKELY(!pit__is_token(gate)) ||
        PIT_UNLIKELY(!pit__phase_common(t, gate, PIT_LOAD(site->id))))
        pit__phase_rare(site);
}
