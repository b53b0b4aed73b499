/* advice_part_rules.c: parts that take more time than parts of their kind usually do. */
#include "advice_rules.h"

#include <math.h>
#include <string.h>

#define VALIDATION_LEAST 0.15 /* share of the time in spans */
#define MOST_OF_ALL 0.9       /* a program that does nothing else does not train */
#define CHECKPOINT_LEAST 0.05
#define SAVES_LEAST 0.1 /* share of the run in functions that save, by samples */
#define SAVES_MOST 0.5  /* of the time between the spans: then it is explained */
#define REPEATED 3      /* fewest calls: work done once at the end is normal */
#define LOGGING_LEAST 0.08
#define SAVE_LESS "save less often, or hand a copy to another thread or process"
#define UNMARKED_MOST 0.5    /* share of the total; also for any other part */
#define UNMARKED_LEAST 0.25  /* share of the batch or step outside its parts */
#define UNMARKED_OUTSIDE 0.3 /* share of the time between the first and the last span */
#define OUTSIDE_RUN 0.2      /* of the run, at least: a program may prepare after its first span */
#define OUTSIDE_MOST 0.5     /* UNMARKED_OUTSIDE, whatever it is of the run */
#define BEFORE_LEAST 0.4     /* share of the run before its first span */
#define BEFORE_MOST_OF 0.6   /* share of the time outside all spans */
#define BEFORE_SECONDS 1.0   /* seconds: starting a program takes less */
#define INTERPRETED_LEAST 0.35  /* share of the samples of native code */
#define INTERPRETED_SOME 0.15   /* the same, if no compiled function stands out */
#define COMPILED_MOST 0.25      /* the same, for the hottest compiled function */
#define OPTIMIZER_LEAST 0.35    /* share of the batch or step */
#define CONCENTRATED_CALLS 0.05 /* share of the calls */
#define CONCENTRATED_COUNT 20   /* with fewer calls, "a few" has no meaning */
#define CONCENTRATED_LEAST 0.1  /* share of the part in the time in spans */
#define STOPPED_MOST 0.5        /* of the time of those few: the program was stopped */
#define CONCENTRATED_STAKE 0.08 /* additional time of those few, as a share of the time in spans */

/* The time of all parts of a role. Figures: share of the total, seconds, total, calls, units, units per
 * call. */
static struct pit__match role_match(const struct pit__case *all, enum pit__role role)
{
    size_t part;
    uint64_t count;
    double seconds = pit__role_seconds(all, role, &part, &count);
    struct pit__match match = pit__match_of(part);
    double units = all->unit == PIT__NO_PART ? 0 : (double)all->parts[all->unit].count;
    match.share = match.figures[0] = all->total > 0 ? seconds / all->total : 0;
    match.stake = match.figures[1] = seconds;
    match.figures[2] = all->total;
    match.figures[3] = (double)count;
    match.figures[4] = units;
    match.figures[5] = count > 0 ? floor(units / (double)count + 0.5) : 0;
    match.severity = pit__severity_of(match.share);
    return match;
}

/* Does the program train? Other programs also have parts called evaluate and update: those are their work. */
int pit__is_training(const struct pit__case *all)
{
    int trains = all->told.framework != NULL;
    for (size_t i = 0; i < all->part_count && !trains; i++) {
        const struct pit__part *p = &all->parts[i];
        trains =
            (p->role == PIT__ROLE_FORWARD || p->role == PIT__ROLE_BACKWARD ||
             p->role == PIT__ROLE_LOSS || p->role == PIT__ROLE_EPOCH || strstr(p->name, "train") ||
             strstr(p->name, "learn") || strstr(p->name, "grad")) &&
            !pit__is_inside(all, i, PIT__ROLE_EVALUATION);
    }
    return trains;
}

/* Are weights changed between the evaluations? */
static int learns_often(const struct pit__case *all)
{
    size_t part;
    uint64_t backward, optimizer;
    pit__role_seconds(all, PIT__ROLE_BACKWARD, &part, &backward);
    pit__role_seconds(all, PIT__ROLE_OPTIMIZER, &part, &optimizer);
    return backward >= PIT__ADVICE_PASSES || optimizer >= PIT__ADVICE_PASSES;
}

