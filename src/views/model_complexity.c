/* model_complexity.c: what the formulas of analysis/complexity.c say of a model as the public header
 * describes it. */
#include "profile_json.h"

#include <string.h>

_Static_assert(PIT_NO_OUTPUT_LAYER == PIT__NO_OUTPUT, "one word for both");
_Static_assert(sizeof((pit_complexity *)0)->components / sizeof(double) == PIT__COMPONENTS,
               "all components have room");

struct pit__sizes pit__sizes_of(const pit_model *model)
{
    return (struct pit__sizes){.dim = model->latent_dim,
                               .lag = model->lag,
                               .hidden = model->hidden_dim,
                               .layers = model->layers,
                               .output = model->output_dim,
                               .sequence = model->sequence,
                               .heads = model->heads,
                               .kernel = model->kernel,
                               .channels_in = model->channels_in,
                               .channels_out = model->channels_out,
                               .height = model->height,
                               .width = model->width,
                               .grid = model->grid,
                               .order = model->order,
                               .patterns = model->patterns,
                               .pattern_size = model->pattern_size,
                               .nodes = model->nodes,
                               .degree = model->degree,
                               .batch = model->batch};
}

const char *pit__kind_name(const pit_model *model)
{
    return model->kind ? model->kind : model->name;
}

PIT_API int pit_model_complexity(const pit_model *model, pit_complexity *complexity)
{
    if (!model || !complexity || (model->kind && !pit__is_model_kind(model->kind)))
        return PIT_BAD_ARGUMENT;
    memset(complexity, 0, sizeof *complexity);
    struct pit__sizes sizes = pit__sizes_of(model);
    struct pit__costs costs;
    if (pit__model_costs(pit__kind_name(model), &sizes, &costs))
        return PIT_BAD_ARGUMENT;
    complexity->total_parameters = model->parameters ? model->parameters : costs.parameters;
    complexity->latent_dimension = model->latent_dim;
    complexity->expected_parameters = costs.parameters;
    if (pit__find_model_kind(pit__kind_name(model), &sizes) == PIT__MODEL_LAGS)
        complexity->parameters_per_lag = costs.part;
    else
        complexity->parameters_per_layer = costs.part;
    complexity->flops_per_step = costs.flops;
    complexity->training = costs.training;
    complexity->inference = costs.inference;
    for (size_t i = 0; i < costs.component_count; i++) {
        complexity->components[i] = costs.components[i];
        complexity->component_names[i] = costs.component_names[i];
    }
    complexity->component_count = costs.component_count;
    return 0;
}
