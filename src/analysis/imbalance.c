/* See imbalance.h. */
#include "imbalance.h"

#include "blocks.h"
#include "order_stats.h"
#include "rank_test.h"

#include <math.h>
#include <stdlib.h>

#define LEVEL 0.05     /* for all ranks together */
#define BLOCKS_MOST 16 /* of a rank's work over time */
#define BLOCKS_LEAST 5
#define WARM_SLICES 1       /* at the start of a run, unreliable */
#define SHIFT_LEAST 0.03    /* of the step, for spans that are longer each time */
#define SHORT_NS 10e9       /* a run in which a disturbed processor can look like a slow rank */
#define CONCENTRATED 0.7    /* of a rank's excess in one part */
#define DISTURBED_MOST 0.25 /* of the step */

/* ---- work ------------------------------------------------------------------------------------- */

static double comm_of(const struct pit__rank_parts *in, size_t rank)
{
    double comm = 0;
    for (size_t p = 0; p < in->parts; p++)
        if (in->is_comm[p])
            comm += in->own[rank * in->parts + p];
    return fmin(comm, in->step[rank]);
}

/* With collectives the waiting time is measured; from totals it is the time above the rank with the least. */
static void split_step(const struct pit__rank_parts *in, struct pit__rank_figures *figures)
{
    double least = INFINITY;
    for (size_t r = 0; r < in->ranks; r++)
        least = fmin(least, comm_of(in, r));
    for (size_t r = 0; r < in->ranks; r++) {
        double comm = comm_of(in, r);
        int is_known = in->waited && !isnan(in->waited[r]);
        figures[r].step = in->step[r];
        figures[r].work = in->step[r] - comm;
        figures[r].wait = is_known ? fmin(in->waited[r], comm) : comm - least;
        figures[r].transfer = comm - figures[r].wait;
    }
}

/* ---- over the median ---------------------------------------------------------------------------- */

/* Sorted numbers, and the median of all except one. */
struct others {
    const double *sorted;
    size_t count;
};

static double median_without(const struct others *all, double own)
{
    size_t left = all->count - 1, at = left / 2;
    size_t place = 0; /* of `own` */
    for (size_t low = 0, high = all->count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (all->sorted[middle] < own)
            low = middle + 1;
        else
            high = middle;
        place = low;
    }
    double upper = all->sorted[at < place ? at : at + 1];
    if (left % 2 == 1)
        return upper;
    return (all->sorted[at - 1 < place ? at - 1 : at] + upper) / 2;
}

/* Find the part of each rank that exceeds the median of the others most. */
static void find_parts(const struct pit__rank_parts *in, struct pit__rank_figures *figures,
                       double *room)
{
    struct others all = {room, in->ranks};
    for (size_t p = 0; p < in->parts; p++) {
        if (in->is_comm[p])
            continue;
        for (size_t r = 0; r < in->ranks; r++)
            room[r] = in->own[r * in->parts + p];
        pit__sort(room, in->ranks);
        for (size_t r = 0; r < in->ranks; r++) {
            double own = in->own[r * in->parts + p], median = median_without(&all, own);
            if (own - median <= figures[r].over)
                continue;
            figures[r].over = own - median;
            figures[r].part_median = median;
            figures[r].part = p;
        }
    }
    for (size_t r = 0; r < in->ranks; r++)
        room[r] = figures[r].work;
    pit__sort(room, in->ranks);
    for (size_t r = 0; r < in->ranks; r++)
        figures[r].excess = figures[r].work - median_without(&all, figures[r].work);
}

/* ---- is it real? -------------------------------------------------------------------------------- */

struct courses {
    double *own, *others; /* of slices that both have */
    size_t count;
    double *column; /* one slice of all ranks */
    double *p10s, *medians, *p10s_other, *medians_other;
};

static void take_courses(const struct pit__rank_parts *in, size_t rank, struct courses *to)
{
    to->count = 0;
    for (size_t s = WARM_SLICES; s < in->slices; s++) {
        double own = in->course[rank * in->slices + s];
        size_t others = 0;
        for (size_t r = 0; r < in->ranks; r++)
            if (r != rank && !isnan(in->course[r * in->slices + s]))
                to->column[others++] = in->course[r * in->slices + s];
        if (isnan(own) || others == 0)
            continue;
        to->own[to->count] = own;
        to->others[to->count++] = pit__median(to->column, others);
    }
}

