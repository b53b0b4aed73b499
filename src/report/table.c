/* table.c: a table printed as text: the rows are measured (natural_widths), the columns share the
 * width (lay_out), the lines are written (write_row). A figure is formatted twice, and not kept.
 */
#include "table.h"

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
        table->row = calloc(count + 1, sizeof *table->row);
        table->failed = !table->row;
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
    free(table->starts);
    free(table->row);
    pit__text_free(&table->packed);
    pit__text_free(&table->text);
    free(table);
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

/* The shown text of a cell: a name, or the figure, written into `figure`; NULL: none. */
static const char *shown_text(const struct pit__column *column, const struct pit__table_cell *cell,
                              int ascii, char *figure)
{
    if (cell->content == PIT__EMPTY)
        return NULL;
    if (cell->content == PIT__STRING)
        return cell->string;
    if (cell->content == PIT__NOT_AVAILABLE)
        return "n/a";
    pit__table_figure(figure, column->kind, cell, ascii);
    return figure;
}

static size_t width_of(const char *text)
{
    return text ? pit__text_width(text) : 0;
}

/* The wanted width of each column; 0 hides an optional column without content. Both arrays are zeroed. */
static void natural_widths(const struct pit__table *table, size_t *widths, size_t *filled,
                           int ascii)
{
    for (size_t r = 0; r < table->row_count; r++) {
        const struct pit__table_cell *cells = pit__table_row_at(table, r);
        for (size_t c = 0; c < table->column_count; c++) {
            char figure[PIT__UNIT_BYTES];
            const struct pit__column *column = &table->columns[c];
            if (column->machine)
                continue;
            size_t wide = width_of(cells[c].before) + width_of(cells[c].after) +
                          width_of(shown_text(column, &cells[c], ascii, figure));
            filled[c] |= cells[c].content != PIT__EMPTY;
            widths[c] = wide > widths[c] ? wide : widths[c];
        }
    }
    for (size_t c = 0; c < table->column_count; c++) {
        const struct pit__column *column = &table->columns[c];
        size_t title = pit__text_width(column->title);
        widths[c] = title > widths[c] ? title : widths[c];
        if (column->max_width > 0 && widths[c] > (size_t)column->max_width)
            widths[c] = (size_t)column->max_width;
        if (column->machine || (column->optional && !filled[c]))
            widths[c] = 0;
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
static size_t compose(struct pit__text *line, const struct pit__column *column,
                      const struct pit__table_cell *cell, size_t width,
                      const struct pit__look *look)
{
    char figure[PIT__UNIT_BYTES];
    const char *string = shown_text(column, cell, look->ascii, figure);
    size_t string_width = width_of(string), after_width = width_of(cell->after);
    int keep_mark =
        width_of(cell->before) + string_width + after_width <= width || after_width + 8 <= width;
    size_t after = keep_mark ? after_width : 0;
    size_t room = width - after, used = 0;
    if (cell->before) {
        size_t wanted = string_width < 12 ? string_width : 12;
        size_t most = room > 2 * wanted ? room - wanted : room / 2;
        pit__text_puts(line, pit__style_on(PIT__DIM, look->colour));
        used = pit__text_add_tail(line, cell->before, most, look->ascii);
        pit__text_puts(line, pit__style_off(PIT__DIM, look->colour));
    }
    if (string) {
        pit__text_puts(line, pit__style_on(cell->style, look->colour));
        used += pit__text_add_cut(line, string, room - used, look->ascii);
        pit__text_puts(line, pit__style_off(cell->style, look->colour));
    }
    if (cell->after && after > 0) {
        pit__text_puts(line, pit__style_on(PIT__DIM, look->colour));
        pit__text_puts(line, cell->after);
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
            used = compose(line, &table->columns[c], &cells[c], widths[c], look);
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
    size_t *natural = calloc(3 * n, sizeof *natural);
    if (!natural)
        return pit__table_fail(table);
    size_t *widths = natural + n;
    int code = PIT__TABLE_NO_MEMORY;
    struct pit__text line = {0};
    if (!table->failed && !table->text.failed) {
        natural_widths(table, natural, natural + 2 * n, look->ascii);
        memcpy(widths, natural, n * sizeof *widths);
        if (look->width > 0)
            pit__table_lay_out(table->columns, n, widths, look->width - look->indent);
        write_row(table, NULL, widths, out, look, &line);
        for (size_t r = 0; r < table->row_count; r++)
            write_row(table, pit__table_row_at(table, r), widths, out, look, &line);
        write_left_out(table, natural, widths, out, look, &line);
        code = line.failed ? PIT__TABLE_NO_MEMORY : 0;
    }
    pit__text_free(&line);
    free(natural);
    return code ? pit__table_fail(table) : 0;
}

void pit__cell_figure(char *out, enum pit__kind kind, const struct pit__cell *cell, int ascii)
{
    struct pit__table_cell kept = {
        .content = cell->content, .whole = cell->whole, .real = cell->real};
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
