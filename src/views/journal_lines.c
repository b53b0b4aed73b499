/* journal_lines.c: figures in, line out; see journal_lines.h for the kinds. */
#include "journal_lines.h"

#include "report/table.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SUMMARY_RULE 80

const pit_figure *pit__entry_figure(const pit_entry *entry, const char *key)
{
    for (size_t i = 0; i < entry->figure_count; i++)
        if (entry->figures[i].key && strcmp(entry->figures[i].key, key) == 0)
            return &entry->figures[i];
    return NULL;
}

static double value_of(const pit_entry *entry, const char *key)
{
    const pit_figure *figure = pit__entry_figure(entry, key);
    return figure ? figure->value : (double)NAN;
}

/* A double in `format`, with a point in every locale. NaN is printed as "nan" without the sign
 * that some processors set. */
__attribute__((format(printf, 2, 0))) static void add_number(struct pit__text *text,
                                                             const char *format, double value)
{
    char number[352]; /* the largest double has 309 digits before the point */
    pit__print_double(number, sizeof number, format, isnan(value) ? fabs(value) : value);
    pit__text_puts(text, number);
}

/* The same; n/a if the figure is missing. */
__attribute__((format(printf, 3, 0))) static void
add_figure(struct pit__text *text, const pit_entry *entry, const char *format, const char *key)
{
    double value = value_of(entry, key);
    if (isfinite(value))
        add_number(text, format, value);
    else
        pit__text_puts(text, "n/a");
}

static void add_name(struct pit__text *text, const pit_entry *entry)
{
    pit__text_add_visible(text, entry->text ? entry->text : "");
}

/* Seconds with the given decimals, or with three digits below a millisecond. */
static void add_seconds(struct pit__text *text, double seconds, int decimals)
{
    char number[352]; /* the largest double has 309 digits before the point */
    if (!isfinite(seconds)) {
        pit__text_puts(text, "n/a");
        return;
    }
    snprintf(number, sizeof number, "%.*f", pit__small_decimals(seconds, decimals), seconds);
    pit__fix_decimal_sign(number);
    pit__text_puts(text, number);
    pit__text_puts(text, "s");
}

/* 12.34s, 2345.67s (39.09min), 7200.00s (2.00h) */
static void add_duration(struct pit__text *text, double seconds, int is_row)
{
    if (!isfinite(seconds) || (is_row && seconds < 1e-3)) {
        add_seconds(text, seconds, 2);
        return;
    }
    add_number(text, "%.2fs", seconds);
    if (seconds < 60)
        return;
    pit__text_puts(text, " (");
    if (seconds >= 3600)
        add_number(text, "%.2fh)", seconds / 3600);
    else
        add_number(text, "%.2fmin)", seconds / 60);
}

/* ---- stages -------------------------------------------------------------------------------- */

const char *pit__stamp(char *out, uint64_t wall_ns)
{
    time_t seconds = (time_t)(wall_ns / 1000000000u);
    struct tm local;
    if (!localtime_r(&seconds, &local) ||
        strftime(out, PIT__STAMP_BYTES, "%Y-%m-%d %H:%M:%S", &local) == 0)
        strcpy(out, "n/a");
    return out;
}

static void add_stamp(struct pit__text *text, const pit_entry *entry, const char *tag)
{
    char stamp[PIT__STAMP_BYTES];
    const char *const parts[] = {"[", pit__stamp(stamp, entry->wall_ns), "] [", tag, "] "};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        pit__text_puts(
            text, parts[i]); /* avoids printf: its code is not in the cache between two lines */
    add_name(text, entry);
}

static void stage_line(struct pit__text *text, const pit_entry *entry)
{
    add_stamp(text, entry, "STAGE");
}

static void timing_line(struct pit__text *text, const pit_entry *entry)
{
    add_stamp(text, entry, "TIMING");
    pit__text_puts(text, ": ");
    add_duration(text, value_of(entry, "seconds"), 0);
}

static int is_kind(const pit_entry *entry, const char *kind)
{
    return entry->kind && strcmp(entry->kind, kind) == 0;
}

enum { SUMMARY_NAME, SUMMARY_DURATION, SUMMARY_SHARE, SUMMARY_COLUMNS };

/* "  name : duration (percent)"; a long name widens its column while the row fits the rule. */
static const struct pit__column summary_columns[SUMMARY_COLUMNS] = {
    [SUMMARY_NAME] = {.kind = PIT__TEXT, .fixed = {.width = 40, .before = "  "}},
    [SUMMARY_DURATION] = {.kind = PIT__TEXT, .fixed = {.width = 20, .before = ": "}},
    [SUMMARY_SHARE] =
        {.kind = PIT__NUMBER,
         .fixed = {.width = 1, .decimals = 1, .before = " (", .suffix = "%", .after = ")"}},
};

