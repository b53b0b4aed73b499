/* small_net.h: a small neural network for the examples: layers on a minibatch, their gradients, Adam.
 *
 * A layer is dense with ReLU, tanh, a sine (as SIREN has it) or nothing after it, or a layer of splines
 * (as KAN has it). Outputs of a layer are a multiple of NET_LANES, so that the inner loops have a
 * constant length and any compiler turns them into vector instructions. It does not use Pitwall.
 * small_lstm.h builds on it.
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
#define NET_OMEGA 12.0f  /* of a sine layer: sin(omega x) */
#define NET_REACH 1.5f   /* splines are on [-reach, reach] */
#define NET_INTERVALS 12 /* of them there */
#define NET_SPLINES (NET_INTERVALS + 3)

/* A large piece of work is a function of its own that begins a cache line, and is compiled without a
 * look at who calls it: programs that differ elsewhere run the same instructions there, and their times
 * can be compared. */
#if defined(__has_attribute) && __has_attribute(noipa)
#define NET_KERNEL static __attribute__((noipa, unused, aligned(64)))
#else
#define NET_KERNEL static __attribute__((noinline, unused, aligned(64)))
#endif

/* ---- numbers --------------------------------------------------------------------------------- */

/* xorshift64*: good enough for weights and data, and the same on every machine. */
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

/* One of 0 … count - 1. */
static inline size_t net_pick(uint64_t *state, size_t count)
{
    return (size_t)((net_random(state) >> 33) % count);
}

/* Nearly normal, mean 0, variance 1: the sum of twelve even ones. */
static inline double net_normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)net_uniform(state, 0, 1);
    return sum;
}

/* ---- vectors --------------------------------------------------------------------------------- */

static inline size_t net_whole_lanes(size_t n)
{
    return (n + NET_LANES - 1) / NET_LANES * NET_LANES;
}

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

/* Weights, their gradients, and Adam's two averages of those: `count` floats each, one after another. */
struct net_weights {
    float *value, *grad, *mean, *square;
    size_t count;
    uint64_t updates;
};

/* Lay them out from `at` on; where they end. */
static inline float *net_weights_place(struct net_weights *w, size_t count, float *at)
{
    *w = (struct net_weights){at, at + count, at + 2 * count, at + 3 * count, count, 0};
    return at + 4 * count;
}

/* One step of Adam. */
NET_KERNEL void net_adam(struct net_weights *w, float rate)
{
    float *restrict value = w->value, *restrict mean = w->mean, *restrict square = w->square;
    const float *restrict grad = w->grad;
    w->updates++;
    float first = rate / (1 - powf(0.9f, (float)w->updates));
    float second = 1 / (1 - powf(0.999f, (float)w->updates));
    for (size_t i = 0; i < w->count; i++) {
        mean[i] = 0.9f * mean[i] + 0.1f * grad[i];
        square[i] = 0.999f * square[i] + 0.001f * grad[i] * grad[i];
        value[i] -= first * mean[i] / (sqrtf(square[i] * second) + 1e-8f);
    }
}

/* ---- layers ---------------------------------------------------------------------------------- */

enum net_kind { NET_LINEAR, NET_RELU, NET_TANH, NET_SINE, NET_SPLINE };

struct net_layer {
    enum net_kind kind;
    size_t in, out;
    size_t rows;                  /* of the weights: in, of splines in × NET_SPLINES */
    float *weight, *weight_grad;  /* rows × out */
    float *bias, *bias_grad;      /* out */
    float *value, *slope, *delta; /* batch × out: what comes out, its derivative by what goes into
                                     the function, the gradient there */
};

struct net {
    struct net_layer layers[NET_MAX_LAYERS];
    size_t layer_count;
    size_t batch; /* most samples at a time */
    struct net_weights weights;
    float *memory;
};

static inline size_t net_layer_weights(const struct net_layer *layer)
{
    return (layer->rows + 1) * layer->out;
}

/* As each kind wants it, so that values neither die out nor grow. */
static inline void net_layer_fill(struct net_layer *layer, int is_first, uint64_t *random)
{
    float bound = sqrtf((layer->kind == NET_RELU ? 6.0f : 3.0f) / (float)layer->in);
    if (layer->kind == NET_SINE)
        bound = is_first ? 1.0f : sqrtf(6.0f / (float)layer->in) / NET_OMEGA;
    for (size_t i = 0; i < layer->rows * layer->out; i++)
        layer->weight[i] = net_uniform(random, -bound, bound);
    if (is_first)
        for (size_t j = 0; j < layer->out; j++)
            layer->bias[j] = net_uniform(random, -bound, bound);
}

