/* profile_view.c: one node in depth, or the repeated part of a run and each of its parts:
 * durations of calls, their variation, and their development over the run. */
#include "view_forms.h"

#include "analysis/blocks.h"
#include "analysis/order_stats.h"
#include "model/series_gather.h"
#include "report/sparkline.h"
#include "report/units.h"
#include "report_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BARS 60
#define LABEL_WIDTH 11

/* One node's figures; seconds. */
struct profile {
    const char *name;
    uint64_t count;
    double mean, std, min, p50, p95, p99, max;
    const double *series; /* borrowed; empty if the durations over time are unknown */
    size_t series_count;
    int in_order;
    const char *source;
    int has_course;
    pit_variance variance;
    pit_warmup warmup;
};

enum {
    NAME,
    COUNT,
    MEAN,
    STD,
    MIN,
    P50,
    P95,
    P99,
    MAX,
    RATIO,
    VARIATION,
    COURSE,
    ENDS_AT,
    LEVEL,
    OUTLIERS,
    WHERE,
    PERIOD,
    DRIFT,
    SOURCE,
    COLUMNS
};

#define TIME(title_, key_)                                                                         \
    {                                                                                              \
        .title = title_, .key = key_, .kind = PIT__DURATION                                        \
    }
#define WORD(title_, key_)                                                                         \
    {                                                                                              \
        .title = title_, .key = key_, .kind = PIT__TEXT                                            \
    }
#define WHOLE(title_, key_)                                                                        \
    {                                                                                              \
        .title = title_, .key = key_, .kind = PIT__COUNT                                           \
    }
#define NUMBER(title_, key_)                                                                       \
    {                                                                                              \
        .title = title_, .key = key_, .kind = PIT__NUMBER                                          \
    }

static const struct pit__column columns[COLUMNS] = {
    [NAME] = WORD("span", "path"),
    [COUNT] = WHOLE("count", "count"),
    [MEAN] = TIME("mean", "mean_ns"),
    [STD] = TIME("std", "std_ns"),
    [MIN] = TIME("min", "min_ns"),
    [P50] = TIME("p50", "p50_ns"),
    [P95] = TIME("p95", "p95_ns"),
    [P99] = TIME("p99", "p99_ns"),
    [MAX] = TIME("max", "max_ns"),
    [RATIO] = NUMBER("max/min", "ratio"),
    [VARIATION] = NUMBER("variation", "variation"),
    [COURSE] = WORD("course", "course"),
    [ENDS_AT] = WHOLE("warm-up", "warmup_ends_at"),
    [LEVEL] = TIME("level", "steady_level_ns"),
    [OUTLIERS] = WHOLE("outliers", "outliers"),
    [WHERE] = WORD("at", "outlier_indices"),
    [PERIOD] = WHOLE("period", "period"),
    [DRIFT] = NUMBER("drift", "drift"),
    [SOURCE] = WORD("source", "source"),
};

/* ---- figures ---------------------------------------------------------------------------------- */

static int analyse(struct profile *profile)
{
    profile->has_course = profile->series_count >= 2;
    if (!profile->has_course)
        return 0;
    int code = pit_find_variance(profile->series, profile->series_count, &profile->variance);
    return code ? code : pit_find_warmup(profile->series, profile->series_count, &profile->warmup);
}

static void add_indices(struct pit__text *text, const struct profile *profile)
{
    const pit_variance *v = &profile->variance;
    size_t shown = v->outlier_count < PIT_OUTLIERS ? v->outlier_count : PIT_OUTLIERS;
    for (size_t i = 0; i < shown; i++)
        pit__text_printf(text, "%s%zu", i ? " " : "", v->outliers[i]);
}

static int add_row(struct pit__table *table, const struct profile *p)
{
    struct pit__cell cells[COLUMNS];
    struct pit__text indices = {0};
    for (size_t i = 0; i < COLUMNS; i++)
        cells[i] = pit__cell_real(NAN);
    cells[NAME] = pit__cell_text(p->name);
    cells[COUNT] = pit__cell_whole(p->count);
    cells[MEAN] = pit__cell_real(p->mean * 1e9);
    cells[STD] = pit__cell_real(p->std * 1e9);
    cells[MIN] = pit__cell_real(p->min * 1e9);
    cells[P50] = pit__cell_real(p->p50 * 1e9);
    cells[P95] = pit__cell_real(p->p95 * 1e9);
    cells[P99] = pit__cell_real(p->p99 * 1e9);
    cells[MAX] = pit__cell_real(p->max * 1e9);
    cells[RATIO] = pit__cell_real(p->min > 0 ? p->max / p->min : NAN);
    cells[VARIATION] = pit__cell_real(p->mean > 0 ? p->std / p->mean : NAN);
    if (p->has_course) {
        cells[COURSE] = pit__cell_text(pit_course_name(p->warmup.course));
        cells[LEVEL] = pit__cell_real(p->warmup.steady_level * 1e9);
        cells[DRIFT] = pit__cell_real(p->variance.drift);
        cells[SOURCE] = pit__cell_text(p->source);
    }
    if (p->has_course && p->in_order) {
        add_indices(&indices, p);
        cells[ENDS_AT] = pit__cell_whole(p->warmup.ends_at);
        cells[OUTLIERS] = pit__cell_whole(p->variance.outlier_count);
        cells[WHERE] = pit__cell_text(pit__text_string(&indices));
        cells[PERIOD] = pit__cell_whole(p->variance.period);
    }
    pit__table_row(table, cells);
    int code = indices.failed ? PIT_NO_MEMORY : 0;
    pit__text_free(&indices);
    return code;
}

