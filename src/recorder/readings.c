/* Readings of the sampler in the run: one block with the descriptions of the channels and their
 * rows. A point combines `stride` readings; when all points of a half are full, neighbours are
 * merged into the other half, which one store then makes current. So after a kill one half is
 * always complete.
 */
#include "recorder.h"
#include "sample_source.h"

#include "device/gpu_table.h"

#include <string.h>

/* ---- merging ------------------------------------------------------------------------------- */

static uint64_t mean(uint64_t a, uint64_t readings_a, uint64_t b, uint64_t readings_b)
{
    __extension__ typedef unsigned __int128 wide;
    wide all = (wide)readings_a + readings_b;
    return all ? (uint64_t)(((wide)a * readings_a + (wide)b * readings_b + all / 2) / all) : b;
}

uint64_t pit__merge(enum pit_fmt_merge rule, uint64_t a, uint64_t readings_a, uint64_t b,
                    uint64_t readings_b)
{
    if (rule == PIT_FMT_MERGE_LAST || a == PIT__UNKNOWN)
        return b;
    if (b == PIT__UNKNOWN)
        return a;
    switch (rule) {
    case PIT_FMT_MERGE_MAX:
        return a > b ? a : b;
    case PIT_FMT_MERGE_MIN:
        return a < b ? a : b;
    case PIT_FMT_MERGE_SUM:
        return a < PIT__UNKNOWN - 1 - b ? a + b : PIT__UNKNOWN - 1;
    case PIT_FMT_MERGE_MEAN:
        return mean(a, readings_a, b, readings_b);
    default:
        return b;
    }
}

/* ---- rows ---------------------------------------------------------------------------------- */

static uint64_t *row_at(const pit_recorder *rec, uint32_t half, uint64_t point)
{
    return rec->samples_rows + (2 + half * (uint64_t)PIT_FMT_SAMPLE_POINTS + point) *
                                   (1 + (uint64_t)rec->sources.list.count);
}

static void store_row(const pit_recorder *rec, uint64_t *to, const uint64_t *from)
{
    for (uint32_t i = 0; i <= rec->sources.list.count; i++)
        PIT_STORE(to[i], from[i]);
}

/* Combine two readings, or points: the time of the first, and each channel by its rule. */
static void join(const pit_recorder *rec, uint64_t *to, const uint64_t *a, uint64_t readings_a,
                 const uint64_t *b, uint64_t readings_b)
{
    PIT_STORE(to[0], a[0]);
    for (uint32_t i = 0; i < rec->sources.list.count; i++)
        PIT_STORE(to[1 + i], pit__merge((enum pit_fmt_merge)rec->sources.list.of[i].over_time,
                                        a[1 + i], readings_a, b[1 + i], readings_b));
}

/* All points of the active half are full: merge neighbours into the other half, then flip. */
static void fold(pit_recorder *rec)
{
    struct pit_fmt_channels *samples = rec->samples;
    uint32_t from = rec->samples_half, to = 1 - from;
    uint64_t stride = rec->samples_stride;
    for (uint32_t i = 0; i < PIT_FMT_SAMPLE_POINTS / 2; i++)
        join(rec, row_at(rec, to, i), row_at(rec, from, 2 * i), stride,
             row_at(rec, from, 2 * i + 1), stride);
    rec->samples_stride *= 2;
    rec->samples_half = to;
    PIT_STORE_ORDERED(samples->stride[to], rec->samples_stride);
    PIT_STORE_ORDERED(samples->half, to);
}

/* A point has the last reading of a counter; the counter's first reading is stored separately. */
static void keep_first(pit_recorder *rec, const uint64_t *row)
{
    struct pit_fmt_channel *channels = (void *)(rec->samples + 1);
    int is_missing = 0;
    for (uint32_t i = 0; i < rec->sources.list.count; i++) {
        struct pit_fmt_channel *known = &rec->sources.list.of[i];
        if (known->kind != PIT_FMT_COUNTER || known->first)
            continue;
        known->first = row[1 + i] == PIT__UNKNOWN ? 0 : row[1 + i];
        PIT_STORE(channels[i].first, known->first);
        is_missing |= !known->first;
    }
    rec->samples_begun = !is_missing;
}

