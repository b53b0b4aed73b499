/* What the sampler read along the run. A recorder makes one SAMPLES block; more than one are read
 * as far as the first.
 *
 * A half of the points is only ever added to until it is full; then the other one is filled and
 * `half` turns. So a copy is good if `half` and its stride are the same after it as before; a point
 * that a reading was just added to may already have some figures of that reading.
 */
#include "reader.h"

#include <string.h>

#define TRIES 100

/* Word by word: a live run's sampler may be at it. */
static pit_sample copy_sample(const struct pit_fmt_sample *from)
{
    return (pit_sample){.ticks = PIT_LOAD_ACQUIRE(from->ticks),
                        .rss = PIT_LOAD_ACQUIRE(from->rss),
                        .rss_max = PIT_LOAD_ACQUIRE(from->rss_max),
                        .cpu_ns = PIT_LOAD_ACQUIRE(from->cpu_ns),
                        .threads = PIT_LOAD_ACQUIRE(from->threads),
                        .minor_faults = PIT_LOAD_ACQUIRE(from->minor_faults),
                        .major_faults = PIT_LOAD_ACQUIRE(from->major_faults),
                        .switches = PIT_LOAD_ACQUIRE(from->switches),
                        .forced_switches = PIT_LOAD_ACQUIRE(from->forced_switches),
                        .read_bytes = PIT_LOAD_ACQUIRE(from->read_bytes),
                        .write_bytes = PIT_LOAD_ACQUIRE(from->write_bytes),
                        .available = PIT_LOAD_ACQUIRE(from->available),
                        .cgroup_used = PIT_LOAD_ACQUIRE(from->cgroup_used),
                        .pressure = PIT_LOAD_ACQUIRE(from->pressure)};
}

/* The points of the active half; 0 if it turned meanwhile, or the figures fit no half. */
static int copy_points(const struct pit_fmt_samples *block, pit_sample *points, pit_run *run)
{
    uint64_t ever = PIT_LOAD_ACQUIRE(block->block.used);
    uint32_t half = PIT_LOAD_ACQUIRE(block->half);
    uint64_t stride = PIT_LOAD_ACQUIRE(block->stride[half & 1]);
    if (stride == 0)
        return 0;
    uint64_t count = ever / stride + (ever % stride != 0);
    if (count > PIT_FMT_SAMPLE_POINTS)
        return 0;
    for (uint64_t i = 0; i < count; i++)
        points[i] = copy_sample(&block->points[half & 1][i]);
    if (PIT_LOAD_ACQUIRE(block->half) != half ||
        PIT_LOAD_ACQUIRE(block->stride[half & 1]) != stride)
        return 0;
    run->samples = points;
    run->sample_count = (size_t)count;
    run->sample_stride = stride;
    return 1;
}

static int copy_newest(const struct pit_fmt_samples *block, pit_run *run)
{
    uint32_t turn = PIT_LOAD_ACQUIRE(block->newest_copy);
    const struct pit_fmt_sample *newest = &block->newest[turn & 1];
    run->newest = copy_sample(newest);
    return PIT_LOAD_ACQUIRE(block->newest_copy) == turn &&
           PIT_LOAD_ACQUIRE(newest->ticks) == run->newest.ticks;
}

static void read_limits(const struct pit_fmt_samples *block, pit_run *run)
{
    uint64_t version = PIT_LOAD_ACQUIRE(block->cgroup_version);
    run->machine_bytes = PIT_LOAD_ACQUIRE(block->machine_bytes);
    run->cgroup_limit = PIT_LOAD_ACQUIRE(block->cgroup_limit);
    run->cgroup_version = version <= 2 ? (int)version : 0;
    run->oom_kills = PIT_LOAD_ACQUIRE(block->oom_kills);
    run->rss_peak = PIT_LOAD_ACQUIRE(block->rss_peak);
    if (run->rss_peak == PIT_UNKNOWN)
        run->rss_peak = 0;
}

void pit__samples_read(const struct pit__image *image, struct pit__arena *arena, pit_run *run)
{
    size_t i = 0;
    run->machine_bytes = run->cgroup_limit = run->oom_kills = PIT_UNKNOWN;
    while (i < image->block_count && image->blocks[i].type != PIT_FMT_SAMPLES)
        i++;
    if (i == image->block_count)
        return;
    const struct pit_fmt_samples *block = (const void *)(image->base + image->blocks[i].offset);
    if (PIT_LOAD_ACQUIRE(block->block.used) == 0)
        return; /* just made: nothing in it holds yet */
    read_limits(block, run);
    pit_sample *points = pit__arena_array(arena, PIT_FMT_SAMPLE_POINTS, sizeof *points);
    for (int tries = 0; points && tries < TRIES; tries++)
        if (copy_points(block, points, run))
            break;
    for (int tries = 0; tries < TRIES && !run->has_samples; tries++)
        run->has_samples = copy_newest(block, run);
}
