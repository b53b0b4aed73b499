/* advice_evidence.c: evidence for the advice rules from the sampler, the program's facts and its memory.
 * See advice_case.h. */
#include "advice_case.h"

#include "series_gather.h"

#include "run_gpu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LOADING_NS 10e9 /* a run without iterations may take this long to load */
#define FIRST_PARTS 10 /* the first of this many parts of the iterations is loading and compiling */
#define GROWS_NS 1.5e9 /* growth is not judged over a shorter time */
#define SHORT_NS 10e9  /* in a shorter time, a few jumps are a table that was enlarged */
#define BRIEF_NS 0.8e9 /* shorter limit, for a run that grows much and with nearly every reading */
#define BRIEF_RISES 0.8  /* share of the readings that rise, for the shorter limit */
#define BRIEF_GROWN 0.25 /* growth as a share of the memory, for the shorter limit */
#define BRIEF_CALL 0.2   /* the longest iteration's share of that time, for the shorter limit */
#define BRIEF_READINGS 6 /* readings, for the shorter limit */
#define JUMPS 5          /* rising readings that are more than a few */
#define IDLE_READINGS 10 /* readings in the loop; with fewer, a share is chance */
#define START_PARTS 4    /* the first of this many parts of the readings is the start-up */

/* ---- the sampler -------------------------------------------------------------------------------- */

static double seconds_between(const pit_run *run, const pit_sample *from, const pit_sample *to)
{
    return ((double)to->ticks - (double)from->ticks) * run->ns_per_tick / 1e9;
}

/* How fast a counter grew between two readings. */
static double rate(const pit_run *run, const char *key, const pit_sample *from)
{
    double more = pit_sample_figure(run, &run->newest, key) - pit_sample_figure(run, from, key);
    double seconds = seconds_between(run, from, &run->newest);
    return seconds > 0 && more >= 0 ? more / seconds : NAN;
}

static double most(const pit_run *run, const char *key)
{
    double most = pit_sample_figure(run, &run->newest, key);
    for (size_t i = 0; i < run->sample_count; i++)
        most = fmax(most, pit_sample_figure(run, &run->samples[i], key));
    return most;
}

struct pit__around pit__around_unknown(void)
{
    return (struct pit__around){NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                NAN,
                                {0, 0, 0, 0, 0, 0, 0, 0}};
}

/* How often threads were seen doing something since the first reading. */
static struct pit__looks looks_of(const pit_run *run)
{
#define SEEN(KEY)                                                                                  \
    (pit_sample_figure(run, &run->newest, KEY) - pit_sample_figure(run, &run->samples[0], KEY))
    return (struct pit__looks){
        .working = SEEN("working_looks"),
        .mutex = SEEN("mutex_looks"),
        .python = SEEN("python_lock_looks"),
        .lock = SEEN("main_lock_looks"),
        .sleep = SEEN("main_sleep_looks"),
        .transfer = SEEN("main_transfer_looks"),
        .sync = SEEN("main_sync_looks"),
        .child = SEEN("main_child_looks"),
    };
#undef SEEN
}

/* A point has the figures of its last reading, made when the next point began. */
static pit_sample first_reading(const pit_run *run)
{
    pit_sample first = run->samples[0];
    if (run->sample_stride > 1)
        first.ticks = run->samples[1].ticks;
    return first;
}

static const pit_run *most_read(const pit_run *const *runs, size_t run_count)
{
    const pit_run *run = NULL;
    for (size_t r = 0; r < run_count; r++)
        if (runs[r]->has_samples && runs[r]->sample_count > (run ? run->sample_count : 1))
            run = runs[r];
    return run;
}

