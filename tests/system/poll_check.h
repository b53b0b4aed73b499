/* Checks of a run that is read repeatedly while it is written: each reading is as consistent as the format
 * promises, and no figure ever decreases. */
#ifndef POLL_CHECK_H
#define POLL_CHECK_H

#include "pitwall_report.h"

struct poll_check {
    int at_rest;    /* the writers are stopped: histogram and series match exactly */
    unsigned wrong; /* the first ones are printed to stderr */
    unsigned long polls, steady;
    uint64_t spans;         /* of the newest reading */
    unsigned long most_off; /* largest distance of a histogram's sum from its count */
    uint64_t used_bytes[2]; /* of the run, in the two readings before */
    int is_steady;          /* it got no new block during those and this one */
    size_t count, room;
    struct poll_node *nodes; /* what was seen last, by thread and node */
};

/* Check a reading by itself and against the previous one. */
void poll_check(struct poll_check *check, const pit_run *run);

#endif
