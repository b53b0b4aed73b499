/* advice_machine_rules.c: causes outside the program. They slow every part down, so they come before the
 * findings that they explain. */
#include "advice_rules.h"

#include <math.h>
#include <string.h>

#define DELAYED_LEAST 0.10 /* share of the time ready to run without a processor */
#define STOPPED_LEAST 0.05 /* share of the time stopped by a quota */
#define SECONDS_LEAST 0.2  /* a shorter time can be chance */
/* share of the processors; above it, the program waits for its own threads, not for other programs */
#define OWN_ALL 0.75
#define OWN_BUSY 0.7        /* share of the processors that the program itself uses */
#define MANY_THREADS 4      /* per processor */
#define MAIN_MOST 0.5       /* the main thread's share of the process's time per processor */
#define FORCED_LEAST 100.0  /* per second and processor */
#define BUSY_CALL 0.04      /* seconds: a shorter call may just contain a wait */
#define BUSY_WAITS 4        /* in mean waits, the same */
#define FAULTS_LEAST 20.0   /* pages per second from storage */
#define PRESSURE_LEAST 0.05 /* memory pressure */
#define SWAPPED_LEAST 16e6  /* bytes */
#define DEVICE_NEAR 0.95    /* share of a GPU's memory */
#define NEAR_LIMIT 0.8      /* share of the available memory */

/* A share of the sampled time. Figures: share, seconds, seconds sampled, processors,
 * threads. */
static struct pit__match part_of_time(const struct pit__case *all, double share)
{
    const struct pit__around *around = &all->around;
    struct pit__match match = pit__match_of(PIT__NO_PART);
    match.share = match.figures[0] = fmin(share, 1);
    match.stake = match.figures[1] = match.share * around->seconds;
    match.figures[2] = around->seconds;
    match.figures[3] = around->processors;
    match.figures[4] = around->threads;
    match.severity = pit__severity_of(share);
    return match;
}

static int is_delayed(const struct pit__around *around)
{
    return around->delayed > DELAYED_LEAST && around->delayed * around->seconds > SECONDS_LEAST;
}

double pit__busy_call(const struct pit__case *all)
{
    double wait = all->around.delayed / all->around.forced; /* the mean wait */
    return fmax(BUSY_CALL, wait < 1 ? BUSY_WAITS * wait : 0);
}

static void find_throttled(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = part_of_time(all, all->around.stopped);
    match.severity = 2;
    match.headline =
        "THROTTLED: a limit on processor time stopped the program for {p0} of the time";
    match.evidence = "{t1} of {t2}, as its control group counted";
    match.remedy = "raise the limit (cpu.max, --cpus, the pod's cpu limit), or use no more threads "
                   "than it gives processors";
    if (all->around.stopped > STOPPED_LEAST && match.stake > SECONDS_LEAST)
        pit__find_add(finds, &match);
}

/* Figures: pages per second, bytes in swap, pressure. */
static void find_swapping(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    struct pit__match match = pit__match_of(PIT__NO_PART);
    int is_short = around->swapped > SWAPPED_LEAST || around->pressure > PRESSURE_LEAST ||
                   all->held > NEAR_LIMIT * all->limit;
    if (!(around->faults > FAULTS_LEAST) || !is_short)
        return;
    match.severity = 2;
    match.figures[0] = around->faults;
    match.figures[1] = isnan(around->swapped) ? 0 : around->swapped;
    match.figures[2] = isnan(around->pressure) ? 0 : around->pressure;
    match.stake = pit__waited(all);
    match.headline = "SWAPPING: memory is short, {n0} pages a second are read back from storage";
    match.evidence = "{b1} of the program on swap at most, memory pressure up to {p2}";
    match.remedy = pit__has_loader(all)
                       ? "use less memory (smaller batches, fewer workers, data read in parts), or "
                         "a machine with more"
                       : "use less memory (data read in parts, smaller tables), or a machine with "
                         "more";
    pit__find_add(finds, &match);
}

