/* run_child.c: start a program and stay invisible while it runs.
 *
 * The program stays in our process group, so the terminal's signals, reads from the terminal and pipelines
 * work as usual. All signals are blocked here and received one by one. Signals of a terminal reach the
 * program directly; signals sent to us are forwarded. When a terminal stops the program, we stop too, so a
 * shell sees the same state. As process 1 of a container we reap orphaned processes.
 */
#include "run_child.h"

#include "base/clock_ns.h"
#include "cli.h"
#include "run_stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define SECOND_NS 1000000000u
#define FIRST_LOOK_NS 2000000u  /* until its children are first counted; then doubled */
#define LAST_LOOK_NS 200000000u /* the longest interval */
#define LOOK_SHARE 100u         /* counting takes at most 1 / LOOK_SHARE of our time */

/* ---- the child, before exec ------------------------------------------------------------------ */

enum stage { STARTING, MAKING_RUN };

struct trouble { /* sent by the child through the pipe if exec fails */
    enum stage stage;
    int why;
};

struct dispositions {
    sigset_t mask;
    struct sigaction child; /* of SIGCHLD */
};

static int make_run(struct run_program *program)
{
    if (program->no_run)
        return 0;
    if (pit_run_path(program->path, sizeof program->path, program->wanted,
                     (const char *const *)program->argv, (long)getpid(),
                     program->ended.start_wall_ns) != 0)
        return ENAMETOOLONG;
    int error = run_check_path(program->path);
    return error ? error : run_tell_path(program, program->path);
}

static _Noreturn void become(struct run_program *program, const struct dispositions *before,
                             int report)
{
    struct trouble trouble = {MAKING_RUN, make_run(program)};
    if (!trouble.why) {
        signal(SIGPIPE, pipe_signal);
        sigaction(SIGCHLD, &before->child, NULL);
        sigprocmask(SIG_SETMASK, &before->mask, NULL);
        execvp(program->argv[0], program->argv);
        trouble = (struct trouble){STARTING, errno};
    }
    ssize_t written = write(report, &trouble, sizeof trouble);
    _exit(written == (ssize_t)sizeof trouble ? EXIT_NOT_STARTED : EXIT_NOT_FOUND);
}

/* Why exec failed in the child; `why` is 0 if it succeeded, which closes the pipe. */
static struct trouble read_trouble(int report)
{
    struct trouble trouble;
    ssize_t got;
    do
        got = read(report, &trouble, sizeof trouble);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof trouble ? trouble : (struct trouble){STARTING, 0};
}

/* ---- while it runs --------------------------------------------------------------------------- */

/* The signals that we forward, and SIGCHLD. We also receive the terminal's stop signals but do not act on
 * them: we stop after the program has stopped, never by the default action, from which no process would
 * continue us. */
static void choose_signals(sigset_t *set)
{
    static const int taken[] = {SIGCHLD, SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,
                                SIGUSR1, SIGUSR2, SIGCONT, SIGTSTP, SIGWINCH,
                                SIGTTIN, SIGTTOU, SIGALRM, SIGIO,   SIGPWR};
    sigemptyset(set);
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        sigaddset(set, taken[i]);
    for (int realtime = SIGRTMIN; realtime <= SIGRTMAX; realtime++)
        sigaddset(set, realtime);
}

/* Reap orphaned processes: as process 1 of a container we inherit them, and no other process reaps them. */
static void reap_orphans(pid_t child)
{
    for (;;) {
        siginfo_t info = {0};
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0 ||
            info.si_pid == child)
            return; /* the child's end comes first; other zombies vanish when we end */
        waitpid(info.si_pid, NULL, WNOHANG);
    }
}

/* Did a signal of the terminal stop it? Then the shell must see that we stopped. SIGSTOP was meant for the
 * program alone. */
static int is_terminal_stop(int signal_number)
{
    return signal_number == SIGTSTP || signal_number == SIGTTIN || signal_number == SIGTTOU;
}

