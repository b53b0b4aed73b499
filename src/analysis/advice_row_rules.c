/* advice_row_rules.c: rules for plain rows, exactly as their documents define them: every rule that applies
 * is reported, even if another one explains it. */
#include "advice_rules.h"

#include <math.h>

#define FIRST_SHARE 0.25 /* share of the iterations that may count as the first ones */
#define FIRST_SLOW 1.5   /* factor over the steady level */
#define VARIES 2         /* ratio of the slowest to the fastest */

#define WARNS "\xe2\x9a\xa0\xef\xb8\x8f  " /* ⚠️ */
#define HINTS "\xe2\x9a\xa1 "              /* ⚡ */
#define SHARE_EVIDENCE "{t1} of {t2} in {c3}"

/* Plain rows do not nest: the step is a row of its own. */
static size_t step_around(const struct pit__case *all, size_t part)
{
    for (size_t i = 0; i < all->part_count; i++)
        if (i != part &&
            (all->parts[i].role == PIT__ROLE_BATCH || all->parts[i].role == PIT__ROLE_STEP) &&
            all->parts[i].seconds >= all->parts[part].seconds)
            return i;
    return PIT__NO_PART;
}

/* Figures: share, time, time of the base, iterations. */
static struct pit__match share_of(const struct pit__case *all, size_t part, size_t base)
{
    struct pit__match match = pit__match_of(part);
    double whole = pit__base_seconds(all, base);
    match.base = base;
    match.share = match.figures[0] = whole > 0 ? all->parts[part].seconds / whole : 0;
    match.figures[1] = all->parts[part].seconds;
    match.figures[2] = whole;
    match.figures[3] = (double)all->parts[part].count;
    match.evidence = SHARE_EVIDENCE;
    return match;
}

struct row_words {
    enum pit__role role;
    double over;
    int of_step;
    const char *headline, *remedy, *more;
};

static void find_role(const struct pit__case *all, struct pit__finds *finds,
                      const struct row_words *words)
{
    for (size_t i = 0; i < all->part_count; i++) {
        if (all->parts[i].role != words->role)
            continue;
        struct pit__match match =
            share_of(all, i, words->of_step ? step_around(all, i) : PIT__NO_PART);
        match.severity = 2;
        match.headline = words->headline;
        match.remedy = words->remedy;
        match.more = words->more;
        if (match.share > words->over && match.figures[1] > PIT__MATTERS * all->total)
            pit__find_add(finds, &match);
    }
}

static void find_input(const struct pit__case *all, struct pit__finds *finds)
{
    static const struct row_words words = {PIT__ROLE_DATA,
                                           0.3,
                                           0,
                                           "INPUT-BOUND: {name} is {p0} of {base}",
                                           "try more loader workers, pinned memory, prefetching",
                                           "; preprocess the data offline"};
    find_role(all, finds, &words);
}

static void find_forward(const struct pit__case *all, struct pit__finds *finds)
{
    static const struct row_words words = {
        PIT__ROLE_FORWARD,
        0.5,
        1,
        "FORWARD-BOUND: {name} is {p0} of {base}",
        "try mixed precision, a smaller model, gradient checkpointing",
        "; a smaller model has fewer filters, fewer layers or depthwise separable "
        "convolutions; checkpointing pays off where memory limits the batch"};
    find_role(all, finds, &words);
}

static void find_backward(const struct pit__case *all, struct pit__finds *finds)
{
    static const struct row_words words = {
        PIT__ROLE_BACKWARD,
        0.4,
        1,
        "BACKWARD-BOUND: {name} is {p0} of {base}",
        "try gradient accumulation over smaller batches, mixed precision with a"
        " gradient scaler",
        "; clear gradients that are no longer used"};
    find_role(all, finds, &words);
}

static void find_loss(const struct pit__case *all, struct pit__finds *finds)
{
    static const struct row_words words = {
        PIT__ROLE_LOSS,
        0.5,
        1,
        "LOSS-BOUND: {name} is {p0} of {base}",
        "try a simpler model, mixed precision, compiling once for all shapes",
        NULL};
    find_role(all, finds, &words);
}

/* A whole step naturally takes most of the time: report it only if there are other rows and the loss, its
 * only known part, does not explain its time. */
