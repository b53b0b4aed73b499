/* rank_ddp.c: what ranks compute inside of "backward", in which frameworks also communicate: all of it, or none if
 * the ranks are in lockstep, or as much as DDP's own logger says. See ranks.h.
 *
 * The logger's means are those of the first iterations and of a few later ones, so one stall can distort them: a
 * rank's computing is taken to be no longer than its median span. And because the means are of few iterations,
 * they are used only if ranks differ by much. */
#include "rank_arrays.h"

#include "analysis/order_stats.h"

#include <math.h>
#include <stdlib.h>

#define LOCKSTEP 0.3 /* of how far backward differs, that steps may differ */
#define APART 0.25   /* of the step, between the rank that computes longest and the usual one */

/* ---- lockstep ----------------------------------------------------------------------------------- */

/* Time per step, and time in the marked nodes. By the median spans, because the first step of the first
 * rank contains the wait for all others; by the means if medians are not known. */
static void usual_times(const struct pit__rank_arrays *in, size_t index, double *step,
                        double *meeting)
{
    const struct pit__rank_row *row = pit__row_of(in, index);
    const struct pit__rank_cell *unit = pit__cell_of(row, in->unit);
    double mean = 0, usual = 0;
    for (uint32_t i = 0; i < row->cell_count; i++) {
        const struct pit__rank_cell *cell = &row->cells[i];
        if (!in->is_top[i] || cell->count == 0)
            continue;
        mean += cell->total;
        usual += cell->typical * (double)cell->count;
    }
    int has_medians = in->unit != PIT_NO_NODE && !isnan(usual) && !isnan(unit->typical);
    *step = has_medians ? unit->typical : in->step[index];
    *meeting = (has_medians ? usual : mean) / pit__steps_of(in, index);
}

int pit__is_lockstep(const struct pit__rank_arrays *in)
{
    double least = INFINITY, most = 0, step_least = INFINITY, step_most = 0;
    for (size_t k = 0; k < in->count; k++) {
        double step, time;
        usual_times(in, k, &step, &time);
        least = fmin(least, time);
        most = fmax(most, time);
        step_least = fmin(step_least, step);
        step_most = fmax(step_most, step);
    }
    return step_most - step_least <= LOCKSTEP * (most - least);
}

/* ---- by the logger ------------------------------------------------------------------------------ */

/* The only node of the step with this role; PIT_NO_NODE: there is none, or several. */
static uint32_t backward_of(const struct pit__rank_arrays *in)
{
    const struct pit__builder *b = &in->box->gather.stream.b;
    uint32_t found = PIT_NO_NODE;
    for (uint32_t i = 0; i < b->count; i++) {
        if (!in->is_inside[i] || pit__role_of(b->nodes[i].node.name) != PIT__ROLE_BACKWARD)
            continue;
        if (found != PIT_NO_NODE)
            return PIT_NO_NODE;
        found = i;
    }
    return found;
}

static double computed_in(const struct pit__rank_arrays *in, size_t index, uint32_t node)
{
    const struct pit__rank_row *row = pit__row_of(in, index);
    const struct pit__rank_cell *cell = pit__cell_of(row, node);
    double mean = cell->own / pit__steps_of(in, index);
    double usual = cell->typical * (double)cell->count / pit__steps_of(in, index);
    return isnan(usual) || isnan(row->ddp_backward) ? NAN
                                                    : fmin(row->ddp_backward, fmin(usual, mean));
}

int pit__split_backward(struct pit__rank_arrays *in)
{
    uint32_t node = in->unit == PIT_NO_NODE ? PIT_NO_NODE : backward_of(in);
    double *sorted = calloc(in->count + 1, sizeof *sorted), most = 0, step = INFINITY;
    int is_known = sorted && node != PIT_NO_NODE && in->count > 1;
    for (size_t k = 0; is_known && k < in->count; k++) {
        sorted[k] = in->computed[k] = computed_in(in, k, node);
        is_known = !isnan(sorted[k]);
        most = fmax(most, sorted[k]);
        step = fmin(step, in->step[k]);
    }
    /* of two ranks the lower one, as for more ranks that wait for one */
    if (is_known) {
        pit__sort(sorted, in->count);
        is_known = most - sorted[(in->count - 1) / 2] >= APART * step;
    }
    free(sorted);
    in->split = is_known ? node : PIT_NO_NODE;
    return is_known;
}
