/* advice_busy.c: judges a program that had to wait for a processor. See advice_case.h. */
#include "advice_case.h"

#include "analysis/order_stats.h"
#include "analysis/together.h"
#include "analysis/two_levels.h"

#include "run_stolen.h"

#include <math.h>
#include <stdlib.h>

#define BLOCK_LEAST 0.2 /* seconds: at least two readings of the sampler */
#define BLOCKS 40       /* a run is cut into at most this many blocks */
/* share of an interval during which the clock must advance: readings are not exact */
#define SHARE_LEAST 0.02
#define MAIN_LEAST 0.6  /* share of the processor time; above it the main thread does the work */
#define SMOOTH 5        /* blocks per median: a delayed reading affects two neighbours */
#define LOW_RISES 1.3   /* factor: the shortest iterations must also have become this much longer */
#define PART_LEAST 0.05 /* share of the unit that a part must take to represent it */

/* ---- time without the waits for a processor ----------------------------------------------------------- */

/* Readings of the sampler: their times, and a clock that stops while other programs have the processor,
 * both in ticks. The clock is the time without the main thread's waits, and without what the host of a virtual
 * machine took from it. If other threads do most of the work, whose waits are in no reading, it is the
 * processor time of the process. */
struct readings {
    double *at, *clock;
    size_t count, last; /* last: where the next search starts, because times ascend */
};

/* A point has the figures of its last reading, made when the next point began. */
static double reading_ticks(const pit_run *run, size_t i)
{
    if (run->sample_stride <= 1)
        return (double)run->samples[i].ticks;
    return (double)(i + 1 < run->sample_count ? run->samples[i + 1].ticks : run->newest.ticks);
}

static double spent(const pit_run *run, const char *key)
{
    return pit_sample_figure(run, &run->newest, key) -
           pit_sample_figure(run, &run->samples[0], key);
}

/* Returns 1 if there are readings. A wait cannot be longer than the time that has passed: a reading made
 * just before its time was taken is corrected. */
static int read_clock(const pit_run *run, struct readings *r)
{
    int is_team = spent(run, "main_cpu_ns") < MAIN_LEAST * spent(run, "cpu_ns");
    double stolen_ns = 0, before = NAN;
    r->count = r->last = 0;
    for (size_t i = 0; i < run->sample_count; i++) {
        const pit_sample *sample = &run->samples[i];
        double at = reading_ticks(run, i);
        double ns = pit_sample_figure(run, sample, is_team ? "cpu_ns" : "run_delay_ns");
        double more_ns =
            i > 0 ? pit__stolen_between(run, sample - 1, sample, (at - before) * run->ns_per_tick)
                  : 0;
        before = at;
        stolen_ns += more_ns > 0 ? more_ns : 0;
        double clock = is_team ? ns / run->ns_per_tick : at - (ns + stolen_ns) / run->ns_per_tick;
        if (!isfinite(clock) || (r->count > 0 && !(at > r->at[r->count - 1])))
            continue;
        r->at[r->count] = at;
        r->clock[r->count++] = clock;
    }
    for (size_t i = r->count; i-- > 1;)
        r->clock[i - 1] =
            fmin(r->clock[i - 1], r->clock[i] - (r->at[i] - r->at[i - 1]) * SHARE_LEAST);
    return r->count > 1;
}

static double clock_at(struct readings *r, double at)
{
    if (r->last + 1 >= r->count || at < r->at[r->last])
        r->last = 0;
    while (r->last + 2 < r->count && at >= r->at[r->last + 1])
        r->last++;
    double begin = r->at[r->last], end = r->at[r->last + 1];
    double along = fmin(fmax((at - begin) / (end - begin), 0), 1);
    return r->clock[r->last] + along * (r->clock[r->last + 1] - r->clock[r->last]);
}

/* The share of the time from begin to end during which the clock advanced. */
static double clock_share(struct readings *r, double begin, double end)
{
    if (!(end > begin))
        return 1;
    return fmax((clock_at(r, end) - clock_at(r, begin)) / (end - begin), SHARE_LEAST);
}

/* ---- the course without them -------------------------------------------------------------------------- */

/* Means of the unit's iterations per block, and the shortest iteration of each block: a wait can only
 * lengthen it. */
struct blocks {
    double means[2 * BLOCKS], shortest[2 * BLOCKS];
    size_t count;
    double length;           /* seconds of a block */
    double seconds, clocked; /* of the block that is being filled */
    double iterations, least;
    double all, warming; /* clock time of all iterations, and of the warm-up */
};

