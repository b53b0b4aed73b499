/* view_forms.h: shared by the views of rows: their CSV, JSON and Markdown forms, and figures of
 * rows. */
#ifndef PIT_VIEW_FORMS_H
#define PIT_VIEW_FORMS_H

#include "report/json_writer.h"
#include "report/text.h"
#include "view.h"

/* Writes the members that a view adds to its rows in JSON. */
typedef void pit__extras(struct pit__json *json, const void *arg);

/* The view in any form but text: CSV is the table alone; JSON is {view, title, rows, extras…};
 * Markdown is `heading` over the table. extras may be NULL. Frees the table. */
int pit__view_form(const struct pit__view_call *call, struct pit__table *table, const char *heading,
                   pit__extras *extras, const void *arg);

/* Free the table. Returns 0, or PIT_NO_MEMORY if memory ever ran out or the table is NULL. */
int pit__table_done(struct pit__table *table);

/* A row's name as a cell: an empty one is shown as "". */
struct pit__cell pit__cell_name(const char *name);

/* The same; a nested row is indented, but not in CSV and JSON. `room` holds the text until the
 * row is added to its table. */
struct pit__cell pit__cell_row_name(const pit_row *row, struct pit__text *room);

/* A share of a total as a cell; not available without a total, or if an overlapping part is
 * longer than the total. */
struct pit__cell pit__cell_share(double part, double total);

#endif
