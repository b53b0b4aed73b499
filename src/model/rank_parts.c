/* rank_parts.c: finds the span that is the step of a job, the communication in it, and the slow rank. See
 * ranks.h. */
#include "rank_arrays.h"

#include "analysis/comm_names.h"
#include "analysis/order_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_LEAST 30u /* of a part; with fewer, its shortest span and its p10 say nothing */
#define USUAL_LAST 0.8  /* of the collectives */
#define LEAF_LEAST 0.95 /* of its time, outside of its parts */
#define STEPS_LEAST 2   /* of each rank, for a span to be a step */
#define OUTSIDE "outside of spans"

int pit__node_is_comm(const pit_node *node)
{
    return node->is_comm || pit__is_comm_name(node->name);
}

/* ---- the step ------------------------------------------------------------------------------------ */

static uint32_t find_unit(const struct pit__rank_gather *gather)
{
    const struct pit__builder *b = &gather->stream.b;
    struct pit__part *parts = calloc(b->count + 1, sizeof *parts);
    uint32_t found = PIT_NO_NODE;
    for (size_t i = 0; parts && i < b->count; i++) {
        const pit_node *node = &b->nodes[i].node;
        int is_comm = pit__node_is_comm(node);
        parts[i].name = node->name;
        parts[i].role = pit__role_of(node->name);
        parts[i].parent = node->parent == PIT_NO_NODE ? PIT__NO_PART : node->parent;
        parts[i].apart = node->detached || is_comm ||
                         (parts[i].parent != PIT__NO_PART && parts[parts[i].parent].apart);
        for (size_t r = 0; r < gather->count; r++) {
            const struct pit__rank_cell *cell = pit__cell_of(&gather->rows[r], (uint32_t)i);
            parts[i].seconds += cell->total / 1e9;
            parts[i].count += cell->count;
        }
    }
    size_t unit = parts ? pit__find_unit(parts, b->count) : PIT__NO_PART;
    if (unit != PIT__NO_PART && parts[unit].count >= STEPS_LEAST * gather->count)
        found = (uint32_t)unit;
    free(parts);
    return found;
}

/* Without a step, the unit is one collective of the group with the most, or the whole run. */
static double count_collectives(const struct pit__rank_gather *gather)
{
    double most = 0;
    for (size_t r = 0; r < gather->count; r++)
        for (size_t g = 0; g < gather->rows[r].group_count; g++)
            most = fmax(most, (double)gather->rows[r].groups[g].calls);
    return most;
}

static void find_active(struct pit__rank_arrays *in)
{
    const struct pit__rank_gather *gather = &in->box->gather;
    for (size_t r = 0; r < gather->count; r++) {
        const struct pit__rank_cell *cell = pit__cell_of(&gather->rows[r], in->unit);
        int is_active = in->unit == PIT_NO_NODE ? gather->rows[r].duration > 0 : cell->count > 0;
        if (is_active)
            in->active[in->count++] = r;
    }
}

/* ---- parts and communication ------------------------------------------------------------------- */

static void find_inside(struct pit__rank_arrays *in)
{
    const struct pit__builder *b = &in->box->gather.stream.b;
    for (size_t i = 0; i < b->count; i++) { /* parents come before their children */
        const pit_node *node = &b->nodes[i].node;
        int is_below = node->parent != PIT_NO_NODE && in->is_inside[node->parent];
        in->is_inside[i] =
            !node->detached && (in->unit == PIT_NO_NODE || i == in->unit || is_below);
        if (in->is_inside[i])
            in->parts[in->part_count++] = (uint32_t)i;
    }
    if (in->unit == PIT_NO_NODE)
        in->parts[in->part_count++] = PIT_NO_NODE;
}

typedef int is_meeting(const pit_node *node);

static int is_flagged(const pit_node *node)
{
    return node->is_comm;
}
static int is_named(const pit_node *node)
{
    return pit__is_comm_name(node->name);
}
static int is_backward(const pit_node *node)
{
    return pit__role_of(node->name) == PIT__ROLE_BACKWARD;
}

