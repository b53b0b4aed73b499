/* pitwall_report.h: read runs, analyse them, print them.
 *
 * Three steps, each usable alone:
 *   1. pit_run_open / pit_run_read   read and check one run: facts, threads, nodes in ticks
 *   2. pit_tree_build                threads and runs merged into one call tree in nanoseconds
 *   3. pit_report_print, pit_export  tables and documents of it; pit_view_print: of plain arrays
 * At the end: timers, monitors and logs, which measure and print while the program runs.
 *
 * All printing is to a FILE *: for a buffer open one with open_memstream, for a callback with
 * pit_callback_file. Steps 1 to 3 only read. If several threads use one object, the caller must lock it;
 * different objects are independent. Every object has a free function that accepts NULL. */
#ifndef PITWALL_REPORT_H
#define PITWALL_REPORT_H

#include "pitwall.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An error of reading: a code, a text without the path, and the file offset of the problem (0: the whole
 * file). */
typedef struct pit_error {
    int code;
    char message[192];
    uint64_t offset;
} pit_error;

/* ---- one run, in ticks --------------------------------------------------------------------- */

#define PIT_NO_NODE UINT32_MAX

typedef struct pit_hist_bin { /* durations low…high in ticks, both included */
    uint64_t low, high, count;
} pit_hist_bin;

typedef struct pit_series_bin { /* an interval of the run, in ticks since its start */
    uint64_t start, width;
    uint64_t count, total, min, max;
} pit_series_bin;

/* How a peak was obtained. */
enum pit_peak_method {
    PIT_PEAK_NONE = 0,   /* not available: the kernel's mark cannot be reset here */
    PIT_PEAK_RUSAGE = 1, /* getrusage after a reset of the kernel's mark */
    PIT_PEAK_HWM = 2     /* VmHWM after a reset */
};

/* Memory of a node's spans with PIT_MEMORY, in bytes. A peak is the process's peak during the span: it
 * includes other threads' memory. */
typedef struct pit_memory {
    uint64_t count;
    int64_t delta_last, delta_sum, delta_max; /* RSS at end less RSS at begin */
    uint64_t peak_last, peak_sum, peak_max;   /* peak less RSS at begin */
    uint64_t rss_max, rss_last;               /* the highest peak; RSS at the last end */
    uint64_t minor_faults, major_faults;
    uint64_t error_bytes; /* error bound of each figure */
    enum pit_peak_method peak_method;
    uint64_t device_max; /* GPU memory: highest reading during a span; 0: not known */
} pit_memory;

/* Allocations of a node's spans, with libpitwall-alloc preloaded. */
typedef struct pit_alloc {
    uint64_t count;
    uint64_t allocs, frees, alloc_bytes, freed_bytes;
    uint64_t peak_last, peak_max; /* highest live bytes, less those at the begin */
    int64_t live_last, live_sum;  /* allocated less freed */
    uint64_t leak_spans, leaked_bytes, leaked_blocks; /* of spans with PIT_LEAKS */
} pit_alloc;

/* A detached node overlaps its parent; its time is not part of the parent's time. */
enum pit_detached {
    PIT_NOT_DETACHED = 0, /* its time is part of its parent's */
    PIT_DETACHED = 1,     /* span objects */
    /* work of a device (pit_add_span); below another device node: how long that work waited to start */
    PIT_ON_DEVICE = 2
};

/* Device work that the spans of a node and of its children submitted; or the node's own if it is device
 * work itself. Waiting is not part of running. */
typedef struct pit_device_work {
    uint64_t count; /* pieces of work: kernels, transfers, spans with PIT_DEVICE */
    double run_ns;  /* sum; where work overlaps, it may exceed the elapsed time */
    double p50_ns, p95_ns, p99_ns, max_ns; /* of one piece; NaN with count 0 */
    uint64_t wait_count;                   /* pieces whose waiting time is known */
    double wait_ns;
} pit_device_work;

/* Energy that one class of counters measured during a node's spans with PIT_ENERGY. A span shorter than
 * twenty updates of the counters contributes only its time. */
typedef struct pit_raw_energy {
    uint64_t microjoules; /* of spans that were long enough */
    uint64_t measured;    /* ticks of those spans */
    uint64_t estimated;   /* ticks of shorter spans */
    uint64_t unknown;     /* spans during which not all counters could be read */
} pit_raw_energy;

typedef struct pit_raw_energies {
    uint64_t count;                     /* spans with PIT_ENERGY */
    pit_raw_energy processors, devices; /* zero if the machine has no such counters */
} pit_raw_energies;

/* The same in joules, merged. The counters cover the whole machine: they contain the energy of other
 * programs, and threads and ranks of one machine that measured at the same time count once. */
typedef struct pit_energy {
    uint64_t count; /* spans; of simultaneous threads and ranks, those of one are counted */
    double joules;  /* NaN: not known */
    double processors_j, devices_j; /* NaN: no such counters, or not known */
    double estimated_j; /* part of joules: mean power of the run times the spans' time */
    double time_ns;     /* of the spans that are counted */
    uint64_t unknown;   /* spans not counted: a counter could not be read */
} pit_energy;

typedef struct pit_teams { /* parallel regions of a node, as pit_add_team reported them; sums */
    uint64_t count, threads, threads_max; /* regions; threads of all; threads of the largest */
    uint64_t busy_ns, slowest_ns, elapsed_ns, wait_ns, lag_ns; /* docs/openmp.md */
} pit_teams;

typedef struct pit_raw_node {
    const char *name;
    uint32_t parent; /* index among the thread's nodes, always below its own; or PIT_NO_NODE */
    int detached;    /* enum pit_detached */
    int is_comm;     /* communication with other processes (PIT_COMM) */
    uint64_t count;
    uint64_t total;        /* ticks */
    uint64_t child;        /* ticks of total spent in child spans */
    uint64_t min, max;     /* 0 when count is 0 */
    uint64_t sq_lo, sq_hi; /* sum of squared ticks, 128 bits */
    uint64_t items, bytes, flops;
    /* ascending, counts over 0; the sum is count, but in a live run spans that end during the reading may
     * be in only one of them */
    const pit_hist_bin *hist;
    size_t hist_count;
    const pit_series_bin *series; /* ascending, counts over 0 */
    size_t series_count;
    const pit_memory *memory;       /* NULL where none was measured */
    const pit_alloc *alloc;         /* NULL where nothing was counted */
    const pit_raw_energies *energy; /* NULL where no span measured it */
    const pit_teams *teams;         /* NULL where there was no parallel region */
    uint64_t first;                 /* ticks when its first span began */
} pit_raw_node;

