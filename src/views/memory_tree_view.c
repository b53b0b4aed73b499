/* memory_tree_view.c: the call tree with the memory of the spans, and how the figures were
 * obtained. */
#include "report_view.h"

#include "model/fields.h"

#include "report/style.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>

enum {
    NAME,
    SPANS,
    DELTA_LAST,
    DELTA_MEAN,
    DELTA_MAX,
    PEAK_MEAN,
    PEAK_MAX,
    OF_PEAK,
    DEVICE,
    MINOR,
    MAJOR,
    ALLOCATED,
    FREED,
    PEAK_LIVE,
    LIVE,
    LEAKED,
    PATH,
    COLUMNS
};

#define BYTE_COLUMN(title_, key_, kind_, drop_)                                                    \
    {                                                                                              \
        .title = title_, .key = key_, .kind = kind_, .drop = drop_, .optional = 1                  \
    }

static const struct pit__column columns[COLUMNS] = {
    [NAME] = {.title = "span", .key = "name", .kind = PIT__TEXT, .min_width = 22, .max_width = 100},
    [SPANS] = {.title = "spans", .key = "spans", .kind = PIT__COUNT, .drop = 1, .optional = 1},
    [DELTA_LAST] = BYTE_COLUMN("last delta", "memory_delta_last_bytes", PIT__BYTES_SIGNED, 7),
    [DELTA_MEAN] = BYTE_COLUMN("mean delta", "memory_delta_mean_bytes", PIT__BYTES_SIGNED, 0),
    [DELTA_MAX] = BYTE_COLUMN("max delta", "memory_delta_max_bytes", PIT__BYTES_SIGNED, 6),
    [PEAK_MEAN] = BYTE_COLUMN("mean peak", "memory_peak_mean_bytes", PIT__BYTES_SIGNED, 5),
    [PEAK_MAX] = BYTE_COLUMN("max peak", "memory_peak_bytes", PIT__BYTES_SIGNED, 0),
    [OF_PEAK] = BYTE_COLUMN("of run's peak", "share_of_peak", PIT__PERCENT, 2),
    [DEVICE] = BYTE_COLUMN("GPU peak", "device_memory_max_bytes", PIT__BYTES, 1),
    [MINOR] = BYTE_COLUMN("minor faults", "minor_faults", PIT__COUNT, 8),
    [MAJOR] = BYTE_COLUMN("major", "major_faults", PIT__COUNT, 9),
    [ALLOCATED] = BYTE_COLUMN("allocated", "alloc_bytes", PIT__BYTES, 4),
    [FREED] = BYTE_COLUMN("freed", "freed_bytes", PIT__BYTES, 8),
    [PEAK_LIVE] = BYTE_COLUMN("peak live", "alloc_peak_bytes", PIT__BYTES, 5),
    [LIVE] = BYTE_COLUMN("live", "live_bytes", PIT__BYTES_SIGNED, 4),
    [LEAKED] = BYTE_COLUMN("leaked", "leaked_bytes", PIT__BYTES, 3),
    [PATH] = {.title = "path", .key = "path", .kind = PIT__TEXT, .machine = 1},
};

struct rows {
    const struct pit__report *report;
    struct pit__table *table;
    double run_peak; /* the highest of all runs; NaN: not known */
};

static struct pit__cell share_of_peak(const pit_memory *m, double run_peak)
{
    int has_peak = m->peak_method != PIT_PEAK_NONE;
    double share = (double)m->rss_max / run_peak;
    struct pit__cell cell = pit__cell_real(has_peak ? share : NAN);
    if (share >= 0.9 && has_peak)
        cell.style = PIT__WARM;
    return cell;
}

static void add_row(void *arg, const pit_node *node, const char *lines)
{
    const struct rows *rows = arg;
    struct pit__cell cells[COLUMNS];
    for (size_t i = 0; i < COLUMNS; i++) {
        const struct pit__field *field = pit__field_named(&pit__node_fields, columns[i].key);
        cells[i] = field ? pit__field_cell(field, node) : pit__cell_empty();
    }
    pit__set_name_cell(&cells[NAME], node, lines);
    if (node->memory || node->alloc)
        cells[SPANS] = pit__cell_whole(node->memory ? node->memory->count : node->alloc->count);
    if (node->memory)
        cells[OF_PEAK] = share_of_peak(node->memory, rows->run_peak);
    pit__table_row(rows->table, cells);
}

/* Nodes with figures, and those above them. How many have figures. */
static size_t choose(const pit_tree *tree, unsigned char *keep)
{
    size_t count = 0;
    for (size_t i = tree->node_count; i-- > 0;) { /* children come after their parents */
        int has = tree->nodes[i].memory || tree->nodes[i].alloc;
        count += (size_t)has;
        if (has)
            keep[i] = 1;
        if (keep[i] && tree->nodes[i].parent != PIT_NO_NODE)
            keep[tree->nodes[i].parent] = 1;
    }
    return count;
}

