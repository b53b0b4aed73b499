/* top_runs.c: finding runs that go on, and looking at them again.
 *
 * Runs are looked for in the folder that was given, or else in the usual ones and in what the
 * processes of this machine have mapped. Looking and judging may never cost much: both measure what
 * they took, and wait so long that it stays below a quarter percent of a core each.
 */
#include "top.h"

#include "model/advice_case.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define SHM_PAGES "/dev/shm/pitwall-"
#define COST_SHARE 400 /* a pause is that many times what the work took */
#define SCAN_PAUSE 3.0
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

/* ---- candidates -------------------------------------------------------------------------------- */

struct found {
    struct top_runs *runs;
    int below_only; /* runs beneath those that are watched */
    char *newest;   /* of those that are not live */
    uint64_t began; /* it */
};

static int is_known(const struct top_runs *runs, const char *path)
{
    for (size_t i = 0; i < runs->count; i++)
        if (strcmp(runs->list[i]->path, path) == 0)
            return 1;
    for (size_t i = 0; i < runs->seen_count; i++)
        if (strcmp(runs->seen[i], path) == 0)
            return 1;
    return 0;
}

static int is_watched(const struct top_runs *runs, const pit_run *run)
{
    for (size_t i = 0; i < runs->count; i++)
        if (memcmp(pit_watch_run(runs->list[i]->watch)->run_id, run->run_id, sizeof run->run_id) ==
            0)
            return 1;
    return 0;
}

static void note_seen(struct top_runs *runs, const char *path)
{
    char **seen = realloc(runs->seen, (runs->seen_count + 1) * sizeof *seen);
    char *copy = seen ? strdup(path) : NULL;
    if (seen)
        runs->seen = seen;
    if (copy)
        runs->seen[runs->seen_count++] = copy;
}

/* 0, or a code with *error. */
static int add_run(struct top_runs *runs, const char *path, pit_error *error)
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

/* Did the process of a run that is watched start the one of this? */
static int is_below(const struct top_runs *runs, const pit_run *run)
{
    for (size_t i = 0; i < runs->count; i++)
        if (memcmp(pit_watch_run(runs->list[i]->watch)->run_id, run->parent_run_id,
                   sizeof run->run_id) == 0)
            return 1;
    return 0;
}

static void consider(struct found *found, const char *path)
{
    pit_error error = {0};
    if (is_known(found->runs, path))
        return;
    pit_run *run = pit_run_peek(path, &error);
    if (found->below_only && run && run->state == PIT_RUN_LIVE && !is_below(found->runs, run)) {
        /* another one's, or one whose parent comes later: looked at again next time */
    } else if (run && run->state == PIT_RUN_LIVE && !is_watched(found->runs, run) &&
               !top_is_other_job(found->runs, run)) {
        if (add_run(found->runs, path, &error) != 0)
            note_seen(found->runs, path);
    } else {
        note_seen(found->runs, path);
        if (run && run->state != PIT_RUN_LIVE && run->start_wall_ns >= found->began) {
            free(found->newest);
            found->newest = strdup(path);
            found->began = run->start_wall_ns;
        }
    }
    pit_run_free(run);
}

static int is_run_file(const char *path)
{
    size_t length = strlen(path);
    return (length > 4 && strcmp(path + length - 4, ".pit") == 0) ||
           strncmp(path, SHM_PAGES, strlen(SHM_PAGES)) == 0;
}

/* Runs that a process has mapped; how many there were. */
static int consider_process(struct found *found, const char *pid)
{
    char name[NAME_MAX + 20], line[PATH_MAX + 100], last[PATH_MAX + 100] = "";
    int count = 0;
    snprintf(name, sizeof name, "/proc/%.40s/maps", pid);
    FILE *maps = fopen(name, "re");
    if (!maps)
        return 0;
    while (fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (!path || !is_run_file(path) || strcmp(path, last) == 0)
            continue;
        snprintf(last, sizeof last, "%s", path);
        consider(found, path);
        count++;
    }
    fclose(maps);
    return count;
}

static void consider_processes(struct found *found)
{
    DIR *folder = opendir("/proc");
    if (!folder)
        return;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        if (isdigit((unsigned char)entry->d_name[0]))
            consider_process(found, entry->d_name);
    closedir(folder);
}

static int consider_files(struct found *found, struct run_list *files, int status)
{
    for (size_t i = 0; !status && i < files->count; i++)
        consider(found, files->paths[i]);
    run_list_free(files);
    return status;
}

static int is_folder(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Live runs beneath one that was named: they are in its folder. */
static void look_beside(struct found *found, const char *path)
{
    struct run_list files = {0};
    char folder[PATH_MAX] = ".";
    const char *slash = strrchr(path, '/');
    char *argument = folder;
    if (slash)
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path) + 1, path);
    found->below_only = 1;
    if (is_folder(folder))
        consider_files(found, &files, run_list_find(&files, &argument, 1));
}

static int is_pid(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    struct stat facts;
    return digits > 0 && digits < 11 && !text[digits] && stat(text, &facts) != 0;
}

