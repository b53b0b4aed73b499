/* decoding: a linear state-space model learns to read a movement out of noisy channels, with a training
 * profiler that prints the times of its parts every hundred steps.
 *
 *     decoding -o decoding.pit && pitwall report decoding.pit --view profiling
 *
 * 32 channels follow a hand that moves in the plane, each in its own way, late and noisy. The model is h(t)
 * = a h(t-1) + B u(t), y(t) = C h(t) + c, trained by backpropagation through time. Shows the training
 * profiler (pit_profiler_start, pit_profiler_end, pit_profiler_rows) and named threads: making a batch
 * takes longer than learning from it, and --workers 1 lets a thread make them ahead. The batches are the
 * same, whichever thread makes them. */
#include "options.h"
#include "small_net.h"

#include <pthread.h>

enum {
    CHANNELS = 32,
    STATES = 32,
    OUTPUTS = 2,
    ROOM = NET_LANES, /* OUTPUTS in whole lanes */
    STEPS = 64,       /* of a trial */
    BATCH = 16,       /* trials */
    SLOTS = 4,        /* batches made ahead */
    MOST_WORKERS = 8
};

static int steps_in_all, log_every, workers;
static const struct example_option options[] = {
    EXAMPLE_NUMBER("--steps", "of training", &steps_in_all, 1, 100000, 600, 120),
    EXAMPLE_NUMBER("--log-every", "steps between two blocks", &log_every, 1, 100000, 200, 100),
    {.name = "--workers",
     .help = "threads that make batches",
     .number = &workers,
     .low = 0,
     .high = MOST_WORKERS},
};
static struct example example = {
    .name = "decoding",
    .what = "Decode a movement from noisy channels with a state-space model.",
    .next = " --view bottlenecks",
    .options = options,
    .option_count = 3,
};

/* ---- the data -------------------------------------------------------------------------------- */

struct trial {
    float channels[STEPS][CHANNELS], hand[STEPS][OUTPUTS];
};

static float tuning[CHANNELS][OUTPUTS]; /* how a channel follows the hand */

static void make_tuning(void)
{
    uint64_t random = 17;
    for (size_t k = 0; k < CHANNELS; k++)
        for (size_t j = 0; j < OUTPUTS; j++)
            tuning[k][j] = (float)net_normal(&random);
}

/* The hand's speed has mean 0, variance 1 and some inertia; a channel lags behind by 0 to 3 steps. */
static void make_trial(struct trial *trial, uint64_t *random)
{
    double speed[OUTPUTS] = {net_normal(random), net_normal(random)};
    for (size_t t = 0; t < STEPS; t++)
        for (size_t j = 0; j < OUTPUTS; j++) {
            speed[j] = 0.95 * speed[j] + sqrt(1 - 0.95 * 0.95) * net_normal(random);
            trial->hand[t][j] = (float)speed[j];
        }
    for (size_t t = 0; t < STEPS; t++)
        for (size_t k = 0; k < CHANNELS; k++) {
            const float *hand = trial->hand[t > k % 4 ? t - k % 4 : 0];
            trial->channels[t][k] =
                tuning[k][0] * hand[0] + tuning[k][1] * hand[1] + 2 * (float)net_normal(random);
        }
}

/* ---- the loader: batches made ahead, by threads ------------------------------------------------ */

struct batch {
    struct trial trials[BATCH];
};

struct loader {
    pthread_t threads[MOST_WORKERS];
    int thread_count;
    pthread_mutex_t lock; /* guards what follows but the batches, which have one user at a time */
    pthread_cond_t changed;
    int next, taken;  /* batches begun, and given back */
    int ready[SLOTS]; /* the number of the batch in a slot, from 1 */
    struct batch slots[SLOTS];
};

/* The contents depend only on the number, not on the thread that makes the batch. */
static void make_batch(struct batch *batch, int number)
{
    uint64_t random = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15) + 7;
    for (size_t i = 0; i < BATCH; i++)
        make_trial(&batch->trials[i], &random);
}

static void *loader_main(void *argument)
{
    struct loader *loader = argument;
    pit_thread_name("loader");
    pthread_mutex_lock(&loader->lock);
    while (loader->next < steps_in_all) {
        if (loader->next - loader->taken == SLOTS) {
            pthread_cond_wait(&loader->changed, &loader->lock);
            continue;
        }
        int number = loader->next++;
        pthread_mutex_unlock(&loader->lock);
        PIT_SPAN("make batch") {
            make_batch(&loader->slots[number % SLOTS], number);
            pit_items(BATCH);
        }
        pthread_mutex_lock(&loader->lock);
        loader->ready[number % SLOTS] = number + 1;
        pthread_cond_broadcast(&loader->changed);
    }
    pthread_mutex_unlock(&loader->lock);
    return NULL;
}

