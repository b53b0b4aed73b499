/* profile_json.c: a model's profile as JSON, and the files that hold profiles.
 *
 * Keys and their order are those of existing runtime_profile.json files; new members are under
 * "pitwall". A file is written completely or not at all; missing folders are created.
 */
#include "profile_json.h"

#include "analysis/blocks.h"
#include "base/folders.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- the parts ------------------------------------------------------------------------------- */

static void write_timing(struct pit__json *json, const char *key, const pit_bench_result *r)
{
    if (r->trials == 0) {
        pit__json_null(json, key);
        return;
    }
    pit__json_object(json, key);
    pit__json_double(json, "mean_seconds", r->mean);
    pit__json_double(json, "std_seconds", r->std);
    pit__json_double(json, "min_seconds", r->min);
    pit__json_double(json, "max_seconds", r->max);
    pit__json_uint(json, "samples", r->trials);
    pit__json_object_end(json);
}

static void write_memory(struct pit__json *json, const pit_profile *p)
{
    pit__json_object(json, "memory");
    pit__json_double(json, "peak_mb", p->peak_mb);
    pit__json_double(json, "current_mb", p->current_mb);
    pit__json_uint(json, "model_parameters", p->model_parameters);
    pit__json_double(json, "parameter_memory_mb", p->parameter_memory_mb);
    pit__json_object_end(json);
}

static void write_throughput(struct pit__json *json, const pit_profile *p)
{
    pit__json_object(json, "throughput");
    pit__json_double(json, "steps_per_second", p->steps_per_second);
    pit__json_double(json, "predictions_per_second", p->predictions_per_second);
    pit__json_double(json, "seconds_per_step", p->seconds_per_step);
    pit__json_double(json, "microseconds_per_step", p->microseconds_per_step);
    pit__json_object_end(json);
}

static uint64_t or_one(uint64_t n)
{
    return n ? n : 1;
}

/* The sizes from which the figures of a kind were computed. */
static void write_sizes(struct pit__json *json, const pit_model *m, enum pit__model_kind kind)
{
    switch (kind) {
    case PIT__MODEL_LAGS:
        pit__json_uint(json, "lag_order", m->lag);
        break;
    case PIT__MODEL_LAYERS:
        pit__json_uint(json, "hidden_dimension", m->hidden_dim);
        pit__json_uint(json, "num_layers", or_one(m->layers));
        break;
    case PIT__MODEL_CONVOLUTION:
        pit__json_uint(json, "kernel_size", m->kernel);
        pit__json_uint(json, "channels_in", m->channels_in);
        pit__json_uint(json, "channels_out", m->channels_out);
        pit__json_uint(json, "height", m->height);
        pit__json_uint(json, "width", m->width);
        pit__json_uint(json, "num_layers", or_one(m->layers));
        break;
    case PIT__MODEL_SEQUENCE:
        pit__json_uint(json, "sequence_length", m->sequence);
        pit__json_uint(json, "num_layers", or_one(m->layers));
        break;
    case PIT__MODEL_PATTERNS:
        pit__json_double(json, "num_patterns", m->patterns);
        pit__json_double(json, "pattern_size", m->pattern_size);
        pit__json_double(json, "num_nodes", m->nodes);
        pit__json_double(json, "avg_degree", m->degree);
        break;
    case PIT__MODEL_NONE:
        break;
    }
}

static void write_complexity(struct pit__json *json, const pit_profile *p)
{
    const pit_complexity *c = &p->complexity;
    struct pit__sizes sizes = pit__sizes_of(&p->model);
    enum pit__model_kind kind = pit__find_model_kind(pit__kind_name(&p->model), &sizes);
    pit__json_object(json, "complexity");
    pit__json_uint(json, "total_parameters", c->total_parameters);
    pit__json_uint(json, "latent_dimension", c->latent_dimension);
    if (kind != PIT__MODEL_NONE) {
        write_sizes(json, &p->model, kind);
        if (kind != PIT__MODEL_PATTERNS)
            pit__json_uint(json, "expected_parameters", c->expected_parameters);
        if (c->parameters_per_lag)
            pit__json_uint(json, "parameters_per_lag", c->parameters_per_lag);
        if (c->parameters_per_layer)
            pit__json_uint(json, "parameters_per_layer", c->parameters_per_layer);
        pit__json_uint(json, "inference_flops_per_step", c->flops_per_step);
        pit__json_string(json, "training_complexity", c->training);
        pit__json_string(json, "inference_complexity", c->inference);
    }
    pit__json_object_end(json);
}

/* ---- members of pitwall
 * ------------------------------------------------------------------------- */

