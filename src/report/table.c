/* table.c: keeps rows of cells and prints them as text.
 *
 * Printing has three steps: each cell becomes its text once (set_cells), the columns share the
 * width (lay_out), the lines are written (write_row).
 */
#include "table.h"

#include "base/grow.h"
#include "style.h"
#include "table_layout.h"
#include "table_rows.h"
#include "units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct pit__table *pit__table_new(const struct pit__column *columns, size_t count)
{
    struct pit__table *table = calloc(1, sizeof *table);
    if (table) {
        table->columns = columns;
        table->column_count = count;
    }
    return table;
}

struct pit__table *pit__table_new_owning(struct pit__column *columns, size_t count)
{
    struct pit__table *table = pit__table_new(columns, count);
    if (table)
        table->own_columns = columns;
    return table;
}

void pit__table_free(struct pit__table *table)
{
    if (!table)
        return;
    free(table->own_columns);
    free(table->cells);
    pit__text_free(&table->text);
    free(table);
}

/* Texts are stored back to back, each with its zero byte. */
static size_t keep_text(struct pit__table *table, const char *string, int visible, uint32_t *width)
{
    *width = 0;
    if (!string)
        return PIT__NO_TEXT;
    size_t at = table->text.length;
    if (visible)
        pit__text_add_visible(&table->text, string);
    else
        pit__text_puts(&table->text, string);
    pit__text_add(&table->text, "", 1); /* before it is measured: an empty text has no memory yet */
    if (table->text.failed)
        return PIT__NO_TEXT;
    *width = (uint32_t)pit__text_width(table->text.data + at);
    return at;
}

/* A name byte for byte. Most names equal their visible form, and are then stored once. */
static size_t keep_raw(struct pit__table *table, const char *string, size_t visible)
{
    if (!string || visible == PIT__NO_TEXT)
        return PIT__NO_TEXT;
    if (strcmp(table->text.data + visible, string) == 0)
        return visible;
    size_t at = table->text.length;
    pit__text_add(&table->text, string, strlen(string) + 1);
    return table->text.failed ? PIT__NO_TEXT : at;
}

void pit__table_row(struct pit__table *table, const struct pit__cell *cells)
{
    struct pit__table_cell *more = pit__grow(table->cells, &table->row_room, table->row_count + 1,
                                             table->column_count * sizeof *more, 16);
    if (!more) {
        table->failed = 1;
        return;
    }
    table->cells = more;
    struct pit__table_cell *row = table->cells + table->row_count++ * table->column_count;
    for (size_t i = 0; i < table->column_count; i++) {
        const struct pit__cell *cell = &cells[i];
        struct pit__table_cell *to = &row[i];
        memset(to, 0, sizeof *to);
        to->content = (unsigned char)cell->content;
        to->style = (unsigned char)cell->style;
        to->whole = cell->whole;
        to->real = cell->real;
        const char *string = cell->content == PIT__STRING ? cell->string : NULL;
        to->string = keep_text(table, string, 1, &to->string_width);
        to->raw = keep_raw(table, string && cell->raw ? cell->raw : string, to->string);
        to->before = keep_text(table, cell->before, 0, &to->before_width);
        to->after = keep_text(table, cell->after, 0, &to->after_width);
    }
}

void pit__table_foot(struct pit__table *table, const struct pit__cell *cells)
{
    pit__table_row(table, cells);
    table->foot_count++;
}

void pit__table_figure(char *out, enum pit__kind kind, const struct pit__table_cell *cell,
                       int ascii)
{
    double real = cell->content == PIT__WHOLE ? (double)cell->whole : cell->real;
    switch (kind) {
    case PIT__DURATION:
        pit__unit_duration(out, real, ascii);
        return;
    case PIT__PERCENT:
        pit__unit_percent(out, real);
        return;
    case PIT__BYTES:
        pit__unit_bytes(out, real);
        return;
    case PIT__BYTES_SIGNED:
        pit__unit_bytes_signed(out, real);
        return;
    case PIT__RATE:
        pit__unit_rate(out, real);
        return;
    case PIT__BYTE_RATE:
        pit__unit_bytes(out, real);
        return;
    case PIT__ENERGY:
        pit__unit_energy(out, real);
        return;
    case PIT__POWER:
        pit__unit_power(out, real);
        return;
    case PIT__RATIO:
        pit__unit_ratio(out, real);
        return;
    case PIT__COUNT:
        if (cell->content == PIT__WHOLE) {
            pit__unit_count(out, cell->whole);
            return;
        }
        break;
    case PIT__FLAG:
        snprintf(out, PIT__UNIT_BYTES, "%s", cell->whole ? "yes" : "no");
        return;
    case PIT__TEXT:
    case PIT__NUMBER:
        break;
    }
    pit__unit_number(out, real);
}

