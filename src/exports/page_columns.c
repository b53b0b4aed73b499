/* page_columns.c: see page_export.h. Most columns are empty or equal to another one, so only
 * distinct columns are written to keep the file small. */
#include "page_export.h"

#include "base/grow.h"

#include <stdlib.h>
#include <string.h>

/* A column as a JSON array, and whether all its cells are equal. */
struct column {
    char *text;
    size_t bytes;
    int is_uniform;
    size_t cell_bytes; /* of the first cell */
};

static int fill(struct column *column, size_t rows, pit__page_cell *cell, const void *arg)
{
    struct pit__json json;
    FILE *out = open_memstream(&column->text, &column->bytes);
    if (!out)
        return PIT_NO_MEMORY;
    pit__json_init_brief(&json, out);
    pit__json_array(&json, NULL);
    for (size_t i = 0; i < rows; i++)
        cell(&json, arg, i);
    pit__json_array_end(&json);
    return fclose(out) == 0 ? 0 : PIT_NO_MEMORY;
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
        if (strcmp(columns->texts[i], column->text) == 0)
            return columns->keys[i];
    return NULL;
}

static int keep(struct pit__page_columns *columns, const char *key, struct column *column)
{
    size_t room = columns->room;
    char **texts = pit__grow(columns->texts, &room, columns->count + 1, sizeof *texts, 64);
    if (!texts)
        return PIT_NO_MEMORY;
    columns->texts = texts;
    const char **keys =
        pit__grow(columns->keys, &columns->room, columns->count + 1, sizeof *keys, 64);
    if (!keys)
        return PIT_NO_MEMORY;
    columns->keys = keys;
    columns->texts[columns->count] = column->text;
    columns->keys[columns->count++] = key;
    column->text = NULL;
    return 0;
}

static void write_one(struct pit__page_columns *columns, const char *key, const char *inner,
                      const char *text, size_t bytes)
{
    if (inner)
        pit__json_object(columns->json, key);
    pit__json_raw(columns->json, inner ? inner : key, text, bytes);
    if (inner)
        pit__json_object_end(columns->json);
}

void pit__page_column(struct pit__page_columns *columns, const char *key, size_t rows,
                      pit__page_cell *cell, const void *arg)
{
    struct column column = {0};
    columns->failed |= fill(&column, rows, cell, arg) != 0;
    if (columns->failed) {
        free(column.text);
        return;
    }
    look(&column, rows);
    const char *same = column.is_uniform || rows < 2 ? NULL : same_as(columns, &column);
    if (column.is_uniform) {
        write_one(columns, key, "all", column.text + 1, column.cell_bytes);
    } else if (same) {
        pit__json_object(columns->json, key);
        pit__json_string(columns->json, "same", same);
        pit__json_object_end(columns->json);
    } else {
        write_one(columns, key, NULL, column.text, column.bytes);
        columns->failed |= keep(columns, key, &column) != 0;
    }
    free(column.text);
}

int pit__page_columns_end(struct pit__page_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++)
        free(columns->texts[i]);
    free(columns->texts);
    free(columns->keys);
    return columns->failed ? PIT_NO_MEMORY : 0;
}
