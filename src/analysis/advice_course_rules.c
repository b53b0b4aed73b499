/* advice_course_rules.c: rules about iterations over time, memory over time, and differences between runs. */
#include "advice_rules.h"

#include <math.h>

#define COURSE_LEAST 10   /* iterations after the warm-up, needed to judge their variation */
#define FIRST_SHARE 0.25  /* of the iterations: at most this many count as the first ones */
#define FIRST_ALONE 0.8   /* of their extra time: that of the first one alone */
#define FIRST_LEAST 0.1   /* of the total: extra time of the first ones */
#define FIRST_LITTLE 2    /* times the extra time of the first ones */
#define FIRST_SLOW 1.5    /* times the steady level */
#define FIRST_FEW 5       /* up to this many count as the first ones, however the time is spread */
#define FIRST_COMPILE 0.2 /* FIRST_LEAST, if it compiles: that is usual, and done once */
#define COMPILE_SHARE 0.3 /* of the first one's extra time: time in compile parts */
#define FEW_CALLS 0.05    /* of all calls, if they take half of the time */
#define EXPLAINED_CALLS 0.15 /* the same, if another finding explains why they are slow */
#define DRIFT_LEAST 0.1      /* of the median */
#define DRIFT_SURE 0.5       /* the same: more than a processor or its neighbours change */
#define DRIFT_FALLS 0.25   /* of its range: what grows with the run does not become shorter again */
#define LATER_OWN 0.9      /* of the additional time: one part has it, the others are as before */
#define PERIOD_COSTS 0.03  /* of the time: extra time of the slow ones over the median */
#define TRAINS_TWICE 3     /* times the median: less is a step that trains more than the others */
#define LEVELS_COST 0.1    /* of the total: cost of the later level; less can be chance */
#define SLOWDOWN_LEAST 1.3 /* times; a neighbour in the caches, or a warm processor, makes it 1.2 */
#define SLOWDOWN_SURE 1.7  /* times: more than a machine changes its speed */
#define BUSY_FIRST                                                                                 \
    0.4 /* BUSY_…: limits on a busy machine. The most that FIRST_LEAST is raised to */
#define BUSY_DRIFT 0.5 /* in place of DRIFT_LEAST */
#define OTHERS_MUCH                                                                                \
    0.25 /* processors that other programs use, and with them the caches and the core */
#define BUSY_SLOWDOWN 2 /* times, in place of SLOWDOWN_LEAST; neighbours made it 1.6 */
#define BUSY_COSTS 0.1  /* in place of PERIOD_COSTS */
#define BUSY_BEATS 8    /* slow ones needed for a period */
#define BUSY_SLOW 3     /* factor over the median, in place of FIRST_SLOW */
/* autocorrelation time; variation over longer times does not come from the input */
#define STRETCHES 4
#define VARIES 2          /* ratio of the slowest to the fastest */
#define WAITS_FEW 0.4     /* waits per iteration: most iterations had none */
#define LUCK 0.15         /* share of the time: a virtual machine loses this without a trace */
#define TOGETHER 2        /* ratio by which two parts vary together if the input causes it */
#define MEMORY_SHARE 0.05 /* least growth, as a share of the memory in use */
#define IMPORTS_MUCH 0.4  /* share of the samples of a program without spans */
#define CACHE_LEAST 64e6  /* additional bytes worth reporting */
#define RUNS_DIFFER 1.1   /* ratio of the slowest to the fastest run */

static int is_long(const struct pit__case *all)
{
    return all->has_course && all->steady.count >= COURSE_LEAST;
}

static double unit_seconds(const struct pit__case *all)
{
    return all->unit == PIT__NO_PART ? all->all.mean * (double)all->all.count
                                     : all->parts[all->unit].seconds;
}

/* A busy machine makes all durations uneven: then the durations without the waits are judged. */
static int is_seen_through(const struct pit__case *all, const struct pit__finds *finds)
{
    return finds->has_cause && all->fair.blocks > 0;
}

/* A few long calls take most of the time, and so dominate mean and trend. */
static int few_take_most(const struct pit__case *all)
{
    const struct pit__part *unit = all->unit == PIT__NO_PART ? NULL : &all->parts[all->unit];
    return unit && unit->half_calls > 0 &&
           (double)unit->half_calls <= fmax(1, FEW_CALLS * (double)unit->count);
}

