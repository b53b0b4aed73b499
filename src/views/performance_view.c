/* performance_view.c: operations with their time and memory, in the order they were first seen. */
#include "view_forms.h"

#include <math.h>
#include <stdlib.h>

#define RULE 90

enum {
    NAME,
    SECONDS,
    CPU,
    GPU,
    GPU_PEAK,
    CPU_PEAK,
    CPU_START,
    CPU_END,
    GPU_START,
    GPU_END,
    COUNT,
    NESTED,
    COLUMNS
};

#define MACHINE(title_, key_)                                                                      \
    {                                                                                              \
        .title = title_, .key = key_, .kind = PIT__NUMBER, .machine = 1                            \
    }

/* In the established layout the titles are not aligned with the figures; this table keeps it. */
static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "Operation",
              .key = "operation",
              .kind = PIT__TEXT,
              .fixed = {.width = 30, .title_width = 30}},
    [SECONDS] =
        {.title = "Time (s)",
         .key = "time",
         .kind = PIT__NUMBER,
         .fixed = {.width = 10, .decimals = 3, .small = 1, .before = " ", .title_width = 12}},
    [CPU] = {.title = "CPU (MB)",
             .key = "cpu_mb",
             .kind = PIT__NUMBER,
             .fixed = {.width = 13, .decimals = 1, .before = "  ", .plus = 1, .title_width = 15}},
    [GPU] = {.title = "GPU (MB)",
             .key = "gpu_mb",
             .kind = PIT__NUMBER,
             .fixed = {.width = 13, .decimals = 1, .before = "  ", .plus = 1, .title_width = 15}},
    [GPU_PEAK] = {.title = "GPU Peak",
                  .key = "gpu_peak_mb",
                  .kind = PIT__NUMBER,
                  .fixed = {.width = 10, .decimals = 1, .before = "  ", .title_width = 8}},
    [CPU_PEAK] = MACHINE("CPU Peak", "cpu_peak_mb"),
    [CPU_START] = MACHINE("CPU start", "cpu_start_mb"),
    [CPU_END] = MACHINE("CPU end", "cpu_end_mb"),
    [GPU_START] = MACHINE("GPU start", "gpu_start_mb"),
    [GPU_END] = MACHINE("GPU end", "gpu_end_mb"),
    [COUNT] = MACHINE("Count", "call_count"),
    [NESTED] = MACHINE("Nested", "nested"),
};

static struct pit__cell known(int has, double mb)
{
    return pit__cell_real(has ? mb : NAN);
}

/* of_run: the name is a path, which already shows its parents. */
static void add_row(struct pit__table *table, const pit_row *row, int of_run)
{
    struct pit__cell cells[COLUMNS];
    struct pit__text name = {0};
    cells[NAME] = of_run ? pit__cell_name(row->name) : pit__cell_row_name(row, &name);
    cells[SECONDS] = pit__cell_real(row->seconds);
    cells[CPU] = known(row->has_memory, row->cpu_delta_mb);
    cells[GPU] = known(row->has_device, row->gpu_delta_mb);
    cells[GPU_PEAK] = known(row->has_device, row->gpu_peak_mb);
    cells[CPU_PEAK] = known(row->has_memory, row->cpu_peak_mb);
    cells[CPU_START] = known(row->has_memory, row->cpu_start_mb);
    cells[CPU_END] = known(row->has_memory, row->cpu_end_mb);
    cells[GPU_START] = known(row->has_device, row->gpu_start_mb);
    cells[GPU_END] = known(row->has_device, row->gpu_end_mb);
    cells[COUNT] = pit__cell_whole(pit__row_count(row));
    cells[NESTED] = pit__cell_whole(row->nested != 0);
    pit__table_row(table, cells);
    pit__text_free(&name);
}

static struct pit__table *make_table(const pit_data *data, double total, int of_run)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    struct pit__cell sum[COLUMNS] = {0};
    for (size_t i = 0; table && i < data->row_count; i++)
        add_row(table, &data->rows[i], of_run);
    sum[NAME] = pit__cell_text("TOTAL");
    sum[SECONDS] = pit__cell_real(total);
    sum[SECONDS].after = "s";
    if (table)
        pit__table_foot(table, sum);
    return table;
}

static void add_extras(struct pit__json *json, const void *arg)
{
    pit__json_double(json, "total_seconds", *(const double *)arg);
}

/* 1 if the device was read at both ends of an operation, but its high-water mark did not change. */
static int misses_peak(const pit_data *data)
{
    for (size_t i = 0; i < data->row_count; i++) {
        const pit_row *row = &data->rows[i];
        if (row->has_device && isnan(row->gpu_peak_mb) && isfinite(row->gpu_end_mb))
            return 1;
    }
    return 0;
}

static int print_text(const struct pit__view_call *call, struct pit__table *table)
{
    FILE *out = call->out;
    pit__print_rule(out, '=', RULE);
    fputs("PERFORMANCE SUMMARY\n", out);
    pit__print_rule(out, '=', RULE);
    pit__table_head_fixed(table, out, RULE, 0, &call->look);
    pit__print_rule(out, '-', RULE);
    pit__table_print_fixed(table, out, RULE, 0, &call->look);
    pit__print_rule(out, '-', RULE);
    pit__table_foot_fixed(table, out, RULE, 0, &call->look);
    pit__print_rule(out, '=', RULE);
    if (misses_peak(call->data))
        fputs("GPU Peak n/a: the device reported no new peak, and its mark is not reset\n", out);
    return pit__table_done(table);
}

static int print(const struct pit__view_call *call)
{
    double total = pit__rows_total(call->data);
    if (call->data->row_count == 0)
        return pit__print_nothing(call, "No performance metrics recorded");
    struct pit__table *table = make_table(call->data, total, call->gathered != NULL);
    if (!table)
        return PIT_NO_MEMORY;
    if (call->options->form == PIT_TEXT)
        return print_text(call, table);
    return pit__view_form(call, table, "PERFORMANCE SUMMARY", add_extras, &total);
}

const struct pit__view pit__performance_view = {
    .told = {.name = "performance",
             .help = "how much time and memory did each operation take?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option, &pit__depth_option,
                                     &pit__min_share_option)},
    .gather = pit__gather_all_rows,
    .print = print,
};
