/* sub_runs_view.c: sub-runs: workers and other processes that the runs of the report started.
 * They have a separate report under one heading: one line per sub-run, then their merged tree.
 * The figures above do not include them: those cover only the requested runs. */
#include "report_view.h"

#include "reader/reader.h"
#include "report/units.h"

#include <stdlib.h>
#include <string.h>

#define RUNS_LISTED 20
#define DEEPEST_SHOWN 16 /* levels that are indented */

/* Not a run in memory: its child processes had no folder for their files. */
static int has_file(const pit_run *run)
{
    return run->storage != PIT_STORAGE_MEMORY;
}

int pit__report_below(const struct pit__report *report, struct pit__report *below)
{
    size_t count = 0;
    *below = *report;
    below->tree = NULL;
    below->own_tree = NULL;
    below->busy_threads = 0;
    below->memory = NULL;
    below->advice = NULL;
    below->ranks = NULL;
    below->own_ranks = NULL;
    for (size_t r = 0; r < report->run_count; r++)
        count += report->runs[r]->below_count;
    const pit_run **runs = calloc(count + 1, sizeof *runs);
    below->runs = runs;
    below->run_count = 0;
    for (size_t r = 0; runs && r < report->run_count; r++)
        for (size_t i = 0; i < report->runs[r]->below_count; i++)
            runs[below->run_count++] = report->runs[r]->below[i];
    return runs ? pit__report_make(below) : PIT_NO_MEMORY;
}

void pit__report_below_free(struct pit__report *below)
{
    pit__report_free(below);
    free((void *)(uintptr_t)below->runs);
}

static const struct pit__column columns[] = {
    {.title = "sub-run", .key = "path", .kind = PIT__TEXT, .min_width = 16, .max_width = 60},
    {.title = "program", .key = "program", .kind = PIT__TEXT, .max_width = 24, .drop = 2},
    {.title = "pid", .key = "pid", .kind = PIT__TEXT, .align = PIT__ALIGN_RIGHT, .drop = 4},
    {.title = "spans", .key = "spans", .kind = PIT__COUNT},
    {.title = "duration", .key = "duration_ns", .kind = PIT__DURATION},
    {.title = "peak RSS", .key = "rss_peak_bytes", .kind = PIT__BYTES, .drop = 3},
    {.title = "state", .key = "state", .kind = PIT__TEXT, .min_width = 6},
};

static void add_row(struct pit__table *table, const pit_run *run,
                    const struct pit__run_memory *memory)
{
    const char *slash = strrchr(run->path, '/');
    char indent[2 * DEEPEST_SHOWN + 1] = "", pid[24];
    unsigned levels = run->depth > DEEPEST_SHOWN ? DEEPEST_SHOWN : run->depth;
    if (levels > 1)
        snprintf(indent, sizeof indent, "%*s", 2 * ((int)levels - 1), "");
    snprintf(pid, sizeof pid, "%u", run->pid);
    struct pit__cell cells[] = {
        pit__cell_text(slash ? slash + 1 : run->path),
        pit__cell_text(pit_run_fact(run, "program")),
        pit__cell_text(pid),
        pit__cell_whole(pit__run_spans(run)),
        pit__cell_real(run->duration_ns),
        pit__cell_real(memory->peak),
        pit__cell_text(run->ended_by_parent ? "ended by its parent" : pit__state_word(run)),
    };
    cells[0].before = indent;
    if (pit__has_died(run))
        cells[6].style = PIT__HOT;
    pit__table_row(table, cells);
}

static int print_list(const struct pit__report *below)
{
    struct pit__table *table = pit__table_new(columns, sizeof columns / sizeof columns[0]);
    if (!table)
        return PIT_NO_MEMORY;
    for (size_t r = 0; r < below->run_count && r < RUNS_LISTED; r++)
        add_row(table, below->runs[r], &below->memory[r]);
    putc('\n', below->out);
    int code = pit__table_print(table, below->out, &below->look) ? PIT_NO_MEMORY : 0;
    pit__table_free(table);
    if (below->run_count > RUNS_LISTED)
        fprintf(below->out, "and %zu more\n", below->run_count - RUNS_LISTED);
    return code;
}

/* "workers: 2 sub-runs, 128 spans; their time is not in the figures above" */
static void print_heading(const struct pit__report *below, size_t unread)
{
    char number[PIT__UNIT_BYTES];
    struct pit__text line = {0};
    pit__text_printf(&line, "workers: %zu sub-run%s", below->run_count,
                     below->run_count == 1 ? "" : "s");
    pit__text_printf(&line, ", %s span%s", pit__unit_count(number, below->tree->spans),
                     below->tree->spans == 1 ? "" : "s");
    if (unread > 0)
        pit__text_printf(&line, "; %zu more cannot be read", unread);
    pit__text_puts(&line, "; their time is not in the figures above");
    putc('\n', below->out);
    pit__prose_line(below->prose, &line, PIT__STRONG);
}

/* Open spans are shown only for workers that were inside a span: most end between two spans. */
static int has_open_spans(const struct pit__report *below)
{
    for (size_t r = 0; r < below->run_count; r++)
        for (size_t t = 0; t < below->runs[r]->thread_count; t++)
            if (below->runs[r]->threads[t].open_count > 0)
                return 1;
    return 0;
}

/* Is it in the folder of a run of the report, as most are? */
static int is_at_hand(const struct pit__report *report, const pit_run *run)
{
    const char *slash = strrchr(run->path, '/');
    size_t length = slash ? (size_t)(slash - run->path) + 1 : 0;
    for (size_t r = 0; r < report->run_count; r++) {
        const char *own = report->runs[r]->path, *last = strrchr(own, '/');
        if (length == (last ? (size_t)(last - own) + 1 : 0) && strncmp(own, run->path, length) == 0)
            return 1;
    }
    return 0;
}

/* Print the folder of sub-runs in other folders, because the list has only their names. */
static void print_elsewhere(const struct pit__report *report, const struct pit__report *below)
{
    for (size_t r = 0; r < below->run_count && r < RUNS_LISTED; r++) {
        struct pit__text words = {0};
        if (is_at_hand(report, below->runs[r]))
            continue;
        pit__text_add_visible(&words, below->runs[r]->path);
        pit__prose_labelled(below->prose, "elsewhere", &words, PIT__PLAIN);
    }
}

static int print_parts(const struct pit__report *report, const struct pit__report *below,
                       size_t unread)
{
    print_heading(below, unread);
    int code = print_list(below);
    print_elsewhere(report, below);
    if (has_open_spans(below))
        pit__print_open(below);
    int spans = below->options->flat ? pit__print_flat(below) : pit__print_tree(below);
    pit__print_losses(below);
    return code ? code : spans;
}

int pit__print_sub_runs(const struct pit__report *report)
{
    struct pit__report below;
    size_t unread = 0, count = 0;
    for (size_t r = 0; r < report->run_count; r++) {
        unread += report->runs[r]->below_unread;
        count += report->runs[r]->below_count;
    }
    if (report->run_count == 1 && !has_file(report->runs[0])) {
        struct pit__text words = {0};
        pit__text_puts(&words, "n/a: no file");
        putc('\n', report->out);
        pit__prose_labelled(report->prose, "workers", &words, PIT__DIM);
        return 0;
    }
    if (count + unread == 0)
        return 0;
    int code = pit__report_below(report, &below);
    if (!code)
        code = print_parts(report, &below, unread);
    pit__report_below_free(&below);
    return code;
}