typedef struct pit_open_span {
    uint32_t node;  /* index among the thread's nodes */
    int phase;      /* 1 for a phase */
    int object;     /* 1 for a span object */
    uint64_t begin; /* ticks */
    uint64_t child; /* ticks in its finished children */
} pit_open_span;

typedef struct pit_event { /* of the flight recorder */
    uint32_t node;
    uint32_t depth;           /* 1 for a span without parent */
    uint64_t begin, duration; /* ticks */
} pit_event;

typedef struct pit_record { /* one span with PIT_RECORD */
    uint32_t node, depth;
    uint64_t begin, duration; /* ticks */
    uint64_t items;
    int has_memory, has_alloc;
    uint64_t rss_begin, rss_end, rss_peak; /* rss_peak 0: see peak_method */
    uint64_t error_bytes, minor_faults, major_faults;
    uint64_t alloc_bytes, freed_bytes;
    enum pit_peak_method peak_method;
} pit_record;

#define PIT_UNKNOWN UINT64_MAX

typedef struct pit_channel { /* one series of the sampler's readings */
    const char *key;         /* unit at its end: "rss_bytes", "cpu_ns", "gpu0_power_w" */
    const char *unit;        /* "bytes", "ns", "share", …; "" for a plain count */
    const char *help;        /* one line */
    const char *source;      /* its reader: "process", "cgroup", "machine", … */
    const char *missing;     /* why no reading is known; NULL if one is */
    uint64_t per_unit;       /* a reading divided by this is the figure in its unit */
    int is_counter;          /* it only grows: use differences */
    uint64_t first;          /* of a counter: its first known reading; PIT_UNKNOWN */
    /* How several readings of a point, or figures of several runs, are combined: "last", "max", "min",
     * "sum", "mean"; for runs also "once": a figure of the machine, taken from one run. */
    const char *over_time, *over_runs;
} pit_channel;

typedef struct pit_sample { /* a reading of the sampler, or a point that combines several */
    uint64_t ticks;         /* of the first of them */
    const uint64_t *values; /* one for each channel of the run; PIT_UNKNOWN: not known */
} pit_sample;

typedef struct pit_point { /* one or several successive values of a named value */
    uint64_t ticks;        /* of the first */
    uint64_t values;
    double mean, min, max;
} pit_point;

typedef struct pit_entry { /* of the journal */
    const char *kind, *text;
    uint64_t ticks, wall_ns;
    const pit_figure *figures; /* unit "": none */
    size_t figure_count;
} pit_entry;

typedef struct pit_raw_value {
    const char *name;
    uint64_t count;
    double last;
    const pit_point *points;
    size_t point_count;
} pit_raw_value;

/* Misuse and losses: counts of spans, except for the last three. */
typedef struct pit_losses {
    uint64_t end_without_begin, abandoned, wrong_thread, too_deep;
    uint64_t table_full;  /* the run was at its size limit */
    uint64_t in_signal;   /* spans in a signal handler that interrupted the recorder */
    uint64_t clock_back;  /* durations set to 0: the clock stepped back */
    uint64_t left_open;   /* open when their thread ended */
    uint64_t values_lost; /* values for which there was no room */
    uint64_t beyond_file; /* bytes of the run that were only in memory, or cut off, and are lost */
    uint64_t null_argument; /* calls with NULL for a site or a probe */
    /* faults in the run's own pages: another program cut or overwrote its file */
    uint64_t repaired;
} pit_losses;

typedef struct pit_thread {
    const char *name;
    uint32_t tid;          /* of the newest thread that used the table */
    int attached;          /* 1: in use by a thread when the run was read or ended */
    uint64_t thread_count; /* threads that used the table, one after another */
    const pit_raw_node *nodes;
    size_t node_count;
    const pit_open_span *open; /* outermost first; span objects last */
    size_t open_count;
    const pit_event *events; /* oldest first, by end */
    size_t event_count;
    uint64_t events_dropped; /* older ones that were overwritten */
    const pit_raw_value *values;
    size_t value_count;
    const pit_record *records; /* oldest first, by end */
    size_t record_count;
    uint64_t records_dropped; /* older ones that were overwritten */
    pit_losses losses;
} pit_thread;

enum pit_run_state {
    PIT_RUN_LIVE = 0,   /* its process runs */
    PIT_RUN_CLOSED = 1, /* ended cleanly */
    PIT_RUN_DIED = 2    /* its process ended without closing it: killed, _exit, exec, power */
};

typedef struct pit_fact {
    const char *key, *value;
} pit_fact;

/* Where in the code the main thread was, and in which span, from samples of its stack (docs/places.md). */
typedef struct pit_hot_place {
    uint32_t thread; /* of the run; PIT_NO_NODE: the main thread had no table */
    uint32_t node;   /* of the thread: the innermost open span; PIT_NO_NODE: outside all spans */
    uint32_t line;   /* 0: not known */
    uint32_t kind;   /* enum pit_place_kind */
    const char *function, *file; /* "": not known; both "" and line 0: other places in this span */
    uint64_t samples;
} pit_hot_place;

/* How the samples of one kind were taken. */
typedef struct pit_place_source {
    double hz; /* 0: none were taken */
    uint64_t samples;
    uint64_t dropped;   /* samples that could not be assigned: no room, or an unknown span */
    const char *reason; /* why none were taken; NULL if some were, or the reason is not known */
} pit_place_source;
#define PIT_PLACE_KINDS 2

/* One collective call that was kept: number `seq` of its group. */
typedef struct pit_collective {
    uint64_t seq;          /* its number among the group's collectives, from 0 */
    int64_t enter_ns;      /* since the run's start */
    uint64_t duration_ns;  /* PIT_UNKNOWN: still inside */
    uint64_t bytes;        /* contributed by this rank */
    uint32_t thread, node; /* as in pit_hot_place; PIT_NO_NODE: not known */
    int is_sync;           /* no rank leaves it before all have entered (PIT_SYNC) */
} pit_collective;

/* A group of ranks (a communicator) as this rank saw it. */
typedef struct pit_group {
    uint64_t id;    /* the same in all its ranks */
    uint32_t size;  /* ranks in it */
    uint32_t rank;  /* this one's number in it */
    uint64_t calls; /* collectives begun so far */
    /* every stride-th call was kept, and the newest while the rank is inside it: it is the last point */
    uint64_t stride;
    const pit_collective *points; /* ascending by seq */
    size_t point_count;
} pit_group;