static int is_flagged_or_backward(const pit_node *node)
{
    return is_flagged(node) || is_backward(node);
}

/* Mark the nodes for which `holds` is true, and all below them. Returns how many of them are outermost. */
static size_t mark_comm(struct pit__rank_arrays *in, is_meeting *holds)
{
    const struct pit__builder *b = &in->box->gather.stream.b;
    size_t tops = 0;
    for (size_t i = 0; i < b->count; i++) {
        const pit_node *node = &b->nodes[i].node;
        int is_below = node->parent != PIT_NO_NODE && in->node_comm[node->parent];
        in->is_top[i] = in->is_inside[i] && i != in->unit && !is_below && holds(node);
        in->node_comm[i] = in->is_inside[i] && (is_below || in->is_top[i]);
        tops += in->is_top[i];
    }
    return tops;
}

static void find_comm(struct pit__rank_arrays *in)
{
    pit_ranks *ranks = &in->box->ranks;
    size_t flagged = mark_comm(in, is_flagged);
    if (in->box->gather.has_ddp && pit__split_backward(in)) {
        in->has_unseen = 1;
        ranks->estimated_by =
            "communication, and backward without what DDP says is computed there, "
            "less their least";
    } else if (flagged > 0 && in->box->gather.has_ddp && mark_comm(in, is_backward) > 0 &&
               mark_comm(in, is_flagged_or_backward) > 0 && pit__is_lockstep(in)) {
        in->has_unseen = 1;
        ranks->estimated_by = "communication and backward, in which DDP communicates, less their "
                              "least";
    } else if (flagged > 0) {
        mark_comm(in, is_flagged);
        ranks->estimated_by = "communication less its least; no single collectives were kept";
    } else if (mark_comm(in, is_named) > 0) {
        ranks->estimated_by = "communication by its name, less its least";
    } else if (mark_comm(in, is_backward) > 0 && pit__is_lockstep(in)) {
        ranks->estimated_by = "backward less its least; no communication is marked";
    } else {
        size_t count = in->box->gather.stream.b.count;
        memset(in->is_top, 0, count);
        memset(in->node_comm, 0, count);
    }
    const struct pit__builder *b = &in->box->gather.stream.b;
    double most = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        double total = 0;
        for (size_t k = 0; k < in->count && (in->is_top[i] || i == in->split); k++)
            total += pit__cell_of(pit__row_of(in, k), i)->total -
                     (i == in->split ? in->computed[k] * pit__steps_of(in, k) : 0);
        if (total > most) {
            most = total;
            ranks->wait_in = b->nodes[i].node.name;
        }
    }
    for (size_t p = 0; p < in->part_count; p++)
        in->is_comm[p] = in->parts[p] != PIT_NO_NODE && in->node_comm[in->parts[p]];
    if (in->split != PIT_NO_NODE) { /* a second part of the same node */
        in->parts[in->part_count] = in->split;
        in->is_comm[in->part_count++] = 1;
    }
}

/* ---- figures ------------------------------------------------------------------------------------- */

static void fill_steps(struct pit__rank_arrays *in)
{
    for (size_t k = 0; k < in->count; k++) {
        const struct pit__rank_row *row = pit__row_of(in, k);
        double time = in->unit == PIT_NO_NODE ? row->duration : pit__cell_of(row, in->unit)->total;
        in->step[k] = time / pit__steps_of(in, k);
    }
}

static void fill_own(struct pit__rank_arrays *in)
{
    for (size_t k = 0; k < in->count; k++) {
        const struct pit__rank_row *row = pit__row_of(in, k);
        double left = row->duration;
        for (size_t p = 0; p < in->part_count; p++) {
            int is_outside = in->parts[p] == PIT_NO_NODE;
            double own = is_outside ? fmax(left, 0) : pit__cell_of(row, in->parts[p])->own;
            left -= own;
            in->own[k * in->part_count + p] = own / pit__steps_of(in, k);
            if (in->parts[p] != in->split || is_outside)
                continue;
            double rest = own / pit__steps_of(in, k) - in->computed[k];
            in->own[k * in->part_count + p] = in->is_comm[p] ? rest : in->computed[k];
        }
    }
}

