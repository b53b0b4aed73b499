/* advice.h: rules that find what is wrong with a run. Pure functions: no I/O, no runs.
 *
 * A rule checks the case and adds its findings: a match with figures, texts and a stake, which is the time
 * that the program would save without the problem. Rules for runs are listed in advice_rules.c, those for
 * plain rows in advice_row_rules.c. Texts have placeholders, which the view fills in:
 *   {name} {path}   of the part        {base}  what its share is of: "the batch", "the total"
 *   {s0} {s1}       the match's texts  {list}  "forward 30 %, backward 48 %": the match's parts
 *   {pN}  64 %      {fN}  64.0%        {xN}  6.6x        {nN}  150        {oN}  5.3
 *   {tN}  538 ms    {bN}  12.3 MB      {cN}  150 calls      where N is the number of the match's figure */
#ifndef PIT_ADVICE_H
#define PIT_ADVICE_H

#include "imbalance.h"
#include "variance.h"
#include "warmup.h"

#include <stddef.h>
#include <stdint.h>

#define PIT__NO_PART SIZE_MAX
#define PIT__ADVICE_PASSES 5      /* fewest iterations of the repeated part for a finding */
#define PIT__ADVICE_SECONDS 0.001 /* shortest total time for a finding */

/* The role of a part, by its name. */
enum pit__role {
    PIT__ROLE_NONE,
    PIT__ROLE_DATA, /* getting the data */
    PIT__ROLE_FORWARD,
    PIT__ROLE_BACKWARD,
    PIT__ROLE_LOSS,
    PIT__ROLE_OPTIMIZER,
    PIT__ROLE_EVALUATION,
    PIT__ROLE_CHECKPOINT,
    PIT__ROLE_LOGGING,
    PIT__ROLE_LOADER, /* starting the data loader */
    PIT__ROLE_COMPILE,
    PIT__ROLE_STEP,  /* a whole training step, by the names that profilers use */
    PIT__ROLE_BATCH, /* the repeated unit */
    PIT__ROLE_EPOCH
};
enum pit__role pit__role_of(const char *name);

/* Is the place, "train.py:74 in save_model", in a function that saves, by its name? */
int pit__is_saving(const char *place);

/* Do two names differ only in these words: matmul_backward, matmul_forward? */
int pit__is_backward_of(const char *backward, const char *forward);

struct pit__part {
    const char *name, *path;
    enum pit__role role;
    double seconds, self_seconds;
    /* this many of it are open at once, on average, and its times are divided by that; 0: not known */
    double overlap;
    double elsewhere; /* share of its calls on other threads than the main one; 0: not looked for */
    double median, longest; /* seconds of one iteration; NaN: not known */
    uint64_t count;
    /* this many of the longest iterations take half of its time; 0: not known */
    uint64_t half_calls;
    double half_seconds;  /* the time of those */
    int is_longest_first; /* the longest call was the first, or one of the first */
    const char *place; /* the hottest place of its own time, "train.py:74 (log)"; NULL: not known */
    double place_share; /* of its own time */
    size_t parent;      /* index, below its own; or PIT__NO_PART */
    size_t children;    /* children that are not apart */
    size_t own_parts;   /* children that are not compilation */
    /* device work that it and its children submitted; count 0: none was recorded */
    uint64_t device_count, device_waits; /* pieces of work; those whose waiting time is known */
    double device_seconds, device_wait_seconds;
    uint64_t own_launches; /* pieces not submitted by its children */
    double launched_seconds;
    /* its parallel regions: their threads on average; the time in which threads worked, and in which they had
     * finished and the slowest had not, in sum; 0: none */
    double team_threads, team_busy, team_lag;
    double in_openmp; /* share of its native samples in OpenMP's own library; NaN: too few */
    int apart;        /* overlaps or lies inside others: not part of the total */
};

