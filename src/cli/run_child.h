/* run_child.h: start the program of `pitwall run`, wait for it, and measure what it used. */
#ifndef PIT_RUN_CHILD_H
#define PIT_RUN_CHILD_H

#include "pitwall.h"

#include <limits.h>

enum { EXIT_NOT_STARTED = 126, EXIT_NOT_FOUND = 127, EXIT_BY_SIGNAL = 128 };

struct run_program {
    char **argv;
    const char *wanted; /* the requested name of the run file; NULL: PITWALL_FILE, or the default */
    int no_run;         /* nothing is recorded, no file is created */
    unsigned char run_id[16]; /* id of its run */
    char path[PATH_MAX];      /* of its run file, filled in */
    pit_ended ended;          /* filled in */
};

/* Start the program, forward signals, stop and continue together with it, and wait for its end. Returns
 * the program's exit status; or, if it could not be started, an exit status after the message, with
 * ended.pid 0. */
int run_child(struct run_program *program);

/* run_children.c: counts the processes below `pid`; returns how many different ones were seen so far. 0
 * forgets them. */
uint64_t run_watch_children(long pid);

/* run_path.c: sets the variables that pass the name of the run file to the program; called in the child,
 * before exec. Returns 0 or an errno. */
int run_tell_path(const struct run_program *program, const char *path);
/* Could a file be created there? Returns 0 or an errno. Creates nothing. */
int run_check_path(const char *path);

#endif
