/* info_view.c: a run file in detail: the facts of the report, then clock, storage, format,
 * contents, cost of measuring, and errors. */
#include "info_view.h"

#include "report_view.h"

#include "report/json_writer.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

#define SCHEMA_VERSION 2
#define ID_BYTES 33

/* Contents of a run, summed over all threads. */
struct content {
    uint64_t values, events, events_dropped, records, records_dropped;
};

static struct content content_of(const pit_run *run)
{
    struct content sum = {0};
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        sum.values += thread->value_count;
        sum.events += thread->event_count;
        sum.events_dropped += thread->events_dropped;
        sum.records += thread->record_count;
        sum.records_dropped += thread->records_dropped;
    }
    return sum;
}

/* Sampler readings per second, computed from the readings; NaN with fewer than three. The last
 * point is left out: it is the reading at the close, or covers fewer readings than the others. */
static double sampler_hz(const pit_run *run)
{
    if (run->sample_count < 3)
        return NAN;
    uint64_t ticks = run->samples[run->sample_count - 2].ticks - run->samples[0].ticks;
    double seconds = (double)ticks * run->ns_per_tick / 1e9;
    double readings = (double)(run->sample_count - 2) * (double)run->sample_stride;
    return seconds > 0 ? readings / seconds : NAN;
}

/* 0: there is none. */
static int id_text(const unsigned char id[16], char text[ID_BYTES])
{
    int any = 0;
    for (int i = 0; i < 16; i++) {
        snprintf(text + 2 * i, 3, "%02x", id[i]);
        any |= id[i];
    }
    return any;
}

/* ---- text ---------------------------------------------------------------------------------- */

static void clock_words(const pit_run *run, struct pit__text *text)
{
    static const char *const names[] = {"unknown", "clock_gettime (CLOCK_MONOTONIC)",
                                        "time-stamp counter", "cntvct_el0"};
    char number[PIT__UNIT_BYTES];
    pit__text_puts(text, names[run->clock >= 1 && run->clock <= 3 ? run->clock : 0]);
    if (run->clock < 2)
        return;
    pit__text_printf(text, ", %s ticks a second", pit__unit_rate(number, 1e9 / run->ns_per_tick));
    if (run->ns_per_tick_error < 1)
        pit__text_printf(text, ", known to %s",
                         pit__unit_percent_words(number, run->ns_per_tick_error));
    else
        pit__text_puts(text, ", its rate is not known");
}

static void place_words(const pit_run *run, struct pit__text *text)
{
    if (run->storage == PIT_STORAGE_FILE)
        pit__text_puts(text, "mapped in place, in its file");
    else if (run->storage == PIT_STORAGE_MEMORY)
        pit__text_puts(text, "in memory");
    else
        pit__text_puts(text, "in shared memory, copied to its file");
}

static void add_count(struct pit__text *text, uint64_t count, const char *one, const char *many)
{
    char number[PIT__UNIT_BYTES];
    pit__text_printf(text, "%s%s %s", text->length ? ", " : "", pit__unit_count(number, count),
                     count == 1 ? one : many);
}

static void content_words(const pit_run *run, const pit_tree *tree, struct pit__text *text)
{
    add_count(text, tree->spans, "span", "spans");
    add_count(text, tree->node_count, "node", "nodes");
    add_count(text, content_of(run).values, "value", "values");
    add_count(text, run->journal_count, "journal entry", "journal entries");
}

static void kept_words(const pit_run *run, struct pit__text *text)
{
    char number[PIT__UNIT_BYTES];
    struct content sum = content_of(run);
    add_count(text, sum.events, "single span", "single spans");
    pit__text_puts(text, " in the flight recorder");
    if (sum.events_dropped)
        pit__text_printf(text, " (%s overwritten)", pit__unit_count(number, sum.events_dropped));
    add_count(text, sum.records, "record", "records");
    if (sum.records_dropped)
        pit__text_printf(text, " (%s overwritten)", pit__unit_count(number, sum.records_dropped));
}

static void sampler_words(const pit_run *run, struct pit__text *text)
{
    char number[PIT__UNIT_BYTES];
    double hz = sampler_hz(run);
    if (!run->has_samples)
        pit__text_puts(text, "n/a (no readings)");
    else if (isnan(hz))
        pit__text_puts(text, "n/a (too few readings)");
    else
        pit__text_printf(text, "%s readings a second", pit__unit_rate(number, hz));
}

/* The printed figures of a run. */
struct info {
    const pit_run *const *run;
    pit_tree *tree;
    struct pit__run_memory memory;
};

static void print_id(struct pit__prose *prose, const char *label, const unsigned char *id,
                     const char *more)
{
    char text[ID_BYTES];
    struct pit__text line = {0};
    if (!id_text(id, text))
        return;
    pit__text_puts(&line, text);
    if (more && *more) {
        pit__text_puts(&line, ", ");
        pit__text_add_visible(&line, more);
    }
    pit__prose_labelled(prose, label, &line, PIT__PLAIN);
}

/* A labelled line; "nothing" for no words. */
static void say(struct pit__prose *prose, const char *label, struct pit__text *words,
                enum pit__style style)
{
    if (words->length == 0) {
        pit__text_puts(words, "nothing");
        style = PIT__PLAIN;
    }
    pit__prose_labelled(prose, label, words, style);
}

