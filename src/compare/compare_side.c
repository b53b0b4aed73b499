/* compare_side.c: the figures of one side of a comparison: one figure per run, for each node.
 *
 * A row is made for every node of every run. After sorting, the rows of one node are adjacent
 * and become its figures. If a run kept every call of a node (in its flight recorder or
 * records), the calls without warm-up are used; else the histogram of the node.
 */
#include "compare.h"

#include "analysis/blocks.h"
#include "analysis/order_stats.h"

#include "model/run_energy.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ITERATIONS 20000 /* most iterations used per run */

struct iterations { /* of a node, if the side has only one run; in the arena */
    const double *seconds;
    size_t count;
};

struct row {
    const char *what; /* in the arena */
    int is_memory, is_energy, is_rate, is_whole, detached, has_late;
    size_t run;
    pit_call_times figures;
    double error;
    struct iterations iterations;
};

struct rows {
    struct row *rows;
    size_t count, room;
    int failed;
};

struct side_box {
    pit_side side; /* first member: the public object */
    struct pit__arena arena;
};

static void add_row(struct rows *rows, const struct row *row)
{
    if (rows->count == rows->room) {
        size_t room = rows->room ? 2 * rows->room : 64;
        struct row *more = realloc(rows->rows, room * sizeof *more);
        if (!more) {
            rows->failed = 1;
            return;
        }
        rows->rows = more;
        rows->room = room;
    }
    rows->rows[rows->count++] = *row;
}

/* ---- the calls of one node in one run ----------------------------------------------------- */

/* The number of initial calls that are warm-up. */
static int count_warmup(const double *seconds, size_t count, size_t *first)
{
    pit_warmup warmup;
    int code = pit_find_warmup(seconds, count, &warmup);
    *first = code == 0 && warmup.ends_at < count ? warmup.ends_at : 0;
    return code == PIT_NO_MEMORY ? code : 0;
}

PIT_API int pit_find_call_times(const double *seconds, size_t count, pit_call_times *calls)
{
    if (!calls || (count > 0 && !seconds))
        return PIT_BAD_ARGUMENT;
    *calls = (pit_call_times){NAN, NAN, NAN, NAN, NAN, 0, 0};
    if (count == 0)
        return PIT_NOTHING;
    size_t first;
    double *sorted = malloc(count * sizeof *sorted);
    if (!sorted || count_warmup(seconds, count, &first) != 0) {
        free(sorted);
        return PIT_NO_MEMORY;
    }
    size_t left = count - first;
    double sum = 0;
    memcpy(sorted, seconds + first, left * sizeof *sorted);
    pit__sort(sorted, left);
    for (size_t i = 0; i < left; i++)
        sum += sorted[i];
    calls->p10 = pit__sorted_quantile(sorted, left, 0.1);
    calls->median = pit__sorted_quantile(sorted, left, 0.5);
    calls->p90 = pit__sorted_quantile(sorted, left, 0.9);
    calls->p99 = pit__sorted_quantile(sorted, left, 0.99);
    calls->mean = sum / (double)left;
    calls->warmup = first;
    for (size_t i = 0; i < first && i < count; i++)
        sum += seconds[i];
    calls->total = sum;
    free(sorted);
    return 0;
}

/* From the histogram, which has no order. */
static pit_call_times from_bins(const pit_node *node)
{
    const double second = 1e9;
    if (node->bin_count == 0) /* the run is damaged: use what is left */
        return (pit_call_times){
            NAN, NAN, node->mean_ns / second, NAN, NAN, node->finished_ns / second, 0};
    struct pit__bins bins = {&node->bins->low_ns, &node->bins->high_ns, &node->bins->count,
                             sizeof *node->bins, node->bin_count};
    double lo = node->min_ns, hi = node->max_ns;
    return (pit_call_times){.p10 = pit__bins_quantile(&bins, lo, hi, 0.1) / second,
                            .median = pit__bins_quantile(&bins, lo, hi, 0.5) / second,
                            .p90 = pit__bins_quantile(&bins, lo, hi, 0.9) / second,
                            .p99 = pit__bins_quantile(&bins, lo, hi, 0.99) / second,
                            .mean = node->mean_ns / second,
                            .total = node->finished_ns / second};
}

/* ---- kept calls --------------------------------------------------------------------------- */

