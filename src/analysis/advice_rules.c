/* advice_rules.c: the table of rules. A rule is added here alone: when it holds, and its words.
 * Thresholds and remedies are those of docs/analysis.md. */
#include "advice.h"

#include <math.h>

#define MATTERS 0.05      /* of the whole time, below which a part is not worth a word */
#define COURSE_LEAST 10   /* passages after the warm-up, to speak of how they vary */
#define FIRST_SHARE 0.25  /* of the passages, that may be slow to be called the first */
#define FIRST_SLOW 1.5    /* times the steady level */
#define MEMORY_SHARE 0.05 /* of what is held, that memory has to grow by */
#define CACHE_LEAST 64e6  /* bytes held more than at first, that are worth a word */
#define RUNS_DIFFER 1.1   /* times, slowest to fastest run */
#define PERIOD_COSTS 0.03 /* of the time, that the slow ones take over the median */

/* ---- parts ---------------------------------------------------------------------------------- */

static int has_role(const struct pit__case *all, size_t part, enum pit__role role)
{
    const struct pit__part *p = &all->parts[part];
    if (pit__role_of(p->name) != role)
        return 0;
    /* data/load is one part, not two */
    return p->parent == PIT__NO_PART || pit__role_of(all->parts[p->parent].name) != role;
}

/* What a part's share is of: the batch or step around it, else its parent, else everything. In plain
 * rows nothing is around anything: there a step that is a row of its own. */
static size_t base_of(const struct pit__case *all, size_t part, int any_step)
{
    for (size_t i = all->parts[part].parent; i != PIT__NO_PART; i = all->parts[i].parent) {
        enum pit__role role = pit__role_of(all->parts[i].name);
        if (i == all->unit || role == PIT__ROLE_BATCH || role == PIT__ROLE_STEP)
            return i;
    }
    if (all->by_letter && any_step)
        for (size_t i = 0; i < all->part_count; i++) {
            enum pit__role role = pit__role_of(all->parts[i].name);
            if (i != part && (role == PIT__ROLE_BATCH || role == PIT__ROLE_STEP) &&
                all->parts[i].seconds >= all->parts[part].seconds)
                return i;
        }
    return all->parts[part].parent;
}

/* Does a part take more than `over` of its base? Figures: share, time, time of the base, passages. */
static int takes_over(const struct pit__case *all, size_t part, size_t base, double over,
                      struct pit__match *match)
{
    const struct pit__part *p = &all->parts[part];
    double whole = base == PIT__NO_PART ? all->total : all->parts[base].seconds;
    match->base = base;
    match->share = match->figures[0] = p->seconds / whole;
    match->figures[1] = p->seconds;
    match->figures[2] = whole;
    match->figures[3] = (double)p->count;
    return whole > 0 && p->seconds > over * whole && p->seconds > MATTERS * all->total;
}

static int input_bound(const struct pit__case *all, size_t part, struct pit__match *match)
{
    return has_role(all, part, PIT__ROLE_DATA) &&
           takes_over(all, part, base_of(all, part, 0), 0.3, match);
}

static int forward_bound(const struct pit__case *all, size_t part, struct pit__match *match)
{
    return has_role(all, part, PIT__ROLE_FORWARD) &&
           takes_over(all, part, base_of(all, part, 1), 0.5, match);
}

static int backward_bound(const struct pit__case *all, size_t part, struct pit__match *match)
{
    return has_role(all, part, PIT__ROLE_BACKWARD) &&
           takes_over(all, part, base_of(all, part, 1), 0.4, match);
}

static int loss_bound(const struct pit__case *all, size_t part, struct pit__match *match)
{
    return has_role(all, part, PIT__ROLE_LOSS) &&
           takes_over(all, part, base_of(all, part, 1), 0.5, match);
}

/* A step as a whole is most of the time by nature: worth a word where others stand beside it and
 * its marked parts do not say where its time goes. */
static int step_bound(const struct pit__case *all, size_t part, struct pit__match *match)
{
    const struct pit__part *p = &all->parts[part];
    double inside = p->seconds - p->self_seconds, beside = all->total - p->seconds;
    if (!has_role(all, part, PIT__ROLE_STEP) || !(beside > MATTERS * all->total))
        return 0;
    for (size_t i = 0; i < all->part_count && all->by_letter; i++)
        if (i != part && pit__role_of(all->parts[i].name) == PIT__ROLE_LOSS)
            inside += all->parts[i].seconds;
    return inside <= p->seconds / 2 && takes_over(all, part, PIT__NO_PART, 0.5, match);
}

/* Any part, by the time of its own. What has a rule of its own is left to that, and what only holds
 * others together to the next one. */