static void print_text(struct pit__prose *prose, const struct info *info)
{
    const pit_run *run = *info->run;
    struct pit__text words = {0};
    pit__print_run_facts(prose, run, &info->memory);
    clock_words(run, &words);
    say(prose, "clock", &words, PIT__PLAIN);
    place_words(run, &words);
    say(prose, "pages", &words, PIT__PLAIN);
    pit__text_printf(&words, "%u.%u", run->format_major, run->format_minor);
    say(prose, "format", &words, PIT__PLAIN);
    content_words(run, info->tree, &words);
    say(prose, "holds", &words, PIT__PLAIN);
    kept_words(run, &words);
    say(prose, "kept", &words, PIT__PLAIN);
    sampler_words(run, &words);
    say(prose, "sampler", &words, PIT__PLAIN);
    pit__add_cost(&words, info->run, 1, run->span_cost_ns, prose->look.ascii);
    say(prose, "own cost", &words, PIT__PLAIN);
    pit__losses_words(&run->losses, &words);
    say(prose, "lost", &words, PIT__WARM);
    print_id(prose, "id", run->run_id, NULL);
    for (size_t i = 0; i < run->below_count; i++)
        print_id(prose, i ? "" : "sub-runs", run->below[i]->run_id, run->below[i]->path);
    print_id(prose, "parent", run->parent_run_id, pit_run_fact(run, "parent_path"));
}

/* ---- JSON ---------------------------------------------------------------------------------- */

static void write_labels(struct pit__json *json, const pit_run *run)
{
    pit__json_object(json, "labels");
    for (size_t i = 0; i < run->fact_count; i++)
        if (strncmp(run->facts[i].key, "label.", 6) == 0)
            pit__json_string(json, run->facts[i].key + 6, run->facts[i].value);
    pit__json_object_end(json);
}

static void write_sub_runs(struct pit__json *json, const pit_run *run)
{
    char id[ID_BYTES];
    pit__json_array(json, "sub_runs");
    for (size_t i = 0; i < run->below_count; i++) {
        id_text(run->below[i]->run_id, id);
        pit__json_flat_object(json, NULL);
        pit__json_string(json, "path", run->below[i]->path);
        pit__json_string(json, "run_id", id);
        pit__json_object_end(json);
    }
    pit__json_array_end(json);
}

static void write_json(struct pit__json *json, const struct info *info)
{
    const pit_run *run = *info->run;
    struct content sum = content_of(run);
    size_t threads;
    double share = pit__cost_share(info->run, 1, &threads);
    char format[32];
    snprintf(format, sizeof format, "%u.%u", run->format_major, run->format_minor);
    pit__json_object(json, NULL);
    pit__json_run_facts(json, run);
    write_labels(json, run);
    write_sub_runs(json, run);
    pit__json_string(json, "format_version", format);
    pit__json_uint(json, "threads", run->thread_count);
    pit__json_uint(json, "nodes", info->tree->node_count);
    pit__json_uint(json, "spans", info->tree->spans);
    pit__json_uint(json, "values", sum.values);
    pit__json_uint(json, "journal_entries", run->journal_count);
    pit__json_uint(json, "events_kept", sum.events);
    pit__json_uint(json, "events_dropped", sum.events_dropped);
    pit__json_uint(json, "records", sum.records);
    pit__json_uint(json, "records_dropped", sum.records_dropped);
    pit__json_double(json, "sampler_hz", sampler_hz(run));
    pit__json_double(json, "rss_peak_bytes", info->memory.peak);
    pit__json_milli(json, "cost_ns", isnan(share) ? NAN : info->tree->cost_ns);
    pit__json_double(json, "cost_share", share);
    pit__json_losses(json, &run->losses);
    pit__json_object_end(json);
}

/* ---- one run after another ----------------------------------------------------------------- */

static int print_run(struct pit__prose *prose, const pit_run *const *run, struct pit__json *json)
{
    struct info info = {.run = run, .tree = pit_tree_build(run, 1)};
    int code = pit__run_memory_make(*run, &info.memory);
    if (!info.tree)
        code = PIT_NO_MEMORY;
    if (!code && json)
        write_json(json, &info);
    else if (!code)
        print_text(prose, &info);
    pit__run_memory_free(&info.memory);
    pit_tree_free(info.tree);
    return code;
}

static void begin_json(struct pit__json *json, FILE *out)
{
    pit__json_init(json, out);
    pit__json_object(json, NULL);
    pit__json_uint(json, "schema_version", SCHEMA_VERSION);
    pit__json_string(json, "pitwall_version", PITWALL_VERSION);
    pit__json_array(json, "runs");
}

static void end_json(struct pit__json *json)
{
    pit__json_array_end(json);
    pit__json_object_end(json);
    pit__json_finish(json);
}

int pit__info_print(FILE *out, const pit_run *const *runs, size_t run_count,
                    const pit_report_options *options)
{
    struct pit__json json;
    int is_json = options->form == PIT_JSON, code = 0;
    struct pit__prose prose = {
        .out = out,
        .look = {.width = options->width, .colour = options->colour, .ascii = options->ascii}};
    if (!is_json && options->form != PIT_TEXT)
        return PIT_BAD_ARGUMENT;
    if (is_json)
        begin_json(&json, out);
    for (size_t i = 0; i < run_count && !code; i++) {
        if (!is_json && i > 0)
            putc('\n', out);
        code = print_run(&prose, &runs[i], is_json ? &json : NULL);
    }
    if (is_json && !code)
        end_json(&json);
    if (prose.failed && !code)
        code = PIT_NO_MEMORY;
    return code ? code : fflush(out) != 0 || ferror(out) ? PIT_CANNOT_WRITE : 0;
}