/* The program's own threads and workers compete for the processors. */
static void find_oversubscribed(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    const struct pit__told *told = &all->told;
    struct pit__match match = part_of_time(all, around->delayed);
    double processors = around->processors;
    int has_told = told->compute_threads >= processors + 1;
    int has_workers = told->workers >= 2 * processors;
    int has_threads =
        around->threads > MANY_THREADS * processors + 2 && around->cpu > OWN_BUSY * processors;
    int is_torn = around->forced > FORCED_LEAST * processors;
    /* next to other programs: the main thread gets only the share of one of many threads */
    int has_team = around->threads > MANY_THREADS * processors + 2 && is_torn &&
                   around->main_cpu * processors < MAIN_MOST * around->cpu;
    match.figures[5] = has_told ? told->compute_threads : around->threads;
    match.figures[6] = told->workers;
    match.headline = "OVERSUBSCRIBED: {n5} threads compute on {n3} processors";
    match.evidence = "ready to run and without a processor for {p0} of the time, {t1} of {t2}";
    match.remedy = told->framework && strncmp(told->framework, "torch", 5) == 0
                       ? "use as many threads as there are processors (OMP_NUM_THREADS={n3}, "
                         "torch.set_num_threads({n3}))"
                       : "use as many threads as there are processors (OMP_NUM_THREADS={n3} if it "
                         "uses OpenMP)";
    if (has_workers && !has_told && !has_threads && !has_team) {
        match.headline =
            "OVERSUBSCRIBED: {n6} loader workers and the program share {n3} processors";
        match.remedy = "use fewer loader workers than there are processors";
    }
    if (!is_delayed(around)) {
        match.share = match.stake = NAN;
        match.evidence = "processors taken away from its threads {n7} times a second";
        match.figures[7] = around->forced;
    }
    /* a quota or short memory already explains the waits */
    if (finds->has_cause)
        return;
    if ((is_delayed(around) && (has_told || has_workers || has_threads || has_team)) ||
        (has_threads && is_torn))
        pit__find_add(finds, &match);
}

static void find_starved(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = part_of_time(all, all->around.delayed);
    match.headline =
        "STARVED: the program was ready to run and had no processor for {p0} of the time";
    match.evidence = "{t1} of {t2}, as the kernel counted for its main thread";
    match.remedy =
        "other programs use the processors: stop them, or measure again when it is quiet";
    if (is_delayed(&all->around) && !finds->has_cause &&
        !(all->around.cpu > OWN_ALL * all->around.processors))
        pit__find_add(finds, &match);
}

/* Nothing is slow yet, but a larger batch will not fit. Figures: GPU number, share, bytes, bytes. */
static void find_device_memory(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    struct pit__match match = pit__match_of(PIT__NO_PART);
    match.severity = 1;
    match.figures[0] = around->device_number;
    match.figures[1] = around->device_used / around->device_total;
    match.figures[2] = around->device_used;
    match.figures[3] = around->device_total;
    match.headline = "DEVICE-MEMORY: gpu{n0} had {p1} of its memory in use";
    match.evidence = "{b2} of {b3} at most, by all processes, as its driver counted";
    match.remedy = pit__is_training(all)
                       ? "smaller batches, checkpointed activations or a smaller dtype leave room; "
                         "an allocator that keeps freed memory counts as use"
                       : "smaller arrays or a smaller number type leave room; an allocator that "
                         "keeps freed memory counts as use";
    if (around->device_used >= DEVICE_NEAR * around->device_total && around->device_total > 0)
        pit__find_add(finds, &match);
}

const struct pit__rule pit__throttled_rule = {
    .key = "throttled", .kind = PIT__KIND_CAUSE, .find = find_throttled};
const struct pit__rule pit__swapping_rule = {
    .key = "swapping", .kind = PIT__KIND_CAUSE, .find = find_swapping};
const struct pit__rule pit__oversubscribed_rule = {
    .key = "oversubscribed", .kind = PIT__KIND_CAUSE, .find = find_oversubscribed};
const struct pit__rule pit__starved_rule = {
    .key = "starved", .kind = PIT__KIND_CAUSE, .find = find_starved};
const struct pit__rule pit__device_memory_rule = {
    .key = "device_memory", .kind = PIT__KIND_DANGER, .find = find_device_memory};