struct call {
    uint32_t node; /* of the tree */
    uint64_t begin, duration;
};

struct place { /* a node of the tree, to be found by its parent and name */
    uint32_t parent, node;
    int detached;
    const char *name;
};

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    if (x->detached != y->detached)
        return x->detached - y->detached;
    return strcmp(x->name, y->name);
}

static int by_node_and_time(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Map each node of a thread to its node in the tree; in both, parents come before their
 * children. */
static int map_thread(const pit_thread *thread, const struct place *places, size_t count,
                      uint32_t *map)
{
    for (size_t i = 0; i < thread->node_count; i++) {
        const pit_raw_node *raw = &thread->nodes[i];
        struct place wanted = {raw->parent == PIT_NO_NODE ? PIT_NO_NODE : map[raw->parent], 0,
                               raw->detached, raw->name};
        const struct place *found = bsearch(&wanted, places, count, sizeof *places, by_place);
        if (!found)
            return 0;
        map[i] = found->node;
    }
    return 1;
}

/* Use the flight recorder of a thread, or its records. Which of them kept more of each node is
 * not checked: the flight recorder holds all of a short run, and users request records for
 * longer ones. */
static size_t take_kept(const pit_thread *thread, const uint32_t *map, int records, struct call *to)
{
    size_t count = records ? thread->record_count : thread->event_count, at = 0;
    for (size_t i = 0; i < count; i++) {
        uint32_t node = records ? thread->records[i].node : thread->events[i].node;
        if (node < thread->node_count)
            to[at++] = (struct call){
                map[node], records ? thread->records[i].begin : thread->events[i].begin,
                records ? thread->records[i].duration : thread->events[i].duration};
    }
    return at;
}

/* All kept calls of the run, by node and time; NULL if memory is exhausted, or if the nodes of the run do
 * not match the tree. */
static struct call *kept_calls(const pit_run *run, const pit_tree *tree, int records, size_t *count)
{
    size_t all = 0, nodes = 0;
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        all += records ? thread->record_count : thread->event_count;
        nodes = thread->node_count > nodes ? thread->node_count : nodes;
    }
    struct call *kept = malloc((all + 1) * sizeof *kept);
    struct place *places = malloc((tree->node_count + 1) * sizeof *places);
    uint32_t *map = malloc((nodes + 1) * sizeof *map);
    int good = kept && places && map;
    *count = 0;
    for (size_t i = 0; good && i < tree->node_count; i++)
        places[i] = (struct place){tree->nodes[i].parent, (uint32_t)i, tree->nodes[i].detached,
                                   tree->nodes[i].name};
    if (good)
        qsort(places, tree->node_count, sizeof *places, by_place);
    for (size_t t = 0; good && t < run->thread_count; t++) {
        good = map_thread(&run->threads[t], places, tree->node_count, map);
        if (good)
            *count += take_kept(&run->threads[t], map, records, kept + *count);
    }
    if (good)
        qsort(kept, *count, sizeof *kept, by_node_and_time);
    free(places);
    free(map);
    if (!good) {
        free(kept);
        *count = 0;
        return NULL;
    }
    return kept;
}

/* The figures of the nodes of one run. */
struct known {
    pit_call_times *figures;
    char *is_whole;                /* 1: figures from all calls of the node */
    struct iterations *iterations; /* NULL: the side has several runs */
};

/* The last iterations, if they are more than those kept elsewhere. */
static void keep_iterations(struct iterations *to, struct pit__arena *arena, const double *seconds,
                            size_t count)
{
    size_t most = count < MOST_ITERATIONS ? count : MOST_ITERATIONS;
    double *copy = most > to->count ? pit__arena_array(arena, most, sizeof *copy) : NULL;
    if (!copy)
        return;
    memcpy(copy, seconds + count - most, most * sizeof *copy);
    *to = (struct iterations){copy, most};
}