/* Does waiting for storage, which was reported, explain the slow or the later iterations? How long a disk
 * takes varies, and it slows down when its buffers are full. */
static int is_by_storage(const struct pit__case *all, const struct pit__finds *finds)
{
    for (size_t i = 0; i < finds->count; i++) {
        const struct pit__advised *f = &finds->found[i];
        if (f->rule == &pit__waiting_rule && f->match.severity > 0 &&
            (f->match.part == PIT__NO_PART || f->match.part == all->slow.part ||
             f->match.part == all->later.part || f->match.part == all->unit))
            return 1;
    }
    return 0;
}

/* ---- the start -------------------------------------------------------------------------------- */

/* The first iteration's extra time. */
static double first_more(const struct pit__case *all)
{
    return fmax(fmin(all->first - all->warmup.level, all->warming), 0);
}

static int has_compiled(const struct pit__case *all)
{
    size_t part;
    uint64_t count;
    return pit__role_seconds(all, PIT__ROLE_COMPILE, &part, &count) >
           COMPILE_SHARE * first_more(all);
}

static int is_compiling(const struct pit__case *all)
{
    return all->told.compiled == 1 || has_compiled(all);
}

/* The least share of the total to report. The first iterations may have waited longer than others by
 * chance. */
static double first_least(const struct pit__case *all, const struct pit__finds *finds)
{
    double least = is_compiling(all) ? FIRST_COMPILE : FIRST_LEAST;
    double delayed = finds->has_cause && all->around.delayed > 0 ? all->around.delayed : 0;
    return delayed < 1 - least / BUSY_FIRST ? least / (1 - delayed) : BUSY_FIRST;
}

/* Figures: share of the run, the first, the level, how many are slow, time above the level. */
static void find_first_step(const struct pit__case *all, struct pit__finds *finds)
{
    double level = all->warmup.level, run = all->wall > all->total ? all->wall : all->total;
    int is_alone = all->first - level > FIRST_ALONE * all->warming;
    /* after a compilation that is known, or if it is alone, those after it were only disturbed */
    int is_one = is_alone || has_compiled(all);
    double more = is_one ? first_more(all) : all->warming;
    if (!all->has_course || all->unit == PIT__NO_PART || !(level > 0) || all->warmup.ends_at == 0 ||
        !(all->first > FIRST_SLOW * level) || !(more > first_least(all, finds) * all->total) ||
        (is_seen_through(all, finds) && all->fair.warming < FIRST_LEAST) ||
        (!is_alone && (double)all->warmup.ends_at > fmax(1, FIRST_SHARE * (double)all->all.count)))
        return;
    if (all->warmup.ends_at > FIRST_FEW && all->first - level < all->warming / 2)
        return; /* many are a little slower: not caused by the first one */
    struct pit__match match = pit__match_of(all->unit);
    match.share = match.figures[0] = all->first / run;
    match.figures[1] = all->first;
    match.figures[2] = level;
    match.figures[3] = is_one ? 1 : (double)all->warmup.ends_at;
    match.stake = match.figures[4] = more;
    match.severity = pit__severity_of(more / all->total);
    if (is_compiling(all)) {
        match.headline = "COMPILE: the first {name} took {t1}, {p0} of the run, the others {t2}";
        match.remedy = "compile once and keep the result, and leave it out of comparisons";
        match.more = "; inputs of one shape are compiled once";
    } else {
        match.headline = "FIRST STEP: the first {name} took {t1}, {p0} of the run, the others {t2}";
        match.remedy = "prepare once before the loop, and leave it out of comparisons";
        match.more = ": loading, compiling, allocating happen once";
    }
    match.evidence = "{t4} above the level of the others, in the first {n3}";
    pit__find_add(finds, &match);
    const struct pit__part *unit = &all->parts[all->unit];
    if (finds->said && unit->own_parts > 0 && unit->self_seconds > FIRST_LITTLE * all->warming)
        finds->said[all->unit] = 0; /* much more time is outside its marked parts: another matter */
}

