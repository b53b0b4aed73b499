/* bottlenecks_view.c: what is wrong, in words: each finding with the figures behind it and what to
 * try. */
#include "view_forms.h"

#include "model/advice_case.h"
#include "model/ranks.h"
#include "report/style.h"
#include "report_view.h"

#define INDENT 4

enum { RULE, SEVERITY, HEADLINE, EVIDENCE, REMEDY, PATH, SHARE, STAKE, COLUMNS };

static const struct pit__column columns[COLUMNS] = {
    [RULE] = {.title = "rule", .key = "rule", .kind = PIT__TEXT},
    [SEVERITY] = {.title = "severity", .key = "severity", .kind = PIT__COUNT},
    [HEADLINE] = {.title = "finding", .key = "headline", .kind = PIT__TEXT},
    [EVIDENCE] = {.title = "evidence", .key = "evidence", .kind = PIT__TEXT},
    [REMEDY] = {.title = "what to try", .key = "remedy", .kind = PIT__TEXT},
    [PATH] = {.title = "span", .key = "path", .kind = PIT__TEXT},
    [SHARE] = {.title = "share", .key = "share", .kind = PIT__PERCENT},
    [STAKE] = {.title = "could save", .key = "savings_ns", .kind = PIT__DURATION},
};

static struct pit__table *make_table(const pit_advice *advice)
{
    struct pit__table *table = pit__table_new(columns, COLUMNS);
    for (size_t i = 0; table && i < advice->count; i++) {
        const pit_finding *finding = &advice->findings[i];
        struct pit__cell cells[COLUMNS];
        cells[RULE] = pit__cell_text(finding->rule);
        cells[SEVERITY] = pit__cell_whole((uint64_t)finding->severity);
        cells[HEADLINE] = pit__cell_text(finding->headline);
        cells[EVIDENCE] = pit__cell_text(finding->evidence);
        cells[REMEDY] = pit__cell_text(finding->remedy);
        cells[PATH] = pit__cell_text(finding->path);
        cells[SHARE] = pit__cell_real(finding->share);
        cells[STAKE] = pit__cell_real(finding->savings_ns);
        pit__table_row(table, cells);
    }
    return table;
}

static void add_reason(struct pit__json *json, const void *arg)
{
    const pit_advice *advice = arg;
    pit__json_bool(json, "too_little_data", advice->too_little_data);
    pit__json_string(json, "reason", advice->too_little_data ? advice->reason : NULL);
}

static int print_form(const struct pit__view_call *call, const pit_advice *advice)
{
    struct pit__table *table = make_table(advice);
    if (!table)
        return PIT_NO_MEMORY;
    return pit__view_form(call, table, "Bottlenecks", add_reason, advice);
}

/* Text of a finding below its headline, wrapped if there is a width. */
static void print_below(const struct pit__view_call *call, const char *words)
{
    struct pit__text text = {0};
    pit__text_puts(&text, words);
    fprintf(call->out, "%*s", INDENT, "");
    pit__prose_words(call->prose, &text, INDENT, PIT__PLAIN);
}

static void print_text(const struct pit__view_call *call, const pit_advice *advice)
{
    static const enum pit__style styles[] = {PIT__DIM, PIT__WARM, PIT__HOT};
    int colour = call->look.colour;
    for (size_t i = 0; i < advice->count; i++) {
        const pit_finding *finding = &advice->findings[i];
        enum pit__style style = styles[finding->severity];
        fprintf(call->out, "%s%s%s\n", pit__style_on(style, colour), finding->headline,
                pit__style_off(style, colour));
        print_below(call, finding->evidence);
        if (*finding->remedy)
            print_below(call, finding->remedy);
    }
    if (advice->too_little_data)
        fprintf(call->out, "%s\n", advice->reason);
    else if (advice->count == 0)
        fputs("nothing stands out\n", call->out);
}

static pit_advice *advise_runs(const struct pit__gathered *runs, int ascii)
{
    pit_ranks *made = runs->ranks ? NULL : pit_ranks_of(runs->runs, runs->run_count);
    const pit_ranks *ranks = runs->ranks ? runs->ranks : made;
    pit_advice *advice =
        pit__advise_tree(runs->runs, runs->run_count, runs->tree, pit__ranks_case(ranks), ascii);
    pit_ranks_free(made);
    return advice;
}

static int print(const struct pit__view_call *call)
{
    const struct pit__gathered *runs = call->gathered;
    int ascii = call->look.ascii;
    pit_advice *advice = runs
                             ? advise_runs(runs, ascii)
                             : pit_advise_rows(call->data->rows, call->data->row_count,
                                               call->data->series, call->data->series_count, ascii);
    int code = advice ? 0 : PIT_NO_MEMORY;
    if (advice && call->options->form != PIT_TEXT)
        code = print_form(call, advice);
    else if (advice)
        print_text(call, advice);
    pit_advice_free(advice);
    return code;
}

const struct pit__view pit__bottlenecks_view = {
    .told = {.name = "bottlenecks",
             .help = "what is wrong, and what can be tried?",
             .is_of_tree = 1,
             .options = PIT__OPTIONS(&pit__title_option)},
    .print = print,
};