/* ---- in words ----------------------------------------------------------------------------------- */

/* "  label   words", the words wrapped if there is a width. Frees them. */
static void say(const struct pit__view_call *call, const char *label, struct pit__text *words)
{
    fprintf(call->out, "  %-*s", LABEL_WIDTH, label);
    pit__prose_words(call->prose, words, LABEL_WIDTH + 2, PIT__PLAIN);
}

static const char *time_of(char *out, double seconds, int ascii)
{
    return pit__unit_duration(out, seconds * 1e9, ascii);
}

static void print_figures(const struct pit__view_call *call, const struct profile *p)
{
    char a[5][PIT__UNIT_BYTES], ratio[PIT__UNIT_BYTES];
    struct pit__text words = {0};
    int ascii = call->look.ascii;
    pit__text_printf(&words, "%s of %s, standard deviation %s (%s)",
                     pit__unit_count(a[0], p->count), time_of(a[1], p->mean, ascii),
                     time_of(a[2], p->std, ascii),
                     pit__unit_percent_words(a[3], p->mean > 0 ? p->std / p->mean : NAN));
    say(call, "calls", &words);
    pit__text_printf(&words, "min %s, p50 %s, p95 %s, p99 %s, max %s", time_of(a[0], p->min, ascii),
                     time_of(a[1], p->p50, ascii), time_of(a[2], p->p95, ascii),
                     time_of(a[3], p->p99, ascii), time_of(a[4], p->max, ascii));
    pit__print_double(ratio, sizeof ratio, "%.1f", p->min > 0 ? p->max / p->min : NAN);
    pit__text_printf(&words, "; max/min %s", p->min > 0 ? ratio : "n/a");
    say(call, "durations", &words);
}

/* A sparkline may contain blanks, so it must not be wrapped. */
static void print_bars(const struct pit__view_call *call, const struct profile *p)
{
    struct pit__text bars = {0};
    double low = fmin(p->variance.min, 0.9 * p->variance.max); /* noise must not look like peaks */
    size_t room = BARS;
    if (call->look.width > LABEL_WIDTH + 10 && (size_t)call->look.width < BARS + LABEL_WIDTH + 2)
        room = (size_t)call->look.width - LABEL_WIDTH - 2;
    pit__sparkline(&bars, p->series, p->series_count,
                   p->series_count < room ? p->series_count : room, low, p->variance.max,
                   call->look.ascii);
    fprintf(call->out, "  %-*s%s\n", LABEL_WIDTH, "course", pit__text_string(&bars));
    call->prose->failed |= bars.failed;
    pit__text_free(&bars);
}

static void print_course(const struct pit__view_call *call, const struct profile *p)
{
    char a[PIT__UNIT_BYTES];
    struct pit__text words = {0};
    pit__text_puts(&words, pit_course_name(p->warmup.course));
    if (p->warmup.ends_at > 0 && p->in_order)
        pit__text_printf(&words, "; warm-up ends after the first %s",
                         pit__unit_count(a, p->warmup.ends_at));
    if (!isnan(p->warmup.steady_level))
        pit__text_printf(&words, "; steady level %s",
                         time_of(a, p->warmup.steady_level, call->look.ascii));
    if (!isnan(p->variance.drift))
        pit__text_printf(&words, "; %s %s along the run",
                         pit__unit_percent_words(a, fabs(p->variance.drift)),
                         p->variance.drift > 0 ? "slower" : "faster");
    if (!p->in_order)
        pit__text_printf(&words, "; by the means of %zu stretches of the run", p->series_count);
    say(call, "", &words);
}

static void print_outliers(const struct pit__view_call *call, const struct profile *p)
{
    char a[PIT__UNIT_BYTES];
    const pit_variance *v = &p->variance;
    struct pit__text words = {0};
    size_t shown = v->outlier_count < PIT_OUTLIERS ? v->outlier_count : PIT_OUTLIERS;
    if (!p->in_order || (v->outlier_count == 0 && v->period == 0))
        return;
    if (shown > 0)
        pit__text_printf(&words, "%s%s", pit__unit_count(a, v->outlier_count),
                         shown < v->outlier_count ? ", the largest:" : ":");
    for (size_t i = 0; i < shown; i++)
        pit__text_printf(&words, "%s %zu (%s)", i ? "," : "", v->outliers[i],
                         time_of(a, p->series[v->outliers[i]], call->look.ascii));
    if (v->period > 0)
        pit__text_printf(&words, "%sa slow one every %zu", shown > 0 ? "; " : "", v->period);
    say(call, "outliers", &words);
}

