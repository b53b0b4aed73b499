/* report_view.h: what the parts of the report share. Each part prints one thing of `report`; lack
 * of memory is returned (PIT_NO_MEMORY) or kept by report->prose, trouble with the output is left to ferror. */
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
    struct pit__prose *prose; /* words to `out`; it keeps what went wrong */
    const pit_tree *tree;
    pit_tree *own_tree;             /* the same, where it is not borrowed */
    size_t busy_threads;            /* that had spans */
    struct pit__run_memory *memory; /* of each run */
    pit_advice *advice;             /* what stands out */
    const pit_ranks *ranks;         /* the runs are those of one job; NULL */
    pit_ranks *own_ranks;           /* the same, where they are not borrowed */
};

/* A view made of parts of the report. `text` are those of its text, in their order, ended by NULL; what
 * is left out of it in the other forms is `rows`, which prints one table in each of them, but without a
 * view JSON is the whole document. `words` are the answer above the table in Markdown, or NULL. */
typedef int pit__print_part(const struct pit__report *report);
struct pit__report_parts {
    enum pit__sort_key sort; /* where none is asked for */
    pit__print_part *const *text;
    pit__print_part *rows;
    void (*words)(const struct pit__report *report, struct pit__text *words);
};
struct pit__view_call;
int pit__print_parts(const struct pit__view_call *call, const struct pit__report_parts *parts);

/* Fill in what the parts need, from out, runs, options, look and tree (NULL: it is built); free it in any
 * case. 0 or PIT_NO_MEMORY. */
int pit__report_make(struct pit__report *report);
void pit__report_free(struct pit__report *report);

/* The answer in one line of words: what stands out and what to try, or else what took the most; in
 * print, where something stands out, both. */
int pit__print_headline(const struct pit__report *report);
void pit__headline(const struct pit__report *report, struct pit__text *text);

int pit__print_ranks(const struct pit__report *report); /* ranks_view.c: nothing without them */
int pit__print_facts(const struct pit__report *report);
int pit__print_tree(const struct pit__report *report);
int pit__print_flat(const struct pit__report *report);
int pit__print_values(const struct pit__report *report);
int pit__print_open(const struct pit__report *report);
int pit__print_losses(const struct pit__report *report);
void pit__losses_words(const pit_losses *losses, struct pit__text *text); /* nothing: empty */
/* places_view.c: the hottest places in the code, where there are samples enough. */
int pit__print_hottest(const struct pit__report *report);
int pit__print_hooks(const struct pit__report *report);
int pit__print_cost(const struct pit__report *report); /* of recording */
int pit__print_json(const struct pit__report *report);

/* post_mortem_view.c: of runs that died: why, most likely, and what was known of them last. */
int pit__print_verdicts(const struct pit__report *report);
int pit__print_post_mortem(const struct pit__report *report);

/* ended_view.c: how the run's process ended; nothing where that was not told. */
void pit__print_ended(struct pit__prose *prose, const pit_run *run);
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

/* "places" of a tree; "stack_samples" of a run: how they were taken. */
void pit__json_places(struct pit__json *json, const pit_tree *tree);
void pit__json_stack_samples(struct pit__json *json, const pit_run *run);

/* ranks_view.c: "ranks": the job and a row a rank; null without. */
void pit__json_ranks(struct pit__json *json, const pit_ranks *ranks);
/* messages_view.c */
void pit__json_traffic(struct pit__json *json, const char *key, const pit_traffic *traffic);

/* "hooks" of a run that has some; else nothing. */
void pit__json_hooks(struct pit__json *json, const pit_run *run);

/* advice_json.c: what stands out, for machines. */
void pit__json_advice(struct pit__json *json, const pit_advice *advice);

/* json_view.c: a run as a whole for machines, inside an object that is open; the time outside of all spans;
 * the open spans of a thread; what was lost. */