/* What the sampler saw threads do, in how many looks; NaN or 0: not known. */
struct pit__looks {
    double working; /* ran, or waited for a lock: of all threads */
    double mutex;   /* of these: waited for a mutex */
    double python;  /* of these: waited for Python's lock */
    /* the main thread waited for a lock or a thread, slept, waited for a network or a pipe, for data from the
     * disk, until data is on the disk, for a child */
    double lock, sleep, transfer, disk, sync, child;
    double pipes; /* another thread waited for a network or a pipe */
};

/* What the sampler measured; NaN: not measured. Shares are of the sampled time. */
struct pit__around {
    double seconds;   /* between its first and its last reading */
    double cpu;       /* cores busy */
    double busy;      /* cores that all programs of the machine use */
    double main_cpu;  /* share in which the main thread ran */
    double delayed;   /* share in which it was ready to run without a processor */
    double stolen;    /* of these: the host of a virtual machine had its processor, estimated */
    double stopped;   /* of these too: the whole program was stopped from outside */
    double throttled; /* share in which its group was stopped by a quota */
    double io_wait;   /* share in which it waited for storage */
    double read;      /* bytes per second from storage */
    double written;   /* bytes per second to storage */
    double moved;     /* bytes per second read and written in all, pipes included */
    double moves;     /* calls per second that did so */
    double forced;    /* involuntary context switches per second */
    double faults;    /* pages per second read from storage, after the start */
    double new_pages; /* pages per second given to the process by the kernel */
    double swapped;   /* bytes of the process in swap, maximum */
    double pressure;  /* memory pressure, maximum, a share */
    double storage_pressure; /* storage pressure, the same */
    double processors;       /* processors that the process may use */
    double threads;          /* of the program, at most */
    double device_used;      /* bytes of the fullest GPU, at most */
    double device_total;     /* bytes that it has */
    double device_number;    /* which one it is */
    struct pit__looks looks;
};

/* Facts that the program recorded about itself; NULL or NaN: not recorded. */
struct pit__told {
    const char *framework, *device, *dtype, *optimizer;
    const char *debugging; /* aids that were on, "anomaly detection, tracemalloc"; NULL: none */
    double workers, batch, accumulation, compute_threads;
    int persistent, compiled; /* 1 yes, 0 no, -1 not known */
    int foreach, fused;       /* of the optimizer, the same */
};

/* Why the slow iterations of the unit are slow. */
struct pit__slow {
    size_t part;     /* the part of the unit that explains it; PIT__NO_PART: none does */
    int is_unmarked; /* it is the unit's own time, outside its parts */
    double share;    /* share of their additional time */
};

/* The ranks of one job, as the rules need them. */
enum pit__standstill { PIT__GOES_ON, PIT__HANGS, PIT__DIED };
struct pit__rank_case {
    size_t ranks;
    struct pit__imbalance found;
    /* the straggler's number, its slow part, and the call in which others wait for it */
    uint64_t slow;
    const char *part, *part_path, *wait_in; /* wait_in NULL: no communication is known */
    enum pit__role part_role;
    double part_ns, part_median_ns;
    uint64_t starved; /* the number of found.starved */
    /* the share of its time, and the mean of the others', ready to run and without a processor */
    double starved_share, starved_others;
    size_t sharing;             /* ranks on the host with the most ranks per processor */
    double processors, delayed; /* of that host, and of those ranks; NaN */
    enum pit__standstill standstill;
    size_t waiting;      /* ranks that wait in `meeting`, the longest for `waited` seconds */
    const char *meeting; /* "MPI_Allreduce #40" */
    const char *absent;  /* "rank 2 has not come: step > checkpoint, 1.89 s in" */
    double waited;
};

/* How the unit's duration developed, in blocks of time, without the waits for a processor. */
struct pit__fair {
    double drift;              /* NaN: none */
    double step_up, step_from; /* as in the case */
    double above;              /* share of the time above the first level */
    double warming;            /* share of the time that the warm-up took above the level */
    size_t blocks;             /* 0: not known */
};

