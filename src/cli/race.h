/* race.h: whole commands run in turn by the race engine, and what they took. */
#ifndef RACE_H
#define RACE_H

#include "pitwall_bench.h"

#define RACE_MOST_RUNS 10000
#define RACE_MOST 64

/* One command of the race. The first one is what the others are compared with. */
struct racer {
    char *name;      /* as shown: the command with its parameter, or what -n says */
    char letter[16]; /* a, b, …: of its run files */
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

/* Run it. An interrupt ends it with the rounds that are whole. 0, or an exit status after the message. */
int race_run(struct race *race);

/* All against the first: the deciding figure, processor time, peak memory, and the nodes of their runs
 * where they recorded any. NULL and *error on failure. */
pit_comparisons *race_compare(const struct race *race, pit_error *error);

#endif