/* Replace the figures of every node of which all calls were kept. */
static int use_kept(const pit_run *run, const pit_tree *tree, int records, struct known *known,
                    struct pit__arena *arena)
{
    size_t count, at = 0;
    struct call *kept = kept_calls(run, tree, records, &count);
    double *seconds = kept ? malloc((count + 1) * sizeof *seconds) : NULL;
    int code = 0;
    while (seconds && at < count && !code) {
        size_t end = at;
        while (end < count && kept[end].node == kept[at].node) {
            seconds[end - at] = (double)kept[end].duration * run->ns_per_tick / 1e9;
            end++;
        }
        uint32_t node = kept[at].node;
        if (!known->is_whole[node] && end - at == tree->nodes[node].count) {
            code = pit_find_call_times(seconds, end - at, &known->figures[node]);
            known->is_whole[node] = 1;
        }
        if (known->iterations)
            keep_iterations(&known->iterations[node], arena, seconds, end - at);
        at = end;
    }
    free(seconds);
    free(kept);
    return code == PIT_NO_MEMORY ? code : 0;
}

/* ---- one run --------------------------------------------------------------------------------- */

static void add_nodes(struct rows *rows, struct pit__arena *arena, const pit_tree *tree,
                      const struct known *known, size_t run)
{
    for (size_t i = 0; i < tree->node_count; i++) {
        const pit_node *node = &tree->nodes[i];
        if (node->count == 0)
            continue;
        struct row row = {.what = pit__arena_text(arena, node->path, strlen(node->path)),
                          .detached = node->detached,
                          .has_late = 1,
                          .run = run,
                          .figures = known->figures[i]};
        if (known->iterations)
            row.iterations = known->iterations[i];
        add_row(rows, &row);
        const pit_memory *memory = node->memory;
        if (!memory || memory->count == 0 || memory->peak_method == PIT_PEAK_NONE)
            continue;
        row.is_memory = 1;
        row.has_late = 0;
        row.iterations = (struct iterations){0};
        row.figures = (pit_call_times){.p10 = (double)memory->peak_sum / (double)memory->count,
                                       .total = (double)memory->peak_max};
        row.error = (double)memory->error_bytes;
        add_row(rows, &row);
    }
}

/* Wall time, peak memory and energy; for a killed run they mean little. */
static void add_whole(struct rows *rows, const pit_run *run, size_t index)
{
    if (run->state != PIT_RUN_CLOSED)
        return;
    double seconds = run->duration_ns / 1e9, bytes = (double)run->rss_peak;
    struct row row = {.what = "wall time",
                      .is_whole = 1,
                      .run = index,
                      .figures = {.p10 = seconds, .total = seconds}};
    if (seconds > 0)
        add_row(rows, &row);
    row.what = "peak memory";
    row.is_memory = 1;
    row.figures = (pit_call_times){.p10 = bytes, .total = bytes};
    if (bytes > 0)
        add_row(rows, &row);
    double joules = pit__run_joules(run);
    row.what = "energy";
    row.is_energy = 1;
    row.figures = (pit_call_times){.p10 = joules, .total = joules};
    if (joules > 0)
        add_row(rows, &row);
}

static void add_items(struct rows *rows, const pit_run *run, const pit_tree *tree, size_t index)
{
    double seconds = pit__seconds_an_item(run, tree);
    struct row row = {.what = "items/s", .is_rate = 1, .run = index, .figures = {.p10 = seconds}};
    if (seconds > 0)
        add_row(rows, &row);
}

static int add_run(struct rows *rows, struct pit__arena *arena, const pit_run *run, size_t index,
                   int is_only)
{
    pit_tree *tree = pit_tree_build(&run, 1);
    size_t room = tree ? tree->node_count + 1 : 1;
    struct known known = {.figures = calloc(room, sizeof *known.figures),
                          .is_whole = calloc(room, 1),
                          .iterations = is_only ? calloc(room, sizeof *known.iterations) : NULL};
    int code = tree && known.figures && known.is_whole && (!is_only || known.iterations)
                   ? 0
                   : PIT_NO_MEMORY;
    for (size_t i = 0; !code && i < tree->node_count; i++)
        if (tree->nodes[i].count > 0)
            known.figures[i] = from_bins(&tree->nodes[i]);
    for (int records = 0; records < 2 && !code; records++)
        code = use_kept(run, tree, records, &known, arena);
    if (!code) {
        add_whole(rows, run, index);
        add_items(rows, run, tree, index);
        add_nodes(rows, arena, tree, &known, index);
    }
    free(known.figures);
    free(known.is_whole);
    free(known.iterations);
    pit_tree_free(tree);
    return code;
}

/* ---- rows into figures ----------------------------------------------------------------------- */

