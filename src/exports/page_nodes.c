/* page_nodes.c: the call tree of the page: every field of every node as a column, and the
 * largest nodes over time. */
#include "page_export.h"

#include "model/fields.h"
#include "model/tree_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Limit for the slices of all series together, to keep the file small. The largest nodes get
 * theirs. */
#define STRETCHES_MOST 8000

/* ---- fields ----------------------------------------------------------------------------------- */

/* Left out: names and parents contain it. */
static int is_left_out(const struct pit__field *field)
{
    return strcmp(field->field.key, "path") == 0;
}

static void write_fields(struct pit__json *json)
{
    const struct pit__field *field;
    pit__json_array(json, "fields");
    for (size_t i = 0; (field = pit__field_entry(&pit__node_fields, i)); i++) {
        if (is_left_out(field))
            continue;
        pit__json_object(json, NULL);
        pit__json_string(json, "key", field->field.key);
        pit__json_string(json, "title", field->field.title);
        pit__json_string(json, "kind", pit_field_kind(&field->field));
        pit__json_string(json, "help", field->field.help);
        pit__json_string(json, "why", field->why);
        pit__json_bool(json, "shown", field->shown);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
}

struct field_column {
    const pit_tree *tree;
    const struct pit__field *field;
    const double *first_ns;
};

static void write_cell(struct pit__json *json, const void *arg, size_t row)
{
    const struct field_column *column = arg;
    pit_field_value value;
    pit__field_read(column->field, &column->tree->nodes[row], &value);
    pit__json_value(json, NULL, column->field->kind, &value);
}

static void write_first(struct pit__json *json, const void *arg, size_t row)
{
    pit__json_milli(json, NULL, ((const struct field_column *)arg)->first_ns[row]);
}

/* The reasons of missing figures that differ from the reason of the field. */
static void write_reasons(struct pit__json *json, const struct field_column *column)
{
    int any = 0;
    for (size_t i = 0; i < column->tree->node_count; i++) {
        char row[24];
        pit_field_value value;
        pit__field_read(column->field, &column->tree->nodes[i], &value);
        if (value.type > PIT_VALUE_UNKNOWN || !value.reason ||
            strcmp(value.reason, column->field->why ? column->field->why : "") == 0)
            continue;
        if (!any++)
            pit__json_object(json, column->field->field.key);
        snprintf(row, sizeof row, "%zu", i);
        pit__json_string(json, row, value.reason);
    }
    if (any)
        pit__json_object_end(json);
}

/* When the first span of each node began, since the start of its run. The caller frees it. */
static double *find_first(const struct pit__report *report)
{
    const pit_tree *tree = report->tree;
    const uint32_t *map = ((const struct pit__tree_box *)(const void *)tree)->map;
    double *first = malloc((tree->node_count + 1) * sizeof *first);
    for (size_t i = 0; first && i < tree->node_count; i++)
        first[i] = NAN;
    for (size_t r = 0; first && r < report->run_count; r++)
        for (size_t t = 0; t < report->runs[r]->thread_count; t++)
            for (size_t i = 0; i < report->runs[r]->threads[t].node_count; i++, map++) {
                const pit_run *run = report->runs[r];
                double ticks = (double)run->threads[t].nodes[i].first - (double)run->start_ticks;
                if (run->threads[t].nodes[i].first > 0)
                    first[*map] = fmin(first[*map], fmax(ticks, 0) * run->ns_per_tick);
            }
    return first;
}

static int write_nodes(struct pit__page *page)
{
    const pit_tree *tree = page->report.tree;
    struct pit__page_columns columns = {.json = &page->json};
    struct field_column column = {.tree = tree, .first_ns = find_first(&page->report)};
    pit__json_object(&page->json, "nodes");
    pit__json_uint(&page->json, "count", tree->node_count);
    pit__json_object(&page->json, "columns");
    for (size_t i = 0; (column.field = pit__field_entry(&pit__node_fields, i)); i++)
        if (!is_left_out(column.field))
            pit__page_column(&columns, column.field->field.key, tree->node_count, write_cell,
                             &column);
    if (column.first_ns)
        pit__page_column(&columns, "first_ns", tree->node_count, write_first, &column);
    pit__json_object_end(&page->json);
    pit__json_object(&page->json, "reasons");
    for (size_t i = 0; (column.field = pit__field_entry(&pit__node_fields, i)); i++)
        write_reasons(&page->json, &column);
    pit__json_object_end(&page->json);
    pit__json_object_end(&page->json);
    columns.failed |= !column.first_ns;
    free((double *)column.first_ns);
    return pit__page_columns_end(&columns);
}

/* ---- their course ----------------------------------------------------------------------------- */

struct course {
    struct pit__node_series series;
    struct pit__node_percentiles percentiles;
    uint32_t *nodes; /* that are shown, by their total */
    size_t node_count;
    const struct pit__stretch **stretches; /* of those, one node after another */
    size_t stretch_count, left_out;
};

static int by_total(const void *a, const void *b)
{
    const pit_node *x = *(const pit_node *const *)a, *y = *(const pit_node *const *)b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return (x > y) - (x < y);
}

/* 0 or PIT_NO_MEMORY. A node with one call has no series. */
static int choose(const pit_tree *tree, struct course *course)
{
    const pit_node **sorted = malloc((tree->node_count + 1) * sizeof *sorted);
    size_t count = 0, all = course->series.first[tree->node_count];
    course->nodes = malloc((tree->node_count + 1) * sizeof *course->nodes);
    course->stretches = malloc((all + 1) * sizeof *course->stretches);
    if (sorted && course->nodes && course->stretches) {
        for (size_t i = 0; i < tree->node_count; i++)
            if (tree->nodes[i].count > 1)
                sorted[count++] = &tree->nodes[i];
        qsort(sorted, count, sizeof *sorted, by_total);
        for (size_t i = 0; i < count; i++) {
            size_t node = (size_t)(sorted[i] - tree->nodes);
            size_t from = course->series.first[node], own = course->series.first[node + 1] - from;
            if (course->stretch_count + own > STRETCHES_MOST) {
                course->left_out++;
                continue;
            }
            course->nodes[course->node_count++] = (uint32_t)node;
            for (size_t s = 0; s < own; s++)
                course->stretches[course->stretch_count++] = &course->series.stretches[from + s];
        }
    }
    free(sorted);
    return sorted && course->nodes && course->stretches ? 0 : PIT_NO_MEMORY;
}

#define COURSE_CELL(name_, call_, figure_)                                                         \
    static void name_(struct pit__json *json, const void *arg, size_t row)                         \
    {                                                                                              \
        const struct course *course = arg;                                                         \
        const struct pit__stretch *stretch = course->stretches[row];                               \
        size_t at = (size_t)(stretch - course->series.stretches);                                  \
        (void)at;                                                                                  \
        call_(json, NULL, figure_);                                                                \
    }
COURSE_CELL(write_at, pit__json_uint,
            stretch->width_ns > 0 ? (uint64_t)llround(stretch->start_ns / stretch->width_ns) : 0)
COURSE_CELL(write_count, pit__json_uint, stretch->count)
COURSE_CELL(write_total, pit__json_milli, stretch->total_ns)
COURSE_CELL(write_min, pit__json_milli, stretch->min_ns)
COURSE_CELL(write_max, pit__json_milli, stretch->max_ns)
COURSE_CELL(write_p50, pit__json_milli, course->percentiles.p50[at])
COURSE_CELL(write_p95, pit__json_milli, course->percentiles.p95[at])

static void write_node(struct pit__json *json, const void *arg, size_t row)
{
    pit__json_uint(json, NULL, ((const struct course *)arg)->nodes[row]);
}

static void write_length(struct pit__json *json, const void *arg, size_t row)
{
    const struct course *course = arg;
    size_t node = course->nodes[row];
    pit__json_uint(json, NULL, course->series.first[node + 1] - course->series.first[node]);
}

static void write_width(struct pit__json *json, const void *arg, size_t row)
{
    const struct course *course = arg;
    size_t node = course->nodes[row], first = course->series.first[node];
    int is_empty = course->series.first[node + 1] == first;
    pit__json_milli(json, NULL, is_empty ? NAN : course->series.stretches[first].width_ns);
}

static int write_course(struct pit__page *page, const struct course *course)
{
    struct pit__page_columns columns = {.json = &page->json};
    pit__json_object(&page->json, "series");
    pit__json_uint(&page->json, "left_out", course->left_out);
    pit__page_column(&columns, "node", course->node_count, write_node, course);
    pit__page_column(&columns, "length", course->node_count, write_length, course);
    pit__page_column(&columns, "width_ns", course->node_count, write_width, course);
    pit__page_column(&columns, "at", course->stretch_count, write_at, course);
    pit__page_column(&columns, "count", course->stretch_count, write_count, course);
    pit__page_column(&columns, "total_ns", course->stretch_count, write_total, course);
    pit__page_column(&columns, "min_ns", course->stretch_count, write_min, course);
    pit__page_column(&columns, "max_ns", course->stretch_count, write_max, course);
    pit__page_column(&columns, "p50_ns", course->stretch_count, write_p50, course);
    pit__page_column(&columns, "p95_ns", course->stretch_count, write_p95, course);
    pit__json_object_end(&page->json);
    return pit__page_columns_end(&columns);
}

static int write_series(struct pit__page *page)
{
    const struct pit__report *report = &page->report;
    struct course course = {0};
    int code = pit__node_series_make(report->tree, report->runs, report->run_count, &course.series);
    if (!code)
        code = pit__node_percentiles_make(report->tree, report->runs, report->run_count,
                                          &course.series, &course.percentiles);
    if (!code)
        code = choose(report->tree, &course);
    if (!code)
        code = write_course(page, &course);
    free(course.nodes);
    free(course.stretches);
    pit__node_percentiles_free(&course.percentiles);
    pit__node_series_free(&course.series);
    return code;
}

int pit__page_nodes(struct pit__page *page)
{
    write_fields(&page->json);
    int code = write_nodes(page);
    return code ? code : write_series(page);
}
