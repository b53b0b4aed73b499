/* leak: a training loop that forgets to free memory, and a report that names the place.
 *
 *     leak -o leak.pit && pitwall report leak.pit --view memory
 *
 * Shows spans that measure memory, PIT_SPAN_WITH(name, PIT_MEMORY), and PIT_RECORD, which keeps each step
 * with its own figures. "load" and "forward" allocate memory and free it; "log" keeps a copy of every
 * step's predictions in a list that is never cleared, so the process grows by 256 kB per step. The report
 * names step/log as the place. */
#include "options.h"
#include "small_net.h"

enum {
    ROWS = 256, /* predictions a step: ROWS × COLUMNS floats are 256 kB */
    COLUMNS = 256,
    INNER = 64
};

static int steps;
static const struct example_option options[] = {
    EXAMPLE_NUMBER("--steps", "each leaks 256 kB", &steps, 1, 10000, 300, 60),
};
static struct example example = {
    .name = "leak",
    .what = "Train with a leak of 256 kB a step, for a report that finds it.",
    .next = " --view memory",
    .options = options,
    .option_count = 1,
};

struct page { /* of the log */
    struct page *before;
    float predictions[ROWS * COLUMNS];
};

static struct page *newest; /* the leak: it only ever grows */

static int write_log(const float *predictions)
{
    struct page *page = malloc(sizeof *page);
    if (!page)
        return -1;
    memcpy(page->predictions, predictions, sizeof page->predictions);
    page->before = newest;
    newest = page;
    return 0;
}

struct batch {
    float in[ROWS * INNER], wanted[ROWS * COLUMNS];
};

/* Each output is the difference of two inputs. NULL without memory. */
static struct batch *load(uint64_t *random)
{
    struct batch *batch = malloc(sizeof *batch);
    for (size_t row = 0; batch && row < ROWS; row++) {
        float *in = batch->in + row * INNER, *wanted = batch->wanted + row * COLUMNS;
        for (size_t i = 0; i < INNER; i++)
            in[i] = net_uniform(random, -1, 1);
        for (size_t k = 0; k < COLUMNS; k++)
            wanted[k] = in[k % INNER] - in[(k * 7 + 1) % INNER];
    }
    return batch;
}

static int train_step(struct net *net, uint64_t *random, double *loss)
{
    struct batch *batch = NULL;
    int failed = 0;
    PIT_SPAN_WITH("load", PIT_MEMORY)
    {
        batch = load(random);
    }
    if (!batch)
        return -1;
    PIT_SPAN_WITH("forward", PIT_MEMORY)
    {
        net_forward(net, batch->in, ROWS);
        *loss = net_square_loss(net, batch->wanted, ROWS, COLUMNS);
        pit_flops(ROWS * net_forward_flops(net));
    }
    PIT_SPAN_WITH("backward", PIT_MEMORY)
    {
        net_backward(net, batch->in, ROWS);
        net_adam(&net->weights, 0.01f);
        pit_flops(2 * ROWS * net_forward_flops(net));
    }
    PIT_SPAN_WITH("log", PIT_MEMORY)
    {
        failed = write_log(net_last(net)->value);
    }
    free(batch);
    return failed;
}

static int train(struct net *net, double *loss)
{
    uint64_t random = 3;
    int failed = 0;
    for (int step = 0; !failed && step < steps; step++) {
        PIT_SPAN_WITH("step", PIT_MEMORY | PIT_RECORD)
        {
            failed = train_step(net, &random, loss);
            pit_items(ROWS);
            pit_value("loss", *loss);
        }
        example_progress(&example, (step + 1.0) / steps, "step %d/%d, RSS %.0f MB", step + 1, steps,
                         (double)pit_rss() / 1048576);
    }
    return failed;
}

/* At the end of the process, so that leak checkers report only the library. */
static void clear_log(void)
{
    while (newest) {
        struct page *page = newest;
        newest = page->before;
        free(page);
    }
}

int main(int argc, char **argv)
{
    static const size_t widths[] = {INNER, COLUMNS};
    static const enum net_kind kinds[] = {NET_LINEAR};
    struct net net;
    double loss = 1;
    example_begin(&example, argc, argv);
    double before = (double)pit_rss() / 1048576;
    int failed = net_create(&net, widths, kinds, 1, ROWS, 1) || train(&net, &loss);
    if (!example.is_quiet)
        printf("%d steps, RSS from %.1f to %.1f MB\n", steps, before, (double)pit_rss() / 1048576);
    failed = failed ? example_fail(&example, "training", PIT_NO_MEMORY)
                    : example_prove(&example, "leak", loss, example.is_quick ? 0.7 : 0.05);
    net_free(&net);
    int status = example_end(&example, failed);
    clear_log();
    return status;
}
