/* hooks_view.c: the cost of the hooks that `pitwall run` installed, and which of them failed.
 *
 * The hooks write journal entries "auto" from time to time and at the end: the libraries, the
 * number of spans and steps, the number of calls that were only forwarded, and the measured cost
 * of each. The last entry counts. For a killed run it may be some time old, so the share is of
 * the time until that entry.
 */
#include "report_view.h"

#include "report/json_writer.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

struct hooks {
    const char *libraries; /* NULL: the run has none */
    double spans, steps;
    double cost_ns, time_ns; /* cost of the hooks; time of the run until then */
};

static double figure_of(const pit_entry *entry, const char *key)
{
    for (size_t i = 0; i < entry->figure_count; i++)
        if (strcmp(entry->figures[i].key, key) == 0)
            return entry->figures[i].value;
    return NAN;
}

static struct hooks hooks_of(const pit_run *run)
{
    const pit_entry *last = NULL;
    for (size_t i = 0; i < run->journal_count; i++)
        if (strcmp(run->journal[i].kind, "auto") == 0)
            last = &run->journal[i];
    if (!last)
        return (struct hooks){0};
    double spans = figure_of(last, "spans");
    return (struct hooks){
        .libraries = last->text,
        .spans = spans,
        .steps = figure_of(last, "steps"),
        .cost_ns = spans * figure_of(last, "span_ns") +
                   figure_of(last, "passed") * figure_of(last, "pass_ns"),
        .time_ns = (double)(last->ticks - run->start_ticks) * run->ns_per_tick,
    };
}

static void print_failures(const struct pit__report *report, const pit_run *run)
{
    for (size_t i = 0; i < run->journal_count; i++) {
        struct pit__text line = {0};
        if (strcmp(run->journal[i].kind, "auto_failed") != 0)
            continue;
        pit__text_puts(&line, "auto: no hook: ");
        pit__text_add_visible(&line, run->journal[i].text);
        pit__prose_words(report->prose, &line, 0, PIT__WARM);
    }
}

static void print_sum(const struct pit__report *report, const struct hooks *sum)
{
    char each[PIT__UNIT_BYTES], share[PIT__UNIT_BYTES];
    struct pit__text line = {0};
    pit__text_puts(&line, "auto: hooks of ");
    pit__text_add_visible(&line, sum->libraries);
    double count = sum->steps > 0 ? sum->steps : sum->spans;
    if (isfinite(sum->cost_ns) && count > 0 && sum->time_ns > 0)
        pit__text_printf(&line, ", about %s a %s, %s of the run",
                         pit__unit_duration(each, sum->cost_ns / count, report->look.ascii),
                         sum->steps > 0 ? "step" : "span",
                         pit__unit_percent_words(share, sum->cost_ns / sum->time_ns));
    else
        pit__text_puts(&line, ", their cost is n/a (it was not measured)");
    pit__prose_line(report->prose, &line, PIT__DIM);
}

int pit__print_hooks(const struct pit__report *report)
{
    struct hooks sum = {0};
    for (size_t r = 0; r < report->run_count; r++) {
        struct hooks one = hooks_of(report->runs[r]);
        print_failures(report, report->runs[r]);
        if (!one.libraries)
            continue;
        sum.libraries = sum.libraries ? sum.libraries : one.libraries;
        sum.spans += one.spans;
        sum.steps += one.steps;
        sum.cost_ns += one.cost_ns;
        sum.time_ns += one.time_ns;
    }
    if (sum.libraries)
        print_sum(report, &sum);
    return 0;
}

void pit__json_hooks(struct pit__json *json, const pit_run *run)
{
    struct hooks hooks = hooks_of(run);
    if (!hooks.libraries)
        return;
    pit__json_object(json, "hooks");
    pit__json_string(json, "libraries", hooks.libraries);
    pit__json_double(json, "spans", hooks.spans);
    pit__json_double(json, "steps", hooks.steps);
    pit__json_milli(json, "cost_ns", hooks.cost_ns);
    pit__json_double(json, "share", hooks.time_ns > 0 ? hooks.cost_ns / hooks.time_ns : NAN);
    pit__json_object_end(json);
}