static void write_percentiles(struct pit__json *json, const char *key, const pit_bench_result *r)
{
    if (r->trials == 0) {
        pit__json_null(json, key);
        return;
    }
    pit__json_object(json, key);
    pit__json_double(json, "median_seconds", r->median);
    pit__json_double(json, "p95_seconds", r->p95);
    pit__json_double(json, "p99_seconds", r->p99);
    pit__json_double(json, "cpu_mean_seconds", r->cpu_mean);
    pit__json_double(json, "process_cpu_mean_seconds", r->process_cpu_mean);
    pit__json_double(json, "total_seconds", r->total);
    pit__json_uint(json, "calls_per_sample", r->iterations);
    pit__json_double(json, "resolution_seconds", r->resolution);
    pit__json_bool(json, "at_resolution", r->at_resolution);
    pit__json_bool(json, "too_few", r->too_few);
    pit__json_object_end(json);
}

static void write_flops(struct pit__json *json, const pit_profile *p)
{
    uint64_t per_step = p->complexity.flops_per_step;
    double peak = p->peak_flops > 0 ? p->peak_flops : NAN;
    pit__json_object(json, "flops");
    if (per_step)
        pit__json_uint(json, "per_step", per_step);
    else
        pit__json_null(json, "per_step");
    pit__json_double(json, "achieved_per_second", p->flops_per_second);
    pit__json_double(json, "machine_per_second", peak);
    pit__json_double(json, "share_of_machine", p->flops_per_second / peak);
    pit__json_object_end(json);
}

int pit__result_blocks(const pit_bench_result *r, double **p10s, double **medians)
{
    size_t blocks = r->session && r->times ? r->blocks : 0;
    *p10s = *medians = NULL;
    if (blocks == 0 || blocks > r->trials)
        return 0;
    size_t length = r->trials / blocks;
    *p10s = malloc(2 * blocks * sizeof **p10s);
    if (!*p10s)
        return PIT_NO_MEMORY;
    *medians = *p10s + blocks;
    /* the remainder belongs to the first block, and is left out with the beginning of the series */
    size_t over = r->trials - blocks * length;
    if (pit__block_figures(r->times + over, blocks * length, length, *p10s, *medians) == 0)
        return 0;
    free(*p10s);
    *p10s = *medians = NULL;
    return PIT_NO_MEMORY;
}

static void write_list(struct pit__json *json, const char *key, const double *values, size_t count)
{
    pit__json_flat_array(json, key);
    for (size_t i = 0; i < count; i++)
        pit__json_double(json, NULL, values[i]);
    pit__json_array_end(json);
}

static int write_blocks(struct pit__json *json, const char *key, const pit_bench_result *r)
{
    double *p10s, *medians;
    int code = pit__result_blocks(r, &p10s, &medians);
    if (p10s) {
        pit__json_object(json, key);
        write_list(json, "p10_seconds", p10s, r->blocks);
        write_list(json, "median_seconds", medians, r->blocks);
        pit__json_object_end(json);
    } else {
        pit__json_null(json, key);
    }
    free(p10s);
    return code;
}

/* Figures for a comparison with another model of the same session. */
static int write_session(struct pit__json *json, const pit_profile *p)
{
    const pit_bench_result *single = &p->single_step, *full = &p->full_trajectory;
    uint64_t session = full->session ? full->session : single->session;
    char number[24];
    if (!session)
        return 0;
    snprintf(number, sizeof number, "%016llx", (unsigned long long)session);
    pit__json_object(json, "interleaved");
    pit__json_string(json, "session", number);
    int code = write_blocks(json, "single_step", single);
    int other = write_blocks(json, "full_trajectory", full);
    pit__json_object_end(json);
    return code ? code : other;
}

static void write_arguments(struct pit__json *json, const pit_model *m)
{
    if (m->extra_count == 0)
        return;
    pit__json_object(json, "arguments");
    for (size_t i = 0; i < m->extra_count; i++)
        pit__json_double(json, m->extras[i].key ? m->extras[i].key : "", m->extras[i].value);
    pit__json_object_end(json);
}

static int write_own(struct pit__json *json, const pit_profile *p)
{
    const pit_complexity *c = &p->complexity;
    pit__json_object(json, "pitwall");
    pit__json_int(json, "schema_version", PIT__PROFILE_SCHEMA);
    pit__json_object(json, "percentiles");
    write_percentiles(json, "single_step", &p->single_step);
    write_percentiles(json, "full_trajectory", &p->full_trajectory);
    pit__json_object_end(json);
    write_flops(json, p);
    if (c->component_count > 0) {
        pit__json_object(json, "components");
        for (size_t i = 0; i < c->component_count; i++)
            pit__json_double(json, c->component_names[i], c->components[i]);
        pit__json_object_end(json);
    }
    write_arguments(json, &p->model);
    int code = write_session(json, p);
    pit__json_object_end(json);
    return code;
}