/* Blocks longer than the correlation time, then the exact rank test; the level is divided among all ranks. */
static int test_rank(const struct pit__rank_parts *in, size_t rank, struct courses *to,
                     int *is_real)
{
    struct pit__rank_test test;
    size_t length = 0;
    *is_real = 0;
    take_courses(in, rank, to);
    if (to->count < BLOCKS_LEAST)
        return 0;
    if (pit__block_length(to->own, to->count, to->others, to->count, BLOCKS_MOST, &length) != 0)
        return -1;
    size_t blocks = length ? to->count / length : 0;
    if (blocks < BLOCKS_LEAST)
        return 0;
    if (pit__block_figures(to->own, to->count, length, to->p10s, to->medians) != 0 ||
        pit__block_figures(to->others, to->count, length, to->p10s_other, to->medians_other) != 0 ||
        pit__rank_test(to->medians_other, blocks, to->medians, blocks, LEVEL / (double)in->ranks,
                       &test) != 0)
        return -1;
    *is_real = test.is.is_defined && test.is.low > 0;
    return 0;
}

/* ---- by its spans -------------------------------------------------------------------------------- */

/* The times of one kind of span (the shortest ones, or those at p10) in a part, sorted; 0: not known for all
 * ranks. */
static int sort_spans(const struct pit__rank_parts *in, const double *spans, size_t part,
                      double *sorted)
{
    for (size_t r = 0; r < in->ranks; r++) {
        sorted[r] = spans[r * in->parts + part];
        if (isnan(sorted[r]))
            return 0;
    }
    pit__sort(sorted, in->ranks);
    return 1;
}

/* How much longer each rank would be than the others if each span took as long as the shortest one; summed over
 * all parts, because what a rank does more in one part, it may do less in another. And the part in which p10 of
 * its spans is longer too: there it does more, or does it more slowly, each time. What only disturbs a rank leaves
 * some of its spans alone, but may well change the median: a shared processor is slow for seconds. */
static void find_shifts(const struct pit__rank_parts *in, struct pit__rank_figures *figures,
                        double step, double *room)
{
    struct others least = {room, in->ranks}, p10 = {room + in->ranks, in->ranks};
    for (size_t p = 0; in->least && p < in->parts; p++) {
        if (in->is_comm[p] || !sort_spans(in, in->least, p, room))
            continue;
        int has_p10 = in->p10 && sort_spans(in, in->p10, p, room + in->ranks);
        for (size_t r = 0; r < in->ranks; r++) {
            double own = in->least[r * in->parts + p], by = own - median_without(&least, own);
            figures[r].shift += by;
            if (!has_p10 || by < SHIFT_LEAST * step)
                continue;
            double low = in->p10[r * in->parts + p], usual = median_without(&p10, low);
            if (low - usual < fmax(SHIFT_LEAST * step, figures[r].longer_by))
                continue;
            figures[r].longer = p;
            figures[r].longer_by = low - usual;
            figures[r].longer_median = usual;
        }
    }
}

/* In a short run: its shortest spans are as short as those of others, and it was slower in all its parts, or not
 * by much. A processor that others share is slow for seconds in this way; and a rank that waits in MPI without
 * sleeping slows down the rank on the other half of its processor, which then comes last again. */
static int is_disturbed(const struct pit__rank_parts *in, size_t rank,
                        const struct pit__rank_figures *figures, double step, double *room)
{
    struct others all = {room, in->ranks};
    double shift = NAN;
    if (in->least && figures->part != SIZE_MAX && sort_spans(in, in->least, figures->part, room)) {
        double own = in->least[rank * in->parts + figures->part];
        shift = own - median_without(&all, own);
    }
    return in->steps > 0 && in->steps * step < SHORT_NS && shift < SHIFT_LEAST * step &&
           (figures->over < CONCENTRATED * figures->excess ||
            figures->excess < DISTURBED_MOST * step);
}

