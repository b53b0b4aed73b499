/* table_fixed.c: tables with fixed character positions.
 *
 * Each column declares its width. Longer names widen their column for all rows, up to the width
 * of the rule above the table, so columns stay aligned.
 */
#include "table_rows.h"
#include "units.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct place { /* the space of a column in the line */
    int shown;
    size_t width;
    size_t widest; /* figure of the column */
};

static int is_shown(const struct pit__column *column)
{
    return column->fixed.width > 0;
}

static int is_loose(const struct pit__column *column)
{
    return column->fixed.width == 1;
}

static size_t width_of(const char *string)
{
    return string ? pit__text_width(string) : 0;
}

void pit__fixed_figure(char *out, const struct pit__column *column,
                       const struct pit__table_cell *cell)
{
    const struct pit__fixed *fixed = &column->fixed;
    if (cell->content == PIT__WHOLE && fixed->decimals == 0 && column->kind != PIT__PERCENT) {
        snprintf(out, PIT__FIXED_BYTES, fixed->plus ? "+%" PRIu64 : "%" PRIu64, cell->whole);
        return;
    }
    double value = cell->content == PIT__WHOLE ? (double)cell->whole : cell->real;
    if (column->kind == PIT__PERCENT)
        value *= 100;
    int decimals = fixed->small ? pit__small_decimals(value, fixed->decimals) : fixed->decimals;
    if (fabs(value) < 0.5 * pow(10, -decimals))
        value = 0; /* never -0.0 */
    if (fabs(value) >= 1e15)
        snprintf(out, PIT__FIXED_BYTES, fixed->plus ? "%+.3e" : "%.3e", value);
    else
        snprintf(out, PIT__FIXED_BYTES, fixed->plus ? "%+.*f" : "%.*f", decimals, value);
    pit__fix_decimal_sign(out);
}

/* A figure or n/a, with its suffix. */
static void figure_text(struct pit__text *text, const struct pit__column *column,
                        const struct pit__table_cell *cell)
{
    char figure[PIT__FIXED_BYTES];
    text->length = 0;
    if (cell->content == PIT__NOT_AVAILABLE) {
        pit__text_puts(text, "n/a");
        return;
    }
    pit__fixed_figure(figure, column, cell);
    pit__text_puts(text, figure);
    if (column->fixed.suffix)
        pit__text_puts(text, column->fixed.suffix);
}

/* The wanted width of a cell. */
static size_t natural_width(const struct pit__column *column, const struct pit__table_cell *cell,
                            struct pit__text *text)
{
    if (cell->content == PIT__EMPTY)
        return 0;
    if (cell->content == PIT__STRING)
        return width_of(cell->string) + width_of(column->fixed.suffix);
    figure_text(text, column, cell);
    return pit__text_width(pit__text_string(text));
}

/* Trailing blanks if this is the last column, also below its title. */
static size_t trailing_blanks(const struct pit__column *column, const struct place *place)
{
    const struct pit__fixed *fixed = &column->fixed;
    size_t title = fixed->title_width > 0 ? pit__text_width(column->title) : 0;
    size_t used = place->widest > title ? place->widest : title;
    if (fixed->after || !(fixed->same || fixed->left || column->kind == PIT__TEXT))
        return 0;
    return place->width > used ? place->width - used : 0;
}

/* The widest cell of each column, and whether it has any. */
static void measure(const struct pit__table *table, struct place *places, struct pit__text *text)
{
    for (size_t r = 0; r < table->row_count; r++) {
        const struct pit__table_cell *cells = pit__table_row_at(table, r);
        for (size_t c = 0; c < table->column_count; c++) {
            if (!is_shown(&table->columns[c]))
                continue;
            size_t wide = natural_width(&table->columns[c], &cells[c], text);
            places[c].shown |= cells[c].content != PIT__EMPTY;
            places[c].widest = wide > places[c].widest ? wide : places[c].widest;
        }
    }
}

