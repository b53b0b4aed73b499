/* Memory of the process for callers without a recorder: RSS now, and around a piece of work.
 *
 * A probe is watched like a memory span (memory_span.c), so neither disturbs the other's peak. All
 * watched objects are in one list of the process, and a probe may be on a stack that is left without its
 * end: by a jump, an exception, a cancelled thread. So the list has slots of ours, and a probe has only
 * the number of its slot. When all slots are in use, the oldest is taken from its probe.
 */
#include "format/alloc_api.h"
#include "recorder.h"

#include <string.h>
#include <unistd.h>

#define SLOTS 256u /* maximum number of probes that can have a peak at a time */
#define NEAR 8u    /* slots that are searched for a probe */

struct slot {
    struct pit__watched watched;
    uint64_t ticket;        /* of the probe that has it; 0: free */
    const pit_probe *whose; /* compared, never dereferenced */
};

struct slots {
    uint64_t tickets; /* given out */
    struct slot slots[SLOTS];
};

static struct slots *process_slots; /* wiped by a fork, as the list is */

/* The library's part of a pit_probe. */
struct own {
    uint64_t ticket;                  /* 0: it has no slot */
    uint64_t number;                  /* of its slot */
    struct pit__alloc_counters alloc; /* at the begin */
    int64_t outer_peak;               /* the thread's live_peak before this probe reset it */
    uint32_t pid;                     /* after a fork, the child has a different list */
};

_Static_assert(sizeof(struct own) <= sizeof((pit_probe){0}.own), "room in a probe");

static struct slots *slots_of_process(void)
{
    struct slots *slots = PIT_LOAD_ACQUIRE(process_slots);
    if (slots)
        return slots;
    struct slots *fresh = pit__wiped_alloc(sizeof *fresh);
    if (!fresh)
        return NULL;
    return __atomic_compare_exchange_n(&process_slots, &slots, fresh, 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE)
               ? fresh
               : slots;
}

