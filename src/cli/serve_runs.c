/* serve_runs.c: finds the runs of the folders, caches them while their files are unchanged, and updates live
 * ones.
 *
 * Other users may put files into a shared folder. So a link counts only if the user owns it; the size of
 * other users' files is limited, because reading takes memory; and if two files claim to be the same run,
 * the user's own is shown.
 */
#include "serve.h"

#include "base/grow.h"
#include "base/hex.h"
#include "model/live_tree.h"
#include "views/list_view.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OTHERS_MOST ((off_t)256 << 20) /* largest file of another user, in bytes */
#define YOUNG_S 60.0 /* a file that cannot be read yet may be a run that is just starting */
#define GONE_MOST 1024

/* ---- what is in the folders ------------------------------------------------------------------- */

struct found {
    char *path;
    struct serve_file file;
    const char *refused; /* why it is not read; NULL: it is read */
};
struct found_list {
    struct found *list;
    size_t count, room;
};

static const char *judge_file(const char *path, struct stat *facts)
{
    if (lstat(path, facts) != 0)
        return "";
    if (S_ISLNK(facts->st_mode)) {
        if (facts->st_uid != geteuid())
            return "a link that another user made";
        if (stat(path, facts) != 0)
            return "";
    }
    if (!S_ISREG(facts->st_mode))
        return "not a regular file";
    if (facts->st_uid != geteuid() && facts->st_size > OTHERS_MOST)
        return "another user's file, and larger than 256 MB";
    return NULL;
}

static void add_file(struct found_list *all, const char *folder, const char *name)
{
    struct stat facts = {0};
    struct found *list = pit__grow(all->list, &all->room, all->count + 1, sizeof *list, 64);
    if (!list)
        return;
    all->list = list;
    struct found *found = &list[all->count];
    size_t length = strlen(folder), room = length + strlen(name) + 2;
    while (length > 1 && folder[length - 1] == '/')
        length--;
    found->path = malloc(room);
    if (!found->path)
        return;
    snprintf(found->path, room, "%.*s/%s", (int)length, folder, name);
    found->refused = judge_file(found->path, &facts);
    if (found->refused && !*found->refused) { /* already removed */
        free(found->path);
        return;
    }
    found->file = (struct serve_file){.device = facts.st_dev,
                                      .inode = facts.st_ino,
                                      .size = facts.st_size,
                                      .changed_ns = (int64_t)facts.st_mtim.tv_sec * 1000000000 +
                                                    facts.st_mtim.tv_nsec,
                                      .owner = facts.st_uid};
    all->count++;
}

static void scan_folder(struct found_list *all, const char *path)
{
    DIR *folder = opendir(path);
    if (!folder)
        return;
    for (const struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        if (entry->d_name[0] != '.' && length > 4 &&
            strcmp(entry->d_name + length - 4, ".pit") == 0)
            add_file(all, path, entry->d_name);
    }
    closedir(folder);
}

static int by_found_path(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->path, ((const struct found *)b)->path);
}

/* ---- one run ---------------------------------------------------------------------------------- */

static char *fact_of(const pit_run *run, const char *key)
{
    const char *value = pit_run_fact(run, key);
    return value ? strdup(value) : NULL;
}

static char *note_of(const pit_run *run)
{
    char note[80];
    pit__list_note(run, note, sizeof note);
    return *note ? strdup(note) : NULL;
}

static void forget_read(struct served_run *run)
{
    free(run->why);
    free(run->program);
    free(run->host);
    free(run->job);
    free(run->rank);
    free(run->note);
    run->why = run->program = run->host = run->job = run->rank = run->note = NULL;
}

static void free_run(struct served_run *run)
{
    forget_read(run);
    free(run->headline);
    free(run->path);
    serve_metrics_forget(run);
    free(run);
}

/* Processors in use over the last five seconds of readings, or over all readings. */
static double recent_cores(const pit_run *run)
{
    if (!run->has_samples)
        return NAN;
    const pit_sample *from = NULL;
    for (size_t i = run->sample_count; i-- > 0;) {
        from = &run->samples[i];
        if ((double)(run->newest.ticks - from->ticks) * run->ns_per_tick >= 5e9)
            break;
    }
    if (!from || run->newest.ticks <= from->ticks)
        return NAN;
    double ns = (double)(run->newest.ticks - from->ticks) * run->ns_per_tick;
    return (pit_sample_figure(run, &run->newest, "cpu_ns") -
            pit_sample_figure(run, from, "cpu_ns")) /
           ns;
}

