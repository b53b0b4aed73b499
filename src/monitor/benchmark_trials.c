/* benchmark_trials.c: see benchmark_trials.h.
 *
 * A trial is a number of calls between two readings of the clock: enough calls for 10 us, so that the cost
 * and resolution of the clock do not matter. The cost of empty calls in the same loop is subtracted. For
 * fast functions it is measured in turn with the trials, so that both see the same state of the machine.
 * The resolution is the value that all but the slowest empty calls stay below: a function that adds less to
 * an empty call cannot be distinguished from one that does nothing, so no figure is given for it.
 *
 * Setup, teardown, the readings of processor time and the span's bookkeeping are outside the timed
 * interval. */
#include "benchmark_trials.h"

#include "analysis/blocks.h"
#include "analysis/order_stats.h"
#include "base/clock_ns.h"
#include "monitor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { DEFAULT_WARMUP = 10, DEFAULT_TRIALS = 100, ENOUGH_TRIALS = 50, ENOUGH_FAST_TRIALS = 100 };
enum { CALIBRATIONS = 100, EMPTY_CALLS = 512 };
#define MOST_REPEATS 10 /* interrupted trials per requested trial */
#define FAST_CALLS 16   /* a trial with this many calls is of a fast function */
#define TRIAL_NS 10000u /* of a trial with an adapted number of calls */
/* a first measurement that is slower than expected is repeated below this */
#define LOOK_TWICE_NS 10000000u
#define MOST_CALLS (UINT64_C(1) << 40)
#define FAST_SECONDS 1e-3
#define SHORT_NS 1000000u

struct reading {
    uint64_t wall_ns, cpu_ns, process_ns;
};

static uint64_t now_ns(const struct pit__bench *b)
{
    return b->clock ? b->clock(b->clock_arg) : pit__clock_ns(CLOCK_MONOTONIC);
}

static uint64_t cpu_ns(void)
{
    return pit__clock_ns(CLOCK_THREAD_CPUTIME_ID);
}

