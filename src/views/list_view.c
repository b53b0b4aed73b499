/* list_view.c: many runs, one line per run, for `pitwall list`. */
#include "list_view.h"

#include "reader/reader.h"
#include "report/json_writer.h"
#include "report/units.h"
#include "report_view.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SCHEMA_VERSION 1
#define TIME_BYTES 40

const char *pit__list_state(const pit_run *run)
{
    return run->state == PIT_RUN_CLOSED ? "done" : pit__state_word(run);
}

/* For a rank: when its job began. */
static uint64_t time_of(const struct pit__listed *listed)
{
    return listed->job ? listed->job->start_wall_ns : listed->time_wall_ns;
}

static unsigned long rank_of(const struct pit__listed *listed)
{
    const char *rank = listed->run ? pit_run_fact(listed->run, "rank") : NULL;
    return rank ? strtoul(rank, NULL, 10) : 0;
}

static int by_time(const void *a, const void *b)
{
    const struct pit__listed *x = a, *y = b;
    if (time_of(x) != time_of(y))
        return time_of(x) > time_of(y) ? -1 : 1;
    if (x->job != y->job)
        return strcmp(x->job ? x->job->name : "", y->job ? y->job->name : "");
    if (x->job && rank_of(x) != rank_of(y))
        return rank_of(x) < rank_of(y) ? -1 : 1;
    return strcmp(x->path, y->path);
}

void pit__list_sort(struct pit__listed *list, size_t count)
{
    if (count > 0)
        qsort(list, count, sizeof *list, by_time);
}

/* ---- as a table ------------------------------------------------------------------------------ */

enum { STATE, STARTED, DURATION, PROGRAM, JOB, RANK, LABELS, RUN, NOTE, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [STATE] = {.title = "state", .key = "state", .kind = PIT__TEXT, .min_width = 10},
    [STARTED] = {.title = "started", .key = "started", .kind = PIT__TEXT, .min_width = 19},
    [DURATION] = {.title = "duration", .key = "duration_ns", .kind = PIT__DURATION},
    [PROGRAM] =
        {.title = "program", .key = "program", .kind = PIT__TEXT, .min_width = 8, .max_width = 32},
    [JOB] = {.title = "job",
             .key = "job",
             .kind = PIT__TEXT,
             .optional = 1,
             .max_width = 32,
             .drop = 3},
    [RANK] = {.title = "rank",
              .key = "rank",
              .kind = PIT__TEXT,
              .optional = 1,
              .align = PIT__ALIGN_RIGHT,
              .drop = 2},
    [LABELS] = {.title = "labels",
                .key = "labels",
                .kind = PIT__TEXT,
                .min_width = 8,
                .optional = 1,
                .drop = 1},
    [RUN] = {.title = "run", .key = "path", .kind = PIT__TEXT, .min_width = 20},
    [NOTE] = {.title = "note", .key = "note", .kind = PIT__TEXT, .min_width = 12, .optional = 1},
};

/* Local time to the second, without the zone, because the list is read on this machine. */
static void local_time(uint64_t wall_ns, char *out, size_t size)
{
    time_t seconds = (time_t)(wall_ns / 1000000000u);
    struct tm parts;
    if (!localtime_r(&seconds, &parts) || strftime(out, size, "%Y-%m-%d %H:%M:%S", &parts) == 0)
        snprintf(out, size, "n/a");
}

static enum pit__style state_style(const pit_run *run)
{
    return run->state == PIT_RUN_LIVE ? PIT__STRONG : pit__has_died(run) ? PIT__HOT : PIT__PLAIN;
}

void pit__list_note(const pit_run *run, char *note, size_t size)
{
    char number[PIT__UNIT_BYTES];
    note[0] = '\0';
    if (run->damaged_at)
        snprintf(note, size, "damaged from byte %llu on", (unsigned long long)run->damaged_at);
    else if (run->losses.beyond_file)
        snprintf(note, size, "%s of it are missing",
                 pit__unit_bytes(number, (double)run->losses.beyond_file));
    else if (run->ended_by_parent)
        snprintf(note, size, "by its parent");
    else if (run->is_mirror)
        snprintf(note, size, "a copy taken while it ran");
}

static struct pit__cell text_or_none(const char *text)
{
    return text && *text ? pit__cell_text(text) : pit__cell_empty();
}

/* The width left for paths by the other columns. A longer path is cut at its beginning, because
 * the ends of run names differ. */
static size_t path_room(const struct pit__listed *list, size_t count, int width)
{
    int has_labels = 0, has_notes = 0, has_jobs = 0, room;
    if (width == 0)
        return SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        char note[80] = "x";
        if (list[i].run)
            pit__list_note(list[i].run, note, sizeof note);
        has_notes |= *note != '\0';
        has_jobs |= list[i].job != NULL;
        for (size_t k = 0; list[i].run && k < list[i].run->fact_count; k++)
            has_labels |= strncmp(list[i].run->facts[k].key, "label.", 6) == 0;
    }
    room = width - 52 - (has_labels ? 18 : 0) - (has_notes ? 26 : 0) - (has_jobs ? 20 : 0);
    return (size_t)(room < 20 ? 20 : room);
}

static struct pit__cell path_cell(const char *path, size_t room, int ascii, struct pit__text *cut)
{
    struct pit__text visible = {0};
    cut->length = 0;
    pit__text_add_visible(&visible, path);
    pit__text_add_tail(cut, pit__text_string(&visible), room, ascii);
    cut->failed |= visible.failed;
    pit__text_free(&visible);
    return pit__cell_text(pit__text_string(cut));
}

