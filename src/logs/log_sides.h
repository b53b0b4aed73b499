/* log_sides.h: several logs side by side: each log a column, then the last against the first. */
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

/* Stages by name, windows' items by tag, label and unit: what any log has, in the order it came. 0 or
 * PIT_NO_MEMORY; to be freed either way. */
int pit__log_stage_sides(const struct pit__log_sides *sides, struct pit__log_table *to);
int pit__log_item_sides(const struct pit__log_sides *sides, struct pit__log_table *to);
void pit__log_table_free(struct pit__log_table *made);

/* "comparison": of the stages; "window_comparison": of the items. null where a log lacks one.
 * 0 or PIT_NO_MEMORY. */
int pit__log_sides_json(const struct pit__log_sides *sides, struct pit__json *json);

/* Whole nanoseconds. */
double pit__log_ns(double seconds);

#endif
