/* prometheus_export.c: runs as metrics, in the text format 0.0.4: the lines of a whole run, and
 * the document. prometheus_spans.c makes the lines of spans.
 *
 * Figures are in the base units of Prometheus, seconds and bytes. Unknown figures have no line. */
#include "prometheus_lines.h"

#include "export.h"

#include "base/arena.h"
#include "base/clock_ns.h"
#include "base/hex.h"
#include "model/advice_case.h"
#include "model/last_span.h"
#include "model/live_tree.h"
#include "pitwall_fields.h"
#include "report/units.h"
#include "views/list_view.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *type, *field, *help;
} families[] = {
#define ENTRY(enumerator_, name_, type_, field_, help_)                                            \
    [PIT__METRIC_##enumerator_] = {"pitwall_" name_, type_, field_, help_},
    PIT__METRICS(ENTRY)
#undef ENTRY
};

/* ---- lines -------------------------------------------------------------------------------------- */

void pit__metrics_label(struct pit__text *text, const char *value)
{
    for (size_t left = strlen(value), bytes; left > 0; value += bytes, left -= bytes) {
        uint32_t code;
        bytes = pit__utf8_next(value, left, &code);
        if (code == UINT32_MAX)
            pit__text_puts(text, "\xef\xbf\xbd"); /* U+FFFD */
        else if (code == '\n')
            pit__text_puts(text, "\\n");
        else if (code == '"' || code == '\\')
            pit__text_printf(text, "\\%c", (char)code);
        else
            pit__text_add(text, value, bytes);
    }
}

void pit__metrics_line(struct pit__metrics *metrics, enum pit__metric metric, const char *suffix,
                       const char *labels, double figure)
{
    struct pit__text *lines = &metrics->lines[metric];
    char number[PIT__UNIT_BYTES];
    if (!isfinite(figure))
        return;
    pit__text_printf(lines, "%s%s{run=\"%s\"", families[metric].name, suffix, metrics->id);
    pit__text_puts(lines, labels);
    pit__text_printf(lines, "} %s\n", pit__unit_exact(number, figure));
    metrics->failed |= lines->failed;
}

/* ,NAME="VALUE" */
static void add_label(struct pit__text *labels, const char *name, const char *value)
{
    pit__text_printf(labels, ",%s=\"", name);
    pit__metrics_label(labels, value);
    pit__text_puts(labels, "\"");
}

/* ---- of the run ----------------------------------------------------------------------------------- */

/* The label name for a fact: some keep their name, label.KEY becomes label_KEY. 0: no label.
 * `job` is reserved: Prometheus uses it for a group of targets. */
static int fact_label(const char *key, char *name, size_t room)
{
    static const char *const told[][2] = {{"program", "program"},
                                          {"host", "host"},
                                          {"job", "job_id"},
                                          {"rank", "rank"},
                                          {"git", "git"}};
    for (size_t i = 0; i < sizeof told / sizeof told[0]; i++)
        if (strcmp(key, told[i][0]) == 0)
            return snprintf(name, room, "%s", told[i][1]) > 0;
    if (strncmp(key, "label.", 6) != 0 || strlen(key) >= room)
        return 0;
    snprintf(name, room, "%s", key);
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return 1;
}

/* Of things with one name, the newest is used, and of several, the first. */
struct named {
    const char *name;
    uint64_t newest;
    size_t at; /* its number among all */
    int is_used;
};

static int by_name(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order == 0 && x->newest != y->newest)
        return x->newest > y->newest ? -1 : 1;
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

static int by_place(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    return (x->at > y->at) - (x->at < y->at);
}

/* A run may have a million labels: sorted, not searched one by one. */
static void choose_one_of_each(struct named *list, size_t count)
{
    qsort(list, count, sizeof *list, by_name);
    for (size_t i = 0; i < count; i++)
        list[i].is_used = i == 0 || strcmp(list[i].name, list[i - 1].name) != 0;
    qsort(list, count, sizeof *list, by_place);
}

static void add_info(struct pit__metrics *metrics, const pit_run *run)
{
    struct pit__text labels = {0};
    struct pit__arena names = {0};
    struct named *list = calloc(run->fact_count + 1, sizeof *list);
    char name[64];
    size_t count = 0;
    for (size_t i = 0; list && i < run->fact_count; i++) {
        if (!fact_label(run->facts[i].key, name, sizeof name))
            continue;
        const char *kept = pit__arena_text(&names, name, strlen(name));
        if (kept)
            list[count++] = (struct named){.name = kept, .at = i};
    }
    if (count > 0)
        choose_one_of_each(list, count);
    for (size_t i = 0; i < count; i++)
        if (list[i].is_used)
            add_label(&labels, list[i].name, run->facts[list[i].at].value);
    metrics->failed |= labels.failed || names.failed || !list;
    pit__metrics_line(metrics, PIT__METRIC_INFO, "", pit__text_string(&labels), 1);
    pit__text_free(&labels);
    pit__arena_free(&names);
    free(list);
}

static void add_state(struct pit__metrics *metrics, const pit_run *run)
{
    static const pit_run states[] = {{.state = PIT_RUN_LIVE},
                                     {.state = PIT_RUN_CLOSED},
                                     {.state = PIT_RUN_DIED},
                                     {.state = PIT_RUN_DIED, .ended_by_parent = 1}};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        struct pit__text labels = {0};
        const char *word = pit__list_state(&states[i]);
        add_label(&labels, "state", word);
        metrics->failed |= labels.failed;
        pit__metrics_line(metrics, PIT__METRIC_STATE, "", pit__text_string(&labels),
                          strcmp(pit__list_state(run), word) == 0);
        pit__text_free(&labels);
    }
}

