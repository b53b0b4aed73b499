/* pitwall_report.h: read runs, analyse them, print them.
 *
 * Three steps, each usable alone:
 *   1. pit_run_open / pit_run_read   one run, checked and made plain: facts, threads, nodes in ticks
 *   2. pit_tree_build                threads and runs merged into one call tree in nanoseconds
 *   3. pit_report_print              tables and JSON of it
 *
 * Everything here only reads. Objects are not shared between threads without a lock of the
 * caller's; different objects are independent. Every create has a free that takes NULL.
 */
#ifndef PITWALL_REPORT_H
#define PITWALL_REPORT_H

#include "pitwall.h"

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What went wrong while reading: a code, a text without the path, and the file offset it is about
 * (0 where it is about the whole file). */
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

typedef struct pit_series_bin { /* a stretch of the run, in ticks since its start */
    uint64_t start, width;
    uint64_t count, total, min, max;
} pit_series_bin;

/* How a peak was obtained. */
enum pit_peak_method {
    PIT_PEAK_NONE = 0,   /* not to be had: the kernel's mark cannot be reset here */
    PIT_PEAK_RUSAGE = 1, /* getrusage after a reset of the kernel's mark */
    PIT_PEAK_HWM = 2     /* VmHWM after a reset */
};

/* Memory of a node's spans that asked for it (PIT_MEMORY), in bytes. A peak is the process's during
 * the span: other threads' memory is in it. */
typedef struct pit_memory {
    uint64_t count;
    int64_t delta_last, delta_sum, delta_max; /* RSS at end less RSS at begin */
    uint64_t peak_last, peak_sum, peak_max;   /* peak less RSS at begin */
    uint64_t rss_max, rss_last;               /* the highest peak itself; RSS at the last end */
    uint64_t minor_faults, major_faults;
    uint64_t error_bytes; /* bound of each figure */
    enum pit_peak_method peak_method;
} pit_memory;

/* What a node's spans allocated and freed, with libpitwall-alloc preloaded. */
typedef struct pit_alloc {
    uint64_t count;
    uint64_t allocs, frees, alloc_bytes, freed_bytes;
    uint64_t peak_last, peak_max;                     /* live bytes over those at the begin */
    int64_t live_last, live_sum;                      /* allocated less freed */
    uint64_t leak_spans, leaked_bytes, leaked_blocks; /* of spans with PIT_LEAKS */
} pit_alloc;