double pit__idle_between(const pit_run *const *runs, size_t run_count, double from_ns, double to_ns)
{
    const pit_run *run = most_read(runs, run_count);
    const pit_sample *from = NULL, *to = NULL;
    size_t inside = 0;
    if (!run || run->sample_stride > 1) /* in a long run the start hardly counts */
        return NAN;
    for (size_t i = 0; i < run->sample_count; i++) {
        double at = ((double)run->samples[i].ticks - (double)run->start_ticks) * run->ns_per_tick;
        if (!(at >= from_ns && at <= to_ns))
            continue;
        from = from ? from : &run->samples[i];
        to = &run->samples[i];
        inside++;
    }
    if (inside < IDLE_READINGS)
        return NAN;
    double used =
        pit_sample_figure(run, to, "main_cpu_ns") - pit_sample_figure(run, from, "main_cpu_ns") +
        pit_sample_figure(run, to, "run_delay_ns") - pit_sample_figure(run, from, "run_delay_ns");
    double idle = 1 - used / 1e9 / seconds_between(run, from, to);
    return isnan(idle) ? NAN : fmax(idle, 0);
}

struct pit__around pit__look_around(const pit_run *const *runs, size_t run_count)
{
    const pit_run *run = most_read(runs, run_count);
    if (!run)
        return pit__around_unknown();
    struct pit__run_gpu gpu;
    if (!pit__run_gpu_fullest(run, 0, &gpu))
        gpu = (struct pit__run_gpu){.memory_most = NAN, .memory_total = NAN};
    pit_sample first = first_reading(run);
    const pit_sample *started = &run->samples[run->sample_count / START_PARTS];
    return (struct pit__around){
        .seconds = seconds_between(run, &first, &run->newest),
        .cpu = rate(run, "cpu_ns", &first) / 1e9,
        .main_cpu = rate(run, "main_cpu_ns", &first) / 1e9,
        .delayed = rate(run, "run_delay_ns", &first) / 1e9,
        .stopped = rate(run, "throttled_ns", &first) / 1e9,
        .io_wait = rate(run, "io_delay_ns", &first) / 1e9,
        .read = rate(run, "read_bytes", &first),
        .written = rate(run, "write_bytes", &first),
        .forced = rate(run, "forced_switches", &first),
        .faults = rate(run, "major_faults", started),
        .swapped = most(run, "swap_bytes"),
        .pressure = most(run, "memory_pressure"),
        .storage_pressure = most(run, "storage_pressure"),
        .processors = ceil(pit_sample_figure(run, &run->newest, "processors")),
        .threads = most(run, "threads") - 1, /* without the sampler's */
        .device_used = gpu.memory_most,
        .device_total = gpu.memory_total,
        .device_number = (double)gpu.number,
        .looks = looks_of(run),
    };
}

double pit__processors_pressed(const pit_run *const *runs, size_t run_count)
{
    const pit_run *run = most_read(runs, run_count);
    return run ? most(run, "processor_pressure") : NAN;
}

/* ---- what the program told ----------------------------------------------------------------------- */

static const char *fact(const pit_run *const *runs, size_t run_count, const char *key)
{
    const char *value = NULL;
    for (size_t r = 0; r < run_count && !value; r++)
        value = pit_run_fact(runs[r], key);
    return value;
}

static double number(const char *text)
{
    char *end = NULL;
    double number = text ? strtod(text, &end) : NAN;
    return text && end != text ? number : NAN;
}

static int yes(const char *text)
{
    return !text || (*text != '0' && *text != '1') ? -1 : *text == '1';
}

struct pit__told pit__what_was_told(const pit_run *const *runs, size_t run_count)
{
    return (struct pit__told){
        .framework = fact(runs, run_count, "framework"),
        .device = fact(runs, run_count, "device"),
        .dtype = fact(runs, run_count, "dtype"),
        .optimizer = fact(runs, run_count, "optimizer"),
        .workers = number(fact(runs, run_count, "loader_workers")),
        .batch = number(fact(runs, run_count, "loader_batch")),
        .accumulation = number(fact(runs, run_count, "accumulation")),
        .compute_threads = number(fact(runs, run_count, "compute_threads")),
        .persistent = yes(fact(runs, run_count, "loader_persistent")),
        .compiled = yes(fact(runs, run_count, "compiled")),
        .foreach = yes(fact(runs, run_count, "optimizer_foreach")),
        .fused = yes(fact(runs, run_count, "optimizer_fused")),
    };
}

