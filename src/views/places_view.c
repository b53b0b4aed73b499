/* places_view.c: where in the code the main thread was, by samples of its stack: the view
 * `places`, the hottest places in the report, and all places as JSON.
 *
 * Samples of Python and of native code are taken independently, so each kind adds up to 100 %.
 */
#include "report_view.h"
#include "view.h"

#include "report/json_writer.h"
#include "report/units.h"

#include <stdlib.h>

#define FEW_SAMPLES 10 /* with fewer the report does not mention them */
#define SHOWN 5        /* in the report */
#define LEAST_SHARE 0.02
#define WORDS_BYTES 256

static const char *const kind_names[PIT_PLACE_KINDS] = {"python", "native"};

static const char *kind_name(const pit_tree_place *place)
{
    return kind_names[place->kind % PIT_PLACE_KINDS];
}

static const char *span_of(const pit_tree *tree, const pit_tree_place *place)
{
    return place->node == PIT_NO_NODE ? NULL : tree->nodes[place->node].path;
}

static int is_known(const pit_tree_place *place)
{
    return place->line || *place->file || *place->function;
}

/* ---- in order ------------------------------------------------------------------------------- */

static int by_heat(const void *a, const void *b)
{
    const pit_tree_place *x = *(const pit_tree_place *const *)a;
    const pit_tree_place *y = *(const pit_tree_place *const *)b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->samples != y->samples)
        return x->samples > y->samples ? -1 : 1;
    return (x > y) - (x < y); /* in the order of the tree */
}

/* Python before native code, the hottest first; the caller frees it. NULL without memory. */
static const pit_tree_place **sorted(const pit_tree *tree)
{
    const pit_tree_place **list = calloc(tree->place_count + 1, sizeof *list);
    for (size_t i = 0; list && i < tree->place_count; i++)
        list[i] = &tree->places[i];
    if (list)
        qsort(list, tree->place_count, sizeof *list, by_heat);
    return list;
}

/* ---- the table of all ------------------------------------------------------------------------ */

static const struct pit__column columns[] = {
    {.title = "place", .key = "place", .kind = PIT__TEXT, .min_width = 24, .max_width = 60},
    {.title = "in span", .key = "span", .kind = PIT__TEXT, .min_width = 12, .max_width = 60},
    {.title = "samples", .key = "samples", .kind = PIT__COUNT},
    {.title = "of span", .key = "share", .kind = PIT__PERCENT},
    {.title = "of run", .key = "run_share", .kind = PIT__PERCENT},
    {.title = "kind", .key = "kind", .kind = PIT__TEXT, .drop = 1},
    {.title = "function", .key = "function", .kind = PIT__TEXT, .machine = 1},
    {.title = "file", .key = "file", .kind = PIT__TEXT, .machine = 1},
    {.title = "line", .key = "line", .kind = PIT__COUNT, .machine = 1},
};

static struct pit__cell text_or_empty(const char *text)
{
    return text && *text ? pit__cell_text(text) : pit__cell_empty();
}

static void add_row(struct pit__table *table, const pit_tree *tree, const pit_tree_place *place)
{
    char words[WORDS_BYTES];
    const char *span = span_of(tree, place);
    struct pit__cell in_span = pit__cell_text(span ? span : "(outside of all spans)");
    in_span.raw = span ? NULL : "";
    struct pit__cell cells[] = {
        pit__cell_text(pit_place_text(place, words, sizeof words)),
        in_span,
        pit__cell_whole(place->samples),
        pit__cell_real(place->share),
        pit__cell_real(place->run_share),
        pit__cell_text(kind_name(place)),
        text_or_empty(place->function),
        text_or_empty(place->file),
        place->line ? pit__cell_whole(place->line) : pit__cell_empty(),
    };
    pit__table_row(table, cells);
}

static int print_all(const struct pit__report *report)
{
    const pit_tree *tree = report->tree;
    const pit_tree_place **list = sorted(tree);
    struct pit__table *table = pit__table_new(columns, sizeof columns / sizeof columns[0]);
    size_t left_out = 0;
    int code = list && table ? 0 : PIT_NO_MEMORY;
    for (size_t i = 0; !code && i < tree->place_count; i++) {
        if (list[i]->run_share < report->options->min_share)
            left_out++;
        else
            add_row(table, tree, list[i]);
    }
    if (!code)
        code = pit__print_table(report, table, left_out, "place");
    pit__table_free(table);
    free(list);
    return code;
}

/* ---- the hottest, in the report -------------------------------------------------------------- */

static uint64_t samples_of(const pit_tree *tree, uint32_t kind)
{
    uint64_t samples = 0;
    for (size_t i = 0; i < tree->place_count; i++)
        if (tree->places[i].kind == kind)
            samples += tree->places[i].samples;
    return samples;
}

/* The kind to report: Python first, because users can change those lines. PIT_PLACE_KINDS: too
 * few samples. */
static uint32_t kind_to_show(const pit_tree *tree)
{
    uint32_t kind = 0;
    while (kind < PIT_PLACE_KINDS && samples_of(tree, kind) < FEW_SAMPLES)
        kind++;
    return kind;
}

