/* See tree_stream.h. Each run has its own clock, so the limits of histogram bins differ between runs; a thousand
 * runs would have a thousand times as many bins. Durations are therefore put into 64 buckets per octave,
 * which are the same for all runs. */
#include "tree_stream.h"

#include "base/grow.h"
#include "reader/losses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS_AN_OCTAVE 64
#define ZERO_BUCKET 0u /* durations below a nanosecond */

static uint32_t bucket_of(double ns)
{
    return ns < 1 ? ZERO_BUCKET : 1u + (uint32_t)(log2(ns) * BUCKETS_AN_OCTAVE);
}

static pit_bin bin_of(const struct pit__stream_bin *from)
{
    double low = ((double)from->bucket - 1) / BUCKETS_AN_OCTAVE;
    if (from->bucket == ZERO_BUCKET)
        return (pit_bin){0, 1, from->count};
    return (pit_bin){exp2(low), exp2(low + 1.0 / BUCKETS_AN_OCTAVE), from->count};
}

/* Most buckets exist already and bins ascend, so the search continues where the last one ended. */
static int add_bin(struct pit__stream_bins *to, size_t *at, uint32_t bucket, uint64_t count)
{
    while (*at < to->count && to->bins[*at].bucket < bucket)
        ++*at;
    if (*at < to->count && to->bins[*at].bucket == bucket) {
        to->bins[*at].count += count;
        return 1;
    }
    struct pit__stream_bin *bins = pit__grow(to->bins, &to->room, to->count + 1, sizeof *bins, 16);
    if (!bins)
        return 0;
    to->bins = bins;
    memmove(bins + *at + 1, bins + *at, (to->count - *at) * sizeof *bins);
    bins[*at] = (struct pit__stream_bin){bucket, count};
    to->count++;
    return 1;
}

static int add_bins(struct pit__tree_stream *stream, const pit_run *run)
{
    size_t before = stream->bins_room;
    struct pit__stream_bins *bins =
        pit__grow(stream->bins, &stream->bins_room, stream->b.count, sizeof *bins, 128);
    if (!bins)
        return 0;
    stream->bins = bins;
    memset(bins + before, 0, (stream->bins_room - before) * sizeof *bins);
    const uint32_t *map = stream->map;
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        for (size_t i = 0; i < thread->node_count; i++) {
            const pit_raw_node *raw = &thread->nodes[i];
            size_t at = 0;
            for (size_t k = 0; k < raw->hist_count; k++) {
                double middle = ((double)raw->hist[k].low + (double)raw->hist[k].high) / 2;
                if (!add_bin(&bins[map[i]], &at, bucket_of(middle * run->ns_per_tick),
                             raw->hist[k].count))
                    return 0;
            }
        }
        map += thread->node_count;
    }
    return 1;
}

static int make_map(struct pit__tree_stream *stream, const pit_run *run)
{
    size_t raw = 0;
    for (size_t t = 0; t < run->thread_count; t++)
        raw += run->threads[t].node_count;
    uint32_t *map = pit__grow(stream->map, &stream->map_room, raw + 1, sizeof *map, 256);
    if (map)
        stream->map = map;
    return map != NULL;
}

int pit__stream_add(struct pit__tree_stream *stream, const pit_run *run)
{
    size_t known = stream->b.count;
    if (!make_map(stream, run))
        return PIT_NO_MEMORY;
    uint32_t *map = stream->map;
    int good = pit__tree_add_run(&stream->b, run, &map);
    for (size_t i = known; i < stream->b.count; i++) {
        pit_node *node = &stream->b.nodes[i].node;
        node->name = pit__arena_text(&stream->names, node->name, strlen(node->name));
    }
    if (!good || stream->names.failed || (stream->has_bins && !add_bins(stream, run)))
        return PIT_NO_MEMORY;
    uint64_t spans = pit__run_spans(run);
    stream->spans += spans;
    stream->cost_ns += (double)spans * run->span_cost_ns;
    stream->wall_ns = fmax(stream->wall_ns, run->duration_ns);
    pit__losses_add(&stream->losses, &run->losses);
    return 0;
}

/* Put the bins of all nodes into one array, as a tree has them. */
static int place_bins(struct pit__tree_stream *stream, struct pit__tree_box *box)
{
    size_t total = 0;
    for (size_t i = 0; i < stream->b.count; i++)
        total += stream->bins[i].count;
    stream->b.bins = box->bins = calloc(total + 1, sizeof *box->bins);
    total = 0;
    for (size_t i = 0; box->bins && i < stream->b.count; i++) {
        struct pit__merged *m = &stream->b.nodes[i];
        m->bin_start = total;
        m->bin_fill = stream->bins[i].count;
        m->run_count = 1;
        for (size_t k = 0; k < m->bin_fill; k++)
            box->bins[total++] = bin_of(&stream->bins[i].bins[k]);
    }
    return box->bins != NULL;
}

pit_tree *pit__stream_tree(struct pit__tree_stream *stream)
{
    struct pit__builder *b = &stream->b;
    struct pit__tree_box *box = calloc(1, sizeof *box);
    int good = box && place_bins(stream, box);
    if (good) {
        pit__tree_finish_nodes(b);
        pit__tree_fold_open(b);
    }
    good = good && pit__tree_lay_out(b, box) && pit__tree_keep_memory(b, box) &&
           pit__tree_copy_texts(box, b->count);
    if (good) {
        box->tree.spans = stream->spans;
        box->tree.cost_ns = stream->cost_ns;
        box->tree.wall_ns = stream->wall_ns;
        box->tree.losses = stream->losses;
        pit__tree_sum_up(box, b->count);
        box->tree.before_ns = box->tree.between_ns = box->tree.after_ns = NAN;
        return &box->tree;
    }
    pit_tree_free(box ? &box->tree : NULL);
    return NULL;
}

void pit__stream_free(struct pit__tree_stream *stream)
{
    for (size_t i = 0; i < stream->bins_room; i++)
        free(stream->bins[i].bins);
    free(stream->bins);
    free(stream->map);
    pit__tree_drop_memory(&stream->b);
    free(stream->b.nodes);
    free(stream->b.slots);
    free(stream->b.order);
    pit__arena_free(&stream->names);
}
