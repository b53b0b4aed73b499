/* report_view.h: shared by the parts of the report. Each part prints one aspect of `report`.
 * Lack of memory is returned (PIT_NO_MEMORY) or kept in report->prose; write errors are left to
 * ferror. */
#ifndef PIT_REPORT_VIEW_H
#define PIT_REPORT_VIEW_H

#include "pitwall_ranks.h"

#include "model/open_span.h"
#include "model/run_memory.h"
#include "model/tree_builder.h"
#include "report/prose.h"

enum pit__sort_key { /* in the order of pit__sort_words */
                     PIT__SORT_MEMORY,
                     PIT__SORT_TOTAL,
                     PIT__SORT_SELF,
                     PIT__SORT_COUNT,
                     PIT__SORT_MEAN,
                     PIT__SORT_P50,
                     PIT__SORT_P95,
                     PIT__SORT_P99,
                     PIT__SORT_MAX,
                     PIT__SORT_NAME
};

struct pit__report {
    FILE *out;
    const pit_run *const *runs;
    size_t run_count;
    const pit_report_options *options;
    enum pit__sort_key sort;
    struct pit__look look;
    struct pit__prose *prose; /* sentences to `out`; keeps errors */
    const pit_tree *tree;
    pit_tree *own_tree;             /* the same if we own it */
    size_t busy_threads;            /* threads that had spans */
    struct pit__run_memory *memory; /* of each run */
    pit_advice *advice;             /* findings */
    const pit_ranks *ranks;         /* if the runs are ranks of one job, else NULL */
    pit_ranks *own_ranks;           /* the same if we own them */
};

/* A view made of parts of the report. `text` lists the parts of its text form, in order, ended
 * by NULL. `rows` prints one table in each of the other forms (without a view, JSON is the whole
 * document). `words` writes the answer above the table in Markdown, or is NULL. */
typedef int pit__print_part(const struct pit__report *report);
struct pit__report_parts {
    enum pit__sort_key sort; /* default */
    pit__print_part *const *text;
    pit__print_part *rows;
    void (*words)(const struct pit__report *report, struct pit__text *words);
};
struct pit__view_call;
int pit__print_parts(const struct pit__view_call *call, const struct pit__report_parts *parts);

/* Fill in the members that the parts need. The caller sets out, runs, options, look and tree
 * (NULL: it is built), and calls pit__report_free in any case. Returns 0 or PIT_NO_MEMORY. */
int pit__report_make(struct pit__report *report);
void pit__report_free(struct pit__report *report);

/* The answer in one line: the most important finding and its remedy, or else what took the most
 * time. The printed report has both if there is a finding. */
int pit__print_headline(const struct pit__report *report);
void pit__headline(const struct pit__report *report, struct pit__text *text);
/* Why the table of a report without spans is empty. */
void pit__no_spans(const struct pit__report *report, struct pit__text *words);

int pit__print_ranks(
    const struct pit__report *report); /* ranks_view.c: prints nothing without ranks */
int pit__print_facts(const struct pit__report *report);
int pit__print_tree(const struct pit__report *report);
int pit__print_flat(const struct pit__report *report);
int pit__print_values(const struct pit__report *report);
int pit__print_open(const struct pit__report *report);
int pit__print_losses(const struct pit__report *report);
void pit__losses_words(const pit_losses *losses,
                       struct pit__text *text); /* empty if nothing was lost */
/* places_view.c: the hottest places in the code, if there are enough samples. */
int pit__print_hottest(const struct pit__report *report);
int pit__print_hooks(const struct pit__report *report);
int pit__print_cost(const struct pit__report *report); /* cost of recording */
int pit__print_json(const struct pit__report *report);

/* post_mortem_view.c: for runs that died: the most likely reason, and their last known state. */
int pit__print_verdicts(const struct pit__report *report);
int pit__print_post_mortem(const struct pit__report *report);

/* ended_view.c: how the process of the run ended; nothing if unknown. */
void pit__print_ended(struct pit__prose *prose, const pit_run *run);
struct pit__json;
void pit__json_ended(struct pit__json *json, const pit_run *run);

/* sub_runs_view.c: runs of child processes, below the runs of the report. */
int pit__print_sub_runs(const struct pit__report *report);
/* The sub-runs as a separate report. Free it in any case. Returns 0 or PIT_NO_MEMORY. */
int pit__report_below(const struct pit__report *report, struct pit__report *below);
void pit__report_below_free(struct pit__report *below);

/* memory_view.c, memory_tree_view.c: the parts of --view memory. */
int pit__print_memory_headline(const struct pit__report *report);
void pit__memory_headline(const struct pit__report *report, struct pit__text *words);
int pit__print_readings(const struct pit__report *report);
int pit__print_memory_tree(const struct pit__report *report);

struct pit__json;

/* "places" of a tree; "stack_samples" of a run: how they were taken. */
void pit__json_places(struct pit__json *json, const pit_tree *tree);
void pit__json_stack_samples(struct pit__json *json, const pit_run *run);

