/* table_rows.h: the inside of a table: table_rows.c keeps the rows, and one file per form writes
 * them. */
#ifndef PIT_TABLE_ROWS_H
#define PIT_TABLE_ROWS_H

#include "table.h"
#include "text.h"

/* A cell as it is read back. */
struct pit__table_cell {
    enum pit__content content;
    enum pit__style style;
    uint64_t whole;
    double real;
    const char *raw;            /* a name byte for byte */
    const char *string;         /* the name made visible */
    const char *before, *after; /* or NULL */
};

struct pit__table {
    const struct pit__column *columns;
    struct pit__column *own_columns; /* to be freed, or NULL */
    size_t column_count;
    struct pit__text packed; /* the rows */
    size_t *starts;          /* of each row in `packed` */
    size_t row_count, row_room;
    size_t foot_count;           /* number of sums, which are the last rows */
    struct pit__text text;       /* of the cells */
    struct pit__table_cell *row; /* the one that was read back last */
    int failed;
};

/* table_rows.c: one cell for each column; valid until the next call. */
const struct pit__table_cell *pit__table_row_at(const struct pit__table *table, size_t row);

/* table.c: record that memory ran out. Returns PIT__TABLE_NO_MEMORY. */
int pit__table_fail(struct pit__table *table);

/* table.c: a figure formatted by the kind of its column; out has PIT__UNIT_BYTES. */
void pit__table_figure(char *out, enum pit__kind kind, const struct pit__table_cell *cell,
                       int ascii);
int pit__table_is_right(const struct pit__column *column);

/* table_fixed.c: a figure in its fixed decimals, without the suffix. */
#define PIT__FIXED_BYTES 64
void pit__fixed_figure(char *out, const struct pit__column *column,
                       const struct pit__table_cell *cell);

#endif
