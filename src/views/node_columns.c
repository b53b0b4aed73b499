/* node_columns.c: the columns that the call tree and the flat list share. */
#include "report_view.h"

#include <math.h>
#include <string.h>

enum {
    NAME,
    COUNT,
    TOTAL,
    SELF,
    SHARE,
    MEAN,
    P50,
    P95,
    P99,
    MAX,
    ITEMS,
    BYTES,
    FLOPS,
    DELTA,
    PEAK,
    ALLOCATED,
    LIVE,
    PATH,
    OPEN,
    DETACHED,
    COLUMNS
};

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "span", .key = "name", .kind = PIT__TEXT, .min_width = 26, .max_width = 100},
    [COUNT] = {.title = "count", .key = "count", .kind = PIT__COUNT, .drop = 1},
    [TOTAL] = {.title = "total", .key = "total_ns", .kind = PIT__DURATION},
    [SELF] = {.title = "self", .key = "self_ns", .kind = PIT__DURATION, .drop = 2},
    [SHARE] = {.title = "share", .key = "share", .kind = PIT__PERCENT},
    [MEAN] = {.title = "mean", .key = "mean_ns", .kind = PIT__DURATION, .drop = 3},
    [P50] = {.title = "p50", .key = "p50_ns", .kind = PIT__DURATION, .drop = 9},
    [P95] = {.title = "p95", .key = "p95_ns", .kind = PIT__DURATION, .drop = 8},
    [P99] = {.title = "p99", .key = "p99_ns", .kind = PIT__DURATION, .drop = 4},
    [MAX] = {.title = "max", .key = "max_ns", .kind = PIT__DURATION, .drop = 7},
    [ITEMS] =
        {.title = "items/s", .key = "items_per_s", .kind = PIT__RATE, .drop = 5, .optional = 1},
    [BYTES] = {.title = "bytes/s",
               .key = "bytes_per_s",
               .kind = PIT__BYTE_RATE,
               .drop = 6,
               .optional = 1},
    [FLOPS] = {.title = "FLOP/s", .key = "flop_per_s", .kind = PIT__RATE, .drop = 6, .optional = 1},
    [DELTA] = {.title = "mem delta",
               .key = "memory_delta_bytes",
               .kind = PIT__BYTES_SIGNED,
               .drop = 4,
               .optional = 1},
    [PEAK] = {.title = "mem peak",
              .key = "memory_peak_bytes",
              .kind = PIT__BYTES_SIGNED,
              .drop = 4,
              .optional = 1},
    [ALLOCATED] =
        {.title = "allocated", .key = "alloc_bytes", .kind = PIT__BYTES, .drop = 5, .optional = 1},
    [LIVE] =
        {.title = "live", .key = "live_bytes", .kind = PIT__BYTES_SIGNED, .drop = 5, .optional = 1},
    [PATH] = {.title = "path", .key = "path", .kind = PIT__TEXT, .machine = 1},
    [OPEN] = {.title = "open", .key = "open", .kind = PIT__COUNT, .machine = 1},
    [DETACHED] = {.title = "detached", .key = "detached", .kind = PIT__COUNT, .machine = 1},
};

struct pit__table *pit__node_table_new(void)
{
    return pit__table_new(columns, COLUMNS);
}

static struct pit__cell rate(uint64_t amount, double ns)
{
    if (amount == 0)
        return pit__cell_empty();
    return pit__cell_real(ns > 0 ? (double)amount * 1e9 / ns : NAN);
}

static const char *mark_of(const struct pit__figures *figures)
{
    if (figures->open > 0)
        return figures->detached ? " [detached, open]" : " [open]";
    return figures->detached ? " [detached]" : NULL;
}

/* Where the eye should go: by its own time, for that is what can be made faster. */
static enum pit__style heat(double self_share)
{
    if (self_share >= 0.25)
        return PIT__HOT;
    return self_share >= 0.05 ? PIT__WARM : PIT__PLAIN;
}

static void set_memory(struct pit__cell *cells, const struct pit__memory_sum *sum)
{
    const pit_memory *m = &sum->memory;
    const pit_alloc *a = &sum->alloc;
    for (int i = DELTA; i <= LIVE; i++)
        cells[i] = pit__cell_empty();
    if (m->count > 0) {
        cells[DELTA] = pit__cell_real((double)m->delta_sum);
        cells[PEAK] = pit__cell_real(m->peak_method == PIT_PEAK_NONE ? NAN : (double)m->peak_max);
    }
    if (a->count > 0) {
        cells[ALLOCATED] = pit__cell_real((double)a->alloc_bytes);
        cells[LIVE] = pit__cell_real((double)a->live_sum);
    }
}

