/* live_tree.h: a running run, read repeatedly: its threads merged into one tree, with totals of the whole
 * run and figures of the time between the last two readings.
 *
 * Pure: the input is any pit_run, usually from pit_watch_run; the tree copies what it needs. Nodes are
 * never removed and keep their index, so rows that a user folded or selected stay so. */
#ifndef PIT_LIVE_TREE_H
#define PIT_LIVE_TREE_H

#include "pitwall_report.h"

#define PIT__ALL_THREADS SIZE_MAX
#define PIT__NO_RAW UINT64_MAX

struct pit__live_node {
    char *name;
    uint32_t parent; /* index, always below its own; or PIT_NO_NODE */
    uint32_t depth;
    uint32_t first_child, next_sibling; /* the newest child comes first */
    int detached;                       /* enum pit_detached */
    int is_comm;
    int folded;         /* set by the user interface, not changed here */
    uint64_t first_raw; /* thread << 32 | node of the first raw node it was merged from */
    uint64_t count, items, open;
    double total_ns; /* of finished spans */
    double all_ns;   /* with the open spans' time so far */
    double self_ns;  /* all_ns less the children's */
    double max_ns;
    uint64_t device_count; /* its device work and that of its children */
    double device_ns, device_wait_ns;
    /* between the last two refreshes; NaN before the second */
    double rate, item_rate; /* per second */
    double now_ns;          /* of all_ns */
    double now_self_ns;
    double now_mean_ns; /* of the spans that ended; NaN if none did */
    /* at the previous refresh */
    uint64_t count_before, items_before;
    double total_before, all_before;
};

struct pit__live_raw {
    uint32_t node; /* the node it is merged into */
    uint64_t next; /* the next raw node of the same node, as in first_raw */
};

struct pit__live_map { /* of one thread */
    struct pit__live_raw *raw;
    size_t count, room;
};

struct pit__live {
    struct pit__live_node *nodes;
    size_t count, room;
    uint32_t *slots; /* hash table: index + 1 */
    size_t slot_count;
    struct pit__live_map *maps;
    size_t map_count;
    const pit_run *run; /* the run that the maps belong to */
    size_t thread;      /* the thread that was added up, or PIT__ALL_THREADS */
    int looks;          /* refreshes of the same run and thread, counted up to 2 */
    double at_ns;       /* run time at the last refresh */
    double interval_ns; /* between the last two */
    uint64_t spans, spans_before;
    size_t busy_threads;    /* threads that have spans */
    double in_spans_ns;     /* all_ns of the outermost nodes that are not detached */
    double now_in_spans_ns; /* NaN before the second refresh */
    double rate;   /* spans per second in the last interval; NaN before the second refresh */
    double cores;  /* processors in use, by the sampler's last two readings; NaN */
    double waited; /* share of that time in which the main thread waited for a processor; NaN */
    uint64_t cpu_ns, cpu_at; /* of the last reading */
    double delay_ns;         /* the same for run_delay_ns */
};

/* From this share on, the screen shows `waited`. */
#define PIT__LIVE_WAITED_MUCH 0.05

/* Refresh: `run` as it is now, all threads or one. Returns 0 or PIT_NO_MEMORY. After a change of run or
 * thread there are no rates until the next refresh. */
int pit__live_look(struct pit__live *live, const pit_run *run, size_t thread);
void pit__live_free(struct pit__live *live);

/* Shares (0…1) of the time in spans: over the whole run, and between the last two refreshes. NaN: no time. */
double pit__live_share(const struct pit__live *live, const struct pit__live_node *node);
double pit__live_now_share(const struct pit__live *live, const struct pit__live_node *node);

/* Write the node's names, joined by '/', into `path`, cut if necessary. */
void pit__live_path(const struct pit__live *live, uint32_t node, char *path, size_t size);

/* The mean duration of a node's spans over the run, in `columns` intervals of equal length; NaN if no span
 * ended in one. If many threads run the node, the first eight are read. */
void pit__live_course(const struct pit__live *live, pit_watch *watch, uint32_t node, double *means,
                      size_t columns);

/* RSS over the run in the same way, the highest of each interval. Returns the highest of all; NaN: none. */
double pit__live_rss(const pit_run *run, double *bytes, size_t columns);

/* A channel's newest reading, in its unit; NaN: not known. */
double pit__live_newest(const pit_run *run, const char *key);

/* Where the main thread is most often while this node is its innermost span (PIT_NO_NODE: outside all
 * spans), like pit_tree_hottest; texts belong to the run. Returns 0 if there is no sample. */
int pit__live_hottest(const struct pit__live *live, uint32_t node, pit_tree_place *found);

/* The memory available to the run: the cgroup's limit, else the machine's; or PIT_UNKNOWN. */
uint64_t pit__live_limit(const pit_run *run);

/* ---- rows: live_rows.c ----------------------------------------------------------------------- */

enum pit__live_sort {
    PIT__LIVE_BY_RUN,  /* time over the run */
    PIT__LIVE_BY_NOW,  /* time of the last interval */
    PIT__LIVE_BY_RATE, /* spans per second */
    PIT__LIVE_BY_MEAN,
    PIT__LIVE_BY_NAME,
    PIT__LIVE_SORTS
};
const char *pit__live_sort_name(enum pit__live_sort sort);

struct pit__live_row {
    uint32_t node;
    uint32_t parent_row; /* or PIT_NO_NODE */
    int is_last;         /* among the shown siblings */
    uint32_t hidden;     /* nodes hidden below it because it is folded */
};

struct pit__live_rows {
    struct pit__live_row *rows;
    size_t count, room;
    unsigned char *shown; /* for each node */
};

/* The rows in display order: parents before children, siblings sorted. filter: show only nodes whose name
 * contains it, ignoring case, and their ancestors, even if folded; "" or NULL: all. Returns 0 or
 * PIT_NO_MEMORY. */
int pit__live_rows(const struct pit__live *live, enum pit__live_sort sort, const char *filter,
                   struct pit__live_rows *rows);
void pit__live_rows_free(struct pit__live_rows *rows);

/* The tree lines before a row, "│  ├─ ". */
struct pit__text;
void pit__live_lines(const struct pit__live_rows *rows, size_t row, int ascii,
                     struct pit__text *text);

#endif
