/* See advice_case.h. */
#include "advice_case.h"

#include "analysis/order_stats.h"
#include "analysis/two_levels.h"
#include "report/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 60 /* columns of a name in the reason */
#define LONE_FIRST 5    /* times the median of the others */

/* ---- parts ---------------------------------------------------------------------------------- */

/* How many of the longest iterations take half of the time, and how much they take. */
static void find_half(const pit_node *node, struct pit__part *part)
{
    double total = 0, longest = 0;
    uint64_t calls = 0;
    for (size_t i = 0; i < node->bin_count; i++)
        total += (double)node->bins[i].count * (node->bins[i].low_ns + node->bins[i].high_ns) / 2;
    for (size_t i = node->bin_count; i-- > 0 && longest < total / 2;) {
        double each = (node->bins[i].low_ns + node->bins[i].high_ns) / 2;
        double wanted = ceil((total / 2 - longest) / each);
        uint64_t taken =
            wanted < (double)node->bins[i].count ? (uint64_t)wanted : node->bins[i].count;
        calls += taken;
        longest += (double)taken * each;
    }
    if (!(total > 0))
        return;
    part->half_calls = calls;
    part->half_seconds = longest / total * part->seconds;
}

/* Device work counts for the part that launched it; the time it waited does not count as work. */
static void add_device_work(const pit_node *node, struct pit__part *part, struct pit__part *parts)
{
    part->device_count = node->device.count;
    part->device_seconds = node->device.run_ns / 1e9;
    part->device_waits = node->device.wait_count;
    part->device_wait_seconds = node->device.wait_ns / 1e9;
    if (node->detached != PIT_ON_DEVICE || part->parent == PIT__NO_PART || node->device.count == 0)
        return;
    parts[part->parent].own_launches += node->count;
    parts[part->parent].launched_seconds += node->finished_ns / 1e9;
}

static void add_teams(const pit_node *node, struct pit__part *part)
{
    if (!node->teams || node->teams->count == 0)
        return;
    part->team_threads = (double)node->teams->threads / (double)node->teams->count;
    part->team_lag = (double)node->teams->lag_ns / 1e9;
    part->team_busy = (double)node->teams->busy_ns / 1e9;
}

struct pit__part *pit__parts_of(const pit_tree *tree)
{
    struct pit__part *parts = calloc(tree->node_count + 1, sizeof *parts);
    for (size_t i = tree->node_count; parts && i-- > 0;) { /* children come after their parents */
        const pit_node *node = &tree->nodes[i];
        struct pit__part *part = &parts[i];
        double inside = part->self_seconds; /* time of the children, so far */
        part->parent = node->parent == PIT_NO_NODE ? PIT__NO_PART : node->parent;
        part->name = node->name;
        part->path = node->path;
        part->role = pit__role_of(node->name);
        part->count = node->count;
        part->median = node->count > 0 ? node->p50_ns / 1e9 : NAN;
        part->longest = node->count > 0 ? node->max_ns / 1e9 : NAN;
        /* open spans are left out, unless there are no others: the outermost span */
        int only_open = node->count == 0 && node->open > 0;
        part->seconds = (only_open ? node->open_ns : node->finished_ns) / 1e9;
        if (node->count == 0 && node->open == 0) /* never finished: only its children count */
            part->seconds = inside;
        part->self_seconds =
            only_open ? fmax(part->seconds - inside, 0) : fmin(node->self_ns / 1e9, part->seconds);
        part->apart = node->detached != 0;
        add_device_work(node, part, parts);
        add_teams(node, part);
        find_half(node, part);
        if (part->parent != PIT__NO_PART && !node->detached) {
            parts[part->parent].self_seconds += part->seconds;
            parts[part->parent].children++;
            parts[part->parent].own_parts += part->role != PIT__ROLE_COMPILE;
        }
    }
    return parts;
}

/* ---- the course ------------------------------------------------------------------------------- */

