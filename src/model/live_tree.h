/* live_tree.h: a running run, read repeatedly: its threads merged into one tree, with totals of the
 * whole run and figures of the time between the last two readings.
 *
 * Pure: the input is any pit_run, usually from pit_watch_run; the tree copies what it needs. Nodes are
 * never removed and keep their index, so rows that a user folded or selected stay so.
 */
#ifndef PIT_LIVE_TREE_H
#define PIT_LIVE_TREE_H

#include "pitwall_report.h"

#define PIT__ALL_THREADS SIZE_MAX
#define PIT__NO_RAW UINT64_MAX

struct pit__live_node {
    char *name;
    uint32_t parent; /* index, always below its own; or PIT_NO_NODE */
    uint32_t depth;
    uint32_t first_child, next_sibling; /* the one found last comes first */
    int detached;                       /* enum pit_detached */
    int is_comm;
    int folded;         /* the user's: not changed here */
    uint64_t first_raw; /* thread << 32 | node of the first raw node it was merged from */
    uint64_t count, items, open;
    double total_ns; /* of finished spans */
    double all_ns;   /* with what the open ones have taken so far */
    double self_ns;  /* all_ns less that of its children */
    double max_ns;
    uint64_t device_count; /* device work of it and of what is inside it */
    double device_ns, device_wait_ns;
    /* between the last two looks; NaN before there were two */
    double rate, item_rate; /* a second */
    double now_ns;          /* of all_ns */
    double now_self_ns;
    double now_mean_ns; /* of the spans that ended; NaN for none */
    /* of the look before */
    uint64_t count_before, items_before;
    double total_before, all_before;
};

struct pit__live_raw {
    uint32_t node; /* that it is merged into */
    uint64_t next; /* the next raw node of the same one, as first_raw */
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
    const pit_run *run; /* that the maps are for */
    size_t thread;      /* that was added up, or PIT__ALL_THREADS */
    int looks;          /* of the same run and thread, as far as 2 */
    double at_ns;       /* run time of the last look */
    double interval_ns; /* between the last two */
    uint64_t spans, spans_before;
    size_t busy_threads;     /* that have spans */
    double in_spans_ns;      /* all_ns of the outermost nodes that are not detached */
    double now_in_spans_ns;  /* NaN before there were two looks */
    double rate;             /* spans a second, of the last interval; NaN likewise */
    double cores;            /* processors in use, by the sampler's last two readings; NaN */
    double waited;           /* share of that time: the main thread had no processor; NaN */
    uint64_t cpu_ns, cpu_at; /* of the last reading */
    double delay_ns;         /* likewise: run_delay_ns */
};

/* From this share on it is worth a place on the screen. */
#define PIT__LIVE_WAITED_MUCH 0.05

/* Take a look: `run` as it is now, of all threads or one. 0 or PIT_NO_MEMORY. After a change of run or
 * thread there are no rates until the next look. */
int pit__live_look(struct pit__live *live, const pit_run *run, size_t thread);
void pit__live_free(struct pit__live *live);

/* Shares 0…1 of the time in spans: of the whole run, and between the last two looks. NaN: none. */
double pit__live_share(const struct pit__live *live, const struct pit__live_node *node);
double pit__live_now_share(const struct pit__live *live, const struct pit__live_node *node);

/* The node's names joined by '/', into `path`, which is cut if need be. */
void pit__live_path(const struct pit__live *live, uint32_t node, char *path, size_t size);

/* The mean duration of a node's spans along the run, in `columns` stretches of equal length; NaN where
 * none ended. Of a node that many threads pass, the first eight of them are read. */
void pit__live_course(const struct pit__live *live, pit_watch *watch, uint32_t node, double *means,
                      size_t columns);

/* RSS along the run in the same way, the highest of each stretch. The highest of all; NaN: none. */
double pit__live_rss(const pit_run *run, double *bytes, size_t columns);

/* A channel's newest reading, in its unit; NaN: not known. */
double pit__live_newest(const pit_run *run, const char *key);

/* Where in the code the main thread is most while this node is its innermost span (PIT_NO_NODE: outside
 * of all): as pit_tree_hottest, its texts being the run's. 0: no sample met it there. */
int pit__live_hottest(const struct pit__live *live, uint32_t node, pit_tree_place *found);

/* The memory available to the run: the cgroup's limit, else the machine's; or PIT_UNKNOWN. */
uint64_t pit__live_limit(const pit_run *run);

/* ---- rows: live_rows.c ----------------------------------------------------------------------- */

enum pit__live_sort {
    PIT__LIVE_BY_RUN,  /* time over the run */
    PIT__LIVE_BY_NOW,  /* time of the last interval */
    PIT__LIVE_BY_RATE, /* spans a second */
    PIT__LIVE_BY_MEAN,
    PIT__LIVE_BY_NAME,
    PIT__LIVE_SORTS
};
const char *pit__live_sort_name(enum pit__live_sort sort);

struct pit__live_row {
    uint32_t node;
    uint32_t parent_row; /* or PIT_NO_NODE */
    int is_last;         /* of the siblings that are shown */
    uint32_t hidden;     /* nodes below it that are folded away */
};

struct pit__live_rows {
    struct pit__live_row *rows;
    size_t count, room;
    unsigned char *shown; /* of each node */
};

/* The rows in the order they are to be shown: parents before children, siblings sorted. filter: only
 * nodes whose name has it in it, upper and lower case alike, and what leads to them, folded or not;
 * "" or NULL: all. 0 or PIT_NO_MEMORY. */
int pit__live_rows(const struct pit__live *live, enum pit__live_sort sort, const char *filter,
                   struct pit__live_rows *rows);
void pit__live_rows_free(struct pit__live_rows *rows);

/* The lines that lead to a row, "│  ├─ ". */
struct pit__text;
void pit__live_lines(const struct pit__live_rows *rows, size_t row, int ascii,
                     struct pit__text *text);

#endif
