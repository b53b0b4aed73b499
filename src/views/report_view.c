/* report_view.c: the report of one or several runs: its parts in their order.
 *
 * The first line is the answer in words; then what was run and how it ended, where the time went,
 * what was lost, and what the measurement itself cost. Each part has a file of its own.
 */
#include "report_view.h"

#include "advice_case.h"

#include "report/style.h"
#include "report/units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int find_sort(const char *name, enum pit__sort_key *key)
{
    static const char *const names[] = {"total", "self", "count", "mean", "p50",
                                        "p95",   "p99",  "max",   "name"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!name || strcmp(name, names[i]) == 0) {
            *key = (enum pit__sort_key)i;
            return 1;
        }
    return 0;
}

/* Figures with open spans counted. A node's own time is then what its children's leaves over,
 * because an open span's child time is not in its node yet. */
static int add_open_times(struct pit__report *report)
{
    const pit_tree *tree = report->tree;
    size_t count = tree->node_count;
    report->total_ns = calloc(2 * count + 1, sizeof *report->total_ns);
    if (!report->total_ns)
        return PIT_NO_MEMORY;
    report->self_ns = report->total_ns + count;
    for (size_t i = count; i-- > 0;) { /* children stand after their parents */
        const pit_node *node = &tree->nodes[i];
        report->total_ns[i] = node->total_ns + node->open_ns;
        double left = report->total_ns[i] - report->self_ns[i]; /* children's sum, so far */
        if (node->open > 0)
            report->self_ns[i] = left > 0 ? left : 0;
        else
            report->self_ns[i] = node->self_ns;
        if (node->detached)
            continue;
        if (node->parent == PIT_NO_NODE)
            report->in_spans_ns += report->total_ns[i];
        else
            report->self_ns[node->parent] += report->total_ns[i];
    }
    return 0;
}

static void count_busy_threads(struct pit__report *report)
{
    for (size_t r = 0; r < report->run_count; r++)
        for (size_t t = 0; t < report->runs[r]->thread_count; t++)
            report->busy_threads += report->runs[r]->threads[t].node_count > 0;
}

/* What recording cost a run, and the time of its threads. A thread's table counts for one thread at a
 * time, so it had the run's duration at most; and spans cannot have cost more than that: where they seem
 * to, they cost less than the empty span did that was measured at the start. */
static void add_cost(const pit_run *run, double *cost_ns, double *time_ns, size_t *threads)
{
    size_t busy = 0;
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        uint64_t spans = 0;
        for (size_t i = 0; i < thread->node_count; i++)
            spans += thread->nodes[i].count;
        *cost_ns += fmin((double)spans * run->span_cost_ns, run->duration_ns);
        busy += spans > 0;
    }
    *time_ns += run->duration_ns * (double)(busy > 0 ? busy : 1);
    *threads += busy;
}

double pit__cost_share(const struct pit__report *report, size_t *threads)
{
    double cost_ns = 0, time_ns = 0;
    *threads = 0;
    for (size_t r = 0; r < report->run_count; r++) {
        if (!(report->runs[r]->span_cost_ns > 0) || report->runs[r]->losses.beyond_file)
            return NAN;
        add_cost(report->runs[r], &cost_ns, &time_ns, threads);
    }
    return time_ns > 0 ? cost_ns / time_ns : NAN;
}

void pit__add_cost(struct pit__text *text, const struct pit__report *report, double span_ns)
{
    char cost[PIT__UNIT_BYTES], percent[PIT__UNIT_BYTES];
    size_t threads;
    double share = pit__cost_share(report, &threads);
    if (isnan(share)) {
        pit__text_printf(text, "n/a (%s)", pit__why_no_cost(report));
        return;
    }
    pit__text_printf(text, "%s a span, %s of ",
                     pit__unit_duration(cost, span_ns, report->look.ascii),
                     pit__unit_percent_words(percent, share));
    if (threads > report->run_count)
        pit__text_printf(text, "the time of %zu threads", threads);
    else
        pit__text_puts(text, "the run");
}

