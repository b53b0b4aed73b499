/* See run_memory.h. */
#include "run_memory.h"

#include "open_span.h"
#include "reader/reader.h"
#include "report/units.h"
#include "run_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MINUTE_NS 60e9
/* smaller growth is within the noise of the kernel's counters */
#define LEAST_GROWTH (1024.0 * 1024.0)
#define LEAST_WORK 0.1 /* share of the run inside its spans, for its growth to be judged by them */
#define OWN_SHARE 0.5  /* a node's share of its parent's growth to be the place of it */
#define KEPT_SLACK 1.1 /* times the growth around it: with more, some of it was freed there */

double pit__known(uint64_t figure)
{
    return figure == PIT_UNKNOWN ? NAN : (double)figure;
}

double pit__known_limit(uint64_t figure)
{
    return figure == 0 ? NAN : pit__known(figure);
}

/* ---- the readings -------------------------------------------------------------------------- */

int pit__has_own_line(const char *key)
{
    static const char looks[] = "_looks"; /* counts that only the advice uses */
    size_t bytes = strlen(key), end = sizeof looks - 1;
    if (bytes > end && strcmp(key + bytes - end, looks) == 0)
        return 1;
    static const char *const keys[] = {
        "rss_bytes",          "rss_max_bytes",    "cpu_ns",          "threads",
        "minor_faults",       "major_faults",     "switches",        "forced_switches",
        "read_bytes",         "write_bytes",      "available_bytes", "cgroup_used_bytes",
        "memory_pressure",    "run_delay_ns",     "io_delay_ns",     "main_cpu_ns",
        "throttled_ns",       "processors",       "swap_bytes",      "swapped_in_bytes",
        "processor_pressure", "storage_pressure", "stolen_ns",       "busy_ns",
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(keys[i], key) == 0)
            return 1;
    return 0;
}

static double since_start(const pit_run *run, uint64_t ticks)
{
    return ((double)ticks - (double)run->start_ticks) * run->ns_per_tick;
}

/* When the last reading of a point was made: when the next point begins, or now. */
static double time_of(const pit_run *run, size_t point)
{
    return since_start(run, point + 1 < run->sample_count ? run->samples[point + 1].ticks
                                                          : run->newest.ticks);
}

static double error_of(const pit_run *run)
{
    double error = LEAST_GROWTH;
    for (size_t t = 0; t < run->thread_count; t++)
        for (size_t i = 0; i < run->threads[t].node_count; i++)
            if (run->threads[t].nodes[i].memory)
                error = fmax(error, (double)run->threads[t].nodes[i].memory->error_bytes);
    return error;
}

int pit__growth_between(const pit_run *run, double from_ns, double to_ns,
                        struct pit__growth *growth)
{
    double *times = calloc(2 * run->sample_count + 1, sizeof *times);
    if (!times)
        return PIT_NO_MEMORY;
    double *sizes = times + run->sample_count;
    size_t count = 0;
    for (size_t i = 0; run->has_samples && i < run->sample_count; i++) {
        double at = time_of(run, i);
        if (at < from_ns || at > to_ns)
            continue;
        times[count] = at;
        sizes[count++] = pit_sample_figure(run, &run->samples[i], "rss_bytes");
    }
    int code = pit__growth_fit(times, sizes, count, growth) ? PIT_NO_MEMORY : 0;
    free(times);
    return code ? code : pit__is_growing(growth, error_of(run));
}

/* When the last span ended; after it the program cleans up. The whole run if it has no spans or some are
 * open. */
static double work_ns(const pit_run *run)
{
    uint64_t last = 0;
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        if (thread->open_count > 0)
            return run->duration_ns;
        for (size_t i = thread->event_count; i-- > 0;)
            if (thread->events[i].begin + thread->events[i].duration > last)
                last = thread->events[i].begin + thread->events[i].duration;
    }
    double end = since_start(run, last);
    return end > run->duration_ns / 2 ? end : run->duration_ns;
}

/* When the first span began: before it a program loads its libraries and its data. */
static double first_span_ns(const pit_run *run)
{
    double first = INFINITY;
    for (size_t t = 0; t < run->thread_count; t++)
        for (size_t i = 0; i < run->threads[t].node_count; i++)
            first = fmin(first, since_start(run, run->threads[t].nodes[i].first));
    return fmax(first, 0);
}

/* Growth is judged over the second half of the work, from the first span to the end of the last one;
 * over the second half of the run if the spans cover too little of it. */
static int find_growth(const pit_run *run, struct pit__growth *growth)
{
    double end = work_ns(run), begin = first_span_ns(run);
    if (!(end - begin >= LEAST_WORK * end))
        begin = 0;
    return pit__growth_between(run, (begin + end) / 2, end, growth);
}