static uint64_t process_ns(void)
{
    return pit__clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* ---- the loop ------------------------------------------------------------------------------- */

/* Empty functions at different addresses: on some processors a call of one takes nearly twice as long as of
 * another, depending on its address and on the previous call. */
#define NOTHING(i_)                                                                                \
    __attribute__((noinline)) static void nothing_##i_(void *argument)                             \
    {                                                                                              \
        PIT_USE(argument);                                                                         \
        PIT_USE(i_);                                                                               \
    }
NOTHING(0)
NOTHING(1)
NOTHING(2)
NOTHING(3)

static void (*const nothings[])(void *) = {nothing_0, nothing_1, nothing_2, nothing_3};
enum { NOTHINGS = sizeof nothings / sizeof nothings[0] };

/* Not inlined, so that calibration and trials run the same instructions at the same address. */
__attribute__((noinline)) static void call_many(void (*function)(void *argument), void *argument,
                                                uint64_t calls)
{
    for (; calls >= 4; calls -= 4) {
        function(argument);
        PIT_CLOBBER();
        function(argument);
        PIT_CLOBBER();
        function(argument);
        PIT_CLOBBER();
        function(argument);
        PIT_CLOBBER();
    }
    for (; calls > 0; calls--) {
        function(argument);
        PIT_CLOBBER();
    }
}

static void wait_for_device(const struct pit__bench *b)
{
    if (b->device)
        b->device->wait(b->device->arg);
}

/* The wall time of this many calls. */
static uint64_t time_calls(const struct pit__bench *b, uint64_t calls)
{
    wait_for_device(b);
    uint64_t begin = now_ns(b);
    call_many(b->function, b->argument, calls);
    wait_for_device(b);
    return now_ns(b) - begin;
}

/* ---- what the measuring itself costs --------------------------------------------------------- */

/* Nanoseconds of an empty call. */
static double time_nothing(const struct pit__bench *b, size_t which)
{
    uint64_t begin = now_ns(b);
    call_many(nothings[which % NOTHINGS], NULL, EMPTY_CALLS);
    double took = (double)(now_ns(b) - begin) - b->pair_ns;
    return took > 0 ? took / EMPTY_CALLS : 0;
}

/* The fastest readings of the clocks count, because disturbances only add time. */
static void calibrate(struct pit__bench *b)
{
    uint64_t pair = UINT64_MAX, cpu_pair = UINT64_MAX, process_pair = UINT64_MAX;
    for (int i = 0; i < CALIBRATIONS; i++) {
        uint64_t process_begin = process_ns(), cpu_begin = cpu_ns();
        uint64_t begin = now_ns(b), end = now_ns(b), cpu_end = cpu_ns();
        uint64_t process = process_ns() - process_begin;
        pair = end - begin < pair ? end - begin : pair;
        cpu_pair = cpu_end - cpu_begin < cpu_pair ? cpu_end - cpu_begin : cpu_pair;
        process_pair = process < process_pair ? process : process_pair;
    }
    b->pair_ns = (double)pair;
    b->cpu_pair_ns = (double)cpu_pair;
    b->process_pair_ns = (double)process_pair;
    b->call_ns = INFINITY;
    for (size_t i = 0; i < CALIBRATIONS; i++)
        b->call_ns = fmin(b->call_ns, time_nothing(b, i));
}

/* The number of calls that take TRIAL_NS. The first measurement may see cold caches, so a short one is
 * repeated and the fastest counts. */
static uint64_t find_iterations(struct pit__bench *b)
{
    for (uint64_t calls = 1;; calls *= 2) {
        uint64_t best = time_calls(b, calls);
        for (int again = 0; again < 2 && best < LOOK_TWICE_NS; again++) {
            uint64_t other = time_calls(b, calls);
            best = other < best ? other : best;
        }
        if (best >= TRIAL_NS || calls >= MOST_CALLS)
            return calls;
    }
}

/* ---- trials ---------------------------------------------------------------------------------- */

static struct reading run_trial(struct pit__bench *b, const char *span)
{
    const pit_bench_options *o = &b->options;
    struct reading took;
    if (o->setup)
        o->setup(b->argument);
    uint64_t process_begin = process_ns(), cpu_begin = cpu_ns();
    pit_token token = span ? pit_begin_name(span) : 0;
    took.wall_ns = time_calls(b, o->iterations);
    b->least_ns = took.wall_ns < b->least_ns ? took.wall_ns : b->least_ns;
    if (token) {
        pit_items(o->iterations * o->batch);
        pit_end(token);
    }
    took.cpu_ns = cpu_ns() - cpu_begin;
    took.process_ns = process_ns() - process_begin;
    if (o->teardown)
        o->teardown(b->argument);
    return took;
}

static int grow(double **array, size_t room)
{
    double *larger = realloc(*array, room * sizeof *larger);
    if (!larger)
        return PIT_NO_MEMORY;
    *array = larger;
    return 0;
}

static int make_room(struct pit__bench *b)
{
    if (b->count < b->room)
        return 0;
    size_t room = b->room ? 2 * b->room : 256;
    if (grow(&b->times, room) || grow(&b->empty, room))
        return PIT_NO_MEMORY;
    b->room = room;
    return 0;
}

/* Involuntary context switches of this thread. */
static long forced_switches(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? usage.ru_nivcsw : 0;
}

/* Another program that gets the core takes it for milliseconds: a short trial that was interrupted is
 * repeated. Trials of slow functions are kept, because hardly any would be left. */
int pit__bench_trial(struct pit__bench *b)
{
    int code = make_room(b);
    if (code)
        return code;
    int is_fast = b->options.iterations >= FAST_CALLS,
        is_short = b->least_ns < SHORT_NS && !b->clock;
    long switches = is_short ? forced_switches() : 0;
    struct reading took = run_trial(b, b->options.name);
    if (is_short && forced_switches() != switches &&
        b->interrupted < MOST_REPEATS * b->options.trials) {
        b->interrupted++;
        return 0;
    }
    b->empty[b->count] = is_fast ? time_nothing(b, b->count) : b->call_ns;
    b->times[b->count++] = (double)took.wall_ns;
    b->timed_ns += (double)took.wall_ns;
    b->cpu_ns += (double)took.cpu_ns;
    b->process_ns += (double)took.process_ns;
    return 0;
}

int pit__bench_is_late(const struct pit__bench *b)
{
    return (double)(now_ns(b) - b->start_ns) >= b->options.max_seconds * 1e9;
}

/* Calls before the trials are in their own span, so that spans inside the function are not mistaken for
 * those of the trials. */
static void warm_up(struct pit__bench *b)
{
    char name[256];
    snprintf(name, sizeof name, "%s warm-up", b->options.name);
    pit_token token = pit_begin_name(name);
    calibrate(b);
    if (b->options.iterations == 0) /* a test's clock may not advance by itself */
        b->options.iterations = b->options.setup || b->clock ? 1 : find_iterations(b);
    for (uint64_t i = 0; i < b->options.warmup && !pit__bench_is_late(b); i++)
        run_trial(b, NULL);
    pit_end(token);
}

/* ---- figures --------------------------------------------------------------------------------- */

static int fill_statistics(pit_bench_result *r)
{
    double *sorted = malloc(r->trials * sizeof *sorted);
    if (!sorted)
        return PIT_NO_MEMORY;
    memcpy(sorted, r->times, r->trials * sizeof *sorted);
    pit__sort(sorted, r->trials);
    double sum = 0, squares = 0;
    for (size_t i = 0; i < r->trials; i++)
        sum += sorted[i];
    r->mean = sum / (double)r->trials;
    for (size_t i = 0; i < r->trials; i++)
        squares += (sorted[i] - r->mean) * (sorted[i] - r->mean);
    r->std = sqrt(squares / (double)r->trials);
    r->min = sorted[0];
    r->max = sorted[r->trials - 1];
    r->median = pit__sorted_quantile(sorted, r->trials, 0.50);
    r->p95 = pit__sorted_quantile(sorted, r->trials, 0.95);
    r->p99 = pit__sorted_quantile(sorted, r->trials, 0.99);
    r->total = sum * (double)r->iterations;
    free(sorted);
    return 0;
}

/* Convert the readings to seconds per call, with the cost of measuring subtracted. */
static void take_off_costs(struct pit__bench *b)
{
    double calls = (double)b->options.iterations, trials = (double)b->count;
    pit__sort(b->empty, b->count);
    size_t low = b->count / 20, high = b->count - b->count / 10; /* without disturbed trials */
    double sum = 0;
    for (size_t i = low; i < high; i++)
        sum += b->empty[i];
    b->call_ns = sum / (double)(high - low);
    b->slow_call_ns = pit__sorted_quantile(b->empty, b->count, 0.95);
    for (size_t i = 0; i < b->count; i++) {
        double own = b->times[i] - b->pair_ns - calls * b->call_ns;
        b->times[i] = own > 0 ? own / calls * 1e-9 : 0;
    }
    b->cpu_ns = fmax(b->cpu_ns - trials * (b->cpu_pair_ns + calls * b->call_ns), 0);
    b->process_ns = fmax(b->process_ns - trials * (b->process_pair_ns + calls * b->call_ns), 0);
}

static int fill_result(struct pit__bench *b, pit_bench_result *r)
{
    double calls = (double)b->options.iterations;
    take_off_costs(b);
    r->trials = b->count;
    r->iterations = b->options.iterations;
    r->interrupted = b->interrupted;
    r->times = b->times;
    int code = fill_statistics(r);
    if (code)
        return code;
    r->cpu_mean = b->cpu_ns * 1e-9 / (calls * (double)b->count);
    r->process_cpu_mean = b->process_ns * 1e-9 / (calls * (double)b->count);
    r->resolution = (b->pair_ns / calls + b->slow_call_ns) * 1e-9;
    r->at_resolution = r->median <= r->resolution;
    double slowest = r->at_resolution ? fmax(r->mean, r->resolution) : r->mean;
    r->samples_per_second = slowest > 0 ? (double)b->options.batch / slowest : NAN;
    r->too_few =
        r->trials < ENOUGH_TRIALS || (r->mean < FAST_SECONDS && r->trials < ENOUGH_FAST_TRIALS);
    return 0;
}

static void keep_in_journal(const char *name, const pit_bench_result *r)
{
    const pit_figure figures[] = {
        {"mean", r->mean, "s"},
        {"std", r->std, "s"},
        {"min", r->min, "s"},
        {"max", r->max, "s"},
        {"median", r->median, "s"},
        {"p95", r->p95, "s"},
        {"p99", r->p99, "s"},
        {"total", r->total, "s"},
        {"cpu_mean", r->cpu_mean, "s"},
        {"process_cpu_mean", r->process_cpu_mean, "s"},
        {"resolution", r->resolution, "s"},
        {"at_resolution", r->at_resolution, NULL},
        {"trials", (double)r->trials, NULL},
        {"iterations", (double)r->iterations, NULL},
        {"interrupted", (double)r->interrupted, NULL},
        {"samples_per_second", r->samples_per_second, "1/s"},
    };
    pit_journal("benchmark", name, figures, sizeof figures / sizeof figures[0], 0);
}

/* ---- begin and finish ------------------------------------------------------------------------- */

static void put_defaults(pit_bench_options *o)
{
    o->name = o->name ? o->name : "benchmark";
    o->warmup = o->warmup == PIT_BENCH_NONE ? 0 : o->warmup ? o->warmup : DEFAULT_WARMUP;
    o->trials = o->trials ? o->trials : DEFAULT_TRIALS;
    o->min_seconds = o->min_seconds == 0 ? 0.1 : o->min_seconds;
    o->max_seconds = o->max_seconds == 0 ? 30 : o->max_seconds;
    o->batch = o->batch ? o->batch : 1;
}

/* 0: the setting of all monitors. */
static const pit_device *device_to_wait_for(int wait)
{
    const pit_device *device =
        wait > 0 || (wait == 0 && pit__source_waits()) ? pit_get_device() : NULL;
    return device && device->wait ? device : NULL;
}

void pit__bench_begin(struct pit__bench *b, void (*function)(void *argument), void *argument,
                      const pit_bench_options *options)
{
    *b = (struct pit__bench){.function = function, .argument = argument, .least_ns = UINT64_MAX};
    if (options)
        b->options = *options;
    put_defaults(&b->options);
    b->clock = pit__source_clock(&b->clock_arg);
    b->device = device_to_wait_for(b->options.wait);
    b->start_ns = now_ns(b);
    warm_up(b);
}

int pit__bench_finish(struct pit__bench *b, int code, pit_bench_result *result)
{
    if (!code)
        code = fill_result(b, result);
    free(b->empty);
    if (code) {
        free(b->times);
        memset(result, 0, sizeof *result);
        return code;
    }
    keep_in_journal(b->options.name, result);
    return 0;
}
