/* Spans as objects: begun on one thread, ended on this or another one.
 *
 * While open it is shown in a slot of the run. At its end the sample is added to the ending thread's
 * own tree, at the same path, so every node still has one writer.
 */
#include "recorder.h"

#define NO_SLOT UINT64_MAX
#define CLAIMED 1u /* no node has this ref: it lies in the header */

static uint64_t slot_take(pit_recorder *rec, const struct pit__thread *t, uint32_t node,
                          uint64_t begin)
{
    struct pit_fmt_objects *objects = rec->objects;
    for (uint64_t i = 0; objects && i < PIT_FMT_OBJECT_SLOTS; i++) {
        struct pit_fmt_object *slot = &objects->slots[i];
        uint32_t none = 0;
        if (PIT_LOAD(slot->node) != 0 ||
            !__atomic_compare_exchange_n(&slot->node, &none, CLAIMED, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        PIT_STORE_ORDERED(slot->begin, begin);
        PIT_STORE_ORDERED(slot->thread, t->index);
        PIT_STORE_ORDERED(slot->node, node);
        return i;
    }
    __atomic_fetch_add(&rec->header->counters[PIT_FMT_OBJECTS_UNSEEN], 1, __ATOMIC_RELAXED);
    return NO_SLOT;
}

/* Claim the object's end for this thread; returns 1 if the object was still open. The slot stays in use
 * until the sample is recorded, so that a kill in between leaves the object open or finished, never
 * both. */
static int slot_claim(pit_recorder *rec, const pit_object *object)
{
    if (object->slot == NO_SLOT)
        return 1;
    struct pit_fmt_object *slot = &rec->objects->slots[object->slot];
    uint32_t thread = object->thread;
    return PIT_LOAD(slot->node) == object->node && PIT_LOAD(slot->begin) == object->begin &&
           __atomic_compare_exchange_n(&slot->thread, &thread, thread | PIT_FMT_OBJECT_ENDING, 0,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static void slot_give(pit_recorder *rec, const pit_object *object)
{
    if (object->slot != NO_SLOT)
        PIT_STORE_ORDERED(rec->objects->slots[object->slot].node, 0);
}

pit_object pit_object_begin_name(const char *name)
{
    pit_object object = {0, 0, 0, 0, 0};
    struct pit__thread *t = PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    if (!t)
        return object;
    pit_recorder *rec = t->recorder;
    pit__hold(t);
    const struct pit__name *entry = pit__name_intern(name);
    struct pit_fmt_node *node =
        entry ? pit__node_find(t, pit__place(t), entry->id | PIT__DETACHED_BIT) : NULL;
    if (node) {
        object.generation = rec->generation;
        object.node = pit__ref(t->base, node);
        object.thread = t->index;
        object.begin = pit__clock_read(t->counter);
        object.slot = slot_take(rec, t, object.node, object.begin);
    } else {
        pit__bump(&t->file->counters[PIT_FMT_TABLE_FULL]);
    }
    pit__release(t);
    return object;
}

pit_object pit_object_begin(pit_site *site)
{
    pit_object none = {0, 0, 0, 0, 0};
    if (site)
        return pit_object_begin_name(site->name);
    pit__count_null(NULL);
    return none;
}

uint64_t pit_object_end(pit_object *object)
{
    if (!object || !object->begin)
        return 0;
    struct pit__thread *t = PIT_LOAD(pit__enabled) ? pit__thread_ready() : NULL;
    if (!t || t->recorder->generation != object->generation)
        return 0;
    pit_recorder *rec = t->recorder;
    uint64_t now = pit__clock_read(t->counter), duration = 0;
    pit__hold(t);
    if (!slot_claim(rec, object)) {
        pit__bump(&t->file->counters[PIT_FMT_END_WITHOUT_BEGIN]);
    } else {
        struct pit_fmt_node *node = object->thread == t->index ? pit__at(t->base, object->node)
                                                               : pit__node_own(t, object->node);
        if (node) {
            pit__sample(t, node, object->begin, now);
            duration = now > object->begin ? now - object->begin : 0;
        } else {
            pit__bump(&t->file->counters[PIT_FMT_TABLE_FULL]);
        }
        slot_give(rec, object);
    }
    pit__release(t);
    object->begin = 0;
    return pit__ticks_to_ns(rec, duration);
}
