/* imbalance.h: which rank makes the others wait? Pure functions: no I/O, no runs.
 *
 * A rank is judged by its work, the time of a step outside communication, never by its arrival: a rank that
 * is late because it waited for another one has done no more work than the rest. All times are nanoseconds
 * per step. */
#ifndef PIT_IMBALANCE_H
#define PIT_IMBALANCE_H

#include <stddef.h>
#include <stdint.h>

#define PIT__NO_RANK SIZE_MAX
#define PIT__STRAGGLER_LEAST 0.05 /* share of the step */
#define PIT__ROTATING_LEAST 0.10  /* share of the step spent waiting */
#define PIT__STARVED_LEAST 0.10   /* of the time, ready to run and without a processor */
#define PIT__COMM_BOUND_LEAST 0.3 /* share of the step spent in transfers */

struct pit__rank_parts {
    size_t ranks, parts, slices;
    const double *own; /* own time of rank r in part p, at r * parts + p */
    /* The same if each span of the part took as long as the shortest one, or as p10 of its spans: the time of
     * undisturbed code. NaN: unknown. Or NULL. */
    const double *least, *p10;
    double steps;                 /* 0: unknown */
    const unsigned char *is_comm; /* for each part: it is communication */
    const double *step;           /* per rank */
    const double *waited;         /* per rank, from its collectives; NULL: only totals are known */
    const double *course; /* work of rank r in slice s of the run, at r * slices + s; NaN: none */
    const double
        *delayed; /* per rank: share of its time, ready to run and without a processor; NULL */
};

struct pit__rank_figures {
    double step, work, wait, transfer;
    size_t part; /* the part that exceeds the median of the other ranks most; SIZE_MAX: none does */
    double over; /* by so much */
    double part_median; /* median of the other ranks in that part */
    double excess;      /* its work above the median of the other ranks */
    double shift; /* the same by the shortest span of each part; parts without one are left out */
    /* The part whose shortest span and p10 are both longer than those of the others, and by how much p10 is;
     * SIZE_MAX: none. */
    size_t longer;
    double longer_by, longer_median;
    int is_straggler; /* by at least PIT__STRAGGLER_LEAST of the step, and significant */
    int is_starved;   /* it would be, but had no processor for the time that it is behind */
};

struct pit__imbalance {
    double step; /* median over the ranks */
    double balance, communication,
        efficiency;                    /* mean work / most work, most work / step; product */
    double wait_share, transfer_share; /* share of the step, mean over the ranks */
    size_t straggler; /* the rank with the largest significant excess; PIT__NO_RANK */
    size_t straggler_count;
    size_t starved; /* the rank that is most behind for want of a processor; PIT__NO_RANK */
    /* ranks that wait for at least PIT__STRAGGLER_LEAST of the step, or half of what the slow rank is behind;
     * without that rank, which may wait too on a busy machine, but not for itself */
    size_t waiting;
    double shorter; /* share of the step saved if it worked like the next slowest */
    int is_rotating, is_comm_bound;
};

/* Fills one of `figures` per rank. Returns 0, or -1 if memory is exhausted. */
int pit__imbalance_find(const struct pit__rank_parts *in, struct pit__rank_figures *figures,
                        struct pit__imbalance *out);

/* How much more work a rank has than the others, by its means or by its shortest spans. */
static inline double pit__slower_by(const struct pit__rank_figures *figures)
{
    return figures->excess > figures->shift ? figures->excess : figures->shift;
}

/* Is a rank slow in most of its spans of a part, or only in some that were interrupted? typical: the median span
 * of each rank; NaN: none. Where ranks lack processors, only the first is its own doing. */
int pit__is_mostly_slow(const double *typical, size_t ranks, size_t rank, double *room);

/* ---- waiting inside collectives ---------------------------------------------------------------- */

/* One call of one rank. The n-th collective of a group is the same call on all its ranks. */
struct pit__meeting {
    uint64_t group, seq;
    size_t rank;
    double duration;
};

struct pit__meetings {
    double wait;      /* sum over the calls: own duration minus the shortest of all ranks */
    uint64_t counted; /* calls that another rank of the input also has */
    uint64_t last;    /* calls in which it arrived last: it waited least */
};

/* Sorts `calls`. Fills one of `out` per rank. */
void pit__meetings_find(struct pit__meeting *calls, size_t count, struct pit__meetings *out,
                        size_t ranks);

#endif
