/* rank_waits.c: how long each rank waited for others. See ranks.h. */
#include "rank_arrays.h"

#include <math.h>
#include <stdlib.h>

/* ---- waiting in collectives --------------------------------------------------------------------- */

static int is_counted(const struct pit__rank_arrays *in, const struct pit__rank_call *call)
{
    return !isnan(call->duration) && (call->node == PIT_NO_NODE || in->is_inside[call->node]);
}

/* One group: how long each rank waited in its calls, of which some were kept. */
static void wait_in_group(struct pit__rank_arrays *in, uint64_t id, struct pit__meeting *calls,
                          struct pit__meetings *met, struct pit__meetings *sums)
{
    size_t count = 0;
    for (size_t k = 0; k < in->count; k++) {
        const struct pit__rank_row *row = pit__row_of(in, k);
        for (size_t i = 0; i < row->call_count; i++)
            if (row->calls[i].group == id && is_counted(in, &row->calls[i]))
                calls[count++] =
                    (struct pit__meeting){id, row->calls[i].seq, k, row->calls[i].duration};
    }
    pit__meetings_find(calls, count, met, in->count);
    for (size_t k = 0; k < in->count; k++) {
        const struct pit__rank_row *row = pit__row_of(in, k);
        for (size_t g = 0; g < row->group_count && met[k].counted > 0; g++)
            if (row->groups[g].id == id)
                in->waited[k] += met[k].wait / (double)met[k].counted *
                                 (double)row->groups[g].calls / pit__steps_of(in, k);
        sums[k].counted += met[k].counted;
        sums[k].last += met[k].last;
    }
}

/* Is it a group that no earlier rank has? */
static int is_new_group(const struct pit__rank_arrays *in, size_t index, uint64_t id)
{
    for (size_t k = 0; k < index; k++)
        for (size_t g = 0; g < pit__row_of(in, k)->group_count; g++)
            if (pit__row_of(in, k)->groups[g].id == id)
                return 0;
    return 1;
}

/* ---- waiting elsewhere -------------------------------------------------------------------------- */

/* Nodes of which single calls were kept. */
static void find_logged(const struct pit__rank_arrays *in, unsigned char *is_logged)
{
    for (size_t k = 0; k < in->count; k++) {
        const struct pit__rank_row *row = pit__row_of(in, k);
        for (size_t i = 0; i < row->call_count; i++)
            if (row->calls[i].node != PIT_NO_NODE)
                is_logged[row->calls[i].node] = 1;
    }
}

static double time_elsewhere(const struct pit__rank_arrays *in, size_t index,
                             const unsigned char *is_logged)
{
    double time = 0;
    for (size_t p = 0; p < in->part_count; p++)
        if (in->is_comm[p] && !is_logged[in->parts[p]])
            time += in->own[index * in->part_count + p];
    return time;
}

/* Receives, waits for requests, collectives without a log: a rank is assumed to wait for the time by
 * which it is there longer than the rank with the least time. */
static int add_elsewhere(struct pit__rank_arrays *in)
{
    unsigned char *is_logged = calloc(in->box->gather.stream.b.count + 1, 1);
    double least = INFINITY, most = 0, step = 0;
    if (!is_logged)
        return PIT_NO_MEMORY;
    find_logged(in, is_logged);
    for (size_t k = 0; k < in->count; k++) {
        double time = time_elsewhere(in, k, is_logged);
        least = fmin(least, time);
        most = fmax(most, time);
        step = fmax(step, in->step[k]);
    }
    if (most - least >= PIT__SHOWN_LEAST * step) {
        for (size_t k = 0; k < in->count; k++) {
            in->elsewhere[k] = time_elsewhere(in, k, is_logged) - least;
            in->waited[k] += in->elsewhere[k];
        }
        in->has_estimate = 1;
        in->box->ranks.estimated_by =
            "waits for messages, by the time in such calls over the least of all ranks";
    }
    free(is_logged);
    return 0;
}

int pit__fill_waited(struct pit__rank_arrays *in, int *code)
{
    size_t most = 0, counted = 0;
    for (size_t k = 0; k < in->count; k++)
        most += pit__row_of(in, k)->call_count;
    struct pit__meeting *calls = calloc(most + 1, sizeof *calls);
    struct pit__meetings *met = calloc(2 * in->count + 1, sizeof *met);
    struct pit__meetings *sums = met ? met + in->count : NULL;
    *code = calls && met ? 0 : PIT_NO_MEMORY;
    for (size_t k = 0; !*code && k < in->count; k++)
        for (size_t g = 0; g < pit__row_of(in, k)->group_count; g++)
            if (is_new_group(in, k, pit__row_of(in, k)->groups[g].id))
                wait_in_group(in, pit__row_of(in, k)->groups[g].id, calls, met, sums);
    for (size_t k = 0; !*code && k < in->count; k++) {
        counted += sums[k].counted;
        if (sums[k].counted > 0)
            pit__row_of(in, k)->told.last_share = (double)sums[k].last / (double)sums[k].counted;
        else
            in->waited[k] = NAN;
    }
    free(calls);
    free(met);
    if (!*code && counted > 0 && !in->has_unseen)
        *code = add_elsewhere(in);
    return counted > 0;
}
