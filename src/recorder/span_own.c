/* span_own.c: queries about open spans, and spans of a given recorder. */
#include "recorder.h"

uint64_t pit__age_ns(pit_token token)
{
    struct pit__thread *t = pit__tls;
    if (!pit__is_free(t))
        return 0;
    uint64_t now = pit__now_of(t), depth = token - t->token_base;
    if (depth == 0 || depth > (uint64_t)(t->top - t->file->frames))
        return 0;
    uint64_t begin = t->file->frames[depth].begin + t->file->frames[depth].apart;
    if (t->file->frames[depth].where & PIT_FMT_WHERE_ENDED)
        return 0;
    return now > begin ? pit__ticks_to_ns(t->recorder, now - begin) : 0;
}

void pit__count(int which, uint64_t n)
{
    struct pit__thread *t = pit__tls;
    if (!pit__is_free(t) || t->top == t->file->frames)
        return;
    struct pit_fmt_node *node =
        pit__checked_at(t->recorder, pit_fmt_ref_of(t->top->where), sizeof *node);
    if (!node)
        return;
    uint64_t *sum = which == 0 ? &node->items : which == 1 ? &node->bytes : &node->flops;
    PIT_STORE(*sum, PIT_LOAD(*sum) + n);
}

/* ---- a given recorder ---------------------------------------------------------------------- */

static struct pit__thread *thread_in(pit_recorder *rec)
{
    if (!rec || !PIT_LOAD(rec->control->alive))
        return NULL;
    pit__resume();
    if (PIT_LOAD(pit__inside)) {
        __atomic_fetch_add(&rec->header->counters[PIT_FMT_IN_SIGNAL], 1, __ATOMIC_RELAXED);
        return NULL;
    }
    struct pit__thread *t = pit__attached(rec);
    if (!t)
        return pit__attach(rec);
    if (pit__is_free(t))
        return t;
    pit__is_counted_handler(t);
    return NULL;
}

pit_token pit_recorder_begin(pit_recorder *recorder, pit_site *site)
{
    if (!site)
        pit__count_null(recorder);
    struct pit__thread *t = site ? thread_in(recorder) : NULL;
    return t ? pit__begin_on(t, site) : 0;
}

pit_token pit_recorder_begin_name(pit_recorder *recorder, const char *name)
{
    struct pit__thread *t = thread_in(recorder);
    return t ? pit__begin_name_on(t, name, 0) : 0;
}

uint64_t pit_recorder_end(pit_recorder *recorder, pit_token token)
{
    struct pit__thread *t = token ? thread_in(recorder) : NULL;
    if (!t)
        return 0;
    uint64_t duration = pit__end_on(t, token, pit__now_of(t));
    return duration ? pit__ticks_to_ns(recorder, duration) : 0;
}
