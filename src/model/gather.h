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
    char why[160];                     /* with PIT_NOTHING: the data that the runs lack */
    struct pit__kept *kept;            /* allocations of pit__gather_alloc, freed by the caller */
};

/* gather.c: zeroed memory that is valid until the view is printed; NULL if memory is exhausted. */
void *pit__gather_alloc(struct pit__gathered *gathered, size_t count, size_t bytes);
void pit__gather_free(struct pit__gathered *gathered);

/* Rows of one level of the tree in the order in which they were first seen: the children of options->node,
 * else the outermost level with more than one node. */
int pit__gather_rows(struct pit__gathered *gathered);

/* Every node with its path as name, parents before children. */
int pit__gather_all_rows(struct pit__gathered *gathered);

/* The journal of all runs, one after another. */
int pit__gather_journal(struct pit__gathered *gathered);

/* The durations of options->node in their order; series_gather.c chooses a node if none is given. */
int pit__gather_series(struct pit__gathered *gathered);

/* The values of the runs as curves over epochs. */
int pit__gather_curves(struct pit__gathered *gathered);

/* Rows by name only: the same name at several places is one row. Finished spans. */
int pit__gather_named_rows(struct pit__gathered *gathered);

/* The same as pit__gather_all_rows, finished spans only. */
int pit__gather_finished_rows(struct pit__gathered *gathered);

/* The node of options->node, by its path or else by its name; PIT_NO_NODE if none is requested. Returns
 * PIT_NOTHING, with `why` set, if there is no such node. */
int pit__gather_node(struct pit__gathered *gathered, uint32_t *node);

/* One node as a row; with `open`, open spans count with their time so far. */
void pit__fill_row(pit_row *row, const pit_node *node, const char *name, int open);

/* row_figures.c: the number of calls, and times of one call; NaN if not known. */
uint64_t pit__row_count(const pit_row *row);
double pit__row_mean(const pit_row *row);
double pit__row_min(const pit_row *row);
double pit__row_max(const pit_row *row);

/* Seconds of the rows that are not inside others. */
double pit__rows_total(const pit_data *data);

/* The rows by time, longest first (with `shortest`: shortest mean first); ties keep their order, rows
 * without a time come last. The caller frees it; NULL if memory is exhausted. */
const pit_row **pit__rows_ranked(const pit_data *data, int shortest);

#endif
