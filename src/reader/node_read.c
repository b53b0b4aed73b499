/* One node: its statistics are consistent with one instant, its histogram and series complete except for
 * the pending sample. docs/run-format.md explains the rules.
 */
#include "reader.h"

#include <string.h>

#define TRIES 200 /* a writer changes a node for a few nanoseconds at a time */

static struct pit__pending copy_pending(const struct pit_fmt_thread *thread)
{
    const struct pit_fmt_pending *raw = &thread->pending;
    struct pit__pending p;
    memset(&p, 0, sizeof p);
    p.where = PIT_LOAD_ACQUIRE(raw->where);
    p.begin = PIT_LOAD_ACQUIRE(raw->begin);
    p.duration = PIT_LOAD_ACQUIRE(raw->duration);
    p.count = PIT_LOAD_ACQUIRE(raw->count);
    p.total = PIT_LOAD_ACQUIRE(raw->total);
    p.child = PIT_LOAD_ACQUIRE(raw->child);
    p.sq_lo = PIT_LOAD_ACQUIRE(raw->sq_lo);
    p.sq_hi = PIT_LOAD_ACQUIRE(raw->sq_hi);
    uint32_t depth = pit_fmt_depth_of(p.where);
    if (depth > 0 && depth < PIT_FMT_FRAMES)
        p.frame_child = PIT_LOAD_ACQUIRE(thread->frames[depth].child);
    return p;
}

void pit__pending_read(const struct pit_fmt_thread *thread, struct pit__pending *pending)
{
    *pending = copy_pending(thread);
}

static void copy_stats(const struct pit_fmt_node *node, pit_raw_node *out)
{
    out->count = PIT_LOAD_ACQUIRE(node->count);
    out->total = PIT_LOAD_ACQUIRE(node->total);
    out->child = PIT_LOAD_ACQUIRE(node->child);
    out->min = PIT_LOAD_ACQUIRE(node->min);
    out->max = PIT_LOAD_ACQUIRE(node->max);
    out->sq_lo = PIT_LOAD_ACQUIRE(node->sq_lo);
    out->sq_hi = PIT_LOAD_ACQUIRE(node->sq_hi);
}

/* The node was being changed: its new state is the before-image plus the sample. */
static void complete(const struct pit__pending *p, pit_raw_node *out)
{
    __extension__ unsigned __int128 squares = ((unsigned __int128)p->sq_hi << 64 | p->sq_lo) +
                                              (unsigned __int128)p->duration * p->duration;
    out->count = p->count + 1;
    out->total = p->total + p->duration;
    out->child = p->child + p->frame_child;
    out->sq_lo = (uint64_t)squares;
    out->sq_hi = (uint64_t)(squares >> 64);
    if (p->duration < out->min)
        out->min = p->duration;
    if (p->duration > out->max)
        out->max = p->duration;
}

void pit__node_stats(const struct pit_fmt_node *node, const struct pit_fmt_thread *thread,
                     uint64_t ref, pit_raw_node *out)
{
    for (int i = 0; i < TRIES; i++) {
        uint32_t before = PIT_LOAD_ACQUIRE(node->seq);
        copy_stats(node, out);
        if (before % 2 == 0) {
            if (PIT_LOAD_ACQUIRE(node->seq) == before)
                break;
            continue;
        }
        struct pit__pending pending = copy_pending(thread);
        if (PIT_LOAD_ACQUIRE(node->seq) != before || pit_fmt_ref_of(pending.where) != ref)
            continue;
        complete(&pending, out);
        break;
    }
    if (out->count == 0)
        out->min = out->max = 0;
}

/* ---- histogram ----------------------------------------------------------------------------- */

/* Counts by bucket. Most nodes use a few of the 60 octaves; the others are never read. */
struct counts {
    uint64_t octaves; /* a bit for each octave that is filled in */
    uint64_t of[PIT_FMT_BUCKETS];
};

#define OCTAVES (PIT_FMT_BUCKETS / PIT_FMT_SUB)

static uint64_t *octave_counts(struct counts *counts, uint64_t octave)
{
    uint64_t *of = &counts->of[octave * PIT_FMT_SUB];
    if (!(counts->octaves >> octave & 1)) {
        counts->octaves |= (uint64_t)1 << octave;
        memset(of, 0, PIT_FMT_SUB * sizeof *of);
    }
    return of;
}

