/* values_view.c: the named values (loss, learning rate), merged over threads and runs. */
#include "report_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct value {
    const char *name;
    uint64_t count;
    double last, min, max;
    double last_at_ns; /* wall time of the newest point, which decides the merged `last` */
    size_t order;
};

static int by_name(const void *a, const void *b)
{
    const struct value *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->order > y->order) - (x->order < y->order);
}

static struct value value_of(const pit_run *run, const pit_raw_value *raw, size_t order)
{
    struct value value = {raw->name, raw->count, raw->last, NAN, NAN, -INFINITY, order};
    for (size_t i = 0; i < raw->point_count; i++) { /* fmin and fmax ignore NaN */
        value.min = fmin(value.min, raw->points[i].min);
        value.max = fmax(value.max, raw->points[i].max);
    }
    if (raw->point_count > 0) {
        double ticks = (double)raw->points[raw->point_count - 1].ticks - (double)run->start_ticks;
        value.last_at_ns = (double)run->start_wall_ns + ticks * run->ns_per_tick;
    }
    return value;
}

static size_t join(struct value *values, size_t count)
{
    size_t kept = 0;
    qsort(values, count, sizeof *values, by_name);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || strcmp(values[kept - 1].name, values[i].name) != 0) {
            values[kept++] = values[i];
            continue;
        }
        struct value *to = &values[kept - 1];
        to->count += values[i].count;
        to->min = fmin(to->min, values[i].min);
        to->max = fmax(to->max, values[i].max);
        if (values[i].last_at_ns > to->last_at_ns) {
            to->last = values[i].last;
            to->last_at_ns = values[i].last_at_ns;
        }
    }
    return kept;
}

static int print_values(const struct pit__report *report, const struct value *values, size_t count)
{
    static const struct pit__column columns[] = {
        {.title = "value", .key = "name", .kind = PIT__TEXT, .min_width = 20, .max_width = 60},
        {.title = "count", .key = "count", .kind = PIT__COUNT},
        {.title = "last", .key = "last", .kind = PIT__NUMBER},
        {.title = "min", .key = "min", .kind = PIT__NUMBER},
        {.title = "max", .key = "max", .kind = PIT__NUMBER},
    };
    struct pit__table *table = pit__table_new(columns, sizeof columns / sizeof columns[0]);
    if (!table)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        struct pit__cell cells[] = {
            pit__cell_text(values[i].name),   pit__cell_whole(values[i].count),
            pit__cell_number(values[i].last), pit__cell_number(values[i].min),
            pit__cell_number(values[i].max),
        };
        pit__table_row(table, cells);
    }
    putc('\n', report->out);
    int code = pit__table_print(table, report->out, &report->look) ? PIT_NO_MEMORY : 0;
    pit__table_free(table);
    return code;
}

int pit__print_values(const struct pit__report *report)
{
    size_t count = 0, filled = 0;
    for (size_t r = 0; r < report->run_count; r++)
        for (size_t t = 0; t < report->runs[r]->thread_count; t++)
            count += report->runs[r]->threads[t].value_count;
    if (count == 0)
        return 0;
    struct value *values = calloc(count, sizeof *values);
    if (!values)
        return PIT_NO_MEMORY;
    for (size_t r = 0; r < report->run_count; r++)
        for (size_t t = 0; t < report->runs[r]->thread_count; t++) {
            const pit_thread *thread = &report->runs[r]->threads[t];
            for (size_t i = 0; i < thread->value_count; i++, filled++)
                values[filled] = value_of(report->runs[r], &thread->values[i], filled);
        }
    int code = print_values(report, values, join(values, count));
    free(values);
    return code;
}
