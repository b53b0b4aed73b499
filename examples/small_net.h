/* small_net.h: a small neural network for the examples: fully connected layers, ReLU between them,
 * softmax and cross-entropy at the end, minibatch gradient descent with momentum.
 *
 * Widths are multiples of NET_LANES, so that the inner loops have a constant length and any
 * compiler turns them into vector instructions. It knows nothing of Pitwall.
 */
#ifndef SMALL_NET_H
#define SMALL_NET_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NET_LANES 8
#define NET_MAX_LAYERS 4

/* xorshift64*: good enough for weights and pictures, and the same on every machine. */
static inline uint64_t net_random(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dULL;
}

/* Evenly between low and high. */
static inline float net_uniform(uint64_t *state, float low, float high)
{
    return low + (high - low) * (float)(net_random(state) >> 40) / (float)(1 << 24);
}

struct net_layer {
    size_t in, out;
    float *weight, *weight_grad, *weight_step; /* in × out */
    float *bias, *bias_grad, *bias_step;       /* out */
    float *value;                              /* batch × out, after ReLU or softmax */
    float *delta;                              /* batch × out, gradient before ReLU or softmax */
};

struct net {
    struct net_layer layers[NET_MAX_LAYERS];
    size_t layer_count;
    size_t batch; /* most samples at a time */
    float *memory;
};

/* y += a · x */
static inline void net_add_scaled(float *restrict y, const float *restrict x, float a, size_t n)
{
    for (size_t i = 0; i < n; i += NET_LANES)
        for (size_t k = 0; k < NET_LANES; k++)
            y[i + k] += a * x[i + k];
}

static inline float net_dot(const float *restrict x, const float *restrict y, size_t n)
{
    float lanes[NET_LANES] = {0};
    for (size_t i = 0; i < n; i += NET_LANES)
        for (size_t k = 0; k < NET_LANES; k++)
            lanes[k] += x[i + k] * y[i + k];
    float sum = 0;
    for (size_t k = 0; k < NET_LANES; k++)
        sum += lanes[k];
    return sum;
}

static inline size_t net_layer_floats(const struct net_layer *layer, size_t batch)
{
    return 3 * layer->in * layer->out + 3 * layer->out + 2 * batch * layer->out;
}

/* Lay the layer's arrays out from `at` on; where they end. */
static inline float *net_layer_place(struct net_layer *layer, size_t batch, float *at)
{
    size_t weights = layer->in * layer->out;
    layer->weight = at, at += weights;
    layer->weight_grad = at, at += weights;
    layer->weight_step = at, at += weights;
    layer->bias = at, at += layer->out;
    layer->bias_grad = at, at += layer->out;
    layer->bias_step = at, at += layer->out;
    layer->value = at, at += batch * layer->out;
    layer->delta = at, at += batch * layer->out;
    return at;
}

/* widths: of the input, of each layer; `layer_count` + 1 of them, multiples of NET_LANES.
 * 0, or -1 without memory or with bad widths. */
static inline int net_create(struct net *net, const size_t *widths, size_t layer_count,
                             size_t batch, uint64_t seed)
{
    memset(net, 0, sizeof *net);
    if (layer_count == 0 || layer_count > NET_MAX_LAYERS)
        return -1;
    size_t floats = 0;
    for (size_t l = 0; l < layer_count; l++) {
        if (widths[l] % NET_LANES || widths[l + 1] % NET_LANES)
            return -1;
        net->layers[l].in = widths[l];
        net->layers[l].out = widths[l + 1];
        floats += net_layer_floats(&net->layers[l], batch);
    }
    net->memory = calloc(floats, sizeof(float));
    if (!net->memory)
        return -1;
    net->layer_count = layer_count;
    net->batch = batch;
    float *at = net->memory;
    for (size_t l = 0; l < layer_count; l++) {
        struct net_layer *layer = &net->layers[l];
        at = net_layer_place(layer, batch, at);
        float bound = sqrtf(6.0f / (float)layer->in);
        for (size_t i = 0; i < layer->in * layer->out; i++)
            layer->weight[i] = net_uniform(&seed, -bound, bound);
    }
    return 0;
}

static inline void net_free(struct net *net)
{
    free(net->memory);
    memset(net, 0, sizeof *net);
}

