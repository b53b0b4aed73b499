/* energy_view.c: the energy of a run: each counter of each machine, and the spans that measured
 * it. */
#include "report_view.h"
#include "view.h"

#include "model/fields.h"
#include "model/run_energy.h"
#include "report/json_writer.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the counters --------------------------------------------------------------------------- */

/* "package_0_energy_j" is package_0. */
static void add_counter_name(const struct pit__energy_source *source, struct pit__text *text)
{
    static const char tail[] = "_energy_j";
    char name[64];
    size_t length = strlen(source->key), end = sizeof tail - 1;
    int has_tail = length > end && strcmp(source->key + length - end, tail) == 0;
    snprintf(name, sizeof name, "%.*s", (int)(has_tail ? length - end : length), source->key);
    pit__text_add_visible(text, name);
}

static const char *how_of(const struct pit__energy_source *source)
{
    return strcmp(source->reader, "rapl") == 0 ? "RAPL" : "the device's counter";
}

static void add_source(const struct pit__report *report, const struct pit__energy_source *source,
                       int with_host, struct pit__text *text)
{
    char joules[PIT__UNIT_BYTES], power[PIT__UNIT_BYTES], time[PIT__UNIT_BYTES];
    add_counter_name(source, text);
    if (with_host && *source->host) {
        pit__text_puts(text, " of ");
        pit__text_add_visible(text, source->host);
    }
    if (isnan(source->joules)) {
        pit__text_puts(text, " n/a: ");
        pit__text_add_visible(text, source->missing ? source->missing : "it was not read twice");
        return;
    }
    pit__text_printf(
        text, " %s in %s, %s on average, measured by %s", pit__unit_energy(joules, source->joules),
        pit__unit_duration(time, source->time_ns, report->look.ascii),
        pit__unit_power(power, source->joules * 1e9 / source->time_ns), how_of(source));
    if (source->runs > 1)
        pit__text_printf(text, ", read by %zu runs, counted once", source->runs);
}

/* Why a kind of counter is missing, from the first run. */
static void print_absent(const struct pit__report *report)
{
    static const struct {
        const char *fact, *words;
    } kinds[] = {{"no_rapl", "processors n/a: "}, {"no_gpu", "GPU n/a: "}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        struct pit__text text = {0};
        const char *why = pit_run_fact(report->runs[0], kinds[i].fact);
        if (!why)
            continue;
        pit__text_puts(&text, kinds[i].words);
        pit__text_add_visible(&text, why);
        pit__prose_labelled(report->prose, "", &text, PIT__PLAIN);
    }
}

static int has_hosts(const struct pit__energy_source *sources, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (strcmp(sources[i].host, sources[0].host) != 0)
            return 1;
    return 0;
}

static void headline(const struct pit__report *report, struct pit__text *words)
{
    struct pit__energy_source *sources;
    size_t count;
    char joules[PIT__UNIT_BYTES];
    if (pit__energy_sources(report->runs, report->run_count, &sources, &count) != 0)
        words->failed = 1;
    double sum = words->failed ? (double)NAN : pit__energy_sum(sources, count);
    if (isnan(sum))
        pit__text_puts(words, "energy n/a: no counter could be read; pitwall doctor says why, and"
                              " what to do");
    else
        pit__text_printf(words, "%s by all counters, other programs included",
                         pit__unit_energy(joules, sum));
    free(sources);
}

static int print_headline(const struct pit__report *report)
{
    struct pit__text words = {0};
    headline(report, &words);
    pit__prose_words(report->prose, &words, 0, PIT__STRONG);
    return 0;
}

static int print_sources(const struct pit__report *report)
{
    struct pit__energy_source *sources;
    size_t count;
    int code = pit__energy_sources(report->runs, report->run_count, &sources, &count);
    int with_host = !code && has_hosts(sources, count);
    putc('\n', report->out);
    for (size_t i = 0; !code && i < count; i++) {
        struct pit__text text = {0};
        add_source(report, &sources[i], with_host, &text);
        pit__prose_labelled(report->prose, i == 0 ? "energy" : "", &text, PIT__PLAIN);
    }
    free(sources);
    if (!code)
        print_absent(report);
    return code;
}

/* ---- the spans ------------------------------------------------------------------------------ */

enum {
    NAME,
    SPANS,
    JOULES,
    EACH,
    ITEM,
    POWER,
    PROCESSORS,
    DEVICES,
    ESTIMATED,
    UNREAD,
    HOW,
    PATH,
    COLUMNS
};

#define COLUMN(title_, key_, kind_, drop_)                                                         \
    {                                                                                              \
        .title = title_, .key = key_, .kind = kind_, .drop = drop_                                 \
    }
