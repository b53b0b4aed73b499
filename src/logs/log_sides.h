/* log_sides.h: several logs side by side: one column per log, then the last compared with the
 * first. */
#ifndef PIT_LOG_SIDES_H
#define PIT_LOG_SIDES_H

#include "log_figures.h"

struct pit__column;
struct pit__json;
struct pit__table;

struct pit__log_sides {
    const struct pit__log_figures *figures; /* of each log */
    const char *const *names;
    size_t count;
};

/* A table with the columns it needs. */
struct pit__log_table {
    struct pit__table *table;
    struct pit__column *columns;
    size_t rows;
};

/* Stages by name, items of windows by tag, label and unit: the rows of all logs, in order of
 * first appearance. Returns 0 or PIT_NO_MEMORY; free it in both cases. */
int pit__log_stage_sides(const struct pit__log_sides *sides, struct pit__log_table *to);
int pit__log_item_sides(const struct pit__log_sides *sides, struct pit__log_table *to);
void pit__log_table_free(struct pit__log_table *made);

/* "comparison": of the stages; "window_comparison": of the items. null if a log does not have
 * one. 0 or PIT_NO_MEMORY. */
int pit__log_sides_json(const struct pit__log_sides *sides, struct pit__json *json);

/* Whole nanoseconds. */
double pit__log_ns(double seconds);

#endif