/* The first call of a part of the loop, if the loop itself has no slow start. Figures as above. */
static void find_first_call(const struct pit__case *all, struct pit__finds *finds)
{
    double run = all->wall > all->total ? all->wall : all->total;
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        double more = p->longest - p->median;
        if (p->apart || p->children > 0 || !p->is_longest_first || p->count < PIT__ADVICE_PASSES ||
            !(more > first_least(all, finds) * all->total) ||
            !(p->longest > FIRST_SLOW * p->median) ||
            more < (p->seconds - p->median * (double)p->count) / 2)
            continue;
        struct pit__match match = pit__match_of(i);
        match.share = match.figures[0] = p->longest / run;
        match.figures[1] = p->longest;
        match.figures[2] = p->median;
        match.figures[3] = 1;
        match.stake = match.figures[4] = more;
        match.severity = pit__severity_of(more / all->total);
        match.headline = "FIRST STEP: the first {name} took {t1}, {p0} of the run, the others {t2}";
        match.evidence = "{t4} above the median of the others";
        match.remedy = "prepare once before the loop, and leave it out of comparisons";
        pit__find_add(finds, &match);
    }
}

static void find_first(const struct pit__case *all, struct pit__finds *finds)
{
    size_t before = finds->count;
    find_first_step(all, finds);
    if (finds->count == before)
        find_first_call(all, finds);
}

/* ---- the course ------------------------------------------------------------------------------- */

/* The part that takes longer in the later iterations, or where the time outside of all parts is; NULL: none
 * stands out. */
static const char *grows_at(const struct pit__case *all)
{
    if (all->later.part != PIT__NO_PART)
        return all->parts[all->later.part].name;
    return all->later.is_unmarked ? all->parts[all->unit].place : NULL;
}

/* Did several parts become slower? If the processor, or other machines on its host, change their speed, all do.
 * Of a long run it may not be known. */
static int are_several(const struct pit__case *all)
{
    int is_known = all->later.part != PIT__NO_PART || all->later.is_unmarked;
    return is_known && all->later.share < LATER_OWN;
}

/* A small change that comes and goes, or that several parts have. */
static int is_by_machine(const struct pit__case *all, double drift)
{
    return drift < DRIFT_SURE && (all->steady.falls > DRIFT_FALLS || are_several(all));
}

/* Figures: change, median, iterations. */
static void find_drift(const struct pit__case *all, struct pit__finds *finds)
{
    int is_fair = is_seen_through(all, finds);
    enum pit__course course = all->warmup.course;
    double drift = is_fair ? all->fair.drift : all->steady.drift;
    int is_course = is_fair || course == PIT__COURSE_DRIFT || course == PIT__COURSE_SLOWDOWN ||
                    course == PIT__COURSE_UNSTEADY;
    if (!is_long(all) || !is_course || is_by_storage(all, finds) || is_by_machine(all, drift) ||
        !(drift > (finds->has_cause ? BUSY_DRIFT : DRIFT_LEAST)) ||
        (is_fair ? all->fair.step_up : all->step_up) > 1 || (!is_fair && few_take_most(all)))
        return;
    struct pit__match match = pit__match_of(all->unit);
    match.figures[0] = drift;
    match.figures[1] = all->steady.median;
    match.figures[2] = (double)all->steady.count;
    match.stake = unit_seconds(all) * fmin(drift / 2, 0.9);
    match.severity = 2;
    match.texts[0] = grows_at(all);
    match.headline = match.texts[0]
                         ? "DRIFT: {name} became {p0} slower during the run, because of {s0}"
                         : "DRIFT: {name} became {p0} slower during the run";
    match.evidence = is_fair ? "change in duration over {c2}, not counting waits for a processor; "
                               "median with these waits {t1}"
                             : "change in duration over {c2}, median {t1}";
    match.remedy = "look for work that grows with the run";
    match.more = ": lists that are searched or copied, memory that is not freed,"
                 " a processor that gets hot";
    pit__find_add(finds, &match);
}

/* Slow iterations that another finding explains, and that are few, or no more in the second half than
 * before. */
static int are_explained(const struct pit__case *all, const struct pit__finds *finds)
{
    const struct pit__part *unit = all->unit == PIT__NO_PART ? NULL : &all->parts[all->unit];
    int are_few = unit && (double)unit->half_calls <= EXPLAINED_CALLS * (double)unit->count;
    return finds->said && all->slow.part != PIT__NO_PART && finds->said[all->slow.part] &&
           (are_few || all->later.part != all->slow.part);
}

