/* profile_compare.c: model profiles side by side, as JSON: ratios against the first one,
 * winners, and under "pitwall" whether the differences in inference are real.
 *
 * They are judged as `pitwall compare` judges the files of profiles (pit_compare_sides): blocks
 * of models that were timed in turn are treated like interleaved runs. Models timed one after
 * the other get no verdict: the same function profiled twice was called faster or slower in two
 * of five cases.
 */
#include "profile_json.h"

#include "compare/compare.h"
#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- ratios ---------------------------------------------------------------------------------- */

static double trajectory(const pit_profile *p)
{
    return p->full_trajectory.trials > 0 ? p->full_trajectory.mean : NAN;
}

static double training_ratio(const pit_profile *p, const pit_profile *first)
{
    return first->training_seconds > 0 ? p->training_seconds / first->training_seconds : NAN;
}

static double inference_speedup(const pit_profile *p, const pit_profile *first)
{
    return trajectory(p) > 0 && trajectory(first) > 0 ? trajectory(first) / trajectory(p) : NAN;
}

static double memory_ratio(const pit_profile *p, const pit_profile *first)
{
    return first->parameter_memory_mb > 0 ? p->parameter_memory_mb / first->parameter_memory_mb
                                          : NAN;
}

static double parameter_ratio(const pit_profile *p, const pit_profile *first)
{
    return first->model_parameters > 0
               ? (double)p->model_parameters / (double)first->model_parameters
               : NAN;
}

/* "LSTM_vs_MVAR"; if models have the same name, the second is LSTM_2, and so on, because JSON
 * keys must be unique. */
static void name_pair(struct pit__text *text, const pit_profile *profiles, size_t i)
{
    size_t same = 1;
    for (size_t k = 1; k < i; k++)
        same += strcmp(profiles[k].model_name, profiles[i].model_name) == 0;
    pit__text_puts(text, profiles[i].model_name);
    if (same > 1)
        pit__text_printf(text, "_%zu", same);
    pit__text_printf(text, "_vs_%s", profiles[0].model_name);
}

static int write_ratios(struct pit__json *json, const char *key, const pit_profile *profiles,
                        size_t count,
                        double (*ratio)(const pit_profile *p, const pit_profile *first))
{
    int failed = 0;
    pit__json_object(json, key);
    for (size_t i = 1; i < count; i++) {
        struct pit__text name = {0};
        name_pair(&name, profiles, i);
        failed |= name.failed;
        pit__json_double(json, pit__text_string(&name), ratio(&profiles[i], &profiles[0]));
        pit__text_free(&name);
    }
    pit__json_object_end(json);
    return failed ? PIT_NO_MEMORY : 0;
}

/* ---- winners --------------------------------------------------------------------------------- */

static double training(const pit_profile *p)
{
    return p->training_seconds;
}

static double memory(const pit_profile *p)
{
    return p->parameter_memory_mb;
}

/* The first model with the lowest figure; null if no figure is known. */
static void write_winner(struct pit__json *json, const char *key, const pit_profile *profiles,
                         size_t count, double (*figure)(const pit_profile *p))
{
    const pit_profile *best = NULL;
    for (size_t i = 0; i < count; i++)
        if (!isnan(figure(&profiles[i])) && (!best || figure(&profiles[i]) < figure(best)))
            best = &profiles[i];
    pit__json_string(json, key, best ? best->model_name : NULL);
}

/* ---- significance ---------------------------------------------------------------------------- */

enum { TRAINING, SINGLE_STEP, FULL_TRAJECTORY, FIGURES };

static const struct {
    const char *key, *what; /* what: as `pitwall compare` calls it */
} figure_names[FIGURES] = {{"training", "training"},
                           {"single_step", "inference/single_step"},
                           {"full_trajectory", "inference/full_trajectory"}};

/* A profile as a side of a comparison. */
struct profile_side {
    pit_side side; /* first member: the side that is compared */
    pit_figures figures[FIGURES];
    double means[FIGURES]; /* for figures without blocks */
    double *blocks[FIGURES];
};

static int add_figures(struct profile_side *to, size_t which, double mean,
                       const pit_bench_result *r)
{
    double *medians = NULL;
    pit_figures *figures = &to->figures[to->side.figure_count];
    int code = r ? pit__result_blocks(r, &to->blocks[which], &medians) : 0;
    to->means[which] = mean;
    if (code || !(mean > 0))
        return code;
    *figures = (pit_figures){.what = figure_names[which].what,
                             .count = 1,
                             .values = &to->means[which],
                             .session = PIT_NOT_COMPARABLE};
    if (medians) {
        figures->count = r->blocks;
        figures->values = to->blocks[which];
        figures->medians =
            r->blocks < r->trials ? medians : NULL; /* with one trial both are the same */
        figures->session = r->session;
    }
    to->side.figure_count++;
    return 0;
}

