/* memory_view.c: memory of a run: the readings over time, and the memory of its spans. */
#include "report_view.h"
#include "view.h"

#include "model/run_stolen.h"
#include "report/sparkline.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RUNS_LISTED 8
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
        pit__text_puts(words, "memory n/a: the run had no sampler, and no span asked"
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
    pit__prose_words(report->prose, &words, 0, PIT__STRONG);
    return 0;
}

/* ---- the readings -------------------------------------------------------------------------- */

/* The largest and the smallest of one figure along the readings; NaN if never known. */
static double most_of(const pit_run *run, const char *key)
{
    double most = NAN;
    for (size_t i = 0; i <= run->sample_count; i++) {
        const pit_sample *sample = i < run->sample_count ? &run->samples[i] : &run->newest;
        most = fmax(most, pit_sample_figure(run, sample, key));
    }
    return most;
}

static double least_of(const pit_run *run, const char *key)
{
    double least = pit_sample_figure(run, &run->newest, key);
    for (size_t i = 0; i < run->sample_count; i++)
        least = fmin(least, pit_sample_figure(run, &run->samples[i], key));
    return least;
}

/* How many bars there are. */
static size_t bars_of(const struct pit__report *report, const pit_run *run)
{
    size_t width = (size_t)report->look.width, room = BARS_MOST;
    if (width > 0 && width < room + PIT__LABEL_COLUMNS)
        room = width > PIT__LABEL_COLUMNS + 8 ? width - PIT__LABEL_COLUMNS : 8;
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
        sizes[i] = pit_sample_figure(run, &run->samples[i], "rss_max_bytes");
    /* noise around a constant level must not look like peaks */
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
        pit__text_puts(text, "n/a: too few readings in the work's second half");
        return;
    }
    if (memory->is_growing)
        pit__text_printf(text, "%s a minute over the work's second half",
                         pit__unit_bytes_signed(a, pit__growth_a_minute(memory)));
    else
        pit__text_printf(text,
                         "none over the work's second half: %s a minute is within the noise of"
                         " the readings",
                         pit__unit_bytes_signed(a, pit__growth_a_minute(memory)));
    if (memory->where.length > 0)
        pit__text_printf(text, memory->where_is_open ? ", while %s was open" : ", inside %s",
                         pit__text_string(&memory->where));
    pit__text_printf(text, "; median slope of %zu points", memory->growth.points);
}

static const char *count_words(char *out, double count)
{
    return isnan(count) ? "n/a" : pit__unit_count(out, (uint64_t)count);
}

/* A counter of nanoseconds from the first reading to the last, by the time between. */
static double share_of_time(const pit_run *run, const char *key)
{
    const pit_sample *first = &run->samples[0], *last = &run->newest;
    /* the figures of a point are from its last reading, taken when the next point began */
    uint64_t begin =
        run->sample_stride > 1 && run->sample_count > 1 ? run->samples[1].ticks : first->ticks;
    double time = ((double)last->ticks - (double)begin) * run->ns_per_tick;
    double spent = pit_sample_figure(run, last, key) - pit_sample_figure(run, first, key);
    return time > 0 ? spent / time : NAN;
}

static void add_cpu(const pit_run *run, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    const pit_sample *last = &run->newest;
    double cores = share_of_time(run, "cpu_ns");
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
                     count_words(now, pit_sample_figure(run, last, "threads")),
                     pit__unit_rate(most, most_of(run, "threads")));
}

static const pit_channel *channel_of(const pit_run *run, const char *key)
{
    for (size_t i = 0; i < run->channel_count; i++)
        if (strcmp(run->channels[i].key, key) == 0)
            return &run->channels[i];
    return NULL;
}

static void add_wait(const pit_run *run, const char *words, const char *key, struct pit__text *text)
{
    char share[PIT__UNIT_BYTES];
    const pit_channel *channel = channel_of(run, key);
    pit__text_printf(text, "%s %s", words, pit__unit_percent_words(share, share_of_time(run, key)));
    if (channel && channel->missing) {
        pit__text_puts(text, " (");
        pit__text_add_visible(text, channel->missing);
        pit__text_puts(text, ")");
    }
}

