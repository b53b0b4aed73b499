/* ranks_open.c: the ranks of a job, from files that are read one after another or from runs in
 * memory. See ranks.h. */
#include "ranks.h"

#include "advice_case.h"
#include "reader/jobs.h"
#include "reader/run_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CALLS_IN_ALL ((size_t)1 << 17) /* collectives of all ranks that are kept for a comparison */

/* ---- the job as a whole --------------------------------------------------------------------------- */

static int by_number(const void *a, const void *b)
{
    const struct pit__rank_row *x = a, *y = b;
    return (x->told.rank > y->told.rank) - (x->told.rank < y->told.rank);
}

/* Most work first, so that slow ranks are on top; ranks without work last. */
static int by_work(const void *a, const void *b)
{
    const pit_rank *x = a, *y = b;
    if (isnan(x->work_ns) != isnan(y->work_ns))
        return isnan(x->work_ns) ? 1 : -1;
    if (x->work_ns != y->work_ns && !isnan(x->work_ns))
        return x->work_ns > y->work_ns ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void tell_missing(struct pit__ranks_box *box)
{
    const struct pit__rank_gather *gather = &box->gather;
    pit_ranks *ranks = &box->ranks;
    ranks->world_size = gather->rows[0].world_size;
    if (ranks->world_size == PIT_UNKNOWN || ranks->world_size > ((uint64_t)1 << 24))
        return;
    uint64_t *missing = pit__arena_array(&box->gather.arena, ranks->world_size, sizeof *missing);
    size_t at = 0; /* rows are sorted by rank */
    for (uint64_t rank = 0; missing && rank < ranks->world_size; rank++) {
        while (at < gather->count && gather->rows[at].told.rank < rank)
            at++;
        if (at == gather->count || gather->rows[at].told.rank != rank)
            missing[ranks->missing_count++] = rank;
    }
    ranks->missing = missing;
}

/* The host with the most ranks per processor. */
static void tell_sharing(struct pit__ranks_box *box)
{
    const struct pit__rank_gather *gather = &box->gather;
    double highest = 0;
    box->ranks.processors = box->found.processors = box->found.delayed = NAN;
    for (size_t h = 0; h < box->ranks.host_count; h++) {
        double processors = NAN, delayed = 0;
        size_t here = 0;
        for (size_t r = 0; r < gather->count; r++) {
            if (gather->rows[r].host != h)
                continue;
            here++;
            processors = gather->rows[r].processors;
            delayed += gather->rows[r].told.delayed;
        }
        if (!((double)here / processors > highest))
            continue;
        highest = (double)here / processors;
        box->ranks.sharing = box->found.sharing = here;
        box->ranks.processors = box->found.processors = processors;
        box->found.delayed = delayed / (double)here;
    }
}

static int tell_ranks(struct pit__ranks_box *box)
{
    struct pit__rank_gather *gather = &box->gather;
    pit_rank *told = pit__arena_array(&gather->arena, gather->count, sizeof *told);
    if (!told)
        return PIT_NO_MEMORY;
    for (size_t r = 0; r < gather->count; r++)
        told[r] = gather->rows[r].told;
    qsort(told, gather->count, sizeof *told, by_work);
    box->ranks.ranks = told;
    box->ranks.count = gather->count;
    return 0;
}

static int finish(struct pit__ranks_box *box)
{
    struct pit__rank_gather *gather = &box->gather;
    pit_ranks *ranks = &box->ranks;
    if (gather->count > 0)
        qsort(gather->rows, gather->count, sizeof *gather->rows, by_number);
    ranks->job = gather->job;
    ranks->launcher = gather->launcher;
    ranks->unread = gather->unread;
    ranks->traffic = pit__traffic_told(gather->traffic);
    ranks->step_ns = ranks->efficiency = ranks->balance = ranks->communication = NAN;
    box->found.ranks = gather->count;
    box->found.found.straggler = PIT__NO_RANK;
    int code = pit__rank_clocks_find(box);
    if (!code)
        code = pit__rank_parts_find(box);
    if (!code) {
        pit__rank_open_find(box);
        tell_missing(box);
        tell_sharing(box);
        code = tell_ranks(box);
    }
    return code || gather->arena.failed ? PIT_NO_MEMORY : 0;
}

/* ---- public ---------------------------------------------------------------------------------------- */

const struct pit__rank_case *pit__ranks_case(const pit_ranks *ranks)
{
    return ranks ? &((const struct pit__ranks_box *)(const void *)ranks)->found : NULL;
}

const pit_run *pit__ranks_kept(const pit_ranks *ranks)
{
    return ranks ? ((const struct pit__ranks_box *)(const void *)ranks)->kept : NULL;
}

/* Are these ranks of one job: all ranks, the same id, no rank twice? */
static int are_ranks(const pit_run *const *runs, size_t count)
{
    struct pit__rank_head first, head;
    if (count < 2)
        return 0;
    pit__rank_head_of(runs[0], &first);
    for (size_t r = 0; r < count; r++) {
        pit__rank_head_of(runs[r], &head);
        if (!pit__is_rank(&head) || strcmp(head.job, first.job) != 0 ||
            head.restart != first.restart)
            return 0;
        for (size_t k = 0; k < r; k++) {
            struct pit__rank_head other;
            pit__rank_head_of(runs[k], &other);
            if (other.rank == head.rank)
                return 0;
        }
    }
    return 1;
}

PIT_API pit_ranks *pit_ranks_of(const pit_run *const *runs, size_t count)
{
    if (!are_ranks(runs, count))
        return NULL;
    struct pit__ranks_box *box = calloc(1, sizeof *box);
    int code = box ? 0 : PIT_NO_MEMORY;
    for (size_t r = 0; r < count && !code; r++)
        code = pit__rank_add(&box->gather, runs[r]);
    if (!code)
        code = finish(box);
    if (!code)
        return &box->ranks;
    pit_ranks_free(box ? &box->ranks : NULL);
    return NULL;
}

/* The run that represents all: the first that died, else the first rank. */
static int is_better(const pit_run *run, const pit_run *kept)
{
    return !kept || (run->state == PIT_RUN_DIED && kept->state != PIT_RUN_DIED);
}

static int read_all(struct pit__ranks_box *box, const char *const *paths, size_t count,
                    pit_error *error)
{
    struct pit__run_stream stream = {0};
    const char *kept = NULL;
    enum pit_run_state kept_state = PIT_RUN_CLOSED;
    int code = 0;
    box->gather.stream.has_bins = 1;
    box->gather.calls_most = CALLS_IN_ALL / (count + 1) + 16;
    for (size_t i = 0; i < count && !code; i++) {
        pit_run *run = pit__run_stream_next(&stream, paths[i], error);
        pit_run was = {.state = kept_state};
        if (!run) {
            box->gather.unread++;
            continue;
        }
        if (is_better(run, kept ? &was : NULL)) {
            kept = paths[i];
            kept_state = run->state;
        }
        code = pit__rank_add(&box->gather, run);
    }
    pit__run_stream_end(&stream);
    if (!code && box->gather.count == 0)
        return error && error->code ? error->code : PIT_CANNOT_READ;
    box->kept = kept && !code ? pit_run_open(kept, error) : NULL;
    return code;
}

static int add_tree(struct pit__ranks_box *box)
{
    box->ranks.tree = pit__stream_tree(&box->gather.stream);
    if (!box->ranks.tree)
        return PIT_NO_MEMORY;
    const pit_run *kept = box->kept;
    box->ranks.advice = pit__advise_tree(&kept, kept ? 1 : 0, box->ranks.tree, &box->found, 0);
    return box->ranks.advice ? 0 : PIT_NO_MEMORY;
}

PIT_API pit_ranks *pit_ranks_open(const char *const *paths, size_t count, pit_error *error)
{
    pit_error own = {0};
    error = error ? error : &own;
    struct pit__ranks_box *box = calloc(1, sizeof *box);
    int code = box ? read_all(box, paths, count, error) : PIT_NO_MEMORY;
    if (!code)
        code = finish(box);
    if (!code)
        code = add_tree(box);
    if (!code)
        return &box->ranks;
    if (code == PIT_NO_MEMORY)
        pit__fail(error, code, 0, "out of memory");
    pit_ranks_free(box ? &box->ranks : NULL);
    return NULL;
}

PIT_API void pit_ranks_free(pit_ranks *ranks)
{
    struct pit__ranks_box *box = (struct pit__ranks_box *)(void *)ranks; /* its first member */
    if (!box)
        return;
    pit_advice_free((pit_advice *)(uintptr_t)ranks->advice);
    pit_tree_free((pit_tree *)(uintptr_t)ranks->tree);
    pit_run_free(box->kept);
    pit__rank_gather_free(&box->gather);
    free(box);
}
