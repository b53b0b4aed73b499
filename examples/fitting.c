/* fitting: an MLP, a SIREN and a KAN learn nine functions; which is the fastest, and where does the time
 * go?
 *
 *     fitting -o fitting.pit && pitwall report fitting.pit
 *
 * Shows timed calls (pit_time) and the tables over them (pit_view_print), spans (PIT_SPAN), numbers over
 * time (pit_value) and a benchmark of the trained models (pit_bench). The breakdown and the warm-up are
 * read from the run while it is being recorded (pit_run_read). Writes the times to fitting.csv and
 * fitting.json next to the run. */
#include "options.h"
#include "small_net.h"

enum {
    POINTS = 512, /* of each function, to learn from */
    BATCH = 128,
    TEST_POINTS = 128, /* between them */
    FUNCTIONS = 9,
    MODELS = 3,
    MOST_EPOCHS = 10000
};

static int epochs;
static const char *only;
static const struct example_option options[] = {
    EXAMPLE_NUMBER("--epochs", "calls over the points", &epochs, 1, MOST_EPOCHS, 80, 20),
    {.name = "--only", .help = "MLP, SIREN or KAN alone", .text = &only},
};
static struct example example = {
    .name = "fitting",
    .what = "Fit nine functions with an MLP, a SIREN and a KAN, and compare what they take.",
    .next = " --depth 4",
    .options = options,
    .option_count = 2,
};

/* ---- what is learnt -------------------------------------------------------------------------- */

static float wanted(size_t function, float x)
{
    const float pi = 3.14159265f;
    switch (function) {
    case 0:
        return sinf(pi * x);
    case 1:
        return 0.7f * sinf(2 * pi * x) + 0.3f * sinf(5 * pi * x);
    case 2:
        return sinf(3 * pi * x * x);
    case 3:
        return x * x * x - x;
    case 4:
        return tanhf(8 * x);
    case 5:
        return expf(-20 * x * x);
    case 6:
        return fabsf(x);
    case 7:
        return 2 / pi * asinf(sinf(2 * pi * x));
    default:
        return cosf(2 * pi * x) * expf(-x);
    }
}

/* Random points, and the function's values there. */
NET_KERNEL void make_batch(size_t function, float *x, float *y, uint64_t *random)
{
    for (size_t i = 0; i < BATCH; i++) {
        x[i] = net_uniform(random, -1, 1);
        y[i] = wanted(function, x[i]);
    }
}

/* ---- the models ------------------------------------------------------------------------------ */

struct model {
    const char *name, *training, *inference; /* as spans are called */
    const char *value;                       /* as its loss is called */
    size_t widths[NET_MAX_LAYERS + 1];
    enum net_kind kinds[NET_MAX_LAYERS];
    size_t layers;
    float rate;
    struct net nets[FUNCTIONS];                     /* one a function */
    double losses[MOST_EPOCHS], times[MOST_EPOCHS]; /* of each epoch */
};

static struct model models[MODELS] = {
    {.name = "MLP",
     .training = "MLP training",
     .inference = "MLP inference",
     .value = "MLP loss",
     .widths = {1, 64, 64, NET_LANES},
     .kinds = {NET_RELU, NET_RELU, NET_LINEAR},
     .layers = 3,
     .rate = 0.01f},
    {.name = "SIREN",
     .training = "SIREN training",
     .inference = "SIREN inference",
     .value = "SIREN loss",
     .widths = {1, 48, 48, NET_LANES},
     .kinds = {NET_SINE, NET_SINE, NET_LINEAR},
     .layers = 3,
     .rate = 0.002f},
    {.name = "KAN",
     .training = "KAN training",
     .inference = "KAN inference",
     .value = "KAN loss",
     .widths = {1, 16, NET_LANES},
     .kinds = {NET_SPLINE, NET_SPLINE},
     .layers = 2,
     .rate = 0.02f},
};

static int is_wanted(const struct model *model)
{
    return !only || strcmp(only, model->name) == 0;
}