#define OPTIONAL(title_, key_, kind_, drop_)                                                       \
    {                                                                                              \
        .title = title_, .key = key_, .kind = kind_, .drop = drop_, .optional = 1                  \
    }

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "span", .key = "name", .kind = PIT__TEXT, .min_width = 22, .max_width = 100},
    [SPANS] = COLUMN("spans", "energy_spans", PIT__COUNT, 1),
    [JOULES] = COLUMN("energy", "energy_j", PIT__ENERGY, 0),
    [EACH] = COLUMN("J/span", "energy_per_span_j", PIT__ENERGY, 2),
    [ITEM] = OPTIONAL("J/item", "energy_per_item_j", PIT__ENERGY, 0),
    [POWER] = COLUMN("power", "power_w", PIT__POWER, 3),
    [PROCESSORS] = OPTIONAL("processors", "processors_energy_j", PIT__ENERGY, 5),
    [DEVICES] = OPTIONAL("devices", "devices_energy_j", PIT__ENERGY, 4),
    [ESTIMATED] = OPTIONAL("estimated", "energy_estimated_j", PIT__ENERGY, 6),
    [UNREAD] = OPTIONAL("not read", "energy_unknown_spans", PIT__COUNT, 7),
    [HOW] = {.title = "how", .key = "energy_how", .kind = PIT__TEXT, .min_width = 8},
    [PATH] = {.title = "path", .key = "path", .kind = PIT__TEXT, .machine = 1},
};

struct rows {
    struct pit__table *table;
    int is_text;
};

static void add_row(void *arg, const pit_node *node, const char *lines)
{
    const struct rows *rows = arg;
    struct pit__cell cells[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++)
        cells[i] = pit__field_cell(pit__field_named(&pit__node_fields, columns[i].key), node);
    pit__set_name_cell(&cells[NAME], node, lines);
    if (rows->is_text && node->energy && node->energy->estimated_j > 0)
        cells[HOW] =
            pit__cell_text(cells[HOW].string[0] == 'p' ? "~ part estimated" : "~ estimated");
    pit__table_row(rows->table, cells);
}

/* Nodes with figures, and those above them. */
static size_t choose(const pit_tree *tree, unsigned char *keep)
{
    size_t count = 0;
    for (size_t i = tree->node_count; i-- > 0;) { /* children come after their parents */
        count += tree->nodes[i].energy != NULL;
        keep[i] |= tree->nodes[i].energy != NULL;
        if (keep[i] && tree->nodes[i].parent != PIT_NO_NODE)
            keep[tree->nodes[i].parent] = 1;
    }
    return count;
}

static int print_words(const struct pit__report *report, size_t count)
{
    struct pit__text text = {0};
    if (report->options->form != PIT_TEXT)
        return 0;
    if (count == 0)
        putc('\n', report->out);
    pit__text_puts(&text, count
                              ? "estimated: mean power of the run x time, for spans shorter than 20"
                                " updates of a counter (20 ms for RAPL, 2 s for a GPU)"
                              : "no span measured its energy: mark those that matter with"
                                " PIT_SPAN_WITH(name, PIT_ENERGY), in Python energy=True");
    pit__prose_words(report->prose, &text, 0, PIT__DIM);
    return 0;
}

static int print_rows(const struct pit__report *report)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    struct rows rows = {table, report->options->form == PIT_TEXT};
    unsigned char *keep = calloc(report->tree->node_count + 1, 1);
    size_t left_out = 0, count = table && keep ? choose(report->tree, keep) : 0;
    int code = table && keep ? 0 : PIT_NO_MEMORY;
    if (!code && (count > 0 || report->options->form != PIT_TEXT)) {
        code = pit__each_tree_row(report, keep, add_row, &rows, &left_out);
        if (!code)
            code = pit__print_table(report, table, left_out, "node");
    }
    if (!code)
        code = print_words(report, count);
    pit__table_free(table);
    free(keep);
    return code;
}

/* ---- for machines --------------------------------------------------------------------------- */

int pit__json_energy(struct pit__json *json, const struct pit__report *report)
{
    struct pit__energy_source *sources;
    size_t count;
    int code = pit__energy_sources(report->runs, report->run_count, &sources, &count);
    pit__json_object(json, "energy");
    pit__json_double(json, "joules", code ? (double)NAN : pit__energy_sum(sources, count));
    pit__json_array(json, "sources");
    for (size_t i = 0; !code && i < count; i++) {
        const struct pit__energy_source *s = &sources[i];
        pit__json_object(json, NULL);
        pit__json_string(json, "key", s->key);
        pit__json_string(json, "host", s->host);
        pit__json_string(json, "source", s->reader);
        pit__json_double(json, "joules", s->joules);
        pit__json_double(json, "power_w",
                         s->time_ns > 0 ? s->joules * 1e9 / s->time_ns : (double)NAN);
        pit__json_milli(json, "time_ns", s->time_ns);
        pit__json_uint(json, "runs", s->runs);
        if (s->missing)
            pit__json_string(json, "missing", s->missing);
        else
            pit__json_null(json, "missing");
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
    pit__json_object_end(json);
    free(sources);
    return code;
}

/* ---- the view ------------------------------------------------------------------------------- */

static pit__print_part *const text_parts[] = {print_headline, pit__print_facts, print_sources,
                                              print_rows,     pit__print_cost,  NULL};

static int print(const struct pit__view_call *call)
{
    static const struct pit__report_parts parts = {PIT__SORT_TOTAL, text_parts, print_rows,
                                                   headline};
    return pit__print_parts(call, &parts);
}

const struct pit__view pit__energy_view = {
    .told = {.name = "energy",
             .help = "how many joules did it use?",
             .options =
                 PIT__OPTIONS(&pit__sort_option, &pit__depth_option, &pit__min_share_option)},
    .print = print,
    .needs_runs = 1,
};
