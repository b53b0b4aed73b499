/* advice_rules.c: the list of rules for runs, and the findings for a run without problems. A rule is a
 * function in the file of its group and a line here. docs/analysis.md has the thresholds. */
#include "advice_rules.h"

#include <math.h>
#include <string.h>

#define ONE_TAKES_MOST 0.5 /* share of the total */
#define BEFORE_MUCH 0.5    /* share of the run before its first span that is worth mentioning */
#define LISTED_LEAST 0.03  /* least share of own time for a part to be named */
#define PLAIN_LEAST 0.3    /* seconds sampled of a program without spans */
#define PLAIN_USED 0.5     /* of the run: processor time; less is waiting */
#define RUNS_LEAST 0.4     /* share of the time in which the main thread had a processor */
#define TEAM_RUNS 0.1      /* processors that other threads and children use */

static int is_quiet(const struct pit__finds *finds)
{
    for (size_t i = 0; i < finds->count; i++)
        if (finds->found[i].match.severity > 0 || finds->found[i].rule == &pit__compute_rule ||
            finds->found[i].rule == &pit__waiting_rule)
            return 0;
    return 1;
}

/* The part with the most own time whose name is not in the list yet. */
static size_t next_largest(const struct pit__case *all, const struct pit__match *match)
{
    size_t best = PIT__NO_PART;
    for (size_t i = 0; i < all->part_count; i++) {
        int is_listed = all->parts[i].apart;
        for (size_t k = 0; k < match->listed_count; k++)
            is_listed |= strcmp(all->parts[match->listed[k]].name, all->parts[i].name) == 0;
        if (!is_listed &&
            (best == PIT__NO_PART || all->parts[i].self_seconds > all->parts[best].self_seconds))
            best = i;
    }
    return best;
}

/* Parts of the same name are one entry, with the time of all of them. */
static void list_parts(const struct pit__case *all, struct pit__match *match)
{
    while (match->listed_count < PIT__MATCH_LISTED) {
        size_t part = next_largest(all, match);
        if (part == PIT__NO_PART || !(all->parts[part].self_seconds > LISTED_LEAST * all->total))
            break;
        double seconds = 0;
        for (size_t i = 0; i < all->part_count; i++)
            if (!all->parts[i].apart && strcmp(all->parts[i].name, all->parts[part].name) == 0)
                seconds += all->parts[i].self_seconds;
        size_t at = match->listed_count++; /* largest first, all of a name together */
        for (; at > 0 && match->shares[at - 1] < seconds / all->total; at--) {
            match->shares[at] = match->shares[at - 1];
            match->listed[at] = match->listed[at - 1];
        }
        match->shares[at] = seconds / all->total;
        match->listed[at] = part;
    }
}

int pit__is_step_role(enum pit__role role)
{
    return role == PIT__ROLE_FORWARD || role == PIT__ROLE_BACKWARD || role == PIT__ROLE_LOSS ||
           role == PIT__ROLE_OPTIMIZER;
}

int pit__main_hardly_runs(const struct pit__around *around)
{
    return around->main_cpu < RUNS_LEAST * (1 - around->delayed);
}

/* One place of a program without spans: the main thread computes there, or waits there for threads or children
 * that do. Figures: share of the place, processors in use, processors. */
static void find_compute_at(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    const struct pit__around *around = &all->around;
    double used = fmax(around->cpu, all->used / all->wall); /* with children, if they are known */
    match.severity = 0;
    match.share = match.figures[0] = all->place_share;
    match.figures[1] = used;
    match.figures[2] = around->processors;
    match.texts[0] = all->place;
    match.headline = "COMPUTE: {p0} of the run is at {s0}";
    match.evidence = "by samples of its main thread; no spans were recorded";
    match.remedy = all->is_import ? "import only what is used, where it is used"
                                  : "a faster program is one where this is faster";
    if (pit__main_hardly_runs(around)) {
        if (!(used - around->main_cpu > TEAM_RUNS))
            return; /* waiting is not computing */
        match.headline = "COMPUTE: threads or child processes use {o1} of {n2} processors; the "
                         "main thread waits for them at {s0}";
        match.remedy = "a faster program is one where their work is faster";
    }
    pit__find_add(finds, &match);
}