static int any_wanted(void)
{
    int any = 0;
    for (size_t m = 0; m < MODELS; m++)
        any |= is_wanted(&models[m]);
    return any;
}

/* A batch of every function, each for its own net. It takes milliseconds, which is about the smallest part
 * of a loop that is worth a span. */
static void train_batch(struct model *model, float rate, uint64_t *random)
{
    float x[FUNCTIONS][BATCH], y[FUNCTIONS][BATCH];
    struct net *nets = model->nets;
    PIT_SPAN("batch") {
        PIT_SPAN("data") {
            for (size_t f = 0; f < FUNCTIONS; f++)
                make_batch(f, x[f], y[f], random);
        }
        PIT_SPAN("forward") {
            for (size_t f = 0; f < FUNCTIONS; f++) {
                net_forward(&nets[f], x[f], BATCH);
                net_square_loss(&nets[f], y[f], BATCH, 1);
            }
            pit_flops(FUNCTIONS * BATCH * net_forward_flops(nets));
        }
        PIT_SPAN("backward") {
            for (size_t f = 0; f < FUNCTIONS; f++)
                net_backward(&nets[f], x[f], BATCH);
            pit_flops(2 * FUNCTIONS * BATCH * net_forward_flops(nets));
        }
        PIT_SPAN("update") {
            for (size_t f = 0; f < FUNCTIONS; f++)
                net_adam(&nets[f].weights, rate);
        }
        pit_items(FUNCTIONS * BATCH);
    }
}

/* The mean squared error over all functions, on points in between. */
static double test_loss(struct model *model)
{
    double sum = 0;
    for (size_t f = 0; f < FUNCTIONS; f++) {
        float x[TEST_POINTS], y[TEST_POINTS];
        for (size_t i = 0; i < TEST_POINTS; i++) {
            x[i] = ((float)i + 0.5f) * 2 / TEST_POINTS - 1;
            y[i] = wanted(f, x[i]);
        }
        net_forward(&model->nets[f], x, TEST_POINTS);
        sum += net_square_loss(&model->nets[f], y, TEST_POINTS, 1);
    }
    return sum / FUNCTIONS;
}

static void *train(void *argument)
{
    struct model *model = argument;
    uint64_t random = 1;
    for (int epoch = 0; epoch < epochs; epoch++) {
        double begin = example_seconds();
        float rate = model->rate * (1 - 0.95f * (float)epoch / (float)epochs);
        PIT_SPAN("epoch") {
            for (size_t i = 0; i < POINTS / BATCH; i++)
                train_batch(model, rate, &random);
            PIT_SPAN("evaluate") {
                model->losses[epoch] = test_loss(model);
            }
            pit_value(model->value, model->losses[epoch]);
        }
        model->times[epoch] = example_seconds() - begin;
        double share = ((double)(model - models) + (double)epoch / epochs) / MODELS;
        example_progress(&example, share, "%s epoch %d/%d, loss %.4f", model->name, epoch + 1,
                         epochs, model->losses[epoch]);
    }
    example_progress(&example, 1, "%s", "");
    return NULL;
}

/* ---- results --------------------------------------------------------------------------------- */

static void forward_batch(void *argument)
{
    static const float points[BATCH];
    net_forward(argument, points, BATCH);
    PIT_CLOBBER();
}

static int bench_models(void)
{
    for (size_t m = 0; m < MODELS; m++) {
        if (!is_wanted(&models[m]))
            continue;
        pit_bench_options bench = {.name = models[m].inference, .min_seconds = -1, .batch = BATCH};
        pit_bench_result result;
        int code = pit_bench(forward_batch, &models[m].nets[0], &bench, &result);
        if (code)
            return example_fail(&example, models[m].inference, code);
        if (!example.is_quiet) {
            putchar('\n');
            pit_bench_print(stdout, models[m].name, &result, 0, PIT_TEXT);
        }
        pit_bench_free(&result);
    }
    return 0;
}

