/* profile_compare.c: models' profiles side by side, as JSON: ratios against the first one, winners,
 * and under "pitwall" whether the differences in inference are real.
 *
 * The trials of a profile are passages of one process, and are compared as such (pit_compare_series).
 * The profiles were timed one after another, not in turn, so that a change of the machine in between
 * cannot be told from one of the models: every verdict is marked as advisory.
 */
#include "profile_json.h"

#include "report/text.h"

#include <math.h>
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

static void write_no_verdict(struct pit__json *json, const char *key, const char *reason)
{
    pit__json_object(json, key);
    pit__json_null(json, "verdict");
    pit__json_string(json, "reason", reason);
    pit__json_object_end(json);
}

static void write_verdict(struct pit__json *json, const char *key, const pit_comparison *c)
{
    static const char *const verdicts[] = {[PIT_NO_VERDICT] = NULL,
                                           [PIT_FASTER] = "faster",
                                           [PIT_SLOWER] = "slower",
                                           [PIT_SAME] = "same"};
    pit__json_object(json, key);
    pit__json_string(json, "verdict", verdicts[c->verdict]);
    if (c->verdict == PIT_NO_VERDICT)
        pit__json_string(json, "reason", c->reason);
    pit__json_double(json, "change", c->change);
    pit__json_double(json, "low", c->low);
    pit__json_double(json, "high", c->high);
    pit__json_double(json, "p", c->p);
    pit__json_uint(json, "blocks", c->b_runs);
    pit__json_uint(json, "baseline_blocks", c->a_runs);
    pit__json_object_end(json);
}

static int write_significance_of(struct pit__json *json, const char *key, const pit_bench_result *a,
                                 const pit_bench_result *b)
{
    pit_comparison comparison;
    if (!a->times || !b->times || a->trials == 0 || b->trials == 0) {
        write_no_verdict(json, key, "no trials");
        return 0;
    }
    int code = pit_compare_series(a->times, a->trials, b->times, b->trials, NULL, &comparison);
    if (code == PIT_NO_MEMORY)
        return code;
    if (code)
        write_no_verdict(json, key, "no times above the clock's resolution");
    else
        write_verdict(json, key, &comparison);
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
