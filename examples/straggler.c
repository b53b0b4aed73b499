/* straggler: four ranks train together, and one of them reads from a slow disk; who waits for whom?
 *
 *     straggler -o straggler.pit && pitwall report straggler-*.pit
 *     pitwall report straggler-3.pit
 *
 * Each rank is a separate process with its own run file (straggler-0.pit, straggler-1.pit, ...). In every
 * step it reads its part of the data, takes the gradient there, and waits until all have put theirs
 * together. Rank 3 sleeps two milliseconds more than the others when it reads, as a slow disk would make
 * it: the others lose that time where they wait, in "all-reduce", not where the cause is. --fair leaves the
 * sleep out. Shows run files by rank (RANK in the environment, %r in a path) and how a program reads runs
 * (pit_run_open, pit_tree_build). */
#include "options.h"
#include "small_net.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { RANKS = 4, SLOW = RANKS - 1, INPUTS = 16, HIDDEN = 64, BATCH = 32 };

static int steps, is_fair;
static const struct example_option options[] = {
    EXAMPLE_NUMBER("--steps", "of training", &steps, 1, 100000, 400, 80),
    {.name = "--fair", .help = "all ranks alike", .is_on = &is_fair},
};
static struct example example = {
    .name = "straggler",
    .what = "Train on four ranks of which one is slow, and show who waits.",
    .options = options,
    .option_count = 2,
};

/* Memory that all ranks share. */
struct shared {
    pthread_barrier_t barrier;
    double loss[RANKS];     /* of the newest step */
    char path[RANKS][4096]; /* path of each run: "" if there is none */
    float gradients[RANKS][(INPUTS + 2 + NET_LANES) * HIDDEN + 2 * NET_LANES];
};

/* ---- a rank ---------------------------------------------------------------------------------- */

/* The sum of the first half of the inputs, times that of the second. */
static void read_data(float *x, float *y, int is_slow, uint64_t *random)
{
    for (size_t s = 0; s < BATCH; s++) {
        float sums[2] = {0, 0};
        for (size_t i = 0; i < INPUTS; i++) {
            x[s * INPUTS + i] = net_uniform(random, -1, 1);
            sums[i >= INPUTS / 2] += x[s * INPUTS + i];
        }
        y[s] = sums[0] * sums[1] / 4;
    }
    struct timespec seek = {0, is_slow ? 2200000 : 200000};
    nanosleep(&seek, NULL);
}

/* Add up the gradients of all ranks, in the same order on each, so that all have the same weights. */
static void all_reduce(struct shared *shared, struct net_weights *w, int rank)
{
    memcpy(shared->gradients[rank], w->grad, w->count * sizeof *w->grad);
    PIT_SPAN("wait") {
        pthread_barrier_wait(&shared->barrier);
    }
    for (size_t i = 0; i < w->count; i++) {
        float sum = 0;
        for (size_t r = 0; r < RANKS; r++)
            sum += shared->gradients[r][i];
        w->grad[i] = sum / RANKS;
    }
    pthread_barrier_wait(&shared->barrier); /* no rank writes while another one still reads */
}

static void train_step(struct shared *shared, struct net *net, int rank, int step, uint64_t *random)
{
    float x[BATCH * INPUTS], y[BATCH];
    PIT_SPAN("step") {
        PIT_SPAN("read") {
            read_data(x, y, rank == SLOW && !is_fair, random);
        }
        PIT_SPAN("forward") {
            net_forward(net, x, BATCH);
            shared->loss[rank] = net_square_loss(net, y, BATCH, 1);
        }
        PIT_SPAN("backward") {
            net_backward(net, x, BATCH);
        }
        PIT_SPAN("all-reduce") {
            all_reduce(shared, &net->weights, rank);
        }
        PIT_SPAN("update") {
            net_adam(&net->weights, 0.01f * (1 - 0.9f * (float)step / (float)steps));
        }
        pit_items(BATCH);
        pit_value("loss", shared->loss[rank]);
    }
}

/* The whole life of a rank; its exit status. */
static int rank_main(struct shared *shared, int rank, const char *path)
{
    static const size_t widths[] = {INPUTS, HIDDEN, NET_LANES};
    static const enum net_kind kinds[] = {NET_RELU, NET_LINEAR};
    char text[16];
    uint64_t random = (uint64_t)rank + 100;
    struct net net;
    struct example own = example;
    snprintf(text, sizeof text, "%d", rank);
    setenv("RANK", text, 1);
    own.path = path;
    own.is_quiet = example.is_quiet || rank != 0; /* only rank 0 talks */
    example_open(&own);
    pit_status status;
    if (pit_get_status(NULL, &status) == 0)
        snprintf(shared->path[rank], sizeof shared->path[rank], "%s", status.path);
    int failed = net_create(&net, widths, kinds, 2, BATCH, 1);
    for (int step = 0; step < steps && !failed; step++) {
        train_step(shared, &net, rank, step, &random);
        example_progress(&own, (step + 1.0) / steps, "step %d/%d", step + 1, steps);
    }
    net_free(&net);
    int code = pit_close();
    return failed || (code && code != PIT_NOT_OPEN);
}

