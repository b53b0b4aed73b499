/* serve_watch.c: the document of one run, or of all ranks of its job, cached while it is viewed, and the
 * changes since an earlier version.
 *
 * A live run's document is updated when it is requested and too old, but using at most 1/50 of a core; all
 * viewers of a run share it. Only hashes of the parts of earlier documents are kept, to find which parts a
 * viewer already has.
 */
#include "serve.h"
#include "serve_parts.h"

#include "exports/page_export.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define WATCHES_MOST 16
#define COST_SHARE 50 /* a pause is this many times the duration of making the document */
#define VERSIONS 8    /* remembered versions per run */
/* maximum age of a live run's advice, which takes longer than everything else */
#define ADVICE_S 15.0

struct version {
    uint64_t number;
    struct serve_marks marks;
};

struct serve_watch {
    char id[SERVE_ID_DIGITS + 1];
    int is_job;
    uint64_t files; /* identifies the files it was made from: a hash */
    struct serve_bytes *document;
    struct serve_parts parts; /* of it */
    double made_at, cost_s;   /* serve_now(); duration of making it */
    double used_at;
    /* from an earlier document, made at advised_at, of this many runs */
    struct pit__page_advice advice;
    double advised_at;
    size_t advised_count;
    struct version versions[VERSIONS]; /* indexed by number modulo VERSIONS */
    uint64_t number;                   /* of the document */
    struct serve_watch *next;
};

static void drop_document(struct serve_watch *watch)
{
    serve_bytes_drop(watch->document);
    serve_parts_free(&watch->parts);
    watch->document = NULL;
}

static void free_watch(struct serve_watch *watch)
{
    drop_document(watch);
    pit_advice_free(watch->advice.advice);
    for (size_t i = 0; i < VERSIONS; i++)
        free(watch->versions[i].marks.list);
    free(watch);
}

void serve_watches_free(struct serve_runs *runs)
{
    for (struct serve_watch *next, *watch = runs->watches; watch; watch = next) {
        next = watch->next;
        free_watch(watch);
    }
    runs->watches = NULL;
}

/* If there are too many, remove the one whose last request is the oldest. */
static void make_room(struct serve_runs *runs)
{
    struct serve_watch **oldest = NULL;
    size_t count = 0;
    for (struct serve_watch **at = &runs->watches; *at; at = &(*at)->next, count++)
        if (!oldest || (*at)->used_at < (*oldest)->used_at)
            oldest = at;
    if (count < WATCHES_MOST || !oldest)
        return;
    struct serve_watch *leaving = *oldest;
    *oldest = leaving->next;
    free_watch(leaving);
}

static struct serve_watch *watch_of(struct serve_runs *runs, const char *id, int is_job)
{
    struct serve_watch *watch = runs->watches;
    while (watch && (strcmp(watch->id, id) != 0 || watch->is_job != is_job))
        watch = watch->next;
    if (!watch) {
        make_room(runs);
        watch = calloc(1, sizeof *watch);
        if (!watch)
            return NULL;
        memcpy(watch->id, id, sizeof watch->id);
        watch->is_job = is_job;
        watch->next = runs->watches;
        runs->watches = watch;
    }
    watch->used_at = serve_now();
    return watch;
}

/* ---- the runs of a document ---------------------------------------------------------------------- */

struct members {
    struct serve_watch *watch; /* the watch whose document they are for */
    const struct served_run **list;
    pit_run **whole; /* runs that can be read */
    size_t count, whole_count;
    int is_live;    /* one of them is live */
    uint64_t files; /* as in struct serve_watch */
};

static int by_rank(const void *a, const void *b)
{
    const struct served_run *x = *(const struct served_run *const *)a;
    const struct served_run *y = *(const struct served_run *const *)b;
    long rank = x->rank ? strtol(x->rank, NULL, 10) : LONG_MAX;
    long other = y->rank ? strtol(y->rank, NULL, 10) : LONG_MAX;
    return rank != other ? (rank < other ? -1 : 1) : strcmp(x->id, y->id);
}

