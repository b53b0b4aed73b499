/* fitting_steps.c: a batch of examples/fitting.c, for each of its three models. */
#include "example_steps.h"

#define main fitting_main
static __attribute__((unused)) int fitting_main(int argc, char **argv);
#include "../../examples/fitting.c"
#undef main

static struct net fresh[MODELS][FUNCTIONS]; /* never trained: the initial state of the others */

static void *make(void)
{
    for (size_t m = 0; m < MODELS; m++)
        for (size_t f = 0; f < FUNCTIONS; f++)
            if (net_create(&fresh[m][f], models[m].widths, models[m].kinds, models[m].layers, 1,
                           f + 1))
                return NULL;
    return make_nets() ? NULL : models;
}

static void reset(void *it, unsigned part)
{
    struct model *model = (struct model *)it + part;
    for (size_t f = 0; f < FUNCTIONS; f++) {
        struct net_weights *weights = &model->nets[f].weights;
        memcpy(weights->value, fresh[part][f].weights.value, 4 * weights->count * sizeof(float));
        weights->updates = 0;
    }
}

static void step(void *it, unsigned part)
{
    struct model *model = (struct model *)it + part;
    uint64_t random = 1;
    train_batch(model, model->rate, &random);
}

const struct example_steps STEPS_JOIN(fitting, STEPS_COPY) = {make, reset, step, MODELS};
