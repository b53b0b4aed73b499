/* See advice_case.h. */
#include "advice_case.h"

#include "report/units.h"
#include "series_gather.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME_COLUMNS 60 /* of a name in the reason */
#define LOADING_NS 10e9 /* of a run without passages, that it may take to load */
#define FIRST_PARTS 10  /* of so many parts of the passages the first is loading and compiling */

/* ---- parts ---------------------------------------------------------------------------------- */

struct pit__part *pit__parts_of(const pit_tree *tree)
{
    struct pit__part *parts = calloc(tree->node_count + 1, sizeof *parts);
    for (size_t i = tree->node_count; parts && i-- > 0;) { /* children stand after their parents */
        const pit_node *node = &tree->nodes[i];
        struct pit__part *part = &parts[i];
        double inside = part->self_seconds; /* the children's, so far */
        part->name = node->name;
        part->path = node->path;
        part->count = node->count;
        /* what is open is not yet like the others, unless there are none: the outermost span */
        int only_open = node->count == 0 && node->open > 0;
        part->seconds = (only_open ? node->open_ns : node->total_ns) / 1e9;
        part->self_seconds = only_open ? fmax(part->seconds - inside, 0) : node->self_ns / 1e9;
        part->apart = node->detached;
        part->parent = node->parent == PIT_NO_NODE ? PIT__NO_PART : node->parent;
        if (part->parent != PIT__NO_PART && !node->detached) {
            parts[part->parent].self_seconds += part->seconds;
            parts[part->parent].children++;
        }
    }
    return parts;
}

/* ---- the course ------------------------------------------------------------------------------- */

static int set_course(struct pit__case *all, const double *seconds, size_t count, size_t least)
{
    if (count < least)
        return 0;
    if (pit__warmup_find(seconds, count, &all->warmup) ||
        pit__variation_find(seconds, count, &all->all))
        return PIT_NO_MEMORY;
    all->has_course = 1;
    all->first = seconds[0];
    all->steady_from = all->warmup.ends_at;
    return pit__variation_find(seconds + all->steady_from, count - all->steady_from, &all->steady)
               ? PIT_NO_MEMORY
               : 0;
}

static int set_unit_course(const pit_run *const *runs, size_t run_count,
                           struct pit__advice_case *made)
{
    struct pit__series series;
    const char *path = made->parts[made->all.unit].path;
    int code = pit__series_of(runs, run_count, path, &series);
    if (!code)
        code = set_course(&made->all, series.seconds, series.count, PIT__ADVICE_PASSES);
    made->all.in_order = series.in_order;
    free(series.seconds);
    return code;
}

/* ---- what is around ---------------------------------------------------------------------------- */

static double rate(uint64_t first, uint64_t last, double seconds)
{
    double more = pit__known(last) - pit__known(first);
    return seconds > 0 && more >= 0 ? more / seconds : NAN;
}

/* Of the run with the most readings. */
static struct pit__around look_around(const pit_run *const *runs, size_t run_count)
{
    struct pit__around around = {NAN, NAN, NAN, NAN, NAN};
    const pit_run *run = NULL;
    for (size_t r = 0; r < run_count; r++)
        if (runs[r]->has_samples && runs[r]->sample_count > (run ? run->sample_count : 1))
            run = runs[r];
    if (!run)
        return around;
    /* a point's figures are of its last reading: that was as the next point began */
    const pit_sample *first = &run->samples[0], *last = &run->newest;
    uint64_t begin = run->sample_stride > 1 ? run->samples[1].ticks : first->ticks;
    double seconds = ((double)last->ticks - (double)begin) * run->ns_per_tick / 1e9;
    around.cpu = rate(first->cpu_ns, last->cpu_ns, seconds) / 1e9;
    around.read = rate(first->read_bytes, last->read_bytes, seconds);
    around.written = rate(first->write_bytes, last->write_bytes, seconds);
    around.forced = rate(first->forced_switches, last->forced_switches, seconds);
    for (size_t i = 0; i < run->sample_count; i++)
        around.pressure = fmax(around.pressure, pit__known(run->samples[i].pressure) / 10000);
    return around;
}

/* When the first passages of the unit were over, in nanoseconds from the run's start: of the thread
 * with the most. Passages that the flight recorder dropped were before all that it has. */
static double loaded_ns(const pit_run *run, const char *path)
{
    uint64_t most = 0, ticks = run->start_ticks;
    for (size_t t = 0; t < run->thread_count; t++) {
        const pit_thread *thread = &run->threads[t];
        uint32_t node = pit__node_at(thread, path);
        if (node == PIT_NO_NODE || thread->nodes[node].count <= most)
            continue;
        most = thread->nodes[node].count;
        uint64_t left = most > FIRST_PARTS ? most / FIRST_PARTS : 1, seen = 0;
        for (size_t i = 0; i < thread->event_count && seen < left; i++)
            if (thread->events[i].node == node) {
                seen++;
                ticks = thread->events[i].begin + thread->events[i].duration;
            }
    }
    return ((double)ticks - (double)run->start_ticks) * run->ns_per_tick;
}

