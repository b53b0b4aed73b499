/* race.h: whole commands run in turn, and what they took. */
#ifndef RACE_H
#define RACE_H

#include "pitwall_bench.h"

#define RACE_PAIRS 40 /* at most, where none is asked for: the last look */
#define RACE_MOST_PAIRS 10000
#define RACE_MOST 64

/* One command of the race. The first one is what the others are compared with. */
struct racer {
    char *name;                /* as shown: the command with its parameter, or what -n says */
    char letter[16];           /* a, b, …: of its run files */
    char **words;              /* of child_words */
    double *wall, *cpu, *peak; /* of each run */
    size_t runs;
};

struct race {
    struct racer *racers;
    size_t count; /* 2 … RACE_MOST */
    const char *prepare, *shell;
    size_t pairs;  /* to run; 0: until there is a verdict, looking at 10, 20 and 40 */
    size_t warmup; /* runs of each that are not counted */
    double level, effect;
    const char *const *gates;
    size_t gate_count;
    char folder[4096]; /* for the run files */
    int is_quiet;
};

/* Run it: rounds in which every command runs once, in an order by coin. 0, or an exit status after the
 * message. */
int race_run(struct race *race);

/* All against the first: wall time, processor time, peak memory, and the nodes of their runs where
 * they recorded any. NULL and *error on failure. */
pit_comparisons *race_compare(const struct race *race, pit_error *error);

/* The file of a run of a racer. */
void race_file(const struct race *race, const struct racer *racer, size_t run, char *path,
               size_t room);

#endif
