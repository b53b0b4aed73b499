/* sub_runs.c: finds the runs of child processes, at any depth. Each run names its parent; candidates are
 * the files in the run's folder and in the folders that links there lead to (a program below `pitwall run`
 * that opens a run elsewhere leaves a link).
 *
 * A rank of a job is never a sub-run, even if its launcher has a run; its workers, which inherit its
 * environment, are. */
#include "run_files.h"

#include <stdlib.h>
#include <string.h>

#define ID_BYTES PIT__ID_BYTES

struct search {
    struct pit__run_files files;      /* by id, each id once */
    struct pit__run_file **by_parent; /* the same by parent, then by start */
    pit_run **runs;
    size_t run_count;
};

/* ---- who is whose --------------------------------------------------------------------------- */

static int by_parent(const void *a, const void *b)
{
    const struct pit__run_file *x = *(struct pit__run_file *const *)a,
                               *y = *(struct pit__run_file *const *)b;
    int order = memcmp(x->parent, y->parent, ID_BYTES);
    if (!order)
        order = x->started < y->started ? -1 : x->started > y->started;
    return order ? order : strcmp(x->path, y->path);
}

static int put_in_order(struct search *search)
{
    size_t kept = search->files.count;
    for (size_t i = 0; i < kept; i++)
        if (pit__is_own_rank(&search->files, &search->files.list[i].head))
            memset(search->files.list[i].parent, 0, ID_BYTES);
    search->by_parent = calloc(kept + 1, sizeof(struct pit__run_file *));
    if (!search->by_parent)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < kept; i++)
        search->by_parent[i] = &search->files.list[i];
    qsort(search->by_parent, kept, sizeof *search->by_parent, by_parent);
    return 0;
}

