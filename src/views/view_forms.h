/* view_forms.h: what the views over rows share: their forms for machines, and figures of rows. */
#ifndef PIT_VIEW_FORMS_H
#define PIT_VIEW_FORMS_H

#include "report/json_writer.h"
#include "report/text.h"
#include "view.h"

/* What a view adds to its rows in JSON. */
typedef void pit__extras(struct pit__json *json, const void *arg);

/* The view in any form but text: CSV is the table alone; JSON is {view, title, rows, extras…};
 * Markdown is `heading` over the table. extras may be NULL. Frees the table. */
int pit__view_form(const struct pit__view_call *call, struct pit__table *table, const char *heading,
                   pit__extras *extras, const void *arg);

/* A line of words with a name of others in it: "before name after", the name made visible and cut
 * where the line would be longer than `columns` (0: no limit). */
int pit__print_named(const struct pit__view_call *call, const char *before, const char *name,
                     const char *after, int columns);

/* Free the table, and make its code one of ours. */
int pit__table_done(struct pit__table *table, int code);

/* Passages, and one passage's times; NaN where not known. */
uint64_t pit__row_count(const pit_row *row);
double pit__row_mean(const pit_row *row);
double pit__row_min(const pit_row *row);
double pit__row_max(const pit_row *row);

/* Seconds of the rows that do not lie inside others. */
double pit__rows_total(const pit_data *data);

/* The rows by time, the longest first (or with `shortest` the shortest mean), those of equal time in
 * their order, those without a time last. The caller frees it; NULL without memory. */
const pit_row **pit__rows_ranked(const pit_data *data, int shortest);

/* A row's name as a cell: an empty one is shown as "". */
struct pit__cell pit__cell_name(const char *name);

/* The same; one that lies inside another row is indented, but not for machines. `room` holds the text
 * until the row is added to its table. */
struct pit__cell pit__cell_row_name(const pit_row *row, struct pit__text *room);

/* A share of a total as a cell; not available where there is no total, or where a part that overlaps
 * the others is longer than it. */
struct pit__cell pit__cell_share(double part, double total);

/* rows_gather.c: rows by name alone: the same name at several places is one row. Finished spans. */
int pit__gather_named_rows(struct pit__gathered *gathered);

/* As pit__gather_all_rows, of finished spans alone. */
int pit__gather_finished_rows(struct pit__gathered *gathered);

/* The node of options->node, by its path or else its name; PIT_NO_NODE if none is asked for. With
 * PIT_NOTHING there is no such node, and why is filled. */
int pit__gather_node(struct pit__gathered *gathered, uint32_t *node);

/* One node as a row; with `open` spans that are open count with the time so far. */
void pit__fill_row(pit_row *row, const pit_node *node, const char *name, int open);

#endif