static int own_share(const struct pit__case *all, size_t part, struct pit__match *match)
{
    const struct pit__part *p = &all->parts[part];
    match->share = match->figures[0] = all->total > 0 ? p->self_seconds / all->total : 0;
    match->figures[1] = p->self_seconds;
    match->figures[2] = all->total;
    match->figures[3] = (double)p->count;
    if (all->by_letter)
        return !p->apart;
    return (p->children == 0 && all->part_count > 1 && pit__role_of(p->name) == PIT__ROLE_NONE);
}

static int bottleneck(const struct pit__case *all, size_t part, struct pit__match *match)
{
    return own_share(all, part, match) && match->share > 0.5;
}

static int consider(const struct pit__case *all, size_t part, struct pit__match *match)
{
    return own_share(all, part, match) && match->share > 0.2 && match->share <= 0.5;
}

static int unmarked(const struct pit__case *all, size_t part, struct pit__match *match)
{
    own_share(all, part, match);
    return all->parts[part].children > 0 && match->share > 0.5;
}

/* ---- the course of the repeated part ---------------------------------------------------------- */

static int is_long(const struct pit__case *all)
{
    return all->has_course && all->steady.count >= COURSE_LEAST;
}

/* Figures: times the level, the first, the level, how many are slow. */
static int first_batch(const struct pit__case *all, size_t part, struct pit__match *match)
{
    (void)part;
    double level = all->warmup.level;
    if (!all->has_course || !(level > 0) || all->warmup.ends_at == 0)
        return 0;
    match->part = all->unit;
    match->figures[0] = all->first / level;
    match->figures[1] = all->first;
    match->figures[2] = level;
    match->figures[3] = (double)all->warmup.ends_at;
    return all->first > FIRST_SLOW * level &&
           (double)all->warmup.ends_at <= fmax(1, FIRST_SHARE * (double)all->all.count);
}

/* Figures: period, slow mean, median, slow ones, passages, share of time lost. */
static int periodic_stall(const struct pit__case *all, size_t part, struct pit__match *match)
{
    (void)part;
    const struct pit__variation *v = &all->steady;
    if (!is_long(all) || !all->in_order || v->period == 0)
        return 0;
    double lost = (double)v->slow_count * (v->slow_mean - v->median);
    match->part = all->unit;
    match->figures[0] = (double)v->period;
    match->figures[1] = v->slow_mean;
    match->figures[2] = v->median;
    match->figures[3] = (double)v->slow_count;
    match->figures[4] = (double)v->count;
    match->figures[5] = lost / (v->mean * (double)v->count);
    return match->figures[5] > PERIOD_COSTS && v->slow_mean > FIRST_SLOW * v->median;
}

/* Figures: change, median, passages. */
static int drift(const struct pit__case *all, size_t part, struct pit__match *match)
{
    (void)part;
    if (!is_long(all) || !(all->steady.drift > 0.1))
        return 0;
    match->part = all->unit;
    match->figures[0] = all->steady.drift;
    match->figures[1] = all->steady.median;
    match->figures[2] = (double)all->steady.count;
    return all->warmup.course == PIT__COURSE_DRIFT || all->warmup.course == PIT__COURSE_SLOWDOWN ||
           all->warmup.course == PIT__COURSE_UNSTEADY;
}

/* Figures: slow level against the level, level, passages. */
static int slowdown(const struct pit__case *all, size_t part, struct pit__match *match)
{
    (void)part;
    if (!is_long(all) || all->warmup.course != PIT__COURSE_SLOWDOWN)
        return 0;
    match->part = all->unit;
    match->figures[0] = all->steady.mean / all->warmup.level;
    match->figures[1] = all->warmup.level;
    match->figures[2] = (double)all->steady.count;
    match->figures[3] = all->steady.mean;
    return match->figures[0] > 1.1;
}

/* By the letter: the slowest is over twice the fastest. Of a run: besides that, several are off and
 * it costs time: one passage that met another program's turn is no variance. Figures: ratio, max,
 * min, variation, outliers, index of the first. */
static int high_variance(const struct pit__case *all, size_t part, struct pit__match *match)
{
    (void)part;
    const struct pit__variation *v = all->by_letter ? &all->all : &all->steady;
    if (!all->has_course || v->count < 2 || !(v->ratio > 2))
        return 0;
    match->part = all->unit;
    match->figures[0] = v->ratio;
    match->figures[1] = v->max;
    match->figures[2] = v->min;
    match->figures[3] = v->variation;
    match->figures[4] = (double)v->outlier_count;
    match->figures[5] = (double)v->count;
    if (all->by_letter)
        return 1;
    return v->count >= COURSE_LEAST && v->off_count >= 3 &&
           (double)v->off_count > MATTERS * (double)v->count && v->excess > MATTERS;
}

