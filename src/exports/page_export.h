/* page_export.h: the document behind the page: what its scripts show, as columns.
 *
 * docs/page.md has its fields. Figures have six digits at least; null is a figure that there is not.
 */
#ifndef PIT_PAGE_EXPORT_H
#define PIT_PAGE_EXPORT_H

#include "pitwall_bench.h"

#include "model/node_percentiles.h"
#include "report/json_writer.h"
#include "views/report_view.h"

#define PIT__PAGE_VERSION 1

/* One run, or several merged. kept: NULL, or where the advice is kept from one document to the next: what is there
 * is taken, what is not is made and left there for pit_advice_free; looking for it takes longer than all the rest.
 * 0 or PIT_NO_MEMORY; trouble with the output is left to ferror. */
int pit__page_document(FILE *out, const pit_run *const *runs, size_t run_count, pit_advice **kept);

/* Two runs or groups of runs beside one another, by the rules of compare. Names are those of the sides.
 * 0, PIT_NO_MEMORY, or what pit_compare_runs says. */
int pit__page_comparison(FILE *out, const pit_run *const *a, size_t a_count,
                         const pit_run *const *b, size_t b_count, const char *a_name,
                         const char *b_name);

/* ---- its parts ------------------------------------------------------------------------------- */

struct pit__page {
    struct pit__json json;
    struct pit__report report; /* runs, tree, memory, advice */
    size_t step;               /* the repeated node that a step is; SIZE_MAX: nothing is repeated */
};

/* page_columns.c: arrays of figures, one a column. A column whose cells are all the same is
 * {"all": cell}, one that is the same as an earlier one of its columns {"same": "key"}. */
struct pit__page_columns {
    struct pit__json *json;
    char **texts; /* that were written */
    const char **keys;
    size_t count, room;
    int failed;
};
typedef void pit__page_cell(struct pit__json *json, const void *arg, size_t row);
void pit__page_column(struct pit__page_columns *columns, const char *key, size_t rows,
                      pit__page_cell *cell, const void *arg);
int pit__page_columns_end(struct pit__page_columns *columns); /* 0 or PIT_NO_MEMORY */

/* page_nodes.c: "fields", "nodes" and "series". */
int pit__page_nodes(struct pit__page *page);

/* page_ranks.c: "ranks", by the node that is the step; past the last node: there is none. */
int pit__page_ranks(struct pit__page *page, size_t step);

/* page_runs.c: "runs": each with its facts, readings, threads, values. */
int pit__page_runs(struct pit__page *page);

/* page_events.c: "events": the newest of the flight recorders. */
int pit__page_events(struct pit__page *page);

#endif