/* Only for parts without parts inside: there a span is the work itself. */
static void fill_spans(struct pit__rank_arrays *in)
{
    for (size_t k = 0; k < in->count; k++)
        for (size_t p = 0; p < in->part_count; p++) {
            const struct pit__rank_cell *cell = pit__cell_of(pit__row_of(in, k), in->parts[p]);
            double calls = (double)cell->count / pit__steps_of(in, k);
            int is_known = cell->count >= SPANS_LEAST && in->parts[p] != in->split &&
                           cell->own >= LEAF_LEAST * cell->total;
            in->least[k * in->part_count + p] = is_known ? cell->least * calls : NAN;
            in->p10[k * in->part_count + p] = is_known ? cell->p10 * calls : NAN;
        }
}

static const float *course_of(const struct pit__rank_row *row, uint32_t node)
{
    uint32_t course = pit__cell_of(row, node)->course;
    return course ? row->courses + (size_t)(course - 1) * 2 * PIT__SLICES : NULL;
}

/* Work in each slice: of the step, or of the slice itself, without communication. */
static void fill_course(struct pit__rank_arrays *in, size_t index)
{
    const struct pit__rank_row *row = pit__row_of(in, index);
    const float *unit = in->unit == PIT_NO_NODE ? NULL : course_of(row, in->unit);
    double *to = in->course + index * PIT__SLICES;
    double steps = in->steps / PIT__SLICES;
    for (size_t s = 0; s < PIT__SLICES; s++) {
        double count = in->unit == PIT_NO_NODE ? steps : unit ? (double)unit[PIT__SLICES + s] : 0;
        double time = unit ? (double)unit[s] : row->duration / PIT__SLICES;
        for (uint32_t i = 0; i < row->cell_count; i++) {
            const float *course = in->is_top[i] ? course_of(row, i) : NULL;
            time -= course ? (double)course[s] : 0;
        }
        const float *split = in->split == PIT_NO_NODE ? NULL : course_of(row, in->split);
        time += split ? count * in->computed[index] - (double)split[s] : 0;
        to[s] = count > 0 ? time / count : NAN;
    }
}

/* ---- on a busy machine ----------------------------------------------------------------------------- */

static int is_starved(const struct pit__rank_arrays *in)
{
    double delayed = 0;
    for (size_t k = 0; k < in->count; k++)
        delayed += pit__row_of(in, k)->told.delayed;
    return delayed > PIT__STARVED_LEAST * (double)in->count;
}

/* If ranks lack processors, one can have long spans by chance. It is blamed only if most are long:
 * the median is that of spans which were not interrupted. */
static int drop_unlucky(struct pit__rank_arrays *in, struct pit__imbalance *found)
{
    double *typical = calloc(2 * in->count + 1, sizeof *typical);
    if (!typical)
        return PIT_NO_MEMORY;
    size_t best = PIT__NO_RANK;
    for (size_t k = 0; k < in->count; k++) {
        struct pit__rank_figures *figures = &in->figures[k];
        if (!figures->is_straggler)
            continue;
        uint32_t node = figures->part == SIZE_MAX ? PIT_NO_NODE : in->parts[figures->part];
        for (size_t r = 0; r < in->count; r++) {
            const struct pit__rank_cell *cell = pit__cell_of(pit__row_of(in, r), node);
            typical[r] = !cell->count                               ? NAN
                         : node == in->split && node != PIT_NO_NODE ? in->computed[r]
                                                                    : cell->typical;
        }
        figures->is_straggler = pit__is_mostly_slow(typical, in->count, k, typical + in->count);
        found->straggler_count -= !figures->is_straggler;
        if (figures->is_straggler &&
            (best == PIT__NO_RANK || pit__slower_by(figures) > pit__slower_by(&in->figures[best])))
            best = k;
    }
    found->straggler = best;
    free(typical);
    return 0;
}

/* Does one rank nearly always arrive last? Then the ranks are not slow in turn, even if none can be
 * blamed. But a rank that waited for messages before it arrived was late because of another one. */
