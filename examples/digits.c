/* digits: train a small network on digits it draws itself, and see where the time goes.
 *
 *     digits -o digits.pit && pitwall report digits.pit
 *
 * Shows spans (PIT_SPAN), what is done in them (pit_items, pit_flops), numbers over time
 * (pit_value) and named threads (pit_thread_name): one thread draws the pictures, the main one
 * trains, and "data" is what the training waits for. The same seed gives the same run of figures,
 * whatever the threads do. Exits with 1 if the network did not learn.
 */
#include <pitwall.h>

#include "small_net.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum {
    SIDE = 12, /* pixels a side */
    PIXELS = SIDE * SIDE,
    CLASSES = 10,
    OUTPUTS = 16, /* CLASSES, rounded up to whole lanes */
    BATCH = 64,
    BATCHES = 300, /* an epoch */
    TEST_BATCHES = 32,
    SLOTS = 4 /* batches drawn ahead */
};

/* ---- drawing ------------------------------------------------------------------------------- */

struct stroke {
    float x0, y0, x1, y1;
};

/* The digits as strokes in a box of 4 × 6, y down; a stroke of length 0 ends each list. */
static const struct stroke glyphs[CLASSES][8] = {
    {{1, 0, 3, 0},
     {3, 0, 4, 2},
     {4, 2, 4, 4},
     {4, 4, 3, 6},
     {3, 6, 1, 6},
     {1, 6, 0, 3},
     {0, 3, 1, 0}},
    {{1, 1, 2, 0}, {2, 0, 2, 6}, {1, 6, 3, 6}},
    {{0, 1, 1, 0}, {1, 0, 3, 0}, {3, 0, 4, 1}, {4, 1, 4, 2}, {4, 2, 0, 6}, {0, 6, 4, 6}},
    {{0, 0, 4, 0}, {4, 0, 2, 2}, {2, 2, 4, 4}, {4, 4, 3, 6}, {3, 6, 1, 6}, {1, 6, 0, 5}},
    {{3, 6, 3, 0}, {3, 0, 0, 4}, {0, 4, 4, 4}},
    {{4, 0, 0, 0}, {0, 0, 0, 2}, {0, 2, 3, 2}, {3, 2, 4, 4}, {4, 4, 3, 6}, {3, 6, 0, 6}},
    {{3, 0, 1, 1},
     {1, 1, 0, 4},
     {0, 4, 1, 6},
     {1, 6, 3, 6},
     {3, 6, 4, 4},
     {4, 4, 3, 3},
     {3, 3, 0, 4}},
    {{0, 0, 4, 0}, {4, 0, 1, 6}},
    {{1, 0, 3, 0},
     {3, 0, 3, 2},
     {3, 2, 0, 5},
     {0, 5, 2, 6},
     {2, 6, 4, 5},
     {4, 5, 1, 2},
     {1, 2, 1, 0}},
    {{4, 2, 1, 3}, {1, 3, 0, 1}, {0, 1, 2, 0}, {2, 0, 4, 1}, {4, 1, 4, 3}, {4, 3, 2, 6}},
};

static float distance_to(const struct stroke *s, float x, float y)
{
    float dx = s->x1 - s->x0, dy = s->y1 - s->y0;
    float t = ((x - s->x0) * dx + (y - s->y0) * dy) / (dx * dx + dy * dy);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return hypotf(s->x0 + t * dx - x, s->y0 + t * dy - y);
}

/* One digit, shifted, scaled, slanted, thick or thin, with noise; 0 is paper, 1 is ink. */
static void draw_digit(float *pixels, unsigned digit, uint64_t *random)
{
    float scale = net_uniform(random, 1.15f, 1.6f), thick = net_uniform(random, 0.5f, 1.1f);
    float left = net_uniform(random, 1.0f, (float)SIDE - 1 - 4 * scale);
    float top = net_uniform(random, 0.5f, (float)SIDE - 0.5f - 6 * scale);
    float slant = net_uniform(random, -0.2f, 0.2f);
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++) {
            float y = ((float)row - top) / scale;
            float x = ((float)column - left) / scale + slant * (y - 3);
            float nearest = 100;
            for (const struct stroke *s = glyphs[digit]; s->x0 != s->x1 || s->y0 != s->y1; s++)
                nearest = fminf(nearest, distance_to(s, x, y) * scale);
            float ink = fminf(fmaxf(thick + 0.5f - nearest, 0), 1);
            pixels[row * SIDE + column] = ink + net_uniform(random, -0.35f, 0.35f);
        }
}

struct batch {
    float pixels[BATCH * PIXELS];
    uint8_t labels[BATCH];
};

