/* benchmark.c: times a function until its figures are stable; forecasts of a model, and of several models
 * in turn. benchmark_trials.c does the measuring.
 *
 * Two models that are timed one after the other see two states of the machine, and this difference is
 * larger than most that people look for. So pit_bench_models works in rounds: each round runs a block of
 * trials of every model, in random order. Blocks are then compared like runs of a program. */
#include "benchmark_trials.h"

#include "analysis/random_order.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FORECAST_TRIALS = 50, FORECAST_WARMUP = 5, FORECAST_STEPS = 100 };
enum { LEAST_BLOCKS = 10, MOST_BLOCKS = 40, BLOCK_TRIALS = 5 };

/* ---- a function ------------------------------------------------------------------------------- */

static int go_on(const struct pit__bench *b)
{
    if (b->count > 0 && pit__bench_is_late(b))
        return 0;
    return b->count < b->options.trials || b->timed_ns < b->options.min_seconds * 1e9;
}

PIT_API int pit_bench(void (*function)(void *argument), void *argument,
                      const pit_bench_options *options, pit_bench_result *result)
{
    if (result)
        memset(result, 0, sizeof *result);
    if (!function || !result || (options && !(options->max_seconds >= 0)))
        return PIT_BAD_ARGUMENT;
    struct pit__bench b;
    pit__bench_begin(&b, function, argument, options);
    int code = 0;
    while (!code && go_on(&b))
        code = pit__bench_trial(&b);
    return pit__bench_finish(&b, code, result);
}

PIT_API void pit_bench_free(pit_bench_result *result)
{
    if (!result)
        return;
    free(result->times);
    memset(result, 0, sizeof *result);
}

/* ---- a forecast ------------------------------------------------------------------------------- */

struct forecast {
    void (*function)(void *argument, uint64_t steps);
    void *argument;
    uint64_t steps;
};

static void call_forecast(void *argument)
{
    const struct forecast *forecast = argument;
    forecast->function(forecast->argument, forecast->steps);
}

static pit_bench_options forecast_bench(const pit_forecast_options *o, const char *name)
{
    return (pit_bench_options){.name = name,
                               .warmup = o->warmup_trials ? o->warmup_trials : FORECAST_WARMUP,
                               .trials = o->trials ? o->trials : FORECAST_TRIALS,
                               .min_seconds = -1,
                               .max_seconds = INFINITY,
                               .wait = o->wait};
}

#define NAME_ROOM 256
static const char single_step_word[] = "single step", trajectory_word[] = "trajectory";

static int bench_steps(const pit_forecast_options *o, struct forecast *call, uint64_t steps,
                       const char *word, pit_bench_result *result)
{
    char name[NAME_ROOM];
    snprintf(name, sizeof name, "%s %s", o->name ? o->name : "forecast", word);
    pit_bench_options bench = forecast_bench(o, name);
    call->steps = steps;
    return pit_bench(call_forecast, call, &bench, result);
}

static uint64_t trajectory_steps(const pit_forecast_options *o)
{
    return o->steps ? o->steps : FORECAST_STEPS;
}

PIT_API int pit_bench_forecast(void (*forecast)(void *argument, uint64_t steps), void *argument,
                               const pit_forecast_options *options, pit_bench_result *single_step,
                               pit_bench_result *full_trajectory)
{
    static const pit_forecast_options defaults;
    const pit_forecast_options *o = options ? options : &defaults;
    if (!forecast || !single_step || !full_trajectory)
        return PIT_BAD_ARGUMENT;
    struct forecast call = {forecast, argument, 1};
    memset(full_trajectory, 0, sizeof *full_trajectory);
    int code = bench_steps(o, &call, 1, single_step_word, single_step);
    if (code)
        return code;
    code = bench_steps(o, &call, trajectory_steps(o), trajectory_word, full_trajectory);
    if (code)
        pit_bench_free(single_step);
    return code;
}

/* ---- several models in turn -------------------------------------------------------------------- */

struct contender {
    struct pit__bench bench;
    struct forecast call;
    char name[NAME_ROOM];
};

