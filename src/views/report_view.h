/* report_view.h: what the parts of the report share. Each part prints one thing of `report`; lack
 * of memory is returned (PIT_NO_MEMORY), trouble with the output is left to ferror. */
#ifndef PIT_REPORT_VIEW_H
#define PIT_REPORT_VIEW_H

#include "pitwall_report.h"

#include "report/table.h"
#include "report/text.h"
#include "run_memory.h"
#include "tree_builder.h"

enum pit__sort_key {
    PIT__SORT_TOTAL,
    PIT__SORT_SELF,
    PIT__SORT_COUNT,
    PIT__SORT_MEAN,
    PIT__SORT_P50,
    PIT__SORT_P95,
    PIT__SORT_P99,
    PIT__SORT_MAX,
    PIT__SORT_NAME,
    PIT__SORT_MEMORY /* the memory view's own */
};

/* A node's or a name's figures as tables show them: spans that are still open count with the time
 * they have taken so far, so that a run that died inside its outermost span is not empty. */
struct pit__figures {
    const char *name;
    const char *path; /* NULL: of a name at several places */
    uint64_t count;
    double total_ns, self_ns;
    double share; /* of the time in spans, 0…1; NaN where there is none */
    double mean_ns, p50_ns, p95_ns, p99_ns, max_ns; /* NaN without finished spans */
    uint64_t items, bytes, flops;
    double work_ns; /* the time items, bytes and flops were done in */
    uint64_t open;
    int detached;
    struct pit__memory_sum memory;
    enum pit__sort_key key; /* what to sort by, for qsort hands on no argument */
};

struct pit__report {
    FILE *out;
    const pit_run *const *runs;
    size_t run_count;
    const pit_report_options *options;
    enum pit__sort_key sort;
    struct pit__look look;
    pit_tree *tree;
    double *total_ns; /* of each node, open spans included */
    double *self_ns;
    double in_spans_ns;  /* of the top-level nodes that are not detached, open ones included */
    size_t busy_threads; /* that had spans */
    struct pit__run_memory *memory; /* of each run */
    pit_advice *advice;             /* what stands out */
};

/* The report, or one of the views that look at runs directly. As pit_report_print. */
int pit__report_print(FILE *out, const pit_run *const *runs, size_t run_count,
                      const pit_report_options *options);

/* Fill in what the parts need, from out, runs, options and look; free it in any case. 0 or
 * PIT_NO_MEMORY. */
int pit__report_make(struct pit__report *report);
void pit__report_free(struct pit__report *report);

/* The answer in one line of words: what stands out and what to try, or else what took the most; in
 * print, where something stands out, both. */
int pit__print_headline(const struct pit__report *report);
void pit__headline(const struct pit__report *report, struct pit__text *text);

int pit__print_facts(const struct pit__report *report);
int pit__print_tree(const struct pit__report *report);
int pit__print_flat(const struct pit__report *report);
int pit__print_values(const struct pit__report *report);
int pit__print_open(const struct pit__report *report);
int pit__print_losses(const struct pit__report *report);
void pit__losses_words(const pit_losses *losses, struct pit__text *text); /* nothing: empty */
int pit__print_hooks(const struct pit__report *report);
int pit__print_json(const struct pit__report *report);

/* post_mortem_view.c: of runs that died: why, most likely, and what was known of them last. */
int pit__print_verdicts(const struct pit__report *report);
int pit__print_post_mortem(const struct pit__report *report);

/* ended_view.c: how the run's process ended; nothing where that was not told. */
int pit__print_ended(const struct pit__report *report, const pit_run *run);
struct pit__json;
void pit__json_ended(struct pit__json *json, const pit_run *run);

/* sub_runs_view.c: what the processes that the runs' own started did, beneath them. */
int pit__print_sub_runs(const struct pit__report *report);
/* Those runs as a report of its own. Free it in any case. 0 or PIT_NO_MEMORY. */
int pit__report_below(const struct pit__report *report, struct pit__report *below);
void pit__report_below_free(struct pit__report *below);

/* memory_view.c, memory_tree_view.c: the parts of --view memory. */
int pit__print_memory_headline(const struct pit__report *report);
void pit__memory_headline(const struct pit__report *report, struct pit__text *words);
int pit__print_readings(const struct pit__report *report);
int pit__print_memory_tree(const struct pit__report *report);

struct pit__json;

/* "hooks" of a run that has some; else nothing. */
void pit__json_hooks(struct pit__json *json, const pit_run *run);

