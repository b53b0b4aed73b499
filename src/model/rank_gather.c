/* rank_gather.c: copies the needed data from one rank's run, so that the run can be freed. See ranks.h. */
#include "ranks.h"

#include "advice_case.h"
#include "analysis/comm_names.h"
#include "base/grow.h"
#include "open_span.h"
#include "reader/jobs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Nodes that may be the step, and communication nodes, have a course. If no node is called a step, all
 * nodes down to this depth may be the step. */
#define SLICED_DEPTH 2

static const char *keep_text(struct pit__rank_gather *gather, const char *text)
{
    return pit__arena_text(&gather->arena, text, strlen(text));
}

/* The thread with the most time in outermost spans. */
static size_t main_thread(const pit_run *run)
{
    size_t best = SIZE_MAX;
    double most = -1;
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        double time = 0;
        for (size_t i = 0; i < thread->node_count; i++)
            if (thread->nodes[i].parent == PIT_NO_NODE && !thread->nodes[i].detached)
                time += (double)thread->nodes[i].total;
        for (size_t i = 0; i < thread->open_count; i++)
            time += !thread->open[i].object && run->end_ticks > thread->open[i].begin
                        ? (double)(run->end_ticks - thread->open[i].begin)
                        : 0;
        if (thread->node_count > 0 && time > most) {
            most = time;
            best = t;
        }
    }
    return best;
}

/* What the name of a node says; looked up once, because a thousand ranks have the same nodes. */
enum { MEETS = 1, MAY_BE_STEP = 2, GOES_BACK = 4 };

static unsigned char kind_of(const struct pit__rank_gather *gather, const pit_node *node)
{
    enum pit__role role = pit__role_of(node->name);
    int is_apart = node->detached;
    if (node->is_comm || pit__is_comm_name(node->name))
        return MEETS;
    for (uint32_t at = node->parent; at != PIT_NO_NODE && !is_apart;
         at = gather->stream.b.nodes[at].node.parent)
        is_apart = gather->kinds[at] == MEETS;
    if (role == PIT__ROLE_BATCH || role == PIT__ROLE_STEP)
        return is_apart ? 0 : MAY_BE_STEP;
    return role == PIT__ROLE_BACKWARD ? GOES_BACK : 0;
}

/* For the nodes that are new in the merged tree; parents come before their children. */
static int find_kinds(struct pit__rank_gather *gather)
{
    const struct pit__builder *b = &gather->stream.b;
    unsigned char *kinds = pit__grow(gather->kinds, &gather->kind_room, b->count + 1, 1, 64);
    if (!kinds)
        return PIT_NO_MEMORY;
    gather->kinds = kinds;
    for (; gather->kind_count < b->count; gather->kind_count++) {
        unsigned char kind = kind_of(gather, &b->nodes[gather->kind_count].node);
        kinds[gather->kind_count] = kind;
        gather->has_step |= kind == MAY_BE_STEP;
    }
    return 0;
}

static int is_sliced(const struct pit__rank_gather *gather, uint32_t node)
{
    const pit_node *merged = &gather->stream.b.nodes[node].node;
    int may_be_step = !gather->has_step && merged->depth <= SLICED_DEPTH;
    return !merged->detached && (gather->kinds[node] || merged->is_comm || may_be_step);
}

static void add_course(float *course, const pit_run *run, const pit_raw_node *raw)
{
    for (size_t i = 0; i < raw->series_count; i++) {
        const pit_series_bin *bin = &raw->series[i];
        double middle = ((double)bin->start + (double)bin->width / 2) * run->ns_per_tick;
        double at = middle / run->duration_ns * PIT__SLICES;
        if (!(at >= 0))
            continue;
        size_t slice = at < PIT__SLICES ? (size_t)at : PIT__SLICES - 1;
        course[slice] += (float)((double)bin->total * run->ns_per_tick);
        course[PIT__SLICES + slice] += (float)bin->count;
    }
}

static double quantile_span(const pit_run *run, const pit_raw_node *raw, double share)
{
    uint64_t below = 0, all = 0;
    for (size_t i = 0; i < raw->hist_count; i++)
        all += raw->hist[i].count;
    for (size_t i = 0; i < raw->hist_count; i++) {
        below += raw->hist[i].count;
        if ((double)below >= share * (double)all)
            return ((double)raw->hist[i].low + (double)raw->hist[i].high) / 2 * run->ns_per_tick;
    }
    return NAN;
}

