/* burgers: a network learns to predict a fluid from solutions that a solver computed (a synthetic trainer);
 * the epochs are monitored, and four batch sizes are compared.
 *
 *     burgers -o burgers.pit && pitwall report burgers.pit --view performance
 *
 * The data are waves that steepen and fade, by Burgers' equation u_t + u u_x = nu u_xx on a ring; the
 * network maps a wave to the one a little later. Shows operations with their time and memory
 * (pit_monitor_begin, pit_monitor_end, pit_monitor_print), epochs and batches (pit_epoch_begin and the
 * calls after it), and a sweep (spans called batch_size_8, batch_size_16, ...). */
#include "options.h"
#include "small_net.h"

enum { GRID = 128, HIDDEN = 384, TRAIN = 3072, TEST = 256, BATCH = 64, SWEEP_SAMPLES = 1024 };

#define VISCOSITY 0.03
#define TIME 0.08 /* between a wave and the next one */

static int epochs;
static const struct example_option options[] = {
    EXAMPLE_NUMBER("--epochs", "calls over the data", &epochs, 1, 1000, 6, 1),
};
static struct example example = {
    .name = "burgers",
    .what = "Learn Burgers' equation from solutions, with the epochs watched.",
    .next = " --view performance --depth 1",
    .options = options,
    .option_count = 1,
};

/* ---- the data -------------------------------------------------------------------------------- */

struct data {
    float now[TRAIN + TEST][GRID],
        change[TRAIN + TEST][GRID]; /* change: how the wave will change */
};

static void make_wave(double *u, uint64_t *random)
{
    memset(u, 0, GRID * sizeof *u);
    for (int mode = 1; mode <= 3; mode++) {
        double size = (double)net_uniform(random, -0.6f, 0.6f);
        double phase = (double)net_uniform(random, 0, 6.2831853f);
        for (int i = 0; i < GRID; i++)
            u[i] += size * sin(6.283185307 * mode * i / GRID + phase);
    }
}

/* From t = 0 to TIME, in steps that are short enough: upwind flux, central differences. */
static void solve_burgers(double *u)
{
    const double dx = 1.0 / GRID, dt = 0.2 * dx * dx / VISCOSITY;
    const int steps = (int)ceil(TIME / dt);
    double next[GRID];
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < GRID; i++) {
            double left = u[(i + GRID - 1) % GRID], right = u[(i + 1) % GRID];
            double slope = u[i] > 0 ? u[i] - left : right - u[i];
            next[i] =
                u[i] + dt * (VISCOSITY * (left - 2 * u[i] + right) / (dx * dx) - u[i] * slope / dx);
        }
        memcpy(u, next, sizeof next);
    }
}

static void make_data(struct data *data)
{
    uint64_t random = 5;
    double u[GRID];
    for (size_t i = 0; i < TRAIN + TEST; i++) {
        make_wave(u, &random);
        for (size_t k = 0; k < GRID; k++)
            data->now[i][k] = (float)u[k];
        solve_burgers(u);
        for (size_t k = 0; k < GRID; k++)
            data->change[i][k] = (float)u[k] - data->now[i][k];
    }
}

/* ---- training -------------------------------------------------------------------------------- */

static int make_net(struct net *net)
{
    static const size_t widths[] = {GRID, HIDDEN, GRID};
    static const enum net_kind kinds[] = {NET_RELU, NET_LINEAR};
    return net_create(net, widths, kinds, 2, TEST, 1) ? example_fail(&example, "net", PIT_NO_MEMORY)
                                                      : 0;
}

static double train_batch(struct net *net, const struct data *data, size_t first, size_t count,
                          float rate)
{
    double loss = 0;
    PIT_SPAN("forward") {
        net_forward(net, data->now[first], count);
        loss = net_square_loss(net, data->change[first], count, GRID);
        pit_flops(count * net_forward_flops(net));
    }
    PIT_SPAN("backward") {
        net_backward(net, data->now[first], count);
        pit_flops(2 * count * net_forward_flops(net));
    }
    PIT_SPAN("update") {
        net_adam(&net->weights, rate);
    }
    pit_items(count);
    return loss;
}

