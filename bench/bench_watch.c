/* Is watching free? The speed of a program with ten watchers, compared with none.
 *
 * The watchers are stopped and continued in turns (ABBA). A round's figure is the mean of nine tenths of
 * its short batches; the slowest, which the system interrupted, are left out. Of the rounds the 10th
 * percentile counts. The noise is the same ratio between the rounds without watchers, one half against the
 * other. bench_watch PATH_OF_THE_TOOL */
#include "bench.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WATCHERS = 10, ROUNDS = 60, BATCHES = 40000, SPANS = 100 };

#define ROUND_NS 250e6

static pid_t watchers[WATCHERS];

static void start_watchers(const char *tool, const char *run)
{
    for (int i = 0; i < WATCHERS; i++) {
        watchers[i] = fork();
        if (watchers[i] < 0)
            bench_fail("watcher", "cannot be started");
        if (watchers[i] > 0)
            continue;
        int nowhere = open("/dev/null", O_RDWR);
        dup2(nowhere, STDOUT_FILENO);
        execl(tool, tool, "top", run, "--json", (char *)NULL);
        _exit(127);
    }
}

static void tell_watchers(int number)
{
    for (int i = 0; i < WATCHERS; i++)
        kill(watchers[i], number);
}

/* A batch: spans with a little work in each. */
static double batch(void)
{
    unsigned work = 0;
    static pit_site outer = PIT_SITE("batch"), inner = PIT_SITE("step");
    double start = bench_now_ns();
    pit_token token = pit_begin(&outer);
    for (int i = 0; i < SPANS; i++) {
        pit_token step = pit_begin(&inner);
        for (unsigned k = 0; k < 100; k++)
            __asm__ volatile("" : "+r"(work) : "r"(k));
        pit_end(step);
    }
    pit_end(token);
    return bench_now_ns() - start;
}

/* One round: the mean of the faster nine tenths of its batches. */
static double run_round(void)
{
    static double ns[BATCHES];
    size_t count = 0;
    double end = bench_now_ns() + ROUND_NS, sum = 0;
    while (count < BATCHES && bench_now_ns() < end)
        ns[count++] = batch();
    bench_quantile(ns, count, 0.5); /* sorts */
    size_t kept = count * 9 / 10;
    for (size_t i = 0; i < kept; i++)
        sum += ns[i];
    return sum / (double)kept;
}

static int is_running(const char *run)
{
    int status;
    for (int i = 0; i < WATCHERS; i++)
        if (waitpid(watchers[i], &status, WNOHANG) != 0)
            bench_fail(run, "a watcher has ended");
    return 1;
}

int main(int argc, char **argv)
{
    static double with[ROUNDS], none[2][ROUNDS];
    char path[4096];
    if (argc != 2)
        bench_fail("usage", "bench_watch PATH_OF_THE_TOOL");
    bench_run_path(path, sizeof path, "bench_watch.pit");
    bench_open("bench_watch.pit");
    bench_pin(0);
    run_round();
    start_watchers(argv[1], path);
    usleep(1000000);
    is_running(path);
    size_t with_count = 0, none_count[2] = {0, 0};
    for (int i = 0; i < ROUNDS; i++) {
        int is_watched = i % 4 == 1 || i % 4 == 2, half = i / 4 % 2;
        tell_watchers(is_watched ? SIGCONT : SIGSTOP);
        usleep(20000);
        double figure = run_round();
        if (is_watched)
            with[with_count++] = figure;
        else
            none[half][none_count[half]++] = figure;
    }
    tell_watchers(SIGCONT);
    is_running(path);
    tell_watchers(SIGTERM);
    for (int i = 0; i < WATCHERS; i++)
        waitpid(watchers[i], NULL, 0);
    static double all[2 * ROUNDS];
    size_t count = 0;
    for (int half = 0; half < 2; half++)
        for (size_t i = 0; i < none_count[half]; i++)
            all[count++] = none[half][i];
    double first = bench_quantile(none[0], none_count[0], 0.1);
    double second = bench_quantile(none[1], none_count[1], 0.1);
    bench_print("watchers_x_none",
                bench_quantile(with, with_count, 0.1) / bench_quantile(all, count, 0.1));
    bench_print("watchers_noise_x", first > second ? first / second : second / first);
    return 0;
}