/* Figures: later level against the first, first level, iterations, mean, later level. */
static void find_slowdown(const struct pit__case *all, struct pit__finds *finds)
{
    int is_fair = is_seen_through(all, finds);
    int is_course = !is_fair && all->warmup.course == PIT__COURSE_SLOWDOWN &&
                    (double)all->warmup.ends_at <= FIRST_SHARE * (double)all->all.count;
    double first = is_course ? all->warmup.level : is_fair ? all->fair.step_from : all->step_from;
    double times = is_course ? all->steady.mean / first
                   : is_fair ? all->fair.step_up
                             : all->step_up;
    if (!is_long(all) || is_by_storage(all, finds) || (times < SLOWDOWN_SURE && are_several(all)) ||
        (!is_fair && (few_take_most(all) || are_explained(all, finds))) ||
        !(times >
          (finds->has_cause || pit__others(all) > OTHERS_MUCH ? BUSY_SLOWDOWN : SLOWDOWN_LEAST)))
        return;
    struct pit__match match = pit__match_of(all->unit);
    match.figures[0] = times;
    match.figures[1] = first;
    match.figures[2] = (double)all->steady.count;
    match.figures[3] = all->steady.mean;
    match.figures[4] = first * times;
    match.stake = unit_seconds(all) * (is_fair ? all->fair.above : 1 - first / all->steady.mean);
    match.severity = 2;
    match.headline = is_course
                         ? "SLOWDOWN: after a faster start, {name} takes {x0} as long on average"
                         : "SLOWDOWN: partway through the run, {name} begins to take {x0} as long";
    match.texts[0] = grows_at(all);
    if (match.texts[0])
        match.headline = is_course ? "SLOWDOWN: after a faster start, {name} takes {x0} as long on "
                                     "average, because of {s0}"
                                   : "SLOWDOWN: partway through the run, {name} begins to take "
                                     "{x0} as long, because of {s0}";
    match.evidence = is_fair ? "{t1} at first, then {t4}, not counting waits for a processor"
                             : "{t1} at first, mean {t3} over {c2}";
    match.remedy = "find out what changed at that point";
    match.more = ": other programs on the machine, a hot processor, a cache that filled up";
    double least = all->total > 0 && !is_course ? LEVELS_COST * all->total : 0;
    if (match.stake > least)
        pit__find_add(finds, &match);
}

/* Do some steps train more than the others, at a regular interval? A second model that is trained less often,
 * an update that is due. */
static int trains_twice(const struct pit__case *all)
{
    const struct pit__variation *v = &all->steady;
    return v->period > 0 && all->slow.part != PIT__NO_PART &&
           pit__is_step_role(all->parts[all->slow.part].role) &&
           v->slow_mean < TRAINS_TWICE * v->median;
}