static void train(struct net *net, const struct data *data)
{
    /* Without options of ours it is switched by PITWALL_MONITOR and PITWALL_MONITOR_BATCHES, or by
     * `pitwall run --config`. */
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(NULL);
    for (int epoch = 0; epoch < epochs; epoch++) {
        float rate = 0.002f * (1 - 0.9f * (float)epoch / (float)epochs);
        pit_epoch_begin(monitor);
        for (size_t batch = 0; batch < TRAIN / BATCH; batch++) {
            pit_epoch_batch_begin(monitor, batch);
            double loss = train_batch(net, data, batch * BATCH, BATCH, rate);
            pit_epoch_batch_end(monitor, batch, &loss);
            example_progress(&example, ((double)epoch + (double)batch * BATCH / TRAIN) / epochs,
                             "epoch %d/%d", epoch + 1, epochs);
        }
        example_progress(&example, 1, "%s", "");
        pit_epoch_end(monitor);
    }
    pit_epoch_statistics all;
    if (!example.is_quiet && pit_epoch_statistics_of(monitor, &all) == 0)
        printf("%llu batches in %d epoch%s: %.1f ms each, %.1f to %.1f ms\n",
               (unsigned long long)all.num_batches, epochs, epochs == 1 ? "" : "s",
               1e3 * all.avg_batch_time, 1e3 * all.min_batch_time, 1e3 * all.max_batch_time);
    pit_epoch_monitor_free(monitor);
}

/* The error on waves that were not trained on, relative to the error of predicting no change. */
static double test_loss(struct net *net, const struct data *data)
{
    double still = 0;
    for (size_t i = TRAIN; i < TRAIN + TEST; i++)
        for (size_t k = 0; k < GRID; k++)
            still += (double)data->change[i][k] * (double)data->change[i][k];
    net_forward(net, data->now[TRAIN], TEST);
    return net_square_loss(net, data->change[TRAIN], TEST, GRID) / (still / (TEST * GRID));
}

/* ---- which batch size is the fastest --------------------------------------------------------- */

static int sweep(pit_monitor *monitor, const struct data *data)
{
    static const size_t sizes[] = {8, 16, 32, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct net net;
        char name[32];
        pit_track track;
        if (make_net(&net))
            return 1;
        snprintf(name, sizeof name, "batch_size_%zu", sizes[i]);
        pit_monitor_begin(monitor, &track, name, 0);
        for (size_t first = 0; first + sizes[i] <= SWEEP_SAMPLES; first += sizes[i])
            train_batch(&net, data, first, sizes[i], 0.002f);
        pit_monitor_end(monitor, &track);
        net_free(&net);
    }
    return 0;
}

/* ---- the program ----------------------------------------------------------------------------- */

static void print_figures(pit_monitor *monitor, pit_monitor *sweeps)
{
    pit_data data = {0}, tried = {.title = "batch size"};
    data.rows = pit_monitor_rows(monitor, &data.row_count);
    tried.rows = pit_monitor_rows(sweeps, &tried.row_count);
    putchar('\n');
    pit_monitor_print(monitor, 0);
    example_view("bottlenecks", &data, NULL);
    example_view("sweep", &tried, NULL);
    putchar('\n');
}

static int run(struct data *data, pit_monitor *monitor, pit_monitor *sweeps)
{
    struct net net;
    pit_track track;
    double loss;
    pit_monitor_begin(monitor, &track, "data loading", 0);
    make_data(data);
    pit_monitor_end(monitor, &track);
    pit_monitor_begin(monitor, &track, "model", 0);
    int failed = make_net(&net);
    pit_monitor_end(monitor, &track);
    if (failed)
        return 1;
    pit_monitor_begin(monitor, &track, "training", 0);
    train(&net, data);
    pit_monitor_end(monitor, &track);
    pit_monitor_begin(monitor, &track, "evaluation", 0);
    loss = test_loss(&net, data);
    pit_monitor_end(monitor, &track);
    net_free(&net);
    if (sweep(sweeps, data))
        return 1;
    if (!example.is_quiet)
        print_figures(monitor, sweeps);
    return example_prove(&example, "burgers", loss, example.is_quick ? 0.2 : 0.05);
}

int main(int argc, char **argv)
{
    example_begin(&example, argc, argv);
    struct data *data = malloc(sizeof *data);
    pit_monitor *monitor = pit_monitor_new(), *sweeps = pit_monitor_new();
    int failed = data && monitor && sweeps ? run(data, monitor, sweeps)
                                           : example_fail(&example, "data", PIT_NO_MEMORY);
    pit_monitor_free(sweeps);
    pit_monitor_free(monitor);
    free(data);
    return example_end(&example, failed);
}