static void take_memory(struct served_run *to, const pit_run *run)
{
    uint64_t limit = pit__live_limit(run);
    to->rss = pit__live_newest(run, "rss_bytes");
    to->limit = limit == PIT_UNKNOWN || limit == 0 ? NAN : (double)limit;
    double most = pit__live_rss(run, to->spark, SERVE_SPARK);
    to->spark_count = isnan(most) ? 0 : SERVE_SPARK;
    to->peak = run->rss_peak > 0 ? (double)run->rss_peak : most;
    if (most > to->peak)
        to->peak = most;
    to->cores = recent_cores(run);
}

static void read_run(struct serve_runs *runs, struct served_run *to, const char *refused)
{
    pit_error error = {0};
    pit_run *run = refused ? NULL : pit_run_peek(to->path, &error);
    int was_live = to->state == PIT_RUN_LIVE && *to->id;
    forget_read(to);
    to->version = runs->version + 1;
    if (!run) {
        to->why = strdup(refused          ? refused
                         : *error.message ? error.message
                                          : pit_strerror(error.code));
        to->id[0] = '\0';
        return;
    }
    to->state = run->state;
    to->ended_by_parent = to->parent_seen = 0;
    pit__hex(run->run_id, sizeof run->run_id, to->id);
    if (!pit__hex(run->parent_run_id, sizeof run->parent_run_id, to->parent))
        to->parent[0] = '\0';
    to->program = fact_of(run, "program");
    to->host = fact_of(run, "host");
    to->job = fact_of(run, "job");
    to->rank = fact_of(run, "rank");
    to->note = note_of(run);
    to->started_ns = run->start_wall_ns;
    to->ended_ns = run->end_wall_ns;
    to->duration_s = 1e-9 * run->duration_ns;
    take_memory(to, run);
    if (run->state == PIT_RUN_LIVE)
        to->ended_at = 0;
    else if (was_live) {
        to->ended_at = serve_now();
        to->judge_due = 0;          /* the final judgement covers the whole run */
    } else if (to->ended_at == 0) { /* ended before the server started: use its own clock */
        to->ended_at = serve_now() - (serve_wall_ns() - (double)run->end_wall_ns) * 1e-9;
    }
    serve_set_need(to);
    pit_run_free(run);
}

int serve_same_file(const struct serve_file *a, const struct serve_file *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size &&
           a->changed_ns == b->changed_ns && a->owner == b->owner;
}

static int is_young(const struct serve_file *file)
{
    return serve_wall_ns() - (double)file->changed_ns < YOUNG_S * 1e9;
}

static void refresh(struct serve_runs *runs, struct served_run *run, const struct found *found)
{
    int is_same = serve_same_file(&run->file, &found->file);
    int is_other = run->file.device != found->file.device || run->file.inode != found->file.inode;
    if (is_same && (run->why ? !is_young(&run->file) : run->state != PIT_RUN_LIVE))
        return;
    if (is_other) { /* a different file with the same name */
        run->judge_due = 0;
        run->ended_at = 0;
        serve_metrics_forget(run);
    }
    run->file = found->file;
    read_run(runs, run, found->refused);
}

/* ---- the list ----------------------------------------------------------------------------------- */

static void note_gone(struct serve_runs *runs, const char *id)
{
    if (!runs->gone)
        runs->gone = calloc(GONE_MOST, sizeof *runs->gone);
    if (!runs->gone || runs->gone_count == GONE_MOST) {
        runs->forgotten = runs->version + 1; /* clients with an older version get the whole list */
        runs->gone_count = 0;
    }
    if (runs->gone) {
        struct serve_gone *gone = &runs->gone[runs->gone_count++];
        memcpy(gone->id, id, sizeof gone->id);
        gone->version = runs->version + 1;
    }
}

/* Own files first, then whole ones, then by path. */
static int by_id_and_owner(const void *a, const void *b)
{
    const struct served_run *x = *(struct served_run *const *)a;
    const struct served_run *y = *(struct served_run *const *)b;
    int order = strcmp(x->id, y->id);
    int mine = (y->file.owner == geteuid()) - (x->file.owner == geteuid());
    int whole = !!x->note - !!y->note;
    return order ? order : mine ? mine : whole ? whole : strcmp(x->path, y->path);
}

