/* top_find.c: which runs to watch.
 *
 * The argument can be a run, a folder or a process. Without an argument, the runs of this folder come
 * first: those in ./pitwall-runs and in ., and those of programs that were started here, wherever they
 * write. If no such run is live but `pitwall run` has just started a program here, we wait for its run.
 * Otherwise live runs of other folders are shown, or else the newest run of this folder. Ended runs of
 * other folders are never shown. The search measures its own cost and uses less than a quarter percent of
 * a core.
 */
#include "top.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SHM_PAGES "/dev/shm/pitwall-"
#define SCAN_PAUSE 3.0
#define WAITING_PAUSE 0.3 /* while there is nothing to show */
#define SETTLED_SECONDS 60

struct found {
    struct top_runs *runs;
    int below_only;            /* only sub-runs of watched runs */
    int is_quiet;              /* no message, because the search is repeated */
    char *newest;              /* newest of those that are not live */
    uint64_t began;            /* when `newest` began */
    int is_worker;             /* `newest` is the run of a worker */
    struct run_list elsewhere; /* live, of other folders */
    char here[PATH_MAX];       /* this folder; "" unless it is searched */
};

/* ---- one candidate ---------------------------------------------------------------------------- */

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct top_seen *)a)->path, ((const struct top_seen *)b)->path);
}

static struct top_seen *seen_before(const struct top_runs *runs, const char *path)
{
    struct top_seen key = {.path = (char *)(uintptr_t)path};
    struct top_seen **node = tfind(&key, &runs->seen_tree, by_path);
    return node ? *node : NULL;
}

static int is_known(const struct top_runs *runs, const char *path)
{
    for (size_t i = 0; i < runs->count; i++)
        if (strcmp(runs->list[i]->path, path) == 0)
            return 1;
    const struct top_seen *seen = seen_before(runs, path);
    return seen && !seen->is_fresh;
}

static int is_watched(const struct top_runs *runs, const pit_run *run)
{
    for (size_t i = 0; i < runs->count; i++)
        if (memcmp(pit_watch_run(runs->list[i]->watch)->run_id, run->run_id, sizeof run->run_id) ==
            0)
            return 1;
    return 0;
}

/* A file that is not a live run is not checked again, unless it was written a moment ago: it may still
 * become a live run. */
static void note_seen(struct top_runs *runs, const char *path)
{
    struct stat facts;
    struct top_seen *seen = seen_before(runs, path);
    if (!seen) {
        seen = calloc(1, sizeof *seen);
        struct top_seen **list = realloc(runs->seen, (runs->seen_count + 1) * sizeof(*list));
        if (list)
            runs->seen = list;
        if (seen)
            seen->path = strdup(path);
        if (!seen || !list || !seen->path || !tsearch(seen, &runs->seen_tree, by_path)) {
            free(seen ? seen->path : NULL);
            free(seen);
            return;
        }
        runs->seen[runs->seen_count++] = seen;
    }
    seen->is_fresh = stat(path, &facts) == 0 && time(NULL) - facts.st_mtime < SETTLED_SECONDS;
}

int top_is_below(const struct top_runs *runs, const pit_run *run)
{
    for (size_t i = 0; i < runs->count; i++)
        if (memcmp(pit_watch_run(runs->list[i]->watch)->run_id, run->parent_run_id,
                   sizeof run->run_id) == 0)
            return 1;
    return 0;
}

static void consider_live(struct found *found, const char *path, const pit_run *run)
{
    pit_error error = {0};
    /* belongs to another run, or its parent appears later: checked again next time */
    if (found->below_only && !top_is_below(found->runs, run))
        return;
    if (is_watched(found->runs, run) || top_is_other_job(found->runs, run) ||
        top_runs_add(found->runs, path, &error) != 0)
        note_seen(found->runs, path);
}

static int is_sub_run(const pit_run *run)
{
    static const unsigned char none[sizeof run->parent_run_id];
    return memcmp(run->parent_run_id, none, sizeof none) != 0;
}

