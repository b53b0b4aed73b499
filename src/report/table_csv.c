/* table_csv.c: a table as CSV (RFC 4180) with raw figures and names. */
#include "table_rows.h"
#include "text.h"
#include "units.h"

#include <inttypes.h>
#include <string.h>

/* Would a spreadsheet run it as a formula, or could it be mistaken for a text that we escaped? */
static int needs_mark(const char *text)
{
    text += strspn(text, "'");
    return *text && strchr("=+-@\t\r", *text) != NULL;
}

/* As UTF-8, which readers insist on: other bytes become U+FFFD. */
static void write_characters(FILE *out, const char *text, int is_quoted)
{
    for (size_t left = strlen(text), bytes; left > 0; text += bytes, left -= bytes) {
        uint32_t code;
        bytes = pit__utf8_next(text, left, &code);
        if (code == UINT32_MAX) {
            fputs("\xef\xbf\xbd", out);
            continue;
        }
        if (code == '"' && is_quoted)
            putc('"', out);
        fwrite(text, 1, bytes, out);
    }
}

static void write_text(FILE *out, const char *text)
{
    int mark = needs_mark(text);
    size_t length = strlen(text);
    int edge = length > 0 && (text[0] == ' ' || text[length - 1] == ' '); /* some readers trim */
    const char *quote = edge || strpbrk(text, ",\"\r\n") ? "\"" : "";
    fprintf(out, "%s%s", quote, mark ? "'" : "");
    write_characters(out, text, *quote != 0);
    fputs(quote, out);
}

static void write_cell(FILE *out, enum pit__kind kind, const struct pit__table_cell *cell)
{
    char figure[PIT__UNIT_BYTES];
    switch (cell->content) {
    case PIT__EMPTY:
    case PIT__NOT_AVAILABLE:
        return;
    case PIT__STRING:
        write_text(out, cell->raw);
        return;
    case PIT__WHOLE:
        fprintf(out, "%" PRIu64, cell->whole);
        return;
    case PIT__REAL:
        fputs(kind == PIT__DURATION ? pit__unit_milli(figure, cell->real)
                                    : pit__unit_exact(figure, cell->real),
              out);
        return;
    }
}

int pit__table_csv(struct pit__table *table, FILE *out)
{
    if (table->failed || table->text.failed)
        return PIT__TABLE_NO_MEMORY;
    size_t n = table->column_count, rows = table->row_count - table->foot_count;
    for (size_t c = 0; c < n; c++)
        fprintf(out, "%s%s", c > 0 ? "," : "", table->columns[c].key);
    putc('\n', out);
    for (size_t r = 0; r < rows; r++) {
        const struct pit__table_cell *cells = pit__table_row_at(table, r);
        for (size_t c = 0; c < n; c++) {
            if (c > 0)
                putc(',', out);
            write_cell(out, table->columns[c].kind, &cells[c]);
        }
        putc('\n', out);
    }
    return 0;
}
