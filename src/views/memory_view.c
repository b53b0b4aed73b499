/* memory_view.c: where a run's memory goes: the readings along it, and what its spans took. */
#include "report_view.h"

#include "report/sparkline.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>

#define RUNS_LISTED 8
#define LABEL_COLUMNS 10
#define BARS_MOST 100

/* ---- the headline -------------------------------------------------------------------------- */

/* The run with the highest peak. */
static size_t largest_run(const struct pit__report *report)
{
    size_t best = 0;
    for (size_t r = 1; r < report->run_count; r++)
        if (isnan(report->memory[best].peak) || report->memory[r].peak > report->memory[best].peak)
            best = r;
    return best;
}

void pit__memory_headline(const struct pit__report *report, struct pit__text *words)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    size_t best = largest_run(report);
    const struct pit__run_memory *memory = &report->memory[best];
    double limit = pit__memory_limit(&memory->last);
    if (!(memory->peak >= 0)) {
        pit__text_puts(words, "nothing is known of its memory: it had no sampler and no span asked"
                              " for its memory");
        return;
    }
    if (report->run_count > 1) {
        pit__text_add_visible(words, report->runs[best]->path);
        pit__text_puts(words, " took the most: ");
    }
    pit__text_printf(words, "peak RSS %s", pit__unit_bytes_words(a, memory->peak));
    if (limit > 0)
        pit__text_printf(words, ", %s of %s%s", pit__unit_percent_words(a, memory->peak / limit),
                         limit == memory->last.cgroup_limit ? "the limit of " : "",
                         pit__unit_bytes_words(b, limit));
    if (memory->is_growing)
        pit__growth_words(memory, words);
    else if (!isnan(memory->growth.slope))
        pit__text_puts(words, "; memory was held without growing");
}

int pit__print_memory_headline(const struct pit__report *report)
{
    struct pit__text words = {0};
    pit__memory_headline(report, &words);
    return pit__print_prose(report, &words, 0, PIT__STRONG);
}

/* ---- the readings -------------------------------------------------------------------------- */

/* The largest and the smallest of one figure along the readings; NaN if never known. */
static double most_of(const pit_run *run, size_t at)
{
    double most = NAN;
    for (size_t i = 0; i <= run->sample_count; i++) {
        const pit_sample *sample = i < run->sample_count ? &run->samples[i] : &run->newest;
        most = fmax(most, pit__known(*(const uint64_t *)(const void *)((const char *)sample + at)));
    }
    return most;
}

static double least_available(const pit_run *run)
{
    double least = pit__known(run->newest.available);
    for (size_t i = 0; i < run->sample_count; i++)
        least = fmin(least, pit__known(run->samples[i].available));
    return least;
}

/* How many bars there are. */
static size_t bars_of(const struct pit__report *report, const pit_run *run)
{
    size_t width = (size_t)report->look.width, room = BARS_MOST;
    if (width > 0 && width < room + LABEL_COLUMNS)
        room = width > LABEL_COLUMNS + 8 ? width - LABEL_COLUMNS : 8;
    return run->sample_count < room ? run->sample_count : room;
}

static void add_bars(const struct pit__report *report, const pit_run *run,
                     const struct pit__run_memory *memory, struct pit__text *text)
{
    double *sizes = calloc(run->sample_count + 1, sizeof *sizes);
    if (!sizes) {
        text->failed = 1;
        return;
    }
    for (size_t i = 0; i < run->sample_count; i++)
        sizes[i] = pit__known(run->samples[i].rss_max);
    /* noise on a level must not look like mountains */
    double low = fmin(memory->least, 0.9 * memory->most);
    pit__sparkline(text, sizes, run->sample_count, bars_of(report, run), low, memory->most,
                   report->look.ascii);
    free(sizes);
}

static void add_extremes(const struct pit__report *report, const pit_run *run,
                         const struct pit__run_memory *memory, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES], c[PIT__UNIT_BYTES];
    const struct pit__last_figures *last = &memory->last;
    pit__text_printf(text, "min %s, max %s, last %s", pit__unit_bytes_words(a, memory->least),
                     pit__unit_bytes_words(b, memory->most), pit__unit_bytes_words(c, last->rss));
    if (memory->peak > memory->most)
        pit__text_printf(text, ", peak between readings %s",
                         pit__unit_bytes_words(a, memory->peak));
    if (last->cgroup_limit > 0)
        pit__text_printf(text, "; limit %s (cgroup v%d)",
                         pit__unit_bytes_words(a, last->cgroup_limit), run->cgroup_version);
    else if (last->machine > 0)
        pit__text_printf(text, "; machine %s, no cgroup limit",
                         pit__unit_bytes_words(a, last->machine));
    double bar_ns = run->duration_ns / (double)bars_of(report, run);
    pit__text_printf(text, "; each bar %s", pit__unit_duration(a, bar_ns, report->look.ascii));
}

