/* advice_code_rules.c: what a framework makes of the program: compiled again and again, numbers of 64 bits,
 * debugging aids. */
#include "advice_rules.h"

#include <math.h>
#include <string.h>

#define ANEW_LEAST 5      /* compilations, below which they are those of the start */
#define AGAIN_CALLS 0.34  /* share of the calls that are compiled again */
#define ANEW_SECONDS 0.1  /* of the total, that compiling takes */
#define ANEW_EVENLY 0.15  /* of the compilations take half of their time */
#define ANEW_ALL 0.9      /* of the calls: then all of their time is tracing and compiling */
#define FLOAT64_SAVES 0.5 /* of the computing */
#define FLOAT64_LEAST 0.1 /* of the total, that is saved */

/* The compilation that takes the most, of those that come with many calls of what is around them. */
static size_t compiled_anew(const struct pit__case *all)
{
    size_t best = PIT__NO_PART;
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        const struct pit__part *around = p->parent == PIT__NO_PART ? NULL : &all->parts[p->parent];
        if (p->apart || p->role != PIT__ROLE_COMPILE || !around || p->count < ANEW_LEAST ||
            (double)p->count < AGAIN_CALLS * (double)around->count ||
            (double)p->half_calls < ANEW_EVENLY * (double)p->count ||
            !(p->seconds > ANEW_SECONDS * all->total))
            continue;
        if (best == PIT__NO_PART || p->seconds > all->parts[best].seconds)
            best = i;
    }
    return best;
}

int pit__recompiles(const struct pit__case *all)
{
    return compiled_anew(all) != PIT__NO_PART;
}

/* Figures: compilations, calls, share of the total, seconds, total. */
static void find_recompile(const struct pit__case *all, struct pit__finds *finds)
{
    size_t part = compiled_anew(all);
    if (part == PIT__NO_PART)
        return;
    const struct pit__part *p = &all->parts[part], *around = &all->parts[p->parent];
    struct pit__match match = pit__match_of(pit__base_of(all, part));
    match.figures[0] = (double)p->count;
    match.figures[1] = (double)around->count;
    match.stake =
        (double)p->count > ANEW_ALL * (double)around->count ? around->seconds : p->seconds;
    match.share = match.figures[2] = match.stake / all->total;
    match.figures[3] = match.stake;
    match.figures[4] = all->total;
    match.severity = pit__severity_of(match.share);
    match.headline = "COMPILE: {n0} of {n1} calls were compiled again, {p2} of the time";
    match.evidence = "{t3} of {t4} in {name}";
    match.remedy = "give the compiled function inputs of one shape, or of a few: pad them";
    match.more = "; pass what changes as an array, not as a constant; what is compiled stays in "
                 "memory";
    pit__find_add(finds, &match);
}

/* Figures: share of the total, seconds, total. */
static void find_float64(const struct pit__case *all, struct pit__finds *finds)
{
    static const enum pit__role roles[] = {PIT__ROLE_FORWARD, PIT__ROLE_LOSS, PIT__ROLE_BACKWARD,
                                           PIT__ROLE_OPTIMIZER};
    struct pit__match match = pit__match_of(PIT__NO_PART);
    double seconds = 0;
    if (!all->told.dtype || strcmp(all->told.dtype, "float64") != 0 || !(all->total > 0))
        return;
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        size_t part;
        uint64_t count;
        seconds += pit__role_seconds(all, roles[i], &part, &count);
    }
    match.share = match.figures[0] = seconds / all->total;
    match.figures[1] = seconds;
    match.figures[2] = all->total;
    match.stake = FLOAT64_SAVES * seconds;
    match.severity = 1;
    match.headline = "FLOAT64: the model computes in float64, {p0} of the time";
    match.evidence = "{t1} of {t2}; float32 moves half of the bytes and takes about half as long";
    match.remedy = "use float32 if its seven digits suffice, for the model and its inputs";
    if (match.stake > FLOAT64_LEAST * all->total)
        pit__find_add(finds, &match);
}

/* What an aid costs cannot be told from one run, so findings whose stake is known come first. */
static void find_debugging(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    if (!all->told.debugging)
        return;
    match.texts[0] = all->told.debugging;
    match.headline = "DEBUGGING: the program ran with {s0}, which makes every operation slower";
    match.evidence = "as the hooks saw in the latter half of the run; what it costs is not known "
                     "from one run";
    match.remedy = "turn it off, and run again";
    pit__find_add(finds, &match);
}

const struct pit__rule pit__recompile_rule = {
    .key = "recompile", .kind = PIT__KIND_STAKE, .find = find_recompile};
const struct pit__rule pit__float64_rule = {
    .key = "float64", .kind = PIT__KIND_STAKE, .find = find_float64};
const struct pit__rule pit__debugging_rule = {
    .key = "debugging", .kind = PIT__KIND_STAKE, .find = find_debugging};
