/* rom_steps.c: a batch of the LSTM of examples/rom.c. */
#include "example_steps.h"

#define main rom_main
static __attribute__((unused)) int rom_main(int argc, char **argv);
#include "../../examples/rom.c"
#undef main

struct trained {
    struct data data;
    struct lstm net, fresh; /* fresh: the initial state of the other */
    double loss;            /* of the last batch: kept so that the compiler cannot remove it */
};

static void *make(void)
{
    static struct trained it;
    if (lstm_create(&it.net, DIM, HIDDEN, DIM, BATCH, WINDOW, 2) ||
        lstm_create(&it.fresh, DIM, HIDDEN, DIM, 1, 1, 2))
        return NULL;
    make_data(&it.data);
    return &it;
}

static void reset(void *it, unsigned part)
{
    struct trained *trained = it;
    struct net_weights *weights = &trained->net.all;
    (void)part;
    memcpy(weights->value, trained->fresh.all.value, 4 * weights->count * sizeof(float));
    weights->updates = 0;
}

static void step(void *it, unsigned part)
{
    struct trained *trained = it;
    uint64_t random = 5;
    (void)part;
    trained->loss = lstm_batch(&trained->net, &trained->data, 0.01f, &random);
}

const struct example_steps STEPS_JOIN(rom, STEPS_COPY) = {make, reset, step, 1};
