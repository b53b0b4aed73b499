/* table_rows.h: the inside of a table: table.c keeps the rows, and one file per form writes
 * them. */
#ifndef PIT_TABLE_ROWS_H
#define PIT_TABLE_ROWS_H

#include "table.h"
#include "text.h"

#define PIT__NO_TEXT SIZE_MAX

/* A cell as it is kept; texts are offsets into the table's own text, or PIT__NO_TEXT. */
struct pit__table_cell {
    unsigned char content, style;
    uint64_t whole;
    double real;
    size_t raw;    /* a name byte for byte */
    size_t string; /* shown text: the name made visible, or the formatted figure */
    size_t before, after;
    uint32_t string_width, before_width, after_width;
};

struct pit__table {
    const struct pit__column *columns;
    struct pit__column *own_columns; /* to be freed, or NULL */
    size_t column_count;
    struct pit__table_cell *cells;
    size_t row_count, row_room;
    size_t foot_count; /* number of sums, which are the last rows */
    struct pit__text text;
    int failed;
};

/* The text at an offset that is stored in a cell. */
static inline const char *pit__table_text(const struct pit__table *table, size_t at)
{
    return pit__text_string(&table->text) + at;
}

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