static void find_validation(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = role_match(all, PIT__ROLE_EVALUATION);
    if (match.part == PIT__NO_PART || !pit__is_training(all) || !(match.share > VALIDATION_LEAST) ||
        (match.share > MOST_OF_ALL && !learns_often(all)) || match.figures[4] == 0)
        return;
    if (all->evaluates_every > 0)
        match.figures[5] = floor(all->evaluates_every + 0.5);
    match.headline = match.figures[5] >= 2
                         ? "VALIDATION: {name} takes {p0} of the time, every {n5} steps"
                         : "VALIDATION: {name} takes {p0} of the time";
    match.evidence = "{t1} of {t2} in {c3}, beside {n4} steps of training";
    match.remedy = "validate less often, or on fewer batches";
    pit__find_add(finds, &match);
}

const char *pit__look_at(const char *place)
{
    if (!place)
        return "mark more of it with spans to see where the time goes";
    return strstr(place, " in ") ? "look at that line, or put a span around it"
                                 : "look at that function, or put a span around its call";
}

/* ---- logging and unmarked time --------------------------------------------------------------- */

static const char *const logging[] = {"log",    "print", "write",       "hist",  "summary",
                                      "metric", "dump",  "tensorboard", "wandb", NULL};
static const char *const saving[] = {"save",        "checkpoint", "ckpt",       "state_dict",
                                     "snapshot",    "pickle",     "dump_state", "dump_model",
                                     "dump_params", NULL};

/* Does the function of the place have one of these words in its name? File names are no evidence: a file
 * may be in a folder of any name and contain anything. */
static int looks_like(const char *place, const char *const *words)
{
    /* "train.py:74 in main", "main (train)" */
    const char *in = place ? strstr(place, " in ") : NULL;
    const char *function = in ? in + 4 : place;
    size_t bytes = function ? strcspn(function, " ") : 0;
    for (; function && *words; words++) {
        const char *at = strstr(function, *words);
        if (at && (size_t)(at - function) < bytes)
            return 1;
    }
    return 0;
}

int pit__is_saving(const char *place)
{
    return looks_like(place, saving);
}

/* Is it the repeated work, with some parts marked? Elsewhere it is normal that a span does work of its own. */
static int is_marked_work(const struct pit__case *all, size_t part)
{
    enum pit__role role = all->parts[part].role;
    if (role == PIT__ROLE_BATCH || role == PIT__ROLE_STEP)
        return 1;
    for (size_t i = part + 1; part == all->unit && i < all->part_count; i++)
        if (all->parts[i].parent == part && all->parts[i].role != PIT__ROLE_NONE &&
            all->parts[i].role != PIT__ROLE_COMPILE)
            return 1;
    return 0;
}

/* The part with the most time outside its own parts. */
static size_t least_marked(const struct pit__case *all)
{
    size_t best = PIT__NO_PART;
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        if (p->apart || p->own_parts == 0 || pit__is_inside(all, i, PIT__ROLE_EVALUATION) ||
            p->role == PIT__ROLE_EVALUATION)
            continue;
        double least = is_marked_work(all, i)
                           ? fmax(UNMARKED_LEAST * p->seconds, PIT__MATTERS * all->total)
                           : UNMARKED_MOST * all->total;
        if (p->self_seconds > least &&
            (best == PIT__NO_PART || p->self_seconds > all->parts[best].self_seconds))
            best = i;
    }
    return best;
}

/* Figures: share of the part, seconds, seconds of the part, share of the place. */
static struct pit__match unmarked_match(const struct pit__case *all, size_t part)
{
    const struct pit__part *p = &all->parts[part];
    struct pit__match match = pit__match_of(part);
    match.base = part;
    match.share = match.figures[0] = p->self_seconds / p->seconds;
    match.stake = match.figures[1] = p->self_seconds;
    match.figures[2] = p->seconds;
    match.figures[3] = p->place ? p->place_share : NAN;
    match.texts[0] = p->place;
    match.severity = pit__severity_of(p->self_seconds / all->total);
    match.evidence = p->place ? "{t1} of {t2}; {p3} of it there" : "{t1} of {t2}";
    return match;
}

/* Time outside marked parts whose hottest place is in a function that saves, if no part saves. */
static void find_unmarked_saving(const struct pit__case *all, struct pit__finds *finds, size_t part)
{
    struct pit__match match = unmarked_match(all, part);
    match.headline = "CHECKPOINT: {p0} of {base} is outside its marked parts, most at {s0}";
    match.remedy = SAVE_LESS;
    pit__find_add(finds, &match);
}