/* Without the time that it had no processor, more than the others, is the rank still slower? */
static int is_starved(const struct pit__rank_parts *in, size_t rank, double step,
                      const struct pit__rank_figures *figures, double *room)
{
    size_t others = 0;
    for (size_t r = 0; in->delayed && r < in->ranks; r++)
        if (r != rank && !isnan(in->delayed[r]))
            room[others++] = in->delayed[r];
    if (others == 0 || isnan(in->delayed[rank]))
        return 0;
    double more = in->delayed[rank] - pit__median(room, others);
    return more > 0 && pit__slower_by(figures) - more * step < PIT__STRAGGLER_LEAST * step;
}

/* It does more in that part each time: that part is named, by p10 of its spans if the means hide it. */
static void blame_longer(struct pit__rank_figures *own)
{
    own->is_straggler = 1;
    if (own->part == own->longer && own->over >= own->longer_by)
        return;
    own->part = own->longer;
    own->over = own->longer_by;
    own->part_median = own->longer_median;
}

/* By its spans, which a busy machine does not change, or else by its work over time. */
static int judge_rank(const struct pit__rank_parts *in, size_t rank, double step,
                      struct courses *to, struct pit__rank_figures *own)
{
    double least = PIT__STRAGGLER_LEAST * step;
    int is_slower = own->excess >= least, is_real = 0, code = 0;
    if (own->longer != SIZE_MAX && (is_slower || own->shift >= least))
        blame_longer(own);
    if (!own->is_straggler && is_slower) {
        code = test_rank(in, rank, to, &is_real);
        own->is_straggler = is_real && !is_disturbed(in, rank, own, step, to->column);
    }
    own->is_starved = own->is_straggler && is_starved(in, rank, step, own, to->column);
    own->is_straggler = own->is_straggler && !own->is_starved;
    return code;
}

static size_t slower_of(const struct pit__rank_figures *figures, size_t a, size_t b)
{
    return a == PIT__NO_RANK || pit__slower_by(&figures[b]) > pit__slower_by(&figures[a]) ? b : a;
}

static int find_stragglers(const struct pit__rank_parts *in, struct pit__rank_figures *figures,
                           struct pit__imbalance *out)
{
    double *room = calloc(in->ranks + 6 * in->slices + 1, sizeof *room);
    if (!room)
        return -1;
    struct courses to = {.column = room};
    double *at = room + in->ranks;
    double **parts[] = {&to.own,     &to.others,     &to.p10s,
                        &to.medians, &to.p10s_other, &to.medians_other};
    int code = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        *parts[i] = at + i * in->slices;
    for (size_t r = 0; r < in->ranks && !code; r++) {
        code = judge_rank(in, r, out->step, &to, &figures[r]);
        if (figures[r].is_starved)
            out->starved = slower_of(figures, out->starved, r);
        if (figures[r].is_straggler)
            out->straggler = slower_of(figures, out->straggler, r);
        out->straggler_count += figures[r].is_straggler != 0;
    }
    free(room);
    return code;
}

#define MOSTLY_SLOW 1.05 /* of the others' median span */

int pit__is_mostly_slow(const double *typical, size_t ranks, size_t rank, double *room)
{
    size_t others = 0;
    for (size_t r = 0; r < ranks; r++)
        if (r != rank && !isnan(typical[r]))
            room[others++] = typical[r];
    if (isnan(typical[rank]))
        return 0;
    return others == 0 || typical[rank] >= MOSTLY_SLOW * pit__median(room, others);
}

/* ---- the job as a whole -------------------------------------------------------------------------- */

static void sum_up(const struct pit__rank_parts *in, const struct pit__rank_figures *figures,
                   struct pit__imbalance *out)
{
    double most = 0, sum = 0, wait = 0, transfer = 0;
    for (size_t r = 0; r < in->ranks; r++) {
        most = fmax(most, figures[r].work);
        sum += figures[r].work;
        wait += figures[r].wait;
        transfer += figures[r].transfer;
    }
    double ranks = (double)in->ranks;
    out->balance = most > 0 ? sum / ranks / most : NAN;
    out->communication = out->step > 0 ? fmin(most / out->step, 1) : NAN;
    out->efficiency = out->balance * out->communication;
    out->wait_share = out->step > 0 ? wait / ranks / out->step : NAN;
    out->transfer_share = out->step > 0 ? transfer / ranks / out->step : NAN;
}