static int is_worker(const pit_run *run)
{
    return is_sub_run(run) && !pit_run_fact(run, "rank");
}

/* Any program's own run comes before the runs of workers, which begin later. */
static int is_newer(const struct found *found, const pit_run *run)
{
    if (found->newest && is_worker(run) != found->is_worker)
        return found->is_worker;
    return run->start_wall_ns >= found->began;
}

static void consider(struct found *found, const char *path)
{
    if (is_known(found->runs, path))
        return;
    pit_run *run = pit_run_peek(path, NULL);
    if (run && run->state == PIT_RUN_LIVE) {
        consider_live(found, path, run);
    } else {
        note_seen(found->runs, path);
        if (run && is_newer(found, run)) {
            free(found->newest);
            found->newest = strdup(path);
            found->began = run->start_wall_ns;
            found->is_worker = is_worker(run);
        }
    }
    pit_run_free(run);
}

/* ---- what processes have mapped --------------------------------------------------------------- */

static int is_inside(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    return path && strncmp(path, folder, length) == 0 &&
           (path[length] == '\0' || path[length] == '/' || length == 1);
}

/* Is the file in the folder that is searched, or was its program started there? */
static int is_here(const struct found *found, const char *path, const pit_run *run)
{
    return !*found->here || is_inside(path, found->here) ||
           is_inside(pit_run_fact(run, "cwd"), found->here);
}

/* A mapped run counts only if it is live: a process that reads an ended run maps it too. */
static void consider_mapped(struct found *found, const char *path)
{
    if (is_known(found->runs, path))
        return;
    pit_run *run = pit_run_peek(path, NULL);
    if (!run || run->state != PIT_RUN_LIVE)
        note_seen(found->runs, path);
    else if (is_here(found, path, run))
        consider_live(found, path, run);
    else
        run_list_add(&found->elsewhere, path);
    pit_run_free(run);
}

static int is_run_file(const char *path)
{
    size_t length = strlen(path);
    return (length > 4 && strcmp(path + length - 4, ".pit") == 0) ||
           strncmp(path, SHM_PAGES, strlen(SHM_PAGES)) == 0;
}

static void consider_process(struct found *found, const char *pid)
{
    char name[NAME_MAX + 20], line[PATH_MAX + 100], last[PATH_MAX + 100] = "";
    snprintf(name, sizeof name, "/proc/%.40s/maps", pid);
    FILE *maps = fopen(name, "re");
    if (!maps)
        return;
    while (fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (!path || !is_run_file(path) || strcmp(path, last) == 0)
            continue;
        snprintf(last, sizeof last, "%s", path);
        consider_mapped(found, path);
    }
    fclose(maps);
}

/* Call `each` with every process except this one until it returns 1; returns that result. */
static int for_processes(struct found *found, int (*each)(struct found *, const char *pid))
{
    DIR *folder = opendir("/proc");
    int answer = 0;
    if (!folder)
        return 0;
    for (struct dirent *entry = readdir(folder); entry && !answer; entry = readdir(folder))
        if (isdigit((unsigned char)entry->d_name[0]) && atoi(entry->d_name) != (int)getpid())
            answer = each(found, entry->d_name);
    closedir(folder);
    return answer;
}

static int consider_each(struct found *found, const char *pid)
{
    consider_process(found, pid);
    return 0;
}

/* A link below /proc/PID, as text. */
static const char *process_link(const char *pid, const char *name, char *text, size_t size)
{
    char path[NAME_MAX + 20];
    snprintf(path, sizeof path, "/proc/%.40s/%s", pid, name);
    ssize_t length = readlink(path, text, size - 1);
    text[length > 0 ? length : 0] = '\0';
    return text;
}

