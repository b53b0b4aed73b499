/* rom: which of two reduced-order models is the better buy? Makes data, trains both, benchmarks both.
 *
 *     rom -o rom_output && cat rom_output/oscillators/runtime_comparison.json
 *
 * The data are ten oscillators on a ring, coupled by springs that stiffen, damped and shaken by
 * noise: twenty numbers a step. One model is an MVAR, fitted by least squares; the other an LSTM,
 * trained by backpropagation through time. Shows a benchmark (pit_bench_forecast, pit_bench_print), a
 * profile (pit_profile_build, pit_profile_save) and comparisons (pit_profiles_compare_save,
 * pit_summary_save). Writes
 *
 *     OUT/EXPERIMENT/MVAR/runtime_profile.json, …/LSTM/…: each model's profile
 *     OUT/EXPERIMENT/runtime_comparison.json, summary.json, rom.pit
 *
 * Exits with 1 if a model did not learn.
 */
#include <pitwall_bench.h>

#include "small_lstm.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

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
    EPOCHS = 6,  /* where not said otherwise */
    BATCHES = 60 /* an epoch */
};

/* Mean squared error of one step, of data with variance 1; standing still gives about 0.2. */
#define MVAR_BAR 0.05
#define LSTM_BAR 0.08

/* ---- the data -------------------------------------------------------------------------------- */

struct data {
    float train[TRAIN][DIM], test[TEST][DIM];
};

/* Nearly normal: the sum of twelve even ones. */
static double shake(uint64_t *random)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)net_uniform(random, 0, 1);
    return sum;
}

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
        speed[i] += dt * (force - 0.2 * speed[i]) + 0.1 * sqrt(dt) * shake(random);
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

