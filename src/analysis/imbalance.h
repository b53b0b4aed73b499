/* imbalance.h: which rank makes the others wait? Pure functions: no I/O, no runs.
 *
 * A rank is blamed by its work, the time of a step outside of communication, and never by when it
 * arrived: a rank that is late because it waited for another one has done no more work than the rest.
 * All times are nanoseconds a step.
 */
#ifndef PIT_IMBALANCE_H
#define PIT_IMBALANCE_H

#include <stddef.h>
#include <stdint.h>

#define PIT__NO_RANK SIZE_MAX
#define PIT__STRAGGLER_LEAST 0.05 /* of the step */
#define PIT__ROTATING_LEAST 0.10  /* of the step, spent waiting */
#define PIT__COMM_BOUND_LEAST 0.3 /* of the step, spent in transfers */

struct pit__rank_parts {
    size_t ranks, parts, slices;
    const double *own;            /* of rank r and part p at r * parts + p: its own time */
    const unsigned char *is_comm; /* of each part: it is communication */
    const double *step;           /* of each rank */
    const double *waited; /* of each rank, by its collectives; NULL: only totals are known */
    const double
        *course; /* of rank r and slice s of the run at r * slices + s: its work; NaN: none */
};

struct pit__rank_figures {
    double step, work, wait, transfer;
    size_t part;        /* that is most over the median of the other ranks; SIZE_MAX: none is */
    double over;        /* by so much */
    double part_median; /* of the other ranks, in that part */
    double excess;      /* of its work over the median of the other ranks */
    int is_straggler;   /* by at least PIT__STRAGGLER_LEAST of the step, and it is real */
};

struct pit__imbalance {
    double step; /* the median of ranks */
    double balance, communication,
        efficiency;                    /* mean work / most work, most work / step; product */
    double wait_share, transfer_share; /* of the step, mean of ranks */
    size_t straggler; /* the one with the largest excess of those that are real; PIT__NO_RANK */
    size_t straggler_count;
    size_t
        waiting; /* ranks that wait for at least PIT__STRAGGLER_LEAST of the step, the straggler left out */
    double shorter; /* share of the step that is gone if it worked like the next slowest */
    int is_rotating, is_comm_bound;
};

/* One of `figures` for each rank. 0, or -1 without memory. */
int pit__imbalance_find(const struct pit__rank_parts *in, struct pit__rank_figures *figures,
                        struct pit__imbalance *out);

/* ---- waiting inside collectives ---------------------------------------------------------------- */

/* One call of one rank. The n-th collective of a group is the same call in all its ranks. */
struct pit__meeting {
    uint64_t group, seq;
    size_t rank;
    double duration;
};

struct pit__meetings {
    double wait;      /* sum over the calls: own duration less the least of all ranks */
    uint64_t counted; /* calls that another rank of the input has too */
    uint64_t last;    /* of these, those in which it came last: it waited the least */
};

/* Sorts `calls`. One of `out` for each rank. */
void pit__meetings_find(struct pit__meeting *calls, size_t count, struct pit__meetings *out,
                        size_t ranks);

#endif
