/* race_engine.c: runs the sides in turn until there is a verdict or no time is left.
 *
 * Order matters more than the test: machines have slow periods that last whole runs, so the
 * sides take turns, in random order in each round. Whether the budget ends a race depends on the
 * sum of both sides' times, which does not depend on the order within a round. So the last
 * interim test may come after any round.
 */
#include "compare.h"

#include "analysis/looks.h"
#include "analysis/paired_test.h"
#include "analysis/random_order.h"
#include "base/clock_ns.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUDGET 60 /* seconds */
#define MOST_SIDES 1024
#define MOST_FIGURES 64
#define MOST_RUNS 10000000

struct race {
    pit_race_run run;
    void *argument;
    pit_race_options options;
    pit_race_result *result;
    size_t most;      /* rounds */
    uint64_t random;  /* state of the random order */
    size_t *order;    /* of the sides in a round */
    double *now;      /* figures of a run; then changes for the progress, and their logarithms */
    double **figures; /* of the result */
    double begun;     /* on the clock */
};

PIT_API const size_t *pit_race_tests(size_t *count)
{
    *count = pit__look_count;
    return pit__looks;
}

static double read_clock(const struct race *race)
{
    if (race->options.clock)
        return race->options.clock(race->argument);
    return (double)pit__clock_ns(CLOCK_MONOTONIC) / 1e9;
}

static double elapsed(const struct race *race)
{
    return read_clock(race) - race->begun;
}

/* ---- judging --------------------------------------------------------------------------------- */

static pit_figures figures_of(const struct race *race, size_t side)
{
    double *const *own = race->figures + side * race->options.figure_count;
    return (pit_figures){.what = race->options.what,
                         .is_whole = 1,
                         .count = race->result->rounds,
                         .values = own[0],
                         .medians = race->options.has_median ? own[1] : NULL};
}

/* Judge all sides at this level and store the result. */
static int judge(struct race *race, double level)
{
    size_t count = race->options.side_count;
    pit_figures *figures = calloc(count, sizeof *figures);
    pit_side *sides = calloc(count, sizeof *sides);
    const pit_side **list = calloc(count, sizeof(const pit_side *));
    pit_compare_options options = {.level = level,
                                   .effect = race->options.effect,
                                   .interleaved = 1,
                                   .pairs = race->result->rounds};
    pit_error error = {.code = PIT_NO_MEMORY};
    pit_comparisons *found = NULL;
    for (size_t i = 0; figures && sides && list && i < count; i++) {
        figures[i] = figures_of(race, i);
        sides[i] = (pit_side){race->options.names ? race->options.names[i] : NULL, &figures[i], 1,
                              race->result->rounds};
        list[i] = &sides[i];
    }
    if (figures && sides && list)
        found = pit_compare_sides(list, count, &options, &error);
    free(figures);
    free(sides);
    free(list);
    if (!found)
        return error.code;
    pit_comparisons_free(race->result->comparisons);
    race->result->comparisons = found;
    race->result->level = level;
    race->result->test_count++;
    return 0;
}

static int is_decided(const pit_comparisons *found)
{
    for (size_t i = 0; i < found->count; i++)
        if (found->items[i].verdict == PIT_NO_VERDICT)
            return 0;
    return 1;
}

/* ---- rounds ---------------------------------------------------------------------------------- */

/* Run every side once. Figures are kept only if the round is complete. */
static int run_round(struct race *race, size_t round)
{
    size_t count = race->options.side_count, width = race->options.figure_count;
    pit__shuffle(race->order, count, &race->random);
    for (size_t i = 0; i < count; i++) {
        size_t side = race->order[i];
        memset(race->now, 0, width * sizeof *race->now);
        int code = race->run(race->argument, side, round, race->now);
        if (code)
            return code;
        for (size_t k = 0; k < width && round > 0; k++)
            race->figures[side * width + k][round - 1] = race->now[k];
    }
    race->result->rounds = round;
    return 0;
}

/* The mean of the lowest third of a side so far, as a logarithm. */
static double third_so_far(const struct race *race, size_t side, double *logs)
{
    size_t rounds = race->result->rounds;
    const double *figures = race->figures[side * race->options.figure_count];
    for (size_t i = 0; i < rounds; i++)
        logs[i] = figures[i] > 0 ? log(figures[i]) : NAN;
    return pit__lowest_third(logs, rounds);
}

static int show_progress(struct race *race)
{
    if (!race->options.progress)
        return 0;
    size_t rounds = race->result->rounds;
    double *changes = race->now + race->options.figure_count;
    double *logs = changes + race->options.side_count, first = third_so_far(race, 0, logs);
    for (size_t side = 1; side < race->options.side_count; side++)
        changes[side - 1] = expm1(third_so_far(race, side, logs) - first);
    size_t next = race->options.runs ? race->options.runs : pit__next_look(rounds);
    pit_race_progress progress = {.round = rounds + 1,
                                  .next_test = next,
                                  .seconds = elapsed(race),
                                  .budget = race->options.budget,
                                  .change = changes,
                                  .side_count = race->options.side_count};
    return race->options.progress(race->argument, &progress) ? PIT_STOP : 0;
}

