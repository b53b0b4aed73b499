/* track.c: time, memory and device use of a piece of work.
 *
 * Reading memory takes microseconds. It happens outside the time of the work itself, and `apart` sums up
 * its cost, so that surrounding work on the same thread does not count it either: a time is a difference of
 * clock readings minus the increase of `apart`. Paused time is subtracted only from the paused track.
 *
 * A track is on the heap because its probe is in a list of the process while it is open: if the work is
 * left by longjmp or an exception, this costs some bytes and nothing worse. */
#include "monitor.h"

#include <math.h>
#include <stdlib.h>

struct pit__track {
    pit_probe probe;
    pit_token token;
    uint64_t begin_ns, apart_ns; /* the clock and `apart` at the begin */
    uint64_t rss_begin;          /* from a source of a test; 0: the probe has it */
    uint64_t gpu_begin, gpu_mark;
    uint64_t paused_at; /* 0: it runs */
    uint64_t paused_ns; /* sum of all finished pauses */
    uint64_t thread;
    pit_device_use use; /* with the device of the begin */
    unsigned flags;
};

static _Thread_local __attribute__((tls_model("initial-exec"))) uint64_t apart;

struct pit__track *pit__track_begin(const char *name, unsigned flags, const pit_device_use *use)
{
    struct pit__track *track = calloc(1, sizeof *track);
    if (!track)
        return NULL;
    track->flags = flags;
    track->thread = pit__thread_number();
    track->use = (pit_device_use){pit__device_of(use), use ? use->wait : 0};
    if (flags & PIT_WAIT)
        track->use.wait = 1;
    /* Work submitted to the device earlier does not belong to this work. */
    uint64_t entered = pit__source_ns_on(&track->use);
    if (flags & (PIT_MEMORY | PIT_WAIT))
        track->gpu_mark = pit__device_mark(track->use.device, &track->gpu_begin);
    if ((flags & PIT_MEMORY) && pit__source_has_rss())
        track->rss_begin = pit__source_rss();
    else if (flags & PIT_MEMORY)
        pit_probe_begin(&track->probe);
    track->token = pit_begin_with(name, flags & PIT_MEMORY);
    track->begin_ns = pit__source_ns();
    apart += track->begin_ns - entered;
    track->apart_ns = apart;
    return track;
}

void pit__track_pause(struct pit__track *track)
{
    if (track && !track->paused_at)
        track->paused_at = pit__source_ns_on(&track->use);
}

void pit__track_resume(struct pit__track *track)
{
    if (!track || !track->paused_at)
        return;
    track->paused_ns += pit__source_ns() - track->paused_at;
    track->paused_at = 0;
}

static void cpu_figures(struct pit__taken *taken, uint64_t begin, uint64_t end, uint64_t peak)
{
    pit_row *row = &taken->row;
    if (begin == 0 || end == 0)
        return;
    row->has_memory = 1;
    row->cpu_start_mb = (double)begin / PIT__MB;
    row->cpu_end_mb = (double)end / PIT__MB;
    row->cpu_delta_mb = row->cpu_end_mb - row->cpu_start_mb;
    row->cpu_peak_mb = peak ? (double)peak / PIT__MB : (double)NAN;
    taken->own_left_mb = row->cpu_delta_mb;
    if (peak)
        taken->own_peak_mb = peak > begin ? row->cpu_peak_mb - row->cpu_start_mb : 0;
}

static void memory_end(struct pit__track *track, struct pit__taken *taken)
{
    if (track->rss_begin) {
        uint64_t end = pit__source_rss(), begin = track->rss_begin;
        cpu_figures(taken, begin, end, end > begin ? end : begin);
        return;
    }
    pit_probe *probe = &track->probe;
    pit_probe_end(probe);
    cpu_figures(taken, probe->rss_begin, probe->rss_end, probe->rss_peak);
    if (probe->has_alloc &&
        track->thread == pit__thread_number()) { /* counted allocations are more exact */
        taken->has_alloc = 1;
        taken->own_peak_mb = (double)probe->alloc_peak / PIT__MB;
        taken->own_left_mb = (double)probe->alloc_live / PIT__MB;
    }
}

static void device_end(struct pit__track *track, pit_row *row)
{
    pit_device_memory memory;
    if (!track->gpu_mark || pit__device_unmark(track->use.device, track->gpu_mark, &memory) != 0)
        return;
    row->has_device = 1;
    row->gpu_start_mb = pit__mb(track->gpu_begin);
    row->gpu_end_mb = pit__mb(memory.allocated);
    row->gpu_delta_mb = row->gpu_end_mb - row->gpu_start_mb;
    row->gpu_peak_mb = pit__mb(memory.peak);
}

void pit__track_end(struct pit__track *track, struct pit__taken *taken)
{
    *taken = (struct pit__taken){
        .row = {.count = 1, .seconds = NAN}, .own_peak_mb = NAN, .own_left_mb = NAN};
    if (!track)
        return;
    int is_own = track->thread == pit__thread_number();
    pit__track_resume(track);
    uint64_t now = pit__source_ns_on(&track->use);
    uint64_t left_out = track->paused_ns + (is_own ? apart - track->apart_ns : 0);
    uint64_t took_ns = is_own ? pit_end_ns(track->token) : 0;
    taken->row.seconds =
        pit__seconds_taken(left_out ? 0 : took_ns, track->begin_ns, now - left_out);
    taken->row.min_seconds = taken->row.max_seconds = taken->row.seconds;
    if (track->flags & PIT_MEMORY)
        memory_end(track, taken);
    device_end(track, &taken->row);
    free(track);
    apart += pit__source_ns() - now;
}
