/* speedup_view.c: how much faster each part is than a baseline, the fastest first.
 *
 * A part that took no time has no ratio; it is named below the table.
 */
#include "view_forms.h"

#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RULE 60

enum { NAME, RATIO, WORD, SECONDS, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "Name", .key = "name", .kind = PIT__TEXT, .fixed = {.width = 21}},
    [RATIO] = {.title = "Speedup",
               .key = "speedup",
               .kind = PIT__NUMBER,
               .fixed = {.width = 6, .decimals = 2, .before = ": ", .suffix = "x"}},
    [WORD] = {.title = "Is",
              .key = "verdict",
              .kind = PIT__TEXT,
              .fixed = {.width = 6, .before = " "}},
    [SECONDS] = {.title = "Time", .key = "seconds", .kind = PIT__NUMBER, .machine = 1},
};

struct ratios {
    const pit_data *data;
    double *of;       /* each row's */
    size_t *order;    /* rows, the fastest first, those without a ratio last */
    size_t baseline;  /* index */
    const char *name; /* the baseline's */
    double seconds;
};

/* The row that the others are compared with; SIZE_MAX: no row has that name. */
static size_t find_baseline(const pit_row *rows, size_t count, const char *name)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        if (name && rows[i].name && strcmp(rows[i].name, name) == 0)
            return i;
        if (!name && (best == SIZE_MAX || !(rows[i].seconds <= rows[best].seconds)) &&
            !isnan(rows[i].seconds))
            best = i;
    }
    return best;
}

PIT_API int pit_find_speedups(const pit_row *rows, size_t count, const char *baseline,
                              double *ratios)
{
    size_t base = find_baseline(rows, count, baseline);
    if (base == SIZE_MAX && (baseline || count > 0))
        return PIT_BAD_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        double seconds = rows[i].seconds, own = rows[base].seconds;
        ratios[i] = seconds > 0 && own > 0 ? own / seconds : NAN;
    }
    return 0;
}

struct ranked {
    double ratio;
    size_t row;
};

static int by_ratio(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (isnan(x->ratio) != isnan(y->ratio))
        return isnan(x->ratio) ? 1 : -1;
    if (!isnan(x->ratio) && x->ratio != y->ratio)
        return x->ratio > y->ratio ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static int make_order(struct ratios *ratios)
{
    size_t count = ratios->data->row_count;
    struct ranked *ranked = calloc(count + 1, sizeof *ranked);
    ratios->order = calloc(count + 1, sizeof *ratios->order);
    for (size_t i = 0; ranked && i < count; i++)
        ranked[i] = (struct ranked){ratios->of[i], i};
    if (ranked)
        qsort(ranked, count, sizeof *ranked, by_ratio);
    for (size_t i = 0; ranked && ratios->order && i < count; i++)
        ratios->order[i] = ranked[i].row;
    int good = ranked && ratios->order;
    free(ranked);
    return good ? 0 : PIT_NO_MEMORY;
}

static const char *word_of(double ratio)
{
    return ratio > 1 ? "faster" : ratio < 1 ? "slower" : "as fast";
}

/* In text the baseline is above the table; in the other forms it is a row. */
static struct pit__table *make_table(const struct ratios *ratios, int for_machines)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    for (size_t i = 0; table && i < ratios->data->row_count; i++) {
        size_t r = ratios->order[i];
        double ratio = ratios->of[r];
        if (!for_machines && (r == ratios->baseline || isnan(ratio)))
            continue;
        struct pit__cell cells[COLUMNS];
        cells[NAME] = pit__cell_name(ratios->data->rows[r].name);
        cells[RATIO] = pit__cell_real(ratio);
        cells[WORD] = pit__cell_text(isnan(ratio)            ? "no time was taken"
                                     : r == ratios->baseline ? "baseline"
                                                             : word_of(ratio));
        cells[SECONDS] = pit__cell_real(ratios->data->rows[r].seconds);
        pit__table_row(table, cells);
    }
    return table;
}

static void add_extras(struct pit__json *json, const void *arg)
{
    const struct ratios *ratios = arg;
    pit__json_flat_object(json, "baseline");
    pit__json_string(json, "name", ratios->name);
    pit__json_double(json, "seconds", ratios->seconds);
    pit__json_object_end(json);
}

