/* Queries of a recorder: its status, its pages, its time; and labels.
 */
#include "device.h"
#include "places.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_KEY 200u
#define LONGEST_LABEL 4096u

int pit_get_status(pit_recorder *recorder, pit_status *status)
{
    if (!status)
        return PIT_BAD_ARGUMENT;
    memset(status, 0, sizeof *status);
    status->path = "";
    pit_recorder *rec = recorder ? recorder : pit_default_recorder();
    if (!rec)
        return pit__is_off() ? PIT_OFF : PIT_NOT_OPEN;
    status->recording = pit__is_alive(rec) != 0;
    status->code = rec->code;
    status->system_errno = rec->system_errno;
    status->storage = (enum pit_storage)rec->place;
    status->path = rec->path;
    memcpy(status->run_id, rec->header->run_id, sizeof status->run_id);
    status->bytes = PIT_LOAD(rec->used_bytes);
    status->bytes_in_file = PIT_LOAD(rec->file_bytes);
    if (status->bytes_in_file > status->bytes)
        status->bytes_in_file = status->bytes;
    status->sample_stacks = rec->sample_stacks > 0 ? rec->sample_stacks : 0;
    status->place_samples = pit__places_samples(rec);
    return PIT_OK;
}

static int add_fact(const char *prefix, const char *key, const char *value)
{
    char name[256];
    if (!key || !*key || !value || strlen(key) > LONGEST_KEY || strlen(value) > LONGEST_LABEL)
        return PIT_BAD_ARGUMENT;
    pit__resume();
    pit_recorder *rec = PIT_LOAD(pit__enabled) ? pit__default_recorder() : NULL;
    if (!rec)
        return PIT_NOT_OPEN;
    snprintf(name, sizeof name, "%s%s", prefix, key);
    struct pit__guard before = pit__guard_enter();
    int code = pit__fact_add(rec, name, value);
    pit__guard_leave(before);
    return code;
}

int pit_label(const char *key, const char *value)
{
    return add_fact("label.", key, value);
}

int pit_add_fact(const char *key, const char *value)
{
    return add_fact("", key, value);
}

const void *pit_recorder_memory(pit_recorder *recorder, size_t *bytes)
{
    pit_recorder *rec = recorder ? recorder : pit_default_recorder();
    if (!rec || pit__forked_from(rec))
        return NULL;
    struct pit__guard before = pit__guard_enter();
    if (pit__is_alive(rec))
        pit__clock_mark(rec);
    pit__guard_leave(before);
    if (bytes)
        *bytes = PIT_LOAD_ACQUIRE(rec->used_bytes);
    return rec->base;
}

/* The scale is measured again whenever the run is twice as old as at the last measurement. `until` gets
 * the ticks up to which it holds. */
static double scale_now(const pit_recorder *rec, uint64_t *until)
{
    const struct pit_fmt_pair *first = &rec->first;
    uint64_t age = pit__clock_read(1) - first->ticks;
    uint64_t bits = PIT_LOAD(rec->scale_bits), basis = PIT_LOAD(rec->scale_basis);
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    if (age / 2 >= basis) {
        struct pit_fmt_pair now = pit__clock_pair();
        basis = now.ticks - first->ticks;
        scale = (double)(now.raw_ns - first->raw_ns) / (double)basis;
        memcpy(&bits, &scale, sizeof bits);
        pit_recorder *cache = (pit_recorder *)(uintptr_t)rec; /* only the cached scale changes */
        PIT_STORE(cache->scale_bits, bits);
        PIT_STORE(cache->scale_basis, basis);
    }
    *until = first->ticks + 2 * basis;
    return scale;
}

uint64_t pit__ticks_to_ns(const pit_recorder *rec, uint64_t ticks)
{
    uint64_t until;
    if (rec->clock->nominal_hz)
        return (uint64_t)((double)ticks * 1e9 / (double)rec->clock->nominal_hz);
    return (uint64_t)((double)ticks * scale_now(rec, &until));
}

uint64_t pit__ticks_of_raw(const pit_recorder *rec, uint64_t raw_ns)
{
    const struct pit_fmt_pair *first = &rec->first;
    uint64_t until, hz = rec->clock->nominal_hz;
    if (raw_ns <= first->raw_ns)
        return first->ticks;
    double ns_per_tick = hz ? 1e9 / (double)hz : scale_now(rec, &until);
    return first->ticks + (uint64_t)((double)(raw_ns - first->raw_ns) / ns_per_tick);
}

uint64_t pit__ticks_ns(uint64_t ticks)
{
    const pit_recorder *rec = pit_default_recorder();
    return pit__is_alive(rec) ? pit__ticks_to_ns(rec, ticks) : pit__clock_ns(ticks);
}

uint64_t pit__ticks_to_ns_rare(struct pit__thread *t, uint64_t ticks)
{
    if (t->recorder->clock->nominal_hz)
        return pit__ticks_to_ns(t->recorder, ticks);
    uint64_t until;
    double scale = scale_now(t->recorder, &until);
    t->scale = scale;
    PIT_SIGNAL_FENCE(); /* a handler's span must not use the scale before it is stored */
    PIT_STORE(t->scale_until, until);
    return (uint64_t)((double)ticks * scale);
}
