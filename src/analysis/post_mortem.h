/* post_mortem.h: why a process most likely ended, from its last known figures. Pure functions:
 * no I/O, no runs. */
#ifndef PIT_POST_MORTEM_H
#define PIT_POST_MORTEM_H

/* Bytes, nanoseconds; NaN if a figure is not known. */
struct pit__last_figures {
    double rss; /* at the last reading */
    double cgroup_used;
    double cgroup_limit;
    double available; /* of the machine's memory */
    double machine;
    double pressure;                  /* memory pressure, a share 0…1 */
    double growth_per_ns;             /* growth of RSS at the last reading; 0 if it did not grow */
    double unseen_ns;                 /* most time from the last reading to the end */
    double exit_signal;               /* as the parent process saw it */
    double exit_status;               /* the same */
    double oom_kills;                 /* counted by the cgroup during the run */
    double device_used, device_total; /* memory of the fullest GPU at the last reading */
};

enum pit__cause {
    PIT__CAUSE_OOM_KILL,   /* the kernel counted it */
    PIT__CAUSE_DEVICE,     /* likely: it ended because a GPU had no memory left */
    PIT__CAUSE_SIGNAL,     /* a signal other than SIGKILL */
    PIT__CAUSE_STATUS,     /* it ended by itself */
    PIT__CAUSE_LIMIT,      /* likely: the cgroup's limit was near */
    PIT__CAUSE_MACHINE,    /* likely: the machine had no memory left */
    PIT__CAUSE_GROWTH,     /* likely: it reached the limit by its end, at its growth */
    PIT__CAUSE_OTHER_KILL, /* SIGKILL, and memory was not short */
    PIT__CAUSE_OTHER,      /* memory was not short */
    PIT__CAUSE_KILL,       /* SIGKILL, and memory is not known */
    PIT__CAUSE_UNKNOWN
};

struct pit__verdict {
    enum pit__cause cause;
    int is_memory;     /* memory was the reason, certainly or most likely */
    int shows_device;  /* show the memory of its fullest GPU */
    int shows_memory;  /* show the last memory figures after the words */
    const char *key;   /* for machines: oom_kill, limit, … */
    const char *words; /* the explanation */
    const char *after; /* NULL: nothing; else the text is words, number, after */
    int number;        /* the status, or, with is_signal, the signal */
    int is_signal;
};

struct pit__verdict pit__post_mortem(const struct pit__last_figures *figures);

/* The effective limit: the smaller of the cgroup's and the machine's; NaN if neither is known. */
double pit__memory_limit(const struct pit__last_figures *figures);

#endif
