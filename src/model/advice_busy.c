/* advice_busy.c: what can still be seen of a program that was not given a processor whenever it wanted one.
 * See advice_case.h. */
#include "advice_case.h"

#include "analysis/order_stats.h"
#include "analysis/together.h"
#include "analysis/two_levels.h"

#include <math.h>
#include <stdlib.h>

#define BLOCK_LEAST 0.2 /* seconds: two readings of the sampler */
#define BLOCKS 40       /* that a run is cut into at most */
#define SHARE_LEAST                                                                                \
    0.02         /* of a stretch, that the program was not delayed: readings are not exact */
#define SMOOTH 5 /* blocks, of which the middle one counts: a late reading is in two of them */
#define PART_LEAST 0.05 /* of the unit, that a part takes to speak for it */

/* ---- time without the waits for a processor ----------------------------------------------------------- */

/* Readings of the sampler: when, and for how long the main thread had waited until then, both in ticks. */
struct delays {
    double *at, *waited;
    size_t count, last; /* last: where the search went on, times come in order */
};

/* A point's figures are of its last reading, which was as the next point began. */
static double reading_ticks(const pit_run *run, size_t i)
{
    if (run->sample_stride <= 1)
        return (double)run->samples[i].ticks;
    return (double)(i + 1 < run->sample_count ? run->samples[i + 1].ticks : run->newest.ticks);
}

/* 1: there are readings. A reading that was made before its time was taken has too little: nobody waits
 * for longer than has passed. */
static int delays_of(const pit_run *run, struct delays *d)
{
    d->count = d->last = 0;
    for (size_t i = 0; i < run->sample_count; i++) {
        double at = reading_ticks(run, i);
        double waited = pit_sample_figure(run, &run->samples[i], "run_delay_ns") / run->ns_per_tick;
        if (!isfinite(waited) || (d->count > 0 && !(at > d->at[d->count - 1])))
            continue;
        d->at[d->count] = at;
        d->waited[d->count++] = waited;
    }
    for (size_t i = d->count; i-- > 1;)
        d->waited[i - 1] =
            fmax(d->waited[i - 1], d->waited[i] - (d->at[i] - d->at[i - 1]) * (1 - SHARE_LEAST));
    return d->count > 1;
}

static double waited_until(struct delays *d, double at)
{
    if (d->last + 1 >= d->count || at < d->at[d->last])
        d->last = 0;
    while (d->last + 2 < d->count && at >= d->at[d->last + 1])
        d->last++;
    double begin = d->at[d->last], end = d->at[d->last + 1];
    double along = fmin(fmax((at - begin) / (end - begin), 0), 1);
    return d->waited[d->last] + along * (d->waited[d->last + 1] - d->waited[d->last]);
}

/* Of the time from begin to end, what the program did not wait for a processor. */
static double free_share(struct delays *d, double begin, double end)
{
    if (!(end > begin))
        return 1;
    double waited = waited_until(d, end) - waited_until(d, begin);
    return fmin(fmax(1 - waited / (end - begin), SHARE_LEAST), 1);
}

/* ---- the course without them -------------------------------------------------------------------------- */

/* Means of the unit's iterations, block after block. */
struct blocks {
    double means[2 * BLOCKS];
    size_t count;
    double length;             /* seconds of a block */
    double seconds, free_time; /* of the one that is being filled */
    double iterations;
};

static void add_to_block(struct blocks *b, double seconds, double share, double iterations)
{
    b->seconds += seconds;
    b->free_time += seconds * share;
    b->iterations += iterations;
    if (b->seconds < b->length || b->count == 2 * BLOCKS)
        return;
    b->means[b->count++] = b->free_time / b->iterations;
    b->seconds = b->free_time = b->iterations = 0;
}

static void fill_blocks(const struct pit__series *series, struct delays *d, struct blocks *b)
{
    const pit_run *run = series->run;
    const pit_raw_node *node = &series->thread->nodes[series->node];
    double tick = run->ns_per_tick / 1e9;
    b->length = fmax(BLOCK_LEAST, (double)node->total * tick / BLOCKS);
    for (size_t i = 0; series->is_events && i < series->thread->event_count; i++) {
        const pit_event *event = &series->thread->events[i];
        double begin = (double)event->begin, end = begin + (double)event->duration;
        if (event->node == series->node)
            add_to_block(b, (end - begin) * tick, free_share(d, begin, end), 1);
    }
    for (size_t i = 0; !series->is_events && i < node->series_count; i++) {
        const pit_series_bin *bin = &node->series[i];
        double begin = (double)(run->start_ticks + bin->start), end = begin + (double)bin->width;
        if (bin->count > 0)
            add_to_block(b, (double)bin->total * tick, free_share(d, begin, end),
                         (double)bin->count);
    }
}

