/* rom: which of two reduced-order models is the better choice? Makes data, trains both, benchmarks both.
 *
 *     rom --out rom_output && cat rom_output/oscillators/runtime_comparison.json
 *
 * The data are ten oscillators on a ring, coupled by springs that stiffen, damped and shaken by
 * noise: twenty numbers a step. One model is an MVAR, fitted by least squares; the other an LSTM,
 * trained by backpropagation through time. Shows a benchmark of both in turn (pit_bench_models,
 * pit_bench_print), a profile (pit_profile_build, pit_profile_save) and comparisons
 * (pit_profiles_compare_save, pit_summary_save). Writes
 *
 *     OUT/EXPERIMENT/MVAR/runtime_profile.json, …/LSTM/…: each model's profile
 *     OUT/EXPERIMENT/runtime_comparison.json, summary.json, rom.pit
 *
 */
#include "options.h"
#include "small_lstm.h"

enum {
    MASSES = 10,
    DIM = 2 * MASSES, /* places and speeds */
    TRAIN = 6000,     /* steps of data */
    TEST = 1500,
    LAG = 5,
    FEATURES = LAG * DIM + 1,
    HIDDEN = 32,
    BATCH = 16,
    WINDOW = 24,
    WARM = 8,    /* steps of a window that build up the state and are not judged */
    BATCHES = 60 /* an epoch */
};

/* Mean squared error of one step, of data with variance 1; standing still gives about 0.2. */
#define MVAR_BAR 0.05
#define LSTM_BAR 0.08

static const char *out = "rom_output", *experiment = "oscillators";
static int epochs, trials, wants_peak;
static const struct example_option options[] = {
    {.name = "--out", .help = "folder of the results", .text = &out},
    {.name = "--experiment", .help = "folder in it", .text = &experiment},
    EXAMPLE_NUMBER("--epochs", "of the LSTM", &epochs, 1, 100, 8, 4),
    EXAMPLE_NUMBER("--trials", "of each benchmark", &trials, 1, 100000, 100, 100),
    {.name = "--peak", .help = "measure this machine's peak too", .is_on = &wants_peak},
};
static struct example example = {
    .name = "rom",
    .what = "Train an MVAR and an LSTM on the same data and compare what they cost.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
};

/* ---- the data -------------------------------------------------------------------------------- */

struct data {
    float train[TRAIN][DIM], test[TEST][DIM];
};

static double spring(double stretch)
{
    return 2 * stretch + 0.3 * stretch * stretch * stretch;
}

/* A short step of the ring: speeds first, then places. */
static void move(double *place, double *speed, double dt, uint64_t *random)
{
    for (int i = 0; i < MASSES; i++) {
        double left = place[(i + MASSES - 1) % MASSES], right = place[(i + 1) % MASSES];
        double force = spring(left - place[i]) + spring(right - place[i]) - place[i];
        speed[i] += dt * (force - 0.2 * speed[i]) + 0.1 * sqrt(dt) * net_normal(random);
    }
    for (int i = 0; i < MASSES; i++)
        place[i] += dt * speed[i];
}

/* Each column to mean 0 and variance 1, by the figures of the first `count` rows. */
static void normalise(float (*rows)[DIM], float (*more)[DIM], size_t count, size_t more_count)
{
    for (size_t k = 0; k < DIM; k++) {
        double sum = 0, squares = 0;
        for (size_t i = 0; i < count; i++)
            sum += (double)rows[i][k];
        double mean = sum / (double)count;
        for (size_t i = 0; i < count; i++)
            squares += ((double)rows[i][k] - mean) * ((double)rows[i][k] - mean);
        double scale = 1 / sqrt(squares / (double)count);
        for (size_t i = 0; i < count; i++)
            rows[i][k] = (float)(((double)rows[i][k] - mean) * scale);
        for (size_t i = 0; i < more_count; i++)
            more[i][k] = (float)(((double)more[i][k] - mean) * scale);
    }
}

static void make_data(struct data *data)
{
    double place[MASSES] = {1, -1}, speed[MASSES] = {0};
    uint64_t random = 11;
    for (int i = -500; i < TRAIN + TEST; i++) { /* the first ones are forgotten */
        for (int k = 0; k < 20; k++)
            move(place, speed, 0.01, &random);
        if (i < 0)
            continue;
        float *row = i < TRAIN ? data->train[i] : data->test[i - TRAIN];
        for (int k = 0; k < MASSES; k++) {
            row[k] = (float)place[k];
            row[MASSES + k] = (float)speed[k];
        }
    }
    normalise(data->train, data->test, TRAIN, TEST);
}