/* The part that saves outside its marked parts; a little of the repeated one counts too. */
static size_t saves_unmarked(const struct pit__case *all)
{
    size_t part = least_marked(all);
    if (part != PIT__NO_PART && pit__is_saving(all->parts[part].place))
        return part;
    const struct pit__part *unit = all->unit == PIT__NO_PART ? NULL : &all->parts[all->unit];
    return unit && unit->own_parts > 0 && pit__is_saving(unit->place) &&
                   unit->self_seconds * unit->place_share > CHECKPOINT_LEAST * all->total
               ? all->unit
               : PIT__NO_PART;
}

/* Functions that save, outside all spans or in a program without them. Figures: share, seconds, of all. */
static void find_outside_saving(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    double between = all->between > 0 ? all->between : 0;
    match.figures[2] = all->part_count > 0 ? between + all->total : all->wall;
    match.stake = match.figures[1] = all->saves * (all->part_count > 0 ? between : all->wall);
    match.share = match.figures[0] = match.stake / match.figures[2];
    match.severity = pit__severity_of(match.share);
    match.texts[0] = all->saves_at;
    match.headline =
        all->part_count > 0
            ? "CHECKPOINT: saving takes {p0} of the time, between the spans, most at {s0}"
            : "CHECKPOINT: saving takes {p0} of the run, most at {s0}";
    match.evidence = "about {t1} of {t2}, by samples of the main thread in functions of such names";
    match.remedy = SAVE_LESS;
    match.more = "; compress less, or not at all";
    if (all->saves_at && match.share > SAVES_LEAST)
        pit__find_add(finds, &match);
}

/* Time outside marked parts counts if its hottest place is in a function that saves. */
static void find_checkpoint(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = role_match(all, PIT__ROLE_CHECKPOINT);
    size_t unmarked = saves_unmarked(all);
    if (match.part == PIT__NO_PART && unmarked == PIT__NO_PART)
        find_outside_saving(all, finds);
    if (match.part == PIT__NO_PART && unmarked != PIT__NO_PART)
        find_unmarked_saving(all, finds, unmarked);
    if (match.part == PIT__NO_PART || match.figures[3] < REPEATED)
        return;
    if (unmarked != PIT__NO_PART) {
        match.stake = match.figures[1] += all->parts[unmarked].self_seconds;
        match.share = match.figures[0] = match.figures[1] / all->total;
        match.severity = pit__severity_of(match.share);
        match.texts[0] = all->parts[unmarked].place;
    }
    if (!(match.share > CHECKPOINT_LEAST))
        return;
    match.headline = match.figures[5] >= 2
                         ? "CHECKPOINT: {name} takes {p0} of the time, every {n5} steps"
                         : "CHECKPOINT: {name} takes {p0} of the time";
    match.evidence = match.texts[0] ? "{t1} of {t2} in {c3}, with what surrounds it at {s0}"
                                    : "{t1} of {t2} in {c3}";
    match.remedy = SAVE_LESS;
    pit__find_add(finds, &match);
    if (match.texts[0] && finds->said)
        finds->said[unmarked] = 1;
}

static void find_logging(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = role_match(all, PIT__ROLE_LOGGING);
    size_t part = least_marked(all);
    if (match.part != PIT__NO_PART && match.share > LOGGING_LEAST && match.figures[3] >= REPEATED) {
        match.headline = match.figures[5] >= 2
                             ? "LOGGING: {name} takes {p0} of the time, every {n5} steps"
                             : "LOGGING: {name} takes {p0} of the time";
        match.evidence = "{t1} of {t2} in {c3}";
        match.remedy = "log every so many steps; gather figures and write them at once";
        pit__find_add(finds, &match);
    } else if (part != PIT__NO_PART && looks_like(all->parts[part].place, logging)) {
        match = unmarked_match(all, part);
        match.headline = "LOGGING: {p0} of {base} is outside its marked parts, most at {s0}";
        match.remedy = "log every so many steps; gather figures and write them at once";
        pit__find_add(finds, &match);
    }
}

/* Small objects of a library, such as NumPy scalars, spend time in many small functions around the
 * interpreter; compiled code spends it in a few. */
static int is_interpreted(const struct pit__case *all)
{
    return all->interpreted > INTERPRETED_LEAST ||
           (all->interpreted > INTERPRETED_SOME && all->compiled < COMPILED_MOST);
}