static void smooth(const struct blocks *b, double *smoothed)
{
    for (size_t i = 0; i < b->count; i++) {
        double around[SMOOTH];
        size_t from = i < SMOOTH / 2 ? 0 : i - SMOOTH / 2, used = 0;
        for (size_t k = from; k < b->count && k < from + SMOOTH; k++)
            around[used++] = b->means[k];
        smoothed[i] = pit__median(around, used);
    }
}

/* Blocks are of one length in time: each would save its share. */
static double share_above(const double *means, size_t count, double level)
{
    double share = 0;
    for (size_t i = 0; i < count; i++)
        share += fmax(1 - level / means[i], 0) / (double)count;
    return share;
}

/* 0 or PIT_NO_MEMORY. */
static int find_fair(const struct pit__series *series, struct delays *d, struct pit__case *all)
{
    struct blocks blocks = {.count = 0};
    struct pit__two_levels levels;
    struct pit__variation variation;
    double smoothed[2 * BLOCKS];
    if (!delays_of(series->run, d))
        return 0;
    fill_blocks(series, d, &blocks);
    smooth(&blocks, smoothed);
    if (pit__two_levels_find(smoothed, blocks.count, &levels) ||
        pit__variation_find(smoothed, blocks.count, &variation))
        return PIT_NO_MEMORY;
    all->fair = (struct pit__fair){.drift = variation.drift,
                                   .step_up = levels.times,
                                   .step_from = levels.first,
                                   .above = share_above(smoothed, blocks.count, levels.first),
                                   .blocks = blocks.count};
    return 0;
}

/* ---- parts that vary together -------------------------------------------------------------------------- */

/* The two longest parts of the unit; 0: there are no two. */
static int two_parts(const struct pit__series *series, uint32_t pair[2])
{
    const pit_thread *thread = series->thread;
    double least = PART_LEAST * (double)thread->nodes[series->node].total;
    pair[0] = pair[1] = PIT_NO_NODE;
    for (uint32_t i = 0; i < thread->node_count; i++) {
        if (thread->nodes[i].parent != series->node || !((double)thread->nodes[i].total > least))
            continue;
        if (pair[0] == PIT_NO_NODE || thread->nodes[i].total > thread->nodes[pair[0]].total) {
            pair[1] = pair[0];
            pair[0] = i;
        } else if (pair[1] == PIT_NO_NODE ||
                   thread->nodes[i].total > thread->nodes[pair[1]].total) {
            pair[1] = i;
        }
    }
    return pair[1] != PIT_NO_NODE;
}

/* Events come in the order of their ends: the parts of an iteration before it. */
static int find_together(const struct pit__series *series, struct pit__case *all)
{
    uint32_t pair[2];
    const pit_thread *thread = series->thread;
    if (!series->is_events || !two_parts(series, pair))
        return 0;
    double *first = calloc(2 * series->count + 2, sizeof *first);
    if (!first)
        return PIT_NO_MEMORY;
    double *second = first + series->count + 1;
    size_t at = 0;
    for (size_t i = 0; i < thread->event_count && at < series->count; i++) {
        const pit_event *event = &thread->events[i];
        first[at] += event->node == pair[0] ? (double)event->duration : 0;
        second[at] += event->node == pair[1] ? (double)event->duration : 0;
        at += event->node == series->node;
    }
    size_t from = all->steady_from < at ? all->steady_from : at;
    int code = pit__together_find(first + from, second + from, at - from, &all->together);
    free(first);
    return code ? PIT_NO_MEMORY : 0;
}

int pit__see_through(const struct pit__series *series, struct pit__case *all)
{
    all->fair = (struct pit__fair){NAN, NAN, NAN, NAN, 0};
    all->together = NAN;
    if (!series->thread || !series->run->has_samples || !all->has_course)
        return 0;
    size_t room = series->run->sample_count + 1;
    struct delays delays = {.at = calloc(2 * room, sizeof *delays.at)};
    delays.waited = delays.at ? delays.at + room : NULL;
    int code = delays.at ? find_fair(series, &delays, all) : PIT_NO_MEMORY;
    free(delays.at);
    return code ? code : find_together(series, all);
}