/* Cells and time courses of the main thread's nodes; map: their merged nodes. */
static int add_cells(struct pit__rank_gather *gather, const pit_run *run, const pit_thread *thread,
                     const uint32_t *map, struct pit__rank_row *row)
{
    const struct pit__builder *b = &gather->stream.b;
    size_t courses = 0;
    row->cell_count = b->count;
    row->cells = calloc(b->count + 1, sizeof *row->cells);
    for (size_t i = 0; i < thread->node_count; i++)
        courses += thread->nodes[i].series_count > 0 && is_sliced(gather, map[i]);
    row->courses = calloc(courses * 2 * PIT__SLICES + 1, sizeof *row->courses);
    if (!row->cells || !row->courses)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < thread->node_count; i++) {
        const pit_raw_node *raw = &thread->nodes[i];
        struct pit__rank_cell *cell = &row->cells[map[i]];
        cell->total += (double)raw->total * run->ns_per_tick;
        cell->own += ((double)raw->total - (double)raw->child) * run->ns_per_tick;
        cell->count += raw->count;
        cell->typical = quantile_span(run, raw, 0.5);
        cell->p10 = quantile_span(run, raw, 0.1);
        cell->least = (double)raw->min * run->ns_per_tick;
        if (raw->series_count == 0 || !is_sliced(gather, map[i]) || !(run->duration_ns > 0))
            continue;
        add_course(row->courses + row->course_count * 2 * PIT__SLICES, run, raw);
        cell->course = (uint32_t)++row->course_count;
    }
    return 0;
}

/* ---- collectives -------------------------------------------------------------------------------- */

/* A power of two, so that all ranks of a group keep the same calls. */
static uint64_t keep_every(const struct pit__rank_gather *gather, const pit_group *group)
{
    uint64_t every = 1;
    while (gather->calls_most && group->calls / every > gather->calls_most)
        every *= 2;
    return every;
}

static uint32_t merged_node(const pit_run *run, const uint32_t *map, const pit_collective *point)
{
    if (point->thread >= run->thread_count || point->node >= run->threads[point->thread].node_count)
        return PIT_NO_NODE;
    for (uint32_t t = 0; t < point->thread; t++)
        map += run->threads[t].node_count;
    return map[point->node];
}

static int add_groups(struct pit__rank_gather *gather, const pit_run *run,
                      struct pit__rank_row *row)
{
    size_t points = 0;
    for (size_t g = 0; g < run->group_count; g++)
        points += run->groups[g].point_count;
    row->calls = calloc(points + 1, sizeof *row->calls);
    row->groups = calloc(run->group_count + 1, sizeof *row->groups);
    if (!row->calls || !row->groups)
        return PIT_NO_MEMORY;
    for (size_t g = 0; g < run->group_count; g++) {
        const pit_group *group = &run->groups[g];
        uint64_t every = keep_every(gather, group);
        row->groups[row->group_count++] =
            (struct pit__rank_group){group->id, group->calls, group->stride};
        for (size_t i = 0; i < group->point_count; i++) {
            const pit_collective *point = &group->points[i];
            int is_open = point->duration_ns == PIT_UNKNOWN;
            if (point->seq % every != 0 && !is_open)
                continue;
            row->calls[row->call_count++] =
                (struct pit__rank_call){.group = group->id,
                                        .seq = point->seq,
                                        .enter = (double)point->enter_ns,
                                        .duration = is_open ? NAN : (double)point->duration_ns,
                                        .node = merged_node(run, gather->stream.map, point),
                                        .is_sync = point->is_sync};
        }
    }
    struct pit__rank_call *calls = realloc(row->calls, (row->call_count + 1) * sizeof *calls);
    row->calls = calls ? calls : row->calls;
    return 0;
}

/* ---- what is open ------------------------------------------------------------------------------- */

static int is_comm(const pit_raw_node *raw)
{
    return raw->is_comm || pit__is_comm_name(raw->name);
}

/* Stores begins; rank_open.c turns them into ages. */
static void add_open(struct pit__rank_gather *gather, const pit_run *run, const pit_thread *thread,
                     struct pit__rank_row *row)
{
    pit_rank *told = &row->told;
    const pit_open_span *inner = NULL;
    for (size_t i = 0; i < thread->open_count; i++) {
        const pit_open_span *open = &thread->open[i];
        if (open->object || open->node >= thread->node_count)
            continue;
        inner = open;
        if (told->inside || !is_comm(&thread->nodes[open->node]))
            continue;
        told->inside = keep_text(gather, thread->nodes[open->node].name);
        told->inside_ns = ((double)open->begin - (double)run->start_ticks) * run->ns_per_tick;
    }
    if (inner) {
        struct pit__text path = {0};
        pit__open_path(thread, inner->node, " > ", 1, &path);
        told->open = keep_text(gather, pit__text_string(&path));
        told->open_ns = ((double)inner->begin - (double)run->start_ticks) * run->ns_per_tick;
        gather->arena.failed |= path.failed;
        pit__text_free(&path);
    }
}