const char *pit__why_no_cost(const struct pit__report *report)
{
    int is_measured = report->tree->losses.beyond_file > 0;
    for (size_t r = 0; r < report->run_count; r++)
        is_measured &= report->runs[r]->span_cost_ns > 0;
    return is_measured ? "part of the run is missing" : "it was not measured";
}

int pit__print_line(const struct pit__report *report, struct pit__text *line, enum pit__style style)
{
    int colour = report->look.colour;
    struct pit__text cut = {0};
    const char *text = pit__text_string(line);
    if (report->look.width > 0) {
        pit__text_add_cut(&cut, text, (size_t)report->look.width, report->look.ascii);
        text = pit__text_string(&cut);
    }
    fprintf(report->out, "%s%s%s\n", pit__style_on(style, colour), text,
            pit__style_off(style, colour));
    int code = line->failed || cut.failed ? PIT_NO_MEMORY : 0;
    pit__text_free(&cut);
    pit__text_free(line);
    return code;
}

/* Bytes of the next word; a number and its unit are one. */
static size_t word_bytes(const char *word)
{
    size_t bytes = strcspn(word, " ");
    if (bytes > 0 && word[bytes - 1] >= '0' && word[bytes - 1] <= '9' && word[bytes] == ' ') {
        size_t unit = strcspn(word + bytes + 1, " "), letters = strcspn(word + bytes + 1, " ,;:)");
        if (letters > 0 && letters <= sizeof "kB/s" - 1)
            bytes += 1 + unit;
    }
    return bytes;
}

int pit__print_prose(const struct pit__report *report, struct pit__text *prose, size_t indent,
                     enum pit__style style)
{
    const char *word = pit__text_string(prose);
    size_t width = (size_t)report->look.width, column = indent;
    fputs(pit__style_on(style, report->look.colour), report->out);
    while (*word) {
        size_t bytes = word_bytes(word), columns = 0;
        for (size_t i = 0, step; i < bytes; i += step) {
            uint32_t code;
            step = pit__utf8_next(word + i, bytes - i, &code);
            columns += (size_t)pit__code_width(code);
        }
        if (column > indent && width > 0 && column + 1 + columns > width) {
            fprintf(report->out, "\n%*s", (int)indent, "");
            column = indent;
        }
        if (column > indent) {
            putc(' ', report->out);
            column++;
        }
        fwrite(word, 1, bytes, report->out);
        column += columns;
        word += bytes;
        word += strspn(word, " ");
    }
    fprintf(report->out, "%s\n", pit__style_off(style, report->look.colour));
    int code = prose->failed ? PIT_NO_MEMORY : 0;
    pit__text_free(prose);
    return code;
}

static int print_cost(const struct pit__report *report)
{
    struct pit__text line = {0};
    if (report->tree->spans == 0)
        return 0;
    putc('\n', report->out);
    pit__text_puts(&line, "instrumentation: ");
    pit__add_cost(&line, report, report->tree->cost_ns / (double)report->tree->spans);
    return pit__print_line(report, &line, PIT__DIM);
}

typedef int print_part(const struct pit__report *report);

static int print_spans(const struct pit__report *report)
{
    return report->options->flat ? pit__print_flat(report) : pit__print_tree(report);
}

/* The views, by their names in the options: parts in their order, ended by NULL. */
static const struct view {
    const char *name;        /* NULL: the report */
    enum pit__sort_key sort; /* where none is asked for */
    print_part *parts[12];
} views[] = {
    {NULL,
     PIT__SORT_TOTAL,
     {pit__print_verdicts, pit__print_headline, pit__print_facts, pit__print_open,
      pit__print_post_mortem, print_spans, pit__print_values, pit__print_losses, print_cost,
      pit__print_hooks, pit__print_sub_runs}},
    {"tree", PIT__SORT_TOTAL, {pit__print_tree}},
    {"flat", PIT__SORT_TOTAL, {pit__print_flat}},
    {"memory",
     PIT__SORT_MEMORY,
     {pit__print_verdicts, pit__print_memory_headline, pit__print_facts, pit__print_open,
      pit__print_post_mortem, pit__print_readings, pit__print_memory_tree, print_cost}},
};

