/* A program with known behaviour, to be watched: prog_top PATH train | late | nodes NODES THREADS
 *
 * train: an epoch that stays open; in it batches of data_loading (8 ms), backward (4 ms, in it matmul 2 ms)
 * and forward (1 ms). Where the scheduler makes one of them longer, the others follow, so that in the whole run
 * their order stays. nodes: that many nodes in all, spread over as many threads, each of which
 * runs its own nodes repeatedly. late: prints "ready" before any span, trains after a byte of its input.
 * Prints "ready" once there is something to see. Runs until its standard input ends, then closes cleanly.
 */
#include <pitwall.h>

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int must_end;

static void rest(double ms)
{
    struct timespec time = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000};
    nanosleep(&time, NULL);
}

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static int has_ended(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, 0) > 0;
}

static void say_ready(void)
{
    puts("ready");
    fflush(stdout);
}

static void train(void)
{
    int is_told = 0;
    double loading = 0, forward = 0, backward = 0; /* so far */
    PIT_SPAN("epoch") {
        while (!has_ended()) {
            PIT_SPAN("batch") {
                double begin = now_ms();
                PIT_SPAN("data_loading") {
                    rest(larger(8, 1.8 * backward - loading));
                }
                loading += now_ms() - begin;
                begin = now_ms();
                PIT_SPAN("forward") {
                    rest(1);
                    pit_items(32);
                }
                forward += now_ms() - begin;
                begin = now_ms();
                PIT_SPAN("backward") {
                    double part = larger(2, forward - backward / 2);
                    PIT_SPAN("matmul") {
                        rest(part);
                    }
                    rest(part);
                }
                backward += now_ms() - begin;
            }
            if (!is_told++)
                say_ready();
        }
    }
}

static int nodes_each;

static void *pass_nodes(void *unused)
{
    char name[32];
    (void)unused;
    while (!atomic_load(&must_end)) {
        for (int i = 0; i < nodes_each; i++) {
            snprintf(name, sizeof name, "node %d", i);
            pit_end(pit_begin_name(name));
        }
        rest(200);
    }
    return NULL;
}

static void many(int nodes, int threads)
{
    pthread_t *all = calloc((size_t)threads, sizeof *all);
    nodes_each = nodes / threads;
    for (int i = 0; all && i < threads; i++)
        pthread_create(&all[i], NULL, pass_nodes, NULL);
    while (!has_ended())
        rest(20);
    atomic_store(&must_end, 1);
    for (int i = 0; all && i < threads; i++)
        pthread_join(all[i], NULL);
    free(all);
}

int main(int argc, char **argv)
{
    if (argc < 3 || pit_open(argv[1], NULL) != 0)
        return 2;
    if (strcmp(argv[2], "late") == 0) {
        say_ready();
        getchar();
        train();
    } else if (strcmp(argv[2], "train") == 0)
        train();
    else if (argc == 5) {
        say_ready();
        many(atoi(argv[3]), atoi(argv[4]));
    }
    return pit_close() ? 1 : 0;
}
