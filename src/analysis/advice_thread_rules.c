/* advice_thread_rules.c: threads that wait for one another, while a processor is free. Threads that wait for
 * a lock while others use all processors lose nothing: then these rules are silent. */
#include "advice_rules.h"

#include <math.h>

#define SEEN_LEAST 8    /* looks at threads that waited */
#define SEEN_FEW 6      /* the same in a short run, where they are most of all looks */
#define WAITS_LEAST 0.2 /* share of the looks at threads with work */
#define BUSY_WAITS                                                                                 \
    0.4 /* the same on a busy machine, where the owner of the lock may have to wait */
#define USED_MOST 0.85 /* share of the processors that they could use */
#define ONE_AT_A_TIME                                                                              \
    1.35                /* processors that Python code uses, whatever the number of its threads */
#define TURNS_LEAST 1.6 /* threads inside spans at a time */
#define TURNS_LOW 0.75  /* processors in use: about one */
#define TURNS_HIGH 1.25
#define TURNS_SECONDS 1.0
#define LAG_LEAST 0.2    /* share of the threads' time */
#define LAG_COSTS 0.1    /* of the total */
#define OPENMP_LEAST 0.3 /* share of the samples in OpenMP's own code */
#define OPENMP_BUSY                                                                                \
    0.6 /* the same on a busy machine, where threads wait for one that has no processor */
#define SMALL_REGION 1e-4 /* seconds: to start and to end it takes microseconds */
#define PRESSED_MOST 0.3  /* share of the time in which some thread waits for a processor */

/* Processors that the program's threads could use. */
static double could_use(const struct pit__around *around)
{
    return fmin(around->processors, around->threads);
}

/* The time of the run, or of all its threads: savings are compared with it. */
static double whole(const struct pit__case *all)
{
    return fmax(all->wall, all->total);
}

/* The only part long enough for these waits; NULL: there are several, or none. */
static size_t waits_in(const struct pit__case *all, double share)
{
    size_t found = PIT__NO_PART;
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        if (p->apart || p->children > 0 || p->self_seconds < USED_MOST * share * all->total)
            continue;
        if (found != PIT__NO_PART)
            return PIT__NO_PART;
        found = i;
    }
    return found;
}

/* Figures: share, looks that found a wait, looks, processors in use, processors. */
static struct pit__match match_of_looks(const struct pit__case *all, double waiting)
{
    const struct pit__around *around = &all->around;
    struct pit__match match = pit__match_of(PIT__NO_PART);
    match.share = match.figures[0] = waiting / around->looks.working;
    match.figures[1] = waiting;
    match.figures[2] = around->looks.working;
    match.figures[3] = around->cpu;
    match.figures[4] = around->processors;
    match.stake = fmin(match.share, 1 - around->cpu / could_use(around)) * whole(all);
    match.severity = pit__severity_of(match.share);
    match.evidence = "found in {n1} of {n2} looks at threads with work; {o3} of {n4} processors "
                     "were in use";
    return match;
}

static int is_much(const struct pit__finds *finds, const struct pit__match *match)
{
    int is_most = match->share > BUSY_WAITS;
    return match->figures[1] >= (is_most ? SEEN_FEW : SEEN_LEAST) &&
           (is_most || (!finds->has_cause && match->share > WAITS_LEAST));
}

/* Threads of a parallel region that wait for one another in a loop, which looks like work: for a critical
 * section, a lock or a barrier. If one of them has more to do, find_imbalance says so. Figures: share, threads,
 * seconds of a region. */
static void find_openmp_lock(const struct pit__case *all, struct pit__finds *finds)
{
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        struct pit__match match = pit__match_of(i);
        match.figures[0] = p->in_openmp;
        match.figures[1] = p->team_threads;
        match.figures[2] = p->self_seconds / (double)p->count;
        match.stake = p->in_openmp * p->self_seconds;
        match.share = match.stake / all->total;
        match.severity = pit__severity_of(match.share);
        match.headline =
            "LOCK: the {n1} threads of {name} spend {p0} of their time in OpenMP itself";
        match.evidence = "by samples of the main thread; a region takes {t2}, and its threads "
                         "finish together";
        match.remedy = match.figures[2] < SMALL_REGION
                           ? "put more work into each parallel region: to start and to end one "
                             "takes microseconds"
                           : "look for critical sections, locks and barriers in it: use a "
                             "reduction, or give each thread its own data";
        if (p->team_threads > 1 && p->in_openmp > (finds->has_cause ? OPENMP_BUSY : OPENMP_LEAST) &&
            !(p->team_lag > LAG_LEAST * (p->team_lag + p->team_busy)))
            pit__find_add(finds, &match);
    }
}

