/* headline_view.c: the first line of the report: the main finding with its remedy, or what took
 * the most time. */
#include "report_view.h"

#include "model/advice_case.h"
#include "report/units.h"

/* The node with the most self time; detached nodes only if there are no others, because their
 * time overlaps. */
static size_t largest(const struct pit__report *report)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < report->tree->node_count; i++) {
        const pit_node *node = &report->tree->nodes[i];
        if (node->count == 0 && node->open == 0)
            continue;
        if (best == SIZE_MAX) {
            best = i;
            continue;
        }
        int worse = report->tree->nodes[best].detached - node->detached;
        if (worse > 0 || (worse == 0 && node->self_ns > report->tree->nodes[best].self_ns))
            best = i;
    }
    return best;
}

static void add_spans(struct pit__text *text, const pit_node *node, int ascii)
{
    char count[PIT__UNIT_BYTES], mean[PIT__UNIT_BYTES];
    if (node->count > 0)
        pit__text_printf(text, ", %s span%s of %s", pit__unit_count(count, node->count),
                         node->count == 1 ? "" : "s",
                         pit__unit_duration(mean, node->mean_ns, ascii));
    if (node->open > 0)
        pit__text_printf(text, ", %s still open", pit__unit_count(count, node->open));
}

/* "exit status 7 after 1.24 s; ": for a program without spans this is the answer. */
static void add_ends(const struct pit__report *report, struct pit__text *words)
{
    char time[PIT__UNIT_BYTES];
    const pit_ended *ended = report->run_count == 1 ? report->runs[0]->ended : NULL;
    if (!ended)
        return;
    pit__ending_words(ended, words);
    pit__text_printf(words, " after %s; ",
                     pit__unit_duration(time, (double)ended->duration_ns, report->look.ascii));
}

/* A script without spans may have started programs with spans, which the table below shows. */
void pit__no_spans(const struct pit__report *report, struct pit__text *words)
{
    size_t below = 0;
    for (size_t r = 0; r < report->run_count; r++)
        below += report->runs[r]->below_count;
    if (report->tree->losses.beyond_file)
        pit__text_puts(words, "no spans can be read: part of the file is missing");
    else if (below > 0)
        pit__text_printf(words, "no spans of its own, those of %zu sub-run%s are below", below,
                         below == 1 ? "" : "s");
    else
        pit__text_puts(words, "no spans were recorded");
}

/* The path of the span, and the text after it. */
static void compose(const struct pit__report *report, struct pit__text *path,
                    struct pit__text *words)
{
    char share[PIT__UNIT_BYTES], time[PIT__UNIT_BYTES];
    int ascii = report->look.ascii;
    size_t best = largest(report);
    if (best == SIZE_MAX) {
        add_ends(report, words);
        pit__no_spans(report, words);
        return;
    }
    const pit_node *node = &report->tree->nodes[best];
    double self_ns = node->self_ns, all_ns = report->tree->total_ns;
    pit__text_add_visible(path, *node->path ? node->path : "\"\"");
    if (node->detached || !(all_ns > 0) || self_ns > all_ns) { /* tasks overlap: no share */
        pit__text_printf(words, " took the most: %s", pit__unit_duration(time, self_ns, ascii));
    } else {
        pit__text_printf(words, " took the most: %s of %s",
                         pit__unit_percent_words(share, self_ns / all_ns),
                         pit__unit_duration(time, all_ns, ascii));
        if (report->busy_threads > 1)
            pit__text_printf(words, " on %zu threads", report->busy_threads);
        pit__text_puts(words, " (self time)");
    }
    add_spans(words, node, ascii);
}

void pit__headline(const struct pit__report *report, struct pit__text *text)
{
    struct pit__text words = {0};
    const char *lead = pit__advice_lead(report->advice);
    if (lead) {
        pit__text_puts(text, lead);
        return;
    }
    compose(report, text, &words);
    pit__text_puts(text, pit__text_string(&words));
    text->failed |= words.failed;
    pit__text_free(&words);
}

/* If there is a width, the path is cut, not the figures after it; if that is not enough, the
 * line is wrapped. */
static void print_largest(const struct pit__report *report, enum pit__style style)
{
    struct pit__text path = {0}, words = {0}, line = {0};
    compose(report, &path, &words);
    size_t width = report->look.width > 0 ? (size_t)report->look.width : SIZE_MAX;
    size_t path_wide = pit__text_width(pit__text_string(&path));
    size_t words_wide = pit__text_width(pit__text_string(&words));
    int one_line = path_wide + words_wide <= width || words_wide + 12 <= width;
    pit__text_add_tail(&line, pit__text_string(&path), one_line ? width - words_wide : width,
                       report->look.ascii);
    pit__text_puts(&line, pit__text_string(&words));
    line.failed |= path.failed | words.failed;
    if (one_line)
        pit__prose_line(report->prose, &line, style);
    else
        pit__prose_words(report->prose, &line, 0, style);
    pit__text_free(&path);
    pit__text_free(&words);
}

int pit__print_headline(const struct pit__report *report)
{
    const char *lead = pit__advice_lead(report->advice);
    struct pit__text words = {0};
    pit__text_puts(&words, lead ? lead : "");
    if (lead)
        pit__prose_words(report->prose, &words, 0, PIT__STRONG);
    print_largest(report, lead ? PIT__PLAIN : PIT__STRONG);
    pit__text_free(&words);
    return 0;
}
