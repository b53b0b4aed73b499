/* small_lstm.h: a small LSTM for the examples: one layer and a linear output, trained by
 * backpropagation through time with Adam on the mean squared error.
 *
 * Arrays are laid out so that the inner loops run over whole lanes (small_net.h); the output is
 * padded to them, and the padding stays zero. It does not use Pitwall.
 */
#ifndef SMALL_LSTM_H
#define SMALL_LSTM_H

#include "small_net.h"

struct lstm_weights {
    float *in;           /* inputs × 4 hidden: input, forget, cell, output gate side by side */
    float *state;        /* hidden × 4 hidden */
    float *bias, *bias2; /* 4 hidden each: two, as other libraries keep them */
    float *out;          /* hidden × room */
    float *out_bias;     /* room */
};

struct lstm {
    size_t inputs, hidden, outputs;
    size_t room;            /* outputs, rounded up to whole lanes */
    size_t batch, steps;    /* most samples at a time, length of a window */
    struct net_weights all; /* padding included; w and grad are the parts of it */
    struct lstm_weights w, grad;
    float *gates;            /* steps × batch × 4 hidden, after their functions */
    float *cell, *value;     /* (steps + 1) × batch × hidden; the first is the state before */
    float *result;           /* steps × batch × room */
    float *d_gates;          /* 4 hidden */
    float *d_value, *d_cell; /* batch × hidden */
    float *d_result;         /* room */
    float *memory;
};

static inline size_t lstm_parameters(const struct lstm *net)
{
    return 4 * net->hidden * (net->inputs + net->hidden + 2) + net->outputs * (net->hidden + 1);
}

/* Multiplications and additions of one step of one sample, forward. */
static inline uint64_t lstm_step_flops(const struct lstm *net)
{
    return 2 *
           (uint64_t)(4 * net->hidden * (net->inputs + net->hidden) + net->hidden * net->outputs);
}

static inline void lstm_place(const struct lstm *net, struct lstm_weights *w, float *at)
{
    size_t four = 4 * net->hidden;
    w->in = at, at += net->inputs * four;
    w->state = at, at += net->hidden * four;
    w->bias = at, at += four;
    w->bias2 = at, at += four;
    w->out = at, at += net->hidden * net->room;
    w->out_bias = at;
}

static inline size_t lstm_floats(const struct lstm *net)
{
    size_t four = 4 * net->hidden, b = net->batch;
    return 4 * net->all.count + net->steps * b * (four + net->room) +
           2 * (net->steps + 1) * b * net->hidden + four + 2 * b * net->hidden + net->room;
}

/* Evenly within 1/sqrt(hidden), but for the padding; the forget gate begins open. */
static inline void lstm_fill(struct lstm *net, uint64_t seed)
{
    float bound = 1.0f / sqrtf((float)net->hidden);
    size_t four = 4 * net->hidden;
    for (size_t i = 0; i < net->inputs * four; i++)
        net->w.in[i] = net_uniform(&seed, -bound, bound);
    for (size_t i = 0; i < net->hidden * four; i++)
        net->w.state[i] = net_uniform(&seed, -bound, bound);
    for (size_t j = 0; j < net->hidden; j++) {
        net->w.bias[net->hidden + j] = 1;
        for (size_t k = 0; k < net->outputs; k++)
            net->w.out[j * net->room + k] = net_uniform(&seed, -bound, bound);
    }
}

/* hidden: a multiple of NET_LANES. 0, or -1 without memory or with a bad size. */
static inline int lstm_create(struct lstm *net, size_t inputs, size_t hidden, size_t outputs,
                              size_t batch, size_t steps, uint64_t seed)
{
    memset(net, 0, sizeof *net);
    if (!inputs || !hidden || hidden % NET_LANES || !outputs || !batch || !steps)
        return -1;
    net->inputs = inputs, net->hidden = hidden, net->outputs = outputs;
    net->batch = batch, net->steps = steps;
    net->room = net_whole_lanes(outputs);
    net->all.count = 4 * hidden * (inputs + hidden + 2) + net->room * (hidden + 1);
    float *at = net->memory = calloc(lstm_floats(net), sizeof(float));
    if (!at)
        return -1;
    at = net_weights_place(&net->all, net->all.count, at);
    lstm_place(net, &net->w, net->all.value);
    lstm_place(net, &net->grad, net->all.grad);
    net->gates = at, at += steps * batch * 4 * hidden;
    net->cell = at, at += (steps + 1) * batch * hidden;
    net->value = at, at += (steps + 1) * batch * hidden;
    net->result = at, at += steps * batch * net->room;
    net->d_gates = at, at += 4 * hidden;
    net->d_value = at, at += batch * hidden;
    net->d_cell = at, at += batch * hidden;
    net->d_result = at;
    lstm_fill(net, seed);
    return 0;
}

static inline void lstm_free(struct lstm *net)
{
    free(net->memory);
    memset(net, 0, sizeof *net);
}

static inline float lstm_sigmoid(float x)
{
    return 1.0f / (1.0f + expf(-x));
}