/* The others may drift, or be unsteady: a first iteration that takes many times as long is one all the same. */
static int find_lone_first(struct pit__case *all, const double *seconds, size_t count)
{
    double *others =
        count > 1 && all->warmup.ends_at == 0 ? malloc((count - 1) * sizeof *others) : NULL;
    if (!others)
        return count > 1 && all->warmup.ends_at == 0 ? PIT_NO_MEMORY : 0;
    memcpy(others, seconds + 1, (count - 1) * sizeof *others);
    double usual = pit__median(others, count - 1);
    free(others);
    if (seconds[0] > LONE_FIRST * usual) {
        all->warmup.ends_at = 1;
        all->warmup.level = usual;
    }
    return 0;
}

static int set_course(struct pit__case *all, const double *seconds, size_t count, size_t least)
{
    if (count < least)
        return 0;
    if (pit__warmup_find(seconds, count, &all->warmup) ||
        pit__variation_find(seconds, count, &all->all) || find_lone_first(all, seconds, count))
        return PIT_NO_MEMORY;
    all->has_course = 1;
    all->first = seconds[0];
    all->steady_from = all->warmup.ends_at;
    for (size_t i = 0; i < all->warmup.ends_at; i++)
        all->warming += fmax(seconds[i] - all->warmup.level, 0);
    struct pit__two_levels levels;
    if (pit__two_levels_find(seconds + all->steady_from, count - all->steady_from, &levels))
        return PIT_NO_MEMORY;
    all->step_up = levels.times;
    all->step_from = levels.first;
    return pit__variation_find(seconds + all->steady_from, count - all->steady_from, &all->steady)
               ? PIT_NO_MEMORY
               : 0;
}

/* If durations are means of intervals, the longest iteration of a slow start was the first one. */
static void mend_first(struct pit__case *all)
{
    const struct pit__part *unit = &all->parts[all->unit];
    if (all->in_order || all->warmup.ends_at == 0 || !(unit->longest > all->first))
        return;
    all->first = unit->longest;
    all->warming = fmax(all->first - all->warmup.level, 0);
}

/* An evaluation of several batches is one: it begins where the unit was last. */
static double evaluates_every(const pit_run *run, const struct pit__case *all)
{
    double best = 0;
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        uint32_t unit = pit__node_at(thread, all->parts[all->unit].path);
        double units = 0, begun = 0;
        int is_after_unit = 0;
        for (size_t i = 0; unit != PIT_NO_NODE && i < thread->event_count; i++) {
            uint32_t node = thread->events[i].node;
            if (node == unit) {
                is_after_unit = 1;
                units++;
            } else if (is_after_unit && node < thread->node_count && thread->nodes[node].name &&
                       thread->nodes[node].parent == thread->nodes[unit].parent &&
                       pit__role_of(thread->nodes[node].name) == PIT__ROLE_EVALUATION) {
                is_after_unit = 0;
                begun++;
            }
        }
        best = begun > 0 ? fmax(best, units / begun) : best;
    }
    return best;
}

static int set_unit_course(const pit_run *const *runs, size_t run_count,
                           struct pit__advice_case *made)
{
    struct pit__series series;
    struct pit__case *all = &made->all;
    int code = pit__series_of(runs, run_count, made->parts[all->unit].path, &series);
    if (!code)
        code = set_course(all, series.seconds, series.count, PIT__ADVICE_PASSES);
    all->in_order = series.in_order;
    if (!code && all->has_course)
        mend_first(all);
    if (!code)
        code = pit__find_slow(series.run, all, 0, &all->slow);
    if (!code)
        code = pit__find_slow(series.run, all, 1, &all->later);
    if (!code && series.run)
        all->evaluates_every = evaluates_every(series.run, all);
    if (!code)
        code = pit__see_through(&series, all);
    free(series.seconds);
    return code;
}

/* ---- several runs ----------------------------------------------------------------------------- */

/* Ranks of one job are not repetitions of one another. */
static int are_ranks(const pit_run *const *runs, size_t run_count)
{
    for (size_t r = 0; r < run_count; r++)
        if (pit_run_fact(runs[r], "rank"))
            return 1;
    return 0;
}

