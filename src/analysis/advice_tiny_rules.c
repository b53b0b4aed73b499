/* advice_tiny_rules.c: work that is smaller than its overhead, and parts that wait. */
#include "advice_rules.h"
#include "comm_names.h"

#include <math.h>

#define SMALL_BATCH 8      /* samples */
#define SMALL_CALL 1e-3    /* seconds of one forward */
#define TINY_STEP 300e-6   /* seconds of a whole step */
#define TINY_LEAST 0.5     /* of the total: time in such steps */
#define MEASURED_LEAST 0.1 /* of the run: time of measuring */
#define WAITS_MOST 0.95    /* of the time: largest assumed wait for a processor */
#define MEASURED_CALL 5    /* a call takes at most so many times its measuring */
#define WAITS_LEAST 0.5    /* of the total: time in the waiting part */
#define WAITS_SURELY 0.5   /* of its time: the part that was certainly waiting */
#define WAITS_EVENLY 0.1  /* of its calls take half of its time; fewer are another rule's finding */
#define PROGRAM_LEAST 1.0 /* seconds of a program without spans */
#define WAITS_FOR "find out what it waits for: a lock, a network, a sleep, a disk, another process"
#define WAITS_SEEN 5     /* looks that found the main thread waiting */
#define WAITS_ALIKE 0.7  /* share of those that found the same kind */
#define OTHERS_MANY 1.5  /* processors that its other threads use: then it waits for its own work */
#define OTHERS_SHARE 0.7 /* the same as a share of all processors */

/* ---- overhead ---------------------------------------------------------------------------------- */

/* Seconds that the unit spends getting data. */
static double data_seconds(const struct pit__case *all)
{
    double seconds = 0;
    for (size_t i = all->unit + 1; i < all->part_count; i++)
        if (all->parts[i].parent == all->unit && all->parts[i].role == PIT__ROLE_DATA)
            seconds += all->parts[i].seconds;
    return seconds;
}

/* Figures: batch, time of one forward, time of one step, steps. */
static void find_framework_overhead(const struct pit__case *all, struct pit__finds *finds)
{
    size_t part;
    uint64_t count;
    double seconds = pit__role_seconds(all, PIT__ROLE_FORWARD, &part, &count);
    if (!all->told.framework || all->unit == PIT__NO_PART)
        return;
    const struct pit__part *unit = &all->parts[all->unit];
    if (part == PIT__NO_PART || count == 0) { /* no separate forward: use the whole unit */
        seconds = unit->seconds;
        count = unit->count;
    }
    struct pit__match match = pit__match_of(all->unit);
    double step = unit->median;
    match.figures[0] = all->told.batch;
    match.figures[1] = seconds / (double)count;
    match.figures[2] = step;
    match.figures[3] = (double)unit->count;
    int is_small = all->told.batch <= SMALL_BATCH && match.figures[1] < SMALL_CALL;
    if (!is_small && !(step < TINY_STEP && unit->seconds > TINY_LEAST * all->total))
        return;
    match.share = NAN;
    double computing = unit->seconds - data_seconds(all);
    match.stake = is_small ? computing * (1 - all->told.batch / (4 * SMALL_BATCH)) : computing / 2;
    match.severity = 2;
    match.headline = is_small
                         ? "OVERHEAD: with batches of {n0}, the framework takes longer than the "
                           "work itself"
                         : "OVERHEAD: a step takes only {t2}: the framework takes longer than "
                           "the work itself";
    match.evidence = "{n3} steps of {t2}; a forward takes {t1}";
    match.remedy = "use larger batches";
    match.more = "; or compile the model, to make fewer calls";
    pit__find_add(finds, &match);
}

/* Seconds of the run spent on measuring, including waits for a processor during it. */
double pit__measuring(const struct pit__case *all)
{
    double waits = all->around.delayed > 0 ? fmin(all->around.delayed, WAITS_MOST) : 0;
    return all->measuring > 0 ? all->measuring / (1 - waits) : 0;
}

/* The part whose calls take hardly longer than measuring them. Figures: calls, time of one, share of the run, time
 * of measuring one. */
static void find_measuring(const struct pit__case *all, struct pit__finds *finds)
{
    double spans = 0;
    size_t part = PIT__NO_PART;
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        spans += (double)p->count;
        if (!p->apart && p->children == 0 &&
            (part == PIT__NO_PART || p->count > all->parts[part].count))
            part = i;
    }
    if (part == PIT__NO_PART || !(pit__measuring(all) > MEASURED_LEAST * all->wall))
        return;
    const struct pit__part *p = &all->parts[part];
    struct pit__match match = pit__match_of(part);
    match.figures[0] = (double)p->count;
    match.figures[1] = p->median;
    match.stake = pit__measuring(all);
    match.share = match.figures[2] = fmin(match.stake / all->wall, 1);
    match.figures[3] = all->measuring / spans;
    match.severity = pit__severity_of(match.share);
    match.headline =
        "OVERHEAD: {n0} calls of {name} take {t1} each: measuring them takes {p2} of the run";
    match.evidence = "measuring a call takes about {t3}";
    match.remedy = "put the span around the loop of these calls, or measure only one call in many";
    if (match.figures[1] < MEASURED_CALL * match.figures[3])
        pit__find_add(finds, &match);
}

static void find_overhead(const struct pit__case *all, struct pit__finds *finds)
{
    find_measuring(all, finds);
    find_framework_overhead(all, finds);
}

/* ---- waiting ----------------------------------------------------------------------------------- */

