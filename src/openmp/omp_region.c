/* See omp_region.h. */
#include "omp_region.h"

#include "preload/recorder_link.h"

enum { NOT_TRIED, AT_IT, READY, WITHOUT };
static int state = NOT_TRIED;

static int prepare(void)
{
    int found = NOT_TRIED;
    if (!__atomic_compare_exchange_n(&state, &found, AT_IT, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return found == READY;
    int good = pit__link_find() && pit__link.team;
    __atomic_store_n(&state, good ? READY : WITHOUT, __ATOMIC_RELEASE);
    return good;
}

int pit__region_wanted(void)
{
    int now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
    return (now == READY || (now == NOT_TRIED && prepare())) &&
           __atomic_load_n(pit__link.enabled, __ATOMIC_RELAXED);
}

/* A region belongs to a span. A region outside all spans becomes a span itself. */
void pit__region_begin(struct pit__region *region)
{
    static pit_site site = PIT_SITE("parallel region");
    *region = (struct pit__region){0};
    if (!pit__link.place())
        region->span = pit__link.begin(&site);
    region->begin = pit__region_now();
}

void pit__region_end(const struct pit__region *region)
{
    uint64_t elapsed = pit__region_now() - region->begin;
    if (region->threads > 0)
        pit__link.team(region->threads, region->busy, region->slowest, elapsed);
    if (region->span)
        pit__link.end(region->span);
}

void pit__work_begin(struct pit__work *work, struct pit__region *region)
{
    *work = (struct pit__work){.region = region, .begin = pit__region_now()};
}

void pit__work_pause(struct pit__work *work)
{
    struct pit__region *region = work->region;
    if (!work->begin)
        return;
    uint64_t more = pit__region_now() - work->begin;
    work->begin = 0;
    work->busy += more;
    uint64_t most = __atomic_load_n(&region->slowest, __ATOMIC_RELAXED);
    while (work->busy > most && !__atomic_compare_exchange_n(&region->slowest, &most, work->busy, 0,
                                                             __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    __atomic_fetch_add(&region->busy, more, __ATOMIC_RELAXED);
    if (!work->is_counted)
        __atomic_fetch_add(&region->threads, 1, __ATOMIC_RELEASE);
    work->is_counted = 1;
}

void pit__work_resume(struct pit__work *work)
{
    work->begin = pit__region_now();
}