/* One step of one sample: from the state before and x to gates, the state after and y (room). */
static inline void lstm_step(const struct lstm *net, const float *x, const float *cell_before,
                             const float *value_before, float *gates, float *cell, float *value,
                             float *y)
{
    size_t h = net->hidden, four = 4 * h;
    memcpy(gates, net->w.bias, four * sizeof *gates);
    net_add_scaled(gates, net->w.bias2, 1.0f, four);
    for (size_t i = 0; i < net->inputs; i++)
        net_add_scaled(gates, net->w.in + i * four, x[i], four);
    for (size_t j = 0; j < h; j++)
        net_add_scaled(gates, net->w.state + j * four, value_before[j], four);
    for (size_t j = 0; j < h; j++) {
        gates[j] = lstm_sigmoid(gates[j]);
        gates[h + j] = lstm_sigmoid(gates[h + j]);
        gates[2 * h + j] = tanhf(gates[2 * h + j]);
        gates[3 * h + j] = lstm_sigmoid(gates[3 * h + j]);
        cell[j] = gates[h + j] * cell_before[j] + gates[j] * gates[2 * h + j];
        value[j] = gates[3 * h + j] * tanhf(cell[j]);
    }
    memcpy(y, net->w.out_bias, net->room * sizeof *y);
    for (size_t j = 0; j < h; j++)
        net_add_scaled(y, net->w.out + j * net->room, value[j], net->room);
}

/* Windows of `steps` inputs: windows[s] is the first input of sample s, the next one follows it. The
 * state begins at zero. */
NET_KERNEL void lstm_forward(struct lstm *net, const float *const *windows, size_t n)
{
    size_t h = net->hidden, b = net->batch;
    memset(net->cell, 0, b * h * sizeof(float));
    memset(net->value, 0, b * h * sizeof(float));
    for (size_t t = 0; t < net->steps; t++)
        for (size_t s = 0; s < n; s++) {
            size_t now = (t * b + s) * h, next = ((t + 1) * b + s) * h;
            lstm_step(net, windows[s] + t * net->inputs, net->cell + now, net->value + now,
                      net->gates + 4 * now, net->cell + next, net->value + next,
                      net->result + (t * b + s) * net->room);
        }
}

/* The mean squared error of result t against the input at t + 1, from step `from` on; the first ones
 * are there to build up the state. */
NET_KERNEL double lstm_loss(const struct lstm *net, const float *const *windows, size_t n,
                            size_t from)
{
    double sum = 0;
    for (size_t t = from; t < net->steps; t++)
        for (size_t s = 0; s < n; s++) {
            const float *target = windows[s] + (t + 1) * net->inputs;
            const float *y = net->result + (t * net->batch + s) * net->room;
            for (size_t k = 0; k < net->outputs; k++)
                sum += ((double)y[k] - (double)target[k]) * ((double)y[k] - (double)target[k]);
        }
    return sum / (double)((net->steps - from) * n * net->outputs);
}

/* The gradient with respect to the gates before their functions, from that of the value; d_cell goes
 * on to the step before. */
static inline void lstm_gate_gradient(struct lstm *net, const float *gates,
                                      const float *cell_before, const float *cell,
                                      const float *d_value, float *d_cell)
{
    size_t h = net->hidden;
    for (size_t j = 0; j < h; j++) {
        float in = gates[j], forget = gates[h + j], fresh = gates[2 * h + j];
        float open = gates[3 * h + j], squashed = tanhf(cell[j]);
        float d = d_cell[j] + d_value[j] * open * (1 - squashed * squashed);
        net->d_gates[j] = d * fresh * in * (1 - in);
        net->d_gates[h + j] = d * cell_before[j] * forget * (1 - forget);
        net->d_gates[2 * h + j] = d * in * (1 - fresh * fresh);
        net->d_gates[3 * h + j] = d_value[j] * squashed * open * (1 - open);
        d_cell[j] = d * forget;
    }
}

/* One step of one sample, backward: adds to the gradients, and leaves in d_value and d_cell what goes
 * on to the step before. */
static inline void lstm_step_back(struct lstm *net, const float *x, size_t now, size_t next,
                                  float *d_value, float *d_cell)
{
    size_t h = net->hidden, four = 4 * h;
    for (size_t j = 0; j < h; j++) {
        net_add_scaled(net->grad.out + j * net->room, net->d_result, net->value[next + j],
                       net->room);
        d_value[j] += net_dot(net->w.out + j * net->room, net->d_result, net->room);
    }
    net_add_scaled(net->grad.out_bias, net->d_result, 1.0f, net->room);
    lstm_gate_gradient(net, net->gates + 4 * now, net->cell + now, net->cell + next, d_value,
                       d_cell);
    net_add_scaled(net->grad.bias, net->d_gates, 1.0f, four);
    net_add_scaled(net->grad.bias2, net->d_gates, 1.0f, four);
    for (size_t i = 0; i < net->inputs; i++)
        net_add_scaled(net->grad.in + i * four, net->d_gates, x[i], four);
    for (size_t j = 0; j < h; j++) {
        net_add_scaled(net->grad.state + j * four, net->d_gates, net->value[now + j], four);
        d_value[j] = net_dot(net->w.state + j * four, net->d_gates, four);
    }
}

/* Gradients of the loss over all steps, after lstm_forward of the same windows. */
NET_KERNEL void lstm_backward(struct lstm *net, const float *const *windows, size_t n)
{
    size_t h = net->hidden, b = net->batch;
    float scale = 2.0f / (float)(net->steps * n * net->outputs);
    memset(net->all.grad, 0, net->all.count * sizeof(float));
    memset(net->d_value, 0, b * h * sizeof(float));
    memset(net->d_cell, 0, b * h * sizeof(float));
    for (size_t t = net->steps; t-- > 0;)
        for (size_t s = 0; s < n; s++) {
            const float *x = windows[s] + t * net->inputs, *target = x + net->inputs;
            const float *y = net->result + (t * b + s) * net->room;
            for (size_t k = 0; k < net->outputs; k++)
                net->d_result[k] = scale * (y[k] - target[k]);
            lstm_step_back(net, x, (t * b + s) * h, ((t + 1) * b + s) * h, net->d_value + s * h,
                           net->d_cell + s * h);
        }
}

#endif
