/* Processes that start others, each recording:
 *
 *   prog_sub_runs fork PATH     opens PATH; forks a child that forks a grandchild; each has spans
 *   prog_sub_runs open PATH     opens PATH alone, and has spans
 *   prog_sub_runs spans N       N spans, where the environment says
 *   prog_sub_runs die N         N spans; is killed by SIGTERM inside another one
 *   prog_sub_runs start N CMD…  N spans; starts CMD in a child; waits for it
 *   prog_sub_runs become N CMD… N spans; becomes CMD
 *   prog_sub_runs workers PATH  opens PATH; ends one worker between two spans and one inside a span, both by
 *                               SIGTERM; prints "ready", lives until its input ends
 */
#include "pitwall.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void record(const char *name, long count)
{
    for (long i = 0; i < count; i++)
        pit_end(pit_begin_name(name));
}

static int wait_for(pid_t pid)
{
    int status = -1;
    return waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1;
}

static int fork_deep(const char *path)
{
    static const char *const names[] = {"parent", "child", "grandchild"};
    /* No sampler: a thread that has just begun may be inside malloc at the fork, and the address
     * sanitizer's malloc, unlike libc's, then waits in the child forever. */
    pit_options options = {.sample_hz = -1};
    if (pit_open(path, &options) != 0)
        return 1;
    int level = 0;
    pid_t pid = 0;
    record(names[0], 10);
    while (level < 2 && (pid = fork()) == 0) {
        level++;
        record(names[level], level * 5);
    }
    return pid > 0 ? wait_for(pid) : 0;
}

static int start(char **command)
{
    pid_t pid = fork();
    if (pid == 0) {
        execvp(command[0], command);
        _exit(127);
    }
    return pid > 0 ? wait_for(pid) : 1;
}

/* A worker with spans, the last of which may stay open; ended by a signal. */
static int end_worker(const char *name, int is_inside)
{
    int told[2];
    char byte = 0;
    pid_t pid = pipe(told) == 0 ? fork() : -1;
    if (pid == 0) {
        record(name, 3);
        if (is_inside)
            pit_begin_name(name);
        if (write(told[1], &byte, 1) == 1)
            for (;;)
                pause();
        _exit(1);
    }
    if (pid < 0 || read(told[0], &byte, 1) != 1)
        return 1;
    int status = 0;
    kill(pid, SIGTERM);
    return waitpid(pid, &status, 0) == pid && WIFSIGNALED(status) ? 0 : 1;
}

static int workers(const char *path)
{
    pit_options options = {.sample_hz = -1}; /* as in fork_deep */
    char byte;
    if (pit_open(path, &options) != 0)
        return 1;
    record("parent", 2);
    if (end_worker("between", 0) != 0 || end_worker("inside", 1) != 0)
        return 1;
    puts("ready");
    fflush(stdout);
    return read(0, &byte, 1) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 64;
    if (strcmp(argv[1], "fork") == 0)
        return fork_deep(argv[2]);
    if (strcmp(argv[1], "workers") == 0)
        return workers(argv[2]);
    if (strcmp(argv[1], "open") == 0) {
        int code = pit_open(argv[2], NULL);
        record("own", 7);
        return code ? 1 : 0;
    }
    record(argv[1], strtol(argv[2], NULL, 10));
    if (strcmp(argv[1], "die") == 0) {
        pit_begin_name("outer");
        return raise(SIGTERM);
    }
    if (strcmp(argv[1], "start") == 0 && argc > 3)
        return start(argv + 3);
    if (strcmp(argv[1], "become") == 0 && argc > 3) {
        execvp(argv[3], argv + 3);
        return 127;
    }
    return 0;
}