/* ---- memory --------------------------------------------------------------------------------------- */

/* The thread with the most iterations of the unit; NULL if none has any. */
static const pit_thread *thread_of(const pit_run *run, const char *path, uint32_t *node)
{
    const pit_thread *best = NULL;
    uint64_t passed = 0;
    for (size_t t = 0; t < run->thread_count; t++) {
        uint32_t here = pit__node_at(&run->threads[t], path);
        if (here == PIT_NO_NODE || run->threads[t].nodes[here].count <= passed)
            continue;
        best = &run->threads[t];
        passed = best->nodes[here].count;
        *node = here;
    }
    return best;
}

/* The time from the end of the first iterations to the end of the last one, in nanoseconds since the run's
 * start. Before it the program loads, after it the program cleans up. Calls that the flight recorder
 * dropped are older than all that it holds. */
static void find_window(const struct pit__case *all, const pit_run *run, double window[2])
{
    uint32_t node = 0;
    const pit_thread *thread =
        all->unit == PIT__NO_PART ? NULL : thread_of(run, all->parts[all->unit].path, &node);
    window[0] = LOADING_NS;
    window[1] = run->duration_ns;
    if (!thread)
        return;
    uint64_t passed = thread->nodes[node].count, seen = 0, first = run->start_ticks, last = 0;
    uint64_t left = passed > FIRST_PARTS ? passed / FIRST_PARTS : 1;
    for (size_t i = 0; i < thread->event_count; i++) {
        if (thread->events[i].node != node)
            continue;
        last = thread->events[i].begin + thread->events[i].duration;
        if (++seen <= left)
            first = last;
    }
    int is_going = thread->open_count > 0; /* open spans are still work */
    window[0] = ((double)first - (double)run->start_ticks) * run->ns_per_tick;
    if (last > first && !is_going)
        window[1] = ((double)last - (double)run->start_ticks) * run->ns_per_tick;
}

/* How many readings of an interval are above the previous one, and the number of readings. */
static size_t rises(const pit_run *run, const double window[2], size_t *readings)
{
    size_t count = 0;
    *readings = 0;
    for (size_t i = 1; i < run->sample_count; i++) {
        double at = ((double)run->samples[i].ticks - (double)run->start_ticks) * run->ns_per_tick;
        *readings += at > window[0] && at <= window[1];
        count += at > window[0] && at <= window[1] &&
                 pit_sample_figure(run, &run->samples[i], "rss_bytes") >
                     pit_sample_figure(run, &run->samples[i - 1], "rss_bytes");
    }
    return count;
}

static double held_at(const pit_run *run, double at_ns)
{
    double held = NAN;
    for (size_t i = 0; i < run->sample_count; i++) {
        double time = ((double)run->samples[i].ticks - (double)run->start_ticks) * run->ns_per_tick;
        if (time <= at_ns || isnan(held))
            held = pit_sample_figure(run, &run->samples[i], "rss_bytes");
    }
    return held;
}

/* Is the interval long enough for its evidence? A table that is enlarged grows in a few jumps, or in one
 * call. */
static int is_long_enough(const pit_run *run, const struct pit__case *all, const double window[2],
                          double length, const struct pit__growth *growth)
{
    size_t readings, up = rises(run, window, &readings);
    double held = held_at(run, window[1]);
    double call = all->unit == PIT__NO_PART ? INFINITY : all->parts[all->unit].longest * 1e9;
    if (length < GROWS_NS)
        return length > BRIEF_NS && call < BRIEF_CALL * (window[1] - window[0]) &&
               readings >= BRIEF_READINGS && (double)up > BRIEF_RISES * (double)readings &&
               growth->change > BRIEF_GROWN * held;
    return length >= SHORT_NS || up > JUMPS;
}

