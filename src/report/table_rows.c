/* table_rows.c: rows are stored packed. A table of nodes has some ninety columns, and a hundred thousand
 * rows if the run has so many nodes; most of its cells are empty.
 *
 * A row is one byte per cell, its content, and behind them eight-byte words: the figure of a cell that has
 * one, or the two offsets of a text, as shown and byte by byte. With EXTRA there are three more: its style,
 * and the offsets of the texts before and after it.
 */
#include "table_rows.h"

#include "base/grow.h"

#include <string.h>

#define EXTRA 0x80u
#define NO_TEXT UINT64_MAX

static void put(struct pit__table *table, uint64_t word)
{
    pit__text_add(&table->packed, (const char *)&word, sizeof word);
}

/* Texts are stored back to back, each with its zero byte. */
static uint64_t keep_text(struct pit__table *table, const char *string, int visible)
{
    if (!string)
        return NO_TEXT;
    size_t at = table->text.length;
    if (visible)
        pit__text_add_visible(&table->text, string);
    else
        pit__text_puts(&table->text, string);
    pit__text_add(&table->text, "", 1);
    return table->text.failed ? NO_TEXT : at;
}

/* A name byte for byte. Most names equal their visible form, and are then stored once. */
static uint64_t keep_raw(struct pit__table *table, const char *string, uint64_t visible)
{
    if (visible == NO_TEXT || strcmp(table->text.data + visible, string) == 0)
        return visible;
    return keep_text(table, string, 0);
}

static void put_cell(struct pit__table *table, const struct pit__cell *cell)
{
    if (cell->content == PIT__STRING) {
        uint64_t visible = keep_text(table, cell->string, 1);
        put(table, visible);
        put(table, keep_raw(table, cell->raw ? cell->raw : cell->string, visible));
    } else if (cell->content == PIT__WHOLE) {
        put(table, cell->whole);
    } else if (cell->content == PIT__REAL) {
        uint64_t word;
        memcpy(&word, &cell->real, sizeof word);
        put(table, word);
    }
}

static int has_extra(const struct pit__cell *cell)
{
    return cell->style != PIT__PLAIN || cell->before || cell->after;
}

void pit__table_row(struct pit__table *table, const struct pit__cell *cells)
{
    size_t *starts =
        pit__grow(table->starts, &table->row_room, table->row_count + 1, sizeof *starts, 16);
    if (!starts) {
        table->failed = 1;
        return;
    }
    table->starts = starts;
    starts[table->row_count] = table->packed.length;
    for (size_t i = 0; i < table->column_count; i++) {
        unsigned content = (unsigned)cells[i].content | (has_extra(&cells[i]) ? EXTRA : 0);
        pit__text_add(&table->packed, (const char[]){(char)content}, 1);
    }
    for (size_t i = 0; i < table->column_count; i++) {
        put_cell(table, &cells[i]);
        if (has_extra(&cells[i])) {
            put(table, (uint64_t)cells[i].style);
            put(table, keep_text(table, cells[i].before, 0));
            put(table, keep_text(table, cells[i].after, 0));
        }
    }
    table->failed |= table->packed.failed || table->text.failed;
    table->row_count += !table->failed;
}

void pit__table_foot(struct pit__table *table, const struct pit__cell *cells)
{
    pit__table_row(table, cells);
    table->foot_count += !table->failed;
}

static uint64_t take(const char **at)
{
    uint64_t word;
    memcpy(&word, *at, sizeof word);
    *at += sizeof word;
    return word;
}

static const char *take_text(const struct pit__table *table, const char **at)
{
    uint64_t offset = take(at);
    return offset == NO_TEXT ? NULL : table->text.data + offset;
}

const struct pit__table_cell *pit__table_row_at(const struct pit__table *table, size_t row)
{
    const char *contents = table->packed.data + table->starts[row];
    const char *at = contents + table->column_count;
    for (size_t i = 0; i < table->column_count; i++) {
        unsigned content = (unsigned char)contents[i];
        struct pit__table_cell *cell = &table->row[i];
        *cell = (struct pit__table_cell){.content = (enum pit__content)(content & ~EXTRA)};
        if (cell->content == PIT__STRING) {
            cell->string = take_text(table, &at);
            cell->raw = take_text(table, &at);
        } else if (cell->content == PIT__WHOLE) {
            cell->whole = take(&at);
        } else if (cell->content == PIT__REAL) {
            uint64_t word = take(&at);
            memcpy(&cell->real, &word, sizeof word);
        }
        if (content & EXTRA) {
            cell->style = (enum pit__style)take(&at);
            cell->before = take_text(table, &at);
            cell->after = take_text(table, &at);
        }
    }
    return table->row;
}