static void print_timeless(const struct pit__view_call *call, const struct ratios *ratios)
{
    for (size_t i = 0; i < ratios->data->row_count; i++) {
        size_t r = ratios->order[i];
        const char *name = ratios->data->rows[r].name;
        if (isnan(ratios->of[r]) && call->options->form == PIT_MARKDOWN) {
            fputs("\nno time was taken by ", call->out);
            pit__print_markdown_text(call->out, name ? name : "");
            putc('\n', call->out);
        } else if (isnan(ratios->of[r])) {
            pit__prose_named(call->prose, "no time was taken by ", name ? name : "", "", RULE);
        }
    }
}

static void time_text(char *out, size_t size, double seconds)
{
    char number[PIT__UNIT_BYTES];
    pit__print_double(number, sizeof number, "%.2f", seconds);
    snprintf(out, size, " (%ss)", number);
}

static int print_text(const struct pit__view_call *call, const struct ratios *ratios)
{
    struct pit__table *table = make_table(ratios, 0);
    char seconds[2 * PIT__UNIT_BYTES];
    if (!table)
        return PIT_NO_MEMORY;
    pit__print_rule(call->out, '=', RULE);
    fputs("SPEEDUP ANALYSIS\n", call->out);
    pit__print_rule(call->out, '=', RULE);
    time_text(seconds, sizeof seconds, ratios->seconds);
    pit__prose_named(call->prose, "Baseline: ", ratios->name, seconds, RULE);
    pit__print_rule(call->out, '-', RULE);
    pit__table_print_fixed(table, call->out, RULE, 0, &call->look);
    print_timeless(call, ratios);
    pit__print_rule(call->out, '=', RULE);
    return pit__table_done(table);
}

static int print_form(const struct pit__view_call *call, const struct ratios *ratios)
{
    int markdown = call->options->form == PIT_MARKDOWN;
    struct pit__text heading = {0};
    char seconds[2 * PIT__UNIT_BYTES];
    time_text(seconds, sizeof seconds, ratios->seconds);
    pit__text_printf(&heading, "SPEEDUP ANALYSIS, baseline: %s%s", ratios->name, seconds);
    struct pit__table *table = make_table(ratios, !markdown);
    int code = table ? pit__view_form(call, table, pit__text_string(&heading), add_extras, ratios)
                     : PIT_NO_MEMORY;
    if (!code && markdown)
        print_timeless(call, ratios);
    pit__text_free(&heading);
    return code;
}

static int print_ratios(const struct pit__view_call *call, struct ratios *ratios)
{
    const pit_data *data = call->data;
    if (pit_find_speedups(data->rows, data->row_count, call->options->baseline, ratios->of) != 0)
        return pit__print_nothing(call, call->options->baseline ? "unknown baseline"
                                                                : "no times were recorded");
    ratios->baseline = find_baseline(data->rows, data->row_count, call->options->baseline);
    ratios->name = data->rows[ratios->baseline].name ? data->rows[ratios->baseline].name : "";
    ratios->seconds = data->rows[ratios->baseline].seconds;
    if (!(ratios->seconds > 0)) {
        struct pit__text why = {0};
        pit__text_puts(&why, "no time was taken by ");
        pit__text_add_visible(&why, ratios->name);
        pit__text_puts(&why, ", the baseline: nothing can be compared with it");
        int code = pit__print_nothing(call, pit__text_string(&why));
        pit__text_free(&why);
        return code;
    }
    if (make_order(ratios) != 0)
        return PIT_NO_MEMORY;
    return call->options->form == PIT_TEXT ? print_text(call, ratios) : print_form(call, ratios);
}

static int print(const struct pit__view_call *call)
{
    if (call->data->row_count == 0)
        return pit__print_nothing(call, "no times were recorded");
    struct ratios ratios = {.data = call->data};
    ratios.of = calloc(call->data->row_count, sizeof *ratios.of);
    int code = ratios.of ? print_ratios(call, &ratios) : PIT_NO_MEMORY;
    free(ratios.of);
    free(ratios.order);
    return code;
}

static const pit_option baseline_option = {.name = "baseline",
                                           .kind = PIT_OPTION_TEXT,
                                           .default_text = "the slowest",
                                           .help = "the name to compare the others with",
                                           PIT__STORED(baseline)};

const struct pit__view pit__speedup_view = {
    .told = {.name = "speedup",
             .help = "how much faster is each than the baseline?",
             .options = PIT__OPTIONS(&pit__title_option, &pit__node_option, &baseline_option)},
    .gather = pit__gather_rows,
    .print = print,
};