typedef struct pit_run {
    const char *path; /* as given; "(this process)" for pit_run_read */
    enum pit_run_state state;
    enum pit_storage storage; /* where its data was kept */
    int is_mirror;            /* a copy taken while it ran: counts may differ by some spans */
    int recovered;            /* 1: this call recovered it from shared memory */
    int growth_errno;         /* why its file stopped growing; 0 if it did not */
    int open_errno;           /* why it could not be created at the requested path */
    uint64_t file_bytes, used_bytes;
    unsigned char run_id[16], parent_run_id[16];
    uint32_t pid, uid;
    unsigned format_major, format_minor; /* of the file */
    int clock;                           /* 1 CLOCK_MONOTONIC, 2 time-stamp counter, 3 cntvct */
    double ns_per_tick;
    double ns_per_tick_error;            /* relative */
    uint64_t start_ticks, end_ticks;     /* end: its close, its last sign of life, or now */
    uint64_t start_wall_ns, end_wall_ns; /* since 1970 */
    double duration_ns;
    double span_cost_ns;   /* of one empty span, measured at its start; 0: not measured */
    const pit_fact *facts; /* program, arguments, host, cpu, kernel, rank, git, label.KEY, … */
    size_t fact_count;
    const pit_thread *threads;
    size_t thread_count;
    const pit_channel *channels; /* what the sampler read, in the order of a sample's values */
    size_t channel_count;
    /* along the run, oldest first; each combines sample_stride readings */
    const pit_sample *samples;
    size_t sample_count;
    uint64_t sample_stride;
    pit_sample newest; /* the last reading; only if has_samples */
    int has_samples;
    uint64_t machine_bytes;   /* of memory, PIT_UNKNOWN if not known */
    uint64_t cgroup_limit;    /* PIT_UNKNOWN: none */
    int cgroup_version;       /* 0, 1, 2 */
    uint64_t oom_kills;       /* of its cgroup when it began; PIT_UNKNOWN */
    uint64_t rss_peak;        /* the run's highest RSS, 0 if not known */
    const pit_entry *journal; /* oldest first */
    size_t journal_count;
    uint64_t journal_dropped;    /* older ones that were overwritten */
    const pit_hot_place *places; /* by thread and node, kind, samples: the most first */
    size_t place_count;
    uint64_t place_samples, places_dropped; /* of all kinds */
    double place_hz;                        /* of the first kind that was sampled; 0: none was */
    const char *places_reason;              /* why there are no samples; NULL if there are */
    pit_place_source place_sources[PIT_PLACE_KINDS]; /* by enum pit_place_kind */
    const pit_group *groups; /* of ranks, in the order of their first collectives */
    size_t group_count;
    const struct pit_messages *messages; /* to other ranks: pitwall_ranks.h; NULL: none recorded */
    uint64_t skipped_blocks;             /* blocks of kinds unknown to this version */
    uint64_t damaged_at; /* file offset from which on it is damaged and not shown; 0: not damaged */
    pit_losses losses;   /* of all threads together */
    const pit_ended *ended; /* as seen by the process that started it; NULL: not recorded */
    /* Its sub-runs (pit_runs_nest), each after its parent. */
    struct pit_run *const *below;
    size_t below_count;
    size_t below_unread; /* sub-runs that could not be read */
    unsigned depth;      /* of a sub-run: 1 if this run is its parent, 2 if its grandparent, … */
    int ended_by_parent; /* of a sub-run that died: between spans, while its parent was running */
} pit_run;

/* Read a run: finished, live, killed or damaged. If its live pages are in shared memory they are read
 * there; if its process is gone they are first recovered to its path (see pit_run_recover). Returns NULL
 * and sets *error (may be NULL) on failure. */
PIT_API pit_run *pit_run_open(const char *path, pit_error *error);

/* Read only the data of the run as a whole: state, times, facts, limits and the sampler's readings; no
 * threads. Cheap, and never recovers a run. If the run died, it ends at the sampler's last reading. Returns
 * the same as pit_run_open. */
PIT_API pit_run *pit_run_peek(const char *path, pit_error *error);

/* Read a recorder of this process; NULL is the default one. Other threads may keep recording. */
PIT_API pit_run *pit_run_read(pit_recorder *recorder, pit_error *error);

/* The same from bytes in memory, which must stay unchanged during the call. alive: 1 if its process is
 * known to run. */
PIT_API pit_run *pit_run_parse(const void *data, size_t bytes, int alive, pit_error *error);

PIT_API void pit_run_free(pit_run *run);

/* Find the sub-runs of each run: the runs in its folder that name it, or one of its sub-runs, as their
 * parent, at any depth (workers, forked and spawned processes). They are read and put into `below`;
 * pit_run_free frees them too. A run of the array that is a sub-run of another run in the array is freed
 * and removed; *count is set to the number left. Returns 0 or PIT_NO_MEMORY. A run in memory has none: it
 * has no file. */
PIT_API int pit_runs_nest(pit_run **runs, size_t *count);

/* Watch a run while it is recorded, much cheaper than repeated pit_run_open: the file stays mapped, and a
 * refresh reads only what changes. It never writes, and costs the program nothing. A finished run can be
 * watched too: it is opened by pit_run_open, and never changes. Returns NULL and sets *error on failure; a
 * run of this process is refused: use pit_run_read. */
typedef struct pit_watch pit_watch;
PIT_API pit_watch *pit_watch_open(const char *path, pit_error *error);
PIT_API void pit_watch_close(pit_watch *watch);

/* Read again. Returns 1: there is something new; 0: the run had already ended at the last refresh; or a
 * negative code; PIT_TRUNCATED: its file was cut. (Reading a file while it is being cut raises SIGBUS, as
 * for any mapped file; the tool pitwall handles that signal, the library leaves it to the program.) */
PIT_API int pit_watch_refresh(pit_watch *watch, pit_error *error);

/* The run as of the last refresh (opening counts as one); valid until the next. While it is live: facts,
 * threads, counts and sums of nodes, spans open on stacks, samples, places, groups; no histograms, series,
 * events, records, values, memory figures, journal or open span objects; its end is now. Threads and nodes
 * keep their numbers. Once it has ended it is the whole run, read to its end even if its file is gone;
 * threads and nodes may then get new numbers. */
PIT_API const pit_run *pit_watch_run(const pit_watch *watch);

/* The series of one node of the watched run, as it is now; valid until the next refresh. */
PIT_API const pit_series_bin *pit_watch_series(pit_watch *watch, size_t thread, size_t node,
                                               size_t *count);

/* The whole run as it is now, as pit_run_open would read it; freed by pit_run_free. */
PIT_API pit_run *pit_watch_snapshot(pit_watch *watch, pit_error *error);

/* "exit status 7", "killed by SIGKILL": written into `words`, which is returned. */
PIT_API const char *pit_ended_text(const pit_ended *ended, char *words, size_t room);

