/* inference_view.c: the latency of one call, and samples per second.
 *
 * Each row is a model. For a run the view shows options->node; else the node called "inference"
 * with the most time; else the leaf with the most time among those that counted items; else the
 * leaf with the most time. Without items a call counts as one sample. With a series and no rows,
 * or one row without calls, its durations are the calls.
 */
#include "view_forms.h"

#include "analysis/blocks.h"
#include "analysis/order_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RULE 40
#define LABEL_WIDTH 18

enum { NAME, MEAN, MIN, MAX, THROUGHPUT, P50, P95, P99, COUNT, SAMPLES, COLUMNS };

#define LATENCY(title_, key_)                                                                      \
    {                                                                                              \
        .title = title_, .key = key_, .kind = PIT__NUMBER, .fixed = {                              \
            .width = 11,                                                                           \
            .decimals = 3,                                                                         \
            .before = "  ",                                                                        \
            .suffix = " ms"                                                                        \
        }                                                                                          \
    }
#define PERCENTILE(title_, key_)                                                                   \
    {                                                                                              \
        .title = title_, .key = key_, .kind = PIT__NUMBER, .optional = 1, .fixed = {               \
            .width = 11,                                                                           \
            .decimals = 3,                                                                         \
            .before = "  ",                                                                        \
            .suffix = " ms"                                                                        \
        }                                                                                          \
    }

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "Model", .key = "name", .kind = PIT__TEXT, .fixed = {.width = 20}},
    [MEAN] = LATENCY("Mean latency", "mean_ms"),
    [MIN] = LATENCY("Min latency", "min_ms"),
    [MAX] = LATENCY("Max latency", "max_ms"),
    [THROUGHPUT] =
        {.title = "Throughput",
         .key = "throughput_samples_per_sec",
         .kind = PIT__NUMBER,
         .fixed = {.width = 20, .decimals = 1, .before = "  ", .suffix = " samples/sec"}},
    [P50] = PERCENTILE("p50 latency", "p50_ms"),
    [P95] = PERCENTILE("p95 latency", "p95_ms"),
    [P99] = PERCENTILE("p99 latency", "p99_ms"),
    [COUNT] = {.title = "Calls", .key = "count", .kind = PIT__COUNT, .machine = 1},
    [SAMPLES] = {.title = "Samples", .key = "samples", .kind = PIT__NUMBER, .machine = 1},
};

static struct pit__cell percentile(double seconds)
{
    return pit__cell_real(seconds > 0 ? seconds * 1e3 : NAN);
}

static struct pit__table *make_table(const struct pit__view_call *call, const pit_row *rows,
                                     size_t count)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    int for_people = call->options->form == PIT_TEXT || call->options->form == PIT_MARKDOWN;
    for (size_t i = 0; table && i < count; i++) {
        const pit_row *row = &rows[i];
        double samples = row->items > 0 ? row->items : (double)pit__row_count(row);
        struct pit__cell cells[COLUMNS];
        cells[NAME] = pit__cell_name(row->name ? row->name : call->title);
        cells[MEAN] = pit__cell_real(pit__row_mean(row) * 1e3);
        cells[MIN] = pit__cell_real(pit__row_min(row) * 1e3);
        cells[MAX] = pit__cell_real(pit__row_max(row) * 1e3);
        cells[THROUGHPUT] = pit__cell_real(row->seconds > 0 ? samples / row->seconds : NAN);
        cells[P50] = percentile(row->p50_seconds);
        cells[P95] = percentile(row->p95_seconds);
        cells[P99] = percentile(row->p99_seconds);
        cells[COUNT] = pit__cell_whole(pit__row_count(row));
        cells[SAMPLES] = pit__cell_real(samples);
        if (for_people && !call->options->percentiles)
            cells[P50] = cells[P95] = cells[P99] = pit__cell_empty();
        pit__table_row(table, cells);
    }
    return table;
}

static int print_text(const struct pit__view_call *call, struct pit__table *table,
                      const pit_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int own = rows[i].name && (count > 1 || !*call->title);
        pit__prose_named(call->prose, "", own ? rows[i].name : call->title,
                         " Inference Benchmark:", 0);
        pit__print_rule(call->out, '-', RULE);
        pit__table_print_list(table, i, call->out, LABEL_WIDTH);
        pit__print_rule(call->out, '-', RULE);
    }
    return pit__table_done(table);
}

