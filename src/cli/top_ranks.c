/* top_ranks.c: the ranks of a live job: one job at a time, and the view `ranks` of the watched runs, which
 * shows for a hanging job which rank has not arrived. */
#include "pitwall_ranks.h"
#include "top.h"

#include <stdlib.h>
#include <string.h>

#define RANKS_PAUSE 1.0 /* seconds between two updates of all ranks */

/* ---- one job ---------------------------------------------------------------------------------- */

static int is_of(const pit_job *job, const char *path)
{
    for (size_t i = 0; i < job->count; i++)
        if (strcmp(job->paths[i], path) == 0)
            return 1;
    return 0;
}

static int is_of_another(const pit_jobs *jobs, const pit_job *job, const char *path)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (&jobs->jobs[i] != job && is_of(&jobs->jobs[i], path))
            return 1;
    return 0;
}

/* Stop watching ranks of other jobs. */
static void drop_others(struct top_runs *runs, const pit_jobs *jobs, const pit_job *job)
{
    size_t kept = 0;
    for (size_t i = 0; i < runs->count; i++)
        if (is_of_another(jobs, job, runs->list[i]->path))
            top_run_free(runs->list[i]);
        else
            runs->list[kept++] = runs->list[i];
    runs->count = kept;
}

static void drop_all(struct top_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        top_run_free(runs->list[i]);
    runs->count = 0;
}

int top_choose_job(struct top_runs *runs, int is_quiet)
{
    const char **paths = calloc(runs->count + 1, sizeof *paths);
    for (size_t i = 0; paths && i < runs->count; i++)
        paths[i] = runs->list[i]->path;
    pit_jobs *jobs = paths ? pit_jobs_find(paths, runs->count) : NULL;
    const pit_job *job = !jobs             ? NULL
                         : runs->job       ? pit_job_named(jobs, runs->job)
                         : jobs->count > 0 ? &jobs->jobs[0]
                                           : NULL;
    int status = 0;
    if (jobs && runs->job && !job && (is_quiet || runs->wait == TOP_WAIT))
        drop_all(runs);
    else if (jobs && runs->job && !job)
        status =
            fail(EXIT_CANNOT_READ, "no such live job", runs->job, "`pitwall list` shows the jobs");
    if (job && jobs->count > 1) {
        if (!is_quiet)
            fprintf(stderr, "pitwall: watching job %s, not %zu other%s; --job NAME shows another\n",
                    job->name, jobs->count - 1, jobs->count == 2 ? "" : "s");
        drop_others(runs, jobs, job);
    }
    if (job) {
        free(runs->job_id);
        runs->job_id = strdup(job->id);
        runs->restart = job->restart;
    }
    pit_jobs_free(jobs);
    free(paths);
    return status;
}

int top_is_other_job(const struct top_runs *runs, const pit_run *run)
{
    const char *id = pit_run_fact(run, "job"), *restart = pit_run_fact(run, "restart");
    if (!runs->job_id || !pit_run_fact(run, "rank"))
        return 0;
    return strcmp(id ? id : "", runs->job_id) != 0 ||
           (restart ? strtoull(restart, NULL, 10) : 0) != runs->restart;
}

/* ---- all of its ranks ---------------------------------------------------------------------------- */

static int is_rank(const pit_run *run)
{
    const char *size = pit_run_fact(run, "world_size");
    return pit_run_fact(run, "rank") && !(size && strcmp(size, "1") == 0);
}

static char *make_text(const struct top_runs *runs, const struct top_look *look, int width)
{
    const pit_run **ranks = calloc(runs->count + 1, sizeof *ranks);
    size_t count = 0, bytes = 0;
    char *text = NULL;
    for (size_t i = 0; ranks && i < runs->count; i++) {
        const pit_run *run = pit_watch_run(runs->list[i]->watch);
        if (is_rank(run))
            ranks[count++] = run;
    }
    FILE *out = count > 1 ? open_memstream(&text, &bytes) : NULL;
    if (out) {
        pit_report_options options = {
            .view = "ranks", .width = width, .colour = 0, .ascii = look->ascii};
        int code = pit_report_print(out, ranks, count, &options);
        if (fclose(out) != 0 || code) {
            free(text);
            text = NULL;
        }
    }
    free(ranks);
    return text;
}

const char *top_ranks_text(struct top_runs *runs, const struct top_look *look, int width)
{
    if (top_now() < runs->ranks_due && runs->ranks_width == width)
        return runs->ranks_text;
    double before = top_processor_seconds();
    free(runs->ranks_text);
    runs->ranks_text = make_text(runs, look, width);
    runs->ranks_width = width;
    runs->ranks_due = top_next_time(top_processor_seconds() - before, RANKS_PAUSE);
    return runs->ranks_text;
}