/* ---- memory, and several runs ------------------------------------------------------------------ */

/* What a program takes in its first passages, where it loads and compiles, is no leak. Figures: a
 * minute, grown, held. */
static int leak(const struct pit__case *all, size_t part, struct pit__match *match)
{
    (void)part;
    match->path = all->grows_in;
    match->figures[0] = all->growth_a_minute;
    match->figures[1] = all->grown;
    match->figures[2] = all->held;
    return all->is_growing && all->grown_on > MEMORY_SHARE * all->held;
}

/* Figures: held more than at first, held, growth a minute. */
static int cache(const struct pit__case *all, size_t part, struct pit__match *match)
{
    (void)part;
    match->figures[0] = all->held - all->held_at_first;
    match->figures[1] = all->held;
    match->figures[2] = all->growth_a_minute;
    return !all->is_growing && !isnan(all->growth_a_minute) && match->figures[0] > CACHE_LEAST &&
           match->figures[0] > all->held_at_first;
}

/* Figures: times, slowest, fastest, runs. */
static int runs_vary(const struct pit__case *all, size_t part, struct pit__match *match)
{
    (void)part;
    if (all->run_count < 2 || !(all->fastest_run > 0))
        return 0;
    match->part = all->unit;
    match->figures[0] = all->slowest_run / all->fastest_run;
    match->figures[1] = all->slowest_run;
    match->figures[2] = all->fastest_run;
    match->figures[3] = (double)all->run_count;
    return match->figures[0] > RUNS_DIFFER;
}

/* ---- the table ----------------------------------------------------------------------------------- */

#define WARNS "\xe2\x9a\xa0\xef\xb8\x8f  " /* ⚠️ */
#define HINTS "\xe2\x9a\xa1 "              /* ⚡ */
#define SHARE_EVIDENCE "{t1} of {t2} in {c3}"