static int print_rows(const struct pit__view_call *call, const pit_row *rows, size_t count)
{
    struct pit__table *table = make_table(call, rows, count);
    if (!table)
        return PIT_NO_MEMORY;
    if (call->options->form == PIT_TEXT)
        return print_text(call, table, rows, count);
    struct pit__text heading = {0};
    pit__text_printf(&heading, "%s Inference Benchmark", call->title);
    int code = pit__view_form(call, table, pit__text_string(&heading) + (*call->title ? 0 : 1),
                              NULL, NULL);
    pit__text_free(&heading);
    return code;
}

/* ---- a series of durations ----------------------------------------------------------------- */

static int fill_from_series(pit_row *row, const pit_data *data)
{
    double *sorted = calloc(data->series_count, sizeof *sorted);
    if (!sorted)
        return PIT_NO_MEMORY;
    memcpy(sorted, data->series, data->series_count * sizeof *sorted);
    pit__sort(sorted, data->series_count);
    row->seconds = 0;
    for (size_t i = 0; i < data->series_count; i++)
        row->seconds += sorted[i];
    row->count = data->series_count;
    row->min_seconds = sorted[0];
    row->max_seconds = sorted[data->series_count - 1];
    row->p50_seconds = pit__sorted_quantile(sorted, data->series_count, 0.50);
    row->p95_seconds = pit__sorted_quantile(sorted, data->series_count, 0.95);
    row->p99_seconds = pit__sorted_quantile(sorted, data->series_count, 0.99);
    free(sorted);
    return 0;
}

static int print(const struct pit__view_call *call)
{
    const pit_data *data = call->data;
    if (data->series_count > 0 &&
        (data->row_count == 0 || (data->row_count == 1 && data->rows[0].count == 0))) {
        pit_row row = {0};
        if (data->row_count == 1)
            row = data->rows[0];
        int code = fill_from_series(&row, data);
        return code ? code : print_rows(call, &row, 1);
    }
    if (data->row_count == 0)
        return pit__print_nothing(call, "no inference was recorded");
    return print_rows(call, data->rows, data->row_count);
}

/* ---- of a run ------------------------------------------------------------------------------ */

/* How well a node suits; the best has the most time among those of the highest rank. */
static int rank(const pit_node *node, int is_leaf)
{
    if (node->count == 0)
        return 0;
    if (strcmp(node->name, "inference") == 0)
        return 3;
    return !is_leaf ? 0 : node->items > 0 ? 2 : 1;
}

static uint32_t choose(const pit_tree *tree)
{
    uint32_t best = PIT_NO_NODE;
    int best_rank = 0;
    for (uint32_t i = 0; i < tree->node_count; i++) {
        /* the tree is in depth-first order: the first child follows its node */
        int is_leaf = i + 1 == tree->node_count || tree->nodes[i + 1].parent != i;
        int own = rank(&tree->nodes[i], is_leaf);
        if (own > best_rank ||
            (own > 0 && own == best_rank && tree->nodes[i].total_ns > tree->nodes[best].total_ns)) {
            best = i;
            best_rank = own;
        }
    }
    return best;
}

static int gather(struct pit__gathered *gathered)
{
    uint32_t node;
    int code = pit__gather_node(gathered, &node);
    if (code)
        return code;
    if (node == PIT_NO_NODE)
        node = choose(gathered->tree);
    if (node == PIT_NO_NODE || gathered->tree->nodes[node].count == 0) {
        snprintf(gathered->why, sizeof gathered->why, "no span of it was finished");
        return PIT_NOTHING;
    }
    pit_row *row = pit__gather_alloc(gathered, 1, sizeof *row);
    if (!row)
        return PIT_NO_MEMORY;
    pit__fill_row(row, &gathered->tree->nodes[node], gathered->tree->nodes[node].path, 0);
    gathered->data.title = row->name;
    gathered->data.rows = row;
    gathered->data.row_count = 1;
    return 0;
}

static const pit_option percentiles_option = {.name = "percentiles",
                                              .kind = PIT_OPTION_FLAG,
                                              .default_text = "not shown",
                                              .help = "also print p50, p95 and p99",
                                              PIT__STORED(percentiles)};

const struct pit__view pit__inference_view = {
    .told = {.name = "inference",
             .help = "how fast does a trained model answer?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option, &percentiles_option)},
    .gather = gather,
    .print = print,
};