/* What the host of a virtual machine took from the main thread. */
static void add_stolen(const pit_run *run, struct pit__text *text)
{
    char words[PIT__UNIT_BYTES];
    double share = pit__stolen_share(run);
    if (channel_of(run, "stolen_ns"))
        pit__text_printf(text, ", for the host of the machine %s%s", share > 0 ? "~" : "",
                         pit__unit_percent_words(words, share));
}

/* What delayed the main thread. */
static void add_waits(const pit_run *run, struct pit__text *text)
{
    double allowed = pit_sample_figure(run, &run->newest, "processors");
    add_wait(run, "for a processor", "run_delay_ns", text);
    add_stolen(run, text);
    add_wait(run, ", for storage", "io_delay_ns", text);
    add_wait(run, ", throttled", "throttled_ns", text);
    if (allowed > 0)
        pit__text_printf(text, "; may use %.4g processor%s", allowed, allowed == 1 ? "" : "s");
}

static void add_io(const pit_run *run, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES], c[PIT__UNIT_BYTES], d[PIT__UNIT_BYTES];
    const pit_sample *last = &run->newest;
    double swapped = most_of(run, "swap_bytes");
    pit__text_printf(text, "read %s, wrote %s (storage); page faults %s minor, %s major",
                     pit__unit_bytes_words(a, pit_sample_figure(run, last, "read_bytes")),
                     pit__unit_bytes_words(b, pit_sample_figure(run, last, "write_bytes")),
                     count_words(c, pit_sample_figure(run, last, "minor_faults")),
                     count_words(d, pit_sample_figure(run, last, "major_faults")));
    if (swapped > 0)
        pit__text_printf(text, "; in swap at most %s", pit__unit_bytes_words(a, swapped));
}

static void add_around(const pit_run *run, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    double used = most_of(run, "cgroup_used_bytes");
    double pressure = most_of(run, "memory_pressure");
    double limit = pit__known_limit(run->cgroup_limit);
    if (used >= 0)
        pit__text_printf(text, "cgroup v%d at most %s%s%s with cached files; ", run->cgroup_version,
                         pit__unit_bytes_words(a, used), limit > 0 ? " of " : "",
                         limit > 0 ? pit__unit_bytes_words(b, limit) : "");
    pit__text_printf(text, "machine %s,",
                     pit__unit_bytes_words(a, pit__known_limit(run->machine_bytes)));
    pit__text_printf(text, " at least %s left; memory pressure at most %s",
                     pit__unit_bytes_words(a, least_of(run, "available_bytes")),
                     pit__unit_percent_words(b, pressure));
    double processors = most_of(run, "processor_pressure");
    double storage = most_of(run, "storage_pressure");
    if (processors >= 0 && storage >= 0)
        pit__text_printf(text, ", processor %s, storage %s", pit__unit_percent_words(a, processors),
                         pit__unit_percent_words(b, storage));
}

static const char *figure_words(char *out, const pit_channel *channel, double figure, int ascii)
{
    if (strcmp(channel->unit, "bytes") == 0)
        return pit__unit_bytes_words(out, figure);
    if (strcmp(channel->unit, "ns") == 0)
        return pit__unit_duration(out, figure, ascii);
    if (strcmp(channel->unit, "share") == 0)
        return pit__unit_percent_words(out, figure);
    if (isnan(figure))
        return "n/a";
    snprintf(out, PIT__UNIT_BYTES, "%.6g%s%s", figure, *channel->unit ? " " : "", channel->unit);
    return out;
}

