/* advice_tiny_rules.c: work that is smaller than its overhead. */
#include "advice_rules.h"

#include <math.h>

#define SMALL_BATCH 8      /* samples */
#define SMALL_CALL 1e-3    /* seconds of one forward */
#define TINY_STEP 300e-6   /* seconds of a whole step */
#define TINY_LEAST 0.5     /* of the total: time in such steps */
#define MEASURED_LEAST 0.1 /* of the run: time of measuring */
#define WAITS_MOST 0.95    /* of the time: largest assumed wait for a processor */
#define MEASURED_CALL 5    /* a call takes at most so many times its measuring */

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

const struct pit__rule pit__overhead_rule = {
    .key = "overhead", .kind = PIT__KIND_STAKE, .find = find_overhead};
