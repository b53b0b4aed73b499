/* advice_ratio_rules.c: a backward that takes more of its forward's time than backwards usually do. */
#include "advice_rules.h"

#include <math.h>
#include <string.h>

#define RATIO_USUAL 2.0 /* backward to forward */
#define RATIO_ODD 3.2
#define RATIO_DRIFTS 0.5 /* slowdown of a backward pass over the run, as a share of the median */
#define SLEEPS 0.02      /* share of the time that a program waits if it does not only compute */
#define MOST_OF_IT 0.6   /* share of the additional time */

static size_t forward_of(const struct pit__case *all, size_t backward)
{
    size_t best = PIT__NO_PART;
    for (size_t i = 0; i < all->part_count; i++) {
        if (all->parts[i].apart || all->parts[i].role != PIT__ROLE_FORWARD ||
            !pit__is_backward_of(all->parts[backward].name, all->parts[i].name) ||
            pit__is_inside(all, i, PIT__ROLE_EVALUATION))
            continue;
        if (all->parts[i].parent == all->parts[backward].parent)
            return i;
        if (best == PIT__NO_PART || all->parts[i].seconds > all->parts[best].seconds)
            best = i;
    }
    return best;
}

/* How much more waits for a processor add to one part than to another. At a barrier, all threads wait for
 * the one without a processor. A thread that slept gets a processor at once and loses it later. */
static double uneven_waits(const struct pit__case *all)
{
    int is_uneven = all->told.compute_threads > 1 || all->told.workers > 0 ||
                    pit__waited(all) > SLEEPS * all->total;
    return is_uneven && all->around.delayed > 0 ? fmin(all->around.delayed, 1) : 0;
}

/* Layers that a program marks itself: one forward for each backward, and more where it evaluates or generates.
 * Then their calls are compared. A multiple is a loop inside one backward; a framework's backward goes through
 * all modules at once. */
static int is_by_call(const struct pit__case *all, const struct pit__part *backward,
                      const struct pit__part *forward)
{
    return !all->told.framework && strpbrk(backward->name, "_. ") &&
           backward->count >= PIT__ADVICE_PASSES && forward->count > backward->count &&
           forward->count % backward->count != 0;
}

/* A backward with its forward. */
struct pair {
    const struct pit__part *backward, *forward; /* NULL: it is not judged */
    int by_call;
    double ratio, stake;
};

static struct pair pair_of(const struct pit__case *all, const struct pit__finds *finds, size_t i)
{
    const struct pit__part *p = &all->parts[i];
    struct pair pair = {NULL, NULL, 0, 0, 0};
    /* a growing ratio has another cause */
    int is_judged = !p->apart && p->role == PIT__ROLE_BACKWARD &&
                    !(i == all->unit && all->steady.drift > RATIO_DRIFTS);
    size_t forward = is_judged ? forward_of(all, i) : PIT__NO_PART;
    if (forward == PIT__NO_PART || !(all->parts[forward].seconds > 0))
        return pair;
    const struct pit__part *f = &all->parts[forward];
    pair.by_call = is_by_call(all, p, f);
    double usual = pair.by_call ? f->seconds / (double)f->count * (double)p->count : f->seconds;
    pair.ratio = p->seconds / usual;
    pair.stake = p->seconds - RATIO_USUAL * usual;
    double odd = RATIO_ODD * (finds->has_cause ? 1 + uneven_waits(all) : 1);
    if (pair.ratio > odd && pair.stake > PIT__MATTERS * all->total) {
        pair.backward = p;
        pair.forward = f;
    }
    return pair;
}

/* Does one layer inside explain most of it? Then that one is named. */
static int is_of_a_layer(const struct pit__case *all, const struct pit__finds *finds, size_t i,
                         double stake)
{
    for (size_t k = i + 1; all->parts[i].children > 0 && k < all->part_count; k++) {
        if (all->parts[k].role != PIT__ROLE_BACKWARD || all->parts[k].parent != i)
            continue;
        struct pair inside = pair_of(all, finds, k);
        if (inside.backward && inside.stake > MOST_OF_IT * stake)
            return 1;
    }
    return 0;
}

static const char *remedy_of(const struct pit__case *all, const struct pit__part *p)
{
    if (all->told.dtype && strcmp(all->told.dtype, "bfloat16") == 0 && all->told.device &&
        strcmp(all->told.device, "cpu") == 0)
        return "try float32: few processors compute in bfloat16 natively";
    return strpbrk(p->name, "_. ") /* of a layer, or of the whole model */
               ? "look at how this backward is computed"
               : "look for operations whose backward is costly: a loop that takes one element at a "
                 "time, many small ones";
}

/* Figures: ratio, usual ratio, time, time of the forward pass, few calls, of all calls, their share. */
static void find_odd_ratio(const struct pit__case *all, struct pit__finds *finds)
{
    if (all->told.debugging) /* it may check every backward */
        return;
    for (size_t i = 0; i < all->part_count; i++) {
        struct pair pair = pair_of(all, finds, i);
        const struct pit__part *p = pair.backward, *f = pair.forward;
        if (!p || is_of_a_layer(all, finds, i, pair.stake))
            continue;
        struct pit__match match = pit__match_of(i);
        match.figures[0] = pair.ratio;
        match.figures[1] = RATIO_USUAL;
        match.figures[2] = pair.by_call ? p->seconds / (double)p->count : p->seconds;
        match.figures[3] = pair.by_call ? f->seconds / (double)f->count : f->seconds;
        match.figures[4] = (double)p->half_calls;
        match.figures[5] = (double)p->count;
        match.figures[6] = p->half_seconds / p->seconds;
        match.texts[0] = f->name;
        match.stake = pair.stake;
        match.severity = pit__severity_of(match.stake / all->total);
        match.headline = "ODD RATIO: {name} takes {o0} times {s0}, where about {n1} is usual";
        match.evidence = pair.by_call ? "{t2} to {t3} a call" : "{t2} to {t3}";
        if (p->half_calls > 0 && p->half_calls <= p->count / 10)
            match.evidence = pair.by_call
                                 ? "{t2} to {t3} a call; {n4} of {n5} calls take {p6} of it"
                                 : "{t2} to {t3}; {n4} of {n5} calls take {p6} of it";
        match.remedy = remedy_of(all, p);
        pit__find_add(finds, &match);
    }
}

const struct pit__rule pit__odd_ratio_rule = {
    .key = "odd_ratio", .kind = PIT__KIND_STAKE, .find = find_odd_ratio};
