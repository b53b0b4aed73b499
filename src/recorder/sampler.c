/* The background thread. Ten times per second it marks the run as alive, with a reading of the
 * clocks, samples the process, and notes where its main thread was in native code; every few seconds it
 * mirrors a run that is in shared memory. Signals are blocked in it; it ends at close and does not exist in a
 * forked child.
 */
#include "main_leaves.h"
#include "messages.h"
#include "native_places.h"
#include "own_file.h"
#include "recorder.h"

#include "base/own_threads.h"
#include "base/thread_begun.h"
#include "device/gpu_table.h"

#include <signal.h>

#define MIRROR_EVERY_NS ((uint64_t)5 * 1000000000u)
#define LONGEST_WAIT_S 60 /* for a mirror on slow storage */
#define STACK_BYTES ((size_t)256 * 1024)

/* Stored in the pair that is not current, which one store then makes current. Takes the lock: a
 * program that reads its own run marks the time too. */
void pit__clock_mark(pit_recorder *rec)
{
    struct pit_fmt_header *header = rec->header;
    struct pit_fmt_pair pair = pit__clock_pair();
    if (!pit__lock_take(&rec->control->lock))
        return;
    uint32_t next = ~header->last_pair & 1;
    PIT_STORE(header->last[next].ticks, pair.ticks);
    PIT_STORE(header->last[next].raw_ns, pair.raw_ns);
    PIT_STORE(header->last[next].wall_ns, pair.wall_ns);
    PIT_STORE(header->last[next].error_ns, pair.error_ns);
    PIT_STORE_ORDERED(header->last_pair, next);
    pit__lock_give(&rec->control->lock);
}

static void *sample(void *arg)
{
    pit__thread_begins();
    pit__own_thread_begins();
    pit__signals_off(); /* for good: this thread has blocked them, and taking a lock would block them again */
    pit_recorder *rec = arg;
    struct pit__control *control = rec->control;
    PIT_STORE(control->sampler_number, pit__own_number);
    uint64_t interval = (uint64_t)(1e9 / rec->sample_hz);
    uint64_t mirrored = pit__clock_monotonic_ns();
    struct pit__sources *sources = &rec->sources;
    pit__sources_reset(sources);
    if (!rec->is_mirrored) /* mirroring opens files through libc, which the whole process can see */
        pit__sources_own(sources);
    struct pit__file_watch watch = {.has_table = sources->keeps_open, .fd = -1};
    PIT_STORE(control->sampler_notes, 1);
    struct pit__native *native = pit__native_begin(rec);
    while (!PIT_LOAD_ACQUIRE(control->sampler_stop)) {
        pit__wait_while(&control->sampler_stop, 0, interval);
        pit__file_watch(rec, &watch);
        pit__samples_take(rec);
        pit__native_turn(native, rec);
        pit__callers_name(rec);
        pit__clock_mark(rec);
        if (!rec->is_mirrored || pit__clock_monotonic_ns() - mirrored < MIRROR_EVERY_NS)
            continue;
        pit__mirror(rec, 0);
        mirrored = pit__clock_monotonic_ns();
    }
    pit__native_end(native, rec);
    PIT_STORE(control->sampler_notes, 0);
    pit__sources_close(sources); /* the watch's descriptor is closed with the table */
    PIT_STORE_ORDERED(control->sampler_done, 1);
    pit__wake(&control->sampler_done);
    pit__own_thread_ends();
    return NULL;
}

void pit__sampler_start(pit_recorder *rec)
{
    if (!(rec->sample_hz > 0) || pit__is_bare_clone())
        return; /* starting a thread takes locks of libc */
    sigset_t all, before;
    pit__own_signals(&all);
    if (rec->guarded)
        pit__guard_signals(&all);
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pit__gpus_start();
    int begun = pit__threads_before();
    if (pthread_create(&rec->sampler, &attributes, sample, rec) == 0) {
        pit__thread_await(begun);
        rec->control->sampler_running = 1;
        pthread_setname_np(rec->sampler, "pitwall");
        if (!pit__main_may_leave())
            pit__sampler_stop(rec);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

/* By itself, or because the program's sandbox killed it in a system call. */
static int has_ended(const struct pit__control *control)
{
    int number = PIT_LOAD(control->sampler_number);
    return PIT_LOAD_ACQUIRE(control->sampler_done) || (number && pit__thread_is_gone(number));
}

void pit__sampler_stop(pit_recorder *rec)
{
    if (!rec->control->sampler_running)
        return;
    PIT_STORE_ORDERED(rec->control->sampler_stop, 1);
    pit__wake(&rec->control->sampler_stop);
    for (int i = 0; i < LONGEST_WAIT_S && !has_ended(rec->control); i++)
        pit__wait_while(&rec->control->sampler_done, 0, (uint64_t)1000000000u);
    if (!has_ended(rec->control))
        return; /* stuck in a write: the program continues, and the recorder stays */
    rec->sampler_killed = !PIT_LOAD_ACQUIRE(rec->control->sampler_done);
    if (!rec->sampler_killed) /* musl would wait for it forever */
        pthread_join(rec->sampler, NULL);
    rec->control->sampler_running = 0;
}
