/* serve_metrics.c: /metrics: live runs, and those that ended recently. */
#include "serve.h"

#include <stdlib.h>

/* Limit per scrape for ended runs, in seconds: in a full folder, some are added at the next scrape. */
#define ENDED_S 1.0

struct metrics_call {
    struct pit__metrics **list;
    size_t count;
};

void serve_metrics_drop(struct served_run *run)
{
    pit__metrics_free(run->metrics);
    run->metrics = NULL;
}

void serve_metrics_forget(struct served_run *run)
{
    serve_metrics_drop(run);
    pit__metrics_floor_free(&run->floor);
}

static int is_shown(const struct serve_runs *runs, const struct served_run *run)
{
    return run->state == PIT_RUN_LIVE ||
           serve_now() - run->ended_at < runs->options->metrics_keep_s;
}

/* Lines made after the end of a run never change. */
static void refresh(struct serve_runs *runs, struct served_run *run)
{
    if (run->metrics && run->metrics_state == run->state &&
        (run->state != PIT_RUN_LIVE || serve_now() - run->metrics_at < runs->options->refresh_s))
        return;
    pit_run *whole = serve_run_open(runs, run, NULL);
    struct pit__metrics *made =
        whole ? pit__metrics_make(whole, runs->options->metrics_spans, &run->floor) : NULL;
    if (made) {
        pit__metrics_free(run->metrics);
        run->metrics = made;
        run->metrics_state = whole->state;
        run->metrics_at = serve_now();
    }
    pit_run_free(whole);
}

static int write_metrics(FILE *out, void *arg)
{
    const struct metrics_call *call = arg;
    pit__metrics_write(out, call->list, call->count);
    return 0;
}

struct serve_bytes *serve_metrics_document(struct serve_runs *runs)
{
    struct metrics_call call = {.list = calloc(runs->id_count + 1, sizeof(struct pit__metrics *))};
    if (!call.list)
        return NULL;
    double begun = serve_now();
    for (size_t i = 0; i < runs->id_count; i++) {
        struct served_run *run = runs->by_id[i];
        if (!is_shown(runs, run)) {
            serve_metrics_forget(run);
            continue;
        }
        if (run->state == PIT_RUN_LIVE || run->metrics || serve_now() - begun < ENDED_S)
            refresh(runs, run);
        if (run->metrics)
            call.list[call.count++] = run->metrics;
    }
    struct serve_bytes *bytes = serve_bytes_printed(write_metrics, &call);
    free(call.list);
    return bytes;
}