/* Is it a `pitwall run` that was started in the folder that is searched? */
static int is_starter(struct found *found, const char *pid)
{
    char path[NAME_MAX + 20], text[PATH_MAX] = "";
    snprintf(path, sizeof path, "/proc/%.40s/cmdline", pid);
    FILE *words = fopen(path, "re");
    if (!words)
        return 0;
    size_t length = fread(text, 1, sizeof text - 1, words);
    fclose(words);
    const char *slash = strrchr(text, '/'), *name = slash ? slash + 1 : text;
    const char *command = text + strlen(text) + 1;
    if (strcmp(name, "pitwall") != 0 || command >= text + length || strcmp(command, "run") != 0)
        return 0;
    return is_inside(process_link(pid, "cwd", text, sizeof text), found->here);
}

/* ---- all places -------------------------------------------------------------------------------- */

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

/* Find live sub-runs of a named run: they are in its folder. */
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

/* 0, or an exit status after the message. */
static int add_file(struct found *found, const char *path)
{
    pit_error error = {0};
    int code = top_runs_add(found->runs, path, &error);
    if (!code || (found->is_quiet && access(path, F_OK) != 0))
        return 0;
    error.code = code;
    return fail_run(path, &error);
}

static int has_live(const struct top_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        if (pit_watch_run(runs->list[i]->watch)->state == PIT_RUN_LIVE)
            return 1;
    return 0;
}

/* Find runs of this folder; runs of other folders only if this one has no watched run and none is about to
 * start. Of runs that start elsewhere later, the next one is shown when all others have ended. */
static int look_here(struct found *found)
{
    struct run_list files;
    struct top_runs *runs = found->runs;
    size_t before = runs->count;
    if (!getcwd(found->here, sizeof found->here))
        found->here[0] = '\0';
    int status = consider_files(found, &files, run_list_here(&files));
    if (status)
        return status;
    for_processes(found, consider_each);
    if (runs->count > before || (runs->count > 0 && !runs->is_elsewhere)) {
        runs->has_come_here = runs->is_elsewhere && runs->count > before;
        runs->is_elsewhere = 0;
        return 0;
    }
    runs->is_starting = for_processes(found, is_starter);
    if (runs->is_starting || runs->wait == TOP_WAIT || has_live(runs))
        return 0;
    for (size_t i = 0; i < found->elsewhere.count; i++) {
        pit_error error = {0};
        if (!is_known(runs, found->elsewhere.paths[i]))
            top_runs_add(runs, found->elsewhere.paths[i], &error);
    }
    runs->is_elsewhere = runs->count > 0;
    return 0;
}

/* Search all places for the requested run. Returns 0, or an exit status after the message. */
static int look_around(struct found *found)
{
    struct run_list files;
    char *argument = (char *)(uintptr_t)found->runs->argument;
    if (!argument)
        return look_here(found);
    found->runs->is_folder = is_folder(argument);
    if (found->runs->is_folder)
        return consider_files(found, &files, run_list_find(&files, &argument, 1));
    if (is_pid(argument)) {
        if (found->runs->count == 0)
            consider_process(found, argument);
        return 0;
    }
    int status = found->runs->count == 0 ? add_file(found, argument) : 0;
    if (!status && found->runs->count > 0)
        look_beside(found, argument);
    return status;
}

/* ---- the first time, and later ------------------------------------------------------------------ */

/* Add ranks of the watched job that died earlier: other ranks may wait for them. */
static void add_dead_ranks(struct top_runs *runs)
{
    size_t count = runs->job_id && *runs->job_id ? runs->seen_count : 0;
    for (size_t i = 0; i < count; i++) {
        pit_error error = {0};
        pit_run *run =
            is_known(runs, runs->seen[i]->path) ? NULL : pit_run_peek(runs->seen[i]->path, NULL);
        if (run && run->state == PIT_RUN_DIED && pit_run_fact(run, "rank") &&
            !top_is_other_job(runs, run))
            top_runs_add(runs, runs->seen[i]->path, &error);
        pit_run_free(run);
    }
}

