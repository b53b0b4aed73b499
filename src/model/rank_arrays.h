/* rank_arrays.h: a job as arrays, for rank_parts.c and rank_waits.c. */
#ifndef PIT_RANK_ARRAYS_H
#define PIT_RANK_ARRAYS_H

#include "ranks.h"

/* smallest share of the step for which a figure is worth mentioning */
#define PIT__SHOWN_LEAST 0.02

/* The job as arrays for pit__imbalance_find. */
struct pit__rank_arrays {
    struct pit__ranks_box *box;
    size_t *active; /* rows that have steps */
    size_t count;
    uint32_t unit;   /* merged node; PIT_NO_NODE: the run as a whole */
    double steps;    /* of each rank, where there is no unit */
    uint32_t *parts; /* merged nodes inside the step; the last may be PIT_NO_NODE: outside */
    size_t part_count;
    int has_unseen;                                /* some waits are not in collectives */
    int has_estimate;                              /* and these are estimated */
    unsigned char *is_comm;                        /* of each part */
    unsigned char *is_inside, *node_comm, *is_top; /* of each merged node; top: outermost in comm */
    double *own, *step, *waited, *course, *delayed;
    double *elsewhere;   /* part of `waited` outside of collectives; estimated */
    double *least, *p10; /* as in pit__rank_parts */
    uint32_t split;      /* merged node in which ranks compute and communicate; PIT_NO_NODE */
    double *computed;    /* a step, in that node */
    struct pit__rank_figures *figures;
};

static inline const struct pit__rank_cell *pit__cell_of(const struct pit__rank_row *row,
                                                        uint32_t node)
{
    static const struct pit__rank_cell none;
    return node < row->cell_count ? &row->cells[node] : &none;
}

static inline struct pit__rank_row *pit__row_of(const struct pit__rank_arrays *in, size_t index)
{
    return &in->box->gather.rows[in->active[index]];
}

static inline double pit__steps_of(const struct pit__rank_arrays *in, size_t index)
{
    return in->unit == PIT_NO_NODE ? in->steps
                                   : (double)pit__cell_of(pit__row_of(in, index), in->unit)->count;
}

/* rank_waits.c: how long each rank waited in its collectives and, as far as known, elsewhere. Returns 1
 * if there were collectives of several ranks. */
int pit__fill_waited(struct pit__rank_arrays *in, int *code);

/* rank_ddp.c: if ranks meet inside the marked nodes, their steps have the same length however long each rank is in
 * them. Otherwise they compute there, and a rank that takes long is slow. */
int pit__is_lockstep(const struct pit__rank_arrays *in);

/* rank_ddp.c: find how long each rank computes in the node "backward"; sets `split` and `computed`. 0: not known, or
 * the ranks do not differ by much. */
int pit__split_backward(struct pit__rank_arrays *in);

#endif
