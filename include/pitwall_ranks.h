/* pitwall_ranks.h: runs that were started together, and which of them makes the others wait.
 *
 * A program started as ranks (mpirun, srun, torchrun) writes one run per rank. pit_jobs_find sorts files into
 * jobs, pit_ranks_open reads the ranks of one job.
 */
#ifndef PITWALL_RANKS_H
#define PITWALL_RANKS_H

#include "pitwall_report.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- jobs: runs that were started together --------------------------------------------------- */

/* The ranks that one launcher started together, by the facts job, restart, rank and world_size. A job has
 * each rank once; jobs with the same id are told apart by their start times. */
typedef struct pit_job {
    const char *name;     /* its id; with "/1" for a restart, "#2" for the second job of this id */
    const char *id;       /* "": the launcher gave none */
    const char *launcher; /* "slurm", "openmpi", "mpich", "pmix", "torchrun", "environment"; "" */
    uint64_t restart;     /* 0: the first start, or not known */
    uint64_t world_size;  /* ranks that were started; PIT_UNKNOWN */
    uint64_t nodes;       /* machines; PIT_UNKNOWN */
    uint64_t start_wall_ns;   /* of its first rank, since 1970 */
    const char *const *paths; /* run files of the ranks that have one, by rank */
    size_t count;
} pit_job;

typedef struct pit_jobs {
    const pit_job *jobs; /* the newest first */
    size_t count;
    const char *const *others; /* runs that belong to no job */
    size_t other_count;
    const char *const *unread; /* files that cannot be read; pit_run_peek gives the reason */
    size_t unread_count;
} pit_jobs;

/* Sort files into jobs; only the first bytes of each are read. A process with a rank belongs to a job,
 * unless its world size is 1, or its parent run has the same rank: then it is a worker of that rank.
 * Returns NULL only if memory is exhausted; pit_jobs_free accepts NULL. */
PIT_API pit_jobs *pit_jobs_find(const char *const *paths, size_t count);
PIT_API void pit_jobs_free(pit_jobs *jobs);

/* The job with this name, else the newest with this id; NULL: there is none. */
PIT_API const pit_job *pit_job_named(const pit_jobs *jobs, const char *name);

/* ---- messages: who sends how much to whom, and from where --------------------------------------- */

#define PIT_MESSAGE_SIZES 48

typedef struct pit_message_sum {
    uint64_t count, bytes;
} pit_message_sum;

typedef struct pit_partner { /* a rank of the job that messages went to */
    uint64_t rank;
    pit_message_sum sent;
} pit_partner;

/* A place in the program from which calls of one node were made. The recorder looks up its name about ten
 * times per second while the program runs; if it was killed before that, only the address is known. */
typedef struct pit_caller {
    uint32_t thread, node;       /* as in pit_run.threads */
    uint64_t address;            /* return address of the calls */
    uint64_t calls;              /* begun */
    uint64_t total_ns;           /* of those that ended */
    const char *function, *file; /* file: of the code, without folders; both NULL: not known */
    uint64_t offset;             /* of the address in the function */
} pit_caller;

/* The messages of one process, as given to pit_begin_call. Size class 0 has messages without bytes, class i
 * those from 2^(i-1) to below 2^i bytes, the last class all larger ones. Collectives count with the bytes
 * that this rank contributes, and have no partner. */
typedef struct pit_messages {
    pit_message_sum sizes[PIT_MESSAGE_SIZES];            /* to one rank */
    pit_message_sum collective_sizes[PIT_MESSAGE_SIZES]; /* collectives */
    const pit_partner *partners;                         /* by rank */
    size_t partner_count;
    pit_message_sum others;    /* to unknown ranks, or beyond the 1,024th of a thread */
    const pit_caller *callers; /* by thread and node, the most calls first */
    size_t caller_count;
    uint64_t calls_lost; /* calls whose callers found no room */
} pit_messages;

/* The messages that rank `from` sent to rank `to`. */
typedef struct pit_pair {
    uint64_t from, to; /* to PIT_UNKNOWN: all ranks without a pair */
    pit_message_sum sent;
} pit_pair;

/* A place in the program from which MPI or a similar library was called, over all ranks. */
typedef struct pit_call_site {
    const char *call;            /* name of the span */
    const char *function, *file; /* both NULL: the name is not known */
    uint64_t offset;
    uint64_t calls;
    double total_ns;
} pit_call_site;

/* Messages of one run or of all ranks of a job. For each rank, the 16 partners with the most bytes have a
 * pair each and the others are summed; there are at most 1,024 call sites. */