static void add_member(struct members *members, const struct served_run *run)
{
    const uint64_t tells[] = {members->files,
                              (uint64_t)run->file.device,
                              (uint64_t)run->file.inode,
                              (uint64_t)run->file.size,
                              (uint64_t)run->file.changed_ns,
                              (uint64_t)run->state,
                              (uint64_t)run->ended_by_parent};
    members->list[members->count++] = run;
    members->is_live |= run->state == PIT_RUN_LIVE;
    members->files = serve_hash(tells, sizeof tells);
}

/* Find the run or, with is_job, all runs of the same job, by rank. Returns 0 if memory is exhausted. */
static int find_members(const struct serve_runs *runs, const struct served_run *run, int is_job,
                        struct members *members)
{
    *members = (struct members){.list = calloc(runs->id_count + 1, sizeof *members->list),
                                .whole = calloc(runs->id_count + 1, sizeof *members->whole)};
    if (!members->list || !members->whole)
        return 0;
    if (!is_job || !run->job) {
        add_member(members, run);
        return 1;
    }
    for (size_t i = 0; i < runs->id_count; i++)
        if (runs->by_id[i]->job && strcmp(runs->by_id[i]->job, run->job) == 0)
            add_member(members, runs->by_id[i]);
    qsort(members->list, members->count, sizeof *members->list, by_rank);
    return 1;
}

static void free_members(struct members *members)
{
    runs_free(members->whole, members->whole_count);
    free(members->whole);
    free(members->list);
}

/* ---- the document ------------------------------------------------------------------------------ */

static int write_page(FILE *out, void *arg)
{
    const struct members *members = arg;
    return pit__page_document(out, (const pit_run *const *)members->whole, members->whole_count,
                              &members->watch->advice);
}

/* The advice of an ended run must cover all of it. */
static void forget_old_advice(struct serve_watch *watch, const struct members *members)
{
    if (members->is_live && watch->advised_count == members->whole_count &&
        serve_now() - watch->advised_at < 2 * ADVICE_S)
        return;
    pit_advice_free(watch->advice.advice);
    watch->advice.advice = NULL;
    watch->advised_at = serve_now();
    watch->advised_count = members->whole_count;
}

/* `refresh_s` is the maximum age; 0 always updates. */
static int is_fresh(const struct serve_watch *watch, const struct members *members,
                    double refresh_s)
{
    double pause = refresh_s > 0 ? watch->cost_s * COST_SHARE : 0;
    if (!watch->document || watch->files != members->files)
        return 0;
    return !members->is_live ||
           serve_now() - watch->made_at < (pause > refresh_s ? pause : refresh_s);
}

static void mark(struct serve_watch *watch)
{
    struct version *version = &watch->versions[watch->number % VERSIONS];
    free(version->marks.list);
    *version = (struct version){.number = watch->number};
    serve_parts_make(&watch->parts, watch->document->data, watch->document->count);
    /* clients cannot continue from here: they get the whole document */
    if (watch->parts.failed || !serve_marks_make(&version->marks, &watch->parts))
        version->number = 0;
}

static void make_document(struct serve_runs *runs, struct serve_watch *watch,
                          struct members *members, unsigned *status)
{
    double begun = serve_now();
    for (size_t i = 0; i < members->count; i++) {
        pit_run *whole = serve_run_open(runs, members->list[i], NULL);
        if (whole)
            members->whole[members->whole_count++] = whole;
    }
    members->watch = watch;
    forget_old_advice(watch, members);
    struct serve_bytes *made =
        members->whole_count ? serve_bytes_printed(write_page, members) : NULL;
    *status = members->whole_count ? 500 : 410;
    drop_document(watch);
    if (!made)
        return;
    watch->document = made;
    watch->files = members->files;
    watch->number = ++runs->documents;
    mark(watch);
    watch->made_at = serve_now();
    watch->cost_s = watch->made_at - begun;
}

