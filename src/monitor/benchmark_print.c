/* benchmark_print.c: a benchmark's figures in the layout of the view `inference`.
 *
 * The layout has milliseconds with three decimals, which shows 0.000 below a microsecond. Small figures are
 * therefore printed in smaller units at the same positions, and a figure below the resolution is a text.
 * JSON has the keys of the view and all other figures. */
#include "pitwall_bench.h"

#include "report/json_writer.h"
#include "report/prose.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

#define RULE 40
#define NANOSECONDS_BELOW 1e-6
#define MICROSECONDS_BELOW 1e-4

struct line {
    const char *label;
    char value[96];
};

static void add_latency(struct line *line, const char *label, const pit_bench_result *r,
                        double seconds)
{
    char number[PIT__UNIT_BYTES];
    line->label = label;
    if (r->at_resolution) {
        pit__print_double(number, sizeof number, "%.1f", r->resolution * 1e9);
        snprintf(line->value, sizeof line->value, "at or below the resolution of %s ns", number);
    } else {
        int is_ns = r->mean < NANOSECONDS_BELOW;
        pit__print_double(number, sizeof number, "%8.3f", seconds * (is_ns ? 1e9 : 1e6));
        snprintf(line->value, sizeof line->value, "%s %s", number, is_ns ? "ns" : "us");
    }
}

static void add_throughput(struct line *line, const pit_bench_result *r)
{
    char number[PIT__UNIT_BYTES];
    line->label = "Throughput";
    pit__print_double(number, sizeof number, r->at_resolution ? "%.0f" : "%8.1f",
                      r->samples_per_second);
    snprintf(line->value, sizeof line->value, "%s%s samples/sec",
             r->at_resolution ? "at least " : "", number);
}

/* At the resolution all latencies have the same text, so one line is enough. */
static size_t fill_lines(struct line *lines, const pit_bench_result *r, int percentiles)
{
    size_t count = 0;
    add_latency(&lines[count++], "Mean latency", r, r->mean);
    if (!r->at_resolution) {
        add_latency(&lines[count++], "Min latency", r, r->min);
        add_latency(&lines[count++], "Max latency", r, r->max);
    }
    add_throughput(&lines[count++], r);
    if (percentiles && !r->at_resolution) {
        add_latency(&lines[count++], "p50 latency", r, r->median);
        add_latency(&lines[count++], "p95 latency", r, r->p95);
        add_latency(&lines[count++], "p99 latency", r, r->p99);
    }
    return count;
}

enum { LABEL, VALUE, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [LABEL] = {.title = "",
               .kind = PIT__TEXT,
               .fixed = {.width = 18, .before = "  ", .suffix = ":"}},
    [VALUE] = {.title = "", .kind = PIT__TEXT, .align = PIT__ALIGN_RIGHT, .fixed = {.width = 1}},
};

/* flush: align the figures in a column. */
static struct pit__table *make_table(const pit_bench_result *r, int percentiles, int flush)
{
    struct line lines[7];
    size_t count = fill_lines(lines, r, percentiles);
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    for (size_t i = 0; table && i < count; i++) {
        struct pit__cell cells[COLUMNS];
        cells[LABEL] = pit__cell_text(lines[i].label);
        const char *value = lines[i].value;
        cells[VALUE] = pit__cell_text(flush ? value : value + strspn(value, " "));
        pit__table_row(table, cells);
    }
    return table;
}

static int print_small(FILE *out, const char *name, const pit_bench_result *r, int percentiles,
                       enum pit_form form)
{
    struct pit__prose prose = {.out = out};
    struct pit__table *table = make_table(r, percentiles, form == PIT_TEXT);
    if (!table)
        return PIT_NO_MEMORY;
    if (form == PIT_MARKDOWN) {
        fputs("### ", out);
        pit__print_markdown_text(out, name);
        fputs(" Inference Benchmark\n\n", out);
        pit__table_markdown(table, out, &prose.look);
    } else {
        pit__prose_named(&prose, "", name, " Inference Benchmark:", 0);
        pit__print_rule(out, '-', RULE);
        pit__table_print_fixed(table, out, 0, 0, &prose.look);
        pit__print_rule(out, '-', RULE);
    }
    int failed = prose.failed || pit__table_failed(table);
    pit__table_free(table);
    return failed ? PIT_NO_MEMORY : 0;
}