/* The value of a fact, or NULL. */
PIT_API const char *pit_run_fact(const pit_run *run, const char *key);

/* The index of a channel in the run's channels and in a sample's values, or PIT_NO_CHANNEL. */
#define PIT_NO_CHANNEL SIZE_MAX
PIT_API size_t pit_run_channel(const pit_run *run, const char *key);

/* A reading in its channel's unit, NaN if it is not known; the same for a run's sample, by key. */
PIT_API double pit_channel_figure(const pit_channel *channel, uint64_t value);
PIT_API double pit_sample_figure(const pit_run *run, const pit_sample *sample, const char *key);

/* Recover a dead run's live pages from shared memory to its path: exactly once, even if several processes
 * try. path is the path of the run. Returns 1: recovered by this call; 0: nothing to do, the file at path
 * is the run; or a negative code, with *error (may be NULL) set. */
PIT_API int pit_run_recover(const char *path, pit_error *error);

/* Recover every dead run of this user that is in shared memory; calls done(path, code, arg) for each.
 * Returns how many were recovered. */
PIT_API int pit_recover_all(void (*done)(const char *path, int code, void *arg), void *arg);

/* ---- one tree of threads and runs, in nanoseconds ------------------------------------------ */

typedef struct pit_bin { /* durations of one histogram bucket */
    double low_ns, high_ns;
    uint64_t count;
} pit_bin;

/* A place in the code, in one node of a tree or outside all spans, over all runs. */
typedef struct pit_tree_place {
    const char *function, *file; /* "": not known; both "" and line 0: other places in this node */
    uint32_t line;               /* 0: not known */
    uint32_t kind;               /* enum pit_place_kind */
    uint32_t node;               /* of the tree; PIT_NO_NODE: outside all spans */
    uint64_t samples;            /* taken here while the node was the innermost open span */
    uint64_t node_samples;       /* samples of this kind in the node */
    double share;                /* of node_samples, 0…1 */
    double run_share;            /* of all samples of this kind, 0…1 */
} pit_tree_place;

typedef struct pit_node {
    const char *name;
    const char *path; /* names joined by '/'; a '/' or '\' in a name has a '\' before it */
    uint32_t parent;  /* index, always below its own; or PIT_NO_NODE */
    uint32_t depth;   /* 0 for a span without parent */
    /* its position in the order in which nodes were first seen: by run, thread, begin of its first span */
    uint32_t seen;
    int detached;             /* enum pit_detached */
    int is_comm;              /* communication with other processes (PIT_COMM) */
    uint64_t count;           /* finished spans */
    double total_ns, self_ns; /* open spans count with their time so far */
    double finished_ns;       /* total_ns without the open spans */
    double share, self_share; /* of the time in spans, 0…1; NaN: no time in spans, or detached */
    double min_ns, max_ns, mean_ns, std_ns; /* std: of the population; 0 with count 0 */
    double p50_ns, p95_ns, p99_ns;
    uint64_t items, bytes, flops;
    uint64_t open;       /* spans that are still open */
    double open_ns;      /* time since their begin, summed */
    const pit_bin *bins; /* ascending by low_ns */
    size_t bin_count;
    const pit_memory *memory; /* NULL if none was measured; _last figures are of the last run */
    const pit_alloc *alloc;   /* NULL if nothing was counted */
    pit_device_work device;   /* count 0: none */
    const pit_energy *energy; /* NULL if no span had PIT_ENERGY */
    const pit_teams *teams;   /* NULL if there was no parallel region */
    /* where the main thread was in this node, outside its children: Python first, then native code, the
     * hottest first */
    const pit_tree_place *places;
    size_t place_count;
} pit_node;

typedef struct pit_tree {
    const pit_node *nodes; /* parents before children, siblings by total, largest first */
    size_t node_count;
    double total_ns;    /* of the top-level nodes that are not detached, open spans included */
    double finished_ns; /* the same without open spans */
    double wall_ns;     /* the longest run */
    uint64_t spans;     /* finished, of all nodes */
    double cost_ns;     /* cost of recording them, by each run's own measurement */
    pit_losses losses;
    const pit_tree_place *places; /* of all nodes: those outside all spans first, then by node */
    size_t place_count;
    const pit_tree_place *outside; /* the part of `places` outside all spans */
    size_t outside_count;
    uint64_t place_samples; /* of all kinds, dropped ones included */
    /* Time of the main thread outside all its spans: before the first one began, between outermost ones,
     * after the last one ended. Together with the thread's time in spans they add up to wall_ns. A span
     * that is still open lasts to the run's end. NaN if not known: with several runs, or (except before_ns)
     * if the flight recorder kept none of its outermost spans. If the main thread of the process has no
     * spans, the thread with the first span counts as the main thread. */
    double before_ns, between_ns, after_ns;
} pit_tree;

/* Build the merged tree. Returns NULL only if memory is exhausted. The runs may be freed after the call. */
PIT_API pit_tree *pit_tree_build(const pit_run *const *runs, size_t run_count);
PIT_API void pit_tree_free(pit_tree *tree);

/* The hottest known place of a node (PIT_NO_NODE: outside all spans): a line of Python if there is one,
 * else a native function. NULL: no sample was taken there. Check node_samples: few samples prove little. */
PIT_API const pit_tree_place *pit_tree_hottest(const pit_tree *tree, uint32_t node);

/* "train.py:74 in step", the text that views print for a place: written into `words`, which is returned. */
PIT_API const char *pit_place_text(const pit_tree_place *place, char *words, size_t room);

/* A quantile (0…1) of a node's durations, within 1.6 % (or one tick) of the exact one. NaN if empty. */
PIT_API double pit_node_quantile(const pit_node *node, double q);

/* ---- printing ------------------------------------------------------------------------------ */

enum pit_form { PIT_TEXT = 0, PIT_JSON = 1, PIT_CSV = 2, PIT_MARKDOWN = 3 };