static void print_profile(const struct pit__view_call *call, const struct profile *p)
{
    pit__prose_named(call->prose, "", *p->name ? p->name : "\"\"", "", call->look.width);
    if (p->count == 0) {
        fprintf(call->out, "  %-*snone has ended\n", LABEL_WIDTH, "calls");
        return;
    }
    print_figures(call, p);
    if (!p->has_course)
        return;
    print_bars(call, p);
    print_course(call, p);
    print_outliers(call, p);
}

/* ---- over runs, and over a series ---------------------------------------------------------------- */

struct output {
    const struct pit__view_call *call;
    struct pit__table *table; /* of the forms for machines; NULL in text */
    size_t printed;
};

static int put(struct output *output, struct profile *profile)
{
    int code = analyse(profile);
    if (code)
        return code;
    if (output->table)
        return add_row(output->table, profile);
    if (output->printed++ > 0)
        putc('\n', output->call->out);
    print_profile(output->call, profile);
    return 0;
}

static int put_node(struct output *output, const pit_node *node)
{
    const struct pit__gathered *runs = output->call->gathered;
    struct pit__series series;
    int code = pit__series_of(runs->runs, runs->run_count, node->path, &series);
    struct profile profile = {.name = node->path,
                              .count = node->count,
                              .mean = node->mean_ns / 1e9,
                              .std = node->std_ns / 1e9,
                              .min = node->min_ns / 1e9,
                              .p50 = node->p50_ns / 1e9,
                              .p95 = node->p95_ns / 1e9,
                              .p99 = node->p99_ns / 1e9,
                              .max = node->max_ns / 1e9,
                              .series = series.seconds,
                              .series_count = series.count,
                              .in_order = series.in_order,
                              .source = series.source};
    if (!code)
        code = put(output, &profile);
    free(series.seconds);
    return code;
}

/* For runs: only the requested node, else the repeated node and the nodes inside it. */
static int put_runs(struct output *output)
{
    const pit_tree *tree = output->call->gathered->tree;
    const pit_data *data = output->call->data;
    int code = 0;
    for (size_t i = 0; i < data->row_count && !code; i++)
        code = put_node(output, &tree->nodes[data->rows[i].count]);
    return code;
}

static int put_series(struct output *output)
{
    const pit_data *data = output->call->data;
    pit_variance v;
    double *sorted = malloc(data->series_count * sizeof *sorted);
    if (!sorted)
        return PIT_NO_MEMORY;
    memcpy(sorted, data->series, data->series_count * sizeof *sorted);
    pit__sort(sorted, data->series_count);
    int code = pit_find_variance(data->series, data->series_count, &v);
    struct profile profile = {.name = output->call->title,
                              .count = data->series_count,
                              .mean = v.mean,
                              .std = v.variation * v.mean,
                              .min = v.min,
                              .p50 = pit__sorted_quantile(sorted, data->series_count, 0.50),
                              .p95 = pit__sorted_quantile(sorted, data->series_count, 0.95),
                              .p99 = pit__sorted_quantile(sorted, data->series_count, 0.99),
                              .max = v.max,
                              .series = data->series,
                              .series_count = data->series_count,
                              .in_order = 1,
                              .source = "events"};
    if (!code)
        code = put(output, &profile);
    free(sorted);
    return code;
}

static int print(const struct pit__view_call *call)
{
    struct output output = {.call = call};
    if (!call->gathered && call->data->series_count == 0)
        return pit__print_nothing(call, "no durations were measured");
    if (call->options->form != PIT_TEXT) {
        output.table = pit__table_new(columns, COLUMNS);
        if (!output.table)
            return PIT_NO_MEMORY;
    }
    int code = call->gathered ? put_runs(&output) : put_series(&output);
    if (!output.table)
        return code;
    if (!code)
        return pit__view_form(call, output.table, "Profile", NULL, NULL);
    pit__table_free(output.table);
    return code;
}

/* Which nodes: their indices, as the rows' counts. */
static int gather(struct pit__gathered *gathered)
{
    const pit_tree *tree = gathered->tree;
    pit_row *rows = pit__gather_alloc(gathered, tree->node_count + 1, sizeof *rows);
    uint32_t node;
    int code = pit__gather_node(gathered, &node);
    if (code || !rows)
        return code ? code : PIT_NO_MEMORY;
    int alone = node != PIT_NO_NODE;
    if (!alone)
        code = pit__course_node(tree, &node);
    if (code)
        return code;
    if (node == PIT_NO_NODE) {
        snprintf(gathered->why, sizeof gathered->why,
                 "no span was repeated: name the span to profile");
        return PIT_NOTHING;
    }
    gathered->data.rows = rows;
    rows[gathered->data.row_count++].count = node;
    for (size_t i = node + 1; i < tree->node_count && !alone; i++)
        if (tree->nodes[i].parent == node && tree->nodes[i].count > 0)
            rows[gathered->data.row_count++].count = i;
    return 0;
}

const struct pit__view pit__profile_view = {
    .told = {.name = "profile",
             .help = "how does one span behave, call by call?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option)},
    .gather = gather,
    .print = print,
};