static int has_usual_last(const struct pit__rank_arrays *in)
{
    for (size_t k = 0; k < in->count; k++)
        if (pit__row_of(in, k)->told.last_share > USUAL_LAST &&
            in->elsewhere[k] < PIT__STRAGGLER_LEAST * in->step[k])
            return 1;
    return 0;
}

/* ---- what is told -------------------------------------------------------------------------------- */

static const char *part_name(const struct pit__rank_arrays *in, size_t part)
{
    return in->parts[part] == PIT_NO_NODE
               ? OUTSIDE
               : in->box->gather.stream.b.nodes[in->parts[part]].node.name;
}

/* Names joined by '/', like pit_node.path but without escapes. */
static const char *part_path(const struct pit__rank_arrays *in, size_t part)
{
    struct pit__rank_gather *gather = &in->box->gather;
    const struct pit__merged *nodes = gather->stream.b.nodes;
    const char *path = part_name(in, part);
    if (in->parts[part] == PIT_NO_NODE)
        return path;
    for (uint32_t at = nodes[in->parts[part]].node.parent; at != PIT_NO_NODE;
         at = nodes[at].node.parent) {
        size_t above = strlen(nodes[at].node.name), below = strlen(path);
        char *joined = pit__arena_alloc(&gather->arena, above + below + 2);
        if (!joined)
            return "";
        memcpy(joined, nodes[at].node.name, above);
        joined[above] = '/';
        memcpy(joined + above + 1, path, below + 1);
        path = joined;
    }
    return path;
}

static void tell_ranks(struct pit__rank_arrays *in, const struct pit__imbalance *found)
{
    int has_comm = in->box->ranks.wait_in != NULL;
    for (size_t k = 0; k < in->count; k++) {
        const struct pit__rank_figures *figures = &in->figures[k];
        pit_rank *told = &pit__row_of(in, k)->told;
        told->steps = (uint64_t)pit__steps_of(in, k);
        told->step_ns = figures->step;
        told->work_ns = figures->work;
        told->wait_ns = has_comm ? figures->wait : NAN;
        told->transfer_ns = has_comm ? figures->transfer : NAN;
        told->is_straggler = figures->is_straggler;
        if (figures->part == SIZE_MAX || figures->over < PIT__SHOWN_LEAST * found->step)
            continue;
        told->excess_in = part_name(in, figures->part);
        told->excess_path = part_path(in, figures->part);
        told->excess_ns = figures->over;
        told->median_ns = figures->part_median;
        told->excess_share = figures->part_median > 0 ? figures->over / figures->part_median : NAN;
    }
}

static void tell_job(struct pit__rank_arrays *in, const struct pit__imbalance *found, int has_waits)
{
    pit_ranks *ranks = &in->box->ranks;
    struct pit__rank_case *rank_case = &in->box->found;
    ranks->step_ns = found->step;
    ranks->efficiency = found->efficiency;
    ranks->balance = found->balance;
    ranks->communication = found->communication;
    ranks->is_estimated = ranks->wait_in && (!has_waits || in->has_estimate);
    if (!ranks->is_estimated)
        ranks->estimated_by = NULL;
    ranks->steps = PIT_UNKNOWN;
    for (size_t k = 0; k < in->count; k++)
        if ((uint64_t)pit__steps_of(in, k) < ranks->steps)
            ranks->steps = (uint64_t)pit__steps_of(in, k);
    rank_case->found = *found;
    rank_case->wait_in = ranks->wait_in;
    if (found->starved != PIT__NO_RANK) {
        rank_case->starved = pit__row_of(in, found->starved)->told.rank;
        rank_case->starved_share = in->delayed[found->starved];
        for (size_t k = 0; k < in->count; k++)
            rank_case->starved_others +=
                k == found->starved || isnan(in->delayed[k]) ? 0 : in->delayed[k];
        rank_case->starved_others /= (double)in->count - 1;
    }
    if (found->straggler == PIT__NO_RANK)
        return;
    const struct pit__rank_figures *slow = &in->figures[found->straggler];
    rank_case->slow = pit__row_of(in, found->straggler)->told.rank;
    rank_case->part = part_name(in, slow->part);
    rank_case->part_path = part_path(in, slow->part);
    rank_case->part_role = pit__role_of(rank_case->part);
    rank_case->part_ns = slow->part_median + slow->over;
    rank_case->part_median_ns = slow->part_median;
}

