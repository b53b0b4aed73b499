/* profiling_view.c: averages of the operations of a training loop, one line each. */
#include "view_forms.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME, MEAN, TOTAL, COUNT, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "Operation",
              .key = "operation",
              .kind = PIT__TEXT,
              .fixed = {.width = 1, .suffix = ":"}},
    [MEAN] = {.title = "Average",
              .key = "avg_time",
              .kind = PIT__NUMBER,
              .fixed = {.width = 1, .decimals = 4, .before = " avg=", .suffix = "s"}},
    [TOTAL] = {.title = "Total",
               .key = "total_time",
               .kind = PIT__NUMBER,
               .fixed = {.width = 1, .decimals = 2, .before = ", total=", .suffix = "s"}},
    [COUNT] = {.title = "Count",
               .key = "count",
               .kind = PIT__COUNT,
               .fixed = {.width = 1, .before = ", count="}},
};

static struct pit__table *make_table(const pit_data *data)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    for (size_t i = 0; table && i < data->row_count; i++) {
        const pit_row *row = &data->rows[i];
        struct pit__cell cells[COLUMNS];
        cells[NAME] = pit__cell_name(row->name);
        cells[MEAN] = pit__cell_real(pit__row_mean(row));
        cells[TOTAL] = pit__cell_real(row->seconds);
        cells[COUNT] = pit__cell_whole(pit__row_count(row));
        pit__table_row(table, cells);
    }
    return table;
}

/* How many steps there were: the passages of the operation that is a step, else of the most frequent
 * one. */
static uint64_t count_steps(const pit_data *data)
{
    uint64_t steps = 0, most = 0;
    for (size_t i = 0; i < data->row_count; i++) {
        const pit_row *row = &data->rows[i];
        uint64_t count = pit__row_count(row);
        if (row->name &&
            (strcmp(row->name, "make_step_total") == 0 || strcmp(row->name, "training_step") == 0))
            steps = count > steps ? count : steps; /* a loop may have both */
        most = count > most ? count : most;
    }
    return steps > 0 ? steps : most;
}

static void add_extras(struct pit__json *json, const void *arg)
{
    pit__json_uint(json, "step", *(const uint64_t *)arg);
}

static int print(const struct pit__view_call *call)
{
    char heading[80];
    uint64_t step = call->options->step ? call->options->step : count_steps(call->data);
    if (call->data->row_count == 0)
        return pit__print_nothing(call->out, call->options, "no operation was recorded");
    struct pit__table *table = make_table(call->data);
    if (!table)
        return PIT_NO_MEMORY;
    snprintf(heading, sizeof heading, "Profiling Metrics (Step %" PRIu64 ")", step);
    if (call->options->form != PIT_TEXT)
        return pit__view_form(call, table, heading, add_extras, &step);
    fprintf(call->out, "--- %s ---\n", heading);
    return pit__table_done(table, pit__table_print_fixed(table, call->out, 0, 0, &call->look));
}

const struct pit__view pit__profiling_view = {"profiling", pit__gather_named_rows, print};
