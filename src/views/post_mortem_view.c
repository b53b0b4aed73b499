/* post_mortem_view.c: runs that ended without a close: the most likely reason, the spans that
 * finished last, and the last reading of the sampler. open_view.c shows where they died. */
#include "report_view.h"

#include "reader/reader.h"
#include "report/units.h"

#include <math.h>

#define RUNS_LISTED 20
#define SPANS_LISTED 5

int pit__print_verdicts(const struct pit__report *report)
{
    size_t listed = 0, more = 0;
    for (size_t r = 0; r < report->run_count; r++) {
        const pit_run *run = report->runs[r];
        if (!pit__has_died(run))
            continue;
        if (listed++ >= RUNS_LISTED) {
            more++;
            continue;
        }
        struct pit__text words = {0};
        if (report->run_count > 1) {
            pit__text_add_visible(&words, run->path);
            pit__text_puts(&words, ": ");
        }
        pit__verdict_words(&report->memory[r], &words);
        pit__prose_words(report->prose, &words, 0, PIT__HOT);
    }
    if (more > 0)
        fprintf(report->out, "and %zu more runs ended without a close\n", more);
    return 0;
}

/* ---- the spans that finished last ---------------------------------------------------------- */

struct finished {
    const pit_thread *thread;
    const pit_event *event;
};

static double end_of(const struct finished *span)
{
    return (double)span->event->begin + (double)span->event->duration;
}

/* The newest spans of all threads, newest first; returns their number. Only the newest of each
 * thread need to be considered. */
static size_t find_last(const pit_run *run, struct finished *last)
{
    size_t count = 0;
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        size_t oldest = thread->event_count > SPANS_LISTED ? thread->event_count - SPANS_LISTED : 0;
        for (size_t i = thread->event_count; i-- > oldest;) {
            struct finished span = {thread, &thread->events[i]};
            size_t at = count;
            while (at > 0 && end_of(&last[at - 1]) < end_of(&span))
                at--;
            if (at == SPANS_LISTED)
                continue;
            if (count < SPANS_LISTED)
                count++;
            for (size_t k = count - 1; k > at; k--)
                last[k] = last[k - 1];
            last[at] = span;
        }
    }
    return count;
}

static void print_finished(const struct pit__report *report, const pit_run *run,
                           const struct finished *span)
{
    char took[PIT__UNIT_BYTES], ago[PIT__UNIT_BYTES];
    int ascii = report->look.ascii;
    double before_ns = ((double)run->end_ticks - end_of(span)) * run->ns_per_tick;
    struct pit__text line = {0};
    pit__text_puts(&line, "  ");
    pit__text_add_visible(&line, span->thread->name && *span->thread->name ? span->thread->name
                                                                           : "(thread)");
    pit__text_puts(&line, ": ");
    pit__open_path(span->thread, span->event->node, " > ", 1, &line);
    pit__text_printf(
        &line, ", %s, ended %s before the end",
        pit__unit_duration(took, (double)span->event->duration * run->ns_per_tick, ascii),
        pit__unit_duration(ago, fmax(before_ns, 0), ascii));
    pit__prose_path(report->prose, &line, PIT__PLAIN);
}

/* ---- the last reading ---------------------------------------------------------------------- */

static void print_reading(const struct pit__report *report, const pit_run *run,
                          const struct pit__run_memory *memory)
{
    char a[PIT__UNIT_BYTES];
    struct pit__text words = {0};
    const struct pit__last_figures *last = &memory->last;
    if (report->run_count > 1) {
        pit__text_add_visible(&words, run->path);
        pit__text_puts(&words, ": ");
    }
    double ticks = (double)run->end_ticks - (double)run->newest.ticks;
    pit__text_printf(&words, "last reading %s before the end: ",
                     pit__unit_duration(a, fmax(ticks, 0) * run->ns_per_tick, report->look.ascii));
    pit__memory_words(memory, &words);
    if (last->available >= 0)
        pit__text_printf(&words, "; %s left on the machine",
                         pit__unit_bytes_words(a, last->available));
    if (last->pressure >= 0)
        pit__text_printf(&words, "; memory pressure %s",
                         pit__unit_percent_words(a, last->pressure));
    fputs("  ", report->out);
    pit__prose_words(report->prose, &words, 2, PIT__PLAIN);
}

static void print_run(const struct pit__report *report, const pit_run *run,
                      const struct pit__run_memory *memory)
{
    struct finished last[SPANS_LISTED];
    size_t count = find_last(run, last);
    if (run->has_samples)
        print_reading(report, run, memory);
    if (count > 0) {
        struct pit__text title = {0};
        if (report->run_count > 1) {
            pit__text_add_visible(&title, run->path);
            pit__text_puts(&title, ": ");
        }
        pit__text_puts(&title, "finished last, newest first:");
        pit__prose_line(report->prose, &title, PIT__STRONG);
    }
    for (size_t i = 0; i < count; i++)
        print_finished(report, run, &last[i]);
}

int pit__print_post_mortem(const struct pit__report *report)
{
    size_t listed = 0;
    for (size_t r = 0; r < report->run_count; r++)
        if (pit__has_died(report->runs[r]) && listed++ < RUNS_LISTED)
            print_run(report, report->runs[r], &report->memory[r]);
    return 0;
}
