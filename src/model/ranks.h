/* ranks.h: builds pit_ranks from the runs of a job's ranks, one run after another.
 *
 *   rank_gather.c   copies from a run: times by node, the course of some nodes, collectives, open spans
 *   rank_parts.c    finds the step, the communication and the slow rank
 *   rank_waits.c    how long each rank waited for others
 *   rank_ddp.c      whether ranks compute or communicate in backward
 *   rank_open.c     which ranks wait for which others, now or at the end
 *   rank_traffic.c  messages between ranks, and call sites
 *   rank_clocks.c   clock offsets between hosts, from collectives
 *   ranks_open.c    puts it together, from files that are streamed or from runs in memory
 *   rank_fields.c   the field table of ranks */
#ifndef PIT_RANKS_H
#define PIT_RANKS_H

#include "analysis/advice.h"
#include "analysis/imbalance.h"
#include "pitwall_ranks.h"
#include "tree_stream.h"

#define PIT__SLICES 64 /* of a run, for the time course of its work */

/* Time of one rank in one node of the merged tree, on its main thread. */
struct pit__rank_cell {
    double total, own; /* ns; own: without its children */
    double typical;    /* ns, the median span; NaN: unknown */
    double p10;        /* ns, of its spans; NaN */
    double least;      /* ns, the shortest span */
    uint64_t count;
    uint32_t course; /* number of its time course, from 1; 0: none */
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
    pit_rank told; /* texts belong to the gather's arena */
    struct pit__rank_cell *cells;
    size_t cell_count;
    float *courses; /* course k, from 0: PIT__SLICES totals in ns, then as many counts */
    size_t course_count;
    struct pit__rank_call *calls;
    size_t call_count;
    struct pit__rank_group *groups;
    size_t group_count;
    uint64_t start_wall_ns, end_wall_ns;
    double duration;     /* ns */
    double processors;   /* of its machine; NaN */
    double ddp_backward; /* ns that it computes in a backward pass, by DDP's logger; NaN */
    uint32_t open_node;  /* merged, innermost; PIT_NO_NODE */
    uint64_t world_size; /* PIT_UNKNOWN */
    size_t host;         /* number */
};

struct pit__rank_gather {
    struct pit__tree_stream stream;
    struct pit__arena arena; /* texts */
    struct pit__rank_row *rows;
    size_t count, room;
    size_t calls_most;    /* of each rank; 0: all */
    unsigned char *kinds; /* of the nodes of the merged tree, by their names */
    size_t kind_count, kind_room;
    int has_step; /* one of them is called a step */
    const char *job, *launcher;
    size_t unread;
    struct pit__traffic *traffic; /* NULL before the first run with messages */
    int has_ddp; /* a framework communicates inside "backward", where the hooks cannot see it */
};

/* rank_traffic.c: sums of messages. Add the messages of one rank's run, which may be freed afterwards;
 * *traffic is created with the first run that has messages. Returns 0 or PIT_NO_MEMORY. The sorted result
 * is valid until the free; NULL: no messages. */
struct pit__traffic;
int pit__traffic_add(struct pit__traffic **traffic, const pit_run *run, uint64_t rank);
const pit_traffic *pit__traffic_told(struct pit__traffic *traffic);
void pit__traffic_free(struct pit__traffic *traffic);

/* Add a run, which may be freed afterwards. Returns 0 or PIT_NO_MEMORY. */
int pit__rank_add(struct pit__rank_gather *gather, const pit_run *run);
void pit__rank_gather_free(struct pit__rank_gather *gather);

/* ---- what is found ---------------------------------------------------------------------------- */

struct pit__ranks_box { /* a pit_ranks and the memory behind it */
    pit_ranks ranks;
    struct pit__rank_gather gather;
    struct pit__rank_case found; /* for the advice rules */
    pit_run *kept;               /* a run that represents the others if they are streamed */
};

/* rank_parts.c: finds steps, work and waiting; fills the rows and `found`. Returns 0 or PIT_NO_MEMORY. */
int pit__rank_parts_find(struct pit__ranks_box *box);
/* rank_open.c: ages of open spans, and which ranks wait for which others. */
void pit__rank_open_find(struct pit__ranks_box *box);
/* rank_clocks.c */
int pit__rank_clocks_find(struct pit__ranks_box *box);

/* The case for the advice rules; NULL if the runs are not ranks of one job. */
const struct pit__rank_case *pit__ranks_case(const pit_ranks *ranks);
/* The run that represents all streamed ranks; NULL. */
const pit_run *pit__ranks_kept(const pit_ranks *ranks);

/* All runs in one clock: how far the clock of each run's host is ahead of the first one's at its start, in
 * ns, and its drift. Zero on one host, or if it is not known. Returns 0 or PIT_NO_MEMORY. */
struct pit__run_clock {
    double ahead, drift;
};
int pit__run_clocks(const pit_run *const *runs, size_t count, struct pit__run_clock *clocks);

/* rank_parts.c: is it communication, by its flag or by its name? */
int pit__node_is_comm(const pit_node *node);

#endif
