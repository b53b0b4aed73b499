/* jobs.h: which rank of which job a run is, by its facts. */
#ifndef PIT_JOBS_H
#define PIT_JOBS_H

#include "pitwall_ranks.h"
#include "reader.h"

/* The start of a run file: who it is. */
struct pit__rank_head {
    unsigned char id[16], parent[16];
    uint64_t start_wall_ns;
    uint64_t rank, world_size, nodes;     /* PIT_UNKNOWN: not recorded */
    uint64_t restart;                     /* 0 if not recorded */
    const char *job, *launcher, *program; /* "" if not recorded */
};

/* Texts belong to the arena. Returns 0, or a code with *error (may be NULL). */
int pit__rank_head(const char *path, struct pit__arena *arena, struct pit__rank_head *head,
                   pit_error *error);
/* The same for a run that was read; texts belong to the run. */
void pit__rank_head_of(const pit_run *run, struct pit__rank_head *head);

/* Is it one of several ranks? A single rank is a plain run: Slurm sets one for every shell. */
int pit__is_rank(const struct pit__rank_head *head);
/* Do both name the same rank of the same job? A worker inherits the environment of its rank. */
int pit__same_rank(const struct pit__rank_head *a, const struct pit__rank_head *b);

#endif