static int compare_runs(const pit_run *const *runs, size_t run_count, struct pit__advice_case *made)
{
    struct pit__case *all = &made->all;
    const char *path = made->parts[all->unit].path;
    all->slowest_run = all->fastest_run = NAN;
    if (run_count < 2 || are_ranks(runs, run_count))
        return 0;
    for (size_t r = 0; r < run_count; r++) {
        pit_tree *tree = pit_tree_build(&runs[r], 1);
        if (!tree)
            return PIT_NO_MEMORY;
        for (size_t i = 0; i < tree->node_count; i++)
            if (tree->nodes[i].count >= PIT__ADVICE_PASSES &&
                strcmp(tree->nodes[i].path, path) == 0) {
                all->slowest_run = fmax(all->slowest_run, tree->nodes[i].p50_ns / 1e9);
                all->fastest_run = fmin(all->fastest_run, tree->nodes[i].p50_ns / 1e9);
                all->run_count++;
            }
        pit_tree_free(tree);
    }
    return 0;
}

/* ---- is it enough? ----------------------------------------------------------------------------- */

/* Is it a batch, a step, an epoch, or the span around forward and backward? With few of these, shares may
 * be dominated by the start-up. A pipeline whose stages run once has no such unit. */
static int is_unit_of_work(const struct pit__case *all)
{
    enum pit__role role = all->parts[all->unit].role;
    if (role == PIT__ROLE_BATCH || role == PIT__ROLE_STEP || role == PIT__ROLE_EPOCH)
        return 1;
    for (size_t i = all->unit + 1; i < all->part_count; i++)
        if (all->parts[i].parent == all->unit && all->parts[i].role != PIT__ROLE_NONE)
            return 1;
    return 0;
}

static void check_enough(struct pit__advice_case *made)
{
    const struct pit__case *all = &made->all;
    char a[PIT__UNIT_BYTES], b[PIT__UNIT_BYTES];
    const struct pit__part *unit = all->unit == PIT__NO_PART ? NULL : &all->parts[all->unit];
    if (all->part_count == 0 || !(all->total > 0))
        snprintf(made->reason, sizeof made->reason, "too little data: no span was recorded");
    else if (all->total < PIT__ADVICE_SECONDS)
        snprintf(made->reason, sizeof made->reason,
                 "too little data: %s in spans, at least %s are needed",
                 pit__unit_duration(a, all->total * 1e9, 0),
                 pit__unit_duration(b, PIT__ADVICE_SECONDS * 1e9, 0));
    else if (unit && unit->count < PIT__ADVICE_PASSES && is_unit_of_work(all)) {
        struct pit__text name = {0}, cut = {0};
        pit__text_add_visible(&name, unit->name);
        pit__text_add_cut(&cut, pit__text_string(&name), NAME_COLUMNS, 1);
        snprintf(made->reason, sizeof made->reason,
                 "too little data: %s ran %s time%s, at least %d are needed",
                 pit__text_string(&cut), pit__unit_count(a, unit->count),
                 unit->count == 1 ? "" : "s", PIT__ADVICE_PASSES);
        pit__text_free(&name);
        pit__text_free(&cut);
    }
}

/* Of the run that has the most. */
static size_t threads_with_spans(const pit_run *const *runs, size_t run_count)
{
    size_t most = 0;
    for (size_t r = 0; r < run_count; r++) {
        size_t count = 0;
        for (size_t t = 0; t < runs[r]->thread_count; t++)
            count += runs[r]->threads[t].node_count > 0;
        most = count > most ? count : most;
    }
    return most;
}

