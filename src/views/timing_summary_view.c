/* timing_summary_view.c: the time of each part, in the order they were first seen, and the
 * total. */
#include "view_forms.h"

#include <stdlib.h>

#define RULE 60

enum { NAME, SECONDS, SHARE, COUNT, NESTED, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "Name",
              .key = "name",
              .kind = PIT__TEXT,
              .fixed = {.width = 25, .suffix = ":"}},
    [SECONDS] = {.title = "Time",
                 .key = "seconds",
                 .kind = PIT__NUMBER,
                 .fixed = {.width = 9, .decimals = 2, .small = 1, .suffix = "s"}},
    [SHARE] = {.title = "Share",
               .key = "share",
               .kind = PIT__PERCENT,
               .fixed = {.width = 6, .decimals = 1, .before = " (", .suffix = "%", .after = ")"}},
    [COUNT] = {.title = "Count", .key = "count", .kind = PIT__COUNT, .machine = 1},
    [NESTED] = {.title = "Nested", .key = "nested", .kind = PIT__COUNT, .machine = 1},
};

struct sums {
    double total;
    uint64_t datasets;
};

static void add_sum(struct pit__table *table, const char *name, double seconds)
{
    struct pit__cell cells[COLUMNS] = {0};
    cells[NAME] = pit__cell_text(name);
    cells[SECONDS] = pit__cell_real(seconds);
    pit__table_foot(table, cells);
}

static struct pit__table *make_table(const pit_data *data, const struct sums *sums)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    struct pit__text name = {0};
    for (size_t i = 0; table && i < data->row_count; i++) {
        const pit_row *row = &data->rows[i];
        struct pit__cell cells[COLUMNS];
        cells[NAME] = pit__cell_row_name(row, &name);
        cells[SECONDS] = pit__cell_real(row->seconds);
        cells[SHARE] = pit__cell_share(row->seconds, sums->total);
        cells[COUNT] = pit__cell_whole(pit__row_count(row));
        cells[NESTED] = pit__cell_whole(row->nested != 0);
        pit__table_row(table, cells);
    }
    pit__text_free(&name);
    if (table)
        add_sum(table, "Total time", sums->total);
    if (table && sums->datasets > 1)
        add_sum(table, "Average per dataset", sums->total / (double)sums->datasets);
    return table;
}

static void add_extras(struct pit__json *json, const void *arg)
{
    const struct sums *sums = arg;
    pit__json_double(json, "total_seconds", sums->total);
    if (sums->datasets > 1) {
        pit__json_uint(json, "datasets", sums->datasets);
        pit__json_double(json, "average_seconds", sums->total / (double)sums->datasets);
    }
}

static int print_text(const struct pit__view_call *call, struct pit__table *table)
{
    FILE *out = call->out;
    pit__print_rule(out, '=', RULE);
    pit__prose_named(call->prose, "TIMING SUMMARY - ", call->title, "", RULE);
    pit__print_rule(out, '=', RULE);
    pit__table_print_fixed(table, out, RULE, 0, &call->look);
    pit__print_rule(out, '-', RULE);
    pit__table_foot_fixed(table, out, RULE, 0, &call->look);
    pit__print_rule(out, '=', RULE);
    return pit__table_done(table);
}

static int print(const struct pit__view_call *call)
{
    struct sums sums = {pit__rows_total(call->data), call->options->datasets};
    if (call->data->row_count == 0)
        return pit__print_nothing(call, "no times were recorded");
    struct pit__table *table = make_table(call->data, &sums);
    if (!table)
        return PIT_NO_MEMORY;
    if (call->options->form == PIT_TEXT)
        return print_text(call, table);
    struct pit__text heading = {0};
    pit__text_printf(&heading, "TIMING SUMMARY - %s", call->title);
    int code = pit__view_form(call, table, pit__text_string(&heading), add_extras, &sums);
    pit__text_free(&heading);
    return code;
}

static const pit_option datasets_option = {.name = "datasets",
                                           .kind = PIT_OPTION_COUNT,
                                           .default_text = "none",
                                           .help = "also print the average over N",
                                           PIT__STORED(datasets)};

const struct pit__view pit__timing_summary_view = {
    .told = {.name = "timing-summary",
             .help = "how long did each part take, and what share is that?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option, &datasets_option)},
    .gather = pit__gather_rows,
    .print = print,
};