/* Assign wanted widths, then shrink names to fit the rule. */
static void lay_out(const struct pit__table *table, struct place *places, int rule, int cut,
                    struct pit__text *text)
{
    size_t whole = 0, last = 0; /* last: trailing blanks of the last column */
    measure(table, places, text);
    for (size_t c = 0; c < table->column_count; c++) {
        const struct pit__column *column = &table->columns[c];
        if (!is_shown(column))
            continue;
        places[c].shown |= !column->optional;
        if (!places[c].shown)
            continue;
        places[c].width = (size_t)column->fixed.width;
        if (places[c].widest > places[c].width)
            places[c].width = places[c].widest;
        whole += width_of(column->fixed.before) + places[c].width + width_of(column->fixed.after);
        last = trailing_blanks(column, &places[c]);
    }
    whole -= last;
    for (size_t c = table->column_count; c-- > 0;) {
        const struct pit__column *column = &table->columns[c];
        if (!places[c].shown || column->kind != PIT__TEXT || is_loose(column))
            continue;
        size_t spare = places[c].width - (size_t)column->fixed.width;
        size_t over = rule > 0 && whole > (size_t)rule ? whole - (size_t)rule : 0;
        if (cut || over > spare)
            over = spare;
        places[c].width -= over;
        whole -= over;
    }
}

static void add_blanks(struct pit__text *line, size_t count)
{
    while (count > 0) {
        static const char blanks[] = "                                ";
        size_t some = count < sizeof blanks - 1 ? count : sizeof blanks - 1;
        pit__text_add(line, blanks, some);
        count -= some;
    }
}

static void add_name(struct pit__text *line, const struct pit__column *column,
                     const struct pit__table_cell *cell, size_t width, int ascii)
{
    size_t suffix = width_of(column->fixed.suffix);
    size_t room = is_loose(column) ? width_of(cell->string) : width > suffix ? width - suffix : 0;
    size_t used = pit__text_add_cut(line, cell->string, room, ascii);
    if (column->fixed.suffix)
        pit__text_puts(line, column->fixed.suffix);
    if (!is_loose(column) && width > used + suffix)
        add_blanks(line, width - used - suffix);
}

static void add_figure(struct pit__text *line, const struct pit__column *column,
                       const struct pit__table_cell *cell, const struct place *place,
                       struct pit__text *text)
{
    figure_text(text, column, cell);
    size_t used = pit__text_width(pit__text_string(text)), width = place->width;
    if (is_loose(column))
        width = used;
    size_t left = width - used, right = 0;
    if (column->fixed.same) {
        left = place->widest - used;
        right = width - place->widest;
    } else if (column->fixed.left || column->kind == PIT__TEXT) {
        right = left;
        left = 0;
    }
    add_blanks(line, left);
    pit__text_puts(line, pit__text_string(text));
    add_blanks(line, right);
}

static void write_line(struct pit__text *line, FILE *out)
{
    while (line->length > 0 && line->data[line->length - 1] == ' ')
        line->length--;
    fwrite(pit__text_string(line), 1, line->length, out);
    putc('\n', out);
}

static void write_row(const struct pit__table *table, const struct pit__table_cell *cells,
                      const struct place *places, FILE *out, int ascii, struct pit__text *line,
                      struct pit__text *text)
{
    line->length = 0;
    for (size_t c = 0; c < table->column_count; c++) {
        const struct pit__column *column = &table->columns[c];
        const struct pit__fixed *fixed = &column->fixed;
        if (!places[c].shown)
            continue;
        if (cells[c].content == PIT__EMPTY) {
            add_blanks(line, width_of(fixed->before) + (is_loose(column) ? 0 : places[c].width) +
                                 width_of(fixed->after));
            continue;
        }
        if (fixed->before)
            pit__text_puts(line, fixed->before);
        if (cells[c].content == PIT__STRING)
            add_name(line, column, &cells[c], places[c].width, ascii);
        else
            add_figure(line, column, &cells[c], &places[c], text);
        if (cells[c].after)
            pit__text_puts(line, cells[c].after);
        if (fixed->after)
            pit__text_puts(line, fixed->after);
    }
    write_line(line, out);
}