/* Set all members to zero for the defaults. */
typedef struct pit_report_options {
    const char *view; /* a name of pit_view_at; NULL: the report */
    enum pit_form form;
    int flat;          /* names only, sorted, instead of the tree */
    const char *sort;  /* total, self, count, mean, p50, p95, p99, max, name; NULL: total */
    uint64_t depth;    /* levels to show; 0: all */
    double min_share;  /* leave out nodes below this share of the total, 0…1 */
    int width;         /* columns; 0: as wide as needed */
    int colour;        /* use escape codes */
    int ascii;         /* print only ASCII, except for names from the run */
    const char *title; /* section, model or timer in the head of a view; NULL: the program */
    const char *node;  /* path of the node that a view shows; NULL: the view chooses */
    /* speedup: the row that the others are compared with; NULL: the slowest */
    const char *baseline;
    uint64_t datasets; /* timing-summary: over 1 adds the average line */
    uint64_t step;     /* profiling: 0: as many as there were steps */
    const char *value; /* convergence: the value that must reach the threshold; NULL: the first */
    double threshold;  /* convergence; 0: 0.01 */
    int maximise;      /* convergence: the value must rise to the threshold */
    uint64_t smooth;   /* convergence: average over this many values; 0: no smoothing */
    int percentiles;   /* inference: p50, p95 and p99 too, in text and Markdown */
    int height; /* rows of the screen: a report longer than this repeats its verdict at the end; 0: never */
} pit_report_options;

/* Print a view of one or several runs, merged. options may be NULL. Returns 0, PIT_BAD_ARGUMENT (no such
 * view, or an option out of range), PIT_NO_MEMORY, PIT_CANNOT_WRITE, or PIT_NOTHING: the runs have no data
 * for the view; it prints the reason instead, except in CSV. */
PIT_API int pit_report_print(FILE *out, const pit_run *const *runs, size_t run_count,
                             const pit_report_options *options);

/* The same; *error also gets the reason for PIT_NOTHING and PIT_BAD_ARGUMENT as text. */
PIT_API int pit_report_write(FILE *out, const pit_run *const *runs, size_t run_count,
                             const pit_report_options *options, pit_error *error);

/* The views and the options of each; the command line and Python use these tables. An option is stored in
 * a member of pit_report_options, at `offset`. */
enum pit_option_kind {
    PIT_OPTION_TEXT,    /* const char * */
    PIT_OPTION_ONE_OF,  /* const char *, one of `words` */
    PIT_OPTION_COUNT,   /* uint64_t */
    PIT_OPTION_NUMBER,  /* double */
    PIT_OPTION_PERCENT, /* double: a share, 0…1, given in percent on a command line */
    PIT_OPTION_FLAG     /* int */
};
typedef struct pit_option {
    const char *name; /* "min-share"; members and Python names have '_' instead of '-' */
    enum pit_option_kind kind;
    const char *default_text; /* the default, in words */
    const char *help;         /* one line */
    const char *const *words; /* ended by NULL */
    const char *also;         /* another spelling, or NULL */
    size_t offset;
} pit_option;
typedef struct pit_view {
    const char *name;
    const char *help;                 /* one line: the question it answers */
    const pit_option *const *options; /* ended by NULL */
    int is_of_tree;                   /* needs only the merged tree: pit_ranks_write can print it */
} pit_view;
PIT_API const pit_view *pit_view_at(size_t index); /* NULL past the last */
PIT_API const pit_view *
pit_view_find(const char *name); /* NULL: no such view. Name NULL: the report */

/* The option `name` of a view (NULL: of the report); '_' may replace '-'. Returns NULL if the view does not
 * have it: `why` then gives the reason and the views that do. */
PIT_API const pit_option *pit_option_find(const char *view, const char *name, char *why,
                                          size_t room);
/* Store the text of a command line; NULL for a flag. Returns 0, or PIT_BAD_ARGUMENT: `why` then says what
 * is allowed. Only the pointer to a text is stored. */
PIT_API int pit_option_set(const pit_option *option, const char *text, pit_report_options *options,
                           char *why, size_t room);

/* ---- views over plain arrays --------------------------------------------------------------- */

/* A row of a table. For most views only name and seconds are needed, the rest zeroed. */
typedef struct pit_row {
    const char *name;
    double seconds;                  /* all calls together */
    uint64_t count;                  /* calls; 0: one */
    double min_seconds, max_seconds; /* of one call; 0 with count 0 or 1: seconds */
    double items;                    /* done in these calls */
    int nested;                      /* inside another row: shown, not counted in the total */
    int has_memory;                  /* cpu_… are known; MB is 2^20 bytes */
    double cpu_start_mb, cpu_end_mb, cpu_delta_mb, cpu_peak_mb;
    int has_device; /* gpu_… are known */
    double gpu_start_mb, gpu_end_mb, gpu_delta_mb, gpu_peak_mb;
    double p50_seconds, p95_seconds, p99_seconds; /* of one call; 0: not known */
} pit_row;

/* A value along steps or epochs, for convergence. */
typedef struct pit_curve {
    const char *name;
    const double *values;
    const double *seconds; /* duration of each epoch (not cumulative); NULL: not known */
    size_t count;
} pit_curve;

/* The data of a view; each view uses the part it needs. */
typedef struct pit_data {
    const char *title; /* a title in the options takes precedence */
    const pit_row *rows;
    size_t row_count;
    const double *series; /* durations in seconds, in their order: warmup, profile */
    size_t series_count;
    const pit_curve *curves; /* convergence */
    size_t curve_count;
    const pit_entry *entries; /* epochs, stages, windows */
    size_t entry_count;
} pit_data;

/* Print a view of plain figures: all views but tree, flat and memory. Returns the same as pit_report_print. */
PIT_API int pit_view_print(FILE *out, const char *view, const pit_data *data,
                           const pit_report_options *options);

/* A stream that passes on each line when it is written. Returns NULL if memory is exhausted; fclose ends
 * it. */
PIT_API FILE *pit_callback_file(void (*write)(void *arg, const char *bytes, size_t count),
                                void *arg);

/* ---- figures behind the views --------------------------------------------------------------- */

enum pit_course {                   /* of a series of durations */
                  PIT_COURSE_SHORT, /* too few to say */
                  PIT_COURSE_FLAT,
                  PIT_COURSE_WARMUP,    /* slower at first */
                  PIT_COURSE_SLOWDOWN,  /* faster at first */
                  PIT_COURSE_DRIFT,     /* ever slower, or ever faster */
                  PIT_COURSE_DISTURBED, /* a steady level with stretches off it */
                  PIT_COURSE_UNSTEADY   /* no level holds */
};
PIT_API const char *pit_course_name(enum pit_course course);

typedef struct pit_warmup {
    double first, steady;          /* seconds: the first call, the mean of the others */
    double overhead, overhead_pct; /* of the first over the others */
    size_t ends_at;                /* index of the first steady call, as detected */
    double steady_level;           /* the detected level in seconds; NaN: none */
    enum pit_course course;
} pit_warmup;

/* Returns 0; PIT_NOTHING: fewer than 2 durations; PIT_NO_MEMORY. */
PIT_API int pit_find_warmup(const double *seconds, size_t count, pit_warmup *warmup);

