/* prometheus_spans.c: the metrics of a run's spans, read from the field table of nodes. */
#include "prometheus_lines.h"

#include "base/grow.h"
#include "pitwall_fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum counter {
    COUNTER_SUM,
    COUNTER_COUNT,
    COUNTER_SELF,
    COUNTER_ITEMS,
    COUNTER_BYTES,
    COUNTER_FLOPS,
    COUNTERS,
    NO_COUNTER = COUNTERS
};

struct pit__floor_span {
    char *path;
    double figures[COUNTERS];
};

static const struct figure {
    enum pit__metric metric;
    const char *suffix, *labels;
    const char *key; /* of the field */
    double per_unit; /* a figure divided by this is in Prometheus' unit */
    enum counter counter;
    int if_any; /* no line where it is 0 */
} figures[] = {
    {PIT__METRIC_DURATION, "", ",quantile=\"0.5\"", "p50_ns", 1e9, NO_COUNTER, 0},
    {PIT__METRIC_DURATION, "", ",quantile=\"0.95\"", "p95_ns", 1e9, NO_COUNTER, 0},
    {PIT__METRIC_DURATION, "", ",quantile=\"0.99\"", "p99_ns", 1e9, NO_COUNTER, 0},
    {PIT__METRIC_DURATION, "_sum", "", "finished_ns", 1e9, COUNTER_SUM, 0},
    {PIT__METRIC_DURATION, "_count", "", "count", 1, COUNTER_COUNT, 0},
    {PIT__METRIC_SELF, "", "", "self_ns", 1e9, COUNTER_SELF, 0},
    {PIT__METRIC_ITEMS, "", "", "items", 1, COUNTER_ITEMS, 1},
    {PIT__METRIC_BYTES, "", "", "bytes", 1, COUNTER_BYTES, 1},
    {PIT__METRIC_FLOPS, "", "", "flops", 1, COUNTER_FLOPS, 1},
    {PIT__METRIC_OPEN, "", "", "open", 1, NO_COUNTER, 0},
    {PIT__METRIC_SPAN_PEAK, "", "", "memory_peak_bytes", 1, NO_COUNTER, 0},
};

/* ---- the floor ---------------------------------------------------------------------------------- */

void pit__metrics_floor_free(struct pit__metrics_floor *floor)
{
    for (size_t i = 0; i < floor->count; i++)
        free(floor->spans[i].path);
    free(floor->spans);
    *floor = (struct pit__metrics_floor){0};
}

/* Find or add the span of this path; NULL without memory. Spans are sorted by path. */
static struct pit__floor_span *floor_of(struct pit__metrics_floor *floor, const char *path)
{
    size_t low = 0, high = floor->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(floor->spans[middle].path, path);
        if (order == 0)
            return &floor->spans[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    struct pit__floor_span *spans =
        pit__grow(floor->spans, &floor->room, floor->count + 1, sizeof *spans, 16);
    char *copy = spans ? strdup(path) : NULL;
    if (spans)
        floor->spans = spans;
    if (!copy)
        return NULL;
    memmove(&spans[low + 1], &spans[low], (floor->count - low) * sizeof *spans);
    spans[low] = (struct pit__floor_span){.path = copy};
    floor->count++;
    return &spans[low];
}

/* While a run is live no counter decreases. After its end the figures are exact; before, a self
 * time may have included the time between the last sign of life and our reading. */
static double hold(struct pit__floor_span *span, enum counter counter, int is_live, double figure)
{
    if (!span || counter == NO_COUNTER)
        return figure;
    if (!is_live && counter != COUNTER_SELF)
        return figure;
    if (span->figures[counter] > figure)
        return span->figures[counter];
    span->figures[counter] = figure;
    return figure;
}

/* ---- lines ----------------------------------------------------------------------------------------- */

static double figure_of(const struct figure *figure, const pit_node *node)
{
    pit_field_value value = {0};
    pit_field_get(pit_field_find(PIT_OF_NODE, figure->key), node, &value);
    switch (value.type) {
    case PIT_VALUE_WHOLE:
        return (double)value.whole / figure->per_unit;
    case PIT_VALUE_SIGNED:
        return (double)value.signed_whole / figure->per_unit;
    case PIT_VALUE_REAL:
        return value.real / figure->per_unit;
    default:
        return NAN;
    }
}

/* Relative error of the clock frequency of a live run. Reducing a sum by this much now ensures
 * that it does not exceed the exact final sum. */
static double lowered(const pit_run *run, const struct figure *figure, double value)
{
    int is_time = figure->per_unit > 1 && figure->counter != NO_COUNTER;
    if (run->state != PIT_RUN_LIVE || !is_time || !(run->ns_per_tick_error < 0.5))
        return value;
    return value * (1 - run->ns_per_tick_error);
}

static void add_span(struct pit__metrics *metrics, const pit_run *run, const pit_node *node,
                     struct pit__metrics_floor *floor)
{
    struct pit__floor_span *span = floor ? floor_of(floor, node->path) : NULL;
    struct pit__text labels = {0};
    pit__text_puts(&labels, ",span=\"");
    pit__metrics_label(&labels, node->path);
    pit__text_puts(&labels, "\"");
    size_t length = labels.length;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0] && !labels.failed; i++) {
        const struct figure *figure = &figures[i];
        double value = lowered(run, figure, figure_of(figure, node));
        value = hold(span, figure->counter, run->state == PIT_RUN_LIVE, value);
        if (figure->if_any && !(value > 0))
            continue;
        pit__text_puts(&labels, figure->labels);
        pit__metrics_line(metrics, figure->metric, figure->suffix, pit__text_string(&labels),
                          value);
        labels.length = length;
        labels.data[length] = '\0';
    }
    metrics->failed |= labels.failed || (floor && !span);
    pit__text_free(&labels);
}

/* ---- which spans ------------------------------------------------------------------------------------- */

static int by_total(const void *a, const void *b)
{
    const pit_node *x = *(const pit_node *const *)a, *y = *(const pit_node *const *)b;
    if (x->total_ns != y->total_ns)
        return x->total_ns > y->total_ns ? -1 : 1;
    return (x > y) - (x < y);
}

static int by_path(const void *a, const void *b)
{
    const pit_node *x = *(const pit_node *const *)a, *y = *(const pit_node *const *)b;
    int order = strcmp(x->path, y->path);
    return order ? order : by_total(a, b);
}

/* A span object and a span of the same path are two nodes with the same labels: the larger one
 * gets the lines. */
void pit__metrics_spans(struct pit__metrics *metrics, const pit_run *run, const pit_tree *tree,
                        size_t spans, struct pit__metrics_floor *floor)
{
    size_t count = tree->node_count, written = 0;
    const pit_node **nodes = calloc(count + 1, sizeof *nodes);
    if (!nodes) {
        metrics->failed = 1;
        return;
    }
    for (size_t i = 0; i < count; i++)
        nodes[i] = &tree->nodes[i];
    if (count > spans) {
        qsort(nodes, count, sizeof *nodes, by_total);
        count = spans;
    }
    qsort(nodes, count, sizeof *nodes, by_path);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(nodes[i]->path, nodes[i - 1]->path) != 0) {
            add_span(metrics, run, nodes[i], floor);
            written++;
        }
    free(nodes);
    pit__metrics_line(metrics, PIT__METRIC_OMITTED, "", "", (double)(tree->node_count - written));
}
