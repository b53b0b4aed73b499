/* advice_evidence.c: evidence for the advice rules from the sampler, the program's facts and its slow calls.
 * See advice_case.h. */
#include "advice_case.h"

#include "series_gather.h"

#include "run_gpu.h"
#include "run_stolen.h"
#include "run_stopped.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    return (struct pit__around){.seconds = NAN,
                                .cpu = NAN,
                                .busy = NAN,
                                .main_cpu = NAN,
                                .delayed = NAN,
                                .stolen = NAN,
                                .stopped = NAN,
                                .throttled = NAN,
                                .io_wait = NAN,
                                .read = NAN,
                                .written = NAN,
                                .moved = NAN,
                                .moves = NAN,
                                .forced = NAN,
                                .faults = NAN,
                                .new_pages = NAN,
                                .swapped = NAN,
                                .pressure = NAN,
                                .storage_pressure = NAN,
                                .processors = NAN,
                                .threads = NAN,
                                .device_used = NAN,
                                .device_total = NAN,
                                .device_number = NAN};
}

/* How often threads were seen doing something since the first reading; 0: not known. */
static double seen(const pit_run *run, const char *key)
{
    double looks =
        pit_sample_figure(run, &run->newest, key) - pit_sample_figure(run, &run->samples[0], key);
    return looks > 0 ? looks : 0;
}

static struct pit__looks looks_of(const pit_run *run)
{
    return (struct pit__looks){
        .working = seen(run, "working_looks"),
        .mutex = seen(run, "mutex_looks"),
        .python = seen(run, "python_lock_looks"),
        .lock = seen(run, "main_lock_looks"),
        .sleep = seen(run, "main_sleep_looks"),
        .transfer = seen(run, "main_transfer_looks"),
        .disk = seen(run, "main_disk_looks"),
        .sync = seen(run, "main_sync_looks"),
        .child = seen(run, "main_child_looks"),
        .pipes = seen(run, "pipe_looks"),
    };
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

/* The first and the last reading between two times, in nanoseconds from the run's start. Returns 0 if there are
 * too few, or if the points are too wide to tell: in a long run the start hardly counts. */
static int readings_between(const pit_run *run, double from_ns, double to_ns,
                            const pit_sample **from, const pit_sample **to)
{
    size_t inside = 0;
    *from = *to = NULL;
    for (size_t i = 0; run && run->sample_stride <= 1 && i < run->sample_count; i++) {
        double at = ((double)run->samples[i].ticks - (double)run->start_ticks) * run->ns_per_tick;
        if (!(at >= from_ns && at <= to_ns))
            continue;
        *from = *from ? *from : &run->samples[i];
        *to = &run->samples[i];
        inside++;
    }
    return inside >= IDLE_READINGS;
}

static double more(const pit_run *run, const pit_sample *from, const pit_sample *to,
                   const char *key)
{
    return pit_sample_figure(run, to, key) - pit_sample_figure(run, from, key);
}

double pit__idle_between(const pit_run *const *runs, size_t run_count, double from_ns, double to_ns)
{
    const pit_run *run = most_read(runs, run_count);
    const pit_sample *from, *to;
    if (!readings_between(run, from_ns, to_ns, &from, &to))
        return NAN;
    double used = more(run, from, to, "main_cpu_ns") + more(run, from, to, "run_delay_ns");
    double seconds = seconds_between(run, from, to);
    double stolen = pit__stolen_between(run, from, to, seconds * 1e9);
    double idle = 1 - (used + (stolen > 0 ? stolen : 0)) / 1e9 / seconds;
    return isnan(idle) ? NAN : fmax(idle, 0);
}

double pit__threads_idle(const pit_run *const *runs, size_t run_count)
{
    const pit_run *run = most_read(runs, run_count);
    const pit_sample *from, *to;
    double first = INFINITY, threads = 0;
    for (size_t t = 0; run && t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        threads += thread->node_count > 0;
        for (size_t i = 0; i < thread->node_count; i++)
            if (thread->nodes[i].first >= run->start_ticks)
                first = fmin(first, (double)(thread->nodes[i].first - run->start_ticks));
    }
    if (!run || !readings_between(run, first * run->ns_per_tick, INFINITY, &from, &to))
        return NAN;
    double idle =
        1 - more(run, from, to, "cpu_ns") / 1e9 / seconds_between(run, from, to) / threads;
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
    double stolen = pit__stolen_share(run), stopped = pit__stopped_share(run);
    double away = (stolen > 0 ? stolen : 0) + (stopped > 0 ? stopped : 0);
    return (struct pit__around){
        .seconds = seconds_between(run, &first, &run->newest),
        .cpu = rate(run, "cpu_ns", &first) / 1e9,
        .busy = rate(run, "busy_ns", &first) / 1e9,
        .main_cpu = rate(run, "main_cpu_ns", &first) / 1e9,
        .delayed = rate(run, "run_delay_ns", &first) / 1e9 + away,
        .stolen = stolen,
        .stopped = stopped,
        .throttled = rate(run, "throttled_ns", &first) / 1e9,
        .io_wait = rate(run, "io_delay_ns", &first) / 1e9,
        .read = rate(run, "read_bytes", &first),
        .written = rate(run, "write_bytes", &first),
        .moved = rate(run, "transferred_bytes", &first),
        .moves = rate(run, "transfers", &first),
        .forced = rate(run, "forced_switches", &first),
        .faults = rate(run, "major_faults", started),
        .new_pages = rate(run, "minor_faults", &first),
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

/* What is on; "none": nothing any more. */
static const char *aids(const char *text)
{
    return text && strcmp(text, "none") != 0 ? text : NULL;
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
        .debugging = aids(fact(runs, run_count, "debugging")),
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

/* ---- slow iterations ---------------------------------------------------------------------------------- */

#define SLOW 1.5     /* times the median */
#define EXPLAINS 0.4 /* share of the additional time of slow iterations */

/* The thread with the most iterations of the unit; NULL if none has any. */
const pit_thread *pit__thread_of(const pit_run *run, const char *path, uint32_t *node)
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
    const pit_thread *thread = pit__thread_of(run, all->parts[all->unit].path, &node);
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
            const pit_thread *thread = pit__thread_of(runs[r], part->path, &node);
            part->is_longest_first |= thread && is_first_longest(&thread->nodes[node]);
        }
    }
}