#define PIT_OUTLIERS 8
typedef struct pit_variance {
    size_t count;
    double mean, median, min, max;
    double ratio;                  /* max / min; NaN if min is 0 */
    double variation;              /* standard deviation / mean */
    size_t outlier_count;          /* far above the others, by the median deviation */
    size_t outliers[PIT_OUTLIERS]; /* indices of the largest ones, ascending */
    size_t period;                 /* a slow call every `period` calls; 0: no period */
    double drift; /* change over the series / median; NaN: not distinguishable from noise */
} pit_variance;

/* Returns 0; PIT_NOTHING: no durations; PIT_NO_MEMORY. */
PIT_API int pit_find_variance(const double *seconds, size_t count, pit_variance *variance);

typedef struct pit_convergence {
    int reached;
    uint64_t epochs; /* from 1: the first epoch at the threshold or better; 0: never */
    double seconds;  /* up to the end of that epoch; NaN: not known */
    int stayed;      /* 1: no later value is worse than the threshold */
    double best, last;
    uint64_t best_epoch; /* from 1 */
} pit_convergence;

/* Find where the value falls to the threshold or, with maximise, rises to it. smooth: average over this
 * many values, if over 1. Returns 0; PIT_NOTHING: an empty curve; PIT_BAD_ARGUMENT. */
PIT_API int pit_find_convergence(const pit_curve *curve, double threshold, int maximise,
                                 uint64_t smooth, pit_convergence *convergence);

/* How much faster each row is than the baseline (NULL: the slowest), whose ratio is 1. NaN for a row of 0
 * seconds, and for all rows if the baseline took 0. Returns 0, or PIT_BAD_ARGUMENT: no such baseline. */
PIT_API int pit_find_speedups(const pit_row *rows, size_t count, const char *baseline,
                              double *ratios);

/* One problem, described in words. */
typedef struct pit_finding {
    const char *rule;     /* for machines: input_waiting, first_step, leak, … */
    int severity;         /* 2 act, 1 consider, 0 for information */
    const char *headline; /* INPUT-BOUND: data_loading is 64 % of the batch */
    const char *evidence; /* the figures behind it */
    const char *remedy;   /* what to try */
    const char *path;     /* of the node, "" for the run */
    double share;         /* 0…1, the share that the headline gives; NaN: it gives none */
    double savings_ns;    /* how much time the run could save at most; NaN: not known */
} pit_finding;

typedef struct pit_advice {
    const pit_finding *findings; /* in the order in which to read them */
    size_t count;
    int too_little_data; /* too little data for a judgement; see `reason` */
    char reason[160];
} pit_advice;

/* docs/analysis.md lists the rules. pit_advise_rows applies them exactly as written there; batches: their
 * durations in order, or NULL. ascii: print only ASCII, except for names. Returns NULL only if memory is
 * exhausted. */
PIT_API pit_advice *pit_advise(const pit_run *const *runs, size_t run_count, int ascii);
PIT_API pit_advice *pit_advise_rows(const pit_row *rows, size_t count, const double *batches,
                                    size_t batch_count, int ascii);
PIT_API void pit_advice_free(pit_advice *advice);

/* ---- exports -------------------------------------------------------------------------------- */

/* The export formats. */
typedef struct pit_export_format {
    const char *name;
    const char *help;           /* one line */
    const char *const *endings; /* file name endings that select it, ended by NULL */
    int is_folder;              /* writes a folder: only pit_export_file supports it */
    int is_binary;              /* not for a terminal */
} pit_export_format;
PIT_API const pit_export_format *pit_export_at(size_t index); /* NULL past the last */

/* Whole documents. Returns 0, PIT_BAD_ARGUMENT (no such format), PIT_NO_MEMORY, PIT_CANNOT_WRITE. */
PIT_API int pit_export(FILE *out, const char *format, const pit_run *const *runs, size_t run_count);

/* The same to a file, which appears whole or not at all: it writes a temporary file in the same folder and
 * renames it. Missing folders are not created. On failure errno gives the reason. */
PIT_API int pit_export_file(const char *path, const char *format, const pit_run *const *runs,
                            size_t run_count);

/* Write any file that way: `write` fills the stream and returns 0, or a negative code, which pit_save
 * returns. A link is followed, the permissions of an existing file are kept, and a target that is not a
 * regular file is written directly. Else 0, PIT_BAD_ARGUMENT, or PIT_CANNOT_WRITE with errno; the old file
 * is then unchanged, and no temporary file is left. */
PIT_API int pit_save(const char *path, int (*write)(FILE *out, void *arg), void *arg);

/* Rows in the format of the timing utilities. CSV: Section,Model,Time (s), then peak_memory_mb and
 * current_memory_mb if a row has memory, allocated_mb and max_allocated_mb if one has a device.
 * JSON: section, timestamp (wall_ns; 0: now), timings. form: PIT_CSV or PIT_JSON. */
PIT_API int pit_save_timings(const char *path, enum pit_form form, const char *section,
                             const pit_row *rows, size_t count, uint64_t wall_ns);

/* ---- text logs ------------------------------------------------------------------------------ */

/* [STAGE], [TIMING], window and summary lines found in any text, as journal entries: kinds "stage",
 * "timing" (figure seconds), "window" (its text is the tag; the first figure is the number of
 * calls, its key the word for them, its unit "count"; then the items, durations in ms), "summary"
 * (seconds, share in percent), "total"; wall_ns 0 if a line has no time. */
typedef struct pit_log {
    const pit_entry *entries;
    size_t count;
    uint64_t lines;     /* read */
    uint64_t malformed; /* lines that begin like ours and cannot be parsed */
} pit_log;

/* Reads to the end of `in`. Returns NULL and sets *error on failure. */
PIT_API pit_log *pit_log_read(FILE *in, pit_error *error);
PIT_API void pit_log_free(pit_log *log);

/* Tables of one log, or of several next to each other; `names` are their titles. All forms; of the options
 * it uses width, colour and ascii. Returns 0, PIT_BAD_ARGUMENT, PIT_NO_MEMORY, PIT_CANNOT_WRITE, or
 * PIT_NOTHING: no log has a line with a time; a message is printed instead. */
PIT_API int pit_log_print(FILE *out, const pit_log *const *logs, const char *const *names,
                          size_t count, const pit_report_options *options);

/* ---- timers and monitors that print while the program runs -----------------------------------
 *
 * The objects below measure with or without a recorder. If a recorder is open, their spans and lines
 * are in the run too, and the views print the same lines from it. They print to standard output, one
 * line at a time; verbosity and the print hook apply to all of them. An object must be used by one
 * thread at a time, unless its comment says otherwise. _new returns NULL only without memory;
 * functions do nothing if the object is NULL.
 */

