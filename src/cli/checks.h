/* checks.h: the checks of `pitwall doctor`; each has one result.
 *
 *   run_checks.c      records a run in the folder and reads it: clock, memory, limits
 *   place_checks.c    where the file and the pages of this run are
 *   source_checks.c   every source of the sampler: whether runs contain it now
 *   system_checks.c   files and calls of the kernel: perf events, stack samples, pressure, I/O, limits
 *   library_checks.c  libraries and programs: GPUs, Python, allocations
 */
#ifndef PIT_CHECKS_H
#define PIT_CHECKS_H

#include "pitwall_report.h"

#include "report/text.h"

enum check_state { CHECK_YES, CHECK_LIMITED, CHECK_NO };

/* A check with a state other than CHECK_YES has a reason and a remedy. */
struct check {
    const char *name;
    int is_recorded; /* 0: available on the machine, but not recorded by this version */
    enum check_state state;
    struct pit__text figure, why, remedy;
};

#define MOST_CHECKS 64
#define PROBE_BYTES 4096

struct checks {
    struct check list[MOST_CHECKS];
    size_t count;
};

/* A new check at the end; its state is CHECK_YES. Never more than MOST_CHECKS. */
struct check *check_add(struct checks *checks, const char *name, int is_recorded);

/* Set the state with a reason and a remedy. */
void check_bad(struct check *check, enum check_state state, const char *why, const char *remedy);

/* The test run. */
struct probe {
    const char *wanted;       /* the requested folder */
    char folder[PROBE_BYTES]; /* the nearest existing folder above it */
    char path[PROBE_BYTES];   /* of the run; "" if it has no file */
    pit_recorder *recorder;   /* NULL: none could be opened */
    int code;                 /* of opening it */
    int system_errno;         /* the reason behind it */
    enum pit_storage storage;
    pit_run *run; /* NULL: it could not be read */
};

/* folder: where runs would be written; it need not exist. */
void run_checks(struct checks *checks, const char *folder);
void place_checks(struct checks *checks, const struct probe *probe);  /* of run_checks */
void source_checks(struct checks *checks, const struct probe *probe); /* the same */
void system_checks(struct checks *checks);
void library_checks(struct checks *checks);

#endif
