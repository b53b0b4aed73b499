/* cost_view.c: the cost of recording. */
#include "report_view.h"

#include "report/units.h"

#include <math.h>

/* The cost of recording a run, and the time of its threads. One thread table serves one thread
 * at a time, so it counts with at most the duration of the run. The cost is limited to that
 * time: if it seems higher, the spans cost less than the empty span that was measured at the
 * start. */
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

double pit__cost_share(const pit_run *const *runs, size_t run_count, size_t *threads)
{
    double cost_ns = 0, time_ns = 0;
    *threads = 0;
    for (size_t r = 0; r < run_count; r++) {
        if (!(runs[r]->span_cost_ns > 0) || runs[r]->losses.beyond_file)
            return NAN;
        add_cost(runs[r], &cost_ns, &time_ns, threads);
    }
    return time_ns > 0 ? cost_ns / time_ns : NAN;
}

/* The reason if the share is NaN. */
static const char *why_no_cost(const pit_run *const *runs, size_t run_count)
{
    int is_measured = 1, is_cut = 0;
    for (size_t r = 0; r < run_count; r++) {
        is_cut |= runs[r]->losses.beyond_file > 0;
        is_measured &= runs[r]->span_cost_ns > 0;
    }
    return is_measured && is_cut ? "part of the run is missing" : "it was not measured";
}

void pit__add_cost(struct pit__text *text, const pit_run *const *runs, size_t run_count,
                   double span_ns, int ascii)
{
    char cost[PIT__UNIT_BYTES], percent[PIT__UNIT_BYTES];
    size_t threads;
    double share = pit__cost_share(runs, run_count, &threads);
    if (isnan(share)) {
        pit__text_printf(text, "n/a (%s)", why_no_cost(runs, run_count));
        return;
    }
    pit__text_printf(text, "%s a span, %s of ", pit__unit_duration(cost, span_ns, ascii),
                     pit__unit_percent_words(percent, share));
    if (threads > run_count)
        pit__text_printf(text, "the time of %zu threads", threads);
    else
        pit__text_puts(text, "the run");
}

int pit__print_cost(const struct pit__report *report)
{
    struct pit__text line = {0};
    if (report->tree->spans == 0)
        return 0;
    putc('\n', report->out);
    pit__text_puts(&line, "instrumentation: ");
    pit__add_cost(&line, report->runs, report->run_count,
                  report->tree->cost_ns / (double)report->tree->spans, report->look.ascii);
    pit__prose_line(report->prose, &line, PIT__DIM);
    return 0;
}