/* A channel that has no line of its own above, such as one of a newer source. */
static void add_channel(const struct pit__report *report, const pit_run *run,
                        const pit_channel *channel, struct pit__text *text)
{
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES], c[PIT__UNIT_BYTES];
    int ascii = report->look.ascii;
    double last = pit_sample_figure(run, &run->newest, channel->key);
    pit__text_add_visible(text, channel->key);
    if (channel->missing) {
        pit__text_puts(text, " n/a: ");
        pit__text_add_visible(text, channel->missing);
        return;
    }
    pit__text_printf(text, " %s", figure_words(a, channel, last, ascii));
    if (!channel->is_counter)
        pit__text_printf(text, ", min %s, max %s",
                         figure_words(b, channel, least_of(run, channel->key), ascii),
                         figure_words(c, channel, most_of(run, channel->key), ascii));
}

static void print_channels(const struct pit__report *report, const pit_run *run,
                           struct pit__text *text)
{
    for (size_t i = 0; i < run->channel_count; i++) {
        if (pit__has_own_line(run->channels[i].key))
            continue;
        add_channel(report, run, &run->channels[i], text);
        pit__prose_labelled(report->prose, "", text, PIT__PLAIN);
    }
}

static void print_readings(const struct pit__report *report, const pit_run *run,
                           const struct pit__run_memory *memory)
{
    struct pit__prose *prose = report->prose;
    struct pit__text text = {0};
    putc('\n', report->out);
    if (report->run_count > 1) {
        pit__text_add_visible(&text, run->path);
        pit__prose_line(prose, &text, PIT__STRONG);
    }
    add_bars(report, run, memory, &text);
    pit__prose_labelled(prose, "RSS", &text, PIT__PLAIN);
    add_extremes(report, run, memory, &text);
    pit__prose_labelled(prose, "", &text, PIT__DIM);
    add_growth(memory, &text);
    pit__prose_labelled(prose, "growth", &text, memory->is_growing ? PIT__WARM : PIT__PLAIN);
    add_cpu(run, &text);
    pit__prose_labelled(prose, "CPU", &text, PIT__PLAIN);
    if (channel_of(run, "run_delay_ns")) { /* older runs do not have these channels */
        add_waits(run, &text);
        pit__prose_labelled(prose, "waited", &text, PIT__PLAIN);
    }
    add_io(run, &text);
    pit__prose_labelled(prose, "I/O", &text, PIT__PLAIN);
    add_around(run, &text);
    pit__prose_labelled(prose, "around", &text, PIT__PLAIN);
    print_channels(report, run, &text);
}

int pit__print_readings(const struct pit__report *report)
{
    size_t listed = 0, more = 0;
    for (size_t r = 0; r < report->run_count; r++) {
        if (!report->runs[r]->has_samples || report->runs[r]->sample_count == 0)
            continue;
        if (listed++ < RUNS_LISTED)
            print_readings(report, report->runs[r], &report->memory[r]);
        else
            more++;
    }
    if (more > 0)
        fprintf(report->out, "\nand the readings of %zu more runs\n", more);
    return 0;
}

/* ---- the view ------------------------------------------------------------------------------- */

static const pit_option sort_option = {.name = "sort",
                                       .kind = PIT_OPTION_ONE_OF,
                                       .default_text = "memory",
                                       .help = "the column to sort by",
                                       .words = pit__sort_words,
                                       PIT__STORED(sort)};

static pit__print_part *const text_parts[] = {pit__print_verdicts,
                                              pit__print_memory_headline,
                                              pit__print_facts,
                                              pit__print_open,
                                              pit__print_post_mortem,
                                              pit__print_readings,
                                              pit__print_memory_tree,
                                              pit__print_cost,
                                              NULL};

static int print(const struct pit__view_call *call)
{
    static const struct pit__report_parts parts = {PIT__SORT_MEMORY, text_parts,
                                                   pit__print_memory_tree, pit__memory_headline};
    return pit__print_parts(call, &parts);
}

const struct pit__view pit__memory_view = {
    .told = {.name = "memory",
             .help = "where did the memory go, and when?",
             .options = PIT__OPTIONS(&sort_option, &pit__depth_option, &pit__min_share_option)},
    .print = print,
    .needs_runs = 1,
};