/* Tables of plain figures that the program has itself. */
static void print_tables(const pit_row *rows, size_t count)
{
    pit_data data = {.title = "nine functions", .rows = rows, .row_count = count};
    pit_report_options options_of = {.datasets = FUNCTIONS};
    example_view("timing-summary", &data, &options_of);
    example_view("speedup", &data, NULL);
    pit_curve curves[MODELS];
    pit_data learning = {.title = "loss", .curves = curves};
    for (size_t m = 0; m < MODELS; m++)
        if (is_wanted(&models[m]))
            curves[learning.curve_count++] =
                (pit_curve){models[m].name, models[m].losses, models[m].times, (size_t)epochs};
    example_view("convergence", &learning, NULL);
}

/* Tables of the run so far, for the first model. */
static void print_run(void)
{
    pit_error error;
    pit_run *run = pit_run_read(NULL, &error);
    if (!run) {
        fprintf(stderr, "%s: no breakdown: %s\n", example.name, error.message);
        return;
    }
    const pit_run *runs[] = {run};
    const struct model *model = models;
    while (!is_wanted(model))
        model++;
    char batch[64], epoch[64];
    snprintf(batch, sizeof batch, "training/%s/epoch/batch", model->training);
    snprintf(epoch, sizeof epoch, "training/%s/epoch", model->training);
    pit_report_options breakdown = {.view = "breakdown", .node = batch, .title = model->training};
    pit_report_options warmup = {.view = "warmup", .node = epoch, .title = model->training};
    putchar('\n');
    pit_report_print(stdout, runs, 1, &breakdown);
    putchar('\n');
    pit_report_print(stdout, runs, 1, &warmup);
    pit_run_free(run);
}

static int save(const pit_row *rows, size_t count)
{
    const char *path = example_beside(&example, "csv");
    int code = pit_save_timings(path, PIT_CSV, "nine functions", rows, count, 0);
    if (!code) {
        path = example_beside(&example, "json");
        code = pit_save_timings(path, PIT_JSON, "nine functions", rows, count, 0);
    }
    return code ? example_fail(&example, path, code) : 0;
}

/* ---- the program ----------------------------------------------------------------------------- */

static int make_nets(void)
{
    for (size_t m = 0; m < MODELS; m++)
        for (size_t f = 0; f < FUNCTIONS; f++)
            if (net_create(&models[m].nets[f], models[m].widths, models[m].kinds, models[m].layers,
                           TEST_POINTS, f + 1))
                return example_fail(&example, models[m].name, PIT_NO_MEMORY);
    return 0;
}

static int run(pit_timers *timers)
{
    PIT_SPAN("training") {
        for (size_t m = 0; m < MODELS; m++)
            if (is_wanted(&models[m]))
                pit_time(timers, models[m].training, 0, train, &models[m]);
    }
    size_t count;
    const pit_row *rows = pit_timers_rows(timers, &count);
    int failed = 0;
    if (!example.is_quiet) {
        print_tables(rows, count);
        print_run();
    }
    PIT_SPAN("benchmark") {
        failed = bench_models();
    }
    failed = failed || save(rows, count);
    if (!example.is_quiet)
        putchar('\n');
    for (size_t m = 0; m < MODELS; m++)
        failed |= is_wanted(&models[m]) &&
                  example_prove(&example, models[m].name, models[m].losses[epochs - 1],
                                example.is_quick ? 0.08 : 0.01);
    return failed;
}

int main(int argc, char **argv)
{
    example_parse(&example, argc, argv);
    if (!any_wanted())
        example_refuse(&example, "--only", "%s is not MLP, SIREN or KAN", only);
    example_open(&example);
    pit_timers *timers = pit_timers_new();
    int failed = !timers || make_nets() || run(timers);
    pit_timers_free(timers);
    for (size_t m = 0; m < MODELS; m++)
        for (size_t f = 0; f < FUNCTIONS; f++)
            net_free(&models[m].nets[f]);
    return example_end(&example, failed);
}