static int same_node(const struct row *x, const struct row *y)
{
    return x->is_memory == y->is_memory && x->is_whole == y->is_whole && x->is_rate == y->is_rate &&
           x->detached == y->detached && strcmp(x->what, y->what) == 0;
}

static int by_node(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->is_memory != y->is_memory)
        return x->is_memory - y->is_memory;
    if (x->is_whole != y->is_whole)
        return y->is_whole - x->is_whole;
    if (x->is_rate != y->is_rate)
        return y->is_rate - x->is_rate;
    int order = strcmp(x->what, y->what);
    if (order == 0)
        order = x->detached - y->detached;
    return order ? order : (x->run > y->run) - (x->run < y->run);
}

static pit_figures figures_of(const struct row *rows, size_t count, struct pit__arena *arena)
{
    pit_figures figures = {.what = rows->what,
                           .is_memory = rows->is_memory,
                           .is_energy = rows->is_energy,
                           .is_rate = rows->is_rate,
                           .is_whole = rows->is_whole,
                           .count = count,
                           .iterations = rows->iterations.seconds,
                           .iteration_count = rows->iterations.count};
    double *all = pit__arena_array(arena, 5 * count, sizeof *all);
    for (size_t i = 0; all && i < count; i++) {
        const pit_call_times *from = &rows[i].figures;
        const double values[5] = {from->p10, from->median, from->mean, from->p90, from->p99};
        for (size_t k = 0; k < 5; k++)
            all[k * count + i] = values[k];
        figures.total += from->total / (double)count;
        figures.error = fmax(figures.error, rows[i].error);
    }
    figures.values = all;
    if (all && rows->has_late) {
        figures.medians = all + count;
        figures.mean = all + 2 * count;
        figures.p90 = all + 3 * count;
        figures.p99 = all + 4 * count;
    }
    return figures;
}

static int make_figures(struct side_box *box, struct rows *rows)
{
    if (rows->count > 0)
        qsort(rows->rows, rows->count, sizeof *rows->rows, by_node);
    pit_figures *figures = pit__arena_array(&box->arena, rows->count + 1, sizeof *figures);
    size_t at = 0;
    while (figures && at < rows->count) {
        size_t end = at;
        while (end < rows->count && same_node(&rows->rows[at], &rows->rows[end]))
            end++;
        figures[box->side.figure_count++] = figures_of(rows->rows + at, end - at, &box->arena);
        at = end;
    }
    box->side.figures = figures;
    return figures != NULL;
}

static int by_start(const void *a, const void *b)
{
    const pit_run *x = *(const pit_run *const *)a, *y = *(const pit_run *const *)b;
    return (x->start_wall_ns > y->start_wall_ns) - (x->start_wall_ns < y->start_wall_ns);
}

/* Sorted by start: figure i of two interleaved sides then belongs to the same pair. */
static int add_runs(struct rows *rows, struct pit__arena *arena, const pit_run *const *runs,
                    size_t count)
{
    const pit_run **sorted = malloc((count + 1) * sizeof(const pit_run *));
    int code = sorted ? 0 : PIT_NO_MEMORY;
    if (!code && count > 0) {
        memcpy(sorted, runs, count * sizeof(const pit_run *));
        qsort(sorted, count, sizeof(const pit_run *), by_start);
    }
    for (size_t i = 0; i < count && !code; i++)
        code = add_run(rows, arena, sorted[i], i, count == 1);
    free(sorted);
    return code;
}

PIT_API pit_side *pit_side_of_runs(const pit_run *const *runs, size_t count, const char *name)
{
    struct side_box *box = calloc(1, sizeof *box);
    struct rows rows = {0};
    if (!box)
        return NULL;
    box->side.runs = count;
    if (name)
        box->side.name = pit__arena_text(&box->arena, name, strlen(name));
    int code = add_runs(&rows, &box->arena, runs, count);
    int good = !code && !rows.failed && make_figures(box, &rows) && !box->arena.failed;
    free(rows.rows);
    if (!good) {
        pit_side_free(&box->side);
        return NULL;
    }
    return &box->side;
}

PIT_API void pit_side_free(pit_side *side)
{
    struct side_box *box = (struct side_box *)(void *)side; /* first member of the box */
    if (!box)
        return;
    pit__arena_free(&box->arena);
    free(box);
}