/* Uses as many threads as could be started; without any, the trainer makes its batches itself. */
static void loader_start(struct loader *loader)
{
    memset(loader, 0, sizeof *loader);
    pthread_mutex_init(&loader->lock, NULL);
    pthread_cond_init(&loader->changed, NULL);
    while (loader->thread_count < workers &&
           pthread_create(&loader->threads[loader->thread_count], NULL, loader_main, loader) == 0)
        loader->thread_count++;
}

/* The batch of that number, valid until loader_give_back. Numbers are consecutive. */
static const struct batch *loader_take(struct loader *loader, int number)
{
    struct batch *batch = &loader->slots[number % SLOTS];
    if (loader->thread_count == 0) {
        make_batch(batch, number);
        return batch;
    }
    pthread_mutex_lock(&loader->lock);
    while (loader->ready[number % SLOTS] != number + 1)
        pthread_cond_wait(&loader->changed, &loader->lock);
    pthread_mutex_unlock(&loader->lock);
    return batch;
}

static void loader_give_back(struct loader *loader)
{
    pthread_mutex_lock(&loader->lock);
    loader->taken++;
    pthread_cond_broadcast(&loader->changed);
    pthread_mutex_unlock(&loader->lock);
}

/* Called after all batches were taken and given back. */
static void loader_finish(struct loader *loader)
{
    for (int i = 0; i < loader->thread_count; i++)
        pthread_join(loader->threads[i], NULL);
    pthread_cond_destroy(&loader->changed);
    pthread_mutex_destroy(&loader->lock);
}

/* ---- the model ------------------------------------------------------------------------------- */

struct parts {   /* of the weights, and of their gradients */
    float *in;   /* CHANNELS × STATES: B */
    float *keep; /* STATES: a is its sigmoid */
    float *out;  /* STATES × ROOM: C */
    float *bias; /* ROOM: c */
};

struct model {
    struct net_weights all;
    struct parts w, grad;
    float a[STATES], a_grad[STATES];
    float state[STEPS][STATES], result[STEPS][ROOM]; /* of one trial */
    float memory[4 * (CHANNELS * STATES + STATES + STATES * ROOM + ROOM)];
};

static struct parts place(float *at)
{
    float *keep = at + CHANNELS * STATES, *out = keep + STATES;
    return (struct parts){at, keep, out, out + STATES * ROOM};
}

static void model_make(struct model *m)
{
    uint64_t random = 3;
    memset(m, 0, sizeof *m);
    net_weights_place(&m->all, sizeof m->memory / sizeof *m->memory / 4, m->memory);
    m->w = place(m->all.value);
    m->grad = place(m->all.grad);
    for (size_t i = 0; i < CHANNELS * STATES; i++)
        m->w.in[i] = net_uniform(&random, -0.1f, 0.1f);
    for (size_t j = 0; j < STATES; j++) {
        m->w.keep[j] = net_uniform(&random, -1, 3); /* short memories and long ones */
        for (size_t k = 0; k < OUTPUTS; k++)
            m->w.out[j * ROOM + k] = net_uniform(&random, -0.2f, 0.2f);
    }
}

static void model_forward(struct model *m, const struct trial *trial)
{
    for (size_t j = 0; j < STATES; j++)
        m->a[j] = 1 / (1 + expf(-m->w.keep[j]));
    for (size_t t = 0; t < STEPS; t++) {
        float *h = m->state[t];
        for (size_t j = 0; j < STATES; j++)
            h[j] = t ? m->a[j] * m->state[t - 1][j] : 0;
        for (size_t k = 0; k < CHANNELS; k++)
            net_add_scaled(h, m->w.in + k * STATES, trial->channels[t][k], STATES);
        memcpy(m->result[t], m->w.bias, sizeof m->result[t]);
        for (size_t j = 0; j < STATES; j++)
            net_add_scaled(m->result[t], m->w.out + j * ROOM, h[j], ROOM);
    }
}

static double model_loss(const struct model *m, const struct trial *trial)
{
    double sum = 0;
    for (size_t t = 0; t < STEPS; t++)
        for (size_t k = 0; k < OUTPUTS; k++) {
            double off = (double)m->result[t][k] - (double)trial->hand[t][k];
            sum += off * off;
        }
    return sum / (STEPS * OUTPUTS);
}

