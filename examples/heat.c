/* heat: a network solves the heat equation from the equation alone (a physical trainer): it sees no
 * solution; its loss is the residual u_t - a u_xx.
 *
 *     heat -o heat.pit && pitwall report heat.pit --view epochs
 *
 * u(x, t) = u(x, 0) + t x (1 - x) net(x, t) has the right start and ends by its form. The residual is taken
 * by differences on a grid of points, so that its gradient goes back through the network as any other.
 * Shows single operations (pit_performance_begin), the performance summary (pit_monitor_...) and the
 * monitor of epochs (pit_epoch_...) for the iterations of an optimiser. */
#include "options.h"
#include "small_net.h"

enum {
    ACROSS = 24,     /* points of x within 0 ... 1, the ends not counted */
    LEVELS = 16,     /* of t after 0 */
    FINE = 16,       /* steps of the reference solver for one of ours */
    ITERATIONS = 100 /* an epoch */
};

#define CONDUCTIVITY 0.1
#define DX (1.0 / (ACROSS + 1))
#define DT (1.0 / LEVELS)

static int epochs;
static const struct example_option options[] = {
    EXAMPLE_NUMBER("--epochs", "times a hundred iterations", &epochs, 1, 1000, 15, 3),
};
static struct example example = {
    .name = "heat",
    .what = "Solve the heat equation with a network that sees only the equation.",
    .next = " --view bottlenecks",
    .options = options,
    .option_count = 1,
};

typedef double field[LEVELS + 1][ACROSS + 2]; /* t = 0 and both ends included */

struct problem {
    float points[LEVELS * ACROSS][2]; /* x and t where the network is asked */
    field u, residual, truth;
};

static double start(double x)
{
    return sin(3.14159265358979 * x) + 0.5 * sin(2 * 3.14159265358979 * x);
}

/* ---- the truth ------------------------------------------------------------------------------- */

/* Computed by an explicit solver on a finer grid. */
static void load_ground_truth(struct problem *p)
{
    enum { CELLS = (ACROSS + 1) * FINE };
    static double now[CELLS + 1], next[CELLS + 1];
    const double dx = 1.0 / CELLS;
    const int steps = (int)(DT * CONDUCTIVITY / (0.4 * dx * dx)) + 1;
    const double gain = CONDUCTIVITY * (DT / steps) / (dx * dx);
    for (int i = 1; i < CELLS; i++)
        now[i] = start(i * dx);
    for (int level = 0; level <= LEVELS; level++) {
        for (int i = 0; i <= ACROSS + 1; i++)
            p->truth[level][i] = now[i * FINE];
        for (int k = 0; k < steps; k++) {
            for (int i = 1; i < CELLS; i++)
                next[i] = now[i] + gain * (now[i - 1] - 2 * now[i] + now[i + 1]);
            memcpy(now + 1, next + 1, (CELLS - 1) * sizeof *now);
        }
    }
}

/* ---- the residual ---------------------------------------------------------------------------- */

static double form(double x, double t)
{
    return t * x * (1 - x);
}

static void make_points(struct problem *p)
{
    for (size_t j = 0; j < LEVELS; j++)
        for (size_t i = 0; i < ACROSS; i++) {
            p->points[j * ACROSS + i][0] = (float)((double)(i + 1) * DX);
            p->points[j * ACROSS + i][1] = (float)((double)(j + 1) * DT);
        }
    for (size_t i = 1; i <= ACROSS; i++)
        p->u[0][i] = start((double)i * DX);
}

static void take_values(struct problem *p, struct net *net)
{
    const struct net_layer *last = net_last(net);
    for (size_t j = 1; j <= LEVELS; j++)
        for (size_t i = 1; i <= ACROSS; i++) {
            size_t point = (j - 1) * ACROSS + i - 1;
            p->u[j][i] = p->u[0][i] + form((double)i * DX, (double)j * DT) *
                                          (double)last->value[point * last->out];
        }
}

/* By the trapezoid rule in t, which holds to second order in both; times DT, so that it is of the size
 * of u. Its mean square. */
static double take_residual(struct problem *p)
{
    const double gain = CONDUCTIVITY * DT / (2 * DX * DX);
    double sum = 0;
    for (size_t j = 0; j < LEVELS; j++)
        for (size_t i = 1; i <= ACROSS; i++) {
            const double *a = &p->u[j][i], *b = &p->u[j + 1][i];
            double bend = a[-1] - 2 * a[0] + a[1] + b[-1] - 2 * b[0] + b[1];
            double left = b[0] - a[0] - gain * bend;
            p->residual[j + 1][i] = left;
            sum += left * left;
        }
    return sum / (LEVELS * ACROSS);
}

/* The gradient of that by each value of the network, into its delta: the same differences, turned
 * round. */