static void count_window(const struct pit_fmt_node *node, uint32_t full, struct counts *counts)
{
    uint32_t window = PIT_LOAD_ACQUIRE(node->window);
    /* none yet, or damaged */
    if (window > PIT_FMT_BUCKETS - PIT_FMT_WINDOW || window % PIT_FMT_SUB != 0)
        return;
    const uint64_t *pairs = (const void *)node->window_counts; /* most are empty: eight at a time */
    for (uint32_t i = 0; i < PIT_FMT_WINDOW; i += 8, pairs += 4) {
        if ((PIT_LOAD(pairs[0]) | PIT_LOAD(pairs[1]) | PIT_LOAD(pairs[2]) | PIT_LOAD(pairs[3])) ==
            0)
            continue;
        uint64_t *of = octave_counts(counts, (window + i) / PIT_FMT_SUB) + i % PIT_FMT_SUB;
        for (uint32_t k = 0; k < 8; k++) {
            uint32_t count = PIT_LOAD(node->window_counts[i + k]);
            of[k] += count != full ? count : 0;
        }
    }
}

static void count_octave(const struct pit__image *image, const struct pit__block *block,
                         struct counts *counts)
{
    const struct pit_fmt_octave *octave = (const void *)(image->base + block->offset);
    if (block->b >= OCTAVES)
        return;
    uint64_t *of = octave_counts(counts, block->b);
    for (uint32_t i = 0; i < PIT_FMT_SUB; i++)
        of[i] += PIT_LOAD(octave->counts[i]);
}

/* Returns the number of buckets that are not empty, and their sum. */
static size_t sum_up(const struct counts *counts, uint64_t *sum)
{
    size_t count = 0;
    *sum = 0;
    for (uint64_t left = counts->octaves; left; left &= left - 1) {
        const uint64_t *of = &counts->of[(size_t)__builtin_ctzll(left) * PIT_FMT_SUB];
        for (uint32_t i = 0; i < PIT_FMT_SUB; i++) {
            *sum += of[i];
            count += of[i] != 0;
        }
    }
    return count;
}

/* Write the buckets that are not empty, ascending. */
static void fill_bins(const struct counts *counts, pit_hist_bin *bins)
{
    for (uint64_t left = counts->octaves; left; left &= left - 1) {
        uint32_t first = (uint32_t)__builtin_ctzll(left) * PIT_FMT_SUB;
        for (uint32_t i = first; i < first + PIT_FMT_SUB; i++)
            if (counts->of[i])
                *bins++ =
                    (pit_hist_bin){pit_fmt_bucket_low(i), pit_fmt_bucket_high(i), counts->of[i]};
    }
}

void pit__node_hist(const struct pit__image *image, struct pit__arena *arena,
                    const struct pit_fmt_node *node, uint64_t ref,
                    const struct pit__block *const *octaves, size_t octave_count,
                    const struct pit__pending *pending, pit_raw_node *out)
{
    /* uninitialised: zeroing all of it would take longer than reading the node */
    struct counts counts;
    uint64_t sum;
    size_t count;
    uint32_t full = 0;
    do { /* killed while a full counter was carried over: it is counted twice, so once is subtracted */
        counts.octaves = 0;
        count_window(node, full, &counts);
        for (size_t i = 0; i < octave_count; i++)
            count_octave(image, octaves[i], &counts);
        count = sum_up(&counts, &sum);
        full = full ? 0 : UINT32_MAX;
    } while (full && sum > out->count && sum - out->count >= UINT32_MAX - 1u);
    if (pending->applied && pit_fmt_ref_of(pending->where) == ref && out->count == sum + 1) {
        uint32_t bucket = pit_fmt_bucket_of(pending->duration);
        octave_counts(&counts, bucket / PIT_FMT_SUB)[bucket % PIT_FMT_SUB]++;
        count = sum_up(&counts, &sum);
    }
    pit_hist_bin *bins = pit__arena_array(arena, count, sizeof *bins);
    if (bins)
        fill_bins(&counts, bins);
    out->hist = bins;
    out->hist_count = bins ? count : 0;
}

/* ---- series -------------------------------------------------------------------------------- */

#define LARGEST_SHIFT 56 /* a larger shift is damage: no clock counts that long */

struct course {
    struct pit_fmt_bucket buckets[PIT_FMT_SERIES_BUCKETS + 1];
    uint64_t shift;
    uint64_t last; /* index of the bucket past the end, for a sample that has not been folded yet */
    uint64_t count; /* of all buckets */
    uint64_t used;  /* number of buckets from the first on; the others are not set */
};

static struct pit_fmt_bucket *course_at(struct course *course, uint64_t index)
{
    while (course->used <= index)
        course->buckets[course->used++] = (struct pit_fmt_bucket){0, 0, 0, 0};
    return &course->buckets[index];
}

static void course_put(struct course *course, uint64_t index, struct pit_fmt_bucket bucket)
{
    *course_at(course, index) = bucket;
    course->count += bucket.count;
}

static struct pit_fmt_bucket copy_bucket(const struct pit_fmt_bucket *raw, int alive)
{
    if (!alive)
        return *raw;
    return (struct pit_fmt_bucket){PIT_LOAD(raw->count), PIT_LOAD(raw->total), PIT_LOAD(raw->min),
                                   PIT_LOAD(raw->max)};
}