static void add_growth(const struct pit__run_memory *memory, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES];
    if (isnan(memory->growth.slope)) {
        pit__text_puts(text, "n/a: too few readings in the run's second half");
        return;
    }
    if (memory->is_growing)
        pit__text_printf(text, "%s a minute over the run's second half",
                         pit__unit_bytes_signed(a, pit__growth_a_minute(memory)));
    else
        pit__text_printf(text,
                         "none over the run's second half: %s a minute is within the noise of"
                         " the readings",
                         pit__unit_bytes_signed(a, pit__growth_a_minute(memory)));
    if (memory->where.length > 0)
        pit__text_printf(text, memory->where_is_open ? ", while %s was open" : ", inside %s",
                         pit__text_string(&memory->where));
    pit__text_printf(text, "; median slope of %zu points", memory->growth.points);
}

static void add_cpu(const pit_run *run, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    const pit_sample *first = &run->samples[0], *last = &run->newest;
    /* a point's figures are of its last reading: that was as the next point began */
    uint64_t begin =
        run->sample_stride > 1 && run->sample_count > 1 ? run->samples[1].ticks : first->ticks;
    double time = ((double)last->ticks - (double)begin) * run->ns_per_tick;
    double busy = pit__known(last->cpu_ns) - pit__known(first->cpu_ns);
    double cores = time > 0 ? busy / time : NAN;
    pit__text_printf(text, "%s busy on average", pit__unit_percent_words(a, cores));
    const char *fact = pit_run_fact(run, "cpus");
    double cpus = fact ? strtod(fact, NULL) : 0;
    if (cpus >= 1 && cpus < 1e6)
        pit__text_printf(text, " of one core, %s of %.0f", pit__unit_percent_words(b, cores / cpus),
                         cpus);
    else
        pit__text_puts(text, " of one core");
    char now[PIT__UNIT_BYTES], most[PIT__UNIT_BYTES];
    pit__text_printf(text, "; threads %s, at most %s",
                     last->threads == PIT_UNKNOWN ? "n/a" : pit__unit_count(now, last->threads),
                     pit__unit_rate(most, most_of(run, offsetof(pit_sample, threads))));
}

static void add_io(const pit_run *run, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES], c[PIT__UNIT_BYTES], d[PIT__UNIT_BYTES];
    const pit_sample *last = &run->newest;
    pit__text_printf(
        text, "read %s, wrote %s (storage); page faults %s minor, %s major",
        pit__unit_bytes_words(a, pit__known(last->read_bytes)),
        pit__unit_bytes_words(b, pit__known(last->write_bytes)),
        last->minor_faults == PIT_UNKNOWN ? "n/a" : pit__unit_count(c, last->minor_faults),
        last->major_faults == PIT_UNKNOWN ? "n/a" : pit__unit_count(d, last->major_faults));
}

static void add_around(const pit_run *run, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    double used = most_of(run, offsetof(pit_sample, cgroup_used));
    double pressure = most_of(run, offsetof(pit_sample, pressure)) / 10000;
    double limit = pit__known_limit(run->cgroup_limit);
    if (used >= 0)
        pit__text_printf(text, "cgroup v%d at most %s%s%s with cached files; ", run->cgroup_version,
                         pit__unit_bytes_words(a, used), limit > 0 ? " of " : "",
                         limit > 0 ? pit__unit_bytes_words(b, limit) : "");
    pit__text_printf(text, "machine %s,",
                     pit__unit_bytes_words(a, pit__known_limit(run->machine_bytes)));
    pit__text_printf(text, " at least %s left; memory pressure at most %s",
                     pit__unit_bytes_words(a, least_available(run)),
                     pit__unit_percent_words(b, pressure));
}

static int print_readings(const struct pit__report *report, const pit_run *run,
                          const struct pit__run_memory *memory)
{
    struct pit__text text = {0};
    int code = 0;
    putc('\n', report->out);
    if (report->run_count > 1) {
        pit__text_add_visible(&text, run->path);
        code = pit__print_line(report, &text, PIT__STRONG);
    }
    add_bars(report, run, memory, &text);
    if (!code)
        code = pit__print_labelled(report, "RSS", &text, PIT__PLAIN);
    add_extremes(report, run, memory, &text);
    if (!code)
        code = pit__print_labelled(report, "", &text, PIT__DIM);
    add_growth(memory, &text);
    if (!code)
        code = pit__print_labelled(report, "growth", &text,
                                   memory->is_growing ? PIT__WARM : PIT__PLAIN);
    add_cpu(run, &text);
    if (!code)
        code = pit__print_labelled(report, "CPU", &text, PIT__PLAIN);
    add_io(run, &text);
    if (!code)
        code = pit__print_labelled(report, "I/O", &text, PIT__PLAIN);
    add_around(run, &text);
    if (!code)
        code = pit__print_labelled(report, "around", &text, PIT__PLAIN);
    pit__text_free(&text);
    return code;
}

int pit__print_readings(const struct pit__report *report)
{
    size_t listed = 0, more = 0;
    int code = 0;
    for (size_t r = 0; r < report->run_count && !code; r++) {
        if (!report->runs[r]->has_samples || report->runs[r]->sample_count == 0)
            continue;
        if (listed++ < RUNS_LISTED)
            code = print_readings(report, report->runs[r], &report->memory[r]);
        else
            more++;
    }
    if (more > 0)
        fprintf(report->out, "\nand the readings of %zu more runs\n", more);
    return code;
}
