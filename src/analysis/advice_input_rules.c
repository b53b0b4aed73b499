/* advice_input_rules.c: the program waits for its data. Only the first reason that applies is reported. */
#include "advice_rules.h"

#include <math.h>

#define SHARE_LEAST 0.20 /* share of the batch or step that loading may take */
#define MUCH 0.3         /* share that deserves action */
#define WAITS 0.5        /* share of the loading in which the main thread did not run */
#define WORKERS_WAIT 0.4 /* share of the loading in which a worker computes; less: it waits */
#define DELAYED_MOST                                                                               \
    0.9              /* share of the time that workers, too, are assumed to wait for a processor */
#define FEW 0.1      /* share of the calls that take half of the time */
#define FEW_SLOWER 5 /* factor of those few over the median */
#define BUSY 0.1     /* share of the time without a processor: short calls become long by chance */
#define FEW_LEAST 20 /* with fewer calls, "a few" has no meaning */
#define STARTS_LEAST 3   /* starts of the workers */
#define READ_LEAST 20e6  /* bytes per second that point to storage */
#define READ_BUSY 100e6  /* the same where waits for a processor hide those for storage */
#define STORAGE_WAIT 0.3 /* share of the waiting that points to storage */
#define STORAGE_BUSY 0.2 /* pressure that points to storage */

#define HIDES_MOST 0.6 /* share of the batch; if it is more, the rest is too short to hide it */

enum reason { NO_REASON, RESTARTS, FEW_SLOW, FEW_WORKERS, STORAGE, WAITING, PROCESSOR };

/* All loading of one kind of batch; loading for evaluation is judged separately. */
struct loading {
    size_t part; /* the largest loading part */
    size_t base;
    double seconds, share;
    double starts; /* seconds spent on starting workers */
    double start_count;
    size_t starts_part;
};

static struct loading find_loading(const struct pit__case *all)
{
    struct loading l = {.part = PIT__NO_PART, .starts_part = PIT__NO_PART};
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        if (p->apart || pit__is_inside(all, i, PIT__ROLE_EVALUATION))
            continue;
        if (p->role == PIT__ROLE_LOADER) {
            l.starts += p->seconds;
            l.start_count += (double)p->count;
            l.starts_part = i;
        }
        if (pit__is_outermost(all, i, PIT__ROLE_DATA) &&
            (l.part == PIT__NO_PART || p->seconds > all->parts[l.part].seconds))
            l.part = i;
    }
    if (l.part == PIT__NO_PART)
        return l;
    l.base = pit__base_of(all, l.part);
    for (size_t i = 0; i < all->part_count; i++) /* other loading in the same batch */
        if (!all->parts[i].apart && pit__is_outermost(all, i, PIT__ROLE_DATA) &&
            pit__base_of(all, i) == l.base)
            l.seconds += all->parts[i].seconds;
    double whole = pit__base_seconds(all, l.base);
    l.share = whole > 0 ? l.seconds / whole : 0;
    return l;
}

static int has_few_slow(const struct pit__case *all, const struct pit__part *p)
{
    int is_busy = all->around.delayed > BUSY; /* then a long call may be caused by the machine */
    double least = is_busy ? pit__busy_call(all) : 0;
    return p->half_calls > (is_busy ? 1 : 0) && p->half_seconds > least * (double)p->half_calls &&
           p->count >= FEW_LEAST && (double)p->half_calls <= fmax(1, FEW * (double)p->count) &&
           p->half_seconds > FEW_SLOWER * p->median * (double)p->half_calls;
}

static int is_restarted(const struct pit__case *all, const struct loading *l)
{
    if (l->start_count < STARTS_LEAST || all->told.persistent == 1)
        return 0;
    if (l->starts > PIT__MATTERS * all->total)
        return 1;
    /* the first batch after a start waits for the workers */
    return l->part != PIT__NO_PART && l->share > SHARE_LEAST &&
           has_few_slow(all, &all->parts[l->part]) &&
           l->start_count >= 0.5 * (double)all->parts[l->part].half_calls;
}

static int is_storage(const struct pit__case *all)
{
    const struct pit__around *around = &all->around;
    return around->read > READ_LEAST || around->storage_pressure > STORAGE_BUSY ||
           around->io_wait * around->seconds > STORAGE_WAIT * pit__waited(all);
}

/* The workers wait for a processor too, and more workers would not get one: the part that these waits
 * explain is subtracted. */
static double share_least(const struct pit__case *all)
{
    int is_busy = all->told.workers > 0 && all->around.delayed > BUSY;
    return SHARE_LEAST + (is_busy ? fmin(all->around.delayed, 1) / 2 : 0);
}

/* The share of the loading in which each worker used a processor, by the processor time of the program with
 * all its children; NaN: not known. */
static double worker_use(const struct pit__case *all, const struct loading *l)
{
    double children = all->used - all->around.cpu * all->around.seconds;
    double delayed = all->around.delayed > 0 ? fmin(all->around.delayed, DELAYED_MOST) : 0;
    return (children < 0 ? 0 : children) / (all->told.workers * l->seconds * (1 - delayed));
}