static double peak_of(const pit_run *run)
{
    double highest = run->rss_peak > 0 ? (double)run->rss_peak : NAN;
    for (size_t i = 0; i < run->sample_count; i++)
        highest = fmax(highest, pit_sample_figure(run, &run->samples[i], "rss_max_bytes"));
    return fmax(highest, pit__live_newest(run, "rss_bytes"));
}

/* For a live run; NaN: unknown. */
static double last_span_age_s(const pit_run *run)
{
    double age_ns = (double)pit__clock_ns(CLOCK_REALTIME) - pit__last_span_wall_ns(run);
    if (run->state != PIT_RUN_LIVE || isnan(age_ns))
        return NAN;
    return age_ns > 0 ? age_ns / 1e9 : 0;
}

static void add_figures(struct pit__metrics *metrics, const pit_run *run)
{
    uint64_t limit = pit__live_limit(run);
    const struct {
        enum pit__metric metric;
        double figure;
    } figures[] = {
        {PIT__METRIC_START, (double)run->start_wall_ns / 1e9},
        {PIT__METRIC_ELAPSED, run->duration_ns / 1e9},
        {PIT__METRIC_LAST_SPAN, last_span_age_s(run)},
        {PIT__METRIC_RSS, pit__live_newest(run, "rss_bytes")},
        {PIT__METRIC_PEAK, peak_of(run)},
        {PIT__METRIC_LIMIT, limit == PIT_UNKNOWN || limit == 0 ? NAN : (double)limit},
        {PIT__METRIC_THREADS, pit__live_newest(run, "threads")},
        {PIT__METRIC_CPU, pit__live_newest(run, "cpu_ns") / 1e9},
        {PIT__METRIC_READ, pit__live_newest(run, "read_bytes")},
        {PIT__METRIC_WRITTEN, pit__live_newest(run, "write_bytes")},
    };
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        pit__metrics_line(metrics, figures[i].metric, "", "", figures[i].figure);
}

/* ---- values and findings: threads may have values of one name, and a rule several findings --------- */

static uint64_t told_at(const pit_raw_value *value)
{
    return value->point_count ? value->points[value->point_count - 1].ticks : 0;
}

/* Of each name, the value of the thread that recorded it last. */
static void add_values(struct pit__metrics *metrics, const pit_run *run)
{
    size_t count = 0, at = 0;
    for (size_t t = 0; t < run->thread_count; t++)
        count += run->threads[t].value_count;
    struct named *list = calloc(count + 1, sizeof *list);
    metrics->failed |= !list;
    for (size_t t = 0; list && t < run->thread_count; t++)
        for (size_t i = 0; i < run->threads[t].value_count; i++, at++) {
            const pit_raw_value *value = &run->threads[t].values[i];
            list[at] = (struct named){.name = value->name, .newest = told_at(value), .at = at};
        }
    if (at > 0)
        choose_one_of_each(list, at);
    at = 0;
    for (size_t t = 0; list && t < run->thread_count; t++)
        for (size_t i = 0; i < run->threads[t].value_count; i++, at++) {
            const pit_raw_value *value = &run->threads[t].values[i];
            struct pit__text labels = {0};
            if (value->count == 0 || !list[at].is_used)
                continue;
            add_label(&labels, "name", value->name);
            metrics->failed |= labels.failed;
            pit__metrics_line(metrics, PIT__METRIC_VALUE, "", pit__text_string(&labels),
                              value->last);
            pit__text_free(&labels);
        }
    free(list);
}

static int is_alike(const pit_finding *a, const pit_finding *b)
{
    return a->severity == b->severity && strcmp(a->rule, b->rule) == 0;
}

