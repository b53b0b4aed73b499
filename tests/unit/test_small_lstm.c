/* The examples' LSTM: its gradients agree with differences of its loss, and its number of parameters with
 * the formula. */
#include "check.h"

#include "../../examples/small_lstm.h"
#include "analysis/complexity.h"

enum { INPUTS = 3, HIDDEN = 8, BATCH = 2, STEPS = 5 };

static float rows[BATCH][(STEPS + 1) * INPUTS];
static const float *windows[BATCH] = {rows[0], rows[1]};

static double loss(struct lstm *net)
{
    lstm_forward(net, windows, BATCH);
    return lstm_loss(net, windows, BATCH, 0);
}

TEST(backpropagation_through_time_gives_the_slope_of_the_loss)
{
    uint64_t random = 3;
    struct lstm net;
    REQUIRE(lstm_create(&net, INPUTS, HIDDEN, INPUTS, BATCH, STEPS, 1) == 0);
    for (size_t s = 0; s < BATCH; s++)
        for (size_t i = 0; i < (STEPS + 1) * INPUTS; i++)
            rows[s][i] = net_uniform(&random, -1, 1);
    loss(&net);
    lstm_backward(&net, windows, BATCH);
    double largest = 0, worst = 0;
    for (size_t i = 0; i < net.all.count; i++) {
        float kept = net.all.value[i], wide = 0.01f;
        net.all.value[i] = kept + wide;
        double up = loss(&net);
        net.all.value[i] = kept - wide;
        double down = loss(&net);
        net.all.value[i] = kept;
        double slope = (up - down) / (2 * (double)wide), off = slope - (double)net.all.grad[i];
        /* The output's padding has slope 0 and gradient 0. */
        largest = fmax(largest, fabs(slope));
        worst = fmax(worst, fabs(off));
    }
    CHECK(largest > 0.01);
    CHECK(worst < 0.01 * largest);
    lstm_free(&net);
}

TEST(it_has_as_many_parameters_and_operations_as_the_formula_says)
{
    struct lstm net;
    REQUIRE(lstm_create(&net, 20, 32, 20, 1, 1, 1) == 0);
    struct pit__sizes sizes = {.dim = 20, .hidden = 32};
    struct pit__costs costs;
    REQUIRE(pit__model_costs("LSTM", &sizes, &costs) == 0);
    CHECK_INT(lstm_parameters(&net), costs.parameters);
    CHECK_INT(lstm_step_flops(&net), costs.flops);
    lstm_free(&net);
}

TEST(sizes_that_do_not_fill_lanes_are_refused)
{
    struct lstm net;
    CHECK_INT(lstm_create(&net, 3, 7, 3, 1, 1, 1), -1);
    CHECK_INT(lstm_create(&net, 0, 8, 3, 1, 1, 1), -1);
}
