/* ranks.h: builds pit_ranks from the runs of a job's ranks, one run after another.
 *
 *   rank_gather.c   copies from a run: times by node, the course of some nodes, collectives, open spans
 *   rank_parts.c    finds the step, the communication and the slow rank
 *   rank_open.c     which ranks wait for which others, now or at the end
 *   rank_traffic.c  messages between ranks, and call sites
 *   rank_clocks.c   clock offsets between hosts, from collectives
 *   ranks_open.c    puts it together, from files that are streamed or from runs in memory
 *   rank_fields.c   the field table of ranks
 */
#ifndef PIT_RANKS_H
#define PIT_RANKS_H

#include "analysis/advice.h"
#include "analysis/imbalance.h"
#include "pitwall_ranks.h"
#include "tree_stream.h"

#define PIT__SLICES 64 /* of a run, for the course of its work */

/* Time of one rank in one node of the merged tree, on its main thread. */
struct pit__rank_cell {
    double total, own; /* ns; own: without what is in its children */
    uint64_t count;
    uint32_t course; /* number of its course, from 1; 0: it has none */
};

struct pit__rank_call { /* a collective that was kept */
    uint64_t group, seq;
    double enter, duration; /* ns, since the run's start; duration NaN: still inside */
    uint32_t node;          /* merged; PIT_NO_NODE */
    int is_sync;
};

struct pit__rank_group {
    uint64_t id, calls, stride;
};

struct pit__rank_row {
    pit_rank told; /* texts are the gather's arena's */
    struct pit__rank_cell *cells;
    size_t cell_count;
    float *courses; /* of course k, from 0: PIT__SLICES totals in ns, then as many counts */
    size_t course_count;
    struct pit__rank_call *calls;
    size_t call_count;
    struct pit__rank_group *groups;
    size_t group_count;
    uint64_t start_wall_ns, end_wall_ns;
    double duration;     /* ns */
    double processors;   /* of its machine; NaN */
    uint32_t open_node;  /* merged, innermost; PIT_NO_NODE */
    uint64_t world_size; /* PIT_UNKNOWN */
    size_t host;         /* number */
};

struct pit__rank_gather {
    struct pit__tree_stream stream;
    struct pit__arena arena; /* of what is told */
    struct pit__rank_row *rows;
    size_t count, room;
    size_t calls_most; /* of each rank; 0: all */
    const char *job, *launcher;
    size_t unread;
    struct pit__traffic *traffic; /* NULL before the first run with messages */
    int has_ddp; /* a framework communicates inside of "backward", out of sight of the hooks */
};

/* rank_traffic.c: messages of runs, added up. Add one as that rank's, which may go afterwards; *traffic is
 * made with the first that has any. 0 or PIT_NO_MEMORY. What was added, in order, lives until the free;
 * NULL: nothing was. */
struct pit__traffic;
int pit__traffic_add(struct pit__traffic **traffic, const pit_run *run, uint64_t rank);
const pit_traffic *pit__traffic_told(struct pit__traffic *traffic);
void pit__traffic_free(struct pit__traffic *traffic);

/* Add a run, which may go afterwards. 0 or PIT_NO_MEMORY. */
int pit__rank_add(struct pit__rank_gather *gather, const pit_run *run);
void pit__rank_gather_free(struct pit__rank_gather *gather);

/* ---- what is found ---------------------------------------------------------------------------- */

struct pit__ranks_box { /* what a pit_ranks is part of */
    pit_ranks ranks;
    struct pit__rank_gather gather;
    struct pit__rank_case found; /* for the rules of advice */
    pit_run *kept;               /* a run that stands for the others where they are streamed */
};

/* rank_parts.c: steps, work, waiting; fills the rows and found. 0 or PIT_NO_MEMORY. */
int pit__rank_parts_find(struct pit__ranks_box *box);
/* rank_open.c: ages of open spans; who waits for whom. */
void pit__rank_open_find(struct pit__ranks_box *box);
/* rank_clocks.c */
int pit__rank_clocks_find(struct pit__ranks_box *box);

/* Made of runs and given to rules; NULL: they are no ranks of one job. */
const struct pit__rank_case *pit__ranks_case(const pit_ranks *ranks);
/* The run that stands for all, of streamed ranks; NULL. */
const pit_run *pit__ranks_kept(const pit_ranks *ranks);

/* Of all runs in one clock: how far the clock of each run's host is ahead of the first one's, ns at its
 * start, and how fast that grows. Zero on one host, or where it cannot be told. 0 or PIT_NO_MEMORY. */
struct pit__run_clock {
    double ahead, drift;
};
int pit__run_clocks(const pit_run *const *runs, size_t count, struct pit__run_clock *clocks);

/* rank_parts.c: is it communication, by its flag or by its name? */
int pit__node_is_comm(const pit_node *node);

#endif
