/* serve_compare.c: two runs, or groups of runs, side by side, by the rules of pitwall compare. */
#include "serve.h"

#include "exports/page_export.h"

#include <string.h>

#define SIDE_MOST 64 /* most runs of a side */

struct side {
    pit_run *runs[SIDE_MOST];
    size_t count;
    const char *name;
};
struct compare_call {
    struct side a, b;
};

/* Open the runs of "ID,ID,…". Returns 1; 0 if a run is missing or the list is invalid. */
static int open_side(struct serve_runs *all, const char *ids, struct side *side)
{
    while (ids && side->count < SIDE_MOST) {
        char id[SERVE_ID_DIGITS + 1];
        size_t length = strcspn(ids, ",");
        if (length != SERVE_ID_DIGITS)
            return 0;
        memcpy(id, ids, length);
        id[length] = '\0';
        const struct served_run *run = serve_runs_find(all, id);
        side->runs[side->count] = run ? serve_run_open(all, run, NULL) : NULL;
        if (!side->runs[side->count])
            return 0;
        side->count++;
        side->name = side->name ? side->name : run->path;
        ids = ids[length] ? ids + length + 1 : NULL;
    }
    return !ids && side->count > 0;
}

static int write_comparison(FILE *out, void *arg)
{
    const struct compare_call *call = arg;
    return pit__page_comparison(out, (const pit_run *const *)call->a.runs, call->a.count,
                                (const pit_run *const *)call->b.runs, call->b.count, call->a.name,
                                call->b.name);
}

struct serve_bytes *serve_compare_document(struct serve_runs *runs, const char *a, const char *b,
                                           unsigned *status)
{
    struct compare_call call = {0};
    struct serve_bytes *bytes = NULL;
    *status = 404;
    if (open_side(runs, a, &call.a) && open_side(runs, b, &call.b)) {
        bytes = serve_bytes_printed(write_comparison, &call);
        *status = 500;
    }
    runs_free(call.a.runs, call.a.count);
    runs_free(call.b.runs, call.b.count);
    return bytes;
}