/* Did it grow on after it had loaded? */
static int set_growth_on(struct pit__case *all, const pit_run *run)
{
    struct pit__growth growth;
    double from = LOADING_NS;
    if (all->unit != PIT__NO_PART)
        from = loaded_ns(run, all->parts[all->unit].path);
    int code = pit__growth_after(run, fmax(from, run->duration_ns / 2), &growth);
    all->grown_on = code > 0 ? growth.change : 0;
    return code < 0 ? code : 0;
}

/* The run that grows the most speaks for all. */
static int set_memory(const pit_run *const *runs, size_t run_count, struct pit__advice_case *made)
{
    struct pit__case *all = &made->all;
    int code = 0, any = 0;
    size_t speaks = 0;
    for (size_t r = 0; r < run_count && !code; r++) {
        struct pit__run_memory memory;
        code = pit__run_memory_make(runs[r], &memory);
        double slope = memory.is_growing ? memory.growth.slope : 0;
        if (code || (any && !(slope > (made->memory.is_growing ? made->memory.growth.slope : 0)))) {
            pit__run_memory_free(&memory);
            continue;
        }
        if (any)
            pit__run_memory_free(&made->memory);
        made->memory = memory;
        any = 1;
        speaks = r;
        all->held_at_first = runs[r]->sample_count > 0 ? pit__known(runs[r]->samples[0].rss) : NAN;
    }
    if (code || !any)
        return code;
    all->is_growing = made->memory.is_growing;
    all->held = made->memory.last.rss;
    all->grown = made->memory.growth.change;
    all->growth_a_minute = pit__growth_a_minute(&made->memory);
    all->grows_in = made->memory.where.length > 0 ? pit__text_string(&made->memory.where) : NULL;
    return set_growth_on(all, runs[speaks]);
}

/* Runs of one job, its ranks, are not repetitions of one another. */
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

/* A batch, a step, an epoch, or what stands around forward and backward: where there are but few of
 * them their shares may be those of starting up. A pipeline whose stages run once has none. */
static int is_unit_of_work(const struct pit__case *all)
{
    enum pit__role role = pit__role_of(all->parts[all->unit].name);
    if (role == PIT__ROLE_BATCH || role == PIT__ROLE_STEP || role == PIT__ROLE_EPOCH)
        return 1;
    for (size_t i = all->unit + 1; i < all->part_count; i++)
        if (all->parts[i].parent == all->unit && pit__role_of(all->parts[i].name) != PIT__ROLE_NONE)
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
                 "too little data: %s in spans, %s are needed at least",
                 pit__unit_duration(a, all->total * 1e9, 1),
                 pit__unit_duration(b, PIT__ADVICE_SECONDS * 1e9, 1));
    else if (unit && unit->count < PIT__ADVICE_PASSES && is_unit_of_work(all)) {
        struct pit__text name = {0}, cut = {0};
        pit__text_add_visible(&name, unit->name);
        pit__text_add_cut(&cut, pit__text_string(&name), NAME_COLUMNS, 1);
        snprintf(made->reason, sizeof made->reason,
                 "too little data: %s was passed %s time%s, %d are needed at least",
                 pit__text_string(&cut), pit__unit_count(a, unit->count),
                 unit->count == 1 ? "" : "s", PIT__ADVICE_PASSES);
        pit__text_free(&name);
        pit__text_free(&cut);
    }
}

int pit__case_of_runs(const pit_run *const *runs, size_t run_count, const pit_tree *tree,
                      struct pit__advice_case *made)
{
    *made = (struct pit__advice_case){.all.unit = PIT__NO_PART};
    struct pit__case *all = &made->all;
    made->parts = pit__parts_of(tree);
    if (!made->parts)
        return PIT_NO_MEMORY;
    all->parts = made->parts;
    all->part_count = tree->node_count;
    for (size_t i = 0; i < all->part_count; i++)
        if (all->parts[i].parent == PIT__NO_PART && !all->parts[i].apart)
            all->total += all->parts[i].seconds;
    all->unit = pit__find_unit(all->parts, all->part_count);
    check_enough(made);
    all->around = look_around(runs, run_count);
    int code = set_memory(runs, run_count, made);
    if (!code && all->unit != PIT__NO_PART)
        code = set_unit_course(runs, run_count, made);
    if (!code && all->unit != PIT__NO_PART)
        code = compare_runs(runs, run_count, made);
    return code;
}

int pit__case_of_rows(const pit_row *rows, size_t count, const double *batches, size_t batch_count,
                      struct pit__advice_case *made)
{
    *made = (struct pit__advice_case){.all.unit = PIT__NO_PART};
    struct pit__case *all = &made->all;
    all->by_letter = all->in_order = 1;
    all->growth_a_minute = NAN;
    all->around = (struct pit__around){NAN, NAN, NAN, NAN, NAN};
    made->parts = calloc(count + 1, sizeof *made->parts);
    if (!made->parts)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < count; i++) {
        double seconds = isfinite(rows[i].seconds) ? rows[i].seconds : 0;
        const char *name = rows[i].name ? rows[i].name : "";
        made->parts[i] = (struct pit__part){.name = name,
                                            .path = name,
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
                 "too little data: %zu batch%s, %d are needed at least to judge their course",
                 batch_count, batch_count == 1 ? "" : "es", PIT__ADVICE_PASSES);
    return batches ? set_course(all, batches, batch_count, 2) : 0;
}

void pit__case_free(struct pit__advice_case *made)
{
    free(made->parts);
    pit__run_memory_free(&made->memory);
}