static void give_gradient(const struct problem *p, struct net *net)
{
    const double gain = CONDUCTIVITY * DT / (2 * DX * DX), scale = 2.0 / (LEVELS * ACROSS);
    struct net_layer *last = net_last(net);
    memset(last->delta, 0, net->batch * last->out * sizeof(float));
    for (size_t j = 1; j <= LEVELS; j++)
        for (size_t i = 1; i <= ACROSS; i++) {
            const double *r = &p->residual[j][i];
            double by_u = r[0] - gain * (r[-1] - 2 * r[0] + r[1]);
            if (j < LEVELS) {
                const double *s = &p->residual[j + 1][i];
                by_u += -s[0] - gain * (s[-1] - 2 * s[0] + s[1]);
            }
            last->delta[((j - 1) * ACROSS + i - 1) * last->out] =
                (float)(scale * by_u * form((double)i * DX, (double)j * DT));
        }
}

static double iterate(struct problem *p, struct net *net, float rate)
{
    const float *points = p->points[0];
    double loss = 0;
    PIT_SPAN("forward") {
        net_forward(net, points, LEVELS * ACROSS);
        take_values(p, net);
        pit_flops(LEVELS * ACROSS * net_forward_flops(net));
    }
    PIT_SPAN("residual") {
        loss = take_residual(p);
        give_gradient(p, net);
    }
    PIT_SPAN("backward") {
        net_backward(net, points, LEVELS * ACROSS);
        pit_flops(2 * LEVELS * ACROSS * net_forward_flops(net));
    }
    PIT_SPAN("update") {
        net_adam(&net->weights, rate);
    }
    return loss;
}

static void optimise(struct problem *p, struct net *net)
{
    pit_epoch_options few = {.verbose_batches = 2};
    pit_epoch_monitor *monitor = pit_epoch_monitor_new(&few);
    for (int epoch = 0; epoch < epochs; epoch++) {
        float rate = 0.01f * (1 - 0.97f * (float)epoch / (float)epochs);
        double loss = 0;
        pit_epoch_begin(monitor);
        for (uint64_t i = 0; i < ITERATIONS; i++) {
            pit_epoch_batch_begin(monitor, i);
            loss = iterate(p, net, rate);
            pit_epoch_batch_end(monitor, i, &loss);
        }
        pit_epoch_end(monitor);
        example_progress(&example, epoch + 1.0 < epochs ? (epoch + 1.0) / epochs : 1,
                         "epoch %d/%d, residual %.2g", epoch + 1, epochs, loss);
    }
    pit_epoch_monitor_free(monitor);
}

/* The distance of the solution from the truth, relative to its size. */
static double error_of(const struct problem *p)
{
    double off = 0, size = 0;
    for (size_t j = 1; j <= LEVELS; j++)
        for (size_t i = 1; i <= ACROSS; i++) {
            double difference = p->u[j][i] - p->truth[j][i];
            off += difference * difference;
            size += p->truth[j][i] * p->truth[j][i];
        }
    return sqrt(off / size);
}

/* ---- the program ----------------------------------------------------------------------------- */

static int run(struct problem *p, struct net *net, pit_monitor *monitor)
{
    pit_track track, check;
    pit_monitor_begin(monitor, &track, "load_ground_truth", 0);
    load_ground_truth(p);
    pit_monitor_end(monitor, &track);
    make_points(p);
    pit_monitor_begin(monitor, &track, "optimization", 0);
    optimise(p, net);
    pit_monitor_end(monitor, &track);
    pit_performance_begin(&check, "check against the truth");
    net_forward(net, p->points[0], LEVELS * ACROSS);
    take_values(p, net);
    double error = error_of(p);
    pit_performance_end(&check, 1);
    if (!example.is_quiet) {
        pit_data data = {0};
        data.rows = pit_monitor_rows(monitor, &data.row_count);
        putchar('\n');
        pit_monitor_print(monitor, 0);
        example_view("bottlenecks", &data, NULL);
        putchar('\n');
    }
    return example_prove(&example, "heat", error, example.is_quick ? 0.1 : 0.02);
}

int main(int argc, char **argv)
{
    static struct problem problem;
    static const size_t widths[] = {2, 32, 32, NET_LANES};
    static const enum net_kind kinds[] = {NET_TANH, NET_TANH, NET_LINEAR};
    struct net net;
    example_begin(&example, argc, argv);
    pit_monitor *monitor = pit_monitor_new();
    int failed = net_create(&net, widths, kinds, 3, LEVELS * ACROSS, 3) || !monitor;
    failed = failed ? example_fail(&example, "net", PIT_NO_MEMORY) : run(&problem, &net, monitor);
    pit_monitor_free(monitor);
    net_free(&net);
    return example_end(&example, failed);
}