/* ---- the parent ------------------------------------------------------------------------------ */

/* straggler.pit: straggler-%r.pit */
static void rank_path(char *path, size_t bytes)
{
    const char *given = example.path ? example.path : "pitwall-runs/straggler.pit";
    const char *dot = strrchr(given, '.'), *slash = strrchr(given, '/');
    if (!dot || (slash && dot < slash))
        dot = given + strlen(given);
    snprintf(path, bytes, "%.*s-%%r%s", (int)(dot - given), given, dot);
}

static double mean_ms(const pit_tree *tree, const char *path)
{
    for (size_t i = 0; i < tree->node_count; i++)
        if (strcmp(tree->nodes[i].path, path) == 0)
            return tree->nodes[i].mean_ns / 1e6;
    return 0;
}

/* One line per rank, from their run files. */
static int print_ranks(struct shared *shared)
{
    double read[RANKS], wait[RANKS], step = 0;
    if (!*shared->path[0]) {
        fprintf(stderr, "%s: recording is off: there are no runs to read\n", example.name);
        return 0;
    }
    printf("rank  read (ms)  wait (ms)  step (ms)\n");
    for (int r = 0; r < RANKS; r++) {
        pit_error error;
        pit_run *run = pit_run_open(shared->path[r], &error);
        const pit_run *runs[] = {run};
        pit_tree *tree = run ? pit_tree_build(runs, 1) : NULL;
        if (!tree) {
            fprintf(stderr, "%s: %s: %s\n", example.name, shared->path[r],
                    run ? "no memory" : error.message);
            pit_run_free(run);
            return 1;
        }
        read[r] = mean_ms(tree, "step/read");
        wait[r] = mean_ms(tree, "step/all-reduce/wait");
        step = mean_ms(tree, "step");
        printf("%4d  %9.3f  %9.3f  %9.3f\n", r, read[r], wait[r], step);
        pit_tree_free(tree);
        pit_run_free(run);
    }
    double others = (wait[0] + wait[1] + wait[2]) / 3;
    if (others > 2 * wait[SLOW] && others > 0.2 * step)
        printf(
            "the others wait %.0f %% of each step; rank %d does not: it is what they wait for\n\n",
            100 * others / step, SLOW);
    else
        printf("no rank keeps the others waiting for long\n\n");
    return 0;
}

static int run_ranks(struct shared *shared)
{
    char path[4096];
    pid_t children[RANKS];
    int failed = 0;
    rank_path(path, sizeof path);
    fflush(stdout);
    for (int r = 0; r < RANKS; r++) {
        children[r] = fork();
        if (children[r] == 0)
            exit(rank_main(shared, r, path));
        if (children[r] < 0) { /* the others would wait forever */
            fprintf(stderr, "%s: fork: %s\n", example.name, strerror(errno));
            while (r-- > 0)
                kill(children[r], SIGKILL);
            return 1;
        }
    }
    for (int r = 0; r < RANKS; r++) {
        int status;
        failed |= waitpid(children[r], &status, 0) < 0 || status != 0;
    }
    return failed;
}

int main(int argc, char **argv)
{
    example_parse(&example, argc, argv);
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return example_fail(&example, "shared memory", PIT_NO_MEMORY);
    pthread_barrierattr_t between_processes;
    pthread_barrierattr_init(&between_processes);
    pthread_barrierattr_setpshared(&between_processes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &between_processes, RANKS);
    if (run_ranks(shared)) {
        fprintf(stderr, "%s: a rank failed\n", example.name);
        return 1;
    }
    int failed = example.is_quiet ? 0 : print_ranks(shared);
    double loss = 0;
    for (size_t r = 0; r < RANKS; r++)
        loss += shared->loss[r] / RANKS;
    failed |= example_prove(&example, "straggler", loss, example.is_quick ? 0.2 : 0.05);
    failed |= fflush(stdout) != 0;
    for (int r = 0; r < RANKS && *shared->path[r] && !example.is_quiet; r++)
        fprintf(stderr, "run: %s\n", example_from_here(shared->path[r]));
    if (*shared->path[SLOW])
        example_say_next(&example, shared->path[SLOW]);
    return failed;
}