/* Everything that rules use. */
struct pit__case {
    const struct pit__rank_case *ranks; /* NULL: the runs are not ranks of one job */
    const struct pit__part *parts;
    size_t part_count;
    int is_short;                  /* too few iterations to judge its parts */
    double total;                  /* seconds of all parts that are not apart */
    double wall;                   /* of the run; NaN: not known */
    double before, between, after; /* time of the main thread outside all parts; NaN */
    double measuring;              /* seconds spent on measuring; NaN */
    const char *place;             /* the hottest place outside all parts, or NULL */
    double place_share;
    int is_import;  /* is that place an import? */
    double imports; /* share of the samples outside all parts in imports */
    double saves;   /* share of the samples outside all parts in functions that save something */
    const char *saves_at; /* the hottest place of these, or NULL */
    double interpreted;   /* share of the samples of native code in Python's interpreter; NaN */
    double compiled;      /* the same for the hottest other function */
    size_t unit;          /* the repeated part whose durations are known in order; PIT__NO_PART */
    int has_course;
    int in_order; /* the series has every iteration: indices and periods are meaningful */
    struct pit__warmup warmup;
    double first;                 /* seconds of the first iteration */
    double warming;               /* additional seconds of the warm-up iterations */
    struct pit__variation all;    /* of all iterations */
    struct pit__variation steady; /* of those after the warm-up */
    size_t steady_from;
    double step_up,
        /* two levels fit better than a trend: ratio of the later level to the first, and the first; else
         * NaN */
        step_from;
    struct pit__fair fair;
    /* ratio by which both largest parts of the unit are longer in the same iterations; NaN */
    double together;
    struct pit__slow slow;
    struct pit__slow later; /* the same, for the second half of the iterations */
    double held, grown;     /* bytes: RSS at last, and how much it grew over the iterations */
    double growth_a_minute; /* bytes; NaN: not known */
    double held_at_first;   /* bytes */
    double limit;           /* memory limit in bytes; NaN */
    int is_growing;
    const char *grows_in;            /* path, or NULL */
    size_t run_count;                /* runs that have the unit */
    double slowest_run, fastest_run; /* seconds: the median of the unit in each run */
    struct pit__around around;
    /* share of the time from the first to the last span in which the main thread neither ran nor was ready;
     * NaN: not known for this time */
    double idle;
    struct pit__told told;
    double used;     /* seconds of processor time, of a program that has ended; NaN */
    double kernel;   /* of these, in the kernel; NaN */
    double children; /* child processes that were seen; NaN */
    /* share of the time since the first span in which threads with spans used no processor; NaN: not known */
    double threads_idle;
    size_t span_threads; /* threads that recorded spans */
    double pressed;      /* pressure on the processors, maximum, a share; NaN */
    /* iterations of the unit between two evaluations, each of one or more batches; 0: not known */
    double evaluates_every;
};

#define PIT__MATCH_FIGURES 8
#define PIT__MATCH_LISTED 4
struct pit__match {
    size_t part; /* PIT__NO_PART: the run as a whole */
    size_t base; /* the whole that figure 0 is a share of: a part, or PIT__NO_PART for the total */
    double figures[PIT__MATCH_FIGURES];
    double share;         /* NaN: not a share */
    double stake;         /* seconds that the run could save; NaN: not known, or none */
    const char *path;     /* if it is not the part's; else NULL */
    const char *texts[2]; /* for {s0} and {s1} */
    const char *headline, *evidence;
    const char *remedy; /* NULL: none is known */
    const char *more;   /* further remedies, which do not fit into a first line; or NULL */
    int severity;       /* 2 act, 1 consider, 0 good to know */
    size_t listed[PIT__MATCH_LISTED]; /* parts with their shares, for {list} */
    double shares[PIT__MATCH_LISTED];
    size_t listed_count;
};

/* The kinds of findings, in the order in which they are shown; within a kind, the largest stake first. */
enum pit__rule_kind {
    PIT__KIND_RANKS,  /* between the ranks of a job: not visible in a single rank */
    PIT__KIND_CAUSE,  /* of the machine: it makes everything else slow */
    PIT__KIND_DANGER, /* the run may die of it */
    PIT__KIND_STAKE,  /* time that could be saved */
    PIT__KIND_KNOW    /* no action needed */
};

