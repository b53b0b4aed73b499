/* report_view.c: the report of one or several runs: its parts in their order.
 *
 * The first line is the answer in words. Then follow the facts of the run, where the time went,
 * losses, and the cost of measuring. Each part has its own file.
 */
#include "report_view.h"
#include "view.h"

#include "model/advice_case.h"
#include "model/ranks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The key of a word of pit__sort_words (already checked); NULL: the default of the view. */
static enum pit__sort_key sort_key(const char *word, enum pit__sort_key own)
{
    for (size_t i = 0; word && pit__sort_words[i]; i++)
        if (strcmp(word, pit__sort_words[i]) == 0)
            return (enum pit__sort_key)i;
    return own;
}

static void count_busy_threads(struct pit__report *report)
{
    for (size_t r = 0; r < report->run_count; r++)
        for (size_t t = 0; t < report->runs[r]->thread_count; t++)
            report->busy_threads += report->runs[r]->threads[t].node_count > 0;
}

static int print_text(const struct pit__report *report, pit__print_part *const *parts)
{
    int code = 0;
    for (; *parts && !code; parts++)
        code = (*parts)(report);
    return code;
}

/* Always say that figures come from a test, even if no other facts are printed. */
static void print_stub_note(const struct pit__report *report, pit__print_part *const *parts)
{
    struct pit__text note = {0};
    for (; *parts; parts++)
        if (*parts == pit__print_facts)
            return;
    for (size_t r = 0; r < report->run_count && !note.length; r++)
        pit__add_stub_note(report->runs[r], &note);
    if (note.length)
        pit__prose_line(report->prose, &note, PIT__DIM);
    pit__text_free(&note);
}

/* On a terminal the first lines of a long report scroll away, so the answer is repeated at the
 * end. */
static void print_again(const struct pit__report *report)
{
    struct pit__text words = {0};
    putc('\n', report->out);
    if (report->run_count == 1)
        pit__print_verdicts(report);
    pit__headline(report, &words);
    pit__prose_words(report->prose, &words, 0, PIT__STRONG);
    pit__text_free(&words);
}

static int print_for_screen(const struct pit__report *report, pit__print_part *const *parts)
{
    char *text = NULL;
    size_t bytes = 0;
    struct pit__report first = *report;
    struct pit__prose prose = *report->prose;
    first.out = prose.out = open_memstream(&text, &bytes);
    first.prose = &prose;
    if (!first.out)
        return PIT_NO_MEMORY;
    int code = print_text(&first, parts);
    report->prose->failed |= prose.failed;
    if (fclose(first.out) != 0 && !code)
        code = PIT_NO_MEMORY;
    fwrite(text, 1, code ? 0 : bytes, report->out);
    if (!code && pit__fills_screen(text, bytes, report->options->height))
        print_again(report);
    free(text);
    return code;
}

/* In Markdown the answer is a paragraph above the table. */
static int print_words(const struct pit__report *report, const struct pit__report_parts *parts)
{
    struct pit__text words = {0};
    parts->words(report, &words);
    pit__print_markdown_text(report->out, pit__text_string(&words));
    putc('\n', report->out);
    int code = words.failed ? PIT_NO_MEMORY : 0;
    pit__text_free(&words);
    return code;
}

static int print_form(const struct pit__report *report, const struct pit__report_parts *parts)
{
    int is_text = report->options->form == PIT_TEXT;
    if (is_text && report->options->height > 0 && !report->options->view)
        return print_for_screen(report, parts->text);
    if (is_text) {
        int code = print_text(report, parts->text);
        print_stub_note(report, parts->text);
        return code;
    }
    if (report->options->form == PIT_JSON && !report->options->view)
        return pit__print_json(report);
    int code = report->options->form == PIT_MARKDOWN ? print_words(report, parts) : 0;
    return code ? code : parts->rows(report);
}

int pit__print_parts(const struct pit__view_call *call, const struct pit__report_parts *parts)
{
    struct pit__report report = {.out = call->out,
                                 .runs = call->gathered->runs,
                                 .run_count = call->gathered->run_count,
                                 .options = call->options,
                                 .sort = sort_key(call->options->sort, parts->sort),
                                 .look = call->look,
                                 .prose = call->prose,
                                 .tree = call->gathered->tree,
                                 .ranks = call->gathered->ranks};
    int code = pit__report_make(&report);
    errno = 0;
    if (code == 0)
        code = print_form(&report, parts);
    int saved = errno; /* the caller may print the reason */
    pit__report_free(&report);
    errno = saved;
    return code;
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
    if (!report->tree)
        report->tree = report->own_tree = pit_tree_build(report->runs, report->run_count);
    int code = report->tree ? make_memory(report) : PIT_NO_MEMORY;
    if (code)
        return code;
    count_busy_threads(report);
    if (report->options->form == PIT_CSV)
        return 0; /* a table has no place for advice, which takes longer to compute */
    if (!report->ranks)
        report->ranks = report->own_ranks = pit_ranks_of(report->runs, report->run_count);
    if (!report->advice)
        report->advice = pit__advise_tree(report->runs, report->run_count, report->tree,
                                          pit__ranks_case(report->ranks), report->options->ascii);
    return report->advice ? 0 : PIT_NO_MEMORY;
}

void pit__report_free(struct pit__report *report)
{
    free_memory(report);
    pit_advice_free(report->advice);
    pit_ranks_free(report->own_ranks);
    pit_tree_free(report->own_tree);
}

/* ---- the report itself ------------------------------------------------------------------------ */

static const pit_option flat_option = {.name = "flat",
                                       .kind = PIT_OPTION_FLAG,
                                       .default_text = "the call tree",
                                       .help = "one row per name instead of the call tree",
                                       PIT__STORED(flat)};

static int print_spans(const struct pit__report *report)
{
    return report->options->flat ? pit__print_flat(report) : pit__print_tree(report);
}

static pit__print_part *const text_parts[] = {pit__print_verdicts, pit__print_headline,
                                              pit__print_ranks,    pit__print_facts,
                                              pit__print_open,     pit__print_post_mortem,
                                              print_spans,         pit__print_hottest,
                                              pit__print_values,   pit__print_losses,
                                              pit__print_cost,     pit__print_hooks,
                                              pit__print_sub_runs, NULL};

/* For streamed ranks: their common parts, and one rank as the representative. */
static pit__print_part *const streamed_parts[] = {
    pit__print_headline, pit__print_ranks, pit__print_facts, print_spans, pit__print_losses, NULL};

static int print(const struct pit__view_call *call)
{
    static const struct pit__report_parts parts = {PIT__SORT_TOTAL, text_parts, print_spans,
                                                   pit__headline};
    static const struct pit__report_parts streamed = {PIT__SORT_TOTAL, streamed_parts, print_spans,
                                                      pit__headline};
    return pit__print_parts(call, call->gathered->ranks ? &streamed : &parts);
}

const struct pit__view pit__report_view = {
    .told = {.name = "report",
             .help = "where the time went, how it ended, what stands out and what was lost",
             .is_of_tree = 1,
             .options = PIT__OPTIONS(&flat_option, &pit__sort_option, &pit__depth_option,
                                     &pit__min_share_option)},
    .print = print,
    .needs_runs = 1,
};