static void find_extremes(const pit_run *run, struct pit__run_memory *memory)
{
    memory->least = memory->most = NAN; /* fmin and fmax ignore NaN */
    for (size_t i = 0; i < run->sample_count; i++) {
        memory->least = fmin(memory->least, pit_sample_figure(run, &run->samples[i], "rss_bytes"));
        memory->most =
            fmax(memory->most, pit_sample_figure(run, &run->samples[i], "rss_max_bytes"));
    }
    memory->peak = fmax(memory->most, pit__known_limit(run->rss_peak));
    if (run->ended)
        memory->peak = fmax(memory->peak, pit__known_limit(run->ended->rss_peak));
    for (size_t t = 0; t < run->thread_count; t++)
        for (size_t i = 0; i < run->threads[t].node_count; i++) {
            const pit_memory *m = run->threads[t].nodes[i].memory;
            if (m && m->rss_max > 0)
                memory->peak = fmax(memory->peak, (double)m->rss_max);
        }
}

/* How fast it grew last: over the last point, if that is faster. */
static double last_speed(const pit_run *run, const struct pit__run_memory *memory)
{
    double speed = memory->is_growing ? memory->growth.slope : 0;
    if (run->sample_count < 2)
        return speed;
    size_t before = run->sample_count - 2;
    double rise = pit_sample_figure(run, &run->newest, "rss_bytes") -
                  pit_sample_figure(run, &run->samples[before], "rss_bytes");
    double time = since_start(run, run->newest.ticks) - time_of(run, before);
    if (time > 0 && rise >= LEAST_GROWTH)
        speed = fmax(speed, rise / time);
    return speed;
}

/* A run lived for less than one sampling interval after its last reading. */
static double unseen_ns(const pit_run *run)
{
    double after = since_start(run, run->end_ticks) - since_start(run, run->newest.ticks);
    double readings = (double)(run->sample_count - 1) * (double)run->sample_stride;
    double interval = 0;
    if (run->sample_count > 1 && readings > 0)
        interval = since_start(run, run->newest.ticks) - since_start(run, run->samples[0].ticks);
    return fmax(after, 0) + (readings > 0 ? fmax(interval / readings, 0) : 0);
}

static void set_last(const pit_run *run, struct pit__run_memory *memory)
{
    const pit_sample *newest = &run->newest;
    const pit_ended *ended = run->ended;
    double kills = ended ? pit__known(ended->oom_kills) : NAN, before = pit__known(run->oom_kills);
    int has = run->has_samples;
    struct pit__run_gpu gpu;
    if (!pit__run_gpu_fullest(run, 1, &gpu))
        gpu.memory = gpu.memory_total = NAN;
    memory->last = (struct pit__last_figures){
        .rss = has ? pit_sample_figure(run, newest, "rss_bytes") : NAN,
        .cgroup_used = has ? pit_sample_figure(run, newest, "cgroup_used_bytes") : NAN,
        .cgroup_limit = pit__known_limit(run->cgroup_limit),
        .available = has ? pit_sample_figure(run, newest, "available_bytes") : NAN,
        .machine = pit__known_limit(run->machine_bytes),
        .pressure = has ? pit_sample_figure(run, newest, "memory_pressure") : NAN,
        .growth_per_ns = has ? last_speed(run, memory) : NAN,
        .unseen_ns = has ? unseen_ns(run) : NAN,
        .exit_signal = ended && ended->exit_signal ? (double)ended->exit_signal : (double)NAN,
        .exit_status = ended && !ended->exit_signal ? (double)ended->exit_status : (double)NAN,
        .oom_kills = kills - before,
        .device_used = gpu.memory,
        .device_total = gpu.memory_total,
    };
}

/* ---- where it grew ------------------------------------------------------------------------- */

static double growth_of(const pit_node *node)
{
    return node->memory && node->memory->delta_sum > 0 ? (double)node->memory->delta_sum : 0;
}

/* The same for memory that stayed. If a span grew by more than the span around it, another span freed some
 * of it: a batch that is loaded here and freed there is not growth. */
static double kept_of(const pit_tree *tree, size_t index)
{
    const pit_node *node = &tree->nodes[index];
    double growth = growth_of(node);
    uint32_t around = node->parent;
    while (around != PIT_NO_NODE && !tree->nodes[around].memory)
        around = tree->nodes[around].parent;
    int was_given_back =
        around != PIT_NO_NODE && growth > KEPT_SLACK * growth_of(&tree->nodes[around]);
    return was_given_back ? 0 : growth;
}

/* Go from the node that grew most down to where most of the growth happened. Parents come first. */
static size_t grew_most(const pit_tree *tree)
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < tree->node_count; i++)
        if (kept_of(tree, i) > (best == SIZE_MAX ? 0 : kept_of(tree, best)))
            best = i;
    if (best == SIZE_MAX)
        return best;
    double whole = kept_of(tree, best);
    for (size_t at = best; at != SIZE_MAX;) {
        size_t inner = SIZE_MAX;
        double most = OWN_SHARE * whole;
        /* nodes in between may not be measured, so any node below counts */
        for (size_t i = at + 1;
             i < tree->node_count && tree->nodes[i].depth > tree->nodes[at].depth; i++)
            if (kept_of(tree, i) >= most) {
                most = kept_of(tree, i);
                inner = i;
            }
        if (inner != SIZE_MAX)
            best = inner;
        at = inner;
    }
    return best;
}