/* advice_json.c: what stands out, for machines. */
void pit__json_advice(struct pit__json *json, const pit_advice *advice);

/* json_view.c: a run as a whole for machines, inside an object that is open; what was lost. */
void pit__json_run_facts(struct pit__json *json, const pit_run *run);
void pit__json_losses(struct pit__json *json, const pit_losses *losses);

/* memory_json.c: their figures for machines. */
void pit__json_node_memory(struct pit__json *json, const pit_node *node);
void pit__json_records(struct pit__json *json, const pit_run *run, const pit_thread *thread);
void pit__json_run_memory(struct pit__json *json, const pit_run *run,
                          const struct pit__run_memory *memory);

/* tree_view.c: the rows of the call tree in the order they are shown, each with the lines that lead
 * to it. With `keep` (one byte a node) only of nodes whose byte is not 0; that of a node's parent
 * is then set too. *left_out: how many others the options leave out. */
typedef void pit__tree_row(void *arg, uint32_t node, const struct pit__figures *figures,
                           const char *lines);
int pit__each_tree_row(const struct pit__report *report, const unsigned char *keep,
                       pit__tree_row *row, void *arg, size_t *left_out);

/* node_columns.c: the table that tree and flat list share. */
struct pit__table *pit__node_table_new(void);
void pit__node_table_row(struct pit__table *table, const struct pit__figures *figures,
                         const char *tree_lines);
void pit__node_figures(const struct pit__report *report, size_t node, struct pit__figures *figures);
int pit__figures_order(const struct pit__figures *a, const struct pit__figures *b);

/* A table in the form that was asked for, but JSON; in text after an empty line. */
int pit__print_table(const struct pit__report *report, struct pit__table *table);

/* Below a table: how many rows were not shown; nothing for 0. */
void pit__print_left_out(const struct pit__report *report, size_t count, const char *what);

/* The share of the time of all threads with spans (*threads of them) that recording took, a thread of a
 * run having the duration of the run; NaN where it was not measured or cannot be told. */
double pit__cost_share(const struct pit__report *report, size_t *threads);
/* In words: what a span cost, and that share. */
void pit__add_cost(struct pit__text *text, const struct pit__report *report, double span_ns);
const char *pit__why_no_cost(const struct pit__report *report); /* where that is not a number */

/* One line of text: what does not fit the width is cut. */
int pit__print_line(const struct pit__report *report, struct pit__text *line,
                    enum pit__style style);

/* Words of our own: broken into lines at spaces, each after `indent` spaces but the first, which
 * the caller has begun. */
int pit__print_prose(const struct pit__report *report, struct pit__text *prose, size_t indent,
                     enum pit__style style);

/* open_view.c: how a span that is open is known: the names from the outermost on, as they are or
 * made visible. */
void pit__open_path(const pit_thread *thread, uint32_t node, const char *between, int visible,
                    struct pit__text *text);
/* The same as pit_node.path has it: joined by '/', what is in a name set apart from that. */
void pit__span_path(const pit_thread *thread, uint32_t node, struct pit__text *text);
double pit__open_age_ns(const pit_run *run, const pit_open_span *open);
/* The same in words, or "just begun": the begin may be the last that is known of it. */
void pit__add_open_age(struct pit__text *line, const pit_run *run, const pit_open_span *open,
                       const char *after, int ascii);

/* One line after two spaces, whose beginning gives way: its end is what one looks for. */
int pit__print_path_line(const struct pit__report *report, struct pit__text *line,
                         enum pit__style style);

/* facts_view.c: "label   words", the words being broken into lines. */
int pit__print_labelled(const struct pit__report *report, const char *label,
                        struct pit__text *words, enum pit__style style);
/* One run in lines of that kind: what, where, when, how it ended, labels, file, notes. */
int pit__print_run_facts(const struct pit__report *report, const pit_run *run);
const char *pit__state_word(const pit_run *run);
/* ", value" for each fact that there is; made visible, or as they are. */
void pit__add_facts(struct pit__text *text, const pit_run *run, const char *const *keys,
                    size_t count, const char *between, int visible);
/* The command line: the program with its arguments, or its interpreter with them. */
void pit__add_command(struct pit__text *text, const pit_run *run, int visible);
/* label=value, label=value */
void pit__add_labels(struct pit__text *text, const pit_run *run);
void pit__wall_time(uint64_t wall_ns, int iso, char *out, size_t size);

#endif
