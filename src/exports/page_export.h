/* page_export.h: the JSON document that the scripts of the page read, in columns.
 *
 * docs/page.md describes its fields. Figures have at least six digits; missing figures are null.
 */
#ifndef PIT_PAGE_EXPORT_H
#define PIT_PAGE_EXPORT_H

#include "pitwall_bench.h"

#include "model/node_percentiles.h"
#include "report/json_writer.h"
#include "report/text.h"
#include "views/report_view.h"

#define PIT__PAGE_VERSION 1

/* A cache of the advice, which takes longer than everything else. */
struct pit__page_advice {
    pit_advice *advice; /* NULL: none yet; the owner frees it with pit_advice_free */
    double wall_ns;     /* of the runs when it was made */
    double in_spans_ns; /* the same: of all threads */
};

/* Write one run, or several merged. kept: NULL, or a cache: advice in it is reused, missing advice
 * is computed and stored there. Returns 0 or PIT_NO_MEMORY; write errors are left to ferror. */
int pit__page_document(FILE *out, const pit_run *const *runs, size_t run_count,
                       struct pit__page_advice *kept);

/* Compare two runs or groups of runs by the rules of `pitwall compare`. a_name and b_name are
 * the names of the sides. Returns 0, PIT_NO_MEMORY, or an error of pit_compare_runs. */
int pit__page_comparison(FILE *out, const pit_run *const *a, size_t a_count,
                         const pit_run *const *b, size_t b_count, const char *a_name,
                         const char *b_name);

/* ---- its parts ------------------------------------------------------------------------------- */

struct pit__page {
    struct pit__json json;
    struct pit__report report;       /* runs, tree, memory, advice */
    struct pit__page_advice advised; /* its times; not the advice itself */
    size_t step; /* the repeated node of a step; SIZE_MAX: nothing is repeated */
};

/* page_columns.c: arrays of figures, one per column. A column whose cells are all equal is
 * written as {"all": cell}, a column equal to an earlier one as {"same": "key"}. */
struct pit__page_columns {
    struct pit__json *json;
    struct pit__text text; /* of the distinct columns so far, and of the one being written */
    struct pit__page_kept {
        const char *key;
        size_t begin, bytes; /* in text */
    } * kept;
    size_t count, room;
    int failed;
};
typedef void pit__page_cell(struct pit__json *json, const void *arg, size_t row);
void pit__page_column(struct pit__page_columns *columns, const char *key, size_t rows,
                      pit__page_cell *cell, const void *arg);
int pit__page_columns_end(struct pit__page_columns *columns); /* 0 or PIT_NO_MEMORY */

/* page_nodes.c: "fields", "nodes" and "series". */
int pit__page_nodes(struct pit__page *page);

/* page_ranks.c: "ranks", by the node of the step; an index past the last node means none. */
int pit__page_ranks(struct pit__page *page, size_t step);

/* page_runs.c: "runs": each with its facts, readings, threads, values. */
int pit__page_runs(struct pit__page *page);

/* page_events.c: "events": the newest spans of the flight recorders. */
int pit__page_events(struct pit__page *page);

#endif
