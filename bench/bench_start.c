/* Start-up and exit: a program that opens a run, records one span and exits, against the same program
 * without a run. The program is this one, started again with an argument. */
#include "bench.h"

#include <errno.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STARTS = 100 };

extern char **environ;

static int child(const char *mode)
{
    if (strcmp(mode, "open") == 0)
        bench_open("bench_start.pit");
    PIT_SPAN("only") {
        __asm__ volatile("" ::: "memory");
    }
    return 0; /* the run is closed at exit */
}

static double start_ms(char *program, char *mode)
{
    char *arguments[] = {program, mode, NULL};
    pid_t pid;
    int status;
    uint64_t start = bench_monotonic_ns();
    int failed = posix_spawn(&pid, "/proc/self/exe", NULL, NULL, arguments, environ);
    if (failed)
        bench_fail("posix_spawn", strerror(failed));
    if (waitpid(pid, &status, 0) != pid)
        bench_fail("waitpid", strerror(errno));
    double ms = 1e-6 * (double)(bench_monotonic_ns() - start);
    if (status)
        bench_fail(mode, "the started program failed");
    return ms;
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child(argv[1]);

    static char open_mode[] = "open", bare_mode[] = "bare";
    double open_ms[STARTS], bare_ms[STARTS];
    char path[4096];
    bench_run_path(path, sizeof path, "bench_start.pit");
    for (int i = 0; i < STARTS; i++) {
        unlink(path);
        bare_ms[i] = start_ms(argv[0], bare_mode);
        open_ms[i] = start_ms(argv[0], open_mode);
    }
    double bare = bench_quantile(bare_ms, STARTS, 0.5);
    bench_print("start_bare_ms", bare);
    bench_print("start_exit_ms", bench_quantile(open_ms, STARTS, 0.5) - bare);

    bench_open("bench_start.pit");
    struct stat initial;
    if (stat(path, &initial))
        bench_fail(path, strerror(errno));
    bench_print("initial_file_kb", (double)initial.st_size / 1024);
    pit_close();
    return 0;
}