/* Adds the gradients of a trial, after model_forward of it. */
static void model_backward(struct model *m, const struct trial *trial)
{
    float by_state[STATES] = {0}, by_result[ROOM] = {0};
    for (size_t t = STEPS; t-- > 0;) {
        for (size_t k = 0; k < OUTPUTS; k++)
            by_result[k] = 2 * (m->result[t][k] - trial->hand[t][k]) / (STEPS * OUTPUTS * BATCH);
        net_add_scaled(m->grad.bias, by_result, 1, ROOM);
        for (size_t j = 0; j < STATES; j++) {
            net_add_scaled(m->grad.out + j * ROOM, by_result, m->state[t][j], ROOM);
            by_state[j] += net_dot(m->w.out + j * ROOM, by_result, ROOM);
        }
        for (size_t k = 0; k < CHANNELS; k++)
            net_add_scaled(m->grad.in + k * STATES, by_state, trial->channels[t][k], STATES);
        for (size_t j = 0; j < STATES; j++) {
            if (t)
                m->grad.keep[j] += by_state[j] * m->state[t - 1][j] * m->a[j] * (1 - m->a[j]);
            by_state[j] *= m->a[j];
        }
    }
}

/* ---- training -------------------------------------------------------------------------------- */

static double loss_and_gradient(struct model *m, const struct batch *batch)
{
    double loss = 0;
    memset(m->all.grad, 0, m->all.count * sizeof *m->all.grad);
    for (size_t i = 0; i < BATCH; i++) {
        model_forward(m, &batch->trials[i]);
        loss += model_loss(m, &batch->trials[i]) / BATCH;
        model_backward(m, &batch->trials[i]);
    }
    return loss;
}

static double make_step(struct model *m, struct loader *loader, pit_profiler *profiler, int step)
{
    double start = pit_profiler_start(profiler, "data_batch_production");
    const struct batch *batch = loader_take(loader, step);
    pit_profiler_end(profiler, "data_batch_production", start);

    double step_start = pit_profiler_start(profiler, "make_step_total");
    start = pit_profiler_start(profiler, "loss_fn_computation");
    double loss = loss_and_gradient(m, batch);
    pit_profiler_end(profiler, "loss_fn_computation", start);
    loader_give_back(loader);
    start = pit_profiler_start(profiler, "model_update");
    net_adam(&m->all, 0.01f * (1 - 0.9f * (float)step / (float)steps_in_all));
    pit_profiler_end(profiler, "model_update", start);
    pit_value("loss", loss);
    pit_profiler_end(profiler, "make_step_total", step_start); /* every so many: the block */
    return loss;
}

/* On trials that were not trained on. The hand has variance 1, so R² is 1 minus this. */
static double test_loss(struct model *m)
{
    struct trial trial;
    uint64_t random = 99;
    double sum = 0;
    PIT_SPAN("validation") {
        for (size_t i = 0; i < 8 * BATCH; i++) {
            make_trial(&trial, &random);
            model_forward(m, &trial);
            sum += model_loss(m, &trial);
        }
        pit_items(8 * BATCH);
    }
    return sum / (8 * BATCH);
}

/* Summarise the profiler's figures in a sentence. */
static void print_balance(pit_profiler *profiler)
{
    size_t count;
    const pit_row *rows = pit_profiler_rows(profiler, &count);
    double data = 0, step = 0;
    for (size_t i = 0; i < count; i++) {
        double mean_ms = 1e3 * rows[i].seconds / (double)rows[i].count;
        data = strcmp(rows[i].name, "data_batch_production") == 0 ? mean_ms : data;
        step = strcmp(rows[i].name, "make_step_total") == 0 ? mean_ms : step;
    }
    printf("\na step waits %.2f ms for its batch and learns from it in %.2f ms\n", data, step);
}

static int run(struct model *model, struct loader *loader, pit_profiler *profiler)
{
    make_tuning();
    model_make(model);
    loader_start(loader);
    for (int step = 0; step < steps_in_all; step++) {
        double loss = make_step(model, loader, profiler, step);
        example_progress(&example, (step + 1.0) / steps_in_all, "step %d/%d, loss %.3f", step + 1,
                         steps_in_all, loss);
    }
    loader_finish(loader);
    double loss = test_loss(model);
    if (!example.is_quiet)
        print_balance(profiler);
    return example_prove(&example, "decoder", loss, example.is_quick ? 0.25 : 0.2);
}

int main(int argc, char **argv)
{
    example_begin(&example, argc, argv);
    struct model *model = malloc(sizeof *model);
    struct loader *loader = malloc(sizeof *loader);
    pit_profiler *profiler = pit_profiler_new((uint64_t)log_every);
    int failed = model && loader && profiler ? run(model, loader, profiler)
                                             : example_fail(&example, "model", PIT_NO_MEMORY);
    pit_profiler_free(profiler);
    free(loader);
    free(model);
    return example_end(&example, failed);
}