/* Figures: period, slow mean, median, slow ones, iterations, share of time lost, share of the child. */
static void find_periodic_stall(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__variation *v = &all->steady;
    if (!is_long(all) || !all->in_order || v->period == 0 || !pit__is_loop(all))
        return;
    double lost = (double)v->slow_count * (v->slow_mean - v->median);
    struct pit__match match = pit__match_of(all->unit);
    match.figures[0] = (double)v->period;
    match.figures[1] = v->slow_mean;
    match.figures[2] = v->median;
    match.figures[3] = (double)v->slow_count;
    match.figures[4] = (double)v->count;
    match.figures[5] = lost / (v->mean * (double)v->count);
    match.figures[6] = all->slow.share;
    match.stake = lost;
    match.severity = 2;
    match.headline = "PERIODIC STALL: one {name} in {n0} takes {t1} instead of {t2}";
    match.evidence = "{n3} of {n4} are slow, which costs {p5} of the time";
    match.remedy = "look for work that happens once in {n0} iterations";
    match.more = pit__is_training(all)
                     ? ": logging, checkpoints, evaluation, a loader that refills, garbage "
                       "collection"
                     : ": output, buffers that are refilled, tables that are rebuilt";
    if (all->slow.part != PIT__NO_PART) {
        match.texts[0] = all->parts[all->slow.part].name;
        match.headline =
            "PERIODIC STALL: one {name} in {n0} takes {t1} instead of {t2}, because of {s0}";
        match.evidence = "{n3} of {n4} are slow, which costs {p5} of the time; {s0} makes up {p6} "
                         "of the extra time";
        match.remedy = "look at what {s0} does once in {n0} iterations";
        match.more = NULL;
    } else if (all->slow.is_unmarked && all->unit != PIT__NO_PART && all->parts[all->unit].place) {
        match.texts[0] = all->parts[all->unit].place;
        match.headline = "PERIODIC STALL: one {name} in {n0} takes {t1} instead of {t2}, outside "
                         "its marked parts, most at {s0}";
        match.remedy = pit__look_at(match.texts[0]);
        match.more = NULL;
    }
    if (trains_twice(all))
        return;
    if (finds->said && ((all->slow.part != PIT__NO_PART && finds->said[all->slow.part]) ||
                        /* the cause was already reported */
                        (all->slow.is_unmarked && finds->said[all->unit])))
        return;
    int is_chance = finds->has_cause && !v->is_ranked;
    /* a few long waits always fit some period */
    if (is_chance && v->slow_count < BUSY_BEATS)
        return;
    if (match.figures[5] > (is_chance ? BUSY_COSTS : PERIOD_COSTS) &&
        v->slow_mean > (is_chance ? BUSY_SLOW : FIRST_SLOW) * v->median)
        pit__find_add(finds, &match);
}

/* Waiting for a processor makes some iterations longer, but rarely several parts of the same iteration. And
 * if few iterations waited, the shorter half of them is not affected. */
static int is_uneven_by_itself(const struct pit__case *all)
{
    double waits = all->around.forced * unit_seconds(all) / (double)all->all.count;
    return all->together > TOGETHER || (waits < WAITS_FEW && all->steady.low_spread > VARIES);
}

/* Several iterations must be far from the median and cost time: one that lost the processor does not count.
 * Figures: ratio, max, min, variation, outliers, iterations, share of the child. */
static void find_high_variance(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__variation *v = &all->steady;
    int is_its_own = is_uneven_by_itself(all);
    double by_luck = LUCK + (all->around.delayed > 0 ? 2 * all->around.delayed : 0);
    if ((finds->has_cause && !is_its_own) || is_by_storage(all, finds) ||
        all->warmup.autocorrelated > STRETCHES || !is_long(all) || trains_twice(all) ||
        !(v->ratio > VARIES) || v->off_count < 3 ||
        !((double)v->off_count > PIT__MATTERS * (double)v->count) ||
        !(v->excess > (is_its_own ? PIT__MATTERS : by_luck)))
        return;
    if ((all->slow.part != PIT__NO_PART && finds->said[all->slow.part]) ||
        (all->unit != PIT__NO_PART && finds->said[all->unit]))
        return;
    struct pit__match match = pit__match_of(all->unit);
    double figures[] = {
        v->ratio,         v->max,         v->min, v->variation, (double)v->outlier_count,
        (double)v->count, all->slow.share};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        match.figures[i] = figures[i];
    match.stake = v->excess * unit_seconds(all);
    match.headline = "HIGH VARIANCE: the slowest {name} takes {x0} the fastest";
    match.evidence = "longest {t1}, shortest {t2} of {c5}, coefficient of variation {p3}, "
                     "{n4} outliers";
    if (all->slow.part != PIT__NO_PART) {
        match.texts[0] = all->parts[all->slow.part].name;
        match.headline =
            "HIGH VARIANCE: the slowest {name} takes {x0} the fastest, because of {s0}";
        match.remedy =
            "look at what {s0} does in the slow ones; inputs of equal size would even it out";
    } else {
        match.remedy = "use inputs of equal size, or sort them by size";
    }
    pit__find_add(finds, &match);
}

/* ---- memory, and several runs ------------------------------------------------------------------ */

/* Memory that a program takes in its first iterations, while it loads and compiles, is not a leak. Figures:
 * growth per minute, growth, RSS, limit, minutes until the limit. */
