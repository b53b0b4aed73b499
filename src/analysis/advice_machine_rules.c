/* advice_machine_rules.c: causes outside the program. They slow every part down, so they come before the
 * findings that they explain. */
#include "advice_rules.h"

#include <math.h>
#include <string.h>

#define DELAYED_LEAST 0.10   /* share of the time ready to run without a processor */
#define STOLEN_LEAST 0.20    /* the same, by the host: rented machines always lose a little */
#define STOPPED_LEAST 0.05   /* share of the time stopped from outside */
#define THROTTLED_LEAST 0.05 /* share of the time stopped by a quota */
#define SECONDS_LEAST 0.2    /* a shorter time can be chance */
/* share of the processors; above it, the program waits for its own threads, not for other programs */
#define OWN_ALL 0.75
#define TEAM_LEAST 0.25     /* DELAYED_LEAST for the threads that the main thread waits for */
#define TEAM_MAIN 0.1       /* share of the time in which it runs */
#define TEAM_SEEN 8         /* looks that found it waiting for them */
#define TEAM_WORK 0.5       /* processors for which they have work */
#define TEAM_MOST 4         /* threads, of which each is looked at */
#define OTHERS_LEAST 0.5    /* of its waits: the processor time of other programs */
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
    match.share = match.figures[0] = share > 1 ? 1 : share;
    match.stake = match.figures[1] = match.share * around->seconds;
    match.figures[2] = around->seconds;
    match.figures[3] = around->processors;
    match.figures[4] = around->threads;
    match.severity = pit__severity_of(share);
    return match;
}

static double stolen(const struct pit__around *around)
{
    return around->stolen > 0 ? around->stolen : 0;
}

static double stopped(const struct pit__around *around)
{
    return around->stopped > 0 ? around->stopped : 0;
}

/* Share of the time in which this machine's own programs had the processor that the program wanted. */
static double queued(const struct pit__around *around)
{
    return around->delayed - stolen(around) - stopped(around);
}

static int is_long(double share, double least, const struct pit__around *around)
{
    return share > least && share * around->seconds > SECONDS_LEAST;
}

double pit__busy_call(const struct pit__case *all)
{
    double wait = queued(&all->around) / all->around.forced; /* the mean wait */
    return fmax(BUSY_CALL, wait < 1 ? BUSY_WAITS * wait : 0);
}

/* The group counts its stops on each processor. The program was not stopped while its main thread ran, nor
 * while its threads ran on average. */
static double throttled(const struct pit__around *around)
{
    double ran = fmax(around->main_cpu, around->cpu / fmax(around->threads, 1));
    double rest = fmax(1 - ran, 0);
    return ran > 0 && around->throttled > rest ? rest : around->throttled;
}

static void find_stopped(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = part_of_time(all, stopped(&all->around));
    match.headline = "STOPPED: the whole program was stopped from outside for {p0} of the time";
    match.evidence =
        "about {t1} of {t2}, in which nothing of it ran, not even its sampler, though it "
        "had work";
    match.remedy =
        "measure again without a stop signal (Ctrl+Z), a debugger, or a pause of the container "
        "or the machine";
    /* a program that is throttled, or waits for its own pages, stands still too */
    for (size_t i = 0; i < finds->count; i++)
        if (finds->found[i].rule == &pit__throttled_rule ||
            finds->found[i].rule == &pit__swapping_rule)
            return;
    if (is_long(match.share, STOPPED_LEAST, &all->around))
        pit__find_add(finds, &match);
}