/* A program without spans that spends its time in one place of Python code, not in compiled code. */
static void find_interpreted(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    if (all->part_count > 0 || !all->place || all->is_import || !is_interpreted(all) ||
        pit__is_in_kernel(all) || pit__main_hardly_runs(&all->around))
        return;
    match.share = match.figures[0] = all->place_share;
    match.figures[1] = all->interpreted;
    match.texts[0] = all->place;
    match.stake = all->place_share * all->wall; /* whole arrays need no NumPy scalars either */
    match.severity = pit__severity_of(all->place_share);
    match.headline = "UNMARKED: {p0} of the run is at {s0}, in Python itself";
    match.evidence =
        "by samples of the main thread; {p1} of its native code is the interpreter; no spans "
        "were recorded";
    match.remedy = "move it to compiled code: whole arrays instead of loops, sets instead of lists";
    pit__find_add(finds, &match);
}

/* Work in a function of the program before its first span; imports are not in such a function. Figures:
 * share of the run, seconds, duration of the run, share of the place. */
static void find_before(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    double waits = all->around.delayed > 0 ? fmin(all->around.delayed, 1) : 0;
    match.stake = all->before * all->place_share;
    match.share = match.figures[0] = all->before / all->wall;
    match.figures[1] = all->before;
    match.figures[2] = all->wall;
    match.figures[3] = all->place_share;
    match.texts[0] = all->place;
    match.severity = pit__severity_of(match.stake / all->wall);
    match.headline = "UNMARKED: {p0} of the run lies before the first span, most at {s0}";
    match.evidence = "{t1} of {t2}; {p3} of the samples outside of spans are there";
    match.remedy = "compute it once and keep the result, or make that line faster";
    if (all->place && !strstr(all->place, " in <module>") && match.share > BEFORE_LEAST &&
        all->before > BEFORE_MOST_OF * (all->before + all->between + all->after) &&
        match.stake * (1 - waits) > BEFORE_SECONDS)
        pit__find_add(finds, &match);
}

/* Is most of the time between the spans already named as saving? */
static int is_saving_said(const struct pit__finds *finds, double between)
{
    for (size_t i = 0; i < finds->count; i++)
        if (finds->found[i].rule == &pit__checkpoint_rule &&
            finds->found[i].match.part == PIT__NO_PART &&
            finds->found[i].match.stake > SAVES_MOST * between)
            return 1;
    return 0;
}

/* JAX, and no compiled function was called: each operation is submitted separately. */
static int is_never_jitted(const struct pit__case *all)
{
    for (size_t i = 0; i < all->part_count; i++)
        if (strcmp(all->parts[i].name, "dispatch") == 0)
            return 0;
    return all->told.framework && strncmp(all->told.framework, "jax", 3) == 0;
}

/* Tasks of an event loop wait in the loop, so the place tells nothing. */
static void set_unmarked_wait(const struct pit__case *all, struct pit__match *match)
{
    match->stake = fmin(match->stake, pit__waited(all));
    match->texts[0] = pit__waits_for(all);
    match->headline = "UNMARKED: {p0} of {base} is outside its marked parts, waiting {s0}";
    match->evidence = "{t1} of {t2}";
    match->remedy = PIT__MORE_AT_ONCE;
}

static void find_unmarked(const struct pit__case *all, struct pit__finds *finds)
{
    find_interpreted(all, finds);
    if (all->part_count > 0)
        find_before(all, finds);
    size_t part = least_marked(all);
    /* time spent on measuring is in no span either */
    double between = fmax(all->between - pit__measuring(all), 0);
    double outside = between / (between + all->total);
    if (part != PIT__NO_PART) {
        struct pit__match match = unmarked_match(all, part);
        match.headline = match.texts[0]
                             ? "UNMARKED: {p0} of {base} is outside its marked parts, most at {s0}"
                             : "UNMARKED: {p0} of {base} is outside its marked parts";
        match.remedy = pit__look_at(match.texts[0]);
        if (pit__overlaps(all, &all->parts[part]) && pit__part_waits_for(all, &all->parts[part]))
            set_unmarked_wait(all, &match);
        pit__find_add(finds, &match);
    }
    int is_much = outside > OUTSIDE_MOST ||
                  (outside > UNMARKED_OUTSIDE && !(between < OUTSIDE_RUN * all->wall));
    if (is_much && !is_saving_said(finds, between)) {
        struct pit__match match = pit__match_of(PIT__NO_PART);
        match.share = match.figures[0] = outside;
        match.stake = match.figures[1] = between;
        match.figures[2] = between + all->total;
        match.texts[0] = all->place;
        match.severity = pit__severity_of(outside);
        match.headline = all->place
                             ? "UNMARKED: {p0} of the time lies between the spans, most at {s0}"
                             : "UNMARKED: {p0} of the time lies between the spans";
        match.evidence = "{t1} of {t2} from the first span to the last";
        match.remedy = is_never_jitted(all) ? "nothing is compiled: put jax.jit around the step"
                                            : pit__look_at(match.texts[0]);
        pit__find_add(finds, &match);
    }
}