/* For a collective, also store which one it is. */
static void add_open_call(struct pit__rank_gather *gather, struct pit__rank_row *row)
{
    for (size_t i = 0; i < row->call_count; i++) {
        const struct pit__rank_call *call = &row->calls[i];
        if (!isnan(call->duration))
            continue;
        row->told.inside_group = call->group;
        row->told.inside_seq = call->seq;
        row->told.inside_ns = call->enter;
        if (call->node != PIT_NO_NODE)
            row->told.inside = keep_text(gather, gather->stream.b.nodes[call->node].node.name);
        else if (!row->told.inside)
            row->told.inside = "a collective";
    }
}

/* ---- a run -------------------------------------------------------------------------------------- */

static void add_told(struct pit__rank_gather *gather, const pit_run *run, struct pit__rank_row *row)
{
    struct pit__rank_head head;
    struct pit__around around = pit__look_around(&run, 1);
    const char *host = pit_run_fact(run, "host"), *cpus = pit_run_fact(run, "cpus");
    const char *ddp = pit_run_fact(run, "ddp_backward_ns");
    pit__rank_head_of(run, &head);
    row->told = (pit_rank){.rank = head.rank,
                           .host = keep_text(gather, host ? host : ""),
                           .path = keep_text(gather, run->path),
                           .state = run->state,
                           .damaged_at = run->damaged_at,
                           .step_ns = NAN,
                           .work_ns = NAN,
                           .wait_ns = NAN,
                           .transfer_ns = NAN,
                           .last_share = NAN,
                           .excess_ns = NAN,
                           .excess_share = NAN,
                           .median_ns = NAN,
                           .busy = around.cpu,
                           .delayed = around.delayed,
                           .open_ns = NAN,
                           .inside_group = PIT_UNKNOWN,
                           .inside_seq = PIT_UNKNOWN,
                           .inside_ns = NAN};
    /* processors of the machine: a launcher binds each rank to some of them */
    row->processors = cpus ? strtod(cpus, NULL) : around.processors;
    row->world_size = head.world_size;
    row->ddp_backward = ddp ? strtod(ddp, NULL) : NAN;
    row->start_wall_ns = run->start_wall_ns;
    row->end_wall_ns = run->end_wall_ns;
    row->duration = run->duration_ns;
    if (!gather->job) {
        char job[400];
        int used = snprintf(job, sizeof job, "%.300s", head.job);
        if (head.restart > 0)
            snprintf(job + used, sizeof job - (size_t)used, "/%llu",
                     (unsigned long long)head.restart);
        gather->job = keep_text(gather, job);
        gather->launcher = keep_text(gather, head.launcher);
    }
}

int pit__rank_add(struct pit__rank_gather *gather, const pit_run *run)
{
    struct pit__rank_row *rows =
        pit__grow(gather->rows, &gather->room, gather->count + 1, sizeof *rows, 16);
    if (!rows)
        return PIT_NO_MEMORY;
    gather->rows = rows;
    struct pit__rank_row *row = &rows[gather->count++];
    *row = (struct pit__rank_row){0};
    int code = pit__stream_add(&gather->stream, run);
    size_t main = main_thread(run), before = 0;
    for (size_t t = 0; main != SIZE_MAX && t < main; t++)
        before += run->threads[t].node_count;
    if (!code)
        add_told(gather, run, row);
    gather->has_ddp |= pit_run_fact(run, "ddp") != NULL;
    if (!code)
        code = find_kinds(gather);
    if (!code && main != SIZE_MAX)
        code = add_cells(gather, run, &run->threads[main], gather->stream.map + before, row);
    if (!code)
        code = add_groups(gather, run, row);
    if (!code && main != SIZE_MAX)
        add_open(gather, run, &run->threads[main], row);
    if (!code)
        add_open_call(gather, row);
    if (!code)
        code = pit__traffic_add(&gather->traffic, run, row->told.rank);
    return code || gather->arena.failed ? PIT_NO_MEMORY : 0;
}

void pit__rank_gather_free(struct pit__rank_gather *gather)
{
    for (size_t r = 0; r < gather->count; r++) {
        free(gather->rows[r].cells);
        free(gather->rows[r].courses);
        free(gather->rows[r].calls);
        free(gather->rows[r].groups);
    }
    free(gather->rows);
    free(gather->kinds);
    pit__traffic_free(gather->traffic);
    pit__stream_free(&gather->stream);
    pit__arena_free(&gather->arena);
}