static enum reason reason_of(const struct pit__case *all, const struct loading *l)
{
    double waited = l->part == PIT__NO_PART ? NAN : pit__part_waited(all, &all->parts[l->part]);
    if (is_restarted(all, l))
        return RESTARTS;
    if (l->part == PIT__NO_PART || !(l->share > share_least(all)) ||
        !(l->seconds > PIT__MATTERS * all->total))
        return NO_REASON;
    if (has_few_slow(all, &all->parts[l->part]))
        return FEW_SLOW;
    if (all->told.workers > 0)
        return all->told.workers < all->around.processors ? FEW_WORKERS
               : worker_use(all, l) < WORKERS_WAIT        ? WAITING
                                                          : PROCESSOR;
    if (isnan(waited)) /* a run of an older version: use the figures of the whole process */
        waited = (1 - all->around.cpu) * all->total;
    /* running code waits for a processor too; code that waits for something else does not */
    double delayed = all->around.delayed > 0 ? all->around.delayed : 0;
    if (isnan(waited) || waited < WAITS * l->seconds * (1 - delayed))
        return delayed > BUSY && all->around.read > READ_BUSY ? STORAGE : PROCESSOR;
    return is_storage(all) ? STORAGE : WAITING;
}

/* Figures: share, seconds, seconds of the base, calls, workers, processors. */
static void add(const struct pit__case *all, struct pit__finds *finds, const struct loading *l,
                const struct pit__match *words)
{
    struct pit__match match = pit__match_of(l->part);
    match.base = l->base;
    match.share = match.figures[0] = l->share;
    match.stake = match.figures[1] = l->seconds;
    if (words->stake > 0 && words->stake < match.stake)
        match.stake = words->stake;
    match.figures[2] = pit__base_seconds(all, l->base);
    match.figures[3] = (double)all->parts[l->part].count;
    match.figures[4] = all->told.workers;
    match.figures[5] = all->around.processors;
    match.severity = l->share >= MUCH ? 2 : 1;
    match.texts[0] = words->texts[0];
    match.headline = words->headline;
    match.evidence = words->evidence ? words->evidence : "{t1} of {t2} in {c3}";
    match.remedy = words->remedy;
    match.more = words->more;
    pit__find_add(finds, &match);
}

int pit__has_loader(const struct pit__case *all)
{
    return all->told.framework && !isnan(all->told.workers);
}

static const char *more_workers(const struct pit__case *all, const struct loading *l)
{
    double share = l->share;
    if (l->part != PIT__NO_PART && pit__overlaps(all, &all->parts[l->part]))
        return PIT__MORE_AT_ONCE;
    if (!pit__has_loader(all) && share > HIDES_MOST)
        return "read ahead in several threads at once, so that they wait at the same time";
    if (!pit__has_loader(all))
        return "read ahead in another thread while the program works on what it has";
    return all->around.processors > 1
               ? "move it to loader workers: num_workers={n5}, or as many as it takes to keep up"
               : "move it to a loader worker: num_workers=1";
}

static void find_restarts(const struct pit__case *all, struct pit__finds *finds)
{
    struct loading l = find_loading(all);
    if (reason_of(all, &l) != RESTARTS)
        return;
    struct pit__match match = pit__match_of(l.starts_part);
    double waits = 0;
    if (l.part != PIT__NO_PART && has_few_slow(all, &all->parts[l.part])) {
        const struct pit__part *p = &all->parts[l.part];
        waits = p->half_seconds - p->median * (double)p->half_calls;
    }
    match.stake = match.figures[1] = l.starts + waits;
    match.share = match.figures[0] = all->total > 0 ? match.stake / all->total : NAN;
    match.figures[2] = all->total;
    match.figures[3] = l.start_count;
    match.severity = pit__severity_of(match.share);
    match.headline = "INPUT-BOUND: the loader's workers were started {n3} times, {p0} of the time";
    match.evidence = "{t1} of {t2} in starting them and waiting for their first batch";
    match.remedy = "keep the workers alive: persistent_workers=True";
    pit__find_add(finds, &match);
    /* slow first batches are caused by these starts */
    if (finds->said && l.part != PIT__NO_PART)
        finds->said[l.part] = 1;
}

static void find_few_slow(const struct pit__case *all, struct pit__finds *finds)
{
    struct loading l = find_loading(all);
    if (reason_of(all, &l) != FEW_SLOW)
        return;
    const struct pit__part *p = &all->parts[l.part];
    struct pit__match match = pit__match_of(l.part);
    match.base = l.base;
    match.share = match.figures[0] = l.share;
    match.figures[1] = (double)p->half_calls;
    match.figures[2] = (double)p->count;
    match.figures[3] = p->half_seconds / p->seconds;
    match.figures[4] = p->median;
    match.figures[5] = p->longest;
    match.stake = p->half_seconds - p->median * (double)p->half_calls;
    match.severity = l.share >= MUCH ? 2 : 1;
    match.headline =
        p->half_calls == 1
            ? "INPUT-BOUND: {name} is {p0} of {base}: one of {n2} calls takes {p3} of it"
            : "INPUT-BOUND: {name} is {p0} of {base}: {n1} of {n2} calls take {p3} of it";
    match.evidence = "median {t4}, longest {t5}";
    match.remedy = "look at what those few calls read or do; prefetching hides them";
    pit__find_add(finds, &match);
}