/* Did memory grow, and also in the second half? Memory that fills up and stays is not a leak. */
static int grows_on(const pit_run *run, const struct pit__case *all, const double window[2],
                    struct pit__growth *growth)
{
    struct pit__growth later;
    double delayed = all->around.delayed;
    int code = pit__growth_between(run, window[0], window[1], growth);
    /* a program that waits for a processor does the work of a shorter time */
    double length = (window[1] - window[0]) * (1 - (delayed > 0 ? fmin(delayed, 1) : 0));
    if (code > 0 && !is_long_enough(run, all, window, length, growth)) {
        growth->slope = NAN; /* whether it would continue is unknown */
        code = 0;
    }
    if (code > 0)
        code = pit__growth_between(run, (window[0] + window[1]) / 2, window[1], &later);
    return code;
}

int pit__set_memory(const pit_run *const *runs, size_t run_count, struct pit__advice_case *made)
{
    struct pit__case *all = &made->all;
    double most = -1;
    all->growth_a_minute = all->held = all->held_at_first = all->limit = NAN;
    for (size_t r = 0; r < run_count; r++) {
        struct pit__growth growth;
        double window[2];
        find_window(all, runs[r], window);
        int code = grows_on(runs[r], all, window, &growth);
        double change = code > 0 ? growth.change : 0;
        if (code < 0)
            return code;
        if (!(change > most))
            continue;
        most = change; /* use the run that grows most */
        all->is_growing = code;
        all->grown = change;
        all->growth_a_minute = growth.slope * 60e9;
        all->held = held_at(runs[r], window[1]);
        /* importing a framework takes some hundred megabytes */
        all->held_at_first =
            held_at(runs[r], all->told.framework && all->before > 0 ? all->before * 1e9 : 0);
        pit__run_memory_free(&made->memory);
        code = pit__run_memory_make(runs[r], &made->memory);
        if (code)
            return code;
        all->limit = pit__memory_limit(&made->memory.last);
        all->grows_in =
            made->memory.where.length > 0 ? pit__text_string(&made->memory.where) : NULL;
    }
    return 0;
}

/* ---- slow iterations ---------------------------------------------------------------------------------- */

#define SLOW 1.5     /* times the median */
#define EXPLAINS 0.4 /* share of the additional time of slow iterations */

/* Sums of one part over the fast and over the slow iterations; the last entry is the unit itself. */
struct sums {
    double quick, slow, inside;
};

static void add_iteration(struct sums *sums, size_t count, size_t unit, double took, int is_slow)
{
    double inside = 0;
    for (size_t i = 0; i < count; i++) {
        if (i == unit)
            continue;
        inside += sums[i].inside;
        *(is_slow ? &sums[i].slow : &sums[i].quick) += sums[i].inside;
        sums[i].inside = 0;
    }
    /* the unit's own entry is the time outside its parts; the entry after all is the whole iteration */
    *(is_slow ? &sums[unit].slow : &sums[unit].quick) += fmax(took - inside, 0);
    *(is_slow ? &sums[count].slow : &sums[count].quick) += took;
}

static void explain(const struct pit__case *all, const struct sums *sums, const pit_thread *thread,
                    uint32_t node, const double iterations[2], struct pit__slow *why)
{
    size_t best = node;
    double more = sums[thread->node_count].slow / iterations[1] -
                  sums[thread->node_count].quick / iterations[0];
    for (size_t i = 0; i < thread->node_count; i++)
        if (sums[i].slow / iterations[1] - sums[i].quick / iterations[0] >
            sums[best].slow / iterations[1] - sums[best].quick / iterations[0])
            best = i;
    why->share = (sums[best].slow / iterations[1] - sums[best].quick / iterations[0]) / more;
    if (!(why->share > EXPLAINS))
        return;
    why->is_unmarked = best == node;
    for (size_t i = all->unit + 1; best != node && i < all->part_count; i++)
        if (all->parts[i].parent == all->unit &&
            strcmp(all->parts[i].name, thread->nodes[best].name ? thread->nodes[best].name : "") ==
                0)
            why->part = i;
}

