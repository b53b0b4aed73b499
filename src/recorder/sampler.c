/* The background thread: ten times a second it marks that the run is alive, with a reading of the
 * clocks, and samples the process; every few seconds it mirrors a run that lives in shared memory.
 * All signals are blocked in it; it ends at close and does not exist in a forked child.
 */
#include "recorder.h"
#include "sample_source.h"

#include <signal.h>
#include <string.h>

#define MIRROR_EVERY_NS ((uint64_t)5 * 1000000000u)
#define LONGEST_WAIT_S 60 /* for a mirror to somewhere slow */
#define STACK_BYTES ((size_t)256 * 1024)

/* Written to the pair that is not in force, then put in force by one store. Takes the lock: a
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

/* ---- samples along the run ----------------------------------------------------------------- */

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The larger of two figures that may be unknown. */
static uint64_t most(uint64_t a, uint64_t b)
{
    return a == UINT64_MAX ? b : b == UINT64_MAX ? a : a > b ? a : b;
}

/* Two readings, or points, as one: when the first was, what the second says, the extremes. */
static struct pit_fmt_sample join(const struct pit_fmt_sample *a, const struct pit_fmt_sample *b)
{
    struct pit_fmt_sample joined = *b;
    joined.ticks = a->ticks;
    joined.rss_max = most(a->rss_max, b->rss_max);
    joined.available = least(a->available, b->available);
    joined.cgroup_used = most(a->cgroup_used, b->cgroup_used);
    joined.pressure = most(a->pressure, b->pressure);
    return joined;
}

static void store_sample(struct pit_fmt_sample *to, const struct pit_fmt_sample *from)
{
    uint64_t *words = (uint64_t *)to;
    const uint64_t *values = (const uint64_t *)from;
    for (size_t i = 0; i < sizeof *to / sizeof *words; i++)
        PIT_STORE(words[i], values[i]);
}

/* All points of the active half are full: fold neighbours into the other half, then flip. */
static void fold(pit_recorder *rec)
{
    struct pit_fmt_samples *samples = rec->samples;
    uint32_t from = rec->samples_half, to = 1 - from;
    for (uint32_t i = 0; i < PIT_FMT_SAMPLE_POINTS / 2; i++) {
        struct pit_fmt_sample joined =
            join(&samples->points[from][2 * i], &samples->points[from][2 * i + 1]);
        store_sample(&samples->points[to][i], &joined);
    }
    rec->samples_stride *= 2;
    rec->samples_half = to;
    PIT_STORE_ORDERED(samples->stride[to], rec->samples_stride);
    PIT_STORE_ORDERED(samples->half, to);
}

static void add_reading(pit_recorder *rec, struct pit__sources *sources)
{
    struct pit_fmt_samples *samples = rec->samples;
    if (!samples)
        return;
    uint64_t ticks = pit__clock_read(pit__clock_is_counter(rec->clock)), peak;
    struct pit_fmt_sample now = pit__sample_read(sources, ticks, &peak);
    uint32_t copy = rec->samples_copy = 1 - rec->samples_copy;
    store_sample(&samples->newest[copy], &now);
    PIT_STORE_ORDERED(samples->newest_copy, copy);
    pit__rss_peak_seen(rec, peak);

    uint64_t count = rec->samples_used;
    if (count == rec->samples_stride * PIT_FMT_SAMPLE_POINTS)
        fold(rec);
    uint64_t stride = rec->samples_stride;
    struct pit_fmt_sample *point = &samples->points[rec->samples_half][count / stride];
    struct pit_fmt_sample joined = count % stride ? join(point, &now) : now;
    store_sample(point, &joined);
    rec->samples_used = count + 1;
    PIT_STORE_ORDERED(samples->block.used, count + 1);
}

/* By a thread of the program, in whose table of descriptors nothing may stay. After the one at close
 * the recorder may be freed at any time. */
void pit__samples_add(pit_recorder *rec)
{
    struct pit__sources sources;
    memset(&sources, 0, sizeof sources);
    add_reading(rec, &sources);
    if (PIT_LOAD(rec->closed))
        pit__peak_leave(rec);
}

void pit__samples_new(pit_recorder *rec)
{
    if (!(rec->sample_hz > 0))
        return;
    struct pit_fmt_samples *samples =
        pit__block_new(rec, PIT_FMT_SAMPLES, PIT_FMT_NO_THREAD, sizeof *samples, 0);
    if (!samples)
        return;
    pit__sample_limits(samples);
    PIT_STORE(samples->stride[0], 1);
    PIT_STORE_ORDERED(samples->stride[1], 1);
    rec->samples_stride = 1;
    rec->samples = samples;
    pit__peak_follow(rec);
    pit__samples_add(rec);
}

static void *sample(void *arg)
{
    pit_recorder *rec = arg;
    struct pit__control *control = rec->control;
    uint64_t interval = (uint64_t)(1e9 / rec->sample_hz);
    uint64_t mirrored = pit__clock_monotonic_ns();
    struct pit__sources sources;
    memset(&sources, 0, sizeof sources);
    if (!rec->is_mirrored) /* mirroring opens files by libc's calls, for all to see */
        pit__sources_own(&sources);
    struct pit__file_watch watch = {.has_table = sources.keeps_open, .fd = -1};
    while (!PIT_LOAD_ACQUIRE(control->sampler_stop)) {
        pit__wait_while(&control->sampler_stop, 0, interval);
        pit__file_watch(rec, &watch);
        add_reading(rec, &sources);
        pit__clock_mark(rec);
        if (!rec->is_mirrored || pit__clock_monotonic_ns() - mirrored < MIRROR_EVERY_NS)
            continue;
        pit__mirror(rec, 0);
        mirrored = pit__clock_monotonic_ns();
    }
    pit__sources_close(&sources); /* the watch's descriptor goes with the table */
    PIT_STORE_ORDERED(control->sampler_done, 1);
    pit__wake(&control->sampler_done);
    return NULL;
}

void pit__sampler_start(pit_recorder *rec)
{
    if (!(rec->sample_hz > 0) || pit__is_bare_clone())
        return; /* starting a thread takes locks of libc */
    sigset_t all, before;
    sigfillset(&all);
    if (rec->guarded)
        pit__guard_signals(&all);
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
    for (int i = 0; i < LONGEST_WAIT_S && !PIT_LOAD_ACQUIRE(rec->control->sampler_done); i++)
        pit__wait_while(&rec->control->sampler_done, 0, (uint64_t)1000000000u);
    if (!PIT_LOAD_ACQUIRE(rec->control->sampler_done))
        return; /* in a write that does not end: the program goes on, and the recorder stays */
    pthread_join(rec->sampler, NULL);
    rec->control->sampler_running = 0;
}
