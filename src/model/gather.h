/* gather.h: turns runs into the plain data (pit_data) that views print. */
#ifndef PIT_GATHER_H
#define PIT_GATHER_H

#include "pitwall_ranks.h"

/* The state of turning runs into data. */
struct pit__gathered {
    const pit_run *const *runs;
    size_t run_count;
    const pit_tree *tree;
    const pit_ranks *ranks;            /* streamed ranks, of which `runs` has only one; or NULL */
    const pit_report_options *options; /* never NULL */
    pit_data data;                     /* the result */
    char why[160];                     /* with PIT_NOTHING: what the runs lack */
    struct pit__kept *kept;            /* what pit__gather_alloc gave, freed by the caller */
};

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

/* Rows by name alone: the same name at several places is one row. Finished spans. */
int pit__gather_named_rows(struct pit__gathered *gathered);

/* As pit__gather_all_rows, of finished spans alone. */
int pit__gather_finished_rows(struct pit__gathered *gathered);

/* The node of options->node, by its path or else its name; PIT_NO_NODE if none is asked for. With
 * PIT_NOTHING there is no such node, and why is filled. */
int pit__gather_node(struct pit__gathered *gathered, uint32_t *node);

/* One node as a row; with `open` spans that are open count with the time so far. */
void pit__fill_row(pit_row *row, const pit_node *node, const char *name, int open);

/* row_figures.c: calls, and one call's times; NaN where not known. */
uint64_t pit__row_count(const pit_row *row);
double pit__row_mean(const pit_row *row);
double pit__row_min(const pit_row *row);
double pit__row_max(const pit_row *row);

/* Seconds of the rows that do not lie inside others. */
double pit__rows_total(const pit_data *data);

/* The rows by time, the longest first (or with `shortest` the shortest mean), those of equal time in
 * their order, those without a time last. The caller frees it; NULL without memory. */
const pit_row **pit__rows_ranked(const pit_data *data, int shortest);

#endif
