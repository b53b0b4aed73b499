/* csv_export.c: the merged tree as one CSV table, a row a node, parents before their children. */
#include "export.h"

#include "report_view.h"

#include <math.h>

enum {
    PATH,
    NAME,
    DEPTH,
    DETACHED,
    COUNT,
    TOTAL,
    SELF,
    MIN,
    MEAN,
    MAX,
    STD,
    P50,
    P95,
    P99,
    ITEMS,
    BYTES,
    FLOPS,
    OPEN,
    OPEN_NS,
    MEMORY_COUNT,
    DELTA,
    DELTA_MAX,
    PEAK,
    RSS_MAX,
    MINOR_FAULTS,
    MAJOR_FAULTS,
    ALLOCS,
    ALLOCATED,
    FREED,
    ALLOC_PEAK,
    LIVE,
    LEAKED,
    COLUMNS
};

#define COLUMN(index_, key_) [index_] = {.title = key_, .key = key_, .kind = PIT__NUMBER}

/* New columns come last: people count them. */
static const struct pit__column columns[COLUMNS] = {
    COLUMN(PATH, "path"),
    COLUMN(NAME, "name"),
    COLUMN(DEPTH, "depth"),
    COLUMN(DETACHED, "detached"),
    COLUMN(COUNT, "count"),
    COLUMN(TOTAL, "total_ns"),
    COLUMN(SELF, "self_ns"),
    COLUMN(MIN, "min_ns"),
    COLUMN(MEAN, "mean_ns"),
    COLUMN(MAX, "max_ns"),
    COLUMN(STD, "std_ns"),
    COLUMN(P50, "p50_ns"),
    COLUMN(P95, "p95_ns"),
    COLUMN(P99, "p99_ns"),
    COLUMN(ITEMS, "items"),
    COLUMN(BYTES, "bytes"),
    COLUMN(FLOPS, "flops"),
    COLUMN(OPEN, "open"),
    COLUMN(OPEN_NS, "open_ns"),
    COLUMN(MEMORY_COUNT, "memory_count"),
    COLUMN(DELTA, "memory_delta_bytes"),
    COLUMN(DELTA_MAX, "memory_delta_max_bytes"),
    COLUMN(PEAK, "memory_peak_bytes"),
    COLUMN(RSS_MAX, "rss_max_bytes"),
    COLUMN(MINOR_FAULTS, "minor_faults"),
    COLUMN(MAJOR_FAULTS, "major_faults"),
    COLUMN(ALLOCS, "allocs"),
    COLUMN(ALLOCATED, "alloc_bytes"),
    COLUMN(FREED, "freed_bytes"),
    COLUMN(ALLOC_PEAK, "alloc_peak_bytes"),
    COLUMN(LIVE, "live_bytes"),
    COLUMN(LEAKED, "leaked_bytes"),
};

/* Nanoseconds in thousandths: more digits are noise of the division by the clock's frequency. */
static struct pit__cell nanoseconds(double ns)
{
    return pit__cell_real(fabs(ns) < 1e12 ? round(ns * 1000) / 1000 : ns);
}

static void set_times(struct pit__cell *cells, const pit_node *node)
{
    cells[TOTAL] = nanoseconds(node->total_ns);
    cells[SELF] = nanoseconds(node->self_ns);
    if (node->count == 0)
        return;
    cells[MIN] = nanoseconds(node->min_ns);
    cells[MEAN] = nanoseconds(node->mean_ns);
    cells[MAX] = nanoseconds(node->max_ns);
    cells[STD] = nanoseconds(node->std_ns);
    cells[P50] = nanoseconds(node->p50_ns);
    cells[P95] = nanoseconds(node->p95_ns);
    cells[P99] = nanoseconds(node->p99_ns);
}

static void set_memory(struct pit__cell *cells, const pit_memory *memory)
{
    int has_peak = memory->peak_method != PIT_PEAK_NONE;
    cells[MEMORY_COUNT] = pit__cell_whole(memory->count);
    cells[DELTA] = pit__cell_real((double)memory->delta_sum);
    cells[DELTA_MAX] = pit__cell_real((double)memory->delta_max);
    cells[PEAK] = has_peak ? pit__cell_whole(memory->peak_max) : pit__cell_empty();
    cells[RSS_MAX] = has_peak ? pit__cell_whole(memory->rss_max) : pit__cell_empty();
    cells[MINOR_FAULTS] = pit__cell_whole(memory->minor_faults);
    cells[MAJOR_FAULTS] = pit__cell_whole(memory->major_faults);
}

static void set_alloc(struct pit__cell *cells, const pit_alloc *alloc)
{
    cells[ALLOCS] = pit__cell_whole(alloc->allocs);
    cells[ALLOCATED] = pit__cell_whole(alloc->alloc_bytes);
    cells[FREED] = pit__cell_whole(alloc->freed_bytes);
    cells[ALLOC_PEAK] = pit__cell_whole(alloc->peak_max);
    cells[LIVE] = pit__cell_real((double)alloc->live_sum);
    if (alloc->leak_spans > 0)
        cells[LEAKED] = pit__cell_whole(alloc->leaked_bytes);
}

static void add_node(struct pit__table *table, const pit_node *node)
{
    struct pit__cell cells[COLUMNS];
    for (int i = 0; i < COLUMNS; i++)
        cells[i] = pit__cell_empty();
    cells[PATH] = pit__cell_text(node->path);
    cells[NAME] = pit__cell_text(node->name);
    cells[DEPTH] = pit__cell_whole(node->depth);
    cells[DETACHED] = pit__cell_whole(node->detached != 0);
    cells[COUNT] = pit__cell_whole(node->count);
    set_times(cells, node);
    cells[ITEMS] = pit__cell_whole(node->items);
    cells[BYTES] = pit__cell_whole(node->bytes);
    cells[FLOPS] = pit__cell_whole(node->flops);
    cells[OPEN] = pit__cell_whole(node->open);
    cells[OPEN_NS] = nanoseconds(node->open_ns);
    if (node->memory)
        set_memory(cells, node->memory);
    if (node->alloc)
        set_alloc(cells, node->alloc);
    pit__table_row(table, cells);
}

static int write_csv(FILE *out, const pit_run *const *runs, size_t run_count)
{
    pit_tree *tree = pit_tree_build(runs, run_count);
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    int code = PIT_NO_MEMORY;
    if (tree && table) {
        for (size_t i = 0; i < tree->node_count; i++)
            add_node(table, &tree->nodes[i]);
        code = pit__table_csv(table, out) ? PIT_NO_MEMORY : 0;
    }
    pit__table_free(table);
    pit_tree_free(tree);
    return code;
}

const struct pit__export pit__csv_export = {"csv", write_csv};
