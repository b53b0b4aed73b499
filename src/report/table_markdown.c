/* table_markdown.c: a table for documents and chats, in the Markdown that GitHub and GitLab read.
 *
 * Figures read as in the text form. In names, markup is escaped with a backslash; invisible
 * characters are made visible first, so each row stays on one line.
 */
#include "table_rows.h"
#include "units.h"

#include <stdlib.h>
#include <string.h>

static void write_escaped(FILE *out, const char *visible)
{
    for (; *visible; visible++) {
        if (strchr("\\`|*_[]<>&~$#", *visible))
            putc('\\', out);
        putc(*visible, out);
    }
}

void pit__print_markdown_text(FILE *out, const char *string)
{
    struct pit__text visible = {0};
    pit__text_add_visible(&visible, string);
    write_escaped(out, pit__text_string(&visible));
    pit__text_free(&visible);
}

/* Does the table have a fixed layout? It then decides which columns are shown. */
static int is_fixed(const struct pit__table *table)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (table->columns[c].fixed.width > 0)
            return 1;
    return 0;
}

static void choose(const struct pit__table *table, unsigned char *shown)
{
    int fixed = is_fixed(table);
    for (size_t c = 0; c < table->column_count; c++)
        shown[c] = !table->columns[c].optional;
    for (size_t r = 0; r < table->row_count; r++) {
        const struct pit__table_cell *cells = pit__table_row_at(table, r);
        for (size_t c = 0; c < table->column_count; c++)
            shown[c] |= cells[c].content != PIT__EMPTY;
    }
    for (size_t c = 0; c < table->column_count; c++)
        if (table->columns[c].machine || (fixed && table->columns[c].fixed.width <= 0))
            shown[c] = 0;
}

static void write_figure(FILE *out, const struct pit__column *column,
                         const struct pit__table_cell *cell, int fixed, int ascii)
{
    char figure[PIT__FIXED_BYTES > PIT__UNIT_BYTES ? PIT__FIXED_BYTES : PIT__UNIT_BYTES];
    if (fixed) {
        pit__fixed_figure(figure, column, cell);
        fputs(figure, out);
        fputs(column->fixed.suffix ? column->fixed.suffix : "", out);
        return;
    }
    pit__table_figure(figure, column->kind, cell, ascii);
    write_escaped(out, figure); /* <0.1 % */
}

/* The lines of a tree: Markdown would fold plain blanks into one. */
static void write_lines(FILE *out, const char *lines)
{
    for (; *lines; lines++)
        if (*lines == ' ')
            fputs("&nbsp;", out);
        else
            write_escaped(out, (const char[]){*lines, '\0'});
}

static void write_cell(FILE *out, const struct pit__column *column,
                       const struct pit__table_cell *cell, int ascii)
{
    if (cell->before)
        write_lines(out, cell->before);
    switch (cell->content) {
    case PIT__EMPTY:
        return;
    case PIT__NOT_AVAILABLE:
        fputs("n/a", out);
        return;
    case PIT__STRING:
        write_escaped(out, cell->string);
        break;
    case PIT__WHOLE:
    case PIT__REAL:
        write_figure(out, column, cell, column->fixed.width > 0, ascii);
        break;
    }
    if (cell->after)
        write_escaped(out, cell->after);
}

static void write_head(FILE *out, const struct pit__table *table, const unsigned char *shown)
{
    for (size_t c = 0; c < table->column_count; c++)
        if (shown[c]) {
            fputs("| ", out);
            write_escaped(out, table->columns[c].title);
            putc(' ', out);
        }
    fputs("|\n", out);
    for (size_t c = 0; c < table->column_count; c++)
        if (shown[c])
            fputs(pit__table_is_right(&table->columns[c]) ? "|---:" : "|---", out);
    fputs("|\n", out);
}

int pit__table_markdown(struct pit__table *table, FILE *out, const struct pit__look *look)
{
    size_t n = table->column_count;
    unsigned char *shown = calloc(n + 1, 1);
    if (!shown || table->failed || table->text.failed) {
        free(shown);
        return pit__table_fail(table);
    }
    choose(table, shown);
    write_head(out, table, shown);
    for (size_t r = 0; r < table->row_count; r++) {
        const struct pit__table_cell *cells = pit__table_row_at(table, r);
        for (size_t c = 0; c < n; c++)
            if (shown[c]) {
                fputs("| ", out);
                write_cell(out, &table->columns[c], &cells[c], look->ascii);
                putc(' ', out);
            }
        fputs("|\n", out);
    }
    free(shown);
    return 0;
}
