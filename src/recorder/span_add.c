/* span_add.c: spans that are over when they are told of: work of a device, whose clock and order are its
 * own. Whoever drains a device's events adds them here, on any thread, to that thread's own tree at the
 * path of the span that launched the work: every node still has one writer. */
#include "device.h"

/* The node of a place in t's own tree; NULL: it is of another recorder, or there is no room. t is held. */
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

uint64_t pit_add(uint64_t place, const char *name, unsigned flags, uint64_t begin_ns,
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
