/* prog_advice.c: small training runs of a known cause: each really does what it is called.
 *
 *     prog_advice RUN.pit CAUSE
 *
 * Time passes in nanosleep where a cause is about time, so that a busy machine changes figures by
 * little; what leaks is really allocated and touched.
 */
#include "pitwall.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void sleep_ms(double ms)
{
    struct timespec left = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000L};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
}

/* What a batch does, in milliseconds. */
struct batch {
    double load, forward, backward, update;
};

static const struct batch balanced = {2.5, 7, 7, 3.5};

static void run_batch(const struct batch *batch, double times)
{
    PIT_SPAN("batch") {
        PIT_SPAN("data_loading")
            sleep_ms(batch->load * times);
        PIT_SPAN("forward")
            sleep_ms(batch->forward * times);
        PIT_SPAN("backward")
            sleep_ms(batch->backward * times);
        PIT_SPAN("optimizer")
            sleep_ms(batch->update * times);
    }
}

static void batches(int count, const struct batch *batch)
{
    for (int i = 0; i < count; i++)
        run_batch(batch, 1);
}

/* ---- the causes ------------------------------------------------------------------------------ */

static void slow_loader(void)
{
    batches(40, &(struct batch){16, 4, 3, 2});
}

static void forward_heavy(void)
{
    batches(40, &(struct batch){2, 16, 5, 2});
}

static void backward_heavy(void)
{
    batches(40, &(struct batch){2, 6, 16, 2});
}

static void slow_first_batch(void)
{
    run_batch(&balanced, 15);
    batches(40, &balanced);
}

/* Inputs of very different sizes, in no order. */
static void high_variance(void)
{
    uint32_t state = 12345;
    for (int i = 0; i < 60; i++) {
        state = state * 1664525u + 1013904223u;
        run_batch(&balanced, 0.3 + 2.0 * (double)(state >> 16) / 65536);
    }
}

static void drift(void)
{
    for (int i = 0; i < 60; i++)
        run_batch(&balanced, 0.5 + i / 40.0);
}

static void periodic_stall(void)
{
    for (int i = 0; i < 60; i++)
        run_batch(&balanced, i % 10 == 9 ? 6 : 0.8);
}

static void *kept[1000];

/* A buffer of 2 MB is kept of each batch. */
static void leak(void)
{
    for (int i = 0; i < 80; i++) {
        kept[i] = malloc(2 << 20);
        if (kept[i])
            memset(kept[i], i + 1, 2 << 20);
        run_batch(&balanced, 1);
    }
}

/* 100 MB are taken once and used again and again. */
static void cache(void)
{
    sleep_ms(250);
    for (int i = 0; i < 50; i++) {
        kept[i] = malloc(2 << 20);
        if (kept[i])
            memset(kept[i], i + 1, 2 << 20);
    }
    batches(60, &balanced);
}

static void nothing_wrong(void)
{
    batches(60, &balanced);
}

static void too_little(void)
{
    batches(2, &(struct batch){16, 4, 3, 2});
}

static void one_stage(void)
{
    PIT_SPAN("solve")
        sleep_ms(300);
    PIT_SPAN("write")
        sleep_ms(30);
}

static const struct cause {
    const char *name;
    void (*run)(void);
} causes[] = {
    {"slow_loader", slow_loader},
    {"forward_heavy", forward_heavy},
    {"backward_heavy", backward_heavy},
    {"slow_first_batch", slow_first_batch},
    {"high_variance", high_variance},
    {"drift", drift},
    {"periodic_stall", periodic_stall},
    {"leak", leak},
    {"cache", cache},
    {"nothing_wrong", nothing_wrong},
    {"too_little", too_little},
    {"one_stage", one_stage},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof causes / sizeof causes[0]; i++)
        if (strcmp(argv[2], causes[i].name) == 0) {
            if (pit_open(argv[1], NULL) != 0)
                return 1;
            causes[i].run();
            return pit_close() == 0 ? 0 : 1;
        }
    fprintf(stderr, "usage: prog_advice RUN.pit CAUSE\n");
    return 64;
}
