/* table_rows.h: a table as its writers see it: table.c keeps the rows, one file a form writes them. */
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
    size_t string; /* what is shown: the name made visible, or the figure's text */
    size_t before, after;
    uint32_t string_width, before_width, after_width;
};

struct pit__table {
    const struct pit__column *columns;
    struct pit__column *own_columns; /* to be freed, or NULL */
    size_t column_count;
    struct pit__table_cell *cells;
    size_t row_count, row_room;
    size_t foot_count; /* the last rows, which are sums and not data */
    struct pit__text text;
    int failed;
};

/* Text of the table at an offset that a cell holds. */
static inline const char *pit__table_text(const struct pit__table *table, size_t at)
{
    return pit__text_string(&table->text) + at;
}

/* table.c: memory was short, which stays so. Returns PIT__TABLE_NO_MEMORY. */
int pit__table_fail(struct pit__table *table);

/* table.c: a figure as people read it, by its column's kind; out has PIT__UNIT_BYTES. */
void pit__table_figure(char *out, enum pit__kind kind, const struct pit__table_cell *cell,
                       int ascii);
int pit__table_is_right(const struct pit__column *column);

/* table_fixed.c: a figure in its fixed decimals, without the suffix. */
#define PIT__FIXED_BYTES 64
void pit__fixed_figure(char *out, const struct pit__column *column,
                       const struct pit__table_cell *cell);

#endif
