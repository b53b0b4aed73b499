/* log_view.c: the timings of logs as tables: stages, windows, and several logs side by side
 * (log_sides.c).
 *
 * CSV is one table with one row per stage or item, so a program can read it as a whole; the
 * other forms have separate tables.
 */
#include "log_sides.h"

#include "report/json_writer.h"
#include "report/table.h"
#include "report/text.h"
#include "report/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct log_call {
    FILE *out;
    const pit_log *const *logs;
    const char *const *names;
    size_t count;
    const pit_report_options *options;
    struct pit__look look;
    struct pit__log_figures *figures; /* of each log */
    int filled;                       /* a table was printed: write a blank line before the next */
};

/* ---- the tables ----------------------------------------------------------------------------- */

static struct pit__table *stage_table(const struct pit__log_figures *f)
{
    static const struct pit__column columns[] = {
        {.title = "stage", .key = "stage", .kind = PIT__TEXT, .min_width = 20, .max_width = 100},
        {.title = "count", .key = "count", .kind = PIT__COUNT, .drop = 2},
        {.title = "total", .key = "total_ns", .kind = PIT__DURATION},
        {.title = "mean", .key = "mean_ns", .kind = PIT__DURATION, .drop = 1},
        {.title = "share", .key = "share", .kind = PIT__PERCENT},
    };
    struct pit__table *table = pit__table_new(columns, 5);
    for (size_t i = 0; table && i < f->stage_count; i++) {
        const struct pit__log_stage *stage = &f->stages[i];
        struct pit__cell cells[] = {
            pit__cell_text(stage->name), pit__cell_whole(stage->count),
            pit__cell_real(pit__log_ns(stage->seconds)),
            pit__cell_real(pit__log_ns(stage->seconds) / (double)stage->count),
            pit__cell_real(f->seconds > 0 ? stage->seconds / f->seconds : NAN)};
        pit__table_row(table, cells);
    }
    if (table && f->stage_count > 0) {
        struct pit__cell cells[] = {pit__cell_text("TOTAL"), pit__cell_empty(),
                                    pit__cell_real(pit__log_ns(f->seconds)), pit__cell_empty(),
                                    pit__cell_empty()};
        pit__table_foot(table, cells);
    }
    return table;
}

static struct pit__table *window_table(const struct pit__log_figures *f)
{
    static const struct pit__column columns[] = {
        {.title = "window", .key = "tag", .kind = PIT__TEXT, .min_width = 12, .max_width = 60},
        {.title = "item", .key = "item", .kind = PIT__TEXT, .min_width = 12, .max_width = 60},
        {.title = "unit", .key = "unit", .kind = PIT__TEXT, .drop = 1},
        {.title = "windows", .key = "windows", .kind = PIT__COUNT, .drop = 3},
        {.title = "calls", .key = "calls", .kind = PIT__NUMBER, .drop = 2},
        {.title = "mean", .key = "mean", .kind = PIT__NUMBER},
        {.title = "min", .key = "min", .kind = PIT__NUMBER},
        {.title = "max", .key = "max", .kind = PIT__NUMBER},
    };
    struct pit__table *table = pit__table_new(columns, 8);
    for (size_t i = 0; table && i < f->item_count; i++) {
        const struct pit__log_item *item = &f->items[i];
        struct pit__cell cells[] = {
            pit__cell_text(item->tag),   pit__cell_text(item->label),
            pit__cell_text(item->unit),  pit__cell_whole(item->windows),
            pit__cell_real(item->calls), pit__cell_real(item->sum / item->calls),
            pit__cell_real(item->min),   pit__cell_real(item->max)};
        pit__table_row(table, cells);
    }
    return table;
}

/* ---- text and Markdown ---------------------------------------------------------------------- */

static void write_heading(struct log_call *call, const char *words, const char *name)
{
    struct pit__text visible = {0};
    if (call->filled)
        putc('\n', call->out);
    call->filled = 1;
    if (call->options->form == PIT_MARKDOWN) {
        fprintf(call->out, "## %s", words);
        pit__print_markdown_text(call->out, name);
        fputs("\n\n", call->out);
        return;
    }
    pit__text_add_visible(&visible, name);
    fprintf(call->out, "%s%s\n", words, pit__text_string(&visible));
    pit__text_free(&visible);
}

