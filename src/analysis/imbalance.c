/* See imbalance.h. */
#include "imbalance.h"

#include "blocks.h"
#include "order_stats.h"
#include "rank_test.h"

#include <math.h>
#include <stdlib.h>

#define LEVEL 0.05     /* of all ranks together */
#define BLOCKS_MOST 16 /* of a course */
#define BLOCKS_LEAST 5
#define WARM_SLICES 1 /* at the start of a run, that say little */

/* ---- work ------------------------------------------------------------------------------------- */

static double comm_of(const struct pit__rank_parts *in, size_t rank)
{
    double comm = 0;
    for (size_t p = 0; p < in->parts; p++)
        if (in->is_comm[p])
            comm += in->own[rank * in->parts + p];
    return fmin(comm, in->step[rank]);
}

/* With collectives waiting is known; of totals alone it is what a rank has over the one with the
 * least. */
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

/* Numbers in order, and the median of all of them but one. */
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

/* Which part of each rank is most over the median of the others. */
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
    double *own, *others; /* of the slices that both have */
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

/* Blocks longer than the correlation time, then the exact rank test; the level is shared by all ranks. */
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

static int find_stragglers(const struct pit__rank_parts *in, struct pit__rank_figures *figures,
                           struct pit__imbalance *out)
{
    double *room = calloc(in->ranks + 6 * in->slices + 1, sizeof *room);
    struct courses to = {.column = room};
    double *at = room + in->ranks;
    double **parts[] = {&to.own,     &to.others,     &to.p10s,
                        &to.medians, &to.p10s_other, &to.medians_other};
    int code = room ? 0 : -1;
    for (size_t i = 0; room && i < sizeof parts / sizeof parts[0]; i++)
        *parts[i] = at + i * in->slices;
    for (size_t r = 0; r < in->ranks && !code; r++) {
        if (!(figures[r].excess >= PIT__STRAGGLER_LEAST * out->step))
            continue;
        code = test_rank(in, r, &to, &figures[r].is_straggler);
        if (code || !figures[r].is_straggler)
            continue;
        out->straggler_count++;
        if (out->straggler == PIT__NO_RANK || figures[r].excess > figures[out->straggler].excess)
            out->straggler = r;
    }
    free(room);
    return code;
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
        out->waiting += figures[r].wait >= PIT__STRAGGLER_LEAST * out->step;
    }
    double ranks = (double)in->ranks;
    out->balance = most > 0 ? sum / ranks / most : NAN;
    out->communication = out->step > 0 ? fmin(most / out->step, 1) : NAN;
    out->efficiency = out->balance * out->communication;
    out->wait_share = out->step > 0 ? wait / ranks / out->step : NAN;
    out->transfer_share = out->step > 0 ? transfer / ranks / out->step : NAN;
}

/* Without the straggler the step would last as long as the next slowest rank makes it. */
static double shorter_by(const struct pit__rank_figures *figures, size_t ranks,
                         const struct pit__imbalance *out)
{
    double next = 0;
    for (size_t r = 0; r < ranks; r++)
        if (r != out->straggler)
            next = fmax(next, figures[r].work);
    return fmax(figures[out->straggler].work - next, 0) / out->step;
}

int pit__imbalance_find(const struct pit__rank_parts *in, struct pit__rank_figures *figures,
                        struct pit__imbalance *out)
{
    double *room = calloc(in->ranks + 1, sizeof *room);
    *out = (struct pit__imbalance){.straggler = PIT__NO_RANK, .step = NAN};
    if (!room)
        return -1;
    for (size_t r = 0; r < in->ranks; r++) {
        figures[r] = (struct pit__rank_figures){.part = SIZE_MAX};
        room[r] = in->step[r];
    }
    out->step = pit__median(room, in->ranks);
    split_step(in, figures);
    sum_up(in, figures, out);
    int code = 0;
    if (in->ranks > 1) {
        find_parts(in, figures, room);
        code = find_stragglers(in, figures, out);
    }
    free(room);
    int has_straggler = out->straggler != PIT__NO_RANK;
    if (has_straggler) {
        out->shorter = shorter_by(figures, in->ranks, out);
        /* It may wait too, on a busy machine, but not for itself. */
        out->waiting -= figures[out->straggler].wait >= PIT__STRAGGLER_LEAST * out->step;
    }
    out->is_rotating = !has_straggler && in->waited && out->wait_share >= PIT__ROTATING_LEAST;
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