/* Titles are one blank apart; a title is widened like its column. */
static void write_head(const struct pit__table *table, const struct place *places, FILE *out,
                       struct pit__text *line)
{
    int first = 1;
    for (size_t c = 0; c < table->column_count; c++) {
        const struct pit__column *column = &table->columns[c];
        if (!places[c].shown || column->fixed.title_width == 0)
            continue;
        if (!first)
            pit__text_puts(line, " ");
        first = 0;
        size_t wanted =
            (size_t)column->fixed.title_width + places[c].width - (size_t)column->fixed.width;
        size_t title = pit__text_width(column->title);
        pit__text_puts(line, column->title);
        add_blanks(line, wanted > title ? wanted - title : 0);
    }
    write_line(line, out);
}

enum part { HEAD, BODY, FOOT };

static int print_part(struct pit__table *table, FILE *out, int rule, int cut,
                      const struct pit__look *look, enum part part)
{
    struct place *places = calloc(table->column_count, sizeof *places);
    struct pit__text line = {0}, text = {0};
    int code = PIT__TABLE_NO_MEMORY;
    if (places && !table->failed && !table->text.failed) {
        size_t body = table->row_count - table->foot_count;
        lay_out(table, places, rule, cut, &text);
        if (part == HEAD)
            write_head(table, places, out, &line);
        for (size_t r = part == FOOT ? body : 0;
             part != HEAD && r < (part == FOOT ? table->row_count : body); r++)
            write_row(table, pit__table_row_at(table, r), places, out, look->ascii, &line, &text);
        code = line.failed || text.failed ? PIT__TABLE_NO_MEMORY : 0;
    }
    pit__text_free(&line);
    pit__text_free(&text);
    free(places);
    return code ? pit__table_fail(table) : 0;
}

int pit__table_print_fixed(struct pit__table *table, FILE *out, int rule, int cut,
                           const struct pit__look *look)
{
    return print_part(table, out, rule, cut, look, BODY);
}

int pit__table_head_fixed(struct pit__table *table, FILE *out, int rule, int cut,
                          const struct pit__look *look)
{
    return print_part(table, out, rule, cut, look, HEAD);
}

int pit__table_foot_fixed(struct pit__table *table, FILE *out, int rule, int cut,
                          const struct pit__look *look)
{
    return print_part(table, out, rule, cut, look, FOOT);
}

void pit__table_print_list(const struct pit__table *table, size_t row, FILE *out, int label_width)
{
    const struct pit__table_cell *cells =
        row < table->row_count ? pit__table_row_at(table, row) : NULL;
    for (size_t c = 0; cells && c < table->column_count; c++) {
        const struct pit__column *column = &table->columns[c];
        const struct pit__fixed *fixed = &column->fixed;
        if (!is_shown(column) || column->kind == PIT__TEXT || cells[c].content == PIT__EMPTY)
            continue;
        char figure[PIT__FIXED_BYTES] = "n/a";
        int known = cells[c].content != PIT__NOT_AVAILABLE;
        if (known)
            pit__fixed_figure(figure, column, &cells[c]);
        int label = (int)pit__text_width(column->title) + 1; /* a title is ASCII, a byte a column */
        fprintf(out, "%s%s:%*s%*s%s%s\n", fixed->before ? fixed->before : "", column->title,
                label < label_width ? label_width - label : 0, "",
                fixed->width - (int)width_of(fixed->suffix), figure,
                known && fixed->suffix ? fixed->suffix : "", fixed->after ? fixed->after : "");
    }
}

void pit__print_rule(FILE *out, char mark, int count)
{
    for (int i = 0; i < count; i++)
        putc(mark, out);
    putc('\n', out);
}