static long rank_of(const pit_run *run)
{
    const char *rank = pit_run_fact(run, "rank");
    return rank && *rank ? strtol(rank, NULL, 10) : LONG_MAX;
}

/* By rank; then runs that no other run has started, newest first. */
static int by_rank(const void *a, const void *b)
{
    const struct top_run *left = *(struct top_run *const *)a, *right = *(struct top_run *const *)b;
    const pit_run *x = pit_watch_run(left->watch), *y = pit_watch_run(right->watch);
    long rank = rank_of(x), other = rank_of(y);
    if (rank != other)
        return rank < other ? -1 : 1;
    if (is_sub_run(x) != is_sub_run(y))
        return is_sub_run(x) ? 1 : -1;
    if (x->start_wall_ns != y->start_wall_ns && rank == LONG_MAX)
        return x->start_wall_ns > y->start_wall_ns ? -1 : 1;
    return strcmp(left->path, right->path);
}

/* Sort the runs found first; later ones are appended. */
static int settle(struct top_runs *runs, int is_quiet)
{
    int is_one = runs->argument && !runs->is_folder;
    int status = runs->count > 0 ? top_choose_job(runs, is_quiet) : 0;
    if (!status && runs->count > 0 && !is_one)
        add_dead_ranks(runs);
    if (runs->count > 1 && !is_one)
        qsort(runs->list, runs->count, sizeof(struct top_run *), by_rank);
    return status;
}

static int fail_empty(const struct top_runs *runs)
{
    const char *argument = runs->argument;
    char folder[40] = "";
    if (!argument)
        return fail(EXIT_CANNOT_READ, "no run to watch in ./pitwall-runs or .",
                    runs->is_starting ? "a program was started here and records nothing yet" : NULL,
                    runs->is_starting ? "--wait waits for it"
                                      : "`pitwall run -- PROGRAM` makes one, `pitwall top --wait` "
                                        "waits for one");
    if (!is_pid(argument))
        return fail(EXIT_CANNOT_READ, "no run to watch", argument,
                    "it contains no *.pit; --wait waits for one");
    snprintf(folder, sizeof folder, "/proc/%.20s", argument);
    return fail(EXIT_CANNOT_READ, "cannot watch the process", argument,
                !is_folder(folder) ? "no such process"
                                   : "it records no run; `pitwall run -- PROGRAM` records one");
}

static void free_found(struct found *found)
{
    free(found->newest);
    run_list_free(&found->elsewhere);
}

static void plan_next(struct top_runs *runs, double before)
{
    runs->scan_due = top_next_time(top_processor_seconds() - before,
                                   runs->count == 0 ? WAITING_PAUSE : SCAN_PAUSE);
}

int top_runs_start(struct top_runs *runs)
{
    struct found found = {.runs = runs, .is_quiet = runs->wait == TOP_WAIT};
    double before = top_processor_seconds();
    int status = look_around(&found);
    int waits = runs->wait == TOP_WAIT || (runs->wait == TOP_WAIT_IF_STARTED && runs->is_starting);
    if (!status && runs->count == 0 && !waits && found.newest)
        status = add_file(&found, found.newest);
    if (!status && runs->count == 0 && !waits)
        status = fail_empty(runs);
    if (!status)
        status = settle(runs, 0);
    free_found(&found);
    plan_next(runs, before);
    return status;
}

void top_runs_find_more(struct top_runs *runs)
{
    struct found found = {.runs = runs, .is_quiet = 1};
    size_t count = runs->count;
    if (top_now() < runs->scan_due)
        return;
    double before = top_processor_seconds();
    look_around(&found);
    if (count == 0)
        settle(runs, 1);
    free_found(&found);
    plan_next(runs, before);
}

void top_find_free(struct top_runs *runs)
{
    for (size_t i = 0; i < runs->seen_count; i++) {
        tdelete(runs->seen[i], &runs->seen_tree, by_path);
        free(runs->seen[i]->path);
        free(runs->seen[i]);
    }
    free(runs->seen);
}