/* 1: it has ended and is a zombie. */
static int look_at_child(pid_t child)
{
    siginfo_t info = {0};
    reap_orphans(child);
    if (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        return 1;
    if (info.si_pid == child)
        return 1;
    int stopped = run_stopped_by(child);
    if (is_terminal_stop(stopped))
        run_stop_with(child, stopped);
    return 0;
}

/* A shell sends SIGCONT to both of us, so it must not be forwarded again. */
static void pass_on(pid_t child, const siginfo_t *info)
{
    int signal_number = info->si_signo, is_stopped = run_stopped_by(child) != 0;
    int from_terminal = info->si_code == SI_KERNEL;
    if (from_terminal && signal_number == SIGTSTP && is_stopped)
        run_stop_with(child, SIGTSTP); /* by SIGSTOP before: Ctrl-Z stops us alone */
    else if (signal_number != SIGCHLD && (signal_number != SIGCONT || is_stopped) && !from_terminal)
        kill(child, signal_number);
}

/* Wait for its end. Its children are counted from time to time, less often if counting is expensive. */
static void attend(pid_t child, const sigset_t *signals, pit_ended *ended)
{
    uint64_t apart = FIRST_LOOK_NS;
    while (!look_at_child(child)) {
        siginfo_t info;
        struct timespec wait = {(time_t)(apart / SECOND_NS), (long)(apart % SECOND_NS)};
        if (sigtimedwait(signals, &info, &wait) > 0) {
            pass_on(child, &info);
            continue;
        }
        uint64_t before = pit__clock_ns(CLOCK_MONOTONIC);
        ended->children = run_watch_children(child);
        uint64_t least = (pit__clock_ns(CLOCK_MONOTONIC) - before) * LOOK_SHARE;
        if (apart < LAST_LOOK_NS)
            apart *= 2;
        if (apart < least)
            apart = least < SECOND_NS ? least : SECOND_NS;
    }
}

/* ---- what it took ---------------------------------------------------------------------------- */

static uint64_t number_after(const char *text, const char *key)
{
    const char *found = strstr(text, key);
    return found ? strtoull(found + strlen(key), NULL, 10) : PIT_UNKNOWN;
}

/* Works for a zombie too, so it is read before the program is reaped. */
static void read_io(pid_t child, pit_ended *ended)
{
    char path[40], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/io", (long)child);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[got > 0 ? got : 0] = 0;
    ended->read_chars = number_after(text, "rchar: ");
    ended->write_chars = number_after(text, "wchar: ");
    ended->read_bytes = number_after(text, "read_bytes: ");
    ended->write_bytes = number_after(text, "\nwrite_bytes: ");
}

static uint64_t as_ns(struct timeval time)
{
    return (uint64_t)time.tv_sec * SECOND_NS + (uint64_t)time.tv_usec * 1000u;
}

/* Reap it. The exit status to leave with. */
static int take_leave(pid_t child, pit_ended *ended)
{
    struct rusage usage = {0};
    int status = 0;
    read_io(child, ended);
    while (wait4(child, &status, 0, &usage) < 0)
        if (errno != EINTR)
            return EXIT_NOT_STARTED;
    ended->pid = child;
    ended->exit_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ended->exit_status = WIFSIGNALED(status) ? -1 : WEXITSTATUS(status);
    ended->dumped_core = WIFSIGNALED(status) && WCOREDUMP(status);
    ended->user_ns = as_ns(usage.ru_utime);
    ended->system_ns = as_ns(usage.ru_stime);
    ended->rss_peak = (uint64_t)usage.ru_maxrss * 1024;
    ended->minor_faults = (uint64_t)usage.ru_minflt;
    ended->major_faults = (uint64_t)usage.ru_majflt;
    ended->switches = (uint64_t)usage.ru_nvcsw;
    ended->forced_switches = (uint64_t)usage.ru_nivcsw;
    return ended->exit_signal ? EXIT_BY_SIGNAL + ended->exit_signal : ended->exit_status;
}

/* ENOENT although the file exists: its interpreter (from a script's first line) or its loader is missing. */
static int lacks_interpreter(const char *program, int why)
{
    return why == ENOENT && strchr(program, '/') && access(program, F_OK) == 0;
}

static int explain(const struct run_program *program, struct trouble trouble)
{
    const char *name = program->argv[0];
    if (trouble.stage == STARTING)
        return fail(trouble.why == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_STARTED, "cannot start", name,
                    lacks_interpreter(name, trouble.why) ? "its interpreter is missing"
                                                         : strerror(trouble.why));
    const char *wanted = program->wanted ? program->wanted : "";
    return fail(
        EXIT_CANNOT_WRITE, "cannot write the run", program->path[0] ? program->path : wanted,
        trouble.why == EEXIST ? "it exists and is not a regular file" : strerror(trouble.why));
}

/* Fork with our signals blocked, so none arrives before the child's pid is known. */
static pid_t start(struct run_program *program, int report[2], sigset_t *signals)
{
    struct dispositions before;
    struct sigaction default_action = {.sa_handler = SIG_DFL};
    choose_signals(signals);
    sigprocmask(SIG_BLOCK, signals, &before.mask);
    sigaction(SIGCHLD, &default_action, &before.child); /* if ignored, wait would fail */
    fflush(NULL);
    program->ended.start_wall_ns = pit__clock_ns(CLOCK_REALTIME);
    pid_t pid = fork();
    if (pid == 0)
        become(program, &before, report[1]);
    return pid;
}

int run_child(struct run_program *program)
{
    int report[2];
    sigset_t signals;
    if (pipe2(report, O_CLOEXEC) != 0)
        return fail(EXIT_NOT_STARTED, "cannot start", program->argv[0], strerror(errno));
    uint64_t begun = pit__clock_ns(CLOCK_MONOTONIC);
    pid_t child = start(program, report, &signals);
    struct trouble trouble = {STARTING, child < 0 ? errno : 0};
    close(report[1]);
    if (child > 0) {
        if (!program->no_run) /* as the child has made it */
            pit_run_path(program->path, sizeof program->path, program->wanted,
                         (const char *const *)program->argv, child, program->ended.start_wall_ns);
        trouble = read_trouble(report[0]);
        attend(child, &signals, &program->ended);
        program->ended.duration_ns = pit__clock_ns(CLOCK_MONOTONIC) - begun;
    }
    close(report[0]);
    int status = child > 0 ? take_leave(child, &program->ended) : 0;
    run_watch_children(0);
    if (!trouble.why)
        return status;
    program->ended.pid = 0;
    return explain(program, trouble);
}
