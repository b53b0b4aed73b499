/* serve_list.c: the document of all runs, with columns as arrays; runs that need attention come first. With
 * `since` it has the runs that changed after that version, and the ids of removed runs. */
#include "serve.h"

#include "report/json_writer.h"
#include "views/list_view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct list_call {
    const struct serve_runs *runs;
    struct served_run **shown; /* in the order of the document */
    size_t count;
    int is_all;
    uint64_t since;
};

static int by_need(const void *a, const void *b)
{
    const struct served_run *x = *(struct served_run *const *)a;
    const struct served_run *y = *(struct served_run *const *)b;
    if (x->need != y->need)
        return x->need < y->need ? -1 : 1;
    if (x->started_ns != y->started_ns)
        return x->started_ns > y->started_ns ? -1 : 1;
    return strcmp(x->id, y->id);
}

/* Parse "EPOCH-NUMBER" of this server; anything else requests the whole list. */
static void read_since(struct list_call *call, const char *since)
{
    size_t length = strlen(call->runs->epoch);
    uint64_t version;
    call->is_all = 1;
    if (!since || strncmp(since, call->runs->epoch, length) != 0 || since[length] != '-' ||
        !serve_number(since + length + 1, &version))
        return;
    if (version > call->runs->version || version < call->runs->forgotten)
        return;
    call->is_all = 0;
    call->since = version;
}

/* ---- columns --------------------------------------------------------------------------------- */

#define TEXT_COLUMN(name_, figure_)                                                                \
    static void name_(struct pit__json *json, const struct served_run *run)                        \
    {                                                                                              \
        pit__json_string(json, NULL, figure_);                                                     \
    }
#define FIGURE_COLUMN(name_, figure_)                                                              \
    static void name_(struct pit__json *json, const struct served_run *run)                        \
    {                                                                                              \
        pit__json_double(json, NULL, figure_);                                                     \
    }

static const char *state_word(const struct served_run *run)
{
    const pit_run state = {.state = run->state, .ended_by_parent = run->ended_by_parent};
    return pit__list_state(&state);
}

static double round_to(double figure, double step)
{
    return round(figure / step) * step;
}

TEXT_COLUMN(id, run->id)
TEXT_COLUMN(path, run->path)
TEXT_COLUMN(state, state_word(run))
TEXT_COLUMN(need, serve_need_word(run->need))
TEXT_COLUMN(program, run->program)
TEXT_COLUMN(host, run->host)
TEXT_COLUMN(job, run->job)
TEXT_COLUMN(rank, run->rank)
TEXT_COLUMN(parent, *run->parent ? run->parent : NULL)
TEXT_COLUMN(headline, run->headline)
TEXT_COLUMN(note, run->note)
FIGURE_COLUMN(order, (double)run->need)
FIGURE_COLUMN(severity, run->headline ? (double)run->severity : NAN)
FIGURE_COLUMN(started_s, 1e-9 * (double)run->started_ns)
FIGURE_COLUMN(duration_s, run->duration_s)
FIGURE_COLUMN(last_span_s, 1e-9 * run->last_span_ns)
FIGURE_COLUMN(rss_bytes, run->rss)
FIGURE_COLUMN(peak_bytes, run->peak)
FIGURE_COLUMN(limit_bytes, run->limit)
FIGURE_COLUMN(limit_share, run->rss / run->limit)
FIGURE_COLUMN(cores, round_to(run->cores, 0.01))

/* RSS over the run, the highest of each interval. */
static void spark_bytes(struct pit__json *json, const struct served_run *run)
{
    pit__json_flat_array(json, NULL);
    for (size_t i = 0; i < run->spark_count; i++)
        pit__json_double(json, NULL, run->spark[i]);
    pit__json_array_end(json);
}

