/* monitor_task.h: the work that the six monitor_*.c examples watch: load a table, bring its columns to
 * mean 0 and variance 1, learn one number from sixteen. It does not use Pitwall.
 */
#ifndef MONITOR_TASK_H
#define MONITOR_TASK_H

#include "small_net.h"

enum { TASK_COLUMNS = 16, TASK_ROWS = 65536, TASK_BATCH = 512 };

struct task {
    float *in, *wanted; /* TASK_ROWS × TASK_COLUMNS, and one a row */
    struct net net;
};

/* 0, or -1 without memory: task_free then, too. */
static inline int task_load(struct task *task)
{
    static const size_t widths[] = {TASK_COLUMNS, 128, NET_LANES};
    static const enum net_kind kinds[] = {NET_RELU, NET_LINEAR};
    uint64_t random = 3;
    task->in = malloc((size_t)TASK_ROWS * TASK_COLUMNS * sizeof *task->in);
    task->wanted = malloc(TASK_ROWS * sizeof *task->wanted);
    if (net_create(&task->net, widths, kinds, 2, TASK_BATCH, 1) || !task->in || !task->wanted)
        return -1;
    for (size_t row = 0; row < TASK_ROWS; row++) {
        float *in = task->in + row * TASK_COLUMNS;
        for (size_t k = 0; k < TASK_COLUMNS; k++)
            in[k] = 100 * (float)k + (float)(k + 1) * (float)net_normal(&random);
        float first = in[0], second = (in[1] - 100) / 2, third = (in[2] - 200) / 3;
        task->wanted[row] = 0.6f * fabsf(first) + 0.6f * second * third / (1 + fabsf(third));
    }
    return 0;
}

static inline void task_preprocess(struct task *task)
{
    for (size_t k = 0; k < TASK_COLUMNS; k++) {
        double sum = 0, squares = 0;
        for (size_t row = 0; row < TASK_ROWS; row++) {
            double x = (double)task->in[row * TASK_COLUMNS + k];
            sum += x;
            squares += x * x;
        }
        double mean = sum / TASK_ROWS, scale = 1 / sqrt(squares / TASK_ROWS - mean * mean);
        for (size_t row = 0; row < TASK_ROWS; row++) {
            float *x = &task->in[row * TASK_COLUMNS + k];
            *x = (float)(((double)*x - mean) * scale);
        }
    }
}

static inline const float *task_rows(const struct task *task, size_t batch)
{
    return task->in + batch % (TASK_ROWS / TASK_BATCH) * TASK_BATCH * TASK_COLUMNS;
}

/* The loss of a batch; its gradient is ready for task_backward. */
static inline double task_forward(struct task *task, size_t batch)
{
    size_t first = batch % (TASK_ROWS / TASK_BATCH) * TASK_BATCH;
    net_forward(&task->net, task_rows(task, batch), TASK_BATCH);
    return net_square_loss(&task->net, task->wanted + first, TASK_BATCH, 1);
}

static inline void task_backward(struct task *task, size_t batch)
{
    net_backward(&task->net, task_rows(task, batch), TASK_BATCH);
    net_adam(&task->net.weights, 0.005f);
}

/* The mean loss over all rows. */
static inline double task_loss(struct task *task)
{
    const size_t batches = TASK_ROWS / TASK_BATCH;
    double sum = 0;
    for (size_t batch = 0; batch < batches; batch++)
        sum += task_forward(task, batch);
    return sum / (double)batches;
}

static inline void task_free(struct task *task)
{
    free(task->in);
    free(task->wanted);
    net_free(&task->net);
}

#endif