static void find_throttled(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = part_of_time(all, throttled(&all->around));
    match.severity = 2;
    match.headline =
        "THROTTLED: a limit on processor time stopped the program for {p0} of the time";
    match.evidence = "{t1} of {t2}, as its control group counted";
    match.remedy = "raise the limit (cpu.max, --cpus, the pod's cpu limit), or use no more threads "
                   "than it gives processors";
    if (match.share > THROTTLED_LEAST && match.stake > SECONDS_LEAST)
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
    struct pit__match match = part_of_time(all, queued(around));
    int is_delayed = is_long(queued(around), DELAYED_LEAST, around);
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
    match.headline = processors > 1 ? "OVERSUBSCRIBED: {n5} threads compute on {n3} processors"
                                    : "OVERSUBSCRIBED: {n5} threads compute on one processor";
    match.evidence = "ready to run and without a processor for {p0} of the time, {t1} of {t2}";
    match.remedy = told->framework && strncmp(told->framework, "torch", 5) == 0
                       ? "use as many threads as there are processors (OMP_NUM_THREADS={n3}, "
                         "torch.set_num_threads({n3}))"
                       : "use as many threads as there are processors (OMP_NUM_THREADS={n3}, or "
                         "OPENBLAS_NUM_THREADS={n3} for NumPy)";
    if (has_workers && !has_told && !has_threads && !has_team) {
        match.headline =
            processors > 1
                ? "OVERSUBSCRIBED: {n6} loader workers and the program share {n3} processors"
                : "OVERSUBSCRIBED: {n6} loader workers and the program share one processor";
        match.remedy = "use fewer loader workers than there are processors";
    }
    if (!is_delayed) {
        match.share = match.stake = NAN;
        match.evidence = "processors taken away from its threads {n7} times a second";
        match.figures[7] = around->forced;
    }
    /* a quota or short memory already explains the waits */
    if (finds->has_cause)
        return;
    if ((is_delayed && (has_told || has_workers || has_threads || has_team)) ||
        (has_threads && is_torn))
        pit__find_add(finds, &match);
}

/* Does the program itself use most of the processors, with its child processes? */
static int uses_all(const struct pit__case *all)
{
    double own = OWN_ALL * all->around.processors;
    return all->around.cpu > own || all->used > own * all->wall;
}

double pit__others(const struct pit__case *all)
{
    return all->around.busy - fmax(all->around.cpu, all->used / all->wall);
}

/* While it waited, other programs must have had a processor. */
static int could_be_others(const struct pit__case *all, double waits)
{
    return !(pit__others(all) < OTHERS_LEAST * waits);
}

/* Processors for which the threads of the program had work, while the main thread waited for them; NaN: not
 * known, or the main thread works too. */
static double work_of_team(const struct pit__around *around)
{
    if (!(around->main_cpu < TEAM_MAIN) || !(around->looks.lock >= TEAM_SEEN) ||
        !(around->threads <= TEAM_MOST))
        return NAN;
    return fmin(pit__threads_working(&around->looks), around->processors);
}

/* The main thread waits for threads that wait for a processor. Figures: share, seconds, of all, …, processors
 * that they had work for and that they used, from 5 on. */
static void find_starved_team(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    double work = work_of_team(around);
    struct pit__match match = part_of_time(all, 1 - around->cpu / work);
    match.figures[5] = work;
    match.figures[6] = around->cpu;
    match.headline =
        "STARVED: the program's threads were ready to run and had no processor for about "
        "{p0} of the time";
    match.evidence = "they had work for {o5} processors and used {o6}, by looks at them";
    match.remedy =
        "other programs use the processors: stop them, or measure again when it is quiet";
    if (work > TEAM_WORK && match.share > TEAM_LEAST && match.stake > SECONDS_LEAST &&
        around->busy > 0 && could_be_others(all, work - around->cpu))
        pit__find_add(finds, &match);
}

/* By other programs of this machine, unless they are the program's own; or by other machines of its host. */
static void find_starved(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    double others = uses_all(all) || !could_be_others(all, queued(around)) ? 0 : queued(around);
    int is_host = is_long(stolen(around), STOLEN_LEAST, around) && stolen(around) > others;
    struct pit__match match = part_of_time(all, others + stolen(around));
    match.figures[5] = stolen(around);
    match.headline =
        "STARVED: the program was ready to run and had no processor for {p0} of the time";
    match.evidence = "{t1} of {t2}, as the kernel counted for its main thread";
    match.remedy =
        "other programs use the processors: stop them, or measure again when it is quiet";
    if (is_host) {
        match.headline = "STARVED: other machines on the same host took the processor for about "
                         "{p5} of the time";
        match.evidence = "{t1} of {t2} ready to run without a processor, estimated from the stolen "
                         "time that the kernel counted for this virtual machine";
        match.remedy = "measure again later, or on a machine that does not share its processors";
    }
    if ((is_host || is_long(others, DELAYED_LEAST, around)) && !finds->has_cause)
        pit__find_add(finds, &match);
    else if (!finds->has_cause)
        find_starved_team(all, finds);
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

const struct pit__rule pit__stopped_rule = {
    .key = "stopped", .kind = PIT__KIND_CAUSE, .find = find_stopped};
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
