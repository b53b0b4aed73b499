/* post_mortem.h: why a process most likely ended, from its last known figures. Pure functions:
 * no I/O, no runs. */
#ifndef PIT_POST_MORTEM_H
#define PIT_POST_MORTEM_H

/* NaN where a figure is not known; bytes, nanoseconds. */
struct pit__last_figures {
    double rss; /* by the last reading */
    double cgroup_used;
    double cgroup_limit;
    double available; /* of the machine's memory */
    double machine;
    double pressure;                  /* on memory, a share 0…1 */
    double growth_per_ns;             /* of RSS when it was last read; 0 if it did not grow */
    double unseen_ns;                 /* from the last reading to the end, at most */
    double exit_signal;               /* as the parent process saw it */
    double exit_status;               /* likewise */
    double oom_kills;                 /* that the cgroup counted during the run */
    double device_used, device_total; /* memory of the fullest GPU, by the last reading */
};

enum pit__cause {
    PIT__CAUSE_OOM_KILL,   /* the kernel counted it */
    PIT__CAUSE_DEVICE,     /* likely: it gave up because a GPU had no memory left */
    PIT__CAUSE_SIGNAL,     /* another signal than SIGKILL */
    PIT__CAUSE_STATUS,     /* it ended by itself */
    PIT__CAUSE_LIMIT,      /* likely: the cgroup's limit was near */
    PIT__CAUSE_MACHINE,    /* likely: the machine had nothing left */
    PIT__CAUSE_GROWTH,     /* likely: it had got there by its end, at the speed it grew */
    PIT__CAUSE_OTHER_KILL, /* SIGKILL, and memory was not near its end */
    PIT__CAUSE_OTHER,      /* memory was not near its end */
    PIT__CAUSE_KILL,       /* SIGKILL, and memory is not known */
    PIT__CAUSE_UNKNOWN
};

struct pit__verdict {
    enum pit__cause cause;
    int is_memory;     /* memory was the reason, for sure or most likely */
    int shows_device;  /* the memory of its fullest GPU likewise */
    int shows_memory;  /* the last figures belong behind the words */
    const char *key;   /* for machines: oom_kill, limit, … */
    const char *words; /* what to say of it */
    const char *after; /* NULL: nothing; else words, number and this */
    int number;        /* the status, or, with is_signal, the signal */
    int is_signal;
};

struct pit__verdict pit__post_mortem(const struct pit__last_figures *figures);

/* The limit that counts, the smaller of the cgroup's and the machine's; NaN if neither is known. */
double pit__memory_limit(const struct pit__last_figures *figures);

#endif
