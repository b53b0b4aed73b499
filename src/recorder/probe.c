/* Memory of the process for callers without a recorder: RSS now, and around a piece of work.
 *
 * A probe is watched like a memory span (memory_span.c), so neither disturbs the other's peak.
 */
#include "format/alloc_api.h"
#include "recorder.h"

#include <string.h>
#include <unistd.h>

/* The library's part of a pit_probe. */
struct own {
    struct pit__watched watched;
    struct pit__alloc_counters alloc; /* at the begin */
    int64_t outer_peak;               /* the thread's live_peak before this probe reset it */
    uint32_t pid;                     /* of a process that forked since, the list is another one */
};

_Static_assert(sizeof(struct own) <= sizeof((pit_probe){0}.own), "room in a probe");

uint64_t pit_rss(void)
{
    pit__resume();
    struct pit__guard before = pit__guard_enter_open();
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

/* The run's own peak: the mark was read, and reset. */
static void tell_run(uint64_t peak)
{
    pit_recorder *rec = PIT_LOAD(pit__enabled) ? pit_default() : NULL;
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
    struct pit__guard before = pit__guard_enter_open();
    struct pit__rss_reading now = pit__watch_begin(&place->watched, NULL, 0);
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
    struct pit__guard before = pit__guard_enter_open();
    struct pit__rss_reading now = pit__watch_end(&own->watched, NULL);
    pit__guard_leave_open(before);
    own->pid = 0; /* a second end does nothing */
    probe->rss_end = now.rss;
    probe->error_bytes = own->watched.error_bytes;
    if (own->watched.peak_method != PIT_FMT_PEAK_NONE)
        probe->rss_peak = own->watched.peak;
    tell_run(now.peak);
}