static int is_taken(struct slots *slots, uint64_t number, uint64_t before, struct own *own)
{
    own->number = number;
    return __atomic_compare_exchange_n(&slots->slots[number].ticket, &before, own->ticket, 0,
                                       __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static int is_oldest_taken(struct slots *slots, struct own *own)
{
    const struct slot *all = slots->slots;
    uint64_t oldest = 0;
    for (uint64_t i = 1; i < SLOTS; i++)
        if (PIT_LOAD(all[i].ticket) < PIT_LOAD(all[oldest].ticket))
            oldest = i;
    return is_taken(slots, oldest, PIT_LOAD(all[oldest].ticket), own);
}

/* The slot that the same probe had when it was left without its end, if it is near the place that its
 * address leads to; else the next free one; else the one that was taken longest ago. Called by any
 * thread and by signal handlers, so it never waits. */
static struct slot *take_slot(struct slots *slots, const pit_probe *probe, struct own *own)
{
    const struct slot *all = slots->slots;
    uint64_t first = ((uintptr_t)probe >> 4) * 0x9e3779b97f4a7c15u >> 56;
    int is_good = 0;
    own->ticket = __atomic_add_fetch(&slots->tickets, 1, __ATOMIC_RELAXED);
    for (uint64_t i = first; i < first + NEAR && !is_good; i++) {
        uint64_t before = PIT_LOAD(all[i % SLOTS].ticket);
        is_good = before && PIT_LOAD(all[i % SLOTS].whose) == probe &&
                  is_taken(slots, i % SLOTS, before, own);
    }
    for (uint64_t i = first; i < first + SLOTS && !is_good; i++)
        is_good = PIT_LOAD(all[i % SLOTS].ticket) == 0 && is_taken(slots, i % SLOTS, 0, own);
    if (!is_good && !is_oldest_taken(slots, own)) {
        own->ticket = 0; /* other threads were faster: no peak */
        return NULL;
    }
    struct slot *slot = &slots->slots[own->number];
    PIT_STORE(slot->whose, probe);
    slot->watched.peak_method = PIT_FMT_PEAK_NONE;
    slot->watched.error_bytes = 0;
    return slot;
}

static void give_slot(struct slot *slot, uint64_t ticket)
{
    if (!slot->watched.is_linked) /* else the slot is reused by the same probe, or taken from it */
        __atomic_compare_exchange_n(&slot->ticket, &ticket, 0, 0, __ATOMIC_RELEASE,
                                    __ATOMIC_RELAXED);
}

/* The probe's slot; NULL if another probe has taken it. */
static struct slot *slot_of(const struct own *own)
{
    struct slots *slots = PIT_LOAD_ACQUIRE(process_slots);
    if (!slots || !own->ticket || own->number >= SLOTS)
        return NULL;
    struct slot *slot = &slots->slots[own->number];
    return PIT_LOAD_ACQUIRE(slot->ticket) == own->ticket ? slot : NULL;
}

/* A signal handler may end the thread anywhere in here. */
static struct pit__guard enter(void)
{
    pit__note_thread();
    return pit__guard_enter_open();
}

uint64_t pit_rss(void)
{
    pit__resume();
    struct pit__guard before = enter();
    uint64_t rss = pit__resident();
    pit__guard_leave_open(before);
    return rss;
}

static void alloc_begin(struct own *own)
{
    const struct pit__alloc_api *api = pit__alloc_of_process();
    if (!api)
        return;
    struct pit__alloc_counters *now = api->counters();
    own->alloc = *now;
    own->outer_peak = now->live_peak;
    now->live_peak = now->live;
}

static void alloc_end(pit_probe *probe, const struct own *own)
{
    const struct pit__alloc_api *api = pit__alloc_of_process();
    if (!api)
        return;
    struct pit__alloc_counters *now = api->counters();
    probe->has_alloc = 1;
    probe->alloc_live = now->live - own->alloc.live;
    probe->alloc_peak =
        now->live_peak > own->alloc.live ? (uint64_t)(now->live_peak - own->alloc.live) : 0;
    if (own->outer_peak > now->live_peak)
        now->live_peak = own->outer_peak;
}

/* Adds the peak to the run's own, because the mark is reset afterwards. */
static void tell_run(uint64_t peak)
{
    pit_recorder *rec = PIT_LOAD(pit__enabled) ? pit_default_recorder() : NULL;
    if (rec && PIT_LOAD(rec->control->alive))
        pit__rss_peak_seen(rec, peak);
}

void pit_probe_begin(pit_probe *probe)
{
    struct own own = {.pid = (uint32_t)getpid()};
    if (!probe) {
        pit__count_null(NULL);
        return;
    }
    pit__resume();
    memset(probe, 0, sizeof *probe);
    struct own *place = (void *)probe->own;
    memcpy(place, &own, sizeof own);
    struct pit__guard before = enter();
    struct slots *slots = slots_of_process();
    struct slot *slot = slots ? take_slot(slots, probe, place) : NULL;
    struct pit__rss_reading now = {0};
    if (slot) {
        now = pit__watch_begin(&slot->watched, NULL, 0);
        give_slot(slot, place->ticket);
    } else {
        now.rss = pit__resident();
    }
    pit__guard_leave_open(before);
    probe->rss_begin = now.rss;
    tell_run(now.peak);
    alloc_begin(place); /* last, so that it starts right before the work */
}

void pit_probe_end(pit_probe *probe)
{
    if (!probe) {
        pit__count_null(NULL);
        return;
    }
    pit__resume();
    struct own *own = (void *)probe->own;
    if (own->pid != (uint32_t)getpid())
        return;
    alloc_end(probe, own);
    struct pit__guard before = enter();
    struct slot *slot = slot_of(own);
    struct pit__rss_reading now = {0};
    if (slot)
        now = pit__watch_end(&slot->watched, NULL);
    else
        now.rss = pit__resident();
    struct pit__watched seen = slot ? slot->watched : (struct pit__watched){0};
    if (slot)
        give_slot(slot, own->ticket);
    pit__guard_leave_open(before);
    own->pid = 0; /* a second end does nothing */
    probe->rss_end = now.rss;
    probe->error_bytes = seen.error_bytes;
    if (seen.peak_method != PIT_FMT_PEAK_NONE)
        probe->rss_peak = seen.peak;
    tell_run(now.peak);
}
