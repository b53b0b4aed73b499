/* The background thread: ten times a second it marks that the run is alive, with a reading of the
 * clocks, and every few seconds it mirrors a run that lives in shared memory. All signals are
 * blocked in it; it ends at close and does not exist in a forked child.
 */
#include "recorder.h"

#include <signal.h>

#define MIRROR_EVERY_NS ((uint64_t)5 * 1000000000u)
#define STACK_BYTES ((size_t)256 * 1024)

/* Written to the pair that is not in force, then put in force by one store. Takes the lock: a
 * program that reads its own run marks the time too. */
void pit__clock_mark(pit_recorder *rec)
{
    struct pit_fmt_header *header = rec->header;
    struct pit_fmt_pair pair = pit__clock_pair();
    pit__lock_take(&rec->control->lock);
    uint32_t next = 1 - header->last_pair;
    PIT_STORE(header->last[next].ticks, pair.ticks);
    PIT_STORE(header->last[next].raw_ns, pair.raw_ns);
    PIT_STORE(header->last[next].wall_ns, pair.wall_ns);
    PIT_STORE(header->last[next].error_ns, pair.error_ns);
    PIT_STORE_ORDERED(header->last_pair, next);
    pit__lock_give(&rec->control->lock);
}

static void *sample(void *arg)
{
    pit_recorder *rec = arg;
    struct pit__control *control = rec->control;
    uint64_t interval = (uint64_t)(1e9 / rec->sample_hz);
    uint64_t mirrored = pit__clock_monotonic_ns();
    while (!PIT_LOAD_ACQUIRE(control->sampler_stop)) {
        pit__wait_while(&control->sampler_stop, 0, interval);
        pit__clock_mark(rec);
        if (!rec->live_path[0] || pit__clock_monotonic_ns() - mirrored < MIRROR_EVERY_NS)
            continue;
        pit__mirror(rec, 0);
        mirrored = pit__clock_monotonic_ns();
    }
    return NULL;
}

void pit__sampler_start(pit_recorder *rec)
{
    if (!(rec->sample_hz > 0))
        return;
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&rec->sampler, &attributes, sample, rec) == 0) {
        rec->control->sampler_running = 1;
        pthread_setname_np(rec->sampler, "pitwall");
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

void pit__sampler_stop(pit_recorder *rec)
{
    if (!rec->control->sampler_running)
        return;
    PIT_STORE_ORDERED(rec->control->sampler_stop, 1);
    pit__wake(&rec->control->sampler_stop);
    pthread_join(rec->sampler, NULL);
    rec->control->sampler_running = 0;
}
