/* serve_routes.c: maps requests to documents. */
#include "serve.h"

#include <string.h>

#define JSON "application/json; charset=utf-8"
#define TEXT "text/plain; charset=utf-8"
#define AGAIN "private, no-cache" /* may be cached, but is revalidated by its ETag each time */

static void give(struct serve_answer *answer, const char *type, struct serve_bytes *body)
{
    answer->status = body ? 200 : answer->status ? answer->status : 500;
    answer->type = type;
    answer->body = body;
    answer->cache = AGAIN;
}

/* ---- one run ---------------------------------------------------------------------------------- */

struct export_call {
    const char *format;
    const pit_run *run;
};

static int write_export(FILE *out, void *arg)
{
    const struct export_call *call = arg;
    return pit_export(out, call->format, &call->run, 1);
}

static const pit_export_format *find_format(const char *name)
{
    const pit_export_format *format;
    for (size_t i = 0; (format = pit_export_at(i)) != NULL; i++)
        if (strcmp(format->name, name) == 0 && !format->is_folder)
            return format;
    return NULL;
}

static const char *type_of(const pit_export_format *format)
{
    const char *ending = format->endings && format->endings[0] ? format->endings[0] : "";
    size_t length = strlen(ending);
    if (length >= 5 && strcmp(ending + length - 5, ".json") == 0)
        return JSON;
    if (strcmp(ending, ".html") == 0)
        return "text/html; charset=utf-8";
    return format->is_binary ? "application/octet-stream" : TEXT;
}

/* As a download: a browser never shows it as a page of this server. */
static void give_export(struct serve_runs *runs, const struct served_run *run, const char *name,
                        struct serve_answer *answer)
{
    const pit_export_format *format = find_format(name);
    if (!format) {
        answer->status = 404;
        return;
    }
    pit_run *whole = serve_run_open(runs, run, NULL);
    if (!whole) {
        answer->status = 410;
        return;
    }
    struct export_call call = {format->name, whole};
    give(answer, type_of(format), serve_bytes_printed(write_export, &call));
    snprintf(answer->disposition, sizeof answer->disposition, "attachment; filename=\"%s%s\"",
             run->id, format->endings && format->endings[0] ? format->endings[0] : "");
    pit_run_free(whole);
}

static void answer_of_run(struct serve_runs *runs, const struct serve_question *question,
                          const struct serve_target *target, struct serve_answer *answer)
{
    struct served_run *run = serve_runs_find(runs, target->id);
    int is_job = question->ranks && strcmp(question->ranks, "all") == 0;
    if (!run) {
        answer->status = 404;
        return;
    }
    switch (target->route) {
    case SERVE_RUN:
        give(answer, JSON, serve_run_document(runs, run, is_job, &answer->status));
        break;
    case SERVE_LIVE:
        give(answer, JSON, serve_run_changes(runs, run, is_job, question->since, &answer->status));
        break;
    case SERVE_SERIES:
        give(answer, JSON, serve_series_document(runs, run, question->node, &answer->status));
        break;
    case SERVE_REPORT:
        give_export(runs, run, "html", answer);
        break;
    default:
        give_export(runs, run, target->name, answer);
    }
}

/* ---- all of them -------------------------------------------------------------------------------- */

void serve_answer_to(struct serve_runs *runs, const struct serve_question *question,
                     struct serve_answer *answer)
{
    struct serve_target target = serve_target_of(question->path);
    switch (target.route) {
    case SERVE_NOTHING:
        answer->status = 404;
        break;
    case SERVE_HEALTH:
        give(answer, TEXT, serve_bytes_make("ok\n", 3));
        answer->cache = "no-store";
        break;
    case SERVE_PAGE:
    case SERVE_ASSET:
        serve_asset(target.route == SERVE_PAGE ? "index.html" : target.name, question->version,
                    answer);
        break;
    case SERVE_METRICS:
        serve_runs_look(runs);
        give(answer, "text/plain; version=0.0.4; charset=utf-8", serve_metrics_document(runs));
        answer->cache = "no-store";
        break;
    case SERVE_RUNS:
        serve_runs_look(runs);
        give(answer, JSON, serve_list_document(runs, question->since));
        break;
    case SERVE_COMPARE:
        serve_runs_look(runs);
        give(answer, JSON, serve_compare_document(runs, question->a, question->b, &answer->status));
        break;
    default:
        serve_runs_look(runs);
        answer_of_run(runs, question, &target, answer);
    }
}