/* All places where a run that was asked for may be. 0 or an exit status after the message. */
static int look_around(struct found *found)
{
    struct run_list files;
    char *argument = (char *)(uintptr_t)found->runs->argument;
    if (argument && is_folder(argument))
        return consider_files(found, &files, run_list_find(&files, &argument, 1));
    if (argument) {
        if (!is_pid(argument))
            look_beside(found, argument);
        return 0;
    }
    int status = consider_files(found, &files, run_list_here(&files));
    if (!status)
        consider_processes(found);
    return status;
}

/* Ranks of the job that is watched which died before: the others may wait for them. */
static void add_dead_ranks(struct top_runs *runs)
{
    size_t count = runs->job_id && *runs->job_id ? runs->seen_count : 0;
    for (size_t i = 0; i < count; i++) {
        pit_error error = {0};
        pit_run *run = pit_run_peek(runs->seen[i], NULL);
        if (run && run->state == PIT_RUN_DIED && pit_run_fact(run, "rank") &&
            !top_is_other_job(runs, run))
            add_run(runs, runs->seen[i], &error);
        pit_run_free(run);
    }
}

/* ---- the first time, and later ------------------------------------------------------------------ */

static int start_with_pid(struct found *found, const char *pid)
{
    char folder[40];
    snprintf(folder, sizeof folder, "/proc/%s", pid);
    consider_process(found, pid);
    if (found->runs->count > 0)
        return 0;
    return fail(EXIT_CANNOT_READ, "cannot watch the process", pid,
                !is_folder(folder) ? "there is none"
                                   : "it records no run that can be seen (pitwall run starts a "
                                     "program that does)");
}

static int start_with_file(struct top_runs *runs, const char *path)
{
    pit_error error = {0};
    int code = add_run(runs, path, &error);
    return code ? fail(EXIT_CANNOT_READ, "cannot read the run", path,
                       *error.message ? error.message : pit_strerror(code))
                : 0;
}

static long rank_of(const struct top_run *run)
{
    const char *rank = pit_run_fact(pit_watch_run(run->watch), "rank");
    return rank && *rank ? strtol(rank, NULL, 10) : LONG_MAX;
}

/* By rank, as a number; those without after them. */
static int by_rank(const void *a, const void *b)
{
    const struct top_run *x = *(struct top_run *const *)a, *y = *(struct top_run *const *)b;
    long rank = rank_of(x), other = rank_of(y);
    return rank != other ? (rank < other ? -1 : 1) : strcmp(x->path, y->path);
}

int top_runs_start(struct top_runs *runs)
{
    struct found found = {.runs = runs};
    const char *argument = runs->argument;
    if (argument && is_pid(argument))
        return start_with_pid(&found, argument);
    int is_file = argument && !is_folder(argument);
    double before = top_processor_seconds();
    int status = is_file ? start_with_file(runs, argument) : 0;
    if (!status)
        status = look_around(&found);
    if (!status && runs->count == 0 && found.newest)
        status = start_with_file(runs, found.newest);
    if (!status && runs->count == 0)
        status = fail(EXIT_CANNOT_READ, "no run to watch", argument,
                      argument ? "no *.pit in it"
                               : "none in ./pitwall-runs and ., and no process records one");
    if (!status)
        status = top_choose_job(runs);
    if (!status && !is_file)
        add_dead_ranks(runs);
    if (runs->count > 1 && !is_file) /* those that come later are added behind */
        qsort(runs->list, runs->count, sizeof(struct top_run *), by_rank);
    free(found.newest);
    runs->scan_due = top_next_time(top_processor_seconds() - before, SCAN_PAUSE);
    return status;
}

void top_runs_find_more(struct top_runs *runs)
{
    struct found found = {.runs = runs};
    if (top_now() < runs->scan_due)
        return;
    double before = top_processor_seconds();
    look_around(&found);
    free(found.newest);
    runs->scan_due = top_next_time(top_processor_seconds() - before, SCAN_PAUSE);
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
    for (size_t i = 0; i < runs->seen_count; i++)
        free(runs->seen[i]);
    free(runs->seen);
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
        snprintf(run->problem, sizeof run->problem, "no longer to be read: %s",
                 *error.message ? error.message : pit_strerror(code));
        code = 1;
    }
    if (*run->problem)
        return code != 0; /* the last good look stays */
    const pit_run *now = pit_watch_run(run->watch);
    int has_ended = now->state != PIT_RUN_LIVE;
    if (has_ended && !run->has_ended)
        run->verdict_due = 0; /* the last word is the whole run's */
    run->has_ended = has_ended;
    if (pit__live_look(&run->live, now, thread) != 0)
        snprintf(run->problem, sizeof run->problem, "no memory");
    return code != 0;
}

int top_take_verdict(const pit_advice *advice, char **verdict)
{
    const char *text = pit__advice_lead(advice);
    if (!text)
        text = advice->count        ? advice->findings[0].headline
               : advice->too_little ? advice->reason
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