struct texts {
    struct pit__text labels, path;
    size_t room;
    int ascii;
};

static void add_run(struct pit__table *table, const struct pit__listed *listed, struct texts *texts)
{
    struct pit__text *labels = &texts->labels;
    const pit_run *run = listed->run;
    struct pit__cell cells[COLUMNS] = {{0}};
    char started[TIME_BYTES], note[80];
    local_time(listed->time_wall_ns, started, sizeof started);
    labels->length = 0;
    pit__text_add(labels, "", 0);
    pit__add_labels(labels, run);
    pit__list_note(run, note, sizeof note);
    cells[STATE] = pit__cell_text(pit__list_state(run));
    cells[STATE].style = state_style(run);
    cells[STARTED] = pit__cell_text(started);
    cells[DURATION] = pit__cell_real(run->duration_ns);
    cells[PROGRAM] = text_or_none(pit_run_fact(run, "program"));
    cells[JOB] = text_or_none(listed->job ? listed->job->name : NULL);
    cells[RANK] = text_or_none(pit_run_fact(run, "rank"));
    cells[LABELS] = text_or_none(pit__text_string(labels));
    cells[RUN] = path_cell(listed->path, texts->room, texts->ascii, &texts->path);
    cells[NOTE] = text_or_none(note);
    cells[NOTE].style = PIT__WARM;
    pit__table_row(table, cells);
}

static void add_unreadable(struct pit__table *table, const struct pit__listed *listed,
                           struct texts *texts)
{
    struct pit__cell cells[COLUMNS] = {{0}};
    cells[STATE] = pit__cell_text("unreadable");
    cells[STATE].style = PIT__HOT;
    cells[STARTED] = cells[DURATION] = cells[PROGRAM] =
        (struct pit__cell){.content = PIT__NOT_AVAILABLE, .style = PIT__DIM};
    cells[RUN] = path_cell(listed->path, texts->room, texts->ascii, &texts->path);
    cells[NOTE] = text_or_none(listed->why);
    cells[NOTE].style = PIT__WARM;
    pit__table_row(table, cells);
}

static int print_table(FILE *out, const struct pit__listed *list, size_t count,
                       const pit_report_options *options)
{
    struct pit__look look = {
        .width = options->width, .colour = options->colour, .ascii = options->ascii};
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    struct texts texts = {.room = path_room(list, count, options->width), .ascii = options->ascii};
    int failed = !table;
    for (size_t i = 0; table && i < count; i++)
        if (list[i].run)
            add_run(table, &list[i], &texts);
        else
            add_unreadable(table, &list[i], &texts);
    failed = failed || texts.labels.failed || texts.path.failed ||
             pit__table_print(table, out, &look) != 0;
    pit__text_free(&texts.labels);
    pit__text_free(&texts.path);
    pit__table_free(table);
    return failed ? PIT_NO_MEMORY : 0;
}

/* ---- as JSON --------------------------------------------------------------------------------- */

static void write_run(struct pit__json *json, const struct pit__listed *listed)
{
    const pit_run *run = listed->run;
    char started[TIME_BYTES], note[80];
    static const char label[] = "label.";
    pit__wall_time(run->start_wall_ns, 1, started, sizeof started);
    pit__list_note(run, note, sizeof note);
    pit__json_string(json, "state", pit__list_state(run));
    pit__json_string(json, "program", pit_run_fact(run, "program"));
    pit__json_string(json, "arguments", pit_run_fact(run, "arguments"));
    pit__json_string(json, "started", *started ? started : NULL);
    pit__json_uint(json, "start_wall_ns", run->start_wall_ns);
    pit__json_double(json, "duration_ns", run->duration_ns);
    pit__json_string(json, "host", pit_run_fact(run, "host"));
    pit__json_uint(json, "pid", run->pid);
    pit__json_string(json, "job", listed->job ? listed->job->name : NULL);
    pit__json_string(json, "rank", pit_run_fact(run, "rank"));
    pit__json_flat_object(json, "labels");
    for (size_t i = 0; i < run->fact_count; i++)
        if (strncmp(run->facts[i].key, label, sizeof label - 1) == 0)
            pit__json_string(json, run->facts[i].key + sizeof label - 1, run->facts[i].value);
    pit__json_object_end(json);
    pit__json_uint(json, "file_bytes", run->file_bytes);
    pit__json_string(json, "note", *note ? note : NULL);
    pit__json_null(json, "error");
}

static int print_json(FILE *out, const struct pit__listed *list, size_t count)
{
    struct pit__json json;
    pit__json_init(&json, out);
    pit__json_object(&json, NULL);
    pit__json_uint(&json, "schema_version", SCHEMA_VERSION);
    pit__json_array(&json, "runs");
    for (size_t i = 0; i < count; i++) {
        pit__json_object(&json, NULL);
        pit__json_string(&json, "path", list[i].path);
        if (list[i].run) {
            write_run(&json, &list[i]);
        } else {
            pit__json_string(&json, "state", "unreadable");
            pit__json_string(&json, "error", list[i].why);
        }
        pit__json_object_end(&json);
    }
    pit__json_array_end(&json);
    pit__json_object_end(&json);
    putc('\n', out);
    return 0;
}

int pit__list_print(FILE *out, const struct pit__listed *list, size_t count,
                    const pit_report_options *options)
{
    int code = 0;
    if (options->form == PIT_JSON)
        code = print_json(out, list, count);
    else if (count > 0)
        code = print_table(out, list, count, options);
    return code ? code : ferror(out) ? PIT_CANNOT_WRITE : 0;
}
