/* log_sides.c: several logs side by side. Stages are compared by their totals, items of windows
 * by their means; ratio and difference compare the last log with the first. */
#include "log_sides.h"

#include "report/json_writer.h"
#include "report/table.h"

#include <math.h>
#include <stdlib.h>

double pit__log_ns(double seconds)
{
    return round(seconds * 1e9);
}

/* ---- what is compared ------------------------------------------------------------------------ */

static double stage_figure(const struct pit__log_figures *log, const void *row)
{
    const struct pit__log_stage *found = pit__log_stage_find(log, row);
    return found ? pit__log_ns(found->seconds) : NAN;
}

static double item_figure(const struct pit__log_figures *log, const void *row)
{
    const struct pit__log_item *found = pit__log_item_find(log, row);
    return found ? found->sum / found->calls : NAN;
}

static size_t stage_count(const struct pit__log_figures *log)
{
    return log->stage_count;
}

static const void *stage_at(const struct pit__log_figures *log, size_t i)
{
    return log->stages[i].name;
}

static size_t item_count(const struct pit__log_figures *log)
{
    return log->item_count;
}

static const void *item_at(const struct pit__log_figures *log, size_t i)
{
    return &log->items[i];
}

static const struct pit__column stage_columns[] = {
    {.title = "stage", .key = "stage", .kind = PIT__TEXT, .min_width = 20, .max_width = 100},
};

static const struct pit__column item_columns[] = {
    {.title = "window", .key = "tag", .kind = PIT__TEXT, .min_width = 12, .max_width = 60},
    {.title = "item", .key = "item", .kind = PIT__TEXT, .min_width = 12, .max_width = 60},
    {.title = "unit", .key = "unit", .kind = PIT__TEXT, .drop = 2},
};

enum { MOST_LABELS = 3 };

static void label_stage(const void *row, const char **labels)
{
    labels[0] = row;
}

static void label_item(const void *row, const char **labels)
{
    const struct pit__log_item *item = row;
    labels[0] = item->tag;
    labels[1] = item->label;
    labels[2] = item->unit;
}

static const struct subject {
    const char *key, *figure_key, *difference_key; /* in JSON */
    const struct pit__column *labels;
    size_t label_count;
    enum pit__kind kind; /* of the figures */
    size_t (*count)(const struct pit__log_figures *log);
    const void *(*at)(const struct pit__log_figures *log, size_t i);
    double (*figure)(const struct pit__log_figures *log,
                     const void *row); /* NaN: not in this log */
    void (*label)(const void *row, const char **labels);
} subjects[] = {
    {"comparison", "total_ns", "difference_ns", stage_columns, 1, PIT__DURATION, stage_count,
     stage_at, stage_figure, label_stage},
    {"window_comparison", "mean", "difference", item_columns, MOST_LABELS, PIT__NUMBER, item_count,
     item_at, item_figure, label_item},
};

/* ---- rows ------------------------------------------------------------------------------------ */

struct row {
    const char *labels[MOST_LABELS];
    double *figures; /* of each log */
    double ratio, difference;
};

static int is_in_earlier(const struct pit__log_sides *sides, const struct subject *subject,
                         size_t log, const void *row)
{
    for (size_t i = 0; i < log; i++)
        if (!isnan(subject->figure(&sides->figures[i], row)))
            return 1;
    return 0;
}

/* Calls put for each row that any log has. Returns 0 or PIT_NO_MEMORY. */
static int each_row(const struct pit__log_sides *sides, const struct subject *subject,
                    void (*put)(void *arg, const struct row *row), void *arg)
{
    struct row row = {.figures = calloc(sides->count, sizeof *row.figures)};
    if (!row.figures)
        return PIT_NO_MEMORY;
    for (size_t log = 0; log < sides->count; log++) {
        const struct pit__log_figures *figures = &sides->figures[log];
        for (size_t i = 0; i < subject->count(figures); i++) {
            const void *at = subject->at(figures, i);
            if (is_in_earlier(sides, subject, log, at))
                continue;
            subject->label(at, row.labels);
            for (size_t k = 0; k < sides->count; k++)
                row.figures[k] = subject->figure(&sides->figures[k], at);
            double first = row.figures[0], last = row.figures[sides->count - 1];
            row.ratio = first > 0 ? last / first : NAN;
            row.difference = last - first;
            put(arg, &row);
        }
    }
    free(row.figures);
    return 0;
}

