/* page_columns.c: see page_export.h. Most columns are empty or equal to another one, so only
 * distinct columns are written to keep the file small. */
#include "page_export.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

/* A column as a JSON array: the end of columns->text. */
struct column {
    const char *text;
    size_t bytes;
    int is_uniform;    /* all its cells are equal */
    size_t cell_bytes; /* of the first cell */
};

/* Returns where it begins in columns->text. */
static size_t fill(struct pit__page_columns *columns, size_t rows, pit__page_cell *cell,
                   const void *arg)
{
    struct pit__json json;
    size_t begin = columns->text.length;
    pit__json_init_text(&json, &columns->text);
    pit__json_array(&json, NULL);
    for (size_t i = 0; i < rows; i++)
        cell(&json, arg, i);
    pit__json_array_end(&json);
    columns->failed |= columns->text.failed;
    return begin;
}

/* [1,1,1]: compared with the bytes of the first cell, which has no comma unless it is a text. */
static void look(struct column *column, size_t rows)
{
    const char *cell = column->text + 1, *end = column->text + column->bytes - 1;
    size_t bytes = (column->bytes - 1) / (rows ? rows : 1);
    column->cell_bytes = bytes > 0 ? bytes - 1 : 0;
    column->is_uniform = rows > 1 && *cell != '"' && column->cell_bytes > 0 &&
                         (column->bytes - 1) == rows * (column->cell_bytes + 1);
    for (const char *at = cell; column->is_uniform && at < end; at += column->cell_bytes + 1)
        column->is_uniform = memcmp(at, cell, column->cell_bytes) == 0 &&
                             (at[column->cell_bytes] == ',' || at + column->cell_bytes == end);
}

static const char *same_as(const struct pit__page_columns *columns, const struct column *column)
{
    for (size_t i = 0; i < columns->count; i++)
        if (columns->kept[i].bytes == column->bytes &&
            memcmp(columns->text.data + columns->kept[i].begin, column->text, column->bytes) == 0)
            return columns->kept[i].key;
    return NULL;
}

static void keep(struct pit__page_columns *columns, const char *key, size_t begin, size_t bytes)
{
    struct pit__page_kept *kept =
        pit__grow(columns->kept, &columns->room, columns->count + 1, sizeof *kept, 64);
    if (!kept) {
        columns->failed = 1;
        return;
    }
    columns->kept = kept;
    kept[columns->count++] = (struct pit__page_kept){key, begin, bytes};
}

static void forget(struct pit__page_columns *columns, size_t begin)
{
    columns->text.length = begin;
    columns->text.data[begin] = '\0';
}

void pit__page_column(struct pit__page_columns *columns, const char *key, size_t rows,
                      pit__page_cell *cell, const void *arg)
{
    size_t begin = fill(columns, rows, cell, arg);
    if (columns->failed)
        return;
    struct column column = {.text = columns->text.data + begin,
                            .bytes = columns->text.length - begin};
    look(&column, rows);
    const char *same = column.is_uniform || rows < 2 ? NULL : same_as(columns, &column);
    if (!column.is_uniform && !same) {
        pit__json_raw(columns->json, key, column.text, column.bytes);
        keep(columns, key, begin, column.bytes);
        return;
    }
    pit__json_object(columns->json, key);
    if (same)
        pit__json_string(columns->json, "same", same);
    else
        pit__json_raw(columns->json, "all", column.text + 1, column.cell_bytes);
    pit__json_object_end(columns->json);
    forget(columns, begin);
}

int pit__page_columns_end(struct pit__page_columns *columns)
{
    pit__text_free(&columns->text);
    free(columns->kept);
    return columns->failed ? PIT_NO_MEMORY : 0;
}