static const struct view *find_view(const char *name)
{
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        if (name == views[i].name || (name && views[i].name && strcmp(name, views[i].name) == 0))
            return &views[i];
    return NULL;
}

static int print_text(const struct pit__report *report, const struct view *view)
{
    for (size_t i = 0; view->parts[i]; i++) {
        int code = view->parts[i](report);
        if (code)
            return code;
    }
    return 0;
}

/* Markdown: the answer as a paragraph, then the table. CSV: the table alone. */
static int print_spans_form(const struct pit__report *report, const struct view *view)
{
    int memory = view->sort == PIT__SORT_MEMORY;
    if (report->options->form == PIT_MARKDOWN) {
        struct pit__text words = {0};
        if (memory)
            pit__memory_headline(report, &words);
        else
            pit__headline(report, &words);
        pit__print_markdown_text(report->out, pit__text_string(&words));
        putc('\n', report->out);
        int failed = words.failed;
        pit__text_free(&words);
        if (failed)
            return PIT_NO_MEMORY;
    }
    if (memory)
        return pit__print_memory_tree(report);
    int flat = report->options->flat || (view->name && strcmp(view->name, "flat") == 0);
    return flat ? pit__print_flat(report) : pit__print_tree(report);
}

static int print_form(const struct pit__report *report, const struct view *view)
{
    switch (report->options->form) {
    case PIT_TEXT:
        return print_text(report, view);
    case PIT_JSON:
        return pit__print_json(report);
    case PIT_CSV:
    case PIT_MARKDOWN:
        return print_spans_form(report, view);
    }
    return PIT_BAD_ARGUMENT;
}

static int make_memory(struct pit__report *report)
{
    int code = 0;
    report->memory = calloc(report->run_count, sizeof *report->memory);
    for (size_t r = 0; report->memory && r < report->run_count && !code; r++)
        code = pit__run_memory_make(report->runs[r], &report->memory[r]);
    return report->memory ? code : PIT_NO_MEMORY;
}

static void free_memory(struct pit__report *report)
{
    for (size_t r = 0; report->memory && r < report->run_count; r++)
        pit__run_memory_free(&report->memory[r]);
    free(report->memory);
}

int pit__report_make(struct pit__report *report)
{
    report->tree = pit_tree_build(report->runs, report->run_count);
    int code = report->tree ? add_open_times(report) : PIT_NO_MEMORY;
    if (!code)
        code = make_memory(report);
    if (code)
        return code;
    count_busy_threads(report);
    report->advice =
        pit__advise_tree(report->runs, report->run_count, report->tree, report->options->ascii);
    return report->advice ? 0 : PIT_NO_MEMORY;
}

void pit__report_free(struct pit__report *report)
{
    free(report->total_ns);
    free_memory(report);
    pit_advice_free(report->advice);
    pit_tree_free(report->tree);
}

int pit__report_print(FILE *out, const pit_run *const *runs, size_t run_count,
                      const pit_report_options *options)
{
    struct pit__report report = {
        .out = out, .runs = runs, .run_count = run_count, .options = options};
    const struct view *view = find_view(report.options->view);
    if (!out || !runs || run_count == 0 || !find_sort(report.options->sort, &report.sort) ||
        report.options->width < 0 || report.options->depth < 0 ||
        !(report.options->min_share >= 0 && report.options->min_share <= 1) || !view)
        return PIT_BAD_ARGUMENT;
    if (!report.options->sort)
        report.sort = view->sort;
    report.look =
        (struct pit__look){.width = report.options->width,
                           .colour = report.options->colour && report.options->form == PIT_TEXT,
                           .ascii = report.options->ascii};
    int code = pit__report_make(&report);
    errno = 0;
    if (code == 0)
        code = print_form(&report, view);
    if (code == 0 && (fflush(out) != 0 || ferror(out)))
        code = PIT_CANNOT_WRITE;
    int saved = errno; /* the caller may want to say why */
    pit__report_free(&report);
    errno = saved;
    return code;
}