/* A stage inside another one is indented. The total has no share. */
static void summary_row(struct pit__table *table, const pit_entry *entry, struct pit__text *name,
                        struct pit__text *duration)
{
    struct pit__cell cells[SUMMARY_COLUMNS] = {0};
    int is_total = is_kind(entry, "total");
    name->length = duration->length = 0;
    pit__text_puts(name, pit__entry_figure(entry, "nested") ? "  " : "");
    pit__text_puts(name, is_total ? "TOTAL" : entry->text ? entry->text : "");
    add_duration(duration, value_of(entry, "seconds"), 1);
    cells[SUMMARY_NAME] = pit__cell_text(pit__text_string(name));
    cells[SUMMARY_DURATION] = pit__cell_text(pit__text_string(duration));
    if (is_total) {
        pit__table_foot(table, cells);
        return;
    }
    cells[SUMMARY_SHARE] = pit__cell_real(value_of(entry, "share"));
    pit__table_row(table, cells);
}

static void print_summary(FILE *out, struct pit__table *table)
{
    static const struct pit__look look;
    pit__print_rule(out, '=', SUMMARY_RULE);
    fputs("[TIMING SUMMARY]\n", out);
    pit__print_rule(out, '=', SUMMARY_RULE);
    pit__table_print_fixed(table, out, SUMMARY_RULE, 0, &look);
    pit__table_foot_fixed(table, out, SUMMARY_RULE, 0, &look);
    pit__print_rule(out, '=', SUMMARY_RULE);
}

static void summary_block(struct pit__text *text, const pit_entry *entries, size_t count)
{
    struct pit__table *table = pit__table_new(summary_columns, SUMMARY_COLUMNS);
    struct pit__text name = {0}, duration = {0};
    char *bytes = NULL;
    size_t length = 0;
    FILE *out = table ? open_memstream(&bytes, &length) : NULL;
    for (size_t i = 0; out && i < count; i++)
        summary_row(table, &entries[i], &name, &duration);
    if (out)
        print_summary(out, table);
    text->failed |=
        !out || fclose(out) != 0 || pit__table_failed(table) || name.failed || duration.failed;
    if (!text->failed)
        pit__text_add(text, bytes, length);
    free(bytes);
    pit__text_free(&name);
    pit__text_free(&duration);
    pit__table_free(table);
}

/* The number of entries in the block that begins here; 0: no block. */
static size_t summary_length(const pit_entry *entries, size_t count)
{
    size_t length = 0;
    while (length < count && is_kind(&entries[length], "summary"))
        length++;
    return length < count && is_kind(&entries[length], "total") ? length + 1 : length;
}

/* ---- epochs -------------------------------------------------------------------------------- */

static void batch_line(struct pit__text *text, const pit_entry *entry)
{
    pit__text_puts(text, "  Batch ");
    add_figure(text, entry, "%.0f", "batch");
    pit__text_puts(text, ": ");
    add_figure(text, entry, "%.3fs", "seconds");
    pit__text_puts(text, ", GPU ");
    add_figure(text, entry, "%.1fMB", "gpu_mb");
    pit__text_puts(text, ", CPU ");
    add_figure(text, entry, "%.1fMB", "cpu_mb");
    const pit_figure *loss = pit__entry_figure(entry, "loss");
    if (loss) {
        pit__text_puts(text, ", loss=");
        add_number(text, "%.6f", loss->value);
    }
}

static void epoch_line(struct pit__text *text, const pit_entry *entry)
{
    pit__text_puts(text, "  Epoch end: ");
    add_figure(text, entry, "%.3fs total", "seconds");
    if (pit__entry_figure(entry, "gpu_mb")) {
        pit__text_puts(text, ", GPU ");
        add_figure(text, entry, "%.1fMB", "gpu_mb");
        pit__text_puts(text, ", ");
        add_figure(text, entry, "%.0fMB", "reserved_mb");
        pit__text_puts(text, " reserved, peak ");
        add_figure(text, entry, "%.0fMB", "peak_mb");
    }
    if (pit__entry_figure(entry, "energy_j"))
        add_figure(text, entry, ", energy %.1fJ", "energy_j");
}

static void batch_timing_line(struct pit__text *text, const pit_entry *entry)
{
    pit__text_puts(text, "  Batch timing: avg=");
    add_figure(text, entry, "%.3fs", "avg");
    pit__text_puts(text, ", min=");
    add_figure(text, entry, "%.3fs", "min");
    pit__text_puts(text, ", max=");
    add_figure(text, entry, "%.3fs", "max");
}

/* ---- windows, profiling, single calls ------------------------------------------------------- */