typedef struct pit_traffic {
    const pit_pair *pairs; /* by bytes, the most first */
    size_t pair_count;
    pit_message_sum sizes[PIT_MESSAGE_SIZES], collective_sizes[PIT_MESSAGE_SIZES];
    const pit_call_site *sites; /* by time, the most first */
    size_t site_count;
    uint64_t calls_lost; /* calls whose site was not kept */
} pit_traffic;

/* ---- ranks: which one makes the others wait ------------------------------------------------- */

/* One rank of a job. Times are nanoseconds per step of the job; NaN if there is no step. Work is the time
 * outside communication. Ranks are judged by work: a rank that is late because it waited for another one
 * has done no more work than the rest. */
typedef struct pit_rank {
    uint64_t rank;
    const char *host, *path; /* path of its run; host "": not known */
    enum pit_run_state state;
    uint64_t damaged_at; /* as in pit_run */
    uint64_t steps;      /* steps that it finished */
    double step_ns, work_ns;
    double wait_ns, transfer_ns; /* parts of the communication time; NaN: not known */
    double last_share;           /* share of its collectives that it entered last; NaN: none kept */
    const char *excess_in,
        *excess_path;               /* where its time exceeds the median of the others most; NULL */
    double excess_ns, excess_share; /* by how much; divided by that median */
    double median_ns;               /* that median */
    int is_straggler;               /* the others wait for it: docs/ranks.md says when */
    double busy, delayed;           /* processors in use; share of time waiting for one; NaN */
    const char *open;   /* names of its open spans, " > " between them; NULL: none is open */
    double open_ns;     /* how long the innermost has been open */
    const char *inside; /* the communication call it is in; NULL: none */
    uint64_t inside_group,
        inside_seq;   /* group and number of that collective; PIT_UNKNOWN: not known */
    double inside_ns; /* how long it has been inside */
} pit_rank;

/* A job as a whole. Its texts and arrays live as long as it does. */
typedef struct pit_ranks {
    const char *job; /* id, with "/1" appended for a restart; "": the launcher gave none */
    const char *launcher;
    uint64_t world_size;   /* PIT_UNKNOWN: not known */
    const pit_rank *ranks; /* most work first */
    size_t count;
    const uint64_t *missing; /* ranks below world_size that left no run */
    size_t missing_count;
    size_t unread; /* files that could not be read and are left out */
    size_t host_count;
    const char *step_path; /* the repeated span; "": none, a step is one `step_unit` */
    const char *step_unit; /* "step", "collective", "run" */
    uint64_t steps;        /* finished by all ranks: the minimum */
    double step_ns;        /* median over the ranks */
    double efficiency, balance, communication; /* 0…1; efficiency is their product; NaN */
    const char *wait_in;      /* the communication with the most time; NULL: none is known */
    int is_estimated;         /* waiting was estimated from totals, not measured per collective */
    const char *estimated_by; /* how, in words; NULL: not estimated */
    double clock_bound_ns; /* clocks of the hosts agree within this; 0: one host; NaN: not known */
    const char *clock_words;
    size_t sharing;                  /* ranks on the host with the most ranks per processor */
    double processors;               /* of that host; NaN: not known */
    const pit_traffic *traffic;      /* messages and call sites; NULL: none recorded */
    const pit_tree *tree;            /* all ranks merged; NULL from pit_ranks_of */
    const struct pit_advice *advice; /* of all ranks; NULL from pit_ranks_of */
} pit_ranks;

/* Read the ranks of one job (pit_job.paths). Each file is read, merged and closed: memory does not grow
 * with the number of files, and a thousand take about a second. Files that cannot be read are counted in
 * `unread`. Returns NULL and sets *error (may be NULL) if no file can be read. */
PIT_API pit_ranks *pit_ranks_open(const char *const *paths, size_t count, pit_error *error);
/* The same for runs that are already read; they must outlive the result. Returns NULL if memory is
 * exhausted, or if fewer than two of them are ranks. */
PIT_API pit_ranks *pit_ranks_of(const pit_run *const *runs, size_t count);
PIT_API void pit_ranks_free(pit_ranks *ranks);

/* Print the report, or a view that needs only the merged tree, for ranks that pit_ranks_open read. Returns
 * the same as pit_report_write; PIT_NOTHING: the view needs the single runs. */
PIT_API int pit_ranks_write(FILE *out, const pit_ranks *ranks, const pit_report_options *options,
                            pit_error *error);

#ifdef __cplusplus
}
#endif

#endif