static int is_out_of_time(const struct race *race)
{
    size_t least = race->options.runs ? 1 : pit__looks[0];
    return race->result->rounds >= least && elapsed(race) >= race->options.budget;
}

/* After a round: judge if an interim test is due. */
static int look(struct race *race, int *is_over)
{
    size_t rounds = race->result->rounds;
    int is_last = rounds == race->most || is_out_of_time(race);
    *is_over = is_last;
    if (!is_last && (race->options.runs || !pit__is_look(rounds)))
        return 0;
    double level = race->options.level;
    if (!race->options.runs)
        level = pit__look_level(rounds, is_last, level);
    int code = judge(race, level);
    race->result->end = rounds == race->most ? PIT_RACE_ALL_RUNS : PIT_RACE_BUDGET;
    if (!code && !race->options.runs && is_decided(race->result->comparisons)) {
        race->result->end = PIT_RACE_DECIDED;
        *is_over = 1;
    }
    return code;
}

static int run_all(struct race *race)
{
    int code = 0, is_over = 0;
    for (size_t i = 0; i < race->options.warmup && !code; i++)
        code = run_round(race, 0);
    while (!code && !is_over) {
        code = show_progress(race);
        if (!code)
            code = run_round(race, race->result->rounds + 1);
        if (!code)
            code = look(race, &is_over);
    }
    if (code != PIT_STOP)
        return code;
    race->result->end = PIT_RACE_STOPPED;
    size_t rounds = race->result->rounds;
    return judge(race, race->options.runs ? race->options.level
                                          : pit__look_level(rounds, 1, race->options.level));
}

/* ---- beginning and end ----------------------------------------------------------------------- */

static int fill_options(pit_race_options *o)
{
    pit_compare_options compared = {.level = o->level, .effect = o->effect};
    int code = pit__compare_options(&compared, &compared);
    o->level = compared.level;
    o->effect = compared.effect;
    if (o->side_count == 0)
        o->side_count = 2;
    if (o->figure_count == 0)
        o->figure_count = o->has_median ? 2 : 1;
    if (!o->what)
        o->what = "wall time";
    if (o->budget == 0)
        o->budget = o->runs ? INFINITY : BUDGET;
    if (code || o->side_count < 2 || o->side_count > MOST_SIDES || !(o->budget > 0) ||
        o->figure_count > MOST_FIGURES || o->figure_count < (o->has_median ? 2u : 1u) ||
        o->runs > MOST_RUNS)
        return PIT_BAD_ARGUMENT;
    return 0;
}

static uint64_t fresh_seed(const struct race *race)
{
    return pit__clock_ns(CLOCK_REALTIME) + (uint64_t)getpid() * 65537 + (uint64_t)(uintptr_t)race;
}

static int set_up(struct race *race)
{
    const pit_race_options *o = &race->options;
    race->most = o->runs ? o->runs : pit__looks[pit__look_count - 1];
    size_t columns = o->side_count * o->figure_count;
    race->order = calloc(o->side_count, sizeof *race->order);
    race->now = calloc(o->figure_count + o->side_count + race->most, sizeof *race->now);
    race->figures = calloc(columns, sizeof *race->figures);
    double *cells = calloc(columns * race->most, sizeof *cells);
    if (race->figures)
        race->figures[0] = cells;
    if (!race->order || !race->now || !race->figures || !cells) {
        if (!race->figures)
            free(cells);
        return PIT_NO_MEMORY;
    }
    for (size_t i = 0; i < columns; i++)
        race->figures[i] = cells + i * race->most;
    for (size_t i = 0; i < o->side_count; i++)
        race->order[i] = i;
    race->random = o->seed ? o->seed : fresh_seed(race);
    race->begun = read_clock(race);
    return 0;
}

PIT_API int pit_race(pit_race_run run, void *argument, const pit_race_options *options,
                     pit_race_result *result)
{
    if (!run || !result)
        return PIT_BAD_ARGUMENT;
    struct race race = {.run = run, .argument = argument, .result = result};
    *result = (pit_race_result){0};
    if (options)
        race.options = *options;
    int code = fill_options(&race.options);
    if (code)
        return code;
    code = set_up(&race);
    result->figures = race.figures;
    result->side_count = race.options.side_count;
    result->figure_count = race.options.figure_count;
    if (!code)
        code = run_all(&race);
    if (!code)
        result->seconds = elapsed(&race);
    free(race.order);
    free(race.now);
    if (code)
        pit_race_free(result);
    return code;
}

PIT_API void pit_race_free(pit_race_result *result)
{
    if (!result)
        return;
    /* the others are in the same allocation */
    if (result->figures)
        free(result->figures[0]);
    free((void *)result->figures);
    pit_comparisons_free(result->comparisons);
    *result = (pit_race_result){0};
}