/* Format every figure; names got their text when they were added. */
static void set_cells(struct pit__table *table, int ascii)
{
    for (size_t i = 0; i < table->row_count * table->column_count; i++) {
        struct pit__table_cell *cell = &table->cells[i];
        char text[PIT__UNIT_BYTES] = "n/a";
        if (cell->content == PIT__EMPTY || cell->content == PIT__STRING)
            continue;
        if (cell->content != PIT__NOT_AVAILABLE)
            pit__table_figure(text, table->columns[i % table->column_count].kind, cell, ascii);
        cell->string = keep_text(table, text, 0, &cell->string_width);
    }
}

/* The wanted width of each column; 0 hides an optional column without content. */
static void natural_widths(const struct pit__table *table, size_t *widths)
{
    for (size_t c = 0; c < table->column_count; c++) {
        size_t width = 0;
        int filled = 0;
        for (size_t r = 0; r < table->row_count; r++) {
            const struct pit__table_cell *cell = &table->cells[r * table->column_count + c];
            size_t wide = (size_t)cell->before_width + cell->string_width + cell->after_width;
            filled |= cell->content != PIT__EMPTY;
            width = wide > width ? wide : width;
        }
        const struct pit__column *column = &table->columns[c];
        size_t title = pit__text_width(column->title);
        width = title > width ? title : width;
        if (column->max_width > 0 && width > (size_t)column->max_width)
            width = (size_t)column->max_width;
        widths[c] = column->machine || (column->optional && !filled) ? 0 : width;
    }
}

int pit__table_is_right(const struct pit__column *column)
{
    if (column->align == PIT__ALIGN_AUTO)
        return column->kind != PIT__TEXT;
    return column->align == PIT__ALIGN_RIGHT;
}

static void spaces(FILE *out, size_t count)
{
    fprintf(out, "%*s", (int)count, "");
}

/* Write one cell: tree lines, name, mark. If it does not fit, the name is cut first, then the
 * outer end of the tree lines. Returns the columns taken. */
static size_t compose(struct pit__text *line, const struct pit__table *table,
                      const struct pit__table_cell *cell, size_t width,
                      const struct pit__look *look)
{
    const char *text = pit__text_string(&table->text);
    size_t whole = (size_t)cell->before_width + cell->string_width + cell->after_width;
    int keep_mark = whole <= width || (size_t)cell->after_width + 8 <= width;
    size_t after = keep_mark ? cell->after_width : 0;
    size_t room = width - after, used = 0;
    if (cell->before != PIT__NO_TEXT) {
        size_t wanted = cell->string_width < 12 ? cell->string_width : 12;
        size_t most = room > 2 * wanted ? room - wanted : room / 2;
        pit__text_puts(line, pit__style_on(PIT__DIM, look->colour));
        used = pit__text_add_tail(line, text + cell->before, most, look->ascii);
        pit__text_puts(line, pit__style_off(PIT__DIM, look->colour));
    }
    enum pit__style style = (enum pit__style)cell->style;
    if (cell->string != PIT__NO_TEXT) {
        pit__text_puts(line, pit__style_on(style, look->colour));
        used += pit__text_add_cut(line, text + cell->string, room - used, look->ascii);
        pit__text_puts(line, pit__style_off(style, look->colour));
    }
    if (cell->after != PIT__NO_TEXT && after > 0) {
        pit__text_puts(line, pit__style_on(PIT__DIM, look->colour));
        pit__text_puts(line, text + cell->after);
        pit__text_puts(line, pit__style_off(PIT__DIM, look->colour));
        used += after;
    }
    return used;
}

/* cells NULL: the titles. Spaces are written only if something follows, so no line ends in a
 * blank. */