static int write_table(struct log_call *call, struct pit__table *table)
{
    if (!table)
        return PIT_NO_MEMORY;
    return (call->options->form == PIT_MARKDOWN ? pit__table_markdown(table, call->out, &call->look)
                                                : pit__table_print(table, call->out, &call->look))
               ? PIT_NO_MEMORY
               : 0;
}

static void write_notes(const struct log_call *call, size_t log)
{
    const struct pit__log_figures *f = &call->figures[log];
    char own[PIT__UNIT_BYTES], sum[PIT__UNIT_BYTES];
    /* the log rounds each line to hundredths */
    if (f->said_seconds >= 0 && fabs(f->said_seconds - f->seconds) > 0.01 * (double)f->stage_count)
        fprintf(call->out, "\nthe log's own TOTAL is %s, its stages add up to %s\n",
                pit__unit_duration(own, pit__log_ns(f->said_seconds), call->look.ascii),
                pit__unit_duration(sum, pit__log_ns(f->seconds), call->look.ascii));
    if (call->logs[log]->malformed > 0)
        fprintf(call->out, "\n%" PRIu64 " line%s looked like timing but could not be read\n",
                call->logs[log]->malformed, call->logs[log]->malformed == 1 ? "" : "s");
}

static int write_log(struct log_call *call, size_t log)
{
    int code = 0;
    const struct pit__log_figures *f = &call->figures[log];
    if (call->count == 1 && f->stage_count > 0) {
        struct pit__table *table = stage_table(f);
        write_heading(call, "stages of ", call->names[log]);
        code = write_table(call, table);
        pit__table_free(table);
    }
    if (!code && f->item_count > 0) {
        struct pit__table *table = window_table(f);
        write_heading(call, "windows of ", call->names[log]);
        code = write_table(call, table);
        pit__table_free(table);
    }
    if (!code)
        write_notes(call, log);
    return code;
}

static int write_sides(struct log_call *call, const char *heading,
                       int (*make)(const struct pit__log_sides *sides, struct pit__log_table *to))
{
    struct pit__log_sides sides = {call->figures, call->names, call->count};
    struct pit__log_table made;
    int code = make(&sides, &made);
    if (!code && made.rows > 0) {
        write_heading(call, heading, "");
        code = write_table(call, made.table);
    }
    pit__log_table_free(&made);
    return code;
}

static int write_people(struct log_call *call)
{
    int code = 0;
    if (call->count > 1)
        code = write_sides(call, "stages side by side; ratio and difference: last log to first",
                           pit__log_stage_sides);
    if (call->count > 1 && !code)
        code = write_sides(call, "windows side by side, by their means", pit__log_item_sides);
    for (size_t i = 0; i < call->count && !code; i++)
        code = write_log(call, i);
    return code;
}

/* ---- JSON and CSV --------------------------------------------------------------------------- */

static int write_json_log(const struct log_call *call, size_t log, struct pit__json *json)
{
    const struct pit__log_figures *f = &call->figures[log];
    struct pit__table *stages = stage_table(f), *windows = window_table(f);
    int code = stages && windows ? 0 : PIT_NO_MEMORY;
    pit__json_object(json, NULL);
    pit__json_string(json, "log", call->names[log]);
    pit__json_uint(json, "lines", call->logs[log]->lines);
    pit__json_uint(json, "malformed", call->logs[log]->malformed);
    pit__json_double(json, "total_ns", f->stage_count ? pit__log_ns(f->seconds) : NAN);
    pit__json_double(json, "said_total_ns",
                     f->said_seconds >= 0 ? pit__log_ns(f->said_seconds) : NAN);
    if (!code && pit__table_json(stages, json, "stages") != 0)
        code = PIT_NO_MEMORY;
    if (!code && pit__table_json(windows, json, "windows") != 0)
        code = PIT_NO_MEMORY;
    pit__json_object_end(json);
    pit__table_free(stages);
    pit__table_free(windows);
    return code;
}

static int write_json(struct log_call *call)
{
    struct pit__json json;
    int code = 0;
    pit__json_init(&json, call->out);
    pit__json_object(&json, NULL);
    pit__json_array(&json, "logs");
    for (size_t i = 0; i < call->count && !code; i++)
        code = write_json_log(call, i, &json);
    pit__json_array_end(&json);
    struct pit__log_sides sides = {call->figures, call->names, call->count};
    if (call->count > 1 && !code)
        code = pit__log_sides_json(&sides, &json);
    pit__json_object_end(&json);
    pit__json_finish(&json);
    return code;
}

