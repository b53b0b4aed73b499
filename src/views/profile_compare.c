/* profile_compare.c: models' profiles side by side, as JSON: ratios against the first one, winners,
 * and under "pitwall" whether the differences in inference are real.
 *
 * The trials of a profile are one process's, in a row, and neighbours are alike: they are cut into
 * blocks of several, and a block counts as one figure. The profiles were timed one after another, not
 * in turn, so that a change of the machine in between cannot be told from one of the models: every
 * verdict is marked as advisory.
 */
#include "profile_json.h"

#include "analysis/verdict.h"
#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BLOCKS = 20, BLOCK_TRIALS = 5 };
#define LEVEL 0.05

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

/* "LSTM_vs_MVAR"; of models of one name the second is LSTM_2, and so on, for a key of JSON must not
 * come twice. */
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

/* The first of those with the least; null where no figure is known. */
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

struct blocks {
    double early[MOST_BLOCKS], late[MOST_BLOCKS]; /* p10 and median of each */
    size_t count;
};

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int cut_into_blocks(struct blocks *blocks, const pit_bench_result *r)
{
    size_t count = r->times ? r->trials / BLOCK_TRIALS : 0;
    blocks->count = count < MOST_BLOCKS ? count : MOST_BLOCKS;
    if (blocks->count == 0)
        return 0;
    size_t each = r->trials / blocks->count;
    double *sorted = malloc(each * sizeof *sorted);
    if (!sorted)
        return PIT_NO_MEMORY;
    for (size_t i = 0; i < blocks->count; i++) {
        memcpy(sorted, r->times + i * each, each * sizeof *sorted);
        qsort(sorted, each, sizeof *sorted, by_value);
        blocks->early[i] = sorted[each / 10];
        blocks->late[i] = sorted[each / 2];
    }
    free(sorted);
    return 0;
}

static const char *doubt_text(const struct pit__judgement *j)
{
    switch (j->doubt) {
    case PIT__TOO_FEW:
        return "too few trials";
    case PIT__TOO_WIDE:
        return "the interval is too wide";
    case PIT__SHAPE_CHANGED:
        return "fast trials and the median moved apart";
    case PIT__NO_FIGURES:
        return "no times above the clock's resolution";
    case PIT__NO_DOUBT:
        break;
    }
    return NULL;
}

static void write_no_verdict(struct pit__json *json, const char *key, const char *reason)
{
    pit__json_object(json, key);
    pit__json_null(json, "verdict");
    pit__json_string(json, "reason", reason);
    pit__json_object_end(json);
}

static void write_judgement(struct pit__json *json, const char *key, const struct pit__judgement *j,
                            const struct pit__sides *sides)
{
    static const char *const verdicts[] = {[PIT__NO_VERDICT] = NULL,
                                           [PIT__FASTER] = "faster",
                                           [PIT__SLOWER] = "slower",
                                           [PIT__SAME] = "same"};
    pit__json_object(json, key);
    pit__json_string(json, "verdict", verdicts[j->call]);
    if (j->call == PIT__NO_VERDICT)
        pit__json_string(json, "reason", doubt_text(j));
    pit__json_double(json, "change", j->change);
    pit__json_double(json, "low", j->low);
    pit__json_double(json, "high", j->high);
    pit__json_double(json, "p", j->p);
    pit__json_uint(json, "blocks", sides->b_count);
    pit__json_uint(json, "baseline_blocks", sides->a_count);
    pit__json_object_end(json);
}

static int write_significance_of(struct pit__json *json, const char *key, const pit_bench_result *a,
                                 const pit_bench_result *b)
{
    struct blocks first, second;
    struct pit__judgement judgement;
    if (cut_into_blocks(&first, a) || cut_into_blocks(&second, b))
        return PIT_NO_MEMORY;
    if (first.count == 0 || second.count == 0) {
        write_no_verdict(json, key, "too few trials");
        return 0;
    }
    struct pit__sides sides = {first.early, first.late,  second.early,
                               second.late, first.count, second.count};
    if (pit__judge(&sides, LEVEL, PIT__SMALLEST_EFFECT, &judgement))
        return PIT_NO_MEMORY;
    write_judgement(json, key, &judgement, &sides);
    return 0;
}

static int write_own(struct pit__json *json, const pit_profile *profiles, size_t count)
{
    int code = 0;
    pit__json_object(json, "pitwall");
    pit__json_int(json, "schema_version", PIT__PROFILE_SCHEMA);
    pit__json_bool(json, "advisory", 1);
    pit__json_object(json, "significance");
    for (size_t i = 1; i < count; i++) {
        struct pit__text name = {0};
        name_pair(&name, profiles, i);
        pit__json_object(json, pit__text_string(&name));
        code = name.failed ? PIT_NO_MEMORY : code;
        pit__text_free(&name);
        write_no_verdict(json, "training", "one training a model");
        int single = write_significance_of(json, "single_step", &profiles[0].single_step,
                                           &profiles[i].single_step);
        int full = write_significance_of(json, "full_trajectory", &profiles[0].full_trajectory,
                                         &profiles[i].full_trajectory);
        code = single ? single : full ? full : code;
        pit__json_object_end(json);
    }
    pit__json_object_end(json);
    pit__json_object_end(json);
    return code;
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