static inline void net_place(struct net *net, uint64_t seed)
{
    float *weight = net->weights.value, *grad = net->weights.grad;
    float *at = net->memory + 4 * net->weights.count;
    for (size_t l = 0; l < net->layer_count; l++) {
        struct net_layer *layer = &net->layers[l];
        size_t values = net->batch * layer->out, weights = layer->rows * layer->out;
        layer->weight = weight, layer->bias = weight + weights;
        layer->weight_grad = grad, layer->bias_grad = grad + weights;
        weight += net_layer_weights(layer), grad += net_layer_weights(layer);
        layer->value = at, layer->slope = at + values, layer->delta = at + 2 * values;
        at += 3 * values;
        net_layer_fill(layer, l == 0, &seed);
    }
}

/* widths: of the input, and of each layer, a multiple of NET_LANES; layer_count + 1 of them. kinds: of
 * each layer. 0, or -1 without memory or with bad widths. */
static inline int net_create(struct net *net, const size_t *widths, const enum net_kind *kinds,
                             size_t layer_count, size_t batch, uint64_t seed)
{
    memset(net, 0, sizeof *net);
    if (layer_count == 0 || layer_count > NET_MAX_LAYERS || widths[0] == 0)
        return -1;
    size_t weights = 0, values = 0;
    for (size_t l = 0; l < layer_count; l++) {
        size_t in = widths[l], out = widths[l + 1];
        if (out == 0 || out % NET_LANES)
            return -1;
        net->layers[l] = (struct net_layer){
            .kind = kinds[l],
            .in = in,
            .out = out,
            .rows = kinds[l] == NET_SPLINE ? in * NET_SPLINES : in,
        };
        weights += net_layer_weights(&net->layers[l]);
        values += 3 * batch * out;
    }
    net->memory = calloc(4 * weights + values, sizeof(float));
    if (!net->memory)
        return -1;
    net->layer_count = layer_count;
    net->batch = batch;
    net_weights_place(&net->weights, weights, net->memory);
    net_place(net, seed);
    return 0;
}

static inline void net_free(struct net *net)
{
    free(net->memory);
    memset(net, 0, sizeof *net);
}

static inline struct net_layer *net_last(struct net *net)
{
    return &net->layers[net->layer_count - 1];
}

/* Multiplications and additions of one sample, forward; of a spline layer four splines an input. */
static inline uint64_t net_forward_flops(const struct net *net)
{
    uint64_t flops = 0;
    for (size_t l = 0; l < net->layer_count; l++)
        flops += (net->layers[l].kind == NET_SPLINE ? 8 : 2) * (uint64_t)net->layers[l].in *
                 net->layers[l].out;
    return flops;
}

/* The four cubic B-splines that are not 0 at x, and their derivatives; the index of the first. */
static inline size_t net_splines(float x, float *value, float *slope)
{
    const float wide = 2 * NET_REACH / NET_INTERVALS;
    float at = (fminf(fmaxf(x, -NET_REACH), NET_REACH) + NET_REACH) / wide;
    size_t cell = (size_t)at < NET_INTERVALS ? (size_t)at : NET_INTERVALS - 1;
    float u = at - (float)cell, v = 1 - u, inside = fabsf(x) < NET_REACH ? 1 / wide : 0;
    value[0] = v * v * v / 6;
    value[1] = (3 * u * u * u - 6 * u * u + 4) / 6;
    value[2] = (3 * v * v * v - 6 * v * v + 4) / 6;
    value[3] = u * u * u / 6;
    slope[0] = -v * v / 2 * inside;
    slope[1] = (3 * u - 4) * u / 2 * inside;
    slope[2] = -(3 * v - 4) * v / 2 * inside;
    slope[3] = u * u / 2 * inside;
    return cell;
}

static inline void net_activate(enum net_kind kind, float *restrict value, float *restrict slope,
                                size_t n)
{
    for (size_t j = 0; j < n; j++) {
        float x = value[j];
        switch (kind) {
        case NET_RELU:
            value[j] = x > 0 ? x : 0;
            slope[j] = x > 0 ? 1.0f : 0.0f;
            break;
        case NET_TANH:
            value[j] = tanhf(x);
            slope[j] = 1 - value[j] * value[j];
            break;
        case NET_SINE:
            value[j] = sinf(NET_OMEGA * x);
            slope[j] = NET_OMEGA * cosf(NET_OMEGA * x);
            break;
        default:
            slope[j] = 1;
        }
    }
}