/* 0: monitors print nothing. The default is 1. PITWALL_VERBOSE=0 in the environment silences the lines
 * printed while the program runs; tables that the program asks for (pit_…_print, pit_stages_summary,
 * pit_profiler_log) are always printed. pit_is_verbose tells whether the lines are printed. */
PIT_API void pit_set_verbose(int verbose);
PIT_API int pit_is_verbose(void);

/* Set a function that receives their lines, each without its newline; NULL: standard output, flushed by
 * line. It is called on the thread that prints, with no lock held. */
PIT_API void pit_set_print(void (*line)(void *arg, const char *text), void *arg);

/* Not 0: all timers and monitors wait for the device before each clock reading, so that they time the
 * submitted work and not only its submission. By default they wait only where PIT_WAIT or a pit_device_use
 * requires it. */
PIT_API void pit_set_wait(int wait);

/* The device of one object: at each begin and end its memory is read, and its work waited for. Work that
 * begins on one device ends on it. Objects start with a zeroed one; NULL restores it. A reading resets a
 * peak only by the device's own reset_peak; without that function, the peak of a piece of work is known
 * only if it is the highest so far, else NaN. */
typedef struct pit_device_use {
    const pit_device *device; /* must stay valid; NULL: the process's (pit_set_device) */
    int wait;                 /* 1: wait for its work; -1: do not; 0: pit_set_wait decides */
} pit_device_use;

/* The sources of their figures, for tests: NULL, or a NULL member, means the real source. With a
 * test's own rss, the peak of a piece of work is the higher of its begin and end. */
typedef struct pit_sources {
    uint64_t (*monotonic_ns)(void *arg);
    uint64_t (*wall_ns)(void *arg);
    uint64_t (*rss)(void *arg); /* bytes */
    void *arg;
} pit_sources;
PIT_API void pit_set_sources(const pit_sources *sources);

/* Named times that add up, like the dict of the timing utilities. Any thread. */
typedef struct pit_timers pit_timers;
PIT_API pit_timers *pit_timers_new(void);
PIT_API void pit_timers_free(pit_timers *timers);
PIT_API void pit_timers_set_device(pit_timers *timers, const pit_device_use *use);

/* Call function(argument), time it under `name`, print "NAME complete: 45.32s total", and return
 * its result. flags: PIT_MEMORY adds "peak memory: 234.5 MB", PIT_WAIT waits for the device and
 * adds "GPU peak: 1024.3 MB" or "(CPU mode)". */
PIT_API void *pit_time(pit_timers *timers, const char *name, unsigned flags,
                       void *(*function)(void *argument), void *argument);

/* Called by the function that pit_time runs, to report that it failed. The time is counted; the line
 * printed and kept in the run is "NAME failed after 45.32s". */
PIT_API void pit_time_failed(void);

/* Called by the function that pit_time runs if it has its own allocator, whose memory may have been
 * resident before: it reports the allocations that it counted. With PIT_MEMORY, the peak and the remaining
 * memory are then at least these; with libpitwall-alloc preloaded these are added, so they must not contain
 * memory from malloc. In bytes. */
typedef struct pit_counted {
    uint64_t peak, live;
    uint64_t overhead; /* resident memory that counting itself needed; it is subtracted */
} pit_counted;
PIT_API void pit_time_counted(const pit_counted *counted);
/* Add a time taken elsewhere. */
PIT_API void pit_timers_add(pit_timers *timers, const char *name, double seconds);
/* The rows in the order of their first use; valid until the next change. cpu_peak_mb is the call's own
 * peak, cpu_delta_mb the part of it that was not freed. */
PIT_API const pit_row *pit_timers_rows(pit_timers *timers, size_t *count);

/* Phases of one piece of work, one after another; not nested, separate for each thread. */
typedef struct pit_phase_timer pit_phase_timer;
PIT_API pit_phase_timer *pit_phase_timer_new(const char *name);
PIT_API void pit_phase_timer_free(pit_phase_timer *timer);
PIT_API void pit_phase_timer_set_device(pit_phase_timer *timer, const pit_device_use *use);
PIT_API void pit_phase_timer_start(pit_phase_timer *timer,
                                   const char *phase);    /* ends the open one */
PIT_API void pit_phase_timer_end(pit_phase_timer *timer); /* does nothing if none is open */
PIT_API const pit_row *pit_phase_timer_rows(pit_phase_timer *timer, size_t *count);
/* Print the breakdown; a phase that is still open is a row "NAME (open)" with its time so far. */
PIT_API void pit_phase_timer_print(pit_phase_timer *timer);

/* Operations with time and memory, single or repeated. */
typedef struct pit_monitor pit_monitor;
/* A running operation; begin and end on the same thread. */
typedef struct pit_track {
    struct pit__operation *own; /* NULL: none. A missing end leaks some hundred bytes */
} pit_track;
/* With PITWALL_MONITOR=0 in the environment it is disabled: it measures and prints nothing. */
PIT_API pit_monitor *pit_monitor_new(void);
PIT_API void pit_monitor_free(pit_monitor *monitor);
PIT_API void pit_monitor_enable(pit_monitor *monitor, int enabled); /* overrides the environment */
PIT_API void pit_monitor_set_device(pit_monitor *monitor, const pit_device_use *use);
/* aggregate: all calls of that name share one row; else each call has its own row. An operation
 * inside another one of the monitor is `nested`. */
PIT_API void pit_monitor_begin(pit_monitor *monitor, pit_track *track, const char *operation,
                               int aggregate);
/* Does nothing if no operation was begun in `track`. */
PIT_API void pit_monitor_end(pit_monitor *monitor, pit_track *track);
PIT_API const pit_row *pit_monitor_rows(pit_monitor *monitor, size_t *count);
PIT_API double pit_monitor_total(pit_monitor *monitor); /* seconds of those that are not nested */
PIT_API double pit_monitor_time(pit_monitor *monitor, const char *operation); /* NaN: never ran */
/* Print the view performance and, with show_aggregate, the view aggregate. */
PIT_API void pit_monitor_print(pit_monitor *monitor, int show_aggregate);
PIT_API void pit_monitor_clear(pit_monitor *monitor);

/* One operation, printed when it ends: [Performance] NAME: 1.234s, CPU +250.5MB, GPU n/a */
PIT_API void pit_performance_begin(pit_track *track, const char *operation);
PIT_API void pit_performance_begin_on(pit_track *track, const char *operation,
                                      const pit_device_use *use);
PIT_API void pit_performance_end(pit_track *track, int print);

