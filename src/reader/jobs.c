/* jobs.c: run files sorted into jobs: the ranks that one launcher started together.
 *
 * Two runs belong to one job if job id and restart agree. Without an id (MPICH gives none) the
 * program, the launcher and the number of ranks must agree. In any case a job has each rank once: a
 * repeated rank begins a new job, in order of start times, because ids such as an address and a port
 * are reused.
 */
#include "jobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct file {
    const char *path;
    struct pit__rank_head head;
    int is_rank, is_unread;
    uint64_t part; /* number of the job among files that agree */
};

struct box { /* a pit_jobs and the memory behind it */
    pit_jobs jobs;
    struct pit__arena arena;
};

/* ---- order ------------------------------------------------------------------------------------ */

static int by_words(const char *a, const char *b, int *order)
{
    *order = strcmp(a, b);
    return *order != 0;
}

static int by_number(uint64_t a, uint64_t b, int *order)
{
    *order = a < b ? -1 : a > b;
    return *order != 0;
}

/* Orders files by job id, restart and, without an id, by program, launcher and size. 0: they may be of one
 * job. */
static int key_order(const struct pit__rank_head *a, const struct pit__rank_head *b)
{
    int order;
    if (by_words(a->job, b->job, &order) || by_number(a->restart, b->restart, &order))
        return order;
    if (!*a->job &&
        (by_words(a->program, b->program, &order) || by_words(a->launcher, b->launcher, &order)))
        return order;
    by_number(a->world_size, b->world_size, &order);
    return order;
}

static int by_key_and_start(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    int order = key_order(&x->head, &y->head);
    if (!order)
        by_number(x->head.start_wall_ns, y->head.start_wall_ns, &order);
    return order ? order : strcmp(x->path, y->path);
}

static int by_part_and_rank(const void *a, const void *b)
{
    const struct file *x = a, *y = b;
    int order = key_order(&x->head, &y->head);
    if (!order)
        by_number(x->part, y->part, &order);
    if (!order)
        by_number(x->head.rank, y->head.rank, &order);
    return order ? order : strcmp(x->path, y->path);
}

static int newest_first(const void *a, const void *b)
{
    const pit_job *x = a, *y = b;
    int order;
    by_number(y->start_wall_ns, x->start_wall_ns, &order);
    return order ? order : strcmp(x->paths[0], y->paths[0]);
}

static int by_id(const void *a, const void *b)
{
    const struct file *const *x = a, *const *y = b;
    return memcmp((*x)->head.id, (*y)->head.id, sizeof(*x)->head.id);
}

/* ---- who is a rank ---------------------------------------------------------------------------- */

/* A worker inherits its rank's environment: a run whose parent run has the same rank is a worker. */
static int mark_ranks(struct file *files, size_t count)
{
    struct file **sorted = calloc(count + 1, sizeof *sorted);
    if (!sorted)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &files[i];
    qsort(sorted, count, sizeof(struct file *), by_id);
    for (size_t i = 0; i < count; i++) {
        struct file wanted, *key = &wanted;
        memcpy(wanted.head.id, files[i].head.parent, sizeof wanted.head.id);
        struct file **above = bsearch(&key, sorted, count, sizeof(struct file *), by_id);
        files[i].is_rank = pit__is_rank(&files[i].head) &&
                           !(above && pit__same_rank(&(*above)->head, &files[i].head));
    }
    free(sorted);
    return 0;
}

/* ---- jobs ------------------------------------------------------------------------------------- */

static size_t same_key(const struct file *files, size_t count)
{
    size_t end = 1;
    while (end < count && key_order(&files[0].head, &files[end].head) == 0)
        end++;
    return end;
}

/* The files agree and are sorted by start time; a repeated rank begins the next job. */
static void split(struct file *files, size_t count)
{
    uint64_t part = 0;
    size_t first = 0;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = first; k < i; k++)
            if (files[k].head.rank == files[i].head.rank) {
                first = i;
                part++;
                break;
            }
        files[i].part = part;
    }
}

/* The job id, and the restart if there is one. */
static const char *base_name(struct pit__arena *arena, const struct pit__rank_head *head)
{
    char name[400];
    int used = snprintf(name, sizeof name, "%.300s", *head->job ? head->job : "unnamed");
    if (head->restart > 0)
        snprintf(name + used, sizeof name - (size_t)used, "/%llu",
                 (unsigned long long)head->restart);
    return pit__arena_text(arena, name, strlen(name));
}

/* Number jobs that have the same name, all but the oldest; the newest is first. */
static void tell_apart(struct pit__arena *arena, pit_job *jobs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char name[440];
        size_t older = 0;
        for (size_t k = i + 1; k < count; k++)
            older += strcmp(jobs[i].name, jobs[k].name) == 0;
        if (older == 0)
            continue;
        snprintf(name, sizeof name, "%s#%zu", jobs[i].name, older + 1);
        jobs[i].name = pit__arena_text(arena, name, strlen(name));
    }
}

