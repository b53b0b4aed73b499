/* serve_watch.c: the document of one run, kept while somebody looks at it, and what changed in it since.
 *
 * A live run's document is made anew when it is asked for and no longer fresh, and never so often that it
 * takes more than a fiftieth of a core; all watchers of a run share it. Of the documents before it only
 * marks are kept, enough to say which parts a watcher has already.
 */
#include "serve.h"
#include "serve_parts.h"

#include "exports/page_export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define WATCHES_MOST 16
#define COST_SHARE 50 /* a pause is that many times what making it took */
#define VERSIONS 8    /* that are known of each run */

struct version {
    uint64_t number;
    struct serve_marks marks;
};

struct serve_watch {
    char id[SERVE_ID_DIGITS + 1];
    struct serve_file file;
    enum pit_run_state state;
    struct serve_bytes *document;
    struct serve_parts parts; /* of it */
    double made_at, cost_s;   /* serve_now(); what making it took */
    double used_at;
    struct version versions[VERSIONS]; /* number modulo VERSIONS is the place */
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

/* The one that was asked for longest ago leaves, if there are too many. */
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

static struct serve_watch *watch_of(struct serve_runs *runs, const char *id)
{
    struct serve_watch *watch = runs->watches;
    while (watch && strcmp(watch->id, id) != 0)
        watch = watch->next;
    if (!watch) {
        make_room(runs);
        watch = calloc(1, sizeof *watch);
        if (!watch)
            return NULL;
        memcpy(watch->id, id, sizeof watch->id);
        watch->next = runs->watches;
        runs->watches = watch;
    }
    watch->used_at = serve_now();
    return watch;
}

/* ---- the document ------------------------------------------------------------------------------ */

static int write_page(FILE *out, void *arg)
{
    const pit_run *run = arg;
    return pit__page_document(out, &run, 1);
}

/* `refresh_s` is how old it may be. Who wants it at any cost (0) gets it. */
static int is_fresh(const struct serve_watch *watch, const struct served_run *run, double refresh_s)
{
    if (!watch->document || watch->state != run->state)
        return 0;
    double pause = refresh_s > 0 ? watch->cost_s * COST_SHARE : 0;
    if (run->state == PIT_RUN_LIVE)
        return serve_now() - watch->made_at < (pause > refresh_s ? pause : refresh_s);
    return serve_same_file(&watch->file, &run->file);
}

static void mark(struct serve_watch *watch)
{
    struct version *version = &watch->versions[watch->number % VERSIONS];
    free(version->marks.list);
    *version = (struct version){.number = watch->number};
    serve_parts_make(&watch->parts, watch->document->data, watch->document->count);
    if (watch->parts.failed || !serve_marks_make(&version->marks, &watch->parts))
        version->number = 0; /* nobody can go on from here: they get all of it */
}

/* 0: *status says why it cannot be had. */
static int refresh(struct serve_runs *runs, struct serve_watch *watch, const struct served_run *run,
                   unsigned *status)
{
    if (is_fresh(watch, run, runs->options->refresh_s))
        return 1;
    double begun = serve_now();
    pit_run *whole = serve_run_open(runs, run, NULL);
    struct serve_bytes *made = whole ? serve_bytes_printed(write_page, whole) : NULL;
    *status = whole ? 500 : 410;
    pit_run_free(whole);
    if (!made)
        return 0;
    drop_document(watch);
    watch->document = made;
    watch->file = run->file;
    watch->state = run->state;
    watch->number = ++runs->documents;
    mark(watch);
    watch->made_at = serve_now();
    watch->cost_s = watch->made_at - begun;
    return 1;
}

struct serve_bytes *serve_run_document(struct serve_runs *runs, struct served_run *run,
                                       unsigned *status)
{
    struct serve_watch *watch = watch_of(runs, run->id);
    if (!watch || !refresh(runs, watch, run, status))
        return NULL;
    return serve_bytes_use(watch->document);
}

/* ---- what changed -------------------------------------------------------------------------------- */

struct changes {
    const struct serve_watch *watch;
    const char *epoch;
    const struct version *since; /* NULL: all of it */
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

struct serve_bytes *serve_run_changes(struct serve_runs *runs, struct served_run *run,
                                      const char *since, unsigned *status)
{
    struct serve_watch *watch = watch_of(runs, run->id);
    if (!watch || !refresh(runs, watch, run, status))
        return NULL;
    struct changes changes = {watch, runs->epoch, version_of(watch, runs->epoch, since)};
    if (changes.since &&
        (watch->parts.failed || !serve_marks_fit(&changes.since->marks, &watch->parts)))
        changes.since = NULL;
    return serve_bytes_printed(write_changes, &changes);
}