/* Multiplications and additions of one sample, forward. */
static inline uint64_t net_forward_flops(const struct net *net)
{
    uint64_t flops = 0;
    for (size_t l = 0; l < net->layer_count; l++)
        flops += 2 * (uint64_t)net->layers[l].in * net->layers[l].out;
    return flops;
}

/* The same backward: gradients of the weights, and of all inputs but the first layer's. */
static inline uint64_t net_backward_flops(const struct net *net)
{
    return 2 * net_forward_flops(net) - 2 * (uint64_t)net->layers[0].in * net->layers[0].out;
}

/* Values of every layer for `n` samples; the last layer is left without softmax. */
static inline void net_forward(struct net *net, const float *input, size_t n)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        struct net_layer *layer = &net->layers[l];
        for (size_t s = 0; s < n; s++) {
            const float *x = input + s * layer->in;
            float *y = layer->value + s * layer->out;
            memcpy(y, layer->bias, layer->out * sizeof *y);
            for (size_t i = 0; i < layer->in; i++)
                net_add_scaled(y, layer->weight + i * layer->out, x[i], layer->out);
            if (l + 1 < net->layer_count)
                for (size_t j = 0; j < layer->out; j++)
                    y[j] = y[j] > 0 ? y[j] : 0;
        }
        input = layer->value;
    }
}

/* Softmax over the first `classes` outputs of each sample, and the gradient of the mean loss in
 * the last layer's delta. *correct is how many samples have their label as largest output.
 * Returns the sum of the losses. */
static inline double net_loss(struct net *net, const uint8_t *labels, size_t n, size_t classes,
                              size_t *correct)
{
    struct net_layer *last = &net->layers[net->layer_count - 1];
    double loss = 0;
    *correct = 0;
    for (size_t s = 0; s < n; s++) {
        float *y = last->value + s * last->out, *delta = last->delta + s * last->out;
        size_t best = 0;
        for (size_t j = 1; j < classes; j++)
            best = y[j] > y[best] ? j : best;
        float top = y[best], sum = 0;
        for (size_t j = 0; j < classes; j++) {
            y[j] = expf(y[j] - top);
            sum += y[j];
        }
        memset(delta, 0, last->out * sizeof *delta);
        for (size_t j = 0; j < classes; j++) {
            y[j] /= sum;
            delta[j] = (y[j] - (j == labels[s] ? 1.0f : 0.0f)) / (float)n;
        }
        loss -= log((double)y[labels[s]] + 1e-12);
        *correct += best == labels[s];
    }
    return loss;
}

/* Gradients of all weights from the last layer's delta; `input` as given to net_forward. */
static inline void net_backward(struct net *net, const float *input, size_t n)
{
    for (size_t l = net->layer_count; l-- > 0;) {
        struct net_layer *layer = &net->layers[l];
        struct net_layer *below = l ? &net->layers[l - 1] : NULL;
        memset(layer->weight_grad, 0, layer->in * layer->out * sizeof(float));
        memset(layer->bias_grad, 0, layer->out * sizeof(float));
        for (size_t s = 0; s < n; s++) {
            const float *x = (below ? below->value : input) + s * layer->in;
            const float *delta = layer->delta + s * layer->out;
            net_add_scaled(layer->bias_grad, delta, 1.0f, layer->out);
            for (size_t i = 0; i < layer->in; i++) {
                net_add_scaled(layer->weight_grad + i * layer->out, delta, x[i], layer->out);
                if (below) /* ReLU lets the gradient through where it let the value through */
                    below->delta[s * layer->in + i] =
                        x[i] > 0 ? net_dot(layer->weight + i * layer->out, delta, layer->out) : 0;
            }
        }
    }
}

/* One step down the gradients: step = momentum · step - rate · gradient. */
static inline void net_step(float *restrict weight, float *restrict step,
                            const float *restrict gradient, size_t n, float rate, float momentum)
{
    for (size_t i = 0; i < n; i += NET_LANES)
        for (size_t k = 0; k < NET_LANES; k++) {
            step[i + k] = momentum * step[i + k] - rate * gradient[i + k];
            weight[i + k] += step[i + k];
        }
}

static inline void net_update(struct net *net, float rate, float momentum)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        struct net_layer *layer = &net->layers[l];
        net_step(layer->weight, layer->weight_step, layer->weight_grad, layer->in * layer->out,
                 rate, momentum);
        net_step(layer->bias, layer->bias_step, layer->bias_grad, layer->out, rate, momentum);
    }
}

#endif