static int write_object(struct pit__json *json, const pit_profile *p)
{
    pit__json_object(json, NULL);
    pit__json_string(json, "model_name", p->model_name);
    pit__json_object(json, "training");
    pit__json_double(json, "total_seconds", p->training_seconds);
    pit__json_object_end(json);
    pit__json_object(json, "inference");
    write_timing(json, "single_step", &p->single_step);
    write_timing(json, "full_trajectory", &p->full_trajectory);
    pit__json_object_end(json);
    write_memory(json, p);
    write_throughput(json, p);
    write_complexity(json, p);
    int code = write_own(json, p);
    pit__json_object_end(json);
    return code;
}

/* ---- documents ------------------------------------------------------------------------------- */

struct document {
    const char *experiment; /* of a summary */
    const pit_profile *profiles;
    size_t count;
};

static int finish(struct pit__json *json, int code)
{
    pit__json_finish(json);
    return code ? code : fflush(json->out) || ferror(json->out) ? PIT_CANNOT_WRITE : 0;
}

static int write_profile(FILE *out, void *arg)
{
    const struct document *document = arg;
    struct pit__json json;
    pit__json_init(&json, out);
    return finish(&json, write_object(&json, document->profiles));
}

static int write_comparison(FILE *out, void *arg)
{
    const struct document *document = arg;
    struct pit__json json;
    pit__json_init(&json, out);
    int code = pit__profiles_write_comparison(&json, NULL, document->profiles, document->count);
    return finish(&json, code);
}

static int write_summary(FILE *out, void *arg)
{
    const struct document *document = arg;
    struct pit__json json;
    pit__json_init(&json, out);
    pit__json_object(&json, NULL);
    pit__json_string(&json, "experiment_name", document->experiment);
    pit__json_object(&json, "runtime_analysis");
    pit__json_array(&json, "profiles");
    int code = 0;
    for (size_t i = 0; i < document->count && !code; i++)
        code = write_object(&json, &document->profiles[i]);
    pit__json_array_end(&json);
    if (!code)
        code = pit__profiles_write_comparison(&json, "comparison", document->profiles,
                                              document->count);
    pit__json_object_end(&json);
    pit__json_object_end(&json);
    return finish(&json, code);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Create the parent folders of a file. Returns 0, or PIT_CANNOT_WRITE with errno, or
 * PIT_NO_MEMORY. */
static int make_parents(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash || slash == path)
        return 0;
    char *folder = strndup(path, (size_t)(slash - path));
    if (!folder)
        return PIT_NO_MEMORY;
    int error = pit__folders(folder, 0777);
    free(folder);
    errno = error;
    return error ? PIT_CANNOT_WRITE : 0;
}

static int save(const char *path, int (*write)(FILE *out, void *arg), struct document *document)
{
    if (!path || !*path || !document->profiles || document->count == 0)
        return PIT_BAD_ARGUMENT;
    int code = make_parents(path);
    return code ? code : pit_save(path, write, document);
}

/* Merge a document into the existing file. */
static int save_into(const char *path, int (*write)(FILE *out, void *arg),
                     struct document *document)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    int code = out ? write(out, document) : PIT_NO_MEMORY;
    if (out && fclose(out) != 0 && !code)
        code = PIT_NO_MEMORY;
    if (!code)
        code = make_parents(path);
    if (!code)
        code = pit_save_members(path, text);
    int why = errno;
    free(text);
    errno = why;
    return code;
}

PIT_API int pit_profile_print(FILE *out, const pit_profile *profile)
{
    struct document document = {NULL, profile, 1};
    return out && profile ? write_profile(out, &document) : PIT_BAD_ARGUMENT;
}

PIT_API int pit_profile_save(const char *path, const pit_profile *profile)
{
    struct document document = {NULL, profile, 1};
    return save(path, write_profile, &document);
}

PIT_API int pit_profiles_compare(FILE *out, const pit_profile *profiles, size_t count)
{
    struct document document = {NULL, profiles, count};
    return out && profiles && count ? write_comparison(out, &document) : PIT_BAD_ARGUMENT;
}

PIT_API int pit_profiles_compare_save(const char *path, const pit_profile *profiles, size_t count)
{
    struct document document = {NULL, profiles, count};
    return save(path, write_comparison, &document);
}

PIT_API int pit_summary_save(const char *path, const char *experiment, const pit_profile *profiles,
                             size_t count)
{
    struct document document = {experiment, profiles, count};
    if (!experiment || !path || !*path || !profiles || count == 0)
        return PIT_BAD_ARGUMENT;
    return save_into(path, write_summary, &document);
}