/* ranks_view.c: "ranks": the job and one row per rank; null without ranks. */
void pit__json_ranks(struct pit__json *json, const pit_ranks *ranks);
/* messages_view.c */
void pit__json_traffic(struct pit__json *json, const char *key, const pit_traffic *traffic);

/* "hooks" of a run; nothing if it has none. */
void pit__json_hooks(struct pit__json *json, const pit_run *run);

/* advice_json.c: findings as JSON. */
void pit__json_advice(struct pit__json *json, const pit_advice *advice);

/* json_view.c: members of the JSON document: facts of a run (inside an open object), time
 * outside of all spans, open spans of a thread, losses. */
void pit__json_run_facts(struct pit__json *json, const pit_run *run);
void pit__json_unmarked(struct pit__json *json, const pit_tree *tree);
void pit__json_open(struct pit__json *json, const pit_run *run, const pit_thread *thread);
void pit__json_losses(struct pit__json *json, const pit_losses *losses);
const char *pit__not_finite(double figure); /* "nan", "inf", "-inf"; NULL if finite */

/* energy_view.c: "energy": the energy counters of all machines. 0 or PIT_NO_MEMORY. */
int pit__json_energy(struct pit__json *json, const struct pit__report *report);

/* memory_json.c: records, readings and memory as JSON. */
void pit__json_records(struct pit__json *json, const pit_run *run, const pit_thread *thread);
/* One row of readings: its time and every channel. */
void pit__json_sample(struct pit__json *json, const char *key, const pit_run *run,
                      const pit_sample *sample);
void pit__json_run_memory(struct pit__json *json, const pit_run *run,
                          const struct pit__run_memory *memory);
/* Parts of it: peak, limits and growth; the reason of a death (else null); the description of a
 * channel, inside an open object. */
void pit__json_memory(struct pit__json *json, const pit_run *run,
                      const struct pit__run_memory *memory);
void pit__json_post_mortem(struct pit__json *json, const pit_run *run,
                           const struct pit__run_memory *memory);
void pit__json_channel(struct pit__json *json, const pit_channel *channel);

/* tree_view.c: calls `row` for the rows of the call tree in display order, each with its tree
 * lines. With `keep` (one byte per node) only for nodes whose byte is not 0; the byte of the
 * parent must then be set too. *left_out: the number of other rows that the options hide. */
typedef void pit__tree_row(void *arg, const pit_node *node, const char *lines);
int pit__each_tree_row(const struct pit__report *report, const unsigned char *keep,
                       pit__tree_row *row, void *arg, size_t *left_out);

/* node_columns.c: the table of the call tree and the flat list, one column for each field of a
 * node. Tree lines (NULL: none) are drawn before a name, and a mark after it. */
struct pit__table *pit__node_table_new(void);
void pit__node_table_row(struct pit__table *table, const pit_node *node, const char *tree_lines);
void pit__set_name_cell(struct pit__cell *cell, const pit_node *node, const char *tree_lines);
int pit__node_order(const pit_node *a, const pit_node *b, enum pit__sort_key key);

/* Print a table in the requested form; as text after an empty line, with the number of hidden
 * rows below (`what`: nodes or names). */
int pit__print_table(const struct pit__report *report, struct pit__table *table, size_t left_out,
                     const char *what);

/* cost_view.c: the cost of recording as a share of the time of all threads with spans
 * (*threads). Each thread counts with the duration of its run. NaN if not measured or unknown. */
double pit__cost_share(const pit_run *const *runs, size_t run_count, size_t *threads);
/* The cost of a span and that share, in words. */
void pit__add_cost(struct pit__text *text, const pit_run *const *runs, size_t run_count,
                   double span_ns, int ascii);

/* open_view.c: how long a span has been open, in words; "just begun" if its begin is the last
 * known event. */
void pit__add_open_age(struct pit__text *line, const pit_run *run, const pit_open_span *open,
                       const char *after, int ascii);

/* facts_view.c. */
/* One run in labelled lines: what, where, when, how it ended, labels, file, notes. */
void pit__print_run_facts(struct pit__prose *prose, const pit_run *run,
                          const struct pit__run_memory *memory);
const char *pit__state_word(const pit_run *run);
/* ", value" for each existing fact; made visible, or byte for byte. */
void pit__add_facts(struct pit__text *text, const pit_run *run, const char *const *keys,
                    size_t count, const char *between, int visible);
/* The command line: the program with its arguments, or its interpreter with them. */
void pit__add_command(struct pit__text *text, const pit_run *run, int visible);
/* Adds nothing if the run read the real devices of the machine. */
void pit__add_stub_note(const pit_run *run, struct pit__text *note);
/* label=value, label=value */
void pit__add_labels(struct pit__text *text, const pit_run *run);
void pit__wall_time(uint64_t wall_ns, int iso, char *out, size_t size);

#endif
