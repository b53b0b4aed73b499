/* run_stop.c: stopping together with the program.
 *
 * A stopped process cannot see that its child continues: if another process continues only the program
 * (kill -CONT PID), we would stay stopped. So before we stop, we start a watcher, a process that checks
 * the child's state and continues us as soon as the child is no longer stopped.
 */
#include "run_stop.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 20000000 /* between two checks of the watcher */

int run_stopped_by(pid_t child)
{
    siginfo_t info = {0};
    int is_stopped = waitid(P_PID, (id_t)child, &info, WSTOPPED | WNOHANG | WNOWAIT) == 0 &&
                     info.si_pid == child;
    return is_stopped ? info.si_status : 0;
}

/* Uses /proc, because the watcher is not its parent. Without /proc it counts as stopped. */
static int is_stopped(pid_t pid)
{
    char path[40], text[512];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    const char *name_end = strrchr(text, ')');
    return !name_end || strncmp(name_end, ") T", 3) == 0 || strncmp(name_end, ") t", 3) == 0;
}

/* Sends SIGCONT repeatedly until we notice and end the watcher, because the first SIGCONT may arrive before
 * we have stopped. The watcher keeps none of our files open, and no signal of the terminal reaches it. */
static _Noreturn void watch(pid_t parent, pid_t child)
{
    const struct timespec pause = {0, LOOK_NS};
    setsid();
    for (int fd = 0; fd <= 2; fd++)
        close(fd);
    while (getppid() == parent) {
        if (!is_stopped(child))
            kill(parent, SIGCONT);
        nanosleep(&pause, NULL);
    }
    _exit(0);
}

static pid_t start_watcher(pid_t child)
{
    pid_t parent = getpid(), watcher = fork();
    if (watcher == 0)
        watch(parent, child);
    return watcher;
}

/* 1: the watcher continued us. Its SIGCONT is consumed here, because it must not be forwarded to a child
 * that has stopped again in the meantime. */
static int end_watcher(pid_t watcher)
{
    const struct timespec none = {0, 0};
    siginfo_t info = {0};
    sigset_t one;
    kill(watcher, SIGKILL);
    waitpid(watcher, NULL, 0);
    sigemptyset(&one);
    sigaddset(&one, SIGCONT);
    return sigtimedwait(&one, &info, &none) > 0 && info.si_pid == watcher;
}

void run_stop_with(pid_t child, int signal_number)
{
    struct sigaction default_action = {.sa_handler = SIG_DFL}, before;
    sigset_t one, old;
    pid_t watcher = getpid() == 1 ? -1 : start_watcher(child);
    /* without a watcher, do not stop: we might never be continued */
    if (watcher < 0)
        return;
    sigemptyset(&one);
    sigaddset(&one, signal_number);
    sigaction(signal_number, &default_action, &before);
    raise(signal_number);
    sigprocmask(SIG_UNBLOCK, &one, &old); /* here it stops us, until SIGCONT */
    sigprocmask(SIG_SETMASK, &old, NULL);
    sigaction(signal_number, &before, NULL);
    if (!end_watcher(watcher) && run_stopped_by(child))
        kill(child, SIGCONT);
}
