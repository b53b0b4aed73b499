/* breakdown_view.c: the phases of one piece of work, the longest first. */
#include "view_forms.h"

#include <stdlib.h>

#define RULE 40

enum { NAME, SECONDS, SHARE, COUNT, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "Phase",
              .key = "name",
              .kind = PIT__TEXT,
              .fixed = {.width = 20, .before = "  "}},
    [SECONDS] = {.title = "Time",
                 .key = "seconds",
                 .kind = PIT__NUMBER,
                 .fixed = {.width = 9, .decimals = 2, .small = 1, .before = ": ", .suffix = "s"}},
    [SHARE] = {.title = "Share",
               .key = "share",
               .kind = PIT__PERCENT,
               .fixed = {.width = 6, .decimals = 1, .before = " (", .suffix = "%", .after = ")"}},
    [COUNT] = {.title = "Count", .key = "count", .kind = PIT__COUNT, .machine = 1},
};

static struct pit__table *make_table(const pit_data *data, double total)
{
    const pit_row **ranked = pit__rows_ranked(data, 0);
    struct pit__table *table = ranked ? pit__table_new(columns, COLUMNS) : NULL;
    for (size_t i = 0; table && i < data->row_count; i++) {
        struct pit__cell cells[COLUMNS];
        cells[NAME] = pit__cell_name(ranked[i]->name);
        cells[SECONDS] = pit__cell_real(ranked[i]->seconds);
        cells[SHARE] = pit__cell_share(ranked[i]->seconds, total);
        cells[COUNT] = pit__cell_whole(pit__row_count(ranked[i]));
        pit__table_row(table, cells);
    }
    free(ranked);
    return table;
}

static void add_extras(struct pit__json *json, const void *arg)
{
    pit__json_double(json, "total_seconds", *(const double *)arg);
}

static int print_text(const struct pit__view_call *call, struct pit__table *table)
{
    pit__prose_named(call->prose, "", call->title, " - Detailed Breakdown:", 0);
    pit__print_rule(call->out, '-', RULE);
    pit__table_print_fixed(table, call->out, RULE, 1, &call->look);
    pit__print_rule(call->out, '-', RULE);
    return pit__table_done(table);
}

static int print(const struct pit__view_call *call)
{
    double total = pit__rows_total(call->data);
    if (call->data->row_count == 0)
        return pit__print_nothing(call, "no phases were recorded");
    struct pit__table *table = make_table(call->data, total);
    if (!table)
        return PIT_NO_MEMORY;
    if (call->options->form == PIT_TEXT)
        return print_text(call, table);
    struct pit__text heading = {0};
    pit__text_printf(&heading, "%s - Detailed Breakdown", call->title);
    int code = pit__view_form(call, table, pit__text_string(&heading), add_extras, &total);
    pit__text_free(&heading);
    return code;
}

const struct pit__view pit__breakdown_view = {
    .told = {.name = "breakdown",
             .help = "what are the parts of one piece of work?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option)},
    .gather = pit__gather_rows,
    .print = print,
};