static void add_findings(struct pit__metrics *metrics, const pit_advice *advice)
{
    static const char *const severities[] = {"good to know", "consider", "act"};
    for (size_t i = 0; i < advice->count; i++) {
        const pit_finding *finding = &advice->findings[i];
        struct pit__text labels = {0};
        int before = 0, count = 0;
        for (size_t k = 0; k < advice->count; k++) {
            before += k < i && is_alike(&advice->findings[k], finding);
            count += is_alike(&advice->findings[k], finding);
        }
        if (before)
            continue;
        add_label(&labels, "rule", finding->rule);
        add_label(
            &labels, "severity",
            severities[finding->severity > 2 || finding->severity < 0 ? 0 : finding->severity]);
        metrics->failed |= labels.failed;
        pit__metrics_line(metrics, PIT__METRIC_FINDING, "", pit__text_string(&labels), count);
        pit__text_free(&labels);
    }
}

/* ---- a run, and the document ------------------------------------------------------------------------ */

struct pit__metrics *pit__metrics_make(const pit_run *run, size_t spans,
                                       struct pit__metrics_floor *floor)
{
    struct pit__metrics *metrics = calloc(1, sizeof *metrics);
    pit_tree *tree = metrics ? pit_tree_build(&run, 1) : NULL;
    pit_advice *advice = tree ? pit__advise_tree(&run, 1, tree, NULL, 0) : NULL;
    if (advice) {
        pit__hex(run->run_id, sizeof run->run_id, metrics->id);
        add_info(metrics, run);
        add_state(metrics, run);
        add_figures(metrics, run);
        add_values(metrics, run);
        add_findings(metrics, advice);
        pit__metrics_spans(metrics, run, tree, spans, floor);
    }
    if (metrics && (!advice || metrics->failed)) {
        pit__metrics_free(metrics);
        metrics = NULL;
    }
    pit_advice_free(advice);
    pit_tree_free(tree);
    return metrics;
}

void pit__metrics_free(struct pit__metrics *metrics)
{
    for (size_t i = 0; metrics && i < PIT__METRIC_COUNT; i++)
        pit__text_free(&metrics->lines[i]);
    free(metrics);
}

/* A line of help: no line break, and '\' doubled. */
static void write_help(FILE *out, const char *help)
{
    for (; *help; help++)
        fputs(*help == '\\' ? "\\\\" : *help == '\n' ? "\\n" : (char[]){*help, '\0'}, out);
}

static void write_family(FILE *out, size_t metric, struct pit__metrics *const *runs, size_t count)
{
    const char *name = families[metric].name, *key = families[metric].field;
    const pit_field *field = key ? pit_field_find(PIT_OF_NODE, key) : NULL;
    int any = 0;
    for (size_t i = 0; i < count; i++) {
        const struct pit__text *lines = &runs[i]->lines[metric];
        if (lines->length == 0)
            continue;
        if (!any++) {
            fprintf(out, "# HELP %s ", name);
            write_help(out, field ? field->help : families[metric].help);
            fprintf(out, "\n# TYPE %s %s\n", name, families[metric].type);
        }
        fwrite(lines->data, 1, lines->length, out);
    }
}

void pit__metrics_write(FILE *out, struct pit__metrics *const *runs, size_t run_count)
{
    fputs("# HELP pitwall_build_info version of pitwall as a label; always 1\n"
          "# TYPE pitwall_build_info gauge\n"
          "pitwall_build_info{version=\"" PITWALL_VERSION "\"} 1\n",
          out);
    for (size_t metric = 0; metric < PIT__METRIC_COUNT; metric++)
        write_family(out, metric, runs, run_count);
}

/* ---- as an export ------------------------------------------------------------------------------------- */

static int is_again(const pit_run *const *runs, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (memcmp(runs[i]->run_id, runs[index]->run_id, sizeof runs[i]->run_id) == 0)
            return 1;
    return 0;
}

static int write_prometheus(FILE *out, const pit_run *const *runs, size_t run_count)
{
    struct pit__metrics **all = calloc(run_count + 1, sizeof(struct pit__metrics *));
    size_t count = 0;
    int code = all ? 0 : PIT_NO_MEMORY;
    for (size_t i = 0; i < run_count && !code; i++) {
        if (is_again(runs, i))
            continue;
        all[count] = pit__metrics_make(runs[i], PIT__METRICS_SPANS, NULL);
        if (all[count])
            count++;
        else
            code = PIT_NO_MEMORY;
    }
    if (!code)
        pit__metrics_write(out, all, count);
    while (count > 0)
        pit__metrics_free(all[--count]);
    free(all);
    return code;
}

const struct pit__export pit__prometheus_export = {
    .told = {.name = "prometheus",
             .help = "metrics for Prometheus, the same as from pitwall serve",
             .endings = PIT__ENDINGS(".prom")},
    .write = write_prometheus,
};