static void lstm_epoch(struct lstm *net, const struct data *data, float rate, uint64_t *random)
{
    for (int i = 0; i < BATCHES; i++)
        PIT_SPAN("batch") {
            const float *windows[BATCH];
            for (size_t s = 0; s < BATCH; s++)
                windows[s] = data->train[(net_random(random) >> 33) % (TRAIN - WINDOW - 1)];
            PIT_SPAN("forward") {
                lstm_forward(net, windows, BATCH);
                pit_flops(BATCH * WINDOW * lstm_step_flops(net));
            }
            PIT_SPAN("backward") {
                lstm_backward(net, windows, BATCH);
            }
            PIT_SPAN("update") {
                lstm_update(net, rate);
            }
            pit_items(BATCH);
            pit_value("loss", lstm_loss(net, windows, BATCH, WARM));
        }
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

static int lstm_train(struct recurrent *model, const struct data *data, int epochs)
{
    uint64_t random = 5;
    if (lstm_create(&model->net, DIM, HIDDEN, DIM, BATCH, WINDOW, 2))
        return -1;
    for (int epoch = 1; epoch <= epochs; epoch++)
        PIT_SPAN("epoch") {
            lstm_epoch(&model->net, data, epoch < epochs ? 0.01f : 0.002f, &random);
            pit_value("test error", lstm_error(&model->net, data));
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

struct options {
    const char *out, *experiment;
    uint64_t trials;
    int epochs, peak;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static const char *path_in(const struct options *options, const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s/%s", options->out, options->experiment, name);
    return path;
}

static int complain(const char *path, int code)
{
    fprintf(stderr, "rom: %s: %s: %s\n", path, pit_strerror(code), strerror(errno));
    return 1;
}

/* A model that was trained, on its way to its profile. */
struct candidate {
    pit_model model;
    double training_seconds, error, bar;
    uint64_t parameter_bytes;
    void (*forecast)(void *argument, uint64_t steps);
    void *argument;
};

/* Benchmark a model, print the figures, and save its profile. */
static int profile_candidate(const struct candidate *c, const struct options *options,
                             pit_profile *profile)
{
    pit_forecast_options forecast = {.name = c->model.name, .trials = options->trials};
    pit_bench_result single_step, full_trajectory;
    int code =
        pit_bench_forecast(c->forecast, c->argument, &forecast, &single_step, &full_trajectory);
    if (code)
        return complain(c->model.name, code);
    code = pit_bench_print(stdout, c->model.name, &full_trajectory, 1, PIT_TEXT);
    if (!code)
        code = pit_profile_build(profile, &c->model, c->training_seconds, &single_step,
                                 &full_trajectory, 0, c->parameter_bytes);
    pit_bench_free(&single_step);
    pit_bench_free(&full_trajectory);
    if (code)
        return complain(c->model.name, code);
    profile->peak_flops = options->peak ? pit_machine_flops() : 0;
    char name[64];
    snprintf(name, sizeof name, "%s/runtime_profile.json", c->model.name);
    code = pit_profile_save(path_in(options, name), profile);
    return code ? complain(path_in(options, name), code) : 0;
}

static void print_training(const struct candidate *candidates, size_t count)
{
    pit_row rows[2] = {0};
    for (size_t i = 0; i < count; i++) {
        rows[i].name = candidates[i].model.name;
        rows[i].seconds = candidates[i].training_seconds;
    }
    pit_data data = {.title = "training", .rows = rows, .row_count = count};
    pit_view_print(stdout, "timing-summary", &data, NULL);
}

static int profile_all(const struct candidate *candidates, size_t count,
                       const struct options *options)
{
    pit_profile profiles[2] = {0};
    int status = 0;
    for (size_t i = 0; i < count && !status; i++)
        PIT_SPAN("benchmark") {
            status = profile_candidate(&candidates[i], options, &profiles[i]);
        }
    if (!status) {
        const char *path = path_in(options, "runtime_comparison.json");
        int code = pit_profiles_compare_save(path, profiles, count);
        if (!code) {
            path = path_in(options, "summary.json");
            code = pit_summary_save(path, options->experiment, profiles, count);
        }
        status = code ? complain(path, code) : 0;
    }
    for (size_t i = 0; i < count; i++)
        pit_profile_free(&profiles[i]);
    return status;
}

/* Say how well a model learnt. 0, or 1. */
static int check_candidate(const struct candidate *c)
{
    printf("%s: mean squared error of a step %.4f, trained in %.2f s\n", c->model.name, c->error,
           c->training_seconds);
    if (c->error < c->bar)
        return 0;
    fprintf(stderr, "rom: the %s did not learn: its error is not below %g\n", c->model.name,
            c->bar);
    return 1;
}

static int run(const struct options *options, struct data *data, struct mvar *mvar,
               struct recurrent *recurrent)
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
    printf("standing still: mean squared error of a step %.4f\n", standstill_error(data));
    double begin = seconds_now();
    PIT_SPAN("train MVAR") {
        failed |= mvar_fit(mvar, data);
    }
    candidates[0].training_seconds = seconds_now() - begin;
    begin = seconds_now();
    PIT_SPAN("train LSTM") {
        failed |= lstm_train(recurrent, data, options->epochs);
    }
    candidates[1].training_seconds = seconds_now() - begin;
    if (failed) {
        fprintf(stderr, "rom: the models could not be made\n");
        return 1;
    }
    candidates[0].error = mvar_error(mvar, data);
    candidates[1].error = lstm_error(&recurrent->net, data);
    candidates[1].model.parameters = lstm_parameters(&recurrent->net);
    if (check_candidate(&candidates[0]) | check_candidate(&candidates[1]))
        return 1;
    print_training(candidates, 2);
    return profile_all(candidates, 2, options);
}

/* ---- the program ----------------------------------------------------------------------------- */

static int usage(FILE *out)
{
    fprintf(out, "usage: rom [-o FOLDER] [--experiment NAME] [--epochs N] [--trials N] [--peak]\n"
                 "Train an MVAR and an LSTM on the same data and compare what they cost.\n"
                 "  -o FOLDER          where the results go (default: rom_output)\n"
                 "  --experiment NAME  the folder in it (default: oscillators)\n"
                 "  --epochs N         1 to 100, of the LSTM (default: 6)\n"
                 "  --trials N         1 to 100000, of each benchmark (default: 100)\n"
                 "  --peak             measure this machine's peak too\n");
    return out == stdout ? 0 : 64;
}

/* -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        if (!strcmp(argv[i], "--help"))
            return usage(stdout);
        if (!strcmp(argv[i], "--peak")) {
            options->peak = 1;
        } else if (!strcmp(argv[i], "-o") && i + 1 < argc) {
            options->out = argv[++i];
        } else if (!strcmp(argv[i], "--experiment") && i + 1 < argc) {
            options->experiment = argv[++i];
        } else if (!strcmp(argv[i], "--epochs") && i + 1 < argc) {
            options->epochs = (int)strtol(argv[++i], &end, 10);
            if (*end || options->epochs < 1 || options->epochs > 100)
                return usage(stderr);
        } else if (!strcmp(argv[i], "--trials") && i + 1 < argc) {
            options->trials = strtoull(argv[++i], &end, 10);
            if (*end || options->trials < 1 || options->trials > 100000)
                return usage(stderr);
        } else {
            return usage(stderr);
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    struct options options = {"rom_output", "oscillators", 100, EPOCHS, 0};
    int status = parse_options(argc, argv, &options);
    if (status >= 0)
        return status;
    int code = pit_open(path_in(&options, "rom.pit"), NULL);
    if (code && code != PIT_ALREADY_OPEN && code != PIT_OFF)
        fprintf(stderr, "rom: %s\n", pit_strerror(code));
    struct data *data = malloc(sizeof *data);
    struct mvar *mvar = malloc(sizeof *mvar);
    struct recurrent *recurrent = calloc(1, sizeof *recurrent);
    if (data && mvar && recurrent) {
        status = run(&options, data, mvar, recurrent);
        lstm_free(&recurrent->net);
    } else {
        fprintf(stderr, "rom: no memory\n");
        status = 1;
    }
    free(recurrent);
    free(mvar);
    free(data);
    code = pit_close();
    if (code && code != PIT_NOT_OPEN)
        fprintf(stderr, "rom: %s\n", pit_strerror(code));
    return fflush(stdout) ? 1 : status;
}