/* ---- how the figures are known ------------------------------------------------------------- */

struct methods {
    int used[3]; /* by enum pit_peak_method */
    uint64_t error_bytes;
    int memory, alloc;
};

static struct methods find_methods(const struct pit__report *report)
{
    struct methods methods = {0};
    for (size_t r = 0; r < report->run_count; r++)
        for (size_t t = 0; t < report->runs[r]->thread_count; t++) {
            const pit_thread *thread = &report->runs[r]->threads[t];
            for (size_t i = 0; i < thread->node_count; i++) {
                const pit_memory *m = thread->nodes[i].memory;
                methods.alloc |= thread->nodes[i].alloc != NULL;
                if (!m)
                    continue;
                methods.memory = 1;
                methods.used[m->peak_method] = 1;
                if (m->error_bytes > methods.error_bytes)
                    methods.error_bytes = m->error_bytes;
            }
        }
    return methods;
}

static void add_methods(const struct methods *methods, struct pit__text *text)
{
    char bound[PIT__UNIT_BYTES];
    int rusage = methods->used[PIT_PEAK_RUSAGE], hwm = methods->used[PIT_PEAK_HWM];
    if (methods->memory) {
        pit__text_puts(text, "delta: RSS at the end less RSS at the begin; ");
        if (rusage || hwm)
            pit__text_printf(
                text,
                "peak: the kernel's high-water mark, reset at each begin (%s%s%s), less"
                " RSS at the begin, of the whole process; ",
                rusage ? "getrusage" : "", rusage && hwm ? ", " : "", hwm ? "VmHWM" : "");
        if (methods->used[PIT_PEAK_NONE])
            pit__text_puts(text, rusage || hwm ? "n/a where the mark cannot be reset; "
                                               : "peak: n/a, the kernel's mark cannot be reset"
                                                 " here; ");
        if (methods->error_bytes > 0)
            pit__text_printf(text, "each within %s",
                             pit__unit_bytes(bound, (double)methods->error_bytes));
        else
            pit__text_puts(text, "error not known");
    }
    if (methods->alloc)
        pit__text_printf(text, "%sallocations: counted one by one on the span's own thread, exact",
                         methods->memory ? ". " : "");
}

static void add_records(const struct pit__report *report, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    uint64_t kept = 0, dropped = 0;
    for (size_t r = 0; r < report->run_count; r++)
        for (size_t t = 0; t < report->runs[r]->thread_count; t++) {
            kept += report->runs[r]->threads[t].record_count;
            dropped += report->runs[r]->threads[t].records_dropped;
        }
    if (kept == 0)
        return;
    pit__text_printf(text, "%s%s spans were kept one by one and are in --json",
                     text->length ? ". " : "", pit__unit_count(a, kept));
    if (dropped > 0)
        pit__text_printf(text, ", %s older ones were dropped", pit__unit_count(b, dropped));
}

static int print_table(const struct pit__report *report, const unsigned char *keep)
{
    struct rows rows = {report, pit__table_new(columns, COLUMNS), NAN};
    size_t left_out = 0;
    for (size_t r = 0; r < report->run_count; r++)
        rows.run_peak = fmax(rows.run_peak, report->memory[r].peak); /* fmax ignores NaN */
    int code =
        rows.table ? pit__each_tree_row(report, keep, add_row, &rows, &left_out) : PIT_NO_MEMORY;
    if (!code)
        code = pit__print_table(report, rows.table, left_out, "node");
    pit__table_free(rows.table);
    return code;
}

int pit__print_memory_tree(const struct pit__report *report)
{
    unsigned char *keep = calloc(report->tree->node_count + 1, 1);
    if (!keep)
        return PIT_NO_MEMORY;
    struct pit__text text = {0};
    int code = 0;
    int some = choose(report->tree, keep) > 0;
    if (report->options->form == PIT_CSV || report->options->form == PIT_JSON) { /* rows alone */
        code = print_table(report, keep);
        free(keep);
        return code;
    }
    if (some) {
        struct methods methods = find_methods(report);
        code = print_table(report, keep);
        add_methods(&methods, &text);
    } else {
        putc('\n', report->out);
        pit__text_puts(&text, "no span measured its memory: mark those that matter with"
                              " PIT_SPAN_WITH(name, PIT_MEMORY)");
    }
    free(keep);
    add_records(report, &text);
    if (report->options->form == PIT_MARKDOWN)
        putc('\n', report->out); /* an empty line keeps it apart from the rows */
    pit__prose_words(report->prose, &text, 0, PIT__DIM);
    return code;
}
