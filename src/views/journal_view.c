/* journal_view.c: entries of the journal as lines or as a table. */
#include "journal_view.h"

#include "journal_lines.h"
#include "view_forms.h"

#include <stdlib.h>
#include <string.h>

static int is_part(const struct pit__journal_part *part, const pit_entry *entry)
{
    for (size_t i = 0; entry->kind && part->kinds[i]; i++)
        if (strcmp(part->kinds[i], entry->kind) == 0)
            return 1;
    return 0;
}

static int print_text(FILE *out, const pit_entry *entries, size_t count)
{
    struct pit__text text = {0};
    pit__journal_lines(&text, entries, count);
    int code = text.failed ? PIT_NO_MEMORY : 0;
    if (!code && text.length > 0)
        fwrite(text.data, 1, text.length, out);
    pit__text_free(&text);
    return code;
}

/* kind and time come from the entry, the other text column is its text, and all other columns
 * are its figures. */
static void add_row(struct pit__table *table, const struct pit__journal_part *part,
                    const pit_entry *entry)
{
    struct pit__cell cells[PIT__JOURNAL_COLUMNS];
    char stamp[PIT__STAMP_BYTES];
    for (size_t i = 0; i < part->column_count; i++) {
        const struct pit__column *column = &part->columns[i];
        const pit_figure *figure = pit__entry_figure(entry, column->key);
        if (strcmp(column->key, "kind") == 0)
            cells[i] = pit__cell_text(entry->kind);
        else if (strcmp(column->key, "time") == 0)
            cells[i] = pit__cell_text(pit__stamp(stamp, entry->wall_ns));
        else if (column->kind == PIT__TEXT)
            cells[i] = pit__cell_text(entry->text ? entry->text : "");
        else
            cells[i] = figure ? pit__cell_real(figure->value) : pit__cell_empty();
    }
    pit__table_row(table, cells);
}

static int print_table(const struct pit__view_call *call, const struct pit__journal_part *part,
                       const pit_entry *entries, size_t count)
{
    struct pit__table *table = pit__table_new(part->columns, part->column_count);
    if (!table)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        (part->add ? part->add : add_row)(table, part, &entries[i]);
    return pit__view_form(call, table, part->heading, NULL, NULL);
}

int pit__journal_print(const struct pit__view_call *call, const struct pit__journal_part *part)
{
    const pit_data *data = call->data;
    pit_entry *entries = calloc(data->entry_count + 1, sizeof *entries);
    size_t count = 0;
    if (!entries)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < data->entry_count; i++)
        if (is_part(part, &data->entries[i]))
            entries[count++] = data->entries[i];
    int code = count == 0                        ? pit__print_nothing(call, part->nothing)
               : call->options->form == PIT_TEXT ? print_text(call->out, entries, count)
                                                 : print_table(call, part, entries, count);
    free(entries);
    return code;
}
