/* top_runs.c: the watched runs and their updates.
 *
 * Verdicts must stay cheap: their time is measured, and the pause after each is so long that they use less
 * than a quarter percent of a core. The search for runs (top_find.c) does the same.
 */
#include "top.h"

#include "model/advice_case.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COST_SHARE 400 /* a pause is this many times the work's duration */
#define JUDGE_PAUSE 5.0

double top_processor_seconds(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

double top_next_time(double cost, double pause)
{
    return top_now() + (cost * COST_SHARE > pause ? cost * COST_SHARE : pause);
}

/* ---- the list ---------------------------------------------------------------------------------- */

int top_runs_add(struct top_runs *runs, const char *path, pit_error *error)
{
    struct top_run *run = calloc(1, sizeof *run);
    struct top_run **list = realloc(runs->list, (runs->count + 1) * sizeof *list);
    if (list)
        runs->list = list;
    if (run)
        run->path = strdup(path);
    if (run && run->path && list)
        run->watch = pit_watch_open(path, error);
    if (!run || !run->watch) {
        free(run ? run->path : NULL);
        free(run);
        return error->code ? error->code : PIT_NO_MEMORY;
    }
    run->severity = -1;
    runs->list[runs->count++] = run;
    return 0;
}

void top_run_free(struct top_run *run)
{
    pit_watch_close(run->watch);
    pit__live_free(&run->live);
    pit__live_rows_free(&run->rows);
    free(run->verdict);
    free(run->path);
    free(run);
}

void top_runs_free(struct top_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        top_run_free(runs->list[i]);
    top_find_free(runs);
    free(runs->list);
    free(runs->job_id);
    free(runs->ranks_text);
}

/* ---- one run ----------------------------------------------------------------------------------- */

int top_run_look(struct top_run *run, size_t thread)
{
    pit_error error = {0};
    int code = *run->problem ? 0 : pit_watch_refresh(run->watch, &error);
    if (code < 0) {
        snprintf(run->problem, sizeof run->problem, "can no longer be read: %s",
                 *error.message ? error.message : pit_strerror(code));
        code = 1;
    }
    if (*run->problem)
        return code != 0; /* keep the last good figures */
    const pit_run *now = pit_watch_run(run->watch);
    int has_ended = now->state != PIT_RUN_LIVE;
    if (has_ended && !run->has_ended)
        run->verdict_due = 0; /* the final verdict covers the whole run */
    run->has_ended = has_ended;
    if (pit__live_look(&run->live, now, thread) != 0)
        snprintf(run->problem, sizeof run->problem, "out of memory");
    return code != 0;
}

int top_take_verdict(const pit_advice *advice, char **verdict)
{
    const char *text = pit__advice_lead(advice);
    if (!text)
        text = advice->count             ? advice->findings[0].headline
               : advice->too_little_data ? advice->reason
                                         : "nothing stands out";
    char *copy = strdup(text);
    if (copy) {
        free(*verdict);
        *verdict = copy;
    }
    return advice->count ? advice->findings[0].severity : -1;
}

void top_run_judge(struct top_run *run, int ascii)
{
    if (top_now() < run->verdict_due)
        return;
    double before = top_processor_seconds();
    const pit_run *whole = run->has_ended ? pit_watch_run(run->watch) : NULL;
    pit_run *made = whole ? NULL : pit_watch_snapshot(run->watch, NULL);
    const pit_run *judged = whole ? whole : made;
    pit_advice *advice = judged ? pit_advise(&judged, 1, ascii) : NULL;
    if (advice)
        run->severity = top_take_verdict(advice, &run->verdict);
    pit_advice_free(advice);
    pit_run_free(made);
    run->verdict_due =
        run->has_ended ? 1e300 : top_next_time(top_processor_seconds() - before, JUDGE_PAUSE);
}