/* ---- all of it ------------------------------------------------------------------------------------ */

static int make_room(struct pit__rank_arrays *in)
{
    size_t nodes = in->box->gather.stream.b.count, ranks = in->box->gather.count;
    in->active = calloc(ranks + 1, sizeof *in->active);
    in->parts = calloc(nodes + 2, sizeof *in->parts);
    in->is_comm = calloc(nodes + 2, 1);
    in->is_inside = calloc(3 * (nodes + 1), 1);
    in->own = calloc(3 * ranks * (nodes + 2) + 1, sizeof *in->own);
    in->step = calloc(5 * ranks + ranks * PIT__SLICES + 1, sizeof *in->step);
    in->figures = calloc(ranks + 1, sizeof *in->figures);
    if (!in->active || !in->parts || !in->is_comm || !in->is_inside || !in->own || !in->step ||
        !in->figures)
        return PIT_NO_MEMORY;
    in->node_comm = in->is_inside + nodes + 1;
    in->is_top = in->node_comm + nodes + 1;
    in->least = in->own + ranks * (nodes + 2);
    in->p10 = in->least + ranks * (nodes + 2);
    in->waited = in->step + ranks;
    in->delayed = in->waited + ranks;
    in->elsewhere = in->delayed + ranks;
    in->computed = in->elsewhere + ranks;
    in->course = in->computed + ranks;
    return 0;
}

static int find_slow(struct pit__rank_arrays *in)
{
    int code = 0;
    for (size_t k = 0; k < in->count; k++) {
        fill_course(in, k);
        in->delayed[k] = pit__row_of(in, k)->told.delayed;
    }
    fill_own(in);
    fill_spans(in);
    int has_waits = pit__fill_waited(in, &code) && !in->has_unseen;
    struct pit__imbalance found;
    struct pit__rank_parts parts = {.ranks = in->count,
                                    .parts = in->part_count,
                                    .slices = PIT__SLICES,
                                    .own = in->own,
                                    .least = in->least,
                                    .p10 = in->p10,
                                    .steps = pit__steps_of(in, 0),
                                    .is_comm = in->is_comm,
                                    .step = in->step,
                                    .waited = has_waits ? in->waited : NULL,
                                    .course = in->course,
                                    .delayed = in->delayed};
    if (!code && pit__imbalance_find(&parts, in->figures, &found) != 0)
        code = PIT_NO_MEMORY;
    if (!code && is_starved(in))
        code = drop_unlucky(in, &found);
    if (!code) {
        found.is_rotating = found.is_rotating && !has_usual_last(in);
        tell_ranks(in, &found);
        tell_job(in, &found, has_waits);
    }
    return code;
}

int pit__rank_parts_find(struct pit__ranks_box *box)
{
    struct pit__rank_arrays in = {
        .box = box, .unit = find_unit(&box->gather), .split = PIT_NO_NODE};
    double collectives = count_collectives(&box->gather);
    pit_ranks *ranks = &box->ranks;
    in.steps = collectives > 0 ? collectives : 1;
    int code = make_room(&in);
    if (!code) {
        size_t unit = in.unit;
        find_active(&in);
        find_inside(&in);
        ranks->step_unit = in.unit != PIT_NO_NODE ? "step" : collectives > 0 ? "collective" : "run";
        ranks->step_path = "";
        for (size_t p = 0; p < in.part_count && in.unit != PIT_NO_NODE; p++)
            if (in.parts[p] == unit)
                ranks->step_path = part_path(&in, p);
        fill_steps(&in);
        find_comm(&in);
        if (in.count > 0)
            code = find_slow(&in);
    }
    free(in.active);
    free(in.parts);
    free(in.is_comm);
    free(in.is_inside);
    free(in.own);
    free(in.step);
    free(in.figures);
    return code;
}