static void draw_batch(struct batch *batch, uint64_t *random)
{
    for (size_t i = 0; i < BATCH; i++) {
        batch->labels[i] = (uint8_t)((net_random(random) >> 33) % CLASSES);
        draw_digit(batch->pixels + i * PIXELS, batch->labels[i], random);
    }
}

/* ---- the loader: a thread that draws ahead ------------------------------------------------- */

struct loader {
    pthread_t thread;
    pthread_mutex_t lock; /* guards drawn and taken; a slot itself has one user at a time */
    pthread_cond_t changed;
    uint64_t wanted;       /* batches in all */
    uint64_t drawn, taken; /* so far */
    uint64_t random;
    struct batch slots[SLOTS];
};

static void *loader_main(void *argument)
{
    struct loader *loader = argument;
    pit_thread_name("loader");
    for (uint64_t i = 0; i < loader->wanted; i++) {
        pthread_mutex_lock(&loader->lock);
        while (loader->drawn - loader->taken == SLOTS)
            pthread_cond_wait(&loader->changed, &loader->lock);
        pthread_mutex_unlock(&loader->lock);
        PIT_SPAN("draw") {
            draw_batch(&loader->slots[i % SLOTS], &loader->random);
            pit_items(BATCH);
        }
        pthread_mutex_lock(&loader->lock);
        loader->drawn++;
        pthread_cond_signal(&loader->changed);
        pthread_mutex_unlock(&loader->lock);
    }
    return NULL;
}

/* NULL with errno set on failure. */
static struct loader *loader_start(uint64_t wanted, uint64_t seed)
{
    struct loader *loader = calloc(1, sizeof *loader);
    if (!loader)
        return NULL;
    loader->wanted = wanted;
    loader->random = seed;
    pthread_mutex_init(&loader->lock, NULL);
    pthread_cond_init(&loader->changed, NULL);
    int failed = pthread_create(&loader->thread, NULL, loader_main, loader);
    if (failed) {
        free(loader);
        errno = failed;
        return NULL;
    }
    return loader;
}

/* The next batch, good until loader_give_back. */
static const struct batch *loader_take(struct loader *loader)
{
    pthread_mutex_lock(&loader->lock);
    while (loader->drawn == loader->taken)
        pthread_cond_wait(&loader->changed, &loader->lock);
    const struct batch *batch = &loader->slots[loader->taken % SLOTS];
    pthread_mutex_unlock(&loader->lock);
    return batch;
}

static void loader_give_back(struct loader *loader)
{
    pthread_mutex_lock(&loader->lock);
    loader->taken++;
    pthread_cond_signal(&loader->changed);
    pthread_mutex_unlock(&loader->lock);
}

/* Only when all batches were taken and given back. */
static void loader_finish(struct loader *loader)
{
    pthread_join(loader->thread, NULL);
    pthread_cond_destroy(&loader->changed);
    pthread_mutex_destroy(&loader->lock);
    free(loader);
}

/* ---- training ------------------------------------------------------------------------------ */

struct options {
    const char *path;
    int epochs;
    int quiet;
};

/* One step of gradient descent; the mean loss of the batch. */
static double train_batch(struct net *net, struct loader *loader, float rate)
{
    const struct batch *batch = NULL;
    double loss = 0;
    size_t correct = 0;
    PIT_SPAN("batch") {
        PIT_SPAN("data") {
            batch = loader_take(loader);
        }
        PIT_SPAN("forward") {
            net_forward(net, batch->pixels, BATCH);
            loss = net_loss(net, batch->labels, BATCH, CLASSES, &correct) / BATCH;
            pit_flops(BATCH * net_forward_flops(net));
        }
        PIT_SPAN("backward") {
            net_backward(net, batch->pixels, BATCH);
            pit_flops(BATCH * net_backward_flops(net));
        }
        PIT_SPAN("update") {
            net_update(net, rate, 0.9f);
        }
        loader_give_back(loader);
        pit_items(BATCH);
        pit_value("loss", loss);
    }
    return loss;
}

/* The share of right answers on digits that are not trained on. */
static double evaluate(struct net *net, const struct batch *test)
{
    size_t right = 0;
    PIT_SPAN("evaluate") {
        for (size_t i = 0; i < TEST_BATCHES; i++) {
            size_t correct;
            net_forward(net, test[i].pixels, BATCH);
            net_loss(net, test[i].labels, BATCH, CLASSES, &correct);
            right += correct;
        }
        pit_items(TEST_BATCHES * BATCH);
    }
    return (double)right / (TEST_BATCHES * BATCH);
}

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One line, rewritten in place on a terminal; elsewhere a line at the end of each epoch. */
static void show_progress(const struct options *options, int epoch, int batch, double loss,
                          double accuracy, double rate)
{
    int terminal = isatty(STDERR_FILENO), last = batch == BATCHES;
    if (options->quiet || (!terminal && !last) || (batch % 8 && !last))
        return;
    fprintf(stderr, "%sepoch %d/%d  loss %.4f  accuracy %.1f %%  %.0f items/s%s",
            terminal ? "\r" : "", epoch, options->epochs, loss, 100 * accuracy, rate,
            terminal ? "\033[K" : "\n");
    if (terminal && last && epoch == options->epochs)
        fputc('\n', stderr);
}

