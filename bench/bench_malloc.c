/* What libpitwall-alloc.so adds to a pair of malloc(64) and free. A process has the library from its
 * start or not at all, so the pairs are timed in this program started again, with and without it in
 * turns; the fastest batch of each side counts. */
#include "bench.h"

#include "format/alloc_api.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STARTS = 10, ROUNDS = 40, PAIRS = 100000 };

extern char **environ;

static void pairs(uint64_t n, void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < n; i++) {
        void *block = malloc(64);
        __asm__ volatile(""
                         :
                         /* otherwise the pair would be optimised away */
                         : "r"(block)
                         : "memory");
        free(block);
    }
}

/* In a started program: print the time of a pair. */
static int child(const char *mode)
{
    int counted = dlsym(RTLD_DEFAULT, PIT__ALLOC_SYMBOL) != NULL;
    if (counted != (strcmp(mode, "counted") == 0))
        bench_fail(mode, counted ? "the library is preloaded" : "the library is not preloaded");
    struct bench_case pair = {.body = pairs, .n = PAIRS};
    bench_take_turns(&pair, 1, ROUNDS);
    printf("%.6f\n", pair.best_ns);
    return 0;
}

/* Start this program in a mode, with one more setting in its environment; returns the time that it prints. */
static double pair_ns(char *program, char *mode, char *setting)
{
    char *arguments[] = {program, mode, NULL};
    char *environment[4096];
    size_t count = 0;
    for (char **e = environ; *e && count < 4094; e++)
        if (strncmp(*e, "LD_PRELOAD=", 11) != 0)
            environment[count++] = *e;
    if (setting)
        environment[count++] = setting;
    environment[count] = NULL;

    int ends[2], status;
    if (pipe(ends))
        bench_fail("pipe", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    pid_t pid;
    int failed = posix_spawn(&pid, "/proc/self/exe", &actions, NULL, arguments, environment);
    if (failed)
        bench_fail("posix_spawn", strerror(failed));
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);

    char text[64] = "";
    ssize_t length = read(ends[0], text, sizeof text - 1);
    close(ends[0]);
    if (waitpid(pid, &status, 0) != pid || status || length <= 0)
        bench_fail(mode, "the started program failed");
    return strtod(text, NULL);
}

/* "LD_PRELOAD=" and the library of the same build: ../lib from the program's folder. */
static void find_library(char *setting, size_t room)
{
    char self[PATH_MAX];
    if (!realpath("/proc/self/exe", self))
        bench_fail("/proc/self/exe", strerror(errno));
    for (int i = 0; i < 2; i++) {
        char *slash = strrchr(self, '/');
        if (slash)
            *slash = '\0';
    }
    int used = snprintf(setting, room, "LD_PRELOAD=%s/lib/libpitwall-alloc.so", self);
    if (used < 0 || (size_t)used >= room)
        bench_fail(self, "the path is too long");
    const char *path = strchr(setting, '=') + 1;
    if (access(path, R_OK))
        bench_fail(path, strerror(errno));
}

int main(int argc, char **argv)
{
    if (argc > 1)
        return child(argv[1]);

    static char plain_mode[] = "plain", counted_mode[] = "counted";
    static char setting[PATH_MAX + 64];
    find_library(setting, sizeof setting);
    double plain = 1e300, counted = 1e300;
    for (int i = 0; i < STARTS; i++) {
        double p = pair_ns(argv[0], plain_mode, NULL);
        double c = pair_ns(argv[0], counted_mode, setting);
        plain = p < plain ? p : plain;
        counted = c < counted ? c : counted;
    }
    bench_print("malloc_pair_ns", plain);
    bench_print("malloc_pair_x_plain", counted / plain);
    bench_print("malloc_pair_added_ns", counted - plain);
    return 0;
}
