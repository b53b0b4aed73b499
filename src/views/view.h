/* view.h: what all views share, and the list of them.
 *
 * A view prints plain data (pit_data). Over runs its `gather` first makes that data of them, so that
 * the same figures read the same wherever they come from. The report itself (tree, flat, memory)
 * looks at runs directly: report_view.h.
 */
#ifndef PIT_VIEW_H
#define PIT_VIEW_H

#include "pitwall_report.h"

#include "report/table.h"

struct pit__gathered;

/* One printing. */
struct pit__view_call {
    FILE *out;
    const pit_data *data;
    const struct pit__gathered *gathered; /* the runs behind the data; NULL over plain data */
    const pit_report_options *options;    /* never NULL */
    const char *title;                    /* never NULL: the options', else the data's, else "" */
    struct pit__look look;
};

/* Runs on their way to become data. */
struct pit__gathered {
    const pit_run *const *runs;
    size_t run_count;
    const pit_tree *tree;
    const pit_report_options *options; /* never NULL */
    pit_data data;                     /* what is gathered */
    char why[160];                     /* with PIT_NOTHING: what the runs lack */
    struct pit__kept *kept;            /* what pit__gather_alloc gave, freed by the caller */
};

struct pit__view {
    const char *name;
    int (*gather)(struct pit__gathered *gathered);   /* 0, PIT_NOTHING, PIT_NO_MEMORY, … */
    int (*print)(const struct pit__view_call *call); /* 0, PIT_NOTHING, PIT_BAD_ARGUMENT, … */
};

/* One file each. */
extern const struct pit__view pit__timing_summary_view, pit__speedup_view, pit__breakdown_view,
    pit__performance_view, pit__aggregate_view, pit__profiling_view, pit__inference_view,
    pit__sweep_view;
/* Of the journal: epochs_view.c, stages_view.c, windows_view.c. */
extern const struct pit__view pit__epochs_view, pit__stages_view, pit__windows_view;

extern const struct pit__view pit__warmup_view, pit__convergence_view, pit__bottlenecks_view,
    pit__profile_view;

/* NULL: there is none of that name, or it is one of the report's own. */
const struct pit__view *pit__view_find(const char *name);

/* gather.c: zeroed memory that lasts until the view is printed; NULL without memory. */
void *pit__gather_alloc(struct pit__gathered *gathered, size_t count, size_t bytes);
void pit__gather_free(struct pit__gathered *gathered);

/* Rows of one level of the tree in the order they were first seen: the children of options->node,
 * else the outermost level that has more than one node. */
int pit__gather_rows(struct pit__gathered *gathered);

/* Every node with a path of its own as name, the parents' rows before the children's. */
int pit__gather_all_rows(struct pit__gathered *gathered);

/* The journal of all runs, one after another. */
int pit__gather_journal(struct pit__gathered *gathered);

/* The durations of options->node in their order. series_gather.c says which node without one. */
int pit__gather_series(struct pit__gathered *gathered);

/* The values of the runs as curves over epochs. */
int pit__gather_curves(struct pit__gathered *gathered);

/* Why there is nothing to show, in place of the view. Returns PIT_NOTHING. */
int pit__print_nothing(FILE *out, const pit_report_options *options, const char *why);

#endif