static int write_csv(struct log_call *call)
{
    static const struct pit__column columns[] = {
        {.title = "log", .key = "log"},     {.title = "kind", .key = "kind"},
        {.title = "name", .key = "name"},   {.title = "item", .key = "item"},
        {.title = "unit", .key = "unit"},   {.title = "count", .key = "count"},
        {.title = "total", .key = "total"}, {.title = "mean", .key = "mean"},
        {.title = "min", .key = "min"},     {.title = "max", .key = "max"},
        {.title = "share", .key = "share"},
    };
    struct pit__table *table = pit__table_new(columns, sizeof columns / sizeof columns[0]);
    for (size_t log = 0; table && log < call->count; log++) {
        const struct pit__log_figures *f = &call->figures[log];
        struct pit__cell name = pit__cell_text(call->names[log]), none = pit__cell_empty();
        for (size_t i = 0; i < f->stage_count; i++) {
            const struct pit__log_stage *s = &f->stages[i];
            struct pit__cell cells[] = {
                name,
                pit__cell_text("stage"),
                pit__cell_text(s->name),
                none,
                pit__cell_text("s"),
                pit__cell_whole(s->count),
                pit__cell_real(s->seconds),
                pit__cell_real(s->seconds / (double)s->count),
                none,
                none,
                pit__cell_real(f->seconds > 0 ? s->seconds / f->seconds : NAN)};
            pit__table_row(table, cells);
        }
        for (size_t i = 0; i < f->item_count; i++) {
            const struct pit__log_item *m = &f->items[i];
            struct pit__cell cells[] = {name,
                                        pit__cell_text("window"),
                                        pit__cell_text(m->tag),
                                        pit__cell_text(m->label),
                                        pit__cell_text(m->unit),
                                        pit__cell_whole(m->windows),
                                        none,
                                        pit__cell_real(m->sum / m->calls),
                                        pit__cell_real(m->min),
                                        pit__cell_real(m->max),
                                        none};
            pit__table_row(table, cells);
        }
    }
    int code = table && pit__table_csv(table, call->out) == 0 ? 0 : PIT_NO_MEMORY;
    pit__table_free(table);
    return code;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int has_figures(const struct log_call *call)
{
    for (size_t i = 0; i < call->count; i++)
        if (call->figures[i].stage_count > 0 || call->figures[i].item_count > 0)
            return 1;
    return 0;
}

static int write_form(struct log_call *call)
{
    if (call->options->form == PIT_JSON)
        return write_json(call);
    if (call->options->form == PIT_CSV)
        return write_csv(call);
    if (has_figures(call))
        return write_people(call);
    fputs("no [TIMING], window or summary lines with a time were found\n", call->out);
    for (size_t i = 0; i < call->count; i++)
        write_notes(call, i);
    return 0;
}

PIT_API int pit_log_print(FILE *out, const pit_log *const *logs, const char *const *names,
                          size_t count, const pit_report_options *options)
{
    static const pit_report_options defaults;
    options = options ? options : &defaults;
    if (!out || !logs || !names || count == 0)
        return PIT_BAD_ARGUMENT;
    struct log_call call = {.out = out, .logs = logs, .names = names, .count = count};
    call.options = options;
    call.look = (struct pit__look){
        .width = options->width, .colour = options->colour, .ascii = options->ascii};
    call.figures = calloc(count, sizeof *call.figures);
    int code = call.figures ? 0 : PIT_NO_MEMORY;
    for (size_t i = 0; i < count && !code; i++)
        code = pit__log_figures_make(logs[i], &call.figures[i]);
    errno = 0;
    if (!code)
        code = write_form(&call);
    if (!code && !has_figures(&call))
        code = PIT_NOTHING;
    if ((code == 0 || code == PIT_NOTHING) && (fflush(out) != 0 || ferror(out)))
        code = PIT_CANNOT_WRITE;
    int why = errno;
    for (size_t i = 0; call.figures && i < count; i++)
        pit__log_figures_free(&call.figures[i]);
    free(call.figures);
    errno = why;
    return code;
}