/* Where the children of a run begin in by_parent. */
static size_t first_child(const struct search *search, const unsigned char *id)
{
    size_t low = 0, high = search->files.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (memcmp(search->by_parent[middle]->parent, id, ID_BYTES) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int is_none(const unsigned char *id)
{
    static const unsigned char none[ID_BYTES];
    return memcmp(id, none, ID_BYTES) == 0;
}

/* ---- which of ours are beneath others --------------------------------------------------------- */

enum mark { UNSEEN, ON_WAY, DONE };

struct kin { /* a known run: from a file, or one of the given runs */
    const unsigned char *id, *parent;
    struct kin *above; /* its parent; NULL: none, or not known */
    enum mark mark;
    int is_ours, in_circle;
    int has_ours; /* it, or one of its ancestors, is a given run */
};

static int by_kin_id(const void *a, const void *b)
{
    return memcmp(((const struct kin *)a)->id, ((const struct kin *)b)->id, ID_BYTES);
}

static struct kin *find_kin(struct kin *kin, size_t count, const unsigned char *id)
{
    struct kin wanted = {.id = id};
    return is_none(id) || count == 0 ? NULL : bsearch(&wanted, kin, count, sizeof *kin, by_kin_id);
}

/* The id of its parent run; none for a rank. */
static const unsigned char *parent_of(const struct search *search, const pit_run *run)
{
    static const unsigned char none[ID_BYTES];
    struct pit__rank_head head;
    pit__rank_head_of(run, &head);
    return pit__is_own_rank(&search->files, &head) ? none : run->parent_run_id;
}

/* List all known runs by id, each once; returns their number. */
static size_t list_kin(const struct search *search, struct kin *kin)
{
    size_t count = 0, kept = 0;
    for (size_t r = 0; r < search->run_count; r++)
        kin[count++] = (struct kin){.id = search->runs[r]->run_id,
                                    .parent = parent_of(search, search->runs[r]),
                                    .is_ours = 1};
    for (size_t i = 0; i < search->files.count; i++)
        kin[count++] =
            (struct kin){.id = search->files.list[i].id, .parent = search->files.list[i].parent};
    if (count > 0)
        qsort(kin, count, sizeof *kin, by_kin_id);
    for (size_t i = 0; i < count; i++) {
        if (kept > 0 && memcmp(kin[kept - 1].id, kin[i].id, ID_BYTES) == 0) {
            if (kin[i].is_ours) /* the opened run takes precedence over the file */
                kin[kept - 1].parent = kin[i].parent;
            kin[kept - 1].is_ours |= kin[i].is_ours;
        } else {
            kin[kept++] = kin[i];
        }
    }
    for (size_t i = 0; i < kept; i++)
        kin[i].above = find_kin(kin, kept, kin[i].parent);
    return kept;
}

/* A file with a false parent may form a cycle: the runs in it have no parent then. */
static void close_circle(struct kin *in)
{
    int has_ours = 0;
    struct kin *at = in;
    do {
        has_ours |= at->is_ours;
        at->in_circle = 1;
        at = at->above;
    } while (at != in);
    do {
        at->has_ours = has_ours;
        at->mark = DONE;
        at = at->above;
    } while (at != in);
}

/* Finds the ancestors of a run. Each run is visited at most twice: on the way up to a known ancestor, and
 * on the way back. */
static void look_up(struct kin *from, struct kin **way)
{
    size_t count = 0;
    struct kin *at = from;
    while (at && at->mark == UNSEEN) {
        at->mark = ON_WAY;
        way[count++] = at;
        at = at->above;
    }
    if (at && at->mark == ON_WAY)
        close_circle(at);
    while (count-- > 0) {
        at = way[count];
        if (at->mark == DONE)
            continue;
        at->has_ours = at->is_ours || (at->above && at->above->has_ours);
        at->mark = DONE;
    }
}

/* A byte per run: 1 if another given run is its ancestor. NULL if memory is exhausted. */
static unsigned char *find_nested(const struct search *search)
{
    size_t room = search->run_count + search->files.count + 1;
    unsigned char *nested = calloc(search->run_count + 1, 1);
    struct kin *kin = calloc(room, sizeof *kin), **way = calloc(room, sizeof *way);
    if (nested && kin && way) {
        size_t count = list_kin(search, kin);
        for (size_t i = 0; i < count; i++)
            look_up(&kin[i], way);
        for (size_t r = 0; r < search->run_count; r++) {
            const pit_run *run = search->runs[r];
            const struct kin *own = find_kin(kin, count, run->run_id);
            const struct kin *above =
                own ? own->above : find_kin(kin, count, parent_of(search, run));
            nested[r] = !(own && own->in_circle) && above && above->has_ours;
        }
    }
    int is_good = kin && way;
    free(kin);
    free(way);
    if (is_good)
        return nested;
    free(nested);
    return NULL;
}

/* ---- beneath one run ------------------------------------------------------------------------ */

struct waiting { /* a file to be visited, and its depth */
    struct pit__run_file *file;
    unsigned depth;
};

/* Push the children of `id` that are not taken yet; the first one ends up on top. */
static size_t push_children(const struct search *search, const unsigned char *id, unsigned depth,
                            struct waiting *stack, size_t top)
{
    size_t first = first_child(search, id), end = first;
    while (end < search->files.count && memcmp(search->by_parent[end]->parent, id, ID_BYTES) == 0)
        end++;
    while (end-- > first) {
        struct pit__run_file *file = search->by_parent[end];
        if (file->is_taken)
            continue;
        file->is_taken = 1;
        stack[top++] = (struct waiting){file, depth};
    }
    return top;
}

static int gather_below(const struct search *search, pit_run *run)
{
    struct waiting *stack = calloc(search->files.count + 1, sizeof *stack);
    pit_run **below = calloc(search->files.count + 1, sizeof *below);
    size_t top = 0, count = 0;
    if (!stack || !below) {
        free(stack);
        free(below);
        return PIT_NO_MEMORY;
    }
    if (!is_none(run->run_id))
        top = push_children(search, run->run_id, 1, stack, 0);
    while (top > 0) {
        struct waiting next = stack[--top];
        pit_run *sub = pit_run_open(next.file->path, NULL);
        if (sub)
            sub->depth = next.depth;
        else
            run->below_unread++;
        if (sub)
            below[count] = pit__judge_end(sub, run, below, count);
        count += sub != NULL;
        top = push_children(search, next.file->id, next.depth + 1, stack, top);
    }
    free(stack);
    run->below = below;
    run->below_count = count;
    return 0;
}

static void take_ours(struct search *search)
{
    for (size_t r = 0; r < search->run_count; r++) {
        struct pit__run_file *file = pit__run_file_of(&search->files, search->runs[r]->run_id);
        if (file)
            file->is_taken = 1;
    }
}

/* ---- public --------------------------------------------------------------------------------- */

static int look_around(struct search *search)
{
    int code = pit__run_files_find(&search->files, search->runs, search->run_count);
    return code ? code : put_in_order(search);
}

/* Remove the given runs that are sub-runs of others; all are found before the first is removed. */
static int drop_nested(struct search *search, size_t *count)
{
    unsigned char *nested = find_nested(search);
    size_t kept = 0;
    if (!nested)
        return PIT_NO_MEMORY;
    for (size_t r = 0; r < search->run_count; r++) {
        if (nested[r])
            pit_run_free(search->runs[r]);
        else
            search->runs[kept++] = search->runs[r];
    }
    free(nested);
    search->run_count = *count = kept;
    return 0;
}

int pit_runs_nest(pit_run **runs, size_t *count)
{
    struct search search = {.runs = runs, .run_count = *count};
    int code = look_around(&search);
    if (!code)
        code = drop_nested(&search, count);
    if (!code)
        take_ours(&search);
    for (size_t r = 0; r < search.run_count && !code; r++)
        if (!runs[r]->below)
            code = gather_below(&search, runs[r]);
    for (size_t r = 0; r < search.run_count && !code; r++)
        pit__judge_by_files(runs[r], &search.files);
    free(search.by_parent);
    pit__run_files_free(&search.files);
    return code;
}
