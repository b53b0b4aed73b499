/* profiling_view.c: averages of the operations of a training loop, one line per operation.
 *
 * How much of a call was tracing and compiling is known only after the call: the span NAME
 * contains both, and the profiler reports NAME_trace in the blocks that it writes into the
 * journal. The view uses the last block to separate the two as the program printed them.
 */
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
              .fixed = {.width = 1, .decimals = 4, .small = 1, .before = " avg=", .suffix = "s"}},
    [TOTAL] =
        {.title = "Total",
         .key = "total_time",
         .kind = PIT__NUMBER,
         .fixed = {.width = 1, .decimals = 2, .small = 1, .before = ", total=", .suffix = "s"}},
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

/* The number of steps: the calls of the step operation, else of the most frequent operation. */
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
        return pit__print_nothing(call, "no operation was recorded");
    struct pit__table *table = make_table(call->data);
    if (!table)
        return PIT_NO_MEMORY;
    snprintf(heading, sizeof heading, "Profiling Metrics (Step %" PRIu64 ")", step);
    if (call->options->form != PIT_TEXT)
        return pit__view_form(call, table, heading, add_extras, &step);
    fprintf(call->out, "--- %s ---\n", heading);
    pit__table_print_fixed(table, call->out, 0, 0, &call->look);
    return pit__table_done(table);
}

/* ---- tracing apart from running ---------------------------------------------------------------- */

#define TRACE "_trace"

static pit_row *find_row(pit_row *rows, size_t count, const char *name, size_t length)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].name && strlen(rows[i].name) == length &&
            memcmp(rows[i].name, name, length) == 0)
            return &rows[i];
    return NULL;
}

/* The length of NAME if an entry is about NAME_trace; else 0. */
static size_t traced_length(const pit_entry *entry)
{
    size_t length = entry->text ? strlen(entry->text) : 0, suffix = strlen(TRACE);
    if (strcmp(entry->kind, "profiling") != 0 || length <= suffix ||
        strcmp(entry->text + length - suffix, TRACE) != 0)
        return 0;
    return length - suffix;
}

static double figure_of(const pit_entry *entry, const char *key)
{
    for (size_t i = 0; i < entry->figure_count; i++)
        if (entry->figures[i].key && strcmp(entry->figures[i].key, key) == 0)
            return entry->figures[i].value;
    return 0;
}

/* Move the time that an entry reports for NAME_trace from NAME to the row NAME_trace after it,
 * as far as spans NAME_trace do not already have it. Returns the new number of rows. */
static size_t part_row(pit_row *rows, size_t count, const pit_entry *entry)
{
    pit_row told = {.name = entry->text,
                    .seconds = figure_of(entry, "total"),
                    .count = (uint64_t)figure_of(entry, "count")};
    pit_row *whole = find_row(rows, count, entry->text, traced_length(entry));
    pit_row *trace = find_row(rows, count, entry->text, strlen(entry->text));
    if (!whole || (trace && trace->count >= told.count))
        return count;
    double more = told.seconds - (trace ? trace->seconds : 0);
    if (!(more > 0) || more > whole->seconds)
        return count;
    whole->seconds -= more;
    if (!trace) {
        trace = whole + 1;
        memmove(trace + 1, trace, (size_t)(rows + count - trace) * sizeof *rows);
        count++;
    }
    *trace = told;
    return count;
}

/* Only for one run: with several runs, no block covers all of them. */
static int gather(struct pit__gathered *gathered)
{
    int code = pit__gather_named_rows(gathered);
    const pit_run *run = gathered->runs[0];
    if (code || gathered->run_count != 1)
        return code;
    size_t at = run->journal_count, count = gathered->data.row_count;
    while (at > 0 && strcmp(run->journal[at - 1].kind, "profiling-step") != 0)
        at--;
    if (at == 0)
        return 0;
    pit_row *rows = pit__gather_alloc(gathered, count + run->journal_count - at + 1, sizeof *rows);
    if (!rows)
        return PIT_NO_MEMORY;
    memcpy(rows, gathered->data.rows, count * sizeof *rows);
    for (; at < run->journal_count; at++)
        count = traced_length(&run->journal[at]) ? part_row(rows, count, &run->journal[at]) : count;
    gathered->data.rows = rows;
    gathered->data.row_count = count;
    return 0;
}

static const pit_option step_option = {.name = "step",
                                       .kind = PIT_OPTION_COUNT,
                                       .default_text = "how many there were",
                                       .help = "the step number in the heading",
                                       PIT__STORED(step)};

const struct pit__view pit__profiling_view = {
    .told = {.name = "profiling",
             .help = "how long does each operation of a training step take on average?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option, &pit__depth_option,
                                     &pit__min_share_option, &step_option)},
    .gather = gather,
    .print = print,
};
