/* flat_view.c: one row per name, over all its places in the tree.
 *
 * Counts and self times are summed over all places of a name. Its total includes only its
 * outermost places, so a recursive function is not counted twice. Quantiles come from the
 * combined histograms.
 */
#include "report_view.h"
#include "view.h"

#include "analysis/moments.h"
#include "analysis/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct row { /* a name, as a node without a path */
    pit_node node;
    struct pit__memory_sum memory;
    enum pit__sort_key key; /* in each row, because qsort passes no argument */
};

struct place { /* a node, and the name it belongs to */
    const pit_node *node;
    uint32_t index;
};

static int by_name(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->node->name, y->node->name);
    if (order == 0)
        order = x->node->detached - y->node->detached;
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int same_row(const pit_node *a, const pit_node *b)
{
    return a->detached == b->detached && strcmp(a->name, b->name) == 0;
}

/* Does a node above this one have the same name? row_of maps each node to the row of its name. */
static int is_inner(const pit_tree *tree, const uint32_t *row_of, uint32_t node)
{
    for (uint32_t i = tree->nodes[node].parent; i != PIT_NO_NODE; i = tree->nodes[i].parent)
        if (row_of[i] == row_of[node])
            return 1;
    return 0;
}

static int by_low(const void *a, const void *b)
{
    const pit_bin *x = a, *y = b;
    return (x->low_ns > y->low_ns) - (x->low_ns < y->low_ns);
}

/* Quantiles of several places: sorting all their bins is enough, merging is not needed. */
static int set_quantiles(pit_node *row, const struct place *places, size_t count)
{
    size_t total = 0, filled = 0;
    for (size_t i = 0; i < count; i++)
        total += places[i].node->bin_count;
    row->p50_ns = row->p95_ns = row->p99_ns = NAN;
    if (total == 0)
        return 0;
    pit_bin *bins = malloc(total * sizeof *bins);
    if (!bins)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < places[i].node->bin_count; k++)
            bins[filled++] = places[i].node->bins[k];
    qsort(bins, total, sizeof *bins, by_low);
    struct pit__bins view = {&bins->low_ns, &bins->high_ns, &bins->count, sizeof *bins, total};
    row->p50_ns = pit__quantile(&view, row->min_ns, row->max_ns, 0.50);
    row->p95_ns = pit__quantile(&view, row->min_ns, row->max_ns, 0.95);
    row->p99_ns = pit__quantile(&view, row->min_ns, row->max_ns, 0.99);
    free(bins);
    return 0;
}

/* Figures that cover only finished spans and cannot simply be added. */
static void join_finished(pit_node *row, const pit_node *node)
{
    if (node->count == 0)
        return;
    struct pit__spread so_far = {row->count, row->mean_ns, row->std_ns * row->std_ns};
    struct pit__spread own = {node->count, node->mean_ns, node->std_ns * node->std_ns};
    if (row->count == 0 || node->min_ns < row->min_ns)
        row->min_ns = node->min_ns;
    if (row->count == 0 || node->max_ns > row->max_ns)
        row->max_ns = node->max_ns;
    so_far = row->count == 0 ? own : pit__spread_join(so_far, own);
    row->mean_ns = so_far.mean;
    row->std_ns = sqrt(so_far.variance);
    row->count += node->count;
    row->finished_ns += node->finished_ns;
}

/* Quantiles of device work at several places are left out: there are no histograms. */
static void join_device(pit_device_work *sum, const pit_device_work *work)
{
    if (work->count == 0)
        return;
    if (sum->count == 0) {
        *sum = *work;
        return;
    }
    sum->p50_ns = sum->p95_ns = sum->p99_ns = NAN;
    sum->max_ns = work->max_ns > sum->max_ns ? work->max_ns : sum->max_ns;
    sum->count += work->count;
    sum->run_ns += work->run_ns;
    sum->wait_count += work->wait_count;
    sum->wait_ns += work->wait_ns;
}