static void find_few_workers(const struct pit__case *all, struct pit__finds *finds)
{
    static const struct pit__match words = {
        .headline = "INPUT-BOUND: {name} is {p0} of {base}: {n4} loader workers cannot keep up",
        .evidence = "{t1} of {t2} in {c3}; {n5} processors may be used",
        .remedy = "try num_workers={n5}, or cheaper work for each sample"};
    static const struct pit__match one = {
        .headline = "INPUT-BOUND: {name} is {p0} of {base}: one loader worker cannot keep up",
        .evidence = "{t1} of {t2} in {c3}; {n5} processors may be used",
        .remedy = "try num_workers={n5}, or cheaper work for each sample"};
    struct loading l = find_loading(all);
    if (reason_of(all, &l) == FEW_WORKERS)
        add(all, finds, &l, all->told.workers == 1 ? &one : &words);
}

/* Meanwhile others of it compute: only the waits can be saved. */
static double most_saved(const struct pit__case *all, const struct loading *l)
{
    const struct pit__part *part = l->part == PIT__NO_PART ? NULL : &all->parts[l->part];
    return part && pit__overlaps(all, part) ? pit__part_waited(all, part) : 0;
}

static void find_storage(const struct pit__case *all, struct pit__finds *finds)
{
    struct loading l = find_loading(all);
    struct pit__match words = {
        .stake = most_saved(all, &l),
        .headline = "INPUT-BOUND: {name} is {p0} of {base}, waiting for storage",
        .remedy = more_workers(all, &l),
        .more = "; larger files read in order, a faster disk, data kept in memory"};
    if (reason_of(all, &l) == STORAGE)
        add(all, finds, &l, &words);
}

static void find_waiting(const struct pit__case *all, struct pit__finds *finds)
{
    struct loading l = find_loading(all);
    struct pit__match words = {.headline =
                                   "INPUT-BOUND: {name} is {p0} of {base}, waiting, not computing",
                               .stake = most_saved(all, &l),
                               .remedy = more_workers(all, &l),
                               .more = "; find out what it waits for: a network, a lock, a sleep"};
    if (all->told.workers <= 0 || isnan(all->told.workers))
        words.texts[0] =
            l.part == PIT__NO_PART ? NULL : pit__part_waits_for(all, &all->parts[l.part]);
    if (words.texts[0]) {
        words.headline = "INPUT-BOUND: {name} is {p0} of {base}, waiting {s0}";
        words.more = NULL;
    }
    if (all->told.workers > 0) {
        words.headline = "INPUT-BOUND: {name} is {p0} of {base}: its {n4} loader workers wait for "
                         "most of their time";
        words.remedy = "let each worker ask for several samples at once, or keep the data closer";
        words.more = "; find out what they wait for: a network, a disk, a lock, a sleep";
    }
    if (reason_of(all, &l) == WAITING)
        add(all, finds, &l, &words);
}

static void find_processor(const struct pit__case *all, struct pit__finds *finds)
{
    struct loading l = find_loading(all);
    int is_loader = pit__has_loader(all);
    struct pit__match words = {
        .headline = "INPUT-BOUND: {name} is {p0} of {base}, computing",
        .remedy = is_loader
                      ? more_workers(all, &l)
                      : "prepare the data once and keep it, or work on whole arrays at a time",
        .more = is_loader ? "; preprocess the data once and keep it; do whole arrays at a time"
                          : "; a second thread or process could prepare the next piece meanwhile"};
    if (isnan(all->around.cpu)) /* nothing was sampled */
        words.headline = "INPUT-BOUND: {name} is {p0} of {base}";
    if (all->told.workers > 0) {
        int is_known = !isnan(worker_use(all, &l));
        words.headline =
            is_known ? "INPUT-BOUND: {name} is {p0} of {base}: its {n4} loader workers compute"
                     : "INPUT-BOUND: {name} is {p0} of {base}: its {n4} loader workers cannot keep "
                       "up";
        words.remedy = is_known ? "preprocess the data once and keep it, or do whole arrays at a "
                                  "time: the workers use all processors"
                                : "preprocess the data once and keep it, or do whole arrays at a "
                                  "time";
        words.more = NULL;
    }
    if (reason_of(all, &l) == PROCESSOR)
        add(all, finds, &l, &words);
}

#define INPUT_RULE(NAME)                                                                           \
    const struct pit__rule pit__input_##NAME##_rule = {                                            \
        .key = "input_" #NAME, .kind = PIT__KIND_STAKE, .wants_around = 1, .find = find_##NAME}
INPUT_RULE(restarts);
INPUT_RULE(few_slow);
INPUT_RULE(few_workers);
INPUT_RULE(storage);
INPUT_RULE(waiting);
INPUT_RULE(processor);