/* ---- tables ---------------------------------------------------------------------------------- */

struct filling {
    const struct pit__log_sides *sides;
    const struct subject *subject;
    struct pit__cell *cells;
    struct pit__log_table *to;
};

static void put_in_table(void *arg, const struct row *row)
{
    const struct filling *filling = arg;
    struct pit__cell *cell = filling->cells;
    for (size_t i = 0; i < filling->subject->label_count; i++)
        *cell++ = pit__cell_text(row->labels[i]);
    for (size_t i = 0; i < filling->sides->count; i++)
        *cell++ = pit__cell_real(row->figures[i]);
    *cell++ = pit__cell_real(row->ratio);
    *cell = pit__cell_real(row->difference);
    pit__table_row(filling->to->table, filling->cells);
    filling->to->rows++;
}

static void fill_columns(const struct pit__log_sides *sides, const struct subject *subject,
                         struct pit__column *column)
{
    for (size_t i = 0; i < subject->label_count; i++)
        *column++ = subject->labels[i];
    for (size_t i = 0; i < sides->count; i++)
        *column++ = (struct pit__column){
            .title = sides->names[i], .key = sides->names[i], .kind = subject->kind};
    *column++ = (struct pit__column){.title = "ratio", .key = "ratio", .kind = PIT__RATIO};
    *column = (struct pit__column){
        .title = "difference", .key = subject->difference_key, .kind = subject->kind, .drop = 1};
}

static int make_table(const struct pit__log_sides *sides, const struct subject *subject,
                      struct pit__log_table *to)
{
    size_t width = subject->label_count + sides->count + 2;
    struct filling filling = {sides, subject, calloc(width, sizeof *filling.cells), to};
    *to = (struct pit__log_table){.columns = calloc(width, sizeof *to->columns)};
    int code = filling.cells && to->columns ? 0 : PIT_NO_MEMORY;
    if (!code) {
        fill_columns(sides, subject, to->columns);
        to->table = pit__table_new(to->columns, width);
        code = to->table ? each_row(sides, subject, put_in_table, &filling) : PIT_NO_MEMORY;
    }
    free(filling.cells);
    return code;
}

int pit__log_stage_sides(const struct pit__log_sides *sides, struct pit__log_table *to)
{
    return make_table(sides, &subjects[0], to);
}

int pit__log_item_sides(const struct pit__log_sides *sides, struct pit__log_table *to)
{
    return make_table(sides, &subjects[1], to);
}

void pit__log_table_free(struct pit__log_table *made)
{
    pit__table_free(made->table);
    free(made->columns);
}

/* ---- JSON ------------------------------------------------------------------------------------ */

struct writing {
    const struct pit__log_sides *sides;
    const struct subject *subject;
    struct pit__json *json;
};

static void put_in_json(void *arg, const struct row *row)
{
    const struct writing *writing = arg;
    struct pit__json *json = writing->json;
    pit__json_flat_object(json, NULL);
    for (size_t i = 0; i < writing->subject->label_count; i++)
        pit__json_string(json, writing->subject->labels[i].key, row->labels[i]);
    pit__json_array(json, writing->subject->figure_key);
    for (size_t i = 0; i < writing->sides->count; i++)
        pit__json_double(json, NULL, row->figures[i]);
    pit__json_array_end(json);
    pit__json_double(json, "ratio", row->ratio);
    pit__json_double(json, writing->subject->difference_key, row->difference);
    pit__json_object_end(json);
}

int pit__log_sides_json(const struct pit__log_sides *sides, struct pit__json *json)
{
    int code = 0;
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0] && !code; i++) {
        struct writing writing = {sides, &subjects[i], json};
        pit__json_array(json, subjects[i].key);
        code = each_row(sides, &subjects[i], put_in_json, &writing);
        pit__json_array_end(json);
    }
    return code;
}