/* The innermost open span of the first thread that has one. */
static void open_place(const pit_run *run, struct pit__text *where)
{
    for (size_t t = 0; t < run->thread_count && where->length == 0; t++) {
        const pit_thread *thread = &run->threads[t];
        for (size_t i = thread->open_count; i-- > 0 && where->length == 0;)
            if (!thread->open[i].object)
                pit__open_path(thread, thread->open[i].node, "/", 1, where);
    }
}

/* Memory spans show where it grew, if they saw a good part of the growth; otherwise the rest is inside an
 * open span. */
static int find_place(const pit_run *run, struct pit__run_memory *memory)
{
    const pit_run *const runs[] = {run};
    pit_tree *tree = pit_tree_build(runs, 1);
    if (!tree)
        return PIT_NO_MEMORY;
    size_t node = grew_most(tree);
    int told = node != SIZE_MAX &&
               growth_of(&tree->nodes[node]) >= OWN_SHARE * OWN_SHARE * memory->growth.change;
    if (!told) {
        open_place(run, &memory->where);
        memory->where_is_open = memory->where.length > 0;
    }
    if (memory->where.length == 0 && node != SIZE_MAX)
        pit__text_add_visible(&memory->where, tree->nodes[node].path);
    pit_tree_free(tree);
    return memory->where.failed ? PIT_NO_MEMORY : 0;
}

int pit__run_memory_make(const pit_run *run, struct pit__run_memory *memory)
{
    *memory = (struct pit__run_memory){0};
    find_extremes(run, memory);
    int code = find_growth(run, &memory->growth);
    if (code >= 0) {
        memory->is_growing = code;
        code = 0;
    }
    set_last(run, memory);
    if (pit__has_died(run))
        memory->verdict = pit__post_mortem(&memory->last);
    if (!code && memory->is_growing)
        code = find_place(run, memory);
    return code;
}

void pit__run_memory_free(struct pit__run_memory *memory)
{
    pit__text_free(&memory->where);
}

/* ---- in words ------------------------------------------------------------------------------ */

double pit__growth_a_minute(const struct pit__run_memory *memory)
{
    return memory->growth.slope * MINUTE_NS;
}

void pit__growth_words(const struct pit__run_memory *memory, struct pit__text *text)
{
    char speed[PIT__UNIT_BYTES];
    if (isnan(memory->growth.slope))
        return;
    if (!memory->is_growing) {
        pit__text_puts(text, ", not growing");
        return;
    }
    pit__text_printf(text, ", growing %s a minute",
                     pit__unit_bytes_words(speed, pit__growth_a_minute(memory)));
    if (memory->where.length > 0)
        pit__text_printf(text, memory->where_is_open ? " while %s was open" : " inside %s",
                         pit__text_string(&memory->where));
}

void pit__memory_words(const struct pit__run_memory *memory, struct pit__text *text)
{
    const struct pit__last_figures *last = &memory->last;
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    double limit = pit__memory_limit(last);
    pit__text_printf(text, "RSS %s", pit__unit_bytes_words(a, last->rss));
    if (limit == last->cgroup_limit)
        pit__text_printf(text, " of a limit of %s", pit__unit_bytes_words(b, limit));
    else if (limit > 0)
        pit__text_printf(text, " of %s", pit__unit_bytes_words(b, limit));
    if (limit == last->cgroup_limit && last->cgroup_used > 1.1 * last->rss)
        pit__text_printf(text, " (its cgroup %s, with cached files)",
                         pit__unit_bytes_words(b, last->cgroup_used));
    if (memory->verdict.cause == PIT__CAUSE_MACHINE && memory->verdict.is_memory)
        pit__text_printf(text, ", %s left on the machine",
                         pit__unit_bytes_words(b, last->available));
}

void pit__verdict_words(const struct pit__run_memory *memory, struct pit__text *text)
{
    const struct pit__verdict *verdict = &memory->verdict;
    pit__text_puts(text, verdict->words);
    if (verdict->is_signal)
        pit__signal_words(verdict->number, text);
    else if (verdict->after)
        pit__text_printf(text, "%d", verdict->number);
    if (verdict->after)
        pit__text_puts(text, verdict->after);
    if (verdict->shows_device) {
        char used[PIT__UNIT_BYTES], total[PIT__UNIT_BYTES];
        pit__text_printf(text, ": %s of %s in use",
                         pit__unit_bytes_words(used, memory->last.device_used),
                         pit__unit_bytes_words(total, memory->last.device_total));
    }
    if (verdict->shows_memory && memory->last.rss >= 0) {
        pit__text_puts(text, ": ");
        pit__memory_words(memory, text);
        pit__growth_words(memory, text);
    }
}