const struct pit__rule pit__rules[] = {
    {.key = "input_bound",
     .severity = 2,
     .topic = PIT__TOPIC_PART,
     .leads = 1,
     .wants_around = 1,
     .is_share = 1,
     .holds = input_bound,
     .mark = "",
     .headline = "INPUT-BOUND: {name} is {p0} of {base}",
     .evidence = SHARE_EVIDENCE,
     .remedy = "try more loader workers, pinned memory, prefetching",
     .more = "; preprocess the data offline"},
    {.key = "forward_bound",
     .severity = 2,
     .topic = PIT__TOPIC_PART,
     .leads = 1,
     .wants_around = 1,
     .is_share = 1,
     .holds = forward_bound,
     .mark = "",
     .headline = "FORWARD-BOUND: {name} is {p0} of {base}",
     .evidence = SHARE_EVIDENCE,
     .remedy = "try mixed precision, a smaller model, gradient checkpointing",
     .more = "; smaller is: fewer filters, fewer layers, depthwise separable "
             "convolutions; checkpointing pays where memory limits the batch"},
    {.key = "backward_bound",
     .severity = 2,
     .topic = PIT__TOPIC_PART,
     .leads = 1,
     .wants_around = 1,
     .is_share = 1,
     .holds = backward_bound,
     .mark = "",
     .headline = "BACKWARD-BOUND: {name} is {p0} of {base}",
     .evidence = SHARE_EVIDENCE,
     .remedy = "try gradient accumulation over smaller batches, mixed precision with a"
               " gradient scaler",
     .more = "; clear gradients that are not used any more"},
    {.key = "loss_bound",
     .severity = 2,
     .topic = PIT__TOPIC_PART,
     .leads = 1,
     .wants_around = 1,
     .is_share = 1,
     .holds = loss_bound,
     .mark = "",
     .headline = "LOSS-BOUND: {name} is {p0} of {base}",
     .evidence = SHARE_EVIDENCE,
     .remedy = "try a simpler model, mixed precision, compiling once for all shapes"},
    {.key = "leak",
     .severity = 2,
     .topic = PIT__TOPIC_MEMORY,
     .leads = 1,
     .holds = leak,
     .mark = "",
     .headline = "LEAK: memory grows by {b0} a minute",
     .evidence = "{b1} more over the run's second half, {b2} held at last",
     .remedy = "look for what is kept from one passage to the next",
     .more = ": losses with the graphs behind them, caches without a bound, "
             "buffers that are not freed"},
    {.key = "drift",
     .severity = 2,
     .topic = PIT__TOPIC_COURSE,
     .leads = 1,
     .wants_around = 1,
     .holds = drift,
     .mark = "",
     .headline = "DRIFT: {name} became {p0} slower along the run",
     .evidence = "the change of its duration over {c2}, median {t1}",
     .remedy = "look for work that grows with the run",
     .more = ": lists that are searched or copied, memory that is not freed,"
             " a processor that gets hot"},
    {.key = "periodic_stall",
     .severity = 2,
     .topic = PIT__TOPIC_COURSE,
     .leads = 1,
     .wants_around = 1,
     .holds = periodic_stall,
     .mark = "",
     .headline = "PERIODIC STALL: every {n0} passages of {name} one takes {t1} in place "
                 "of {t2}",
     .evidence = "{n3} slow ones of {n4}, {p5} of the time",
     .remedy = "look for what is done every {n0} passages",
     .more = ": logging, checkpoints, evaluation, a loader that refills, "
             "garbage collection"},
    {.key = "high_variance",
     .severity = 2,
     .topic = PIT__TOPIC_COURSE,
     .leads = 1,
     .wants_around = 1,
     .holds = high_variance,
     .mark = WARNS,
     .headline = "High variance ({x0}) - investigate outliers!",
     .evidence = "longest {t1}, shortest {t2} of {c5}, coefficient of variation"
                 " {p3}, {n4} outliers",
     .remedy = "try inputs padded to one size or batches sorted by size",
     .more = "; a smaller cache if memory is short, pinned memory, augmentations "
             "computed beforehand"},
    {.key = "slowdown",
     .severity = 2,
     .topic = PIT__TOPIC_COURSE,
     .leads = 1,
     .wants_around = 1,
     .holds = slowdown,
     .mark = "",
     .headline = "SLOWDOWN: {name} was faster at first, {x0} of that on average",
     .evidence = "{t1} at first, mean {t3} of {c2}",
     .remedy = "look at what changed then",
     .more = ": other programs on the machine, a hot processor, a cache that"
             " filled up"},
    {.key = "bottleneck",
     .severity = 2,
     .topic = PIT__TOPIC_PART,
     .wants_around = 1,
     .holds = bottleneck,
     .mark = WARNS,
     .headline = "BOTTLENECK: {name} ({f0})",
     .evidence = SHARE_EVIDENCE,
     .remedy = "start here: nothing else can gain as much"},
    {.key = "first_batch",
     .severity = 1,
     .topic = PIT__TOPIC_START,
     .leads = 1,
     .holds = first_batch,
     .mark = "",
     .headline = "FIRST BATCH SLOW: {name} took {t1} at first, {t2} later ({x0})",
     .evidence = "slower than the steady level: the first {n3}",
     .remedy = "run a warm-up batch before timing, or leave it out",
     .more = "; initialisation, compilation and allocation happen once"},
    {.key = "step_bound",
     .severity = 1,
     .topic = PIT__TOPIC_PART,
     .wants_around = 1,
     .holds = step_bound,
     .mark = "",
     .headline = "STEP: {name} is {p0} of {base}",
     .evidence = SHARE_EVIDENCE,
     .remedy = "mark its parts with spans, try other batch sizes, look for "
               "computations nobody needs"},
    {.key = "unmarked",
     .severity = 1,
     .topic = PIT__TOPIC_PART,
     .holds = unmarked,
     .mark = "",
     .headline = "UNMARKED: {name} spends {p0} of {base} outside of its parts",
     .evidence = "{t1} of {t2}",
     .remedy = "mark more of it with spans to see where that goes"},
    {.key = "consider",
     .severity = 1,
     .topic = PIT__TOPIC_PART,
     .holds = consider,
     .mark = HINTS,
     .headline = "Consider optimizing: {name} ({f0})",
     .evidence = SHARE_EVIDENCE,
     .remedy = "worth a look after what is larger"},
    {.key = "runs_vary",
     .severity = 1,
     .topic = PIT__TOPIC_RUNS,
     .holds = runs_vary,
     .mark = "",
     .headline = "RUNS VARY: {name} takes {t1} in the slowest of {n3} runs, {t2} in the "
                 "fastest ({x0})",
     .evidence = "medians of each run",
     .remedy = "repeat, or let them take turns (pitwall race), before one is called "
               "faster",
     .more = "; close other programs, switch off what chooses algorithms by trial"},
    {.key = "cache",
     .severity = 0,
     .topic = PIT__TOPIC_MEMORY,
     .holds = cache,
     .mark = "",
     .headline = "CACHE: {b0} are held without growing",
     .evidence = "{b1} held at last; growth is within the noise of the readings",
     .remedy = "nothing to do: memory kept to be used again is a cache, not a leak"},
    {.key = NULL},
};
