/* profile.c: a model's profile: duration of its training and inference, memory of the process and of its
 * parameters, throughput, and the formulas for its kind. profile_json.c writes it. */
#include "pitwall_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MB (1024.0 * 1024.0)
#define DEFAULT_STEPS 100
#define DEFAULT_PARAMETER_BYTES 8

/* ---- memory ---------------------------------------------------------------------------------- */

/* The kernel's high-water mark in bytes; 0: cannot be read. Not from getrusage, which keeps the peak of a
 * larger process from before exec. */
static double kernel_peak(void)
{
    FILE *file = fopen("/proc/self/status", "re");
    if (!file)
        return 0;
    char line[256];
    unsigned long long kb = 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmHWM: %llu kB", &kb) == 1)
            break;
    fclose(file);
    return 1024.0 * (double)kb;
}

/* Memory spans reset the kernel's mark; the recorder then keeps the run's peak. */
static double recorded_peak(void)
{
    pit_status status;
    if (pit_get_status(NULL, &status) != 0)
        return 0;
    pit_run *run = pit_run_read(NULL, NULL);
    double peak = run ? (double)run->rss_peak : 0;
    pit_run_free(run);
    return peak;
}

static void read_memory(pit_profile *profile)
{
    double now = (double)pit_rss(), peak = fmax(fmax(kernel_peak(), recorded_peak()), now);
    profile->current_mb = now > 0 ? now / MB : NAN;
    profile->peak_mb = peak > 0 ? peak / MB : NAN;
}

/* ---- building -------------------------------------------------------------------------------- */

static int copy_result(pit_bench_result *to, const pit_bench_result *from)
{
    memset(to, 0, sizeof *to);
    if (!from || from->trials == 0)
        return 0;
    *to = *from;
    to->times = NULL;
    if (!from->times)
        return 0;
    to->times = malloc(from->trials * sizeof *to->times);
    if (!to->times)
        return PIT_NO_MEMORY;
    memcpy(to->times, from->times, from->trials * sizeof *to->times);
    return 0;
}

/* Seconds per step; unknown at the resolution of the clock. */
static double step_seconds(const pit_profile *profile, uint64_t steps)
{
    const pit_bench_result *full = &profile->full_trajectory, *single = &profile->single_step;
    if (full->trials > 0)
        return full->at_resolution ? NAN : full->mean / (double)(steps ? steps : DEFAULT_STEPS);
    return single->trials > 0 && !single->at_resolution ? single->mean : NAN;
}

static void fill_throughput(pit_profile *profile, uint64_t steps)
{
    double seconds = step_seconds(profile, steps);
    double rate = seconds > 0 ? 1 / seconds : NAN;
    uint64_t flops = profile->complexity.flops_per_step;
    profile->seconds_per_step = seconds;
    profile->microseconds_per_step = seconds * 1e6;
    profile->steps_per_second = rate;
    profile->predictions_per_second = rate * (double)profile->model.latent_dim;
    profile->flops_per_second = flops ? (double)flops * rate : NAN;
}

/* Copy a text that the caller may free; NULL for NULL. *good becomes 0 if memory is exhausted. */
static const char *copy_text(const char *text, int *good)
{
    char *copy = text ? strdup(text) : NULL;
    *good = *good && (copy || !text);
    return copy;
}

static int copy_extras(pit_model *model)
{
    const pit_figure *from = model->extras;
    size_t count = from ? model->extra_count : 0;
    int good = 1;
    pit_figure *extras = count ? calloc(count, sizeof *extras) : NULL;
    model->extras = extras;
    model->extra_count = extras ? count : 0;
    for (size_t i = 0; i < model->extra_count; i++)
        extras[i] = (pit_figure){copy_text(from[i].key, &good), from[i].value,
                                 copy_text(from[i].unit, &good)};
    return good && model->extra_count == count ? 0 : PIT_NO_MEMORY;
}

static int copy_parts(pit_profile *profile, const pit_bench_result *single_step,
                      const pit_bench_result *full_trajectory)
{
    int good = 1, code = copy_extras(&profile->model);
    profile->model_name = profile->model.name = copy_text(profile->model.name, &good);
    profile->model.kind = copy_text(profile->model.kind, &good);
    code = good ? code : PIT_NO_MEMORY;
    if (!code)
        code = copy_result(&profile->single_step, single_step);
    if (!code)
        code = copy_result(&profile->full_trajectory, full_trajectory);
    return code;
}

PIT_API int pit_profile_build(pit_profile *profile, const pit_model *model, double training_seconds,
                              const pit_bench_result *single_step,
                              const pit_bench_result *full_trajectory, uint64_t steps,
                              uint64_t parameter_bytes)
{
    if (!profile || !model || !model->name)
        return PIT_BAD_ARGUMENT;
    pit_profile own = {.model = *model, .training_seconds = training_seconds};
    int code = pit_model_complexity(model, &own.complexity);
    if (code) {
        memset(profile, 0, sizeof *profile);
        return code;
    }
    code = copy_parts(&own, single_step, full_trajectory);
    if (code) {
        pit_profile_free(&own);
        memset(profile, 0, sizeof *profile);
        return code;
    }
    uint64_t bytes = parameter_bytes ? parameter_bytes : DEFAULT_PARAMETER_BYTES;
    own.model_parameters = own.complexity.total_parameters;
    own.parameter_memory_mb = (double)own.model_parameters * (double)bytes / MB;
    fill_throughput(&own, steps);
    read_memory(&own);
    *profile = own;
    return 0;
}

PIT_API int pit_profile_quick(pit_profile *profile, const pit_model *model, double training_seconds,
                              void (*forecast)(void *argument, uint64_t steps), void *argument,
                              const pit_forecast_options *options)
{
    if (!profile || !model || !model->name || !forecast)
        return PIT_BAD_ARGUMENT;
    pit_forecast_options own = {0};
    if (options)
        own = *options;
    own.name = own.name ? own.name : model->name;
    pit_bench_result single_step, full_trajectory;
    int code = pit_bench_forecast(forecast, argument, &own, &single_step, &full_trajectory);
    if (code)
        return code;
    code = pit_profile_build(profile, model, training_seconds, &single_step, &full_trajectory,
                             own.steps, 0);
    pit_bench_free(&single_step);
    pit_bench_free(&full_trajectory);
    return code;
}

PIT_API void pit_profile_free(pit_profile *profile)
{
    if (!profile)
        return;
    for (size_t i = 0; i < profile->model.extra_count; i++) {
        free((char *)profile->model.extras[i].key);
        free((char *)profile->model.extras[i].unit);
    }
    free((void *)profile->model.extras);
    free((char *)profile->model.kind);
    free((char *)profile->model_name);
    pit_bench_free(&profile->single_step);
    pit_bench_free(&profile->full_trajectory);
    memset(profile, 0, sizeof *profile);
}