static int print_in_ms(FILE *out, const char *name, const pit_bench_result *r, int percentiles,
                       enum pit_form form)
{
    double seconds = r->mean * (double)r->trials;
    pit_row row = {.name = name,
                   .seconds = seconds,
                   .count = r->trials,
                   .min_seconds = r->min,
                   .max_seconds = r->max,
                   .p50_seconds = r->median,
                   .p95_seconds = r->p95,
                   .p99_seconds = r->p99,
                   .items = r->samples_per_second * seconds};
    pit_data data = {.title = name, .rows = &row, .row_count = 1};
    pit_report_options options = {.form = form, .percentiles = percentiles};
    return pit_view_print(out, "inference", &data, &options);
}

static void print_json(FILE *out, const char *name, const pit_bench_result *r)
{
    struct pit__json json;
    pit__json_init(&json, out);
    pit__json_object(&json, NULL);
    pit__json_string(&json, "view", "inference");
    pit__json_string(&json, "title", name);
    pit__json_array(&json, "rows");
    pit__json_object(&json, NULL);
    pit__json_string(&json, "name", name);
    pit__json_double(&json, "mean_ms", r->mean * 1e3);
    pit__json_double(&json, "min_ms", r->min * 1e3);
    pit__json_double(&json, "max_ms", r->max * 1e3);
    pit__json_double(&json, "throughput_samples_per_sec", r->samples_per_second);
    pit__json_double(&json, "p50_ms", r->median * 1e3);
    pit__json_double(&json, "p95_ms", r->p95 * 1e3);
    pit__json_double(&json, "p99_ms", r->p99 * 1e3);
    pit__json_uint(&json, "count", r->trials);
    pit__json_double(&json, "samples",
                     r->at_resolution ? NAN : r->samples_per_second * r->mean * (double)r->trials);
    pit__json_double(&json, "std_ms", r->std * 1e3);
    pit__json_double(&json, "cpu_mean_ms", r->cpu_mean * 1e3);
    pit__json_double(&json, "process_cpu_mean_ms", r->process_cpu_mean * 1e3);
    pit__json_uint(&json, "iterations", r->iterations);
    pit__json_uint(&json, "interrupted", r->interrupted);
    pit__json_double(&json, "resolution_ms", r->resolution * 1e3);
    pit__json_bool(&json, "at_resolution", r->at_resolution);
    pit__json_bool(&json, "too_few", r->too_few);
    pit__json_object_end(&json);
    pit__json_array_end(&json);
    pit__json_object_end(&json);
    pit__json_finish(&json);
}

PIT_API int pit_bench_print(FILE *out, const char *name, const pit_bench_result *result,
                            int percentiles, enum pit_form form)
{
    if (!out || !name || !result || result->trials == 0)
        return PIT_BAD_ARGUMENT;
    int code = 0;
    if (form == PIT_JSON)
        print_json(out, name, result);
    else if (form != PIT_CSV && (result->at_resolution || result->mean < MICROSECONDS_BELOW))
        code = print_small(out, name, result, percentiles, form);
    else
        code = print_in_ms(out, name, result, percentiles, form);
    if (!code && form == PIT_TEXT && result->trials < 50)
        fprintf(out, "  %llu trials are few: take 50 or more, 100 for calls under 1 ms\n",
                (unsigned long long)result->trials);
    return code ? code : fflush(out) || ferror(out) ? PIT_CANNOT_WRITE : 0;
}