static void make_job(struct pit__arena *arena, const struct file *files, size_t count, pit_job *job)
{
    const struct pit__rank_head *head = &files[0].head;
    const char **paths = pit__arena_array(arena, count, sizeof *paths);
    *job = (pit_job){.name = base_name(arena, head),
                     .id = head->job,
                     .launcher = head->launcher,
                     .restart = head->restart,
                     .world_size = head->world_size,
                     .nodes = head->nodes,
                     .start_wall_ns = head->start_wall_ns,
                     .paths = paths,
                     .count = count};
    for (size_t i = 0; paths && i < count; i++) {
        paths[i] = pit__arena_text(arena, files[i].path, strlen(files[i].path));
        if (files[i].head.start_wall_ns < job->start_wall_ns)
            job->start_wall_ns = files[i].head.start_wall_ns;
    }
}

static void make_jobs(struct box *box, struct file *files, size_t count)
{
    pit_job *jobs = pit__arena_array(&box->arena, count, sizeof *jobs);
    size_t made = 0;
    qsort(files, count, sizeof *files, by_key_and_start);
    for (size_t i = 0; i < count;) {
        size_t end = i + same_key(files + i, count - i);
        split(files + i, end - i);
        i = end;
    }
    qsort(files, count, sizeof *files, by_part_and_rank);
    for (size_t i = 0; jobs && i < count;) {
        size_t end = i + 1;
        while (end < count && key_order(&files[i].head, &files[end].head) == 0 &&
               files[i].part == files[end].part)
            end++;
        make_job(&box->arena, files + i, end - i, &jobs[made++]);
        i = end;
    }
    if (made > 0)
        qsort(jobs, made, sizeof *jobs, newest_first);
    if (!box->arena.failed)
        tell_apart(&box->arena, jobs, made);
    box->jobs.jobs = jobs;
    box->jobs.count = made;
}

/* ---- public ------------------------------------------------------------------------------------ */

/* Put files that are not ranks into lists of their own. Returns the number of ranks, now at the front of
 * `files`. */
static size_t sort_out(struct box *box, struct file *files, size_t count, const char **others,
                       const char **unread)
{
    size_t ranks = 0;
    for (size_t i = 0; i < count; i++) {
        const char *path = pit__arena_text(&box->arena, files[i].path, strlen(files[i].path));
        if (files[i].is_unread)
            unread[box->jobs.unread_count++] = path;
        else if (!files[i].is_rank)
            others[box->jobs.other_count++] = path;
        else
            files[ranks++] = files[i];
    }
    box->jobs.others = others;
    box->jobs.unread = unread;
    return ranks;
}

static void read_head(struct box *box, const char *path, struct file *file)
{
    file->path = path;
    file->is_unread = pit__rank_head(path, &box->arena, &file->head, NULL) != 0;
    if (file->is_unread)
        file->head =
            (struct pit__rank_head){.rank = PIT_UNKNOWN, .job = "", .launcher = "", .program = ""};
}

PIT_API pit_jobs *pit_jobs_find(const char *const *paths, size_t count)
{
    struct box *box = calloc(1, sizeof *box);
    struct file *files = calloc(count + 1, sizeof *files);
    const char **others = box ? pit__arena_array(&box->arena, count + 1, sizeof *others) : NULL;
    const char **unread = box ? pit__arena_array(&box->arena, count + 1, sizeof *unread) : NULL;
    int good = files && others && unread;
    for (size_t i = 0; good && i < count; i++)
        read_head(box, paths[i], &files[i]);
    good = good && mark_ranks(files, count) == 0;
    if (good)
        make_jobs(box, files, sort_out(box, files, count, others, unread));
    free(files);
    if (good && !box->arena.failed)
        return &box->jobs;
    pit_jobs_free(box ? &box->jobs : NULL);
    return NULL;
}

PIT_API void pit_jobs_free(pit_jobs *jobs)
{
    struct box *box = (struct box *)(void *)jobs; /* its first member */
    if (!box)
        return;
    pit__arena_free(&box->arena);
    free(box);
}

PIT_API const pit_job *pit_job_named(const pit_jobs *jobs, const char *name)
{
    for (size_t i = 0; name && i < jobs->count; i++)
        if (strcmp(jobs->jobs[i].name, name) == 0)
            return &jobs->jobs[i];
    for (size_t i = 0; name && i < jobs->count; i++) /* the newest restart of this job */
        if (strcmp(jobs->jobs[i].id, name) == 0)
            return &jobs->jobs[i];
    return NULL;
}