typedef struct pit_raw_node {
    const char *name;
    uint32_t parent; /* index among the thread's nodes, always below its own; or PIT_NO_NODE */
    int detached;    /* of span objects: overlaps its parent, is no part of its time */
    uint64_t count;
    uint64_t total;        /* ticks */
    uint64_t child;        /* ticks of total that lie in child spans */
    uint64_t min, max;     /* 0 when count is 0 */
    uint64_t sq_lo, sq_hi; /* sum of squared ticks, 128 bits */
    uint64_t items, bytes, flops;
    const pit_hist_bin *hist; /* ascending, counts over 0; their sum is count in a run that is
                                     at rest. In a live one spans that end while it is read may be
                                     in it and not in count, or the other way round. */
    size_t hist_count;
    const pit_series_bin *series; /* ascending, counts over 0 */
    size_t series_count;
    const pit_memory *memory; /* NULL where none was measured */
    const pit_alloc *alloc;   /* NULL where nothing was counted */
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

typedef struct pit_record { /* a span that asked to be kept (PIT_RECORD) */
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

typedef struct pit_sample { /* a reading of the sampler; PIT_UNKNOWN where it could not be had */
    uint64_t ticks;
    uint64_t rss, rss_max; /* bytes */
    uint64_t cpu_ns;       /* user and system, since the process began */
    uint64_t threads, minor_faults, major_faults, switches, forced_switches;
    uint64_t read_bytes, write_bytes;
    uint64_t available; /* machine memory left */
    uint64_t cgroup_used;
    uint64_t pressure; /* memory pressure in 1/100 percent */
} pit_sample;

typedef struct pit_point { /* `values` values in a row of one named value */
    uint64_t ticks;        /* of the first */
    uint64_t values;
    double mean, min, max;
} pit_point;

typedef struct pit_raw_value {
    const char *name;
    uint64_t count;
    double last;
    const pit_point *points;
    size_t point_count;
} pit_raw_value;

/* Misuse and losses, counts of spans but for the last two. */
typedef struct pit_losses {
    uint64_t end_without_begin, abandoned, wrong_thread, too_deep;
    uint64_t table_full;  /* the run was at its size limit */
    uint64_t in_signal;   /* spans of a signal handler while the recorder was at work */
    uint64_t clock_back;  /* durations set to 0: the clock stepped back */
    uint64_t left_open;   /* open when their thread ended */
    uint64_t values;      /* values without room */
    uint64_t beyond_file; /* bytes of the run that were in memory only, or cut off, and are gone */
} pit_losses;

typedef struct pit_thread {
    const char *name;
    uint32_t tid;     /* of its newest tenant */
    int attached;     /* 1: a thread had it when the run was read or ended */
    uint64_t tenants; /* threads that used the table, one after another */
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
    PIT_RUN_DIED = 2    /* its process is gone without a close: killed, _exit, exec, power */
};

typedef struct pit_fact {
    const char *key, *value;
} pit_fact;

typedef struct pit_run {
    const char *path; /* as given; "(this process)" for pit_run_read */
    enum pit_run_state state;
    enum pit_place place; /* where its figures lived */
    int is_mirror;        /* a copy taken while it ran: counts may be some spans apart */
    int recovered;        /* 1: this call brought it back from shared memory */
    int growth_errno;     /* why its file stopped growing, 0 if it did not */
    int open_errno;       /* why it was not where it was asked for */
    uint64_t file_bytes, used_bytes;
    unsigned char run_id[16], parent_run_id[16];
    uint32_t pid, uid;
    int clock; /* 1 CLOCK_MONOTONIC, 2 time-stamp counter, 3 cntvct */
    double ns_per_tick;
    double ns_per_tick_error;            /* relative */
    uint64_t start_ticks, end_ticks;     /* end: close, the last sign of life, or now */
    uint64_t start_wall_ns, end_wall_ns; /* since 1970 */
    double duration_ns;
    double span_cost_ns;   /* of one empty span, measured at its start; 0 if it was not */
    const pit_fact *facts; /* program, arguments, host, cpu, kernel, rank, git, label.KEY, … */
    size_t fact_count;
    const pit_thread *threads;
    size_t thread_count;
    const pit_sample
        *samples; /* along the run, oldest first; each stands for sample_stride readings */
    size_t sample_count;
    uint64_t sample_stride;
    pit_sample newest; /* the last reading; only if has_samples */
    int has_samples;
    uint64_t machine_bytes;  /* of memory, PIT_UNKNOWN if not known */
    uint64_t cgroup_limit;   /* PIT_UNKNOWN: none */
    int cgroup_version;      /* 0, 1, 2 */
    uint64_t oom_kills;      /* of its cgroup when it began; PIT_UNKNOWN */
    uint64_t rss_peak;       /* the run's highest RSS, 0 if not known */
    uint64_t skipped_blocks; /* of kinds this version does not know */
    uint64_t damaged_at; /* file offset from which on it is damaged and not shown, 0 if it is not */
    pit_losses losses;   /* of all threads together */
} pit_run;

/* Read a run: finished, live, killed or damaged. A run whose live pages are in shared memory is
 * read there; if its process is gone it is first brought back to its path (see pit_run_recover).
 * NULL and *error (may be NULL) on failure. */
PIT_API pit_run *pit_run_open(const char *path, pit_error *error);

/* Read a recorder of this process; NULL is the default one. Other threads may go on recording. */
PIT_API pit_run *pit_run_read(pit_recorder *recorder, pit_error *error);

/* The same from bytes in memory, which must stay unchanged during the call. alive: 1 if its
 * process is known to run. */
PIT_API pit_run *pit_run_parse(const void *data, size_t bytes, int alive, pit_error *error);

PIT_API void pit_run_free(pit_run *run);

/* The value of a fact, or NULL. */
PIT_API const char *pit_run_fact(const pit_run *run, const char *key);

/* Bring a dead run's live pages from shared memory to its path, exactly once however many try.
 * path is the run's. 1: brought back by this call. 0: nothing to do, the file at path is the run.
 * Negative: a code, with *error (may be NULL) filled. */
PIT_API int pit_run_recover(const char *path, pit_error *error);

/* Bring back every dead run of this user that lies in shared memory; calls done(path, code, arg)
 * for each. How many were brought back. */
PIT_API int pit_recover_all(void (*done)(const char *path, int code, void *arg), void *arg);

/* ---- one tree of threads and runs, in nanoseconds ------------------------------------------ */

typedef struct pit_bin { /* durations of one histogram bucket */
    double low_ns, high_ns;
    uint64_t count;
} pit_bin;

typedef struct pit_node {
    const char *name;
    const char *path; /* names joined by '/' */
    uint32_t parent;  /* index, always below its own; or PIT_NO_NODE */
    uint32_t depth;   /* 0 for a span without parent */
    int detached;
    uint64_t count;
    double total_ns, self_ns;
    double min_ns, max_ns, mean_ns, std_ns; /* std: of the population; 0 with count 0 */
    double p50_ns, p95_ns, p99_ns;
    uint64_t items, bytes, flops;
    uint64_t open;       /* spans of it that are open */
    double open_ns;      /* time those have been open, all together */
    const pit_bin *bins; /* ascending by low_ns */
    size_t bin_count;
    const pit_memory *memory; /* NULL where none was measured; last figures are of the last run */
    const pit_alloc *alloc;   /* NULL where nothing was counted */
} pit_node;

typedef struct pit_tree {
    const pit_node *nodes; /* parents before children, siblings by total, largest first */
    size_t node_count;
    double total_ns; /* of the top-level nodes that are not detached */
    double wall_ns;  /* the longest run */
    uint64_t spans;  /* finished, of all nodes */
    double cost_ns;  /* what recording them cost, by each run's own measurement */
    pit_losses losses;
} pit_tree;

/* NULL only without memory. Runs must outlive the call, not the tree. */
PIT_API pit_tree *pit_tree_build(const pit_run *const *runs, size_t run_count);
PIT_API void pit_tree_free(pit_tree *tree);

/* A quantile 0…1 of a node, within 1.6 % (or a tick) of the sorted samples' own. NaN if empty. */
PIT_API double pit_node_quantile(const pit_node *node, double q);

/* ---- printing ------------------------------------------------------------------------------ */

typedef struct pit_report_options {
    const char *view; /* NULL: the report; "memory": where memory goes */
    int json;
    int flat;         /* names alone, sorted, in place of the tree */
    const char *sort; /* total, self, count, mean, p50, p95, p99, max, name; NULL: total */
    int depth;        /* levels to show; 0: all */
    double min_share; /* leave out nodes below this share of the total, 0…1 */
    int width;        /* columns; 0: as wide as it needs */
    int colour;       /* escape codes */
    int ascii;        /* no character beyond ASCII of our own */
} pit_report_options;

/* The report of one or several runs, merged. options may be NULL. 0, PIT_BAD_ARGUMENT,
 * PIT_NO_MEMORY or PIT_CANNOT_WRITE. */
PIT_API int pit_report_print(FILE *out, const pit_run *const *runs, size_t run_count,
                             const pit_report_options *options);

#ifdef __cplusplus
}
#endif

#endif