static void find_mutex(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    struct pit__match match = match_of_looks(all, around->looks.mutex);
    size_t part = waits_in(all, match.share);
    if (!is_much(finds, &match) || !(around->cpu < USED_MOST * could_use(around)))
        return;
    match.headline = "LOCK: threads wait for a lock for {p0} of the time in which they have work";
    match.remedy = "hold the lock for less time: do the work before it, or give each thread its "
                   "own data and join them at the end";
    if (part != PIT__NO_PART) {
        match.part = part;
        match.headline = "LOCK: threads wait for a lock in {name}, for {p0} of the time in which "
                         "they have work";
    }
    pit__find_add(finds, &match);
}

static void find_lock(const struct pit__case *all, struct pit__finds *finds)
{
    size_t before = finds->count;
    find_mutex(all, finds);
    if (finds->count == before)
        find_openmp_lock(all, finds);
}

static void find_python_lock(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    struct pit__match match = match_of_looks(all, around->looks.python);
    if (!is_much(finds, &match) || !(around->processors > 1) || !(around->cpu < ONE_AT_A_TIME))
        return;
    match.texts[0] = all->place;
    match.headline = "PYTHON LOCK: threads wait for one another for {p0} of the time in which they "
                     "have work: only one at a time runs Python code";
    match.remedy =
        "move that work to processes (multiprocessing, ProcessPoolExecutor), or to calls "
        "that release the lock";
    pit__find_add(finds, &match);
}

/* Waiting for other kinds of locks cannot be distinguished from waiting for work. But if several threads
 * are inside of spans all the time, and together use one processor of several, they take turns. Figures:
 * threads at a time, processors in use, processors, threads. */
static void find_turns(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__around *around = &all->around;
    struct pit__match match = pit__match_of(PIT__NO_PART);
    double outside = all->before + all->after; /* NaN: the main thread has no spans */
    double spans = all->wall - (outside > 0 ? outside : 0);
    match.figures[0] = all->total / spans;
    match.figures[1] = around->cpu * around->seconds / spans;
    match.figures[2] = around->processors;
    match.figures[3] = (double)all->span_threads;
    /* its threads may wait for a processor, also where the main thread only waits for them */
    if (!(all->pressed < PRESSED_MOST))
        return;
    if (finds->has_cause || finds->count > 0 || all->span_threads < 2 || !(spans > TURNS_SECONDS) ||
        !(match.figures[0] > TURNS_LEAST) || !(around->processors > 1) ||
        !(match.figures[1] > TURNS_LOW && match.figures[1] < TURNS_HIGH))
        return;
    match.share = 1 - match.figures[1] / fmin(match.figures[0], around->processors);
    match.stake = match.share * whole(all);
    match.severity = 1;
    match.headline =
        "TAKING TURNS: {o0} threads are inside of spans at a time, and they use {o1} of "
        "{n2} processors";
    match.evidence = "by the spans of {n3} threads and the processor time of the program";
    match.remedy = "look for a lock that they all need";
    pit__find_add(finds, &match);
}

/* Threads of parallel regions that wait at the end for the slowest. Figures: share of their time, threads, seconds
 * that a balanced team would save, of the total. */
static void find_imbalance(const struct pit__case *all, struct pit__finds *finds)
{
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        struct pit__match match = pit__match_of(i);
        match.figures[0] = p->team_lag / (p->team_lag + p->team_busy);
        match.figures[1] = p->team_threads;
        match.stake = match.figures[2] = p->team_lag / p->team_threads;
        match.figures[3] = all->total;
        match.share = match.stake / all->total;
        match.severity = pit__severity_of(match.share);
        match.headline =
            "IMBALANCE: the {n1} threads of {name} wait for the slowest of them for {p0} "
            "of their time";
        match.evidence = "{t2} of {t3} would be saved by equal shares of the work";
        match.remedy =
            "divide the work into more and smaller pieces (schedule(dynamic) in OpenMP), or "
            "into equal ones";
        /* beside other programs, one of them had no processor */
        if (p->team_threads > 1 && match.figures[0] > LAG_LEAST && match.share > LAG_COSTS &&
            !finds->has_cause)
            pit__find_add(finds, &match);
    }
}

const struct pit__rule
    pit__mutex_rule = {.key = "mutex", .kind = PIT__KIND_STAKE, .find = find_lock},
    pit__python_lock_rule = {.key = "python_lock",
                             .kind = PIT__KIND_STAKE,
                             .find = find_python_lock},
    pit__turns_rule = {.key = "taking_turns", .kind = PIT__KIND_STAKE, .find = find_turns},
    pit__imbalance_rule = {.key = "imbalance", .kind = PIT__KIND_STAKE, .find = find_imbalance};