static void index_ids(struct serve_runs *runs)
{
    struct served_run **by_id = calloc(runs->count + 1, sizeof(struct served_run *));
    size_t count = 0, kept = 0;
    if (!by_id)
        return;
    for (size_t i = 0; i < runs->count; i++)
        if (*runs->list[i]->id)
            by_id[count++] = runs->list[i];
    qsort(by_id, count, sizeof *by_id, by_id_and_owner);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || strcmp(by_id[i]->id, by_id[kept - 1]->id) != 0)
            by_id[kept++] = by_id[i];
    free(runs->by_id);
    runs->by_id = by_id;
    runs->id_count = kept;
}

/* The run of a found file: kept from the previous search, or new. Takes ownership of the path. */
static struct served_run *take_found(struct serve_runs *runs, struct served_run *known,
                                     struct found *found)
{
    struct served_run *run = known;
    if (run) {
        free(found->path);
        refresh(runs, run, found);
        return run;
    }
    run = calloc(1, sizeof *run);
    if (!run) {
        free(found->path);
        return NULL;
    }
    run->path = found->path;
    run->file = found->file;
    run->severity = -1;
    run->last_span_ns = NAN;
    read_run(runs, run, found->refused);
    return run;
}

/* Both lists are sorted by path. */
static void merge(struct serve_runs *runs, struct found_list *all)
{
    struct served_run **list = calloc(all->count + 1, sizeof(struct served_run *));
    size_t count = 0, old = 0;
    if (!list)
        return;
    for (size_t i = 0; i < all->count; i++) {
        int order = -1;
        for (; old < runs->count; old++) {
            order = strcmp(runs->list[old]->path, all->list[i].path);
            if (order >= 0)
                break;
        }
        struct served_run *known = old < runs->count && order == 0 ? runs->list[old] : NULL;
        list[count] = take_found(runs, known, &all->list[i]);
        if (list[count]) {
            list[count]->is_kept = 1;
            count++;
        }
    }
    for (size_t i = 0; i < runs->count; i++)
        if (!runs->list[i]->is_kept) {
            if (*runs->list[i]->id)
                note_gone(runs, runs->list[i]->id);
            free_run(runs->list[i]);
        }
    for (size_t i = 0; i < count; i++)
        list[i]->is_kept = 0;
    free(runs->list);
    runs->list = list;
    runs->count = count;
}

void serve_runs_look(struct serve_runs *runs)
{
    struct found_list all = {0};
    runs->asked_at = serve_now();
    if (runs->looked_at > 0 && runs->asked_at - runs->looked_at < runs->options->refresh_s)
        return;
    for (size_t i = 0; i < runs->options->folder_count; i++)
        scan_folder(&all, runs->options->folders[i]);
    if (all.count)
        qsort(all.list, all.count, sizeof *all.list, by_found_path);
    merge(runs, &all);
    free(all.list);
    index_ids(runs);
    serve_judge_ends(runs);
    runs->version++;
    runs->looked_at = serve_now();
}

static int id_order(const void *id, const void *run)
{
    return strcmp(id, (*(struct served_run *const *)run)->id);
}

struct served_run *serve_runs_find(const struct serve_runs *runs, const char *id)
{
    struct served_run **found = runs->id_count ? bsearch(id, runs->by_id, runs->id_count,
                                                         sizeof(struct served_run *), id_order)
                                               : NULL;
    return found ? *found : NULL;
}

int serve_runs_has_below(const struct serve_runs *runs, const char *id)
{
    for (size_t i = 0; i < runs->id_count; i++)
        if (strcmp(runs->by_id[i]->parent, id) == 0)
            return 1;
    return 0;
}

pit_run *serve_run_open(const struct serve_runs *runs, const struct served_run *run,
                        pit_error *error)
{
    struct stat facts;
    if (judge_file(run->path, &facts) != NULL)
        return NULL;
    pit_run *whole = pit_run_open(run->path, error);
    size_t one = 1;
    /* if memory is exhausted: only the run itself */
    if (whole && serve_runs_has_below(runs, run->id))
        pit_runs_nest(&whole, &one); /* without memory: the run alone */
    if (whole)
        whole->ended_by_parent = run->ended_by_parent;
    return whole;
}

void serve_runs_free(struct serve_runs *runs)
{
    serve_watches_free(runs);
    for (size_t i = 0; i < runs->count; i++)
        free_run(runs->list[i]);
    free(runs->list);
    free(runs->by_id);
    free(runs->gone);
}