int pit__case_of_runs(const pit_run *const *runs, size_t run_count, const pit_tree *tree,
                      struct pit__advice_case *made)
{
    *made = (struct pit__advice_case){
        .all.unit = PIT__NO_PART, .all.slow.part = PIT__NO_PART, .all.later.part = PIT__NO_PART};
    struct pit__case *all = &made->all;
    made->parts = pit__parts_of(tree);
    if (!made->parts)
        return PIT_NO_MEMORY;
    all->parts = made->parts;
    all->part_count = tree->node_count;
    all->wall = tree->wall_ns / 1e9;
    all->span_threads = threads_with_spans(runs, run_count);
    double passed = run_count == 1 ? all->wall * (double)all->span_threads : INFINITY;
    int code = pit__divide_overlap(made->parts, tree, passed);
    for (size_t i = 0; i < all->part_count; i++)
        if (all->parts[i].parent == PIT__NO_PART && !all->parts[i].apart)
            all->total += all->parts[i].seconds;
    pit__find_elsewhere(made, runs, run_count);
    all->before = tree->before_ns / 1e9;
    all->between = tree->between_ns / 1e9;
    all->after = tree->after_ns / 1e9;
    all->measuring = tree->cost_ns / 1e9;
    all->unit = pit__find_unit(all->parts, all->part_count);
    pit__set_places(made, tree);
    check_enough(made);
    all->is_short = *made->reason != 0;
    all->around = pit__look_around(runs, run_count);
    all->idle = pit__idle_between(runs, run_count, tree->before_ns, tree->wall_ns - tree->after_ns);
    all->threads_idle = pit__threads_idle(runs, run_count);
    all->told = pit__what_was_told(runs, run_count);
    all->used = run_count == 1 && runs[0]->ended
                    ? (double)(runs[0]->ended->user_ns + runs[0]->ended->system_ns) / 1e9
                    : NAN;
    all->kernel = run_count == 1 && runs[0]->ended ? (double)runs[0]->ended->system_ns / 1e9 : NAN;
    all->children = run_count == 1 && runs[0]->ended ? (double)runs[0]->ended->children : NAN;
    all->pressed = pit__processors_pressed(runs, run_count);
    if (!code)
        code = pit__set_memory(runs, run_count, made);
    if (!code && all->unit != PIT__NO_PART)
        code = set_unit_course(runs, run_count, made);
    if (!code && all->unit != PIT__NO_PART)
        code = compare_runs(runs, run_count, made);
    pit__find_longest(runs, run_count, made);
    return code || made->arena.failed ? PIT_NO_MEMORY : 0;
}

int pit__case_of_rows(const pit_row *rows, size_t count, const double *batches, size_t batch_count,
                      struct pit__advice_case *made)
{
    *made = (struct pit__advice_case){
        .all.unit = PIT__NO_PART, .all.slow.part = PIT__NO_PART, .all.later.part = PIT__NO_PART};
    struct pit__case *all = &made->all;
    made->by_letter = all->in_order = 1;
    all->around = pit__around_unknown();
    all->idle = all->used = all->kernel = all->children = NAN;
    made->parts = calloc(count + 1, sizeof *made->parts);
    if (!made->parts)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        double seconds = isfinite(rows[i].seconds) ? rows[i].seconds : 0;
        const char *name = rows[i].name ? rows[i].name : "";
        made->parts[i] = (struct pit__part){.name = name,
                                            .path = name,
                                            .role = pit__role_of(name),
                                            .seconds = seconds,
                                            .self_seconds = seconds,
                                            .count = rows[i].count ? rows[i].count : 1,
                                            .parent = PIT__NO_PART,
                                            .apart = rows[i].nested};
        all->total += rows[i].nested ? 0 : seconds;
    }
    all->parts = made->parts;
    all->part_count = count;
    if (count == 0 && batch_count == 0)
        snprintf(made->reason, sizeof made->reason, "too little data: nothing was measured");
    else if (batches && batch_count > 0 && batch_count < PIT__ADVICE_PASSES)
        snprintf(made->reason, sizeof made->reason,
                 "too little data: %zu batch%s, at least %d are needed to judge their course",
                 batch_count, batch_count == 1 ? "" : "es", PIT__ADVICE_PASSES);
    return batches ? set_course(all, batches, batch_count, 2) : 0;
}

void pit__case_free(struct pit__advice_case *made)
{
    free(made->parts);
    pit__run_memory_free(&made->memory);
    pit__arena_free(&made->arena);
}