static double train(struct net *net, struct loader *loader, const struct batch *test,
                    const struct options *options)
{
    double accuracy = 0, smooth_loss = 0;
    for (int epoch = 1; epoch <= options->epochs; epoch++)
        PIT_SPAN("epoch") {
            double start = seconds_now(), rate = 0;
            float step = epoch > 2 && epoch * 4 > options->epochs * 3 ? 0.01f : 0.05f;
            for (int i = 1; i <= BATCHES; i++) {
                double loss = train_batch(net, loader, step);
                smooth_loss = smooth_loss > 0 ? 0.95 * smooth_loss + 0.05 * loss : loss;
                rate = i * BATCH / (seconds_now() - start);
                if (i < BATCHES)
                    show_progress(options, epoch, i, smooth_loss, accuracy, rate);
            }
            accuracy = evaluate(net, test);
            pit_value("accuracy", accuracy);
            show_progress(options, epoch, BATCHES, smooth_loss, accuracy, rate);
        }
    return accuracy;
}

/* Everything between open and close; the accuracy, or -1. */
static double run(const struct options *options)
{
    static const size_t widths[] = {PIXELS, 128, 64, OUTPUTS};
    struct net net;
    struct batch *test = malloc(TEST_BATCHES * sizeof *test);
    double accuracy = -1;
    uint64_t test_seed = 7;
    if (test && net_create(&net, widths, 3, BATCH, 1) == 0) {
        for (size_t i = 0; i < TEST_BATCHES; i++)
            draw_batch(&test[i], &test_seed);
        struct loader *loader = loader_start((uint64_t)options->epochs * BATCHES, 3);
        if (loader) {
            accuracy = train(&net, loader, test, options);
            loader_finish(loader);
        } else {
            fprintf(stderr, "digits: cannot start a thread: %s\n", strerror(errno));
        }
        net_free(&net);
    } else {
        fprintf(stderr, "digits: no memory\n");
    }
    free(test);
    return accuracy;
}

/* ---- the program --------------------------------------------------------------------------- */

static int usage(FILE *out)
{
    fprintf(out, "usage: digits [-o PATH] [--epochs N] [--quiet]\n"
                 "Train a small network on drawn digits and record the run.\n"
                 "  -o PATH     where the run file goes (default: below pitwall-runs/)\n"
                 "  --epochs N  1 to 1000 (default: 10)\n"
                 "  --quiet     no progress\n");
    return out == stdout ? 0 : 64;
}

/* -1 to go on, else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        if (!strcmp(argv[i], "--help"))
            return usage(stdout);
        if (!strcmp(argv[i], "--quiet")) {
            options->quiet = 1;
        } else if (!strcmp(argv[i], "-o") && i + 1 < argc) {
            options->path = argv[++i];
        } else if (!strcmp(argv[i], "--epochs") && i + 1 < argc) {
            long n = strtol(argv[++i], &end, 10);
            if (*end || n < 1 || n > 1000)
                return usage(stderr);
            options->epochs = (int)n;
        } else {
            return usage(stderr);
        }
    }
    return -1;
}

int main(int argc, char **argv)
{
    struct options options = {NULL, 10, 0};
    int status = parse_options(argc, argv, &options);
    if (status >= 0)
        return status;

    int code = pit_open(options.path, NULL);
    if (code && code != PIT_ALREADY_OPEN && code != PIT_OFF)
        fprintf(stderr, "digits: %s\n", pit_strerror(code));
    double accuracy = run(&options);
    pit_status recorder;
    if (!options.quiet && pit_get_status(NULL, &recorder) == 0 && *recorder.path)
        fprintf(stderr, "run: %s\n", recorder.path);
    code = pit_close();
    if (code && code != PIT_NOT_OPEN)
        fprintf(stderr, "digits: %s\n", pit_strerror(code));

    if (accuracy < 0)
        return 1;
    printf("accuracy %.2f %%\n", 100 * accuracy);
    if (accuracy < 0.95) {
        fprintf(stderr, "digits: the network did not learn: under 95 %%\n");
        return 1;
    }
    return fflush(stdout) ? 1 : 0;
}
