/* aggregate_view.c: operations that were repeated: how often, and how long one call took. */
#include "view_forms.h"

#include <stdlib.h>

#define RULE 90
#define HEADING "AGGREGATE STATISTICS (for repeated operations)"

enum { NAME, COUNT, TOTAL, MEAN, MIN, MAX, COLUMNS };

#define SECONDS(title_, key_)                                                                      \
    {                                                                                              \
        .title = title_, .key = key_, .kind = PIT__NUMBER, .fixed = {                              \
            .width = 12,                                                                           \
            .decimals = 3,                                                                         \
            .small = 1,                                                                            \
            .before = " ",                                                                         \
            .title_width = 12,                                                                     \
            .same = 1                                                                              \
        }                                                                                          \
    }

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "Operation",
              .key = "operation",
              .kind = PIT__TEXT,
              .fixed = {.width = 30, .title_width = 30}},
    [COUNT] = {.title = "Count",
               .key = "count",
               .kind = PIT__COUNT,
               .fixed = {.width = 8, .before = " ", .title_width = 8, .same = 1}},
    [TOTAL] = SECONDS("Total (s)", "total_seconds"),
    [MEAN] = SECONDS("Mean (s)", "mean_seconds"),
    [MIN] = SECONDS("Min (s)", "min_seconds"),
    [MAX] = SECONDS("Max (s)", "max_seconds"),
};

static struct pit__table *make_table(const pit_data *data, size_t *repeated)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    for (size_t i = 0; table && i < data->row_count; i++) {
        const pit_row *row = &data->rows[i];
        if (row->count < 2)
            continue;
        struct pit__cell cells[COLUMNS];
        cells[NAME] = pit__cell_name(row->name);
        cells[COUNT] = pit__cell_whole(row->count);
        cells[TOTAL] = pit__cell_real(row->seconds);
        cells[MEAN] = pit__cell_real(pit__row_mean(row));
        cells[MIN] = pit__cell_real(pit__row_min(row));
        cells[MAX] = pit__cell_real(pit__row_max(row));
        pit__table_row(table, cells);
        ++*repeated;
    }
    return table;
}

static int print_text(const struct pit__view_call *call, struct pit__table *table)
{
    FILE *out = call->out;
    pit__print_rule(out, '=', RULE);
    fputs(HEADING "\n", out);
    pit__print_rule(out, '=', RULE);
    pit__table_head_fixed(table, out, RULE, 0, &call->look);
    pit__print_rule(out, '-', RULE);
    pit__table_print_fixed(table, out, RULE, 0, &call->look);
    pit__print_rule(out, '=', RULE);
    return pit__table_done(table);
}

static int print(const struct pit__view_call *call)
{
    size_t repeated = 0;
    struct pit__table *table = make_table(call->data, &repeated);
    if (!table)
        return PIT_NO_MEMORY;
    if (repeated == 0) {
        pit__table_free(table);
        return pit__print_nothing(call, "no operation was repeated");
    }
    if (call->options->form == PIT_TEXT)
        return print_text(call, table);
    return pit__view_form(call, table, HEADING, NULL, NULL);
}

const struct pit__view pit__aggregate_view = {
    .told = {.name = "aggregate",
             .help = "how much did repeated operations vary?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option, &pit__depth_option,
                                     &pit__min_share_option)},
    .gather = pit__gather_finished_rows,
    .print = print,
};