/* Sum all places of one name. */
static int fill_row(const struct pit__report *report, struct row *row, const struct place *places,
                    size_t count, const uint32_t *row_of)
{
    pit_node *sum = &row->node;
    double all_ns = report->tree->total_ns;
    *row = (struct row){.node = {.name = places[0].node->name,
                                 .parent = PIT_NO_NODE,
                                 .detached = places[0].node->detached,
                                 .is_comm = places[0].node->is_comm},
                        .key = report->sort};
    for (size_t i = 0; i < count; i++) {
        const pit_node *node = places[i].node;
        join_finished(sum, node);
        sum->self_ns += node->self_ns;
        sum->items += node->items;
        sum->bytes += node->bytes;
        sum->flops += node->flops;
        sum->open += node->open;
        sum->open_ns += node->open_ns;
        pit__teams_join(&row->memory, node->teams);
        if (is_inner(report->tree, row_of, places[i].index))
            continue; /* its time and memory are included in those of the enclosing place */
        sum->total_ns += node->total_ns;
        join_device(&sum->device, &node->device);
        pit__memory_join(&row->memory, node->memory, 0);
        pit__alloc_join(&row->memory, node->alloc, 0);
    }
    sum->share = all_ns > 0 ? sum->total_ns / all_ns : NAN;
    sum->self_share = all_ns > 0 ? sum->self_ns / all_ns : NAN;
    if (count == 1) {
        sum->p50_ns = places[0].node->p50_ns;
        sum->p95_ns = places[0].node->p95_ns;
        sum->p99_ns = places[0].node->p99_ns;
        sum->energy = places[0].node->energy; /* several places may have measured the same energy */
        return 0;
    }
    return set_quantiles(sum, places, count);
}

static int by_key(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return pit__node_order(&x->node, &y->node, x->key);
}

/* Sorting moves rows, so their pointers to memory figures must be set again. */
static void sort_rows(struct row *rows, size_t count)
{
    qsort(rows, count, sizeof *rows, by_key);
    for (size_t i = 0; i < count; i++) { /* counts of 0: none */
        rows[i].node.memory = &rows[i].memory.memory;
        rows[i].node.alloc = &rows[i].memory.alloc;
        rows[i].node.teams = rows[i].memory.teams.count > 0 ? &rows[i].memory.teams : NULL;
    }
}

/* Rows of all names; how many, or SIZE_MAX without memory. */
static size_t make_rows(const struct pit__report *report, struct place *places, uint32_t *row_of,
                        struct row *rows)
{
    size_t count = report->tree->node_count, row_count = 0;
    for (uint32_t i = 0; i < count; i++)
        places[i] = (struct place){&report->tree->nodes[i], i};
    qsort(places, count, sizeof *places, by_name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && !same_row(places[i - 1].node, places[i].node))
            row_count++;
        row_of[places[i].index] = (uint32_t)row_count;
    }
    row_count = 0;
    for (size_t i = 0, next; i < count; i = next) {
        next = i + 1;
        while (next < count && row_of[places[next].index] == row_of[places[i].index])
            next++;
        if (fill_row(report, &rows[row_count++], places + i, next - i, row_of) != 0)
            return SIZE_MAX;
    }
    return row_count;
}

static int print_rows(const struct pit__report *report, struct row *rows, size_t count)
{
    struct pit__table *table = pit__node_table_new();
    if (!table)
        return PIT_NO_MEMORY;
    size_t left_out = 0;
    for (size_t i = 0; i < count; i++) {
        const pit_node *row = &rows[i].node;
        if (row->open == 0 && row->total_ns < report->options->min_share * report->tree->total_ns) {
            left_out++;
            continue;
        }
        pit__node_table_row(table, row, NULL);
    }
    int code = pit__print_table(report, table, left_out, "name");
    pit__table_free(table);
    return code;
}

int pit__print_flat(const struct pit__report *report)
{
    size_t count = report->tree->node_count;
    if (count == 0 && report->options->form == PIT_TEXT)
        return 0;
    struct place *places = calloc(count + 1, sizeof *places);
    uint32_t *row_of = calloc(count + 1, sizeof *row_of);
    struct row *rows = calloc(count + 1, sizeof *rows);
    int code = PIT_NO_MEMORY;
    if (places && row_of && rows) {
        size_t row_count = make_rows(report, places, row_of, rows);
        if (row_count != SIZE_MAX) {
            sort_rows(rows, row_count);
            code = print_rows(report, rows, row_count);
        }
    }
    free(places);
    free(row_of);
    free(rows);
    return code;
}

static pit__print_part *const text_parts[] = {pit__print_flat, NULL};

static int print(const struct pit__view_call *call)
{
    static const struct pit__report_parts parts = {PIT__SORT_TOTAL, text_parts, pit__print_flat,
                                                   pit__headline};
    return pit__print_parts(call, &parts);
}

const struct pit__view pit__flat_view = {
    .told = {.name = "flat",
             .help = "which names took the most time, over all callers?",
             .is_of_tree = 1,
             .options = PIT__OPTIONS(&pit__sort_option, &pit__min_share_option)},
    .print = print,
    .needs_runs = 1,
};