/* ---- the parts of a step ----------------------------------------------------------------------- */

/* With a closure, forward and backward are inside the optimizer's step: only its own time counts. Figures:
 * share, time, time of the base, calls. */
static void find_optimizer(const struct pit__case *all, struct pit__finds *finds)
{
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        if (p->apart || !pit__is_outermost(all, i, PIT__ROLE_OPTIMIZER) ||
            (strstr(p->name, "update") && !pit__is_training(all)))
            continue;
        struct pit__match match = pit__match_of(i);
        match.base = pit__base_of(all, i);
        double whole = pit__base_seconds(all, match.base);
        match.share = match.figures[0] = p->self_seconds / whole;
        match.figures[1] = p->self_seconds;
        match.figures[2] = whole;
        match.figures[3] = (double)p->count;
        match.stake = p->self_seconds;
        match.severity = match.share > 0.5 ? 2 : 1;
        match.headline = "OPTIMIZER: {name} is {p0} of {base}";
        match.evidence = "{t1} of {t2} in {c3}";
        if (!all->told.framework)
            match.remedy = "update all parameters in one pass over memory";
        else if (all->told.foreach == 1 || all->told.fused == 1)
            match.remedy = "give a large embedding table sparse gradients";
        else
            match.remedy = "use its foreach or fused form; give a large embedding table sparse "
                           "gradients";
        if (match.share > OPTIMIZER_LEAST && p->self_seconds > PIT__MATTERS * all->total)
            pit__find_add(finds, &match);
    }
}

/* Figures: few calls, of all calls, their share, median, longest, share of the total. */
static void find_concentrated(const struct pit__case *all, struct pit__finds *finds)
{
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        double few = (double)p->half_calls;
        if (p->apart || p->children > 0 || p->count < CONCENTRATED_COUNT || p->half_calls == 0 ||
            few > fmax(1, CONCENTRATED_CALLS * (double)p->count))
            continue;
        if (finds->has_cause && p->half_seconds < pit__busy_call(all) * few)
            continue;
        /* in such a call the program was stopped */
        if (all->around.stopped * all->around.seconds > STOPPED_MOST * p->half_seconds)
            continue;
        if ((i == all->slow.part || i == all->unit) && all->in_order && all->steady.period > 0 &&
            /* periodic: the other rule says more */
            pit__is_loop(all))
            continue;
        /* caused by the warm-up */
        if (p->is_longest_first)
            continue;
        struct pit__match match = pit__match_of(i);
        match.figures[0] = few;
        match.figures[1] = (double)p->count;
        match.figures[2] = p->half_seconds / p->seconds;
        match.figures[3] = p->median;
        match.figures[4] = p->longest;
        match.share = match.figures[5] = p->seconds / all->total;
        match.stake = p->half_seconds - few * p->median;
        match.severity = pit__severity_of(match.stake / all->total);
        match.texts[0] = p->place;
        match.headline = p->half_calls == 1
                             ? "CONCENTRATED: one of {n1} calls of {name} takes {p2} of its time"
                             : "CONCENTRATED: {n0} of {n1} calls of {name} take {p2} of its time";
        match.evidence = p->place ? "median {t3}, longest {t4}; {p5} of the total; hottest at {s0}"
                                  : "median {t3}, longest {t4}; {p5} of the total";
        match.remedy = p->half_calls == 1 ? "look at what that call did"
                                          : "look at what those few calls have in common";
        if (match.share > CONCENTRATED_LEAST && match.stake > CONCENTRATED_STAKE * all->total)
            pit__find_add(finds, &match);
    }
}

#define PART_RULE(NAME)                                                                            \
    const struct pit__rule pit__##NAME##_rule = {                                                  \
        .key = #NAME, .kind = PIT__KIND_STAKE, .find = find_##NAME}
PART_RULE(validation);
PART_RULE(checkpoint);
PART_RULE(logging);
PART_RULE(unmarked);
PART_RULE(optimizer);
PART_RULE(concentrated);