static void find_leak(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    if (!all->is_growing || !(all->grown > MEMORY_SHARE * all->held) || pit__recompiles(all))
        return; /* repeated compilation: that rule says more */
    if (all->part_count == 0 && all->imports > IMPORTS_MUCH)
        return; /* libraries that are loaded take memory */
    match.path = all->grows_in;
    match.figures[0] = all->growth_a_minute;
    match.figures[1] = all->grown;
    match.figures[2] = all->held;
    match.figures[3] = all->limit;
    match.figures[4] = 60 * (all->limit - all->held) / all->growth_a_minute;
    match.severity = 2;
    match.headline = "LEAK: memory grows by {b0} a minute";
    if (all->unit == PIT__NO_PART) { /* a program that collects data looks the same */
        match.severity = 0;
        match.headline = "LEAK?: memory grows by {b0} a minute, to the end of the run";
    }
    if (all->unit != PIT__NO_PART && all->parts[all->unit].count >= PIT__ADVICE_PASSES) {
        match.texts[0] = all->parts[all->unit].name;
        match.figures[5] = all->grown / (double)all->parts[all->unit].count;
        match.headline = "LEAK: memory grows by {b0} a minute, about {b5} for each {s0}";
    }
    match.evidence = all->limit > all->held
                         ? "grew by {b1} after the start, to {b2}; at this rate it reaches the "
                           "limit of {b3} in {t4}"
                         : "grew by {b1} after the start, to {b2}";
    match.remedy = all->unit == PIT__NO_PART
                       ? "unless it needs all of it, look for objects that are kept"
                       : "look for objects that are kept from one iteration to the next";
    match.more = all->told.framework
                     ? ": losses with the graphs behind them, caches without a bound, "
                       "buffers that are not freed"
                     : ": lists and caches without a bound, buffers that are not freed";
    pit__find_add(finds, &match);
}

/* Figures: RSS above the first, RSS, growth per minute. */
static void find_cache(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    match.figures[0] = all->held - all->held_at_first;
    match.figures[1] = all->held;
    match.figures[2] = all->growth_a_minute;
    match.severity = 0;
    match.headline = "CACHE: memory rose by {b0} and then stopped growing";
    match.evidence = "{b1} in use at the end; growth is within the noise of the readings";
    if (!all->is_growing && !isnan(all->growth_a_minute) && match.figures[0] > CACHE_LEAST &&
        match.figures[0] > all->held_at_first)
        pit__find_add(finds, &match);
}

/* Figures: ratio, slowest, fastest, runs. */
static void find_runs_vary(const struct pit__case *all, struct pit__finds *finds)
{
    if (all->run_count < 2 || !(all->fastest_run > 0) ||
        !(all->slowest_run / all->fastest_run > RUNS_DIFFER))
        return;
    struct pit__match match = pit__match_of(all->unit);
    match.figures[0] = all->slowest_run / all->fastest_run;
    match.figures[1] = all->slowest_run;
    match.figures[2] = all->fastest_run;
    match.figures[3] = (double)all->run_count;
    match.headline = "RUNS VARY: {name} takes {t1} in the slowest of {n3} runs, {t2} in the "
                     "fastest ({x0})";
    match.evidence = "by the median of each run";
    match.remedy = "repeat the runs, or interleave them (pitwall race), before calling one faster";
    match.more = "; close other programs, turn off autotuning";
    pit__find_add(finds, &match);
}

#define COURSE_RULE(NAME)                                                                          \
    const struct pit__rule pit__##NAME##_rule = {.key = #NAME,                                     \
                                                 .kind = PIT__KIND_STAKE,                          \
                                                 .is_course = 1,                                   \
                                                 .wants_around = 1,                                \
                                                 .find = find_##NAME}
COURSE_RULE(drift);
COURSE_RULE(slowdown);
COURSE_RULE(periodic_stall);
COURSE_RULE(high_variance);

const struct pit__rule pit__first_step_rule = {
    .key = "first_step", .kind = PIT__KIND_STAKE, .find = find_first};
const struct pit__rule pit__leak_rule = {
    .key = "leak", .kind = PIT__KIND_DANGER, .find = find_leak};
const struct pit__rule pit__cache_rule = {
    .key = "cache", .kind = PIT__KIND_KNOW, .find = find_cache};
const struct pit__rule pit__runs_vary_rule = {
    .key = "runs_vary", .kind = PIT__KIND_STAKE, .find = find_runs_vary};