/* One part has most of the time. Figures: share, time, total, calls, share of the place. */
static void find_compute(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    match.severity = 0;
    if (!is_quiet(finds))
        return;
    if (all->part_count == 0 && all->place) {
        find_compute_at(all, finds);
        return;
    }
    size_t part = next_largest(all, &match);
    if (part == PIT__NO_PART || pit__is_step_role(all->parts[part].role) || all->is_short ||
        !(all->parts[part].self_seconds > ONE_TAKES_MOST * all->total) ||
        (all->part_count < 2 && !all->parts[part].place)) /* of one part that says nothing */
        return;
    const struct pit__part *p = &all->parts[part];
    match.part = part;
    match.share = match.figures[0] = p->self_seconds / all->total;
    match.figures[1] = p->self_seconds;
    match.figures[2] = all->total;
    match.figures[3] = (double)p->count;
    match.figures[4] = p->place_share;
    match.texts[0] = p->place;
    match.headline = p->place ? "COMPUTE: {name} is {p0} of the total, most of it at {s0}"
                              : "COMPUTE: {name} is {p0} of the total";
    match.evidence = "{t1} of {t2} in {c3}; nothing else stands out";
    match.remedy = "a faster program is one where this is faster";
    pit__find_add(finds, &match);
}

/* A program without spans whose main thread is at no place for long: its threads or children work, or its
 * time is spread. Figures: processors in use, processors, processor time. */
static void find_nothing_plain(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    match.severity = 0;
    match.figures[0] = all->used / all->wall;
    match.figures[1] = all->around.processors;
    match.figures[2] = all->used;
    match.headline = all->around.processors > 1
                         ? "NOTHING STANDS OUT: the program used {o0} of {n1} processors"
                         : "NOTHING STANDS OUT: the program computed";
    match.evidence = "{t2} of processor time, with its children; no spans were recorded";
    if (all->around.seconds > PLAIN_LEAST && match.figures[0] > PLAIN_USED && finds->count == 0)
        pit__find_add(finds, &match);
}

static void find_nothing(const struct pit__case *all, struct pit__finds *finds)
{
    struct pit__match match = pit__match_of(PIT__NO_PART);
    if (all->part_count == 0)
        find_nothing_plain(all, finds);
    if (!is_quiet(finds) || all->is_short || all->part_count == 0)
        return;
    list_parts(all, &match);
    if (match.listed_count == 0)
        return;
    match.severity = 0;
    match.figures[0] = all->before / all->wall;
    match.figures[1] = all->before;
    match.headline = match.figures[0] > BEFORE_MUCH
                         ? "NOTHING STANDS OUT: {list}; {p0} of the run is before the first span"
                         : "NOTHING STANDS OUT: {list}";
    match.evidence = "shares of the time in spans, each part's own";
    pit__find_add(finds, &match);
}

const struct pit__rule pit__compute_rule = {
    .key = "compute", .kind = PIT__KIND_KNOW, .find = find_compute};
const struct pit__rule pit__nothing_rule = {
    .key = "nothing", .kind = PIT__KIND_KNOW, .find = find_nothing};

/* Causes first; of rules about the same part, the more specific one first. */
const struct pit__rule *const pit__rules[] = {
    &pit__hang_rule,
    &pit__straggler_rule,
    &pit__rotating_rule,
    &pit__comm_bound_rule,
    &pit__starved_rank_rule,
    &pit__ranks_oversubscribed_rule,
    &pit__throttled_rule,
    &pit__swapping_rule,
    &pit__oversubscribed_rule,
    &pit__starved_rule,
    &pit__stopped_rule,
    &pit__leak_rule,
    &pit__device_memory_rule,
    &pit__recompile_rule,
    &pit__debugging_rule,
    &pit__first_step_rule,
    &pit__gpu_idle_rule,
    &pit__launch_bound_rule,
    &pit__sync_bound_rule,
    &pit__mutex_rule,
    &pit__python_lock_rule,
    &pit__turns_rule,
    &pit__imbalance_rule,
    &pit__input_restarts_rule,
    &pit__input_few_slow_rule,
    &pit__input_few_workers_rule,
    &pit__input_storage_rule,
    &pit__input_waiting_rule,
    &pit__input_processor_rule,
    &pit__validation_rule,
    &pit__checkpoint_rule,
    &pit__logging_rule,
    &pit__unmarked_rule,
    &pit__overhead_rule,
    &pit__optimizer_rule,
    &pit__float64_rule,
    &pit__odd_ratio_rule,
    &pit__concentrated_rule,
    &pit__copying_rule,
    &pit__uneven_children_rule,
    &pit__waiting_rule,
    &pit__drift_rule,
    &pit__periodic_stall_rule,
    &pit__slowdown_rule, /* two levels vary too */
    &pit__high_variance_rule,
    &pit__runs_vary_rule,
    &pit__kernel_rule,
    &pit__compute_rule,
    &pit__nothing_rule,
    &pit__cache_rule,
    NULL,
};
