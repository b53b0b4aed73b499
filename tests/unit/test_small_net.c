/* The examples' network: its gradients agree with differences of its losses, for every kind of layer; Adam
 * reduces the loss; invalid sizes are refused. */
#include "check.h"

#include "../../examples/small_net.h"

enum { INPUTS = 3, HIDDEN = 8, OUTPUTS = 2, CLASSES = 5, SAMPLES = 4 };

static float inputs[SAMPLES * INPUTS], wanted[SAMPLES * OUTPUTS];
static const uint8_t labels[SAMPLES] = {0, 4, 2, 2};

static void make_net(struct net *net, enum net_kind kind)
{
    const size_t widths[] = {INPUTS, HIDDEN, NET_LANES};
    const enum net_kind kinds[] = {kind, kind == NET_SPLINE ? NET_SPLINE : NET_LINEAR};
    uint64_t random = 9;
    REQUIRE(net_create(net, widths, kinds, 2, SAMPLES, 1) == 0);
    for (size_t i = 0; i < SAMPLES * INPUTS; i++)
        inputs[i] = net_uniform(&random, -0.6f, 0.6f);
    for (size_t i = 0; i < SAMPLES * OUTPUTS; i++)
        wanted[i] = net_uniform(&random, -1, 1);
}

static double loss(struct net *net, int of_classes)
{
    size_t correct;
    net_forward(net, inputs, SAMPLES);
    return of_classes ? net_class_loss(net, labels, SAMPLES, CLASSES, &correct)
                      : net_square_loss(net, wanted, SAMPLES, OUTPUTS);
}

/* The largest difference between gradient and slope, relative to the largest slope. */
static double gradient_error(enum net_kind kind, int of_classes)
{
    struct net net;
    double largest = 0, worst = 0;
    make_net(&net, kind);
    loss(&net, of_classes);
    net_backward(&net, inputs, SAMPLES);
    for (size_t i = 0; i < net.weights.count; i++) {
        const float kept = net.weights.value[i], wide = 0.002f;
        net.weights.value[i] = kept + wide;
        double up = loss(&net, of_classes);
        net.weights.value[i] = kept - wide;
        double down = loss(&net, of_classes);
        net.weights.value[i] = kept;
        double slope = (up - down) / (2 * (double)wide);
        largest = fmax(largest, fabs(slope));
        worst = fmax(worst, fabs(slope - (double)net.weights.grad[i]));
    }
    net_free(&net);
    REQUIRE(largest > 0.01);
    return worst / largest;
}

TEST(gradients_are_the_slopes_of_the_squared_loss_for_every_kind_of_layer)
{
    CHECK(gradient_error(NET_LINEAR, 0) < 0.01);
    CHECK(gradient_error(NET_RELU, 0) < 0.01);
    CHECK(gradient_error(NET_TANH, 0) < 0.01);
    CHECK(gradient_error(NET_SINE, 0) < 0.01);
    CHECK(gradient_error(NET_SPLINE, 0) < 0.01);
}

TEST(gradients_are_the_slopes_of_the_loss_over_classes)
{
    CHECK(gradient_error(NET_TANH, 1) < 0.01);
}

TEST(splines_add_up_to_one_everywhere_and_their_slopes_to_nothing)
{
    for (int step = -100; step < 100; step++) {
        float value[4], slope[4];
        size_t first = net_splines(0.02f * (float)step * NET_REACH, value, slope);
        CHECK(first + 4 <= NET_SPLINES);
        CHECK(fabsf(value[0] + value[1] + value[2] + value[3] - 1) < 1e-5f);
        CHECK(fabsf(slope[0] + slope[1] + slope[2] + slope[3]) < 1e-4f);
    }
}

TEST(adam_goes_downhill)
{
    struct net net;
    make_net(&net, NET_TANH);
    double before = loss(&net, 0);
    for (int i = 0; i < 200; i++) {
        loss(&net, 0);
        net_backward(&net, inputs, SAMPLES);
        net_adam(&net.weights, 0.01f);
    }
    CHECK(loss(&net, 0) < 0.05 * before);
    net_free(&net);
}

TEST(widths_that_do_not_fill_lanes_are_refused)
{
    const size_t narrow[] = {3, 7}, none[] = {0, 8};
    const enum net_kind kinds[] = {NET_RELU};
    struct net net;
    CHECK_INT(net_create(&net, narrow, kinds, 1, 1, 1), -1);
    CHECK_INT(net_create(&net, none, kinds, 1, 1, 1), -1);
    CHECK_INT(net_create(&net, none, kinds, NET_MAX_LAYERS + 1, 1, 1), -1);
}