/* Not 0, and practically unique for every call on any machine, from clock and pid. */
static uint64_t fresh_number(void)
{
    struct timespec wall, since;
    clock_gettime(CLOCK_REALTIME, &wall);
    clock_gettime(CLOCK_MONOTONIC, &since);
    uint64_t state = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
    state ^= (uint64_t)since.tv_nsec << 34 ^ (uint64_t)getpid() << 44;
    uint64_t number = pit__next_random(&state);
    return number ? number : 1;
}

/* The number of blocks: enough for a verdict, with enough trials each for a p10 and a median. */
static uint64_t blocks_of(uint64_t trials)
{
    uint64_t blocks = trials / BLOCK_TRIALS;
    blocks = blocks < LEAST_BLOCKS ? LEAST_BLOCKS : blocks > MOST_BLOCKS ? MOST_BLOCKS : blocks;
    return blocks < trials ? blocks : trials;
}

static int run_block(struct pit__bench *b, uint64_t upto)
{
    int code = 0;
    while (!code && b->count < upto)
        code = pit__bench_trial(b);
    return code;
}

/* Trials that do not fill a block are added to the first round, which the comparison leaves out. */
static int run_rounds(struct contender *contenders, size_t count, size_t *order, uint64_t *state)
{
    uint64_t trials = contenders[0].bench.options.trials, blocks = blocks_of(trials);
    uint64_t length = trials / blocks;
    int code = 0;
    for (uint64_t upto = trials - (blocks - 1) * length; upto <= trials && !code; upto += length) {
        pit__shuffle(order, count, state);
        for (size_t i = 0; i < count && !code; i++)
            code = run_block(&contenders[order[i]].bench, upto);
    }
    return code;
}

static int finish_all(struct contender *contenders, size_t count, int code, uint64_t session,
                      pit_bench_result *results)
{
    for (size_t i = 0; i < count; i++) {
        int own = pit__bench_finish(&contenders[i].bench, code, &results[i]);
        code = code ? code : own;
        results[i].session = session;
        results[i].blocks = blocks_of(results[i].trials);
    }
    for (size_t i = 0; i < count && code; i++)
        pit_bench_free(&results[i]);
    return code;
}

static int bench_in_turn(const pit_bench_model *models, size_t count, const pit_forecast_options *o,
                         uint64_t steps, const char *word, uint64_t session, uint64_t *state,
                         pit_bench_result *results)
{
    struct contender *contenders = calloc(count, sizeof *contenders);
    size_t *order = calloc(count, sizeof *order);
    int code = contenders && order ? 0 : PIT_NO_MEMORY;
    for (size_t i = 0; i < count && !code; i++) {
        struct contender *c = &contenders[i];
        snprintf(c->name, sizeof c->name, "%s %s", models[i].name, word);
        c->call = (struct forecast){models[i].forecast, models[i].argument, steps};
        pit_bench_options bench = forecast_bench(o, c->name);
        pit__bench_begin(&c->bench, call_forecast, &c->call, &bench);
        order[i] = i;
    }
    if (!code) {
        code = run_rounds(contenders, count, order, state);
        code = finish_all(contenders, count, code, session, results);
    }
    free(contenders);
    free(order);
    return code;
}

PIT_API int pit_bench_models(const pit_bench_model *models, size_t count,
                             const pit_forecast_options *options, pit_bench_result *single_steps,
                             pit_bench_result *full_trajectories)
{
    static const pit_forecast_options defaults;
    const pit_forecast_options *o = options ? options : &defaults;
    if (!models || count == 0 || !single_steps || !full_trajectories)
        return PIT_BAD_ARGUMENT;
    for (size_t i = 0; i < count; i++)
        if (!models[i].name || !models[i].forecast)
            return PIT_BAD_ARGUMENT;
    uint64_t session = fresh_number(), state = o->seed ? o->seed : session;
    memset(full_trajectories, 0, count * sizeof *full_trajectories);
    memset(single_steps, 0, count * sizeof *single_steps);
    int code = bench_in_turn(models, count, o, 1, single_step_word, session, &state, single_steps);
    if (code)
        return code;
    code = bench_in_turn(models, count, o, trajectory_steps(o), trajectory_word, session, &state,
                         full_trajectories);
    for (size_t i = 0; i < count && code; i++)
        pit_bench_free(&single_steps[i]);
    return code;
}