/* Pause an operation until resume, as a generator pauses between two items: that time does not count for
 * the operation. Works for any running operation; a pause inside a pause does nothing. */
PIT_API void pit_track_pause(pit_track *track);
PIT_API void pit_track_resume(pit_track *track);

/* Epochs and batches of a training loop. */
typedef struct pit_epoch_options {
    int verbose_batches; /* batch lines printed per epoch; 0: 5, negative: none */
    int disabled;
} pit_epoch_options;
typedef struct pit_epoch_statistics {
    double total_epoch_time, avg_epoch_time;
    double total_batch_time, avg_batch_time, min_batch_time, max_batch_time; /* over all epochs */
    uint64_t num_batches, num_epochs;
} pit_epoch_statistics;
typedef struct pit_epoch_monitor pit_epoch_monitor;
/* options NULL: PITWALL_MONITOR (0: disabled) and PITWALL_MONITOR_BATCHES, else the defaults. */
PIT_API pit_epoch_monitor *pit_epoch_monitor_new(const pit_epoch_options *options);
PIT_API void pit_epoch_monitor_free(pit_epoch_monitor *monitor);
PIT_API void pit_epoch_monitor_set_device(pit_epoch_monitor *monitor, const pit_device_use *use);
PIT_API void pit_epoch_begin(pit_epoch_monitor *monitor);
PIT_API void pit_epoch_batch_begin(pit_epoch_monitor *monitor, uint64_t batch);
PIT_API void pit_epoch_batch_end(pit_epoch_monitor *monitor, uint64_t batch, const double *loss);
PIT_API void pit_epoch_end(pit_epoch_monitor *monitor);
/* Returns 0, or PIT_NOTHING: disabled, or no batch yet. */
PIT_API int pit_epoch_statistics_of(pit_epoch_monitor *monitor, pit_epoch_statistics *statistics);

/* Stages of a pipeline. Any thread. */
typedef struct pit_stages pit_stages;
PIT_API pit_stages *pit_stages_new(void);
PIT_API void pit_stages_free(pit_stages *stages);
PIT_API void pit_stages_set_device(pit_stages *stages, const pit_device_use *use);
PIT_API void pit_stage(pit_stages *stages, const char *stage); /* [STAGE] line */
PIT_API void pit_stage_took(pit_stages *stages, const char *stage, double seconds); /* [TIMING] */
/* Both: the stage begins now and ends when the next one begins or at the summary. With memory != 0 the
 * [TIMING] entry of the run has its memory use and peak. If it ends on the thread that began it, it is
 * a span. */
PIT_API void pit_stage_begin(pit_stages *stages, const char *stage, int memory);
PIT_API void pit_stage_end(pit_stages *stages);
/* The same for a block, which lasts until pit_stage_leave, and stages that its thread begins inside it are
 * `nested`. The summary shows an open one as "NAME (open)". leave ends the newest block of that name (NULL:
 * the innermost), and a stage that was begun inside it. */
PIT_API void pit_stage_enter(pit_stages *stages, const char *stage, int memory);
PIT_API void pit_stage_leave(pit_stages *stages, const char *stage);
PIT_API const pit_row *pit_stages_rows(pit_stages *stages, size_t *count);
/* Seconds of one stage, nested or not; NaN: never logged. Takes constant time. */
PIT_API double pit_stages_time(pit_stages *stages, const char *stage);
PIT_API double pit_stages_wall(pit_stages *stages); /* seconds since _new */
PIT_API void pit_stages_summary(pit_stages *stages);
/* Save {"timings": {stage: seconds}, "total_time": wall seconds}; the file appears whole or not at all. */
PIT_API int pit_stages_save(pit_stages *stages, const char *path);

/* A line every `every` calls, about the last `every` calls. */
enum pit_window_kind { PIT_WINDOW_MS, PIT_WINDOW_MEAN, PIT_WINDOW_HIDDEN };
typedef struct pit_window_item {
    const char *label;         /* "Pattern gen", "Avg nodes" */
    enum pit_window_kind kind; /* seconds shown as ms; a mean; kept but not printed */
} pit_window_item;
typedef struct pit_window pit_window;
/* Prints "[TAG] Last EVERY UNIT: …". 1 to 32 items, else it returns NULL. */
PIT_API pit_window *pit_window_new(const char *tag, const char *unit, uint64_t every,
                                   const pit_window_item *items, size_t count);
PIT_API void pit_window_free(pit_window *window);
/* Add a call: one figure for each item. Any thread. */
PIT_API void pit_window_add(pit_window *window, const double *figures);
/* Over the whole run: the number of calls, and the sum of an item. */
PIT_API uint64_t pit_window_count(pit_window *window);
PIT_API double pit_window_sum(pit_window *window, size_t item);
/* A window keeps the figures of the last 10000 calls of pit_window_add. This function sets another number
 * (0: none) and drops the figures kept so far. */
PIT_API void pit_window_keep(pit_window *window, size_t most);
/* The kept figures of an item, oldest first, as they were added; if there are more than `room`, the last
 * ones. Returns their number; with figures NULL and room 0, how many are kept. */
PIT_API size_t pit_window_figures(pit_window *window, size_t item, double *figures, size_t room);
/* A percentile (0 to 100) of the kept figures: the smallest figure that is not below this percentage of
 * them. NaN: no figures. */
PIT_API double pit_window_percentile(pit_window *window, size_t item, double percent);

/* Averages of named operations, printed every `log_every` steps. A step is one end of make_step_total or
 * training_step, whichever is more frequent. Any thread. */
typedef struct pit_profiler pit_profiler;
PIT_API pit_profiler *pit_profiler_new(uint64_t log_every); /* 0: 100 */
PIT_API void pit_profiler_free(pit_profiler *profiler);
PIT_API void pit_profiler_set_device(pit_profiler *profiler, const pit_device_use *use);
/* Returns the time in seconds since 1970, from the monotonic clock: it never steps back. operation NULL:
 * returns only the time, begins nothing and waits for nothing. */
PIT_API double pit_profiler_start(pit_profiler *profiler, const char *operation);
PIT_API void pit_profiler_end(pit_profiler *profiler, const char *operation, double start);
/* step NULL: the steps so far. If nothing was recorded, it prints that. */
PIT_API void pit_profiler_log(pit_profiler *profiler, const uint64_t *step);
PIT_API uint64_t pit_profiler_steps(pit_profiler *profiler);
PIT_API const pit_row *pit_profiler_rows(pit_profiler *profiler, size_t *count);
PIT_API void pit_profiler_reset(pit_profiler *profiler);

#ifdef __cplusplus
}
#endif

#endif