static void add_to_block(struct blocks *b, double seconds, double share, double iterations,
                         double least)
{
    b->least = b->iterations > 0 ? fmin(b->least, least) : least;
    b->seconds += seconds;
    b->clocked += seconds * share;
    b->iterations += iterations;
    if (b->seconds < b->length || b->count == 2 * BLOCKS)
        return;
    b->shortest[b->count] = b->least;
    b->means[b->count++] = b->clocked / b->iterations;
    b->seconds = b->clocked = b->iterations = 0;
}

static void fill_blocks(const struct pit__series *series, struct readings *r, struct blocks *b,
                        size_t warm_up)
{
    size_t passed = 0;
    const pit_run *run = series->run;
    const pit_raw_node *node = &series->thread->nodes[series->node];
    double tick = run->ns_per_tick / 1e9;
    b->length = fmax(BLOCK_LEAST, (double)node->total * tick / BLOCKS);
    for (size_t i = 0; series->is_events && i < series->thread->event_count; i++) {
        const pit_event *event = &series->thread->events[i];
        double begin = (double)event->begin, seconds = (double)event->duration * tick;
        if (event->node != series->node)
            continue;
        double share = clock_share(r, begin, begin + (double)event->duration);
        b->all += seconds * share;
        b->warming += passed++ < warm_up ? seconds * share : 0;
        add_to_block(b, seconds, share, 1, seconds);
    }
    for (size_t i = 0; !series->is_events && i < node->series_count; i++) {
        const pit_series_bin *bin = &node->series[i];
        double begin = (double)(run->start_ticks + bin->start), end = begin + (double)bin->width;
        if (bin->count > 0)
            add_to_block(b, (double)bin->total * tick, clock_share(r, begin, end),
                         (double)bin->count, (double)bin->min * tick);
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

/* Ratio of the shortest iterations after one block to those before another. */
static double low_rises(const struct blocks *b, size_t before, size_t from)
{
    double low[2 * BLOCKS];
    for (size_t i = 0; i < before; i++)
        low[i] = b->shortest[i];
    double first = pit__median(low, before);
    for (size_t i = from; i < b->count; i++)
        low[i - from] = b->shortest[i];
    return pit__median(low, b->count - from) / first;
}

/* Blocks cover equal times, so each would save its share. */
static double share_above(const double *means, size_t count, double level)
{
    double share = 0;
    for (size_t i = 0; i < count; i++)
        share += fmax(1 - level / means[i], 0) / (double)count;
    return share;
}

/* Returns 0 or PIT_NO_MEMORY. */
static int find_fair(const struct pit__series *series, struct readings *r, struct pit__case *all)
{
    struct blocks blocks = {.count = 0};
    struct pit__two_levels levels;
    struct pit__variation variation;
    double smoothed[2 * BLOCKS];
    if (!read_clock(series->run, r))
        return 0;
    fill_blocks(series, r, &blocks, all->warmup.ends_at);
    smooth(&blocks, smoothed);
    if (pit__two_levels_find(smoothed, blocks.count, &levels) ||
        pit__variation_find(smoothed, blocks.count, &variation))
        return PIT_NO_MEMORY;
    all->fair = (struct pit__fair){.drift = variation.drift,
                                   .step_up = levels.times,
                                   .step_from = levels.first,
                                   .above = share_above(smoothed, blocks.count, levels.first),
                                   .warming = NAN,
                                   .blocks = blocks.count};
    double warm = (double)all->warmup.ends_at, others = (double)series->count - warm;
    if (blocks.all > 0 && others > 0)
        all->fair.warming =
            (blocks.warming - warm * (blocks.all - blocks.warming) / others) / blocks.all;
    /* if the main thread waits for other threads, their waits are not in its delay */
    if (!(low_rises(&blocks, levels.begins, levels.begins) > LOW_RISES))
        all->fair.step_up = all->fair.step_from = NAN;
    if (!(low_rises(&blocks, blocks.count / 3, blocks.count - blocks.count / 3) > LOW_RISES))
        all->fair.drift = NAN;
    return 0;
}

/* ---- parts that vary together -------------------------------------------------------------------------- */

/* The two longest parts of the unit. Returns 0 if there are fewer. */
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

/* Events are ordered by their ends: the parts of an iteration come before it. */
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
    all->fair = (struct pit__fair){NAN, NAN, NAN, NAN, NAN, 0};
    all->together = NAN;
    if (!series->thread || !series->run->has_samples || !all->has_course)
        return 0;
    size_t room = series->run->sample_count + 1;
    struct readings readings = {.at = calloc(2 * room, sizeof *readings.at)};
    readings.clock = readings.at ? readings.at + room : NULL;
    int code = readings.at ? find_fair(series, &readings, all) : PIT_NO_MEMORY;
    free(readings.at);
    return code ? code : find_together(series, all);
}
