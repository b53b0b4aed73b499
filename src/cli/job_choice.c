/* job_choice.c: select one job among the files on a command line: the newest, or the one that --job names.
 *
 * Ranks of different jobs are never merged. A message on standard error names what is left out. If no job
 * has two ranks, the list is unchanged.
 */
#include "cli.h"
#include "pitwall_ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* "job 4711 (openmpi, 3 of 4 ranks)" */
static int add_job(char *text, size_t room, const pit_job *job)
{
    const char *launcher = *job->launcher ? job->launcher : "no launcher named";
    if (job->world_size == PIT_UNKNOWN)
        return snprintf(text, room, "job %s (%s, %zu rank%s)", job->name, launcher, job->count,
                        job->count == 1 ? "" : "s");
    return snprintf(text, room, "job %s (%s, %zu of %llu ranks)", job->name, launcher, job->count,
                    (unsigned long long)job->world_size);
}

/* One line: which job is shown and which are not. */
static void tell(const pit_jobs *jobs, const pit_job *shown)
{
    char text[400];
    size_t others = jobs->count - 1;
    if (others == 0 && jobs->other_count == 0)
        return;
    add_job(text, sizeof text, shown);
    fprintf(stderr, "pitwall: showing %s, not", text);
    if (others == 1) {
        add_job(text, sizeof text, &jobs->jobs[shown == jobs->jobs]);
        fprintf(stderr, " %s", text);
    } else if (others > 1) {
        fprintf(stderr, " %zu other jobs", others);
    }
    if (jobs->other_count > 0)
        fprintf(stderr, "%s %zu run%s that %s no rank", others ? " and" : "", jobs->other_count,
                jobs->other_count == 1 ? "" : "s", jobs->other_count == 1 ? "is" : "are");
    fputs(others ? "; --job NAME shows another, `pitwall list` shows all\n" : "\n", stderr);
}

/* Keep only the files of the job, and unreadable files: opening them later reports the reason. */
static int keep_job(struct run_list *list, const pit_jobs *jobs, const pit_job *job)
{
    struct run_list kept = {.paths = calloc(job->count + jobs->unread_count + 1, sizeof(char *))};
    int good = kept.paths != NULL;
    for (size_t i = 0; good && i < job->count + jobs->unread_count; i++) {
        const char *path = i < job->count ? job->paths[i] : jobs->unread[i - job->count];
        kept.paths[kept.count] = strdup(path);
        good = kept.paths[kept.count++] != NULL;
    }
    if (!good) {
        run_list_free(&kept);
        return fail(EXIT_CANNOT_READ, "cannot list the runs", NULL, strerror(ENOMEM));
    }
    run_list_free(list);
    *list = kept;
    return 0;
}

static int has_ranks(const pit_jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->jobs[i].count > 1)
            return 1;
    return 0;
}

/* The job whose first rank names this run as its parent; NULL: none. */
static const pit_job *job_below(const pit_jobs *jobs, const pit_run *launcher)
{
    for (size_t i = 0; jobs && i < jobs->count; i++) {
        pit_run *rank = pit_run_peek(jobs->jobs[i].paths[0], NULL);
        int is_below =
            rank && memcmp(rank->parent_run_id, launcher->run_id, sizeof rank->parent_run_id) == 0;
        pit_run_free(rank);
        if (is_below)
            return &jobs->jobs[i];
    }
    return NULL;
}

/* If only a launcher's run is named, use the ranks that it started: they are in its folder. */
static int take_ranks_below(struct run_list *list)
{
    static const pit_jobs none;
    const char *path = list->paths[0], *slash = strrchr(path, '/');
    pit_run *launcher = pit_run_peek(path, NULL);
    int status = 0;
    if (launcher && !pit_run_fact(launcher, "rank")) {
        struct run_list beside = {0};
        char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
        if (folder && run_list_find(&beside, &folder, 1) == 0) {
            pit_jobs *jobs = pit_jobs_find((const char *const *)beside.paths, beside.count);
            const pit_job *job = job_below(jobs, launcher);
            if (job) {
                fprintf(stderr, "pitwall: showing the %zu ranks that it started: %s\n", job->count,
                        path);
                status = keep_job(list, &none, job);
            }
            pit_jobs_free(jobs);
        }
        run_list_free(&beside);
        free(folder);
    }
    pit_run_free(launcher);
    return status;
}

int job_choose(struct run_list *list, const char *name, int *is_job)
{
    int status = list->count == 1 ? take_ranks_below(list) : 0;
    pit_jobs *jobs = pit_jobs_find((const char *const *)list->paths, list->count);
    *is_job = 0;
    if (!jobs)
        status = fail(EXIT_CANNOT_READ, "cannot list the runs", NULL, strerror(ENOMEM));
    const pit_job *job = NULL;
    if (jobs && name) {
        job = pit_job_named(jobs, name);
        if (!job)
            status =
                fail(EXIT_CANNOT_READ, "no such job", name, "`pitwall list` shows their names");
    } else if (jobs && has_ranks(jobs)) {
        job = &jobs->jobs[0];
    }
    if (!status && job) {
        tell(jobs, job);
        status = keep_job(list, jobs, job);
        *is_job = job->count > 1;
    }
    pit_jobs_free(jobs);
    return status;
}