static inline void net_layer_forward(struct net_layer *layer, const float *input, size_t n)
{
    for (size_t s = 0; s < n; s++) {
        const float *x = input + s * layer->in, *row = layer->weight;
        float *y = layer->value + s * layer->out;
        memcpy(y, layer->bias, layer->out * sizeof *y);
        for (size_t i = 0; i < layer->in; i++)
            if (layer->kind == NET_SPLINE) {
                float value[4], slope[4];
                const float *at =
                    row + (i * NET_SPLINES + net_splines(x[i], value, slope)) * layer->out;
                for (size_t k = 0; k < 4; k++)
                    net_add_scaled(y, at + k * layer->out, value[k], layer->out);
            } else {
                net_add_scaled(y, row + i * layer->out, x[i], layer->out);
            }
        net_activate(layer->kind, y, layer->slope + s * layer->out, layer->out);
    }
}

/* The values of every layer for `n` samples, one after another in `input`. */
NET_KERNEL void net_forward(struct net *net, const float *input, size_t n)
{
    for (size_t l = 0; l < net->layer_count; l++) {
        net_layer_forward(&net->layers[l], input, n);
        input = net->layers[l].value;
    }
}

/* One sample's input of a layer: adds to the gradients of its weights; the gradient of the input. */
static inline float net_input_backward(struct net_layer *layer, size_t i, float x,
                                       const float *delta)
{
    size_t out = layer->out;
    if (layer->kind != NET_SPLINE) {
        net_add_scaled(layer->weight_grad + i * out, delta, x, out);
        return net_dot(layer->weight + i * out, delta, out);
    }
    float value[4], slope[4], sum = 0;
    size_t at = (i * NET_SPLINES + net_splines(x, value, slope)) * out;
    for (size_t k = 0; k < 4; k++, at += out) {
        net_add_scaled(layer->weight_grad + at, delta, value[k], out);
        sum += slope[k] * net_dot(layer->weight + at, delta, out);
    }
    return sum;
}

/* The gradients of all weights from the last layer's delta; `input` as given to net_forward. */
NET_KERNEL void net_backward(struct net *net, const float *input, size_t n)
{
    memset(net->weights.grad, 0, net->weights.count * sizeof(float));
    for (size_t l = net->layer_count; l-- > 0;) {
        struct net_layer *layer = &net->layers[l];
        struct net_layer *below = l ? &net->layers[l - 1] : NULL;
        for (size_t s = 0; s < n; s++) {
            const float *x = (below ? below->value : input) + s * layer->in;
            const float *delta = layer->delta + s * layer->out;
            net_add_scaled(layer->bias_grad, delta, 1.0f, layer->out);
            for (size_t i = 0; i < layer->in; i++) {
                float gradient = net_input_backward(layer, i, x[i], delta);
                size_t at = s * layer->in + i;
                if (below)
                    below->delta[at] = gradient * below->slope[at];
            }
        }
    }
}

/* ---- losses: their mean over the samples, and its gradient in the last layer's delta ----------- */

/* Squares of the difference to `targets`, n × outputs; the layer may be wider. */
NET_KERNEL double net_square_loss(struct net *net, const float *targets, size_t n, size_t outputs)
{
    struct net_layer *last = net_last(net);
    float scale = 2.0f / (float)(n * outputs);
    double sum = 0;
    memset(last->delta, 0, n * last->out * sizeof(float));
    for (size_t s = 0; s < n; s++)
        for (size_t j = 0; j < outputs; j++) {
            size_t at = s * last->out + j;
            float off = last->value[at] - targets[s * outputs + j];
            last->delta[at] = scale * off * last->slope[at];
            sum += (double)off * (double)off;
        }
    return sum / (double)(n * outputs);
}

/* Softmax over the first `classes` outputs, and cross-entropy. *correct: samples whose label has the
 * largest output. */
NET_KERNEL double net_class_loss(struct net *net, const uint8_t *labels, size_t n, size_t classes,
                                 size_t *correct)
{
    struct net_layer *last = net_last(net);
    double loss = 0;
    *correct = 0;
    memset(last->delta, 0, n * last->out * sizeof(float));
    for (size_t s = 0; s < n; s++) {
        const float *y = last->value + s * last->out;
        float *share = last->delta + s * last->out, sum = 0;
        size_t best = 0;
        for (size_t j = 1; j < classes; j++)
            best = y[j] > y[best] ? j : best;
        for (size_t j = 0; j < classes; j++)
            sum += share[j] = expf(y[j] - y[best]);
        loss -= log((double)(share[labels[s]] / sum) + 1e-12);
        for (size_t j = 0; j < classes; j++)
            share[j] = (share[j] / sum - (j == labels[s] ? 1.0f : 0.0f)) / (float)n;
        *correct += best == labels[s];
    }
    return loss / (double)n;
}

#endif