void pit__readings_add(pit_recorder *rec, const uint64_t *row)
{
    struct pit_fmt_channels *samples = rec->samples;
    uint32_t copy = rec->samples_copy = 1 - rec->samples_copy;
    store_row(rec, rec->samples_rows + copy * (1 + (uint64_t)rec->sources.list.count), row);
    PIT_STORE_ORDERED(samples->newest_copy, copy);
    if (!rec->samples_begun)
        keep_first(rec, row);

    uint64_t count = rec->samples_used;
    if (count == rec->samples_stride * PIT_FMT_SAMPLE_POINTS)
        fold(rec);
    uint64_t stride = rec->samples_stride;
    uint64_t *point = row_at(rec, rec->samples_half, count / stride);
    if (count % stride)
        join(rec, point, point, count % stride, row, 1);
    else
        store_row(rec, point, row);
    rec->samples_used = count + 1;
    PIT_STORE_ORDERED(samples->block.used, count + 1);
}

/* Store reasons that a source has found meanwhile. A text is empty while it changes. */
static void keep_reasons(pit_recorder *rec)
{
    struct pit_fmt_channel *channels = (void *)(rec->samples + 1);
    for (uint32_t i = 0; i < rec->sources.list.count; i++) {
        const char *from = rec->sources.list.of[i].missing;
        char *to = channels[i].missing;
        if (memcmp(to, from, sizeof channels[i].missing) == 0)
            continue;
        PIT_STORE_ORDERED(to[0], 0);
        for (size_t c = 1; c < sizeof channels[i].missing; c++)
            PIT_STORE_ORDERED(to[c], from[c]);
        PIT_STORE_ORDERED(to[0], from[0]);
    }
    rec->sources.has_reasons = 0;
}

void pit__samples_take(pit_recorder *rec)
{
    if (!rec->samples)
        return;
    uint64_t ticks = pit__clock_read(pit__clock_is_counter(rec->clock));
    uint64_t peak = pit__sources_read(&rec->sources, ticks);
    pit__readings_add(rec, rec->sources.row);
    if (rec->sources.has_reasons)
        keep_reasons(rec);
    if (pit__gpus_find()->count)
        pit__watch_device();
    pit__rss_peak_seen(rec, peak);
}

/* Runs on a thread of the program, in whose table of descriptors nothing may stay open. After the
 * reading at close the recorder may be freed at any time. */
void pit__samples_add(pit_recorder *rec)
{
    pit__sources_reset(&rec->sources);
    pit__samples_take(rec);
    pit__sources_close(&rec->sources);
    if (PIT_LOAD(rec->closed))
        pit__peak_leave(rec);
}

/* ---- the block ----------------------------------------------------------------------------- */

static void fill_head(struct pit_fmt_channels *samples, const struct pit__channel_list *list)
{
    memcpy(samples + 1, list->of, list->count * sizeof list->of[0]);
    PIT_STORE(samples->machine_bytes, pit__machine_bytes());
    PIT_STORE(samples->cgroup_limit, pit__cgroup_limit());
    PIT_STORE(samples->cgroup_version, (uint64_t)pit__cgroup_version());
    PIT_STORE(samples->oom_kills, pit__oom_kills());
    PIT_STORE(samples->stride[0], 1);
    PIT_STORE_ORDERED(samples->stride[1], 1);
    PIT_STORE_ORDERED(samples->block.a, (uint64_t)list->count);
}

void pit__samples_new(pit_recorder *rec)
{
    struct pit__channel_list *list = &rec->sources.list;
    if (!(rec->sample_hz > 0))
        return;
    pit__channels_list(list);
    struct pit_fmt_channels *samples = pit__block_new(rec, PIT_FMT_CHANNELS, PIT_FMT_NO_THREAD,
                                                      pit_fmt_channels_bytes(list->count), 0);
    if (!samples)
        return;
    fill_head(samples, list);
    rec->samples_rows = (void *)((unsigned char *)samples + pit_fmt_rows_offset(list->count));
    rec->samples_stride = 1;
    rec->samples = samples;
    pit__peak_follow(rec);
    pit__samples_add(rec);
}