static void find_step(const struct pit__case *all, struct pit__finds *finds)
{
    for (size_t i = 0; i < all->part_count; i++) {
        const struct pit__part *p = &all->parts[i];
        double inside = 0;
        if (p->role != PIT__ROLE_STEP || !(all->total - p->seconds > PIT__MATTERS * all->total))
            continue;
        for (size_t k = 0; k < all->part_count; k++)
            if (k != i && all->parts[k].role == PIT__ROLE_LOSS)
                inside += all->parts[k].seconds;
        struct pit__match match = share_of(all, i, PIT__NO_PART);
        match.headline = "STEP: {name} is {p0} of {base}";
        match.remedy = "mark its parts with spans, try other batch sizes, look for unnecessary "
                       "computations";
        if (inside <= p->seconds / 2 && match.share > 0.5)
            pit__find_add(finds, &match);
    }
}

static void find_shares(const struct pit__case *all, struct pit__finds *finds, double over,
                        double to, const struct pit__match *words)
{
    for (size_t i = 0; i < all->part_count; i++) {
        struct pit__match match = share_of(all, i, PIT__NO_PART);
        match.severity = words->severity;
        match.headline = words->headline;
        match.remedy = words->remedy;
        if (!all->parts[i].apart && match.share > over && match.share <= to)
            pit__find_add(finds, &match);
    }
}

static void find_bottleneck(const struct pit__case *all, struct pit__finds *finds)
{
    static const struct pit__match words = {.severity = 2,
                                            .headline = "BOTTLENECK: {name} ({f0})",
                                            .remedy = "start here: nothing else can gain as much"};
    find_shares(all, finds, 0.5, INFINITY, &words);
}

static void find_consider(const struct pit__case *all, struct pit__finds *finds)
{
    static const struct pit__match words = {.severity = 1,
                                            .headline = "Consider optimizing: {name} ({f0})",
                                            .remedy = "worth a look after the larger ones"};
    find_shares(all, finds, 0.2, 0.5, &words);
}

/* Figures: ratio to the level, the first, the level, how many are slow. */
static void find_first(const struct pit__case *all, struct pit__finds *finds)
{
    double level = all->warmup.level;
    struct pit__match match = pit__match_of(PIT__NO_PART);
    if (!all->has_course || !(level > 0) || all->warmup.ends_at == 0 ||
        !(all->first > FIRST_SLOW * level) ||
        (double)all->warmup.ends_at > fmax(1, FIRST_SHARE * (double)all->all.count))
        return;
    match.figures[0] = all->first / level;
    match.figures[1] = all->first;
    match.figures[2] = level;
    match.figures[3] = (double)all->warmup.ends_at;
    match.headline = "FIRST BATCH SLOW: {name} took {t1} at first, {t2} later ({x0})";
    match.evidence = "the first {n3} were slower than the steady level";
    match.remedy = "run a warm-up batch before timing, or leave it out";
    match.more = "; initialisation, compilation and allocation happen once";
    pit__find_add(finds, &match);
}

/* Figures: ratio, max, min, variation, outliers, iterations. */
static void find_variance(const struct pit__case *all, struct pit__finds *finds)
{
    const struct pit__variation *v = &all->all;
    struct pit__match match = pit__match_of(PIT__NO_PART);
    if (!all->has_course || v->count < 2 || !(v->ratio > VARIES))
        return;
    double figures[] = {v->ratio,        v->max, v->min, v->variation, (double)v->outlier_count,
                        (double)v->count};
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        match.figures[i] = figures[i];
    match.severity = 2;
    match.headline = "High variance ({x0}) - investigate outliers!";
    match.evidence = "longest {t1}, shortest {t2} of {c5}, coefficient of variation {p3}, "
                     "{n4} outliers";
    match.remedy = "try inputs padded to one size or batches sorted by size";
    match.more = "; a smaller cache if memory is short, pinned memory, augmentations "
                 "computed beforehand";
    pit__find_add(finds, &match);
}

static const struct pit__rule
    input_bound = {.key = "input_bound", .find = find_input},
    forward_bound = {.key = "forward_bound", .find = find_forward},
    backward_bound = {.key = "backward_bound", .find = find_backward},
    loss_bound = {.key = "loss_bound", .find = find_loss},
    high_variance = {.key = "high_variance", .is_course = 1, .mark = WARNS, .find = find_variance},
    bottleneck = {.key = "bottleneck", .mark = WARNS, .find = find_bottleneck},
    first_batch = {.key = "first_batch", .is_course = 1, .find = find_first},
    step_bound = {.key = "step_bound", .find = find_step},
    consider = {.key = "consider", .mark = HINTS, .find = find_consider};

const struct pit__rule *const pit__row_rules[] = {
    &input_bound,   &forward_bound,      &backward_bound,
    &loss_bound,    &pit__drift_rule,    &pit__periodic_stall_rule,
    &high_variance, &pit__slowdown_rule, &bottleneck,
    &first_batch,   &step_bound,         &consider,
    NULL,
};