/* How many iterations there are, of which the first of the warm-up do not count. */
static size_t iterations_of(const pit_thread *thread, uint32_t node)
{
    size_t count = 0;
    for (size_t i = 0; i < thread->event_count; i++)
        count += thread->events[i].node == node;
    return count;
}

/* Events come in the order of their ends: the parts of an iteration before it. */
int pit__find_slow(const pit_run *run, const struct pit__case *all, int by_half,
                   struct pit__slow *why)
{
    uint32_t node = 0;
    *why = (struct pit__slow){.part = PIT__NO_PART};
    if (!run || all->unit == PIT__NO_PART || !all->has_course || (by_half && !all->in_order))
        return 0;
    const pit_thread *thread = thread_of(run, all->parts[all->unit].path, &node);
    if (!thread || thread->event_count == 0)
        return 0;
    struct sums *sums = calloc(thread->node_count + 1, sizeof *sums);
    if (!sums)
        return PIT_NO_MEMORY;
    double iterations[2] = {0, 0};
    size_t passed = 0, half = (iterations_of(thread, node) + all->steady_from) / 2;
    for (size_t i = 0; i < thread->event_count; i++) {
        const pit_event *event = &thread->events[i];
        double took = (double)event->duration * run->ns_per_tick / 1e9;
        if (event->node >= thread->node_count)
            continue;
        if (thread->nodes[event->node].parent == node)
            sums[event->node].inside += took;
        if (event->node != node)
            continue;
        int is_slow = by_half ? passed >= half : took > SLOW * all->steady.median;
        if (all->in_order && passed++ < all->steady_from) { /* warming up is another matter */
            for (size_t k = 0; k < thread->node_count; k++)
                sums[k].inside = 0;
            continue;
        }
        add_iteration(sums, thread->node_count, node, took, is_slow);
        iterations[is_slow]++;
    }
    if (iterations[0] > 0 && iterations[1] > 0)
        explain(all, sums, thread, node, iterations, why);
    free(sums);
    return 0;
}

/* ---- first calls ------------------------------------------------------------------------------------ */

#define FEW_CALLS 3     /* calls that take half of the time */
#define LONG_SHARE 0.02 /* share of the total that one of them takes */
#define EARLY 20        /* the first of this many parts of a node's calls */

/* Is the longest call in the first bucket of the series, and does that bucket have few calls? */
static int is_first_longest(const pit_raw_node *node)
{
    const pit_series_bin *first = NULL;
    uint64_t longest = 0;
    for (size_t i = 0; i < node->series_count; i++) {
        if (node->series[i].count == 0)
            continue;
        first = first ? first : &node->series[i];
        longest = node->series[i].max > longest ? node->series[i].max : longest;
    }
    return first && first->max == longest && first->count <= node->count / EARLY + 1;
}

void pit__find_longest(const pit_run *const *runs, size_t run_count, struct pit__advice_case *made)
{
    uint32_t node = 0;
    for (size_t i = 0; i < made->all.part_count; i++) {
        struct pit__part *part = &made->parts[i];
        if (part->half_calls == 0 || part->half_calls > FEW_CALLS || part->count <= FEW_CALLS ||
            part->children > 0 || !(part->longest > LONG_SHARE * made->all.total))
            continue;
        for (size_t r = 0; r < run_count; r++) {
            const pit_thread *thread = thread_of(runs[r], part->path, &node);
            part->is_longest_first |= thread && is_first_longest(&thread->nodes[node]);
        }
    }
}
