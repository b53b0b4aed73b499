/* top_guard.c: restores the terminal after SIGKILL, which a process cannot catch.
 *
 * The guard is a child in a separate session that sleeps on a pipe. If the pipe ends while `top` uses the
 * terminal, the guard leaves the alternate screen, shows the cursor and resets the modes, unless another
 * process (the shell's line editor) has set them already.
 */
#include "top.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

static int to_guard = -1;

static int same_modes(const struct termios *a, const struct termios *b)
{
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_lflag == b->c_lflag &&
           memcmp(a->c_cc, b->c_cc, sizeof a->c_cc) == 0;
}

static void give_back(const struct termios *saved, const struct termios *taken, const char *leave,
                      size_t bytes)
{
    struct termios now;
    if (tcgetattr(STDIN_FILENO, &now) == 0 && same_modes(&now, taken))
        tcsetattr(STDIN_FILENO, TCSANOW, saved);
    while (bytes > 0) {
        ssize_t wrote = write(STDOUT_FILENO, leave, bytes);
        if (wrote <= 0)
            return;
        leave += wrote;
        bytes -= (size_t)wrote;
    }
}

static _Noreturn void watch_over(int pipe, const struct termios *saved, const char *leave,
                                 size_t bytes)
{
    char what = 'b', next;
    struct termios taken = *saved;
    setsid(); /* signals for the job do not reach it, and it may set terminal modes from outside the job */
    prctl(PR_SET_NAME, "pitwall-guard");
    for (int i = 1; i < NSIG; i++)
        signal(i, SIG_DFL);
    while (read(pipe, &next, 1) == 1) {
        what = next;
        if (what == 't')
            tcgetattr(STDIN_FILENO, &taken);
    }
    if (what == 't')
        give_back(saved, &taken, leave, bytes);
    _exit(0);
}

void guard_start(const struct termios *saved, const char *leave, size_t bytes)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        watch_over(ends[0], saved, leave, bytes);
    }
    close(ends[0]);
    to_guard = child < 0 ? -1 : ends[1];
    if (child < 0)
        close(ends[1]);
}

/* Also called by signal handlers. */
void guard_tell(char what)
{
    /* the guard has ended */
    if (to_guard >= 0 && write(to_guard, &what, 1) != 1)
        to_guard = -1;
}