/* Lower bound of the main thread's wait in a part: assumes that it waited all the time elsewhere. */
static double waited_least(const struct pit__case *all, const struct pit__part *p)
{
    double between = all->between > 0 ? all->between : 0;
    return pit__waited(all) - (all->total + between - p->self_seconds);
}

/* Waiting for one's own compute threads, a device, loader workers or other ranks means that work is being
 * done meanwhile. */
static int waits_for_work(const struct pit__case *all)
{
    double others = all->around.cpu - all->around.main_cpu;
    return all->ranks || all->told.workers > 0 || all->parts[0].device_count > 0 ||
           others > OTHERS_MANY || others > OTHERS_SHARE * all->around.processors;
}

struct wait {
    const char *what, *remedy;
};

/* What the main thread was seen waiting for nearly always; NULL: one of several things, or not known. */
static const struct wait *wait_of(const struct pit__looks *looks)
{
    static const struct wait waits[] = {
        {"for a lock or another thread",
         "find out which thread it waits for, and what that one does meanwhile"},
        {"in a sleep", "wait for the event itself instead of a fixed time, or sleep for less"},
        {"for a network, a pipe or a file",
         "ask for several things at once, or do other work meanwhile"},
        {"until data is on the disk",
         "collect several writes and bring them to the disk (fsync) at once"},
        {"for a child process", "start fewer and larger ones, or several at once"},
    };
    double seen[] = {looks->lock, looks->sleep, looks->transfer, looks->sync, looks->child};
    double all = 0;
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        all += seen[i];
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        if (seen[i] >= WAITS_SEEN && seen[i] > WAITS_ALIKE * all)
            return &waits[i];
    return NULL;
}

/* A program without spans. Figures: share, seconds, of the run, processor time. */
static void find_waiting_program(const struct pit__case *all, struct pit__finds *finds)
{
    double delayed = all->around.delayed > 0 ? fmin(all->around.delayed, 1) : 0;
    struct pit__match match = pit__match_of(PIT__NO_PART);
    match.severity = 0;
    match.figures[2] = all->wall;
    match.figures[3] = all->used;
    match.stake = match.figures[1] = all->wall * (1 - delayed) - all->used;
    match.share = match.figures[0] = match.figures[1] / all->wall;
    match.texts[0] = all->place;
    match.headline = all->place ? "WAITING: the program waited for {p0} of the run, most at {s0}"
                                : "WAITING: the program waited for {p0} of the run";
    match.evidence = "{t1} of {t2}; it used {t3} of processor time, with its children";
    match.remedy = WAITS_FOR;
    const struct wait *wait = wait_of(&all->around.looks);
    if (wait) {
        match.texts[1] = wait->what;
        match.remedy = wait->remedy;
        match.headline = all->place
                             ? "WAITING: the program waited for {p0} of the run, {s1}, most at {s0}"
                             : "WAITING: the program waited for {p0} of the run, {s1}";
    }
    if (all->wall > PROGRAM_LEAST && match.share > WAITS_LEAST)
        pit__find_add(finds, &match);
}

/* A part that waits, but not for data. Figures: share, seconds, of the total, calls, waited at least. */
static void find_waiting(const struct pit__case *all, struct pit__finds *finds)
{
    size_t part = PIT__NO_PART;
    if (all->part_count == 0)
        find_waiting_program(all, finds);
    for (size_t i = 0; i < all->part_count; i++)
        if (!all->parts[i].apart && all->parts[i].children == 0 &&
            (part == PIT__NO_PART || all->parts[i].self_seconds > all->parts[part].self_seconds))
            part = i;
    if (part == PIT__NO_PART || all->parts[part].role == PIT__ROLE_DATA || waits_for_work(all) ||
        pit__is_comm_name(all->parts[part].name))
        return;
    const struct pit__part *p = &all->parts[part];
    struct pit__match match = pit__match_of(part);
    match.share = match.figures[0] = p->self_seconds / all->total;
    match.figures[1] = p->self_seconds;
    match.figures[2] = all->total;
    match.figures[3] = (double)p->count;
    match.stake = match.figures[4] = waited_least(all, p);
    match.texts[0] = p->place;
    match.severity = 0; /* it may be waiting for useful work of its own child processes */
    match.headline = p->place
                         ? "WAITING: {name} is {p0} of the total, waiting, not computing, at {s0}"
                         : "WAITING: {name} is {p0} of the total, waiting, not computing";
    match.evidence = "{t1} of {t2} in {c3}; the main thread waited for at least {t4} of that";
    match.remedy = WAITS_FOR;
    const struct wait *wait = wait_of(&all->around.looks);
    if (wait) {
        match.texts[1] = wait->what;
        match.remedy = wait->remedy;
        match.headline = p->place ? "WAITING: {name} is {p0} of the total, waiting {s1}, at {s0}"
                                  : "WAITING: {name} is {p0} of the total, waiting {s1}";
    }
    /* beside other programs it waits for a processor too, after what it was seen waiting for */
    double delayed = wait && finds->has_cause && all->around.delayed > 0 ? all->around.delayed : 0;
    double surely = WAITS_SURELY * p->self_seconds * (1 - fmin(delayed, WAITS_MOST));
    if (match.stake > surely && match.share > WAITS_LEAST &&
        (double)p->half_calls > WAITS_EVENLY * (double)p->count)
        pit__find_add(finds, &match);
}

const struct pit__rule pit__overhead_rule = {
    .key = "overhead", .kind = PIT__KIND_STAKE, .find = find_overhead};
const struct pit__rule pit__waiting_rule = {
    .key = "waiting", .kind = PIT__KIND_STAKE, .wants_around = 1, .find = find_waiting};