/* The other ranks, if they wait long, or for half of what the slow rank is behind. */
static size_t count_waiting(const struct pit__rank_figures *figures, size_t ranks, size_t slow,
                            double step)
{
    double least = PIT__STRAGGLER_LEAST * step;
    size_t count = 0;
    if (slow != PIT__NO_RANK)
        least = fmin(least, pit__slower_by(&figures[slow]) / 2);
    for (size_t r = 0; r < ranks; r++)
        count += r != slow && figures[r].wait >= least;
    return count;
}

/* Without the straggler, the next slowest rank would determine the step. */
static double shorter_by(const struct pit__rank_figures *figures, size_t ranks,
                         const struct pit__imbalance *out)
{
    double next = 0;
    for (size_t r = 0; r < ranks; r++)
        if (r != out->straggler)
            next = fmax(next, figures[r].work);
    double by = figures[out->straggler].work - next;
    if (out->straggler_count == 1) /* the others may have been disturbed more */
        by = fmax(by, figures[out->straggler].shift);
    return fmax(by, 0) / out->step;
}

int pit__imbalance_find(const struct pit__rank_parts *in, struct pit__rank_figures *figures,
                        struct pit__imbalance *out)
{
    double *room = calloc(2 * in->ranks + 1, sizeof *room);
    *out = (struct pit__imbalance){.straggler = PIT__NO_RANK, .starved = PIT__NO_RANK, .step = NAN};
    if (!room)
        return -1;
    for (size_t r = 0; r < in->ranks; r++) {
        figures[r] = (struct pit__rank_figures){.part = SIZE_MAX, .longer = SIZE_MAX};
        room[r] = in->step[r];
    }
    out->step = pit__median(room, in->ranks);
    split_step(in, figures);
    sum_up(in, figures, out);
    int code = 0;
    if (in->ranks > 1) {
        find_parts(in, figures, room);
        find_shifts(in, figures, out->step, room);
        code = find_stragglers(in, figures, out);
    }
    free(room);
    int has_straggler = out->straggler != PIT__NO_RANK;
    size_t slow = has_straggler ? out->straggler : out->starved;
    if (has_straggler)
        out->shorter = shorter_by(figures, in->ranks, out);
    out->waiting = count_waiting(figures, in->ranks, slow, out->step);
    out->is_rotating = slow == PIT__NO_RANK && in->waited && out->wait_share >= PIT__ROTATING_LEAST;
    out->is_comm_bound = !has_straggler && out->transfer_share >= PIT__COMM_BOUND_LEAST;
    return code;
}

/* ---- collectives ---------------------------------------------------------------------------------- */

static int by_call(const void *a, const void *b)
{
    const struct pit__meeting *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    if (x->seq != y->seq)
        return x->seq < y->seq ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void meet(const struct pit__meeting *calls, size_t count, struct pit__meetings *out)
{
    size_t least = 0;
    for (size_t i = 1; i < count; i++)
        if (calls[i].duration < calls[least].duration)
            least = i;
    for (size_t i = 0; i < count; i++) {
        out[calls[i].rank].wait += calls[i].duration - calls[least].duration;
        out[calls[i].rank].counted++;
    }
    out[calls[least].rank].last++;
}

void pit__meetings_find(struct pit__meeting *calls, size_t count, struct pit__meetings *out,
                        size_t ranks)
{
    for (size_t r = 0; r < ranks; r++)
        out[r] = (struct pit__meetings){0};
    if (count > 0)
        qsort(calls, count, sizeof *calls, by_call);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1;
             end < count && calls[end].group == calls[i].group && calls[end].seq == calls[i].seq;)
            end++;
        if (end - i > 1)
            meet(calls + i, end - i, out);
    }
}
