/* The worst single span while another process makes the filesystem write back without a pause.
 * Argument: "in_place", "shm" (the run's pages in shared memory), or "noise" (no span: the
 * delays of such a short call on this machine). */
#include "bench.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS 2.0

static pid_t start_syncing(void)
{
    char folder[4096];
    bench_run_path(folder, sizeof folder, ".");
    pid_t parent = getpid(), pid = fork();
    if (pid < 0)
        bench_fail("fork", strerror(errno));
    if (pid > 0)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int fd = open(folder, O_RDONLY | O_DIRECTORY);
    if (fd < 0)
        _exit(1);
    while (getppid() == parent)
        syncfs(fd);
    _exit(0);
}

int main(int argc, char **argv)
{
    static pit_site site = PIT_SITE("stalled");
    const char *mode = argc > 1 ? argv[1] : "in_place";
    int noise = strcmp(mode, "noise") == 0;
    char key[64];
    if (strcmp(mode, "shm") == 0)
        setenv("PITWALL_LIVE", "shm", 1);
    pid_t pid = start_syncing();
    if (!noise)
        bench_open("bench_stall.pit");

    uint64_t worst = 0, spans = 0, over = 0;
    uint64_t limit = (uint64_t)(10000 / bench_ns_per_tick()); /* 10 µs */
    uint64_t stop = bench_counter() + (uint64_t)(SECONDS * 1e9 / bench_ns_per_tick());
    for (uint64_t begin = bench_counter(), end; begin < stop; begin = bench_counter(), spans++) {
        if (!noise)
            pit_end(pit_begin(&site));
        end = bench_counter();
        worst = end - begin > worst ? end - begin : worst;
        over += end - begin > limit;
    }
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    if (!noise)
        pit_close();
    snprintf(key, sizeof key, "store_stall_%s_max_us", mode);
    bench_print(key, 1e-3 * (double)worst * bench_ns_per_tick());
    snprintf(key, sizeof key, "store_stall_%s_over_10us_ppm", mode);
    bench_print(key, 1e6 * (double)over / (double)spans);
    return 0;
}