#define COLUMNS(X)                                                                                 \
    X(id)                                                                                          \
    X(state)                                                                                       \
    X(need)                                                                                        \
    X(order)                                                                                       \
    X(program)                                                                                     \
    X(headline)                                                                                    \
    X(severity)                                                                                    \
    X(note)                                                                                        \
    X(started_s)                                                                                   \
    X(duration_s)                                                                                  \
    X(last_span_s)                                                                                 \
    X(rss_bytes)                                                                                   \
    X(peak_bytes)                                                                                  \
    X(limit_bytes)                                                                                 \
    X(limit_share)                                                                                 \
    X(spark_bytes)                                                                                 \
    X(cores)                                                                                       \
    X(host)                                                                                        \
    X(job)                                                                                         \
    X(rank)                                                                                        \
    X(parent)                                                                                      \
    X(path)

static const struct {
    const char *key;
    void (*write)(struct pit__json *json, const struct served_run *run);
} columns[] = {
#define ENTRY(name_) {#name_, name_},
    COLUMNS(ENTRY)
#undef ENTRY
};

/* ---- the document ------------------------------------------------------------------------------ */

static void write_runs(struct pit__json *json, const struct list_call *call)
{
    pit__json_object(json, "runs");
    for (size_t c = 0; c < sizeof columns / sizeof columns[0]; c++) {
        pit__json_flat_array(json, columns[c].key);
        for (size_t i = 0; i < call->count; i++)
            columns[c].write(json, call->shown[i]);
        pit__json_array_end(json);
    }
    pit__json_object_end(json);
}

/* Write changed runs, and the ids of removed runs that have not returned. */
static void write_gone(struct pit__json *json, const struct list_call *call)
{
    pit__json_flat_array(json, "gone");
    for (size_t i = 0; !call->is_all && i < call->runs->gone_count; i++)
        if (call->runs->gone[i].version > call->since &&
            !serve_runs_find(call->runs, call->runs->gone[i].id))
            pit__json_string(json, NULL, call->runs->gone[i].id);
    pit__json_array_end(json);
}

static void write_unreadable(struct pit__json *json, const struct serve_runs *runs)
{
    pit__json_object(json, "unreadable");
    pit__json_flat_array(json, "path");
    for (size_t i = 0; i < runs->count; i++)
        if (runs->list[i]->why)
            pit__json_string(json, NULL, runs->list[i]->path);
    pit__json_array_end(json);
    pit__json_flat_array(json, "why");
    for (size_t i = 0; i < runs->count; i++)
        if (runs->list[i]->why)
            pit__json_string(json, NULL, runs->list[i]->why);
    pit__json_array_end(json);
    pit__json_object_end(json);
}

static int write_document(FILE *out, void *arg)
{
    const struct list_call *call = arg;
    struct pit__json json;
    char version[48];
    snprintf(version, sizeof version, "%s-%" PRIu64, call->runs->epoch, call->runs->version);
    pit__json_init_brief(&json, out);
    pit__json_object(&json, NULL);
    pit__json_string(&json, "kind", "pitwall runs");
    pit__json_string(&json, "pitwall_version", PITWALL_VERSION);
    pit__json_string(&json, "v", version);
    pit__json_bool(&json, "all", call->is_all);
    pit__json_double(&json, "now_s", 1e-9 * serve_wall_ns());
    pit__json_uint(&json, "run_count", call->runs->id_count);
    write_runs(&json, call);
    write_gone(&json, call);
    write_unreadable(&json, call->runs);
    pit__json_object_end(&json);
    pit__json_finish(&json);
    return 0;
}

struct serve_bytes *serve_list_document(struct serve_runs *runs, const char *since)
{
    struct list_call call = {.runs = runs,
                             .shown = calloc(runs->id_count + 1, sizeof(struct served_run *))};
    if (!call.shown)
        return NULL;
    read_since(&call, since);
    for (size_t i = 0; i < runs->id_count; i++)
        if (call.is_all || runs->by_id[i]->version > call.since)
            call.shown[call.count++] = runs->by_id[i];
    qsort(call.shown, call.count, sizeof *call.shown, by_need);
    struct serve_bytes *bytes = serve_bytes_printed(write_document, &call);
    free(call.shown);
    return bytes;
}
