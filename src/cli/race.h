/* race.h: run whole commands in turn with the race engine, and measure them. */
#ifndef RACE_H
#define RACE_H

#include "pitwall_bench.h"

#define RACE_MOST_RUNS 10000
#define RACE_MOST 64

/* One command of the race. The others are compared with the first one. */
struct racer {
    char *name;      /* as shown: the command with its parameter, or the name from -n */
    char letter[16]; /* a, b, …: first part of the names of its run files */
    char **words;    /* of child_words */
};

struct race {
    struct racer *racers;
    size_t count; /* 2 … RACE_MOST */
    const char *prepare, *shell;
    const char
        *figure; /* the name of the figure that the commands print; NULL: wall time decides */
    pit_race_options options;
    pit_race_result result; /* of race_run */
    const char *const *gates;
    size_t gate_count;
    char folder[4096]; /* for the run files */
    int is_quiet;
};

/* Run the race. An interrupt ends it after the last complete round. 0, or an exit status after the
 * message. */
int race_run(struct race *race);

/* Compare all with the first: the deciding figure, processor time, peak memory, and the nodes of their
 * runs, if any. NULL and *error on failure. */
pit_comparisons *race_compare(const struct race *race, pit_error *error);

#endif