static int fill_side(struct profile_side *to, const pit_profile *p)
{
    to->side = (pit_side){.name = p->model_name, .figures = to->figures, .runs = 1};
    int code = add_figures(to, TRAINING, p->training_seconds, NULL);
    if (!code)
        code = add_figures(to, SINGLE_STEP, p->single_step.trials ? p->single_step.mean : NAN,
                           &p->single_step);
    return code ? code : add_figures(to, FULL_TRAJECTORY, trajectory(p), &p->full_trajectory);
}

/* NULL: a side lacks the figure. */
static const pit_comparison *find_comparison(const pit_comparisons *all, size_t side,
                                             const char *what)
{
    for (size_t i = 0; all && i < all->count; i++)
        if (all->items[i].side == side && strcmp(all->items[i].what, what) == 0)
            return &all->items[i];
    return NULL;
}

static void write_verdict(struct pit__json *json, const char *key, const pit_comparison *c)
{
    pit__json_object(json, key);
    if (!c || c->verdict == PIT_NO_VERDICT)
        pit__json_null(json, "verdict");
    else
        pit__json_string(json, "verdict", pit__verdict_word(c));
    if (!c)
        pit__json_string(json, "reason", "no figure of both");
    else if (c->verdict == PIT_NO_VERDICT)
        pit__json_string(json, "reason", c->reason);
    if (c) {
        pit__json_double(json, "change", c->change);
        pit__json_double(json, "low", c->low);
        pit__json_double(json, "high", c->high);
        pit__json_double(json, "p", c->p);
        pit__json_uint(json, "blocks", c->b_runs);
        pit__json_uint(json, "baseline_blocks", c->a_runs);
    }
    pit__json_object_end(json);
}

static int write_significance(struct pit__json *json, const pit_profile *profiles, size_t count,
                              const pit_comparisons *all)
{
    int code = 0;
    pit__json_object(json, "pitwall");
    pit__json_int(json, "schema_version", PIT__PROFILE_SCHEMA);
    pit__json_bool(json, "advisory", all ? all->advisory : 1);
    pit__json_object(json, "significance");
    for (size_t i = 1; i < count; i++) {
        struct pit__text name = {0};
        name_pair(&name, profiles, i);
        pit__json_object(json, pit__text_string(&name));
        code = name.failed ? PIT_NO_MEMORY : code;
        pit__text_free(&name);
        for (size_t k = 0; k < FIGURES; k++)
            write_verdict(json, figure_names[k].key, find_comparison(all, i, figure_names[k].what));
        pit__json_object_end(json);
    }
    pit__json_object_end(json);
    pit__json_object_end(json);
    return code;
}

static int write_own(struct pit__json *json, const pit_profile *profiles, size_t count)
{
    struct profile_side *sides = calloc(count, sizeof *sides);
    const pit_side **list = calloc(count, sizeof *list);
    int code = sides && list ? 0 : PIT_NO_MEMORY;
    for (size_t i = 0; i < count && !code; i++) {
        code = fill_side(&sides[i], &profiles[i]);
        list[i] = &sides[i].side;
    }
    pit_error error = {0};
    pit_comparisons *all = !code && count > 1 ? pit_compare_sides(list, count, NULL, &error) : NULL;
    if (!code && count > 1 && !all)
        code = error.code;
    int written = write_significance(json, profiles, count, all);
    pit_comparisons_free(all);
    for (size_t i = 0; sides && i < count; i++)
        for (size_t k = 0; k < FIGURES; k++)
            free(sides[i].blocks[k]);
    free(list);
    free(sides);
    return code ? code : written;
}

int pit__profiles_write_comparison(struct pit__json *json, const char *key,
                                   const pit_profile *profiles, size_t count)
{
    static const struct {
        const char *key;
        double (*ratio)(const pit_profile *p, const pit_profile *first);
    } ratios[] = {{"training_time_ratio", training_ratio},
                  {"inference_speedup", inference_speedup},
                  {"memory_ratio", memory_ratio},
                  {"parameter_ratio", parameter_ratio}};
    int code = 0;
    pit__json_object(json, key);
    pit__json_flat_array(json, "models");
    for (size_t i = 0; i < count; i++)
        pit__json_string(json, NULL, profiles[i].model_name);
    pit__json_array_end(json);
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0] && !code; i++)
        code = write_ratios(json, ratios[i].key, profiles, count, ratios[i].ratio);
    pit__json_object(json, "winners");
    write_winner(json, "fastest_training", profiles, count, training);
    write_winner(json, "fastest_inference", profiles, count, trajectory);
    write_winner(json, "smallest_memory", profiles, count, memory);
    pit__json_object_end(json);
    int own = write_own(json, profiles, count);
    pit__json_object_end(json);
    return code ? code : own;
}