static void window_line(struct pit__text *text, const pit_entry *entry)
{
    const char *between = "";
    pit__text_puts(text, "[");
    add_name(text, entry);
    pit__text_puts(text, "]");
    if (entry->figure_count == 0)
        return;
    add_number(text, " Last %.0f ", entry->figures[0].value);
    pit__text_add_visible(text, entry->figures[0].key ? entry->figures[0].key : "");
    pit__text_puts(text, ": ");
    for (size_t i = 1; i < entry->figure_count; i++) {
        const pit_figure *figure = &entry->figures[i];
        const char *unit = figure->unit ? figure->unit : "";
        if (strcmp(unit, "kept") == 0)
            continue;
        pit__text_puts(text, between);
        pit__text_add_visible(text, figure->key ? figure->key : "");
        pit__text_puts(text, "=");
        if (!isfinite(figure->value))
            pit__text_puts(text, "n/a");
        else if (strcmp(unit, "ms") == 0)
            add_number(text, "%.2fms", figure->value);
        else
            add_number(text, "%.1f", figure->value);
        between = ", ";
    }
}

static void profiling_step_line(struct pit__text *text, const pit_entry *entry)
{
    pit__text_puts(text, "--- Profiling Metrics (Step ");
    add_figure(text, entry, "%.0f", "step");
    pit__text_puts(text, ") ---");
}

static void profiling_line(struct pit__text *text, const pit_entry *entry)
{
    add_name(text, entry);
    pit__text_puts(text, ": avg=");
    add_seconds(text, value_of(entry, "avg"), 4);
    pit__text_puts(text, ", total=");
    add_seconds(text, value_of(entry, "total"), 2);
    pit__text_puts(text, ", count=");
    add_figure(text, entry, "%.0f", "count");
}

static void complete_line(struct pit__text *text, const pit_entry *entry)
{
    const pit_figure *memory = pit__entry_figure(entry, "peak_memory_mb");
    const pit_figure *device = pit__entry_figure(entry, "gpu_peak_mb");
    const pit_figure *cpu_mode = pit__entry_figure(entry, "cpu_mode");
    add_name(text, entry);
    pit__text_puts(text, " complete: ");
    add_figure(text, entry, "%.2fs", "seconds");
    if (memory) {
        pit__text_puts(text, ", peak memory: ");
        add_figure(text, entry, "%.1f MB", "peak_memory_mb");
    }
    if (device) {
        pit__text_puts(text, ", GPU peak: ");
        add_figure(text, entry, "%.1f MB", "gpu_peak_mb");
    }
    if (cpu_mode)
        pit__text_puts(text, " (CPU mode)");
    if (!memory && !device && !cpu_mode)
        pit__text_puts(text, " total");
}

static void failed_line(struct pit__text *text, const pit_entry *entry)
{
    add_name(text, entry);
    pit__text_puts(text, " failed after ");
    add_figure(text, entry, "%.2fs", "seconds");
}

static void performance_lines(struct pit__text *text, const pit_entry *entry)
{
    pit__text_puts(text, "[Performance] ");
    add_name(text, entry);
    pit__text_puts(text, ": ");
    add_figure(text, entry, "%.3fs", "seconds");
    pit__text_puts(text, ", CPU ");
    add_figure(text, entry, "%+.1fMB", "cpu_delta_mb");
    pit__text_puts(text, ", GPU ");
    add_figure(text, entry, "%+.1fMB", "gpu_delta_mb");
    const pit_figure *peak = pit__entry_figure(entry, "gpu_peak_mb");
    if (peak) {
        pit__text_puts(text, "\n              GPU peak: ");
        add_figure(text, entry, "%.1fMB", "gpu_peak_mb");
        if (isnan(peak->value))
            pit__text_puts(text, " (no new peak, and the mark is not reset)");
    }
}

/* ---- all of them ---------------------------------------------------------------------------- */

static const struct {
    const char *kind;
    void (*line)(struct pit__text *text, const pit_entry *entry);
} kinds[] = {
    {"stage", stage_line},
    {"timing", timing_line},
    {"batch", batch_line},
    {"epoch", epoch_line},
    {"batch-timing", batch_timing_line},
    {"window", window_line},
    {"profiling-step", profiling_step_line},
    {"profiling", profiling_line},
    {"complete", complete_line},
    {"failed", failed_line},
    {"performance", performance_lines},
};

void pit__journal_lines(struct pit__text *text, const pit_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t length = summary_length(entries + i, count - i);
        if (length > 0) {
            summary_block(text, entries + i, length);
            i += length - 1;
            continue;
        }
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
            if (is_kind(&entries[i], kinds[k].kind)) {
                kinds[k].line(text, &entries[i]);
                pit__text_puts(text, "\n");
            }
    }
}
