/* The process's device, its work, and the calls before a recorder is closed. The recorder knows no device
 * library: the program that has one fills in pit_device.
 *
 * Work is finished when it is added, and has its own clock and order. The thread that drains a device's
 * events adds it, to its own tree, at the path of the span that launched it: every node still has one
 * writer. All of it is in one file, so that preloaded libraries find it in a program with
 * libpitwall.a. */
#include "device.h"

#include <stdlib.h>
#include <string.h>

static const pit_device *device;

void pit_set_device(const pit_device *new_device)
{
    PIT_STORE_ORDERED(device, new_device);
}

const pit_device *pit_get_device(void)
{
    return PIT_LOAD_ACQUIRE(device);
}

void pit__device_wait(void)
{
    const pit_device *now = pit_get_device();
    if (now && now->wait)
        now->wait(now->arg);
}

/* ---- its work --------------------------------------------------------------------------------- */

uint64_t pit_position(void)
{
    const struct pit__thread *t = PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    uint32_t ref = t ? pit__place(t) : 0;
    return ref ? t->recorder->generation << PIT__TOKEN_GENERATION_SHIFT | ref : 0;
}

/* The node of a place in t's own tree; NULL: another recorder's place, or no room. t is held. */
static struct pit_fmt_node *own_node(struct pit__thread *t, uint64_t place)
{
    uint64_t generation = t->recorder->generation;
    return place >> PIT__TOKEN_GENERATION_SHIFT == generation ? pit__node_own(t, (uint32_t)place)
                                                              : NULL;
}

static uint64_t add(struct pit__thread *t, uint64_t place, uint32_t id, uint64_t begin_ns,
                    uint64_t end_ns)
{
    const pit_recorder *rec = t->recorder;
    const struct pit_fmt_node *parent = place ? own_node(t, place) : NULL;
    struct pit_fmt_node *node = NULL;
    if (id && (parent || !place))
        node = pit__node_find(t, parent ? pit__ref(t->base, parent) : 0, id);
    if (!node) {
        pit__bump(&t->file->counters[PIT_FMT_TABLE_FULL]);
        return 0;
    }
    pit__sample(t, node, pit__ticks_of_raw(rec, begin_ns), pit__ticks_of_raw(rec, end_ns));
    return rec->generation << PIT__TOKEN_GENERATION_SHIFT | pit__ref(t->base, node);
}

uint64_t pit_add_span(uint64_t place, const char *name, unsigned flags, uint64_t begin_ns,
                      uint64_t end_ns)
{
    if (!name)
        pit__count_null(NULL);
    struct pit__thread *t = name && PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    if (!t || (place && place >> PIT__TOKEN_GENERATION_SHIFT != t->recorder->generation))
        return 0;
    uint32_t bits = PIT__DETACHED_BIT | (flags & PIT_DEVICE ? PIT__DEVICE_BIT : 0);
    pit__hold(t);
    const struct pit__name *entry = pit__name_intern(name);
    uint64_t added = add(t, place, entry ? entry->id | bits : 0, begin_ns, end_ns);
    pit__release(t);
    return added;
}

void pit__add_at(uint64_t place, uint64_t begin_ns, uint64_t end_ns)
{
    struct pit__thread *t = place && PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    if (!t || place >> PIT__TOKEN_GENERATION_SHIFT != t->recorder->generation)
        return;
    pit__hold(t);
    struct pit_fmt_node *node = own_node(t, place);
    if (node)
        pit__sample(t, node, pit__ticks_of_raw(t->recorder, begin_ns),
                    pit__ticks_of_raw(t->recorder, end_ns));
    else
        pit__bump(&t->file->counters[PIT_FMT_TABLE_FULL]);
    pit__release(t);
}

void pit_add_bytes(uint64_t place, uint64_t bytes)
{
    struct pit__thread *t = place && PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    if (!t)
        return;
    pit__hold(t);
    struct pit_fmt_node *node = own_node(t, place);
    if (node)
        PIT_STORE(node->bytes, PIT_LOAD(node->bytes) + bytes);
    pit__release(t);
}

/* ---- before a close -------------------------------------------------------------------------- */

#define MOST_CALLS 16u

/* Filled from the front, each pair once; `call` is stored last. Guarded by the table lock. */
static struct asked {
    void (*call)(void *arg);
    void *arg;
} asked[MOST_CALLS];

int pit_before_close(void (*call)(void *arg), void *arg)
{
    if (!call)
        return PIT_BAD_ARGUMENT;
    struct pit__lock *lock = pit__table_lock();
    if (!lock || !pit__lock_take(lock))
        return lock ? PIT_BUSY : PIT_NO_MEMORY;
    uint32_t i = 0;
    while (i < MOST_CALLS && asked[i].call && (asked[i].call != call || asked[i].arg != arg))
        i++;
    if (i < MOST_CALLS && !asked[i].call) {
        asked[i].arg = arg;
        PIT_STORE_ORDERED(asked[i].call, call);
    }
    pit__lock_give(lock);
    return i < MOST_CALLS ? 0 : PIT_NO_MEMORY;
}

void pit__ask_before_close(void)
{
    for (uint32_t i = 0; i < MOST_CALLS; i++) {
        void (*call)(void *arg) = PIT_LOAD_ACQUIRE(asked[i].call);
        if (call)
            call(asked[i].arg);
    }
}
