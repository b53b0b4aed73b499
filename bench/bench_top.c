/* The cost of `pitwall top`: its processor time at two refreshes per second on a screen of 200 by 60, for a
 * run of 10,240 nodes on 512 active threads. bench_top PATH_OF_THE_TOOL */
#include "bench.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 512, NODES = 20, SETTLE_S = 3, MEASURE_S = 12 };

static void *go_on(void *unused)
{
    char name[32];
    (void)unused;
    for (;;) {
        for (int i = 0; i < NODES; i++) {
            snprintf(name, sizeof name, "node %d", i);
            pit_end(pit_begin_name(name));
        }
        usleep(400000);
    }
    return NULL;
}

/* Start the tool on its own terminal; *terminal is the other end. */
static pid_t start_top(const char *tool, const char *run, int *terminal)
{
    struct winsize size = {.ws_row = 60, .ws_col = 200};
    *terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*terminal < 0 || grantpt(*terminal) || unlockpt(*terminal) ||
        ioctl(*terminal, TIOCSWINSZ, &size))
        bench_fail("terminal", "cannot be made");
    const char *name = ptsname(*terminal);
    pid_t child = fork();
    if (child != 0)
        return child;
    setsid();
    int own = open(name, O_RDWR); /* becomes the controlling terminal */
    for (int i = 0; i < 3; i++)
        dup2(own, i);
    setenv("TERM", "xterm-256color", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    execl(tool, tool, "top", run, (char *)NULL);
    _exit(127);
}

/* Read its output for this many seconds; returns 0 if it ended earlier. */
static int drain(int terminal, double seconds)
{
    char bytes[65536];
    double end = bench_now_ns() + seconds * 1e9, left;
    while ((left = end - bench_now_ns()) > 0) {
        struct pollfd input = {.fd = terminal, .events = POLLIN};
        if (poll(&input, 1, (int)(left / 1e6) + 1) > 0 && read(terminal, bytes, sizeof bytes) < 0)
            return 0;
    }
    return 1;
}

/* Its processor time so far, in nanoseconds. */
static double used_ns(pid_t child)
{
    char path[64];
    double used = 0;
    snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)child);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%lf", &used) != 1)
        bench_fail(path, "cannot be read");
    fclose(file);
    return used;
}

int main(int argc, char **argv)
{
    char path[4096];
    int terminal;
    pthread_attr_t small;
    if (argc != 2)
        bench_fail("usage", "bench_top PATH_OF_THE_TOOL");
    bench_run_path(path, sizeof path, "bench_top.pit");
    bench_open("bench_top.pit");
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 128 * 1024);
    for (int i = 0; i < THREADS; i++) {
        pthread_t thread;
        if (pthread_create(&thread, &small, go_on, NULL) != 0)
            bench_fail("thread", "cannot be made");
    }
    usleep(1000000);
    pid_t child = start_top(argv[1], path, &terminal);
    if (!drain(terminal, SETTLE_S))
        bench_fail("top", "ended before its time");
    double start = bench_now_ns(), before = used_ns(child);
    if (!drain(terminal, MEASURE_S))
        bench_fail("top", "ended before its time");
    double used = used_ns(child) - before, took = bench_now_ns() - start;
    if (write(terminal, "q", 1) != 1)
        bench_fail("terminal", "takes no key");
    int status = 1, is_there = drain(terminal, 10);
    if (is_there)
        kill(child, SIGKILL);
    if (waitpid(child, &status, 0) != child || status != 0)
        bench_fail("top", "did not end well");
    bench_print("top_cpu_pct", 100 * used / took);
    return 0;
}