void pit__node_table_row(struct pit__table *table, const struct pit__figures *figures,
                         const char *tree_lines)
{
    struct pit__cell cells[COLUMNS];
    cells[NAME] = pit__cell_text(*figures->name ? figures->name : "\"\"");
    cells[NAME].raw = figures->name;
    cells[NAME].before = tree_lines && *tree_lines ? tree_lines : NULL;
    cells[NAME].after = mark_of(figures);
    cells[COUNT] = pit__cell_whole(figures->count);
    cells[TOTAL] = pit__cell_real(figures->total_ns);
    cells[SELF] = pit__cell_real(figures->self_ns);
    /* a detached span overlaps others: it is no part of the whole */
    cells[SHARE] = figures->detached ? pit__cell_empty() : pit__cell_real(figures->share);
    cells[MEAN] = pit__cell_real(figures->mean_ns);
    cells[P50] = pit__cell_real(figures->p50_ns);
    cells[P95] = pit__cell_real(figures->p95_ns);
    cells[P99] = pit__cell_real(figures->p99_ns);
    cells[MAX] = pit__cell_real(figures->max_ns);
    cells[ITEMS] = rate(figures->items, figures->work_ns);
    cells[BYTES] = rate(figures->bytes, figures->work_ns);
    cells[FLOPS] = rate(figures->flops, figures->work_ns);
    set_memory(cells, &figures->memory);
    cells[PATH] = figures->path ? pit__cell_text(figures->path) : pit__cell_empty();
    cells[OPEN] = pit__cell_whole(figures->open);
    cells[DETACHED] = pit__cell_whole(figures->detached != 0);
    if (figures->total_ns > 0 && !figures->detached)
        cells[SELF].style = heat(figures->self_ns / figures->total_ns * figures->share);
    pit__table_row(table, cells);
}

void pit__node_figures(const struct pit__report *report, size_t index, struct pit__figures *figures)
{
    const pit_node *node = &report->tree->nodes[index];
    int some = node->count > 0;
    *figures = (struct pit__figures){
        .name = node->name,
        .path = node->path,
        .count = node->count,
        .total_ns = report->total_ns[index],
        .self_ns = report->self_ns[index],
        .share = report->in_spans_ns > 0 ? report->total_ns[index] / report->in_spans_ns : NAN,
        .mean_ns = some ? node->mean_ns : NAN,
        .p50_ns = node->p50_ns,
        .p95_ns = node->p95_ns,
        .p99_ns = node->p99_ns,
        .max_ns = some ? node->max_ns : NAN,
        .items = node->items,
        .bytes = node->bytes,
        .flops = node->flops,
        .work_ns = report->total_ns[index],
        .open = node->open,
        .detached = node->detached,
        .key = report->sort,
    };
    pit__memory_join(&figures->memory, node->memory, 0);
    pit__alloc_join(&figures->memory, node->alloc, 0);
}

static double key_of(const struct pit__figures *figures)
{
    switch (figures->key) {
    case PIT__SORT_SELF:
        return figures->self_ns;
    case PIT__SORT_COUNT:
        return (double)figures->count;
    case PIT__SORT_MEAN:
        return figures->mean_ns;
    case PIT__SORT_P50:
        return figures->p50_ns;
    case PIT__SORT_P95:
        return figures->p95_ns;
    case PIT__SORT_P99:
        return figures->p99_ns;
    case PIT__SORT_MAX:
        return figures->max_ns;
    case PIT__SORT_NAME:
        return 0;
    case PIT__SORT_MEMORY:
        return (double)figures->memory.memory.peak_max + (double)figures->memory.alloc.peak_max;
    case PIT__SORT_TOTAL:
        break;
    }
    return figures->total_ns;
}

/* Largest first, what is not available last, then by name. */
int pit__figures_order(const struct pit__figures *a, const struct pit__figures *b)
{
    double x = key_of(a), y = key_of(b);
    if (isnan(x) || isnan(y)) {
        if (isnan(x) != isnan(y))
            return isnan(x) ? 1 : -1;
    } else if (x != y) {
        return x > y ? -1 : 1;
    }
    return strcmp(a->name, b->name);
}