static void write_row(const struct pit__table *table, const struct pit__table_cell *cells,
                      const size_t *widths, FILE *out, const struct pit__look *look,
                      struct pit__text *line)
{
    size_t owed = (size_t)look->indent;
    int first = 1;
    for (size_t c = 0; c < table->column_count; c++) {
        if (widths[c] == 0)
            continue;
        if (!first)
            owed += PIT__TABLE_GAP;
        first = 0;
        line->length = 0;
        size_t used;
        if (cells) {
            used = compose(line, table, &cells[c], widths[c], look);
        } else {
            pit__text_puts(line, pit__style_on(PIT__STRONG, look->colour));
            used = pit__text_add_cut(line, table->columns[c].title, widths[c], look->ascii);
            pit__text_puts(line, pit__style_off(PIT__STRONG, look->colour));
        }
        size_t pad = widths[c] - used;
        if (pit__table_is_right(&table->columns[c]))
            owed += pad;
        if (used > 0) {
            spaces(out, owed);
            fwrite(pit__text_string(line), 1, line->length, out);
            owed = 0;
        }
        if (!pit__table_is_right(&table->columns[c]))
            owed += pad;
    }
    putc('\n', out);
}

static void write_left_out(const struct pit__table *table, const size_t *natural,
                           const size_t *widths, FILE *out, const struct pit__look *look,
                           struct pit__text *line)
{
    struct pit__text names = {0};
    for (size_t c = 0; c < table->column_count; c++)
        if (natural[c] > 0 && widths[c] == 0)
            pit__text_printf(&names, "%s%s",
                             names.length ? ", " : "not shown: ", table->columns[c].title);
    line->length = 0;
    if (names.length > 0) { /* columns are dropped only if there is a width limit */
        size_t room = look->width > look->indent ? (size_t)(look->width - look->indent) : 1;
        pit__text_add_cut(line, names.data, room, look->ascii);
        spaces(out, (size_t)look->indent);
        fprintf(out, "%s%s%s\n", pit__style_on(PIT__DIM, look->colour), pit__text_string(line),
                pit__style_off(PIT__DIM, look->colour));
    }
    line->failed |= names.failed;
    pit__text_free(&names);
}

int pit__table_fail(struct pit__table *table)
{
    table->failed = 1;
    return PIT__TABLE_NO_MEMORY;
}

int pit__table_failed(const struct pit__table *table)
{
    return !table || table->failed || table->text.failed;
}

int pit__table_print(struct pit__table *table, FILE *out, const struct pit__look *look)
{
    size_t n = table->column_count;
    size_t *natural = calloc(2 * n, sizeof *natural);
    if (!natural)
        return pit__table_fail(table);
    size_t *widths = natural + n;
    size_t text_before = table->text.length;
    set_cells(table, look->ascii);
    int code = PIT__TABLE_NO_MEMORY;
    struct pit__text line = {0};
    if (!table->failed && !table->text.failed) {
        natural_widths(table, natural);
        memcpy(widths, natural, n * sizeof *widths);
        if (look->width > 0)
            pit__table_lay_out(table->columns, n, widths, look->width - look->indent);
        write_row(table, NULL, widths, out, look, &line);
        for (size_t r = 0; r < table->row_count; r++)
            write_row(table, table->cells + r * n, widths, out, look, &line);
        write_left_out(table, natural, widths, out, look, &line);
        code = line.failed ? PIT__TABLE_NO_MEMORY : 0;
        table->text.length = text_before; /* allows printing it again */
    }
    pit__text_free(&line);
    free(natural);
    return code ? pit__table_fail(table) : 0;
}

void pit__cell_figure(char *out, enum pit__kind kind, const struct pit__cell *cell, int ascii)
{
    struct pit__table_cell kept = {
        .content = (unsigned char)cell->content, .whole = cell->whole, .real = cell->real};
    if (cell->content == PIT__EMPTY || cell->content == PIT__STRING)
        out[0] = '\0';
    else if (cell->content == PIT__NOT_AVAILABLE)
        snprintf(out, PIT__UNIT_BYTES, "n/a");
    else
        pit__table_figure(out, kind, &kept, ascii);
}

struct pit__cell pit__cell_text(const char *string)
{
    return (struct pit__cell){.content = string ? PIT__STRING : PIT__NOT_AVAILABLE,
                              .string = string};
}

struct pit__cell pit__cell_whole(uint64_t whole)
{
    return (struct pit__cell){.content = PIT__WHOLE, .whole = whole};
}

struct pit__cell pit__cell_real(double real)
{
    return (struct pit__cell){.content = isfinite(real) ? PIT__REAL : PIT__NOT_AVAILABLE,
                              .real = real};
}

struct pit__cell pit__cell_number(double real)
{
    return (struct pit__cell){.content = PIT__REAL, .real = real};
}

struct pit__cell pit__cell_empty(void)
{
    return (struct pit__cell){.content = PIT__EMPTY};
}