int pit__print_hottest(const struct pit__report *report)
{
    static const struct pit__column few[] = {
        {.title = "hottest places",
         .key = "place",
         .kind = PIT__TEXT,
         .min_width = 24,
         .max_width = 60},
        {.title = "in span", .key = "span", .kind = PIT__TEXT, .min_width = 12, .max_width = 60},
        {.title = "samples", .key = "samples", .kind = PIT__COUNT, .drop = 1},
        {.title = "of run", .key = "run_share", .kind = PIT__PERCENT},
    };
    const pit_tree *tree = report->tree;
    uint32_t kind = kind_to_show(tree);
    if (kind == PIT_PLACE_KINDS)
        return 0;
    const pit_tree_place **list = sorted(tree);
    struct pit__table *table = pit__table_new(few, sizeof few / sizeof few[0]);
    size_t shown = 0;
    for (size_t i = 0; list && table && i < tree->place_count && shown < SHOWN; i++) {
        char words[WORDS_BYTES];
        const pit_tree_place *place = list[i];
        if (place->kind != kind || !is_known(place) || place->run_share < LEAST_SHARE)
            continue;
        const char *span = span_of(tree, place);
        struct pit__cell cells[] = {pit__cell_text(pit_place_text(place, words, sizeof words)),
                                    pit__cell_text(span ? span : "(outside of all spans)"),
                                    pit__cell_whole(place->samples),
                                    pit__cell_real(place->run_share)};
        pit__table_row(table, cells);
        shown++;
    }
    int code = list && table ? 0 : PIT_NO_MEMORY;
    if (!code && shown) {
        putc('\n', report->out);
        code = pit__table_print(table, report->out, &report->look) ? PIT_NO_MEMORY : 0;
    }
    pit__table_free(table);
    free(list);
    return code;
}

/* ---- for machines ---------------------------------------------------------------------------- */

void pit__json_places(struct pit__json *json, const pit_tree *tree)
{
    pit__json_array(json, "places");
    for (size_t i = 0; i < tree->place_count; i++) {
        const pit_tree_place *place = &tree->places[i];
        pit__json_flat_object(json, NULL);
        pit__json_string(json, "kind", kind_name(place));
        pit__json_string(json, "function", *place->function ? place->function : NULL);
        pit__json_string(json, "file", *place->file ? place->file : NULL);
        if (place->line)
            pit__json_uint(json, "line", place->line);
        else
            pit__json_null(json, "line");
        pit__json_string(json, "span", span_of(tree, place));
        pit__json_uint(json, "samples", place->samples);
        pit__json_uint(json, "span_samples", place->node_samples);
        pit__json_double(json, "share", place->share);
        pit__json_double(json, "run_share", place->run_share);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
}

void pit__json_stack_samples(struct pit__json *json, const pit_run *run)
{
    pit__json_object(json, "stack_samples");
    for (size_t kind = 0; kind < PIT_PLACE_KINDS; kind++) {
        const pit_place_source *source = &run->place_sources[kind];
        pit__json_flat_object(json, kind_names[kind]);
        pit__json_double(json, "hz", source->hz);
        pit__json_uint(json, "samples", source->samples);
        pit__json_uint(json, "dropped", source->dropped);
        pit__json_string(json, "reason", source->reason);
        pit__json_object_end(json);
    }
    pit__json_object_end(json);
}

/* ---- the view -------------------------------------------------------------------------------- */

/* The sampling rate, or why a kind has no samples. */
static int print_sources(const struct pit__report *report)
{
    for (size_t r = 0; r < report->run_count; r++)
        for (size_t kind = 0; kind < PIT_PLACE_KINDS; kind++) {
            const pit_place_source *source = &report->runs[r]->place_sources[kind];
            char rate[PIT__UNIT_BYTES], samples[PIT__UNIT_BYTES];
            struct pit__text line = {0};
            if (!(source->hz > 0) && !source->samples && !source->reason)
                continue;
            pit__text_printf(&line, "%s stack: ", kind ? "native" : "Python");
            if (source->reason)
                pit__text_add_visible(&line, source->reason);
            else
                pit__text_printf(&line, "%s samples, %s a second",
                                 pit__unit_count(samples, source->samples),
                                 pit__unit_rate(rate, source->hz));
            if (source->dropped)
                pit__text_printf(&line, ", %s without room",
                                 pit__unit_count(samples, source->dropped));
            pit__prose_line(report->prose, &line, PIT__DIM);
        }
    return 0;
}

static pit__print_part *const text_parts[] = {print_sources, print_all, NULL};

static const char *why_none(const struct pit__gathered *gathered)
{
    for (size_t r = 0; r < gathered->run_count; r++)
        if (gathered->runs[r]->places_reason)
            return gathered->runs[r]->places_reason;
    return "there are no samples of the stack";
}

static int print(const struct pit__view_call *call)
{
    static const struct pit__report_parts parts = {PIT__SORT_TOTAL, text_parts, print_all,
                                                   pit__headline};
    const struct pit__gathered *gathered = call->gathered;
    size_t count = 0;
    for (size_t r = 0; r < gathered->run_count; r++)
        count += gathered->runs[r]->place_count;
    return count ? pit__print_parts(call, &parts) : pit__print_nothing(call, why_none(gathered));
}

const struct pit__view pit__places_view = {
    .told = {.name = "places",
             .help = "in which lines and functions was the main thread?",
             .options = PIT__OPTIONS(&pit__min_share_option)},
    .print = print,
    .needs_runs = 1,
};