/* The watch with an up-to-date document; NULL: not available, *status says why. */
static struct serve_watch *fresh_watch(struct serve_runs *runs, const struct served_run *run,
                                       int is_job, unsigned *status)
{
    struct serve_watch *watch = watch_of(runs, run->id, is_job);
    struct members members = {0};
    *status = 500;
    if (watch && find_members(runs, run, is_job, &members) &&
        !is_fresh(watch, &members, runs->options->refresh_s))
        make_document(runs, watch, &members, status);
    free_members(&members);
    return watch && watch->document ? watch : NULL;
}

void serve_watches_advise(struct serve_runs *runs)
{
    for (struct serve_watch *watch = runs->watches; watch; watch = watch->next) {
        const struct served_run *run = serve_runs_find(runs, watch->id);
        struct members members = {0};
        unsigned status;
        if (!run || !watch->document || serve_now() - watch->advised_at < ADVICE_S ||
            serve_now() - watch->used_at > ADVICE_S)
            continue;
        if (find_members(runs, run, watch->is_job, &members) && members.is_live) {
            pit_advice_free(watch->advice.advice);
            watch->advice.advice = NULL;
            watch->advised_at = serve_now();
            make_document(runs, watch, &members, &status);
        }
        free_members(&members);
    }
}

const pit_advice *serve_watch_advice(const struct serve_runs *runs, const char *id)
{
    for (const struct serve_watch *watch = runs->watches; watch; watch = watch->next)
        if (!watch->is_job && strcmp(watch->id, id) == 0 && watch->advised_count == 1 &&
            serve_now() - watch->advised_at < ADVICE_S)
            return watch->advice.advice;
    return NULL;
}

struct serve_bytes *serve_run_document(struct serve_runs *runs, struct served_run *run, int is_job,
                                       unsigned *status)
{
    struct serve_watch *watch = fresh_watch(runs, run, is_job, status);
    return watch ? serve_bytes_use(watch->document) : NULL;
}

/* ---- what changed -------------------------------------------------------------------------------- */

struct changes {
    const struct serve_watch *watch;
    const char *epoch;
    const struct version *since; /* NULL: the whole document */
};

static const struct version *version_of(const struct serve_watch *watch, const char *epoch,
                                        const char *since)
{
    size_t length = strlen(epoch);
    uint64_t number;
    if (!since || strncmp(since, epoch, length) != 0 || since[length] != '-' ||
        !serve_number(since + length + 1, &number) || number == 0)
        return NULL;
    const struct version *version = &watch->versions[number % VERSIONS];
    return version->number == number ? version : NULL;
}

static int write_changes(FILE *out, void *arg)
{
    const struct changes *changes = arg;
    const struct serve_watch *watch = changes->watch;
    const char *text = watch->document->data, *comma = "";
    fprintf(out, "{\"v\":\"%s-%" PRIu64 "\",\"all\":%s,", changes->epoch, watch->number,
            changes->since ? "false" : "true");
    if (!changes->since) {
        fputs("\"document\":", out);
        fwrite(text, 1, watch->document->count, out);
        fputs("}\n", out);
        return 0;
    }
    fputs("\"changed\":{", out);
    for (size_t i = 0; i < watch->parts.count; i++) {
        const struct serve_part *part = &watch->parts.list[i];
        if (serve_marks_have(&changes->since->marks, part))
            continue;
        fprintf(out, "%s\"%s\":", comma, part->path);
        fwrite(text + part->begin, 1, part->end - part->begin, out);
        comma = ",\n";
    }
    fputs("}}\n", out);
    return 0;
}

struct serve_bytes *serve_run_changes(struct serve_runs *runs, struct served_run *run, int is_job,
                                      const char *since, unsigned *status)
{
    struct serve_watch *watch = fresh_watch(runs, run, is_job, status);
    if (!watch)
        return NULL;
    struct changes changes = {watch, runs->epoch, version_of(watch, runs->epoch, since)};
    if (changes.since &&
        (watch->parts.failed || !serve_marks_fit(&changes.since->marks, &watch->parts)))
        changes.since = NULL;
    return serve_bytes_printed(write_changes, &changes);
}
