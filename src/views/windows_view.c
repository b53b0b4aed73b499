/* windows_view.c: the lines of windows, each a mean over the last calls. CSV and JSON have one
 * row per item, including items that are not printed. */
#include "journal_view.h"

#include "journal_lines.h"

enum { TIME, TAG, LAST, WORD, ITEM, VALUE, UNIT, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [TIME] = {.title = "Time", .key = "time", .kind = PIT__TEXT},
    [TAG] = {.title = "Tag", .key = "tag", .kind = PIT__TEXT},
    [LAST] = {.title = "Last", .key = "last", .kind = PIT__NUMBER},
    [WORD] = {.title = "Of", .key = "of", .kind = PIT__TEXT},
    [ITEM] = {.title = "Item", .key = "item", .kind = PIT__TEXT},
    [VALUE] = {.title = "Mean", .key = "mean", .kind = PIT__NUMBER},
    [UNIT] = {.title = "Unit", .key = "unit", .kind = PIT__TEXT},
};

static const char *const kinds[] = {"window", NULL};

static void add(struct pit__table *table, const struct pit__journal_part *part,
                const pit_entry *entry)
{
    char stamp[PIT__STAMP_BYTES];
    (void)part;
    for (size_t i = 1; i < entry->figure_count; i++) {
        const pit_figure *last = &entry->figures[0], *item = &entry->figures[i];
        struct pit__cell cells[COLUMNS];
        cells[TIME] = pit__cell_text(pit__stamp(stamp, entry->wall_ns));
        cells[TAG] = pit__cell_text(entry->text);
        cells[LAST] = pit__cell_real(last->value);
        cells[WORD] = pit__cell_text(last->key);
        cells[ITEM] = pit__cell_text(item->key);
        cells[VALUE] = pit__cell_real(item->value);
        cells[UNIT] = item->unit && *item->unit ? pit__cell_text(item->unit) : pit__cell_empty();
        pit__table_row(table, cells);
    }
}

static const struct pit__journal_part windows = {
    .nothing = "no windows were logged: pit_window_new and pit_window_add log them",
    .heading = "Windows",
    .kinds = kinds,
    .columns = columns,
    .column_count = COLUMNS,
    .add = add,
};

static int print(const struct pit__view_call *call)
{
    return pit__journal_print(call, &windows);
}

const struct pit__view pit__windows_view = {
    .told = {.name = "windows",
             .help = "how did the averages change during the run?",
             .options = PIT__OPTIONS(&pit__title_option)},
    .gather = pit__gather_journal,
    .print = print,
};