/* Read the past buckets: those before the current one, or all of them while the current one is changing. */
static void read_past(const struct pit__image *image, const struct pit_fmt_node *node, uint64_t ref,
                      uint32_t index, struct course *course)
{
    uint64_t past = (uint64_t)PIT_LOAD_ACQUIRE(node->series) << PIT_FMT_REF_SHIFT;
    course->shift = PIT_LOAD(node->cur_shift);
    const struct pit__block *block = past ? pit__block_at(image, past, PIT_FMT_SERIES) : NULL;
    if (!block)
        return;
    const struct pit_fmt_series *series = (const void *)(image->base + block->offset);
    uint32_t whose = (uint32_t)PIT_LOAD_ACQUIRE(series->block.a);
    uint64_t shift = PIT_LOAD(series->block.b);
    if (whose != ref)
        return;
    course->shift = shift;
    for (; course->used < PIT_FMT_SERIES_BUCKETS && course->used < index; course->used++) {
        struct pit_fmt_bucket bucket = copy_bucket(&series->buckets[course->used], image->alive);
        course->buckets[course->used] = bucket;
        course->count += bucket.count;
    }
}

/* Add a sample to its bucket. */
static void course_add(struct course *course, uint64_t start, const struct pit__pending *p)
{
    uint64_t end = p->begin + p->duration, since = end > start ? end - start : 0;
    uint64_t index = since >> course->shift;
    if (index >= PIT_FMT_SERIES_BUCKETS) {
        course->last = index;
        index = PIT_FMT_SERIES_BUCKETS;
    }
    struct pit_fmt_bucket *bucket = course_at(course, index);
    if (bucket->count == 0 || p->duration < bucket->min)
        bucket->min = p->duration;
    if (p->duration > bucket->max)
        bucket->max = p->duration;
    bucket->count++;
    bucket->total += p->duration;
    course->count++;
}

/* The current bucket contains what the statistics gained since it began, except for a pending sample that
 * ended after it. That sample, or one that arrived while the bucket was changing, is added separately; a
 * pending sample inside the bucket may be missing in minimum and maximum. */
static void read_course(const struct pit__image *image, const struct pit_fmt_node *node,
                        uint64_t ref, const struct pit__pending *p, const pit_raw_node *out,
                        struct course *course)
{
    course->shift = course->last = course->count = course->used = 0;
    uint32_t index = PIT_LOAD_ACQUIRE(node->cur_index);
    int has_pending = p->applied && pit_fmt_ref_of(p->where) == ref;
    read_past(image, node, ref, index, course);
    if (course->shift > LARGEST_SHIFT)
        return;
    int is_behind = 1;
    if (index < PIT_FMT_SERIES_BUCKETS) {
        uint64_t count = PIT_LOAD(node->cur_count), total = PIT_LOAD(node->cur_total);
        /* a live run continued meanwhile */
        if (count > out->count || total > out->total)
            return;
        struct pit_fmt_bucket now = {out->count - count, out->total - total,
                                     PIT_LOAD(node->cur_min), PIT_LOAD(node->cur_max)};
        is_behind = p->begin + p->duration >= PIT_LOAD(node->cur_end);
        if (has_pending && is_behind && now.count > 0) {
            now.count--;
            now.total -= p->duration;
        } else if (has_pending) {
            now.min = p->duration < now.min ? p->duration : now.min;
            now.max = p->duration > now.max ? p->duration : now.max;
        }
        course_put(course, index, now);
    }
    if (has_pending && is_behind && course->count + 1 == out->count)
        course_add(course, image->header.first.ticks, p);
}

void pit__node_series(const struct pit__image *image, struct pit__arena *arena,
                      const struct pit_fmt_node *node, uint64_t ref,
                      const struct pit__pending *pending, pit_raw_node *out)
{
    struct course course;
    read_course(image, node, ref, pending, out, &course);
    if (course.shift > LARGEST_SHIFT)
        return;
    size_t count = 0;
    for (uint64_t i = 0; i < course.used; i++)
        count += course.buckets[i].count != 0;
    pit_series_bin *bins = pit__arena_array(arena, count, sizeof *bins), *to = bins;
    for (uint64_t i = 0; bins && i < course.used; i++) {
        const struct pit_fmt_bucket *b = &course.buckets[i];
        uint64_t index = i < PIT_FMT_SERIES_BUCKETS ? i : course.last;
        if (b->count)
            *to++ = (pit_series_bin){index << course.shift,
                                     (uint64_t)1 << course.shift,
                                     b->count,
                                     b->total,
                                     b->min,
                                     b->max};
    }
    out->series = bins;
    out->series_count = bins ? count : 0;
}
