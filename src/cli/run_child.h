/* run_child.h: the program of `pitwall run`: started, waited for, and what it took. */
#ifndef PIT_RUN_CHILD_H
#define PIT_RUN_CHILD_H

#include "pitwall.h"

#include <limits.h>

enum { EXIT_NOT_STARTED = 126, EXIT_NOT_FOUND = 127, EXIT_BY_SIGNAL = 128 };

struct run_program {
    char **argv;
    const char *wanted; /* the run file's name as asked for; NULL: PITWALL_FILE, or the default */
    int no_run;         /* nothing is recorded, no file is made */
    unsigned char run_id[16]; /* what its run is to be known by */
    char path[PATH_MAX];      /* of its run file, filled in */
    pit_ended ended;          /* filled in */
};

/* Start it, pass signals on, stop and go on with it, wait for its end. The exit status to leave with; if
 * it could not be started, that after the message, and ended.pid is 0. */
int run_child(struct run_program *program);

/* run_children.c: processes below `pid` that were not counted before, added to the count; how many there are
 * in all. 0 forgets them. */
uint64_t run_watch_children(long pid);

/* run_path.c: the run file's name, and the variables that tell the program of it; in the child, before
 * exec. 0 or an errno. */
int run_tell_path(const struct run_program *program, const char *path);
/* Could a file be made there? 0 or an errno. Makes nothing. */
int run_check_path(const char *path);

#endif
