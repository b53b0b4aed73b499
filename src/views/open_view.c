/* open_view.c: spans that were open: where a run is, was left, or died. */
#include "report_view.h"

#include "reader/reader.h"
#include "report/units.h"

#include <stdlib.h>

#define LINES_A_RUN 40
#define OBJECTS_A_THREAD 5

/* The innermost span of the thread's stack, or NULL. */
static const pit_open_span *innermost(const pit_thread *thread)
{
    const pit_open_span *found = NULL;
    for (size_t i = 0; i < thread->open_count; i++)
        if (!thread->open[i].object)
            found = &thread->open[i];
    return found;
}

void pit__add_open_age(struct pit__text *line, const pit_run *run, const pit_open_span *open,
                       const char *after, int ascii)
{
    char age[PIT__UNIT_BYTES];
    double ns = pit__open_age_ns(run, open);
    if (ns > 0)
        pit__text_printf(line, "%s%s", pit__unit_duration(age, ns, ascii), after);
    else
        pit__text_puts(line, "just begun");
}

static void print_span(const struct pit__report *report, const pit_run *run,
                       const pit_thread *thread, const pit_open_span *open)
{
    struct pit__text line = {0};
    pit__text_puts(&line, "  ");
    pit__text_add_visible(&line, thread->name && *thread->name ? thread->name : "(thread)");
    pit__text_puts(&line, ": ");
    pit__open_path(thread, open->node, " > ", 1, &line);
    pit__text_puts(&line, open->object ? " [detached], " : ", ");
    pit__add_open_age(&line, run, open, " in", report->look.ascii);
    pit__prose_path(report->prose, &line, run->state == PIT_RUN_DIED ? PIT__HOT : PIT__PLAIN);
}

/* How long each span of the stack had been open, outermost first. */
static void print_ages(const struct pit__report *report, const pit_run *run,
                       const pit_thread *thread)
{
    struct pit__text line = {0};
    size_t count = 0;
    for (size_t i = 0; i < thread->open_count; i++) {
        if (thread->open[i].object)
            continue;
        pit__text_puts(&line, count++ ? " > " : "    open for ");
        pit__add_open_age(&line, run, &thread->open[i], "", report->look.ascii);
    }
    if (count > 1)
        pit__prose_path(report->prose, &line, PIT__DIM);
    pit__text_free(&line);
}

/* The thread's stack, and the oldest of its span objects. */
static void print_thread(const struct pit__report *report, const pit_run *run,
                         const pit_thread *thread, size_t *lines)
{
    const pit_open_span *inner = innermost(thread);
    size_t objects = 0;
    if (inner) {
        print_span(report, run, thread, inner);
        if (run->state == PIT_RUN_DIED)
            print_ages(report, run, thread);
        ++*lines;
    }
    for (size_t i = 0; i < thread->open_count; i++) {
        if (!thread->open[i].object)
            continue;
        if (objects++ < OBJECTS_A_THREAD) {
            print_span(report, run, thread, &thread->open[i]);
            ++*lines;
        }
    }
    if (objects > OBJECTS_A_THREAD)
        fprintf(report->out, "  and %zu more detached spans\n", objects - OBJECTS_A_THREAD);
}

static void print_title(const struct pit__report *report, const pit_run *run)
{
    struct pit__text line = {0};
    if (report->run_count > 1) {
        pit__text_add_visible(&line, run->path);
        pit__text_puts(&line, ": ");
    }
    switch (run->state) {
    case PIT_RUN_LIVE:
        pit__text_puts(&line, "open now:");
        break;
    case PIT_RUN_CLOSED:
        pit__text_puts(&line, "still open when the run was closed:");
        break;
    case PIT_RUN_DIED:
        pit__text_puts(&line, "where it died:");
        break;
    }
    putc('\n', report->out);
    pit__prose_line(report->prose, &line, PIT__STRONG);
}

static void print_run(const struct pit__report *report, const pit_run *run)
{
    size_t lines = 0, left_out = 0;
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        if (thread->open_count == 0)
            continue;
        if (lines >= LINES_A_RUN) {
            left_out++;
            continue;
        }
        if (lines == 0)
            print_title(report, run);
        print_thread(report, run, thread, &lines);
    }
    if (left_out > 0)
        fprintf(report->out, "  and %zu more threads\n", left_out);
    if (lines == 0 && pit__has_died(run)) {
        print_title(report, run);
        fputs("  outside of any span\n", report->out);
    }
}

int pit__print_open(const struct pit__report *report)
{
    for (size_t r = 0; r < report->run_count; r++)
        print_run(report, report->runs[r]);
    return 0;
}