void pit__json_run_facts(struct pit__json *json, const pit_run *run);
void pit__json_unmarked(struct pit__json *json, const pit_tree *tree);
void pit__json_open(struct pit__json *json, const pit_run *run, const pit_thread *thread);
void pit__json_losses(struct pit__json *json, const pit_losses *losses);
const char *pit__not_finite(double figure); /* "nan", "inf", "-inf"; NULL: it is a number */

/* energy_view.c: "energy": the counters of all machines, for machines. 0 or PIT_NO_MEMORY. */
int pit__json_energy(struct pit__json *json, const struct pit__report *report);

/* memory_json.c: their figures for machines. */
void pit__json_records(struct pit__json *json, const pit_run *run, const pit_thread *thread);
/* One row of readings: its time and every channel. */
void pit__json_sample(struct pit__json *json, const char *key, const pit_run *run,
                      const pit_sample *sample);
void pit__json_run_memory(struct pit__json *json, const pit_run *run,
                          const struct pit__run_memory *memory);
/* Parts of it: peak, limits and growth; why it died, null where it did not; what a channel is, inside an
 * object that is open. */
void pit__json_memory(struct pit__json *json, const pit_run *run,
                      const struct pit__run_memory *memory);
void pit__json_post_mortem(struct pit__json *json, const pit_run *run,
                           const struct pit__run_memory *memory);
void pit__json_channel(struct pit__json *json, const pit_channel *channel);

/* tree_view.c: the rows of the call tree in the order they are shown, each with the lines that lead
 * to it. With `keep` (one byte a node) only of nodes whose byte is not 0; that of a node's parent
 * is then set too. *left_out: how many others the options leave out. */
typedef void pit__tree_row(void *arg, const pit_node *node, const char *lines);
int pit__each_tree_row(const struct pit__report *report, const unsigned char *keep,
                       pit__tree_row *row, void *arg, size_t *left_out);

/* node_columns.c: the table that tree and flat list share, a column for each field of a node. A name has
 * the lines that lead to it before it (NULL: none) and a mark behind it. */
struct pit__table *pit__node_table_new(void);
void pit__node_table_row(struct pit__table *table, const pit_node *node, const char *tree_lines);
void pit__set_name_cell(struct pit__cell *cell, const pit_node *node, const char *tree_lines);
int pit__node_order(const pit_node *a, const pit_node *b, enum pit__sort_key key);

/* A table in the form that was asked for; in text after an empty line. Below it, how many rows were not
 * shown: nodes, names. */
int pit__print_table(const struct pit__report *report, struct pit__table *table, size_t left_out,
                     const char *what);

/* cost_view.c: what recording cost. The share of the time of all threads with spans (*threads of them), a
 * thread of a run having the duration of the run; NaN where it was not measured or cannot be told. */
double pit__cost_share(const pit_run *const *runs, size_t run_count, size_t *threads);
/* In words: what a span cost, and that share. */
void pit__add_cost(struct pit__text *text, const pit_run *const *runs, size_t run_count,
                   double span_ns, int ascii);

/* open_view.c: how long a span has been open, in words, or "just begun": the begin may be the last that is known of it. */
void pit__add_open_age(struct pit__text *line, const pit_run *run, const pit_open_span *open,
                       const char *after, int ascii);

/* facts_view.c. */
/* One run in labelled lines: what, where, when, how it ended, labels, file, notes. */
void pit__print_run_facts(struct pit__prose *prose, const pit_run *run,
                          const struct pit__run_memory *memory);
const char *pit__state_word(const pit_run *run);
/* ", value" for each fact that there is; made visible, or as they are. */
void pit__add_facts(struct pit__text *text, const pit_run *run, const char *const *keys,
                    size_t count, const char *between, int visible);
/* The command line: the program with its arguments, or its interpreter with them. */
void pit__add_command(struct pit__text *text, const pit_run *run, int visible);
/* Nothing of a run whose devices were those of the machine. */
void pit__add_stub_note(const pit_run *run, struct pit__text *note);
/* label=value, label=value */
void pit__add_labels(struct pit__text *text, const pit_run *run);
void pit__wall_time(uint64_t wall_ns, int iso, char *out, size_t size);

#endif