struct pit__finds;
struct pit__rule {
    const char *key;
    enum pit__rule_kind kind;
    /* Only one finding is about the durations over time. If a cause was found that makes durations uneven
     * anyway, such a rule requires stronger evidence. */
    int is_course;
    int wants_around; /* it also needs the sampler's figures */
    int says_stake;   /* its headline contains the possible savings */
    const char *mark; /* before the headline; "" or NULL if only ASCII is shown */
    void (*find)(const struct pit__case *all, struct pit__finds *finds);
};

struct pit__advised {
    const struct pit__rule *rule;
    struct pit__match match;
};

/* The rules of runs and of rows, in the order in which they are tried; ended by NULL. */
extern const struct pit__rule *const pit__rules[];
extern const struct pit__rule *const pit__row_rules[];

/* Write the findings to `found` (capacity `room`), most important first. Returns their number, or -1 if
 * memory is exhausted. */
int pit__advise(const struct pit__case *all, struct pit__advised *found, size_t room);
/* The same for plain rows, by exactly the rules of their documents. */
int pit__advise_by_letter(const struct pit__case *all, struct pit__advised *found, size_t room);

/* Is this the key of a rule about the ranks of a job? */
int pit__is_rank_rule(const char *key);

/* The repeated unit: a batch or step by its name, else the part in which data is loaded or a model is run,
 * else the largest repeated part. PIT__NO_PART if there is none. */
size_t pit__find_unit(const struct pit__part *parts, size_t count);

/* ---- for rules --------------------------------------------------------------------------------- */

struct pit__finds {
    const struct pit__rule *rule; /* the rule being tried */
    struct pit__advised *found;
    size_t room, count;
    double least;        /* seconds: for runs, the smallest stake that matters */
    unsigned char *said; /* for each part: it already has a finding */
    int has_cause, has_course;
};

/* An empty match, to be filled in. */
struct pit__match pit__match_of(size_t part);
/* Adds the match, unless it is about the time of a part that already has a finding. */
void pit__find_add(struct pit__finds *finds, const struct pit__match *match);
/* 2 for a large share, else 1. */
int pit__severity_of(double share);

/* Does a part have the role, and no part around it? */
int pit__is_outermost(const struct pit__case *all, size_t part, enum pit__role role);
/* Is it inside a part with that role? */
int pit__is_inside(const struct pit__case *all, size_t part, enum pit__role role);
/* The base of a part's share: the batch or step around it, else its parent, else the total. */
size_t pit__base_of(const struct pit__case *all, size_t part);
/* Seconds of a base. */
double pit__base_seconds(const struct pit__case *all, size_t base);
/* Is the repeated part the body of a loop, by its name or by the parts inside? A function that is called
 * repeatedly is not a loop: its calls differ in their arguments. */
int pit__is_loop(const struct pit__case *all);
/* Seconds of all outermost parts of a role; *part: the largest, *count: their iterations. */
double pit__role_seconds(const struct pit__case *all, enum pit__role role, size_t *part,
                         uint64_t *count);
/* Threads that had work, on average while the main thread waited; NaN: not known. */
double pit__threads_working(const struct pit__looks *looks);
/* Seconds in which the main thread neither ran nor was ready to run; NaN: not known. */
double pit__waited(const struct pit__case *all);
/* The same for the threads that a part runs on. */
double pit__part_waited(const struct pit__case *all, const struct pit__part *part);

/* Does it run on other threads? What the main thread waits for says nothing about it. */
static inline int pit__is_elsewhere(const struct pit__part *part)
{
    return part->elsewhere > 0.5;
}
/* Are several of it open at once: tasks of an event loop, greenlets, threads of a pool? */
static inline int pit__overlaps(const struct pit__case *all, const struct pit__part *part)
{
    return part->overlap > 1.5 || (pit__is_elsewhere(part) && all->span_threads > 1);
}
#define PIT__MORE_AT_ONCE "let more of these calls wait at the same time"

#endif
