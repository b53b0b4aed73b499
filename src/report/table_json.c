/* table_json.c: a table as a JSON array of objects with raw figures and names. */
#include "json_writer.h"
#include "table_rows.h"

static void write_cell(struct pit__json *json, const struct pit__column *column,
                       const struct pit__table_cell *cell)
{
    const char *key = column->key;
    switch (cell->content) {
    case PIT__EMPTY:
    case PIT__NOT_AVAILABLE:
        pit__json_null(json, key);
        return;
    case PIT__STRING:
        pit__json_string(json, key, cell->raw);
        return;
    case PIT__WHOLE:
        if (column->kind == PIT__FLAG)
            pit__json_bool(json, key, cell->whole != 0);
        else
            pit__json_uint(json, key, cell->whole);
        return;
    case PIT__REAL:
        if (column->kind == PIT__DURATION)
            pit__json_milli(json, key, cell->real);
        else
            pit__json_double(json, key, cell->real);
        return;
    }
}

int pit__table_json(struct pit__table *table, struct pit__json *json, const char *key)
{
    if (table->failed || table->text.failed)
        return PIT__TABLE_NO_MEMORY;
    size_t n = table->column_count, rows = table->row_count - table->foot_count;
    pit__json_array(json, key);
    for (size_t r = 0; r < rows; r++) {
        const struct pit__table_cell *cells = pit__table_row_at(table, r);
        pit__json_flat_object(json, NULL);
        for (size_t c = 0; c < n; c++)
            write_cell(json, &table->columns[c], &cells[c]);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
    return 0;
}