/* The error of a forecast that nothing changes. */
static double standstill_error(const struct data *data)
{
    double sum = 0;
    for (size_t i = 1; i < TEST; i++)
        for (size_t k = 0; k < DIM; k++) {
            double off = (double)data->test[i][k] - (double)data->test[i - 1][k];
            sum += off * off;
        }
    return sum / (double)((TEST - 1) * DIM);
}

/* ---- MVAR: x(t) = A_0 + A_1 x(t-1) + … + A_p x(t-p) ------------------------------------------ */

struct mvar {
    double a[FEATURES][DIM]; /* row 0 is A_0 */
    double start[LAG][DIM];  /* the newest first: where a forecast begins */
    double last[DIM];        /* where it ended */
};

/* 1, and the last LAG rows before row t, the newest first. */
static void lagged(double *features, const float (*rows)[DIM], size_t t)
{
    features[0] = 1;
    for (size_t l = 0; l < LAG; l++)
        for (size_t k = 0; k < DIM; k++)
            features[1 + l * DIM + k] = (double)rows[t - 1 - l][k];
}

/* Solve m · x = b for all columns of b, in place: m = L · Lᵀ. 0, or -1: m is not positive. */
static int solve(double (*m)[FEATURES], double (*b)[DIM])
{
    for (size_t j = 0; j < FEATURES; j++) {
        for (size_t i = j; i < FEATURES; i++) {
            double sum = m[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= m[i][k] * m[j][k];
            if (i == j && !(sum > 0))
                return -1;
            m[i][j] = i == j ? sqrt(sum) : sum / m[j][j];
        }
    }
    for (size_t c = 0; c < DIM; c++) {
        for (size_t i = 0; i < FEATURES; i++) {
            for (size_t k = 0; k < i; k++)
                b[i][c] -= m[i][k] * b[k][c];
            b[i][c] /= m[i][i];
        }
        for (size_t i = FEATURES; i-- > 0;) {
            for (size_t k = i + 1; k < FEATURES; k++)
                b[i][c] -= m[k][i] * b[k][c];
            b[i][c] /= m[i][i];
        }
    }
    return 0;
}

/* Least squares by the normal equations, with a trace of ridge. */
static int mvar_fit(struct mvar *model, const struct data *data)
{
    static double gram[FEATURES][FEATURES];
    double features[FEATURES];
    int failed = 0;
    memset(model, 0, sizeof *model);
    PIT_SPAN("normal equations") {
        for (size_t t = LAG; t < TRAIN; t++) {
            lagged(features, data->train, t);
            for (size_t i = 0; i < FEATURES; i++) {
                for (size_t j = 0; j <= i; j++)
                    gram[i][j] += features[i] * features[j];
                for (size_t k = 0; k < DIM; k++)
                    model->a[i][k] += features[i] * (double)data->train[t][k];
            }
        }
        for (size_t i = 0; i < FEATURES; i++)
            gram[i][i] += 1e-6;
        pit_items(TRAIN - LAG);
    }
    PIT_SPAN("solve") {
        failed = solve(gram, model->a);
    }
    for (size_t l = 0; l < LAG && !failed; l++)
        for (size_t k = 0; k < DIM; k++)
            model->start[l][k] = (double)data->test[LAG - 1 - l][k];
    return failed;
}

static void mvar_predict(const struct mvar *model, const double *features, double *next)
{
    memset(next, 0, DIM * sizeof *next);
    for (size_t i = 0; i < FEATURES; i++)
        for (size_t k = 0; k < DIM; k++)
            next[k] += features[i] * model->a[i][k];
}

static double mvar_error(const struct mvar *model, const struct data *data)
{
    double sum = 0, features[FEATURES], next[DIM];
    for (size_t t = LAG; t < TEST; t++) {
        lagged(features, data->test, t);
        mvar_predict(model, features, next);
        for (size_t k = 0; k < DIM; k++)
            sum += (next[k] - (double)data->test[t][k]) * (next[k] - (double)data->test[t][k]);
    }
    return sum / (double)((TEST - LAG) * DIM);
}

static void mvar_forecast(void *argument, uint64_t steps)
{
    struct mvar *model = argument;
    double features[FEATURES];
    features[0] = 1;
    memcpy(features + 1, model->start, sizeof model->start);
    for (uint64_t i = 0; i < steps; i++) {
        mvar_predict(model, features, model->last);
        memmove(features + 1 + DIM, features + 1, (LAG - 1) * DIM * sizeof *features);
        memcpy(features + 1, model->last, sizeof model->last);
    }
    PIT_CLOBBER();
}

/* ---- LSTM ------------------------------------------------------------------------------------ */

struct recurrent {
    struct lstm net;
    float cell[HIDDEN], value[HIDDEN]; /* where a forecast begins */
    float start[DIM], last[DIM];
};

/* A mean over the windows of the test data, side by side. */
static double lstm_error(struct lstm *net, const struct data *data)
{
    double sum = 0;
    size_t rounds = 0;
    for (size_t at = 0; at + BATCH * WINDOW + 1 <= TEST; at += BATCH * WINDOW, rounds++) {
        const float *windows[BATCH];
        for (size_t s = 0; s < BATCH; s++)
            windows[s] = data->test[at + s * WINDOW];
        lstm_forward(net, windows, BATCH);
        sum += lstm_loss(net, windows, BATCH, WARM);
    }
    return sum / (double)rounds;
}

static double lstm_batch(struct lstm *net, const struct data *data, float rate, uint64_t *random)
{
    const float *windows[BATCH];
    double loss = 0;
    PIT_SPAN("batch") {
        for (size_t s = 0; s < BATCH; s++)
            windows[s] = data->train[net_pick(random, TRAIN - WINDOW - 1)];
        PIT_SPAN("forward") {
            lstm_forward(net, windows, BATCH);
            pit_flops(BATCH * WINDOW * lstm_step_flops(net));
        }
        PIT_SPAN("backward") {
            lstm_backward(net, windows, BATCH);
        }
        PIT_SPAN("update") {
            net_adam(&net->all, rate);
        }
        loss = lstm_loss(net, windows, BATCH, WARM);
        pit_items(BATCH);
        pit_value("loss", loss);
    }
    return loss;
}

/* The state after the first rows of the test data. */
static void lstm_prepare(struct recurrent *model, const struct data *data)
{
    struct lstm *net = &model->net;
    const float *window = data->test[0];
    lstm_forward(net, &window, 1);
    size_t last = net->steps * net->batch * HIDDEN;
    memcpy(model->cell, net->cell + last, sizeof model->cell);
    memcpy(model->value, net->value + last, sizeof model->value);
    memcpy(model->start, data->test[WINDOW], sizeof model->start);
}

static int lstm_train(struct recurrent *model, const struct data *data)
{
    uint64_t random = 5;
    if (lstm_create(&model->net, DIM, HIDDEN, DIM, BATCH, WINDOW, 2))
        return -1;
    for (int epoch = 1; epoch <= epochs; epoch++)
        PIT_SPAN("epoch") {
            float rate = epoch < epochs ? 0.01f : 0.002f;
            double loss = 0;
            for (int i = 0; i < BATCHES; i++)
                loss += lstm_batch(&model->net, data, rate, &random) / BATCHES;
            double error = lstm_error(&model->net, data);
            pit_value("test error", error);
            example_progress(&example, (double)epoch / epochs,
                             "LSTM epoch %d/%d, loss %.3f, error %.3f", epoch, epochs, loss, error);
        }
    lstm_prepare(model, data);
    return 0;
}

static void lstm_forecast(void *argument, uint64_t steps)
{
    struct recurrent *model = argument;
    float cell[2][HIDDEN], value[2][HIDDEN], gates[4 * HIDDEN], y[DIM + NET_LANES];
    memcpy(cell[0], model->cell, sizeof model->cell);
    memcpy(value[0], model->value, sizeof model->value);
    memcpy(y, model->start, sizeof model->start);
    for (uint64_t i = 0; i < steps; i++) {
        memcpy(model->last, y, sizeof model->last);
        lstm_step(&model->net, model->last, cell[i & 1], value[i & 1], gates, cell[~i & 1],
                  value[~i & 1], y);
    }
    memcpy(model->last, y, sizeof model->last);
    PIT_CLOBBER();
}

/* ---- the pipeline ---------------------------------------------------------------------------- */

static const char *path_in(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s", out, experiment, name);
    return path;
}

/* A model that was trained, on its way to its profile. */
struct candidate {
    pit_model model;
    double training_seconds, error, bar;
    uint64_t parameter_bytes;
    void (*forecast)(void *argument, uint64_t steps);
    void *argument;
};

/* Print a model's figures, and save its profile. */
static int profile_candidate(const struct candidate *c, const pit_bench_result *single_step,
                             const pit_bench_result *full_trajectory, pit_profile *profile)
{
    if (!example.is_quiet) {
        putchar('\n');
        pit_bench_print(stdout, c->model.name, full_trajectory, 1, PIT_TEXT);
    }
    int code = pit_profile_build(profile, &c->model, c->training_seconds, single_step,
                                 full_trajectory, 0, c->parameter_bytes);
    if (code)
        return example_fail(&example, c->model.name, code);
    profile->peak_flops = wants_peak ? pit_machine_flops() : 0;
    char name[64];
    snprintf(name, sizeof name, "%s/runtime_profile.json", c->model.name);
    code = pit_profile_save(path_in(name), profile);
    return code ? example_fail(&example, path_in(name), code) : 0;
}

static void print_training(const struct candidate *candidates, size_t count)
{
    pit_row rows[2] = {0};
    for (size_t i = 0; i < count; i++) {
        rows[i].name = candidates[i].model.name;
        rows[i].seconds = candidates[i].training_seconds;
    }
    pit_data data = {.title = "training", .rows = rows, .row_count = count};
    example_view("timing-summary", &data, NULL);
}

/* By the mean of a whole forecast, in this process: where its code and data came to lie counts too. */
static void print_speedup(const pit_profile *a, const pit_profile *b)
{
    double slow = b->full_trajectory.mean / a->full_trajectory.mean;
    printf("\nin this run 100 steps of forecast take the %s %.2f times as long as the %s\n",
           b->model_name, slow, a->model_name);
}

/* In turn, so that the comparison can say whether the difference is real. */
static int bench_all(const struct candidate *candidates, size_t count, pit_profile *profiles)
{
    pit_forecast_options forecast = {.trials = (uint64_t)trials};
    pit_bench_model models[2];
    pit_bench_result single_steps[2], full_trajectories[2];
    int status = 0, code = 0;
    for (size_t i = 0; i < count; i++)
        models[i] = (pit_bench_model){candidates[i].model.name, candidates[i].forecast,
                                      candidates[i].argument};
    PIT_SPAN("benchmark") {
        code = pit_bench_models(models, count, &forecast, single_steps, full_trajectories);
    }
    if (code)
        return example_fail(&example, "benchmark", code);
    for (size_t i = 0; i < count; i++) {
        if (!status)
            status = profile_candidate(&candidates[i], &single_steps[i], &full_trajectories[i],
                                       &profiles[i]);
        pit_bench_free(&single_steps[i]);
        pit_bench_free(&full_trajectories[i]);
    }
    return status;
}

static int profile_all(const struct candidate *candidates, size_t count)
{
    pit_profile profiles[2] = {0};
    int status = bench_all(candidates, count, profiles);
    if (!status && !example.is_quiet)
        print_speedup(&profiles[0], &profiles[1]);
    if (!status) {
        const char *path = path_in("runtime_comparison.json");
        int code = pit_profiles_compare_save(path, profiles, count);
        if (!code) {
            path = path_in("summary.json");
            code = pit_summary_save(path, experiment, profiles, count);
        }
        status = code ? example_fail(&example, path, code) : 0;
    }
    for (size_t i = 0; i < count; i++)
        pit_profile_free(&profiles[i]);
    return status;
}

static int run(struct data *data, struct mvar *mvar, struct recurrent *recurrent)
{
    struct candidate candidates[2] = {
        {{.name = "MVAR", .parameters = FEATURES * DIM, .latent_dim = DIM, .lag = LAG},
         0,
         0,
         MVAR_BAR,
         sizeof(double),
         mvar_forecast,
         mvar},
        {{.name = "LSTM", .latent_dim = DIM, .hidden_dim = HIDDEN, .layers = 1},
         0,
         0,
         LSTM_BAR,
         sizeof(float),
         lstm_forecast,
         recurrent},
    };
    int failed = 0;
    PIT_SPAN("data") {
        make_data(data);
        pit_items(TRAIN + TEST);
    }
    if (!example.is_quiet)
        printf("a forecast that nothing changes has a loss of %.4f\n", standstill_error(data));
    double begin = example_seconds();
    PIT_SPAN("train MVAR") {
        failed |= mvar_fit(mvar, data);
    }
    candidates[0].training_seconds = example_seconds() - begin;
    begin = example_seconds();
    PIT_SPAN("train LSTM") {
        failed |= lstm_train(recurrent, data);
    }
    candidates[1].training_seconds = example_seconds() - begin;
    if (failed)
        return example_fail(&example, "models", PIT_NO_MEMORY);
    candidates[0].error = mvar_error(mvar, data);
    candidates[1].error = lstm_error(&recurrent->net, data);
    candidates[1].model.parameters = lstm_parameters(&recurrent->net);
    for (size_t i = 0; i < 2; i++)
        failed |= example_prove(&example, candidates[i].model.name, candidates[i].error,
                                candidates[i].bar);
    if (failed)
        return 1;
    if (!example.is_quiet)
        print_training(candidates, 2);
    return profile_all(candidates, 2);
}

/* ---- the program ----------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    example_parse(&example, argc, argv);
    if (!example.path)
        example.path = path_in("rom.pit");
    example_open(&example);
    struct data *data = malloc(sizeof *data);
    struct mvar *mvar = malloc(sizeof *mvar);
    struct recurrent *recurrent = calloc(1, sizeof *recurrent);
    int failed;
    if (data && mvar && recurrent) {
        failed = run(data, mvar, recurrent);
        lstm_free(&recurrent->net);
    } else {
        failed = example_fail(&example, "data", PIT_NO_MEMORY);
    }
    free(recurrent);
    free(mvar);
    free(data);
    return example_end(&example, failed);
}
