/* top_terminal.c: sets up the terminal and always restores it.
 *
 * Signals that can wait (SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT) are blocked except while the
 * loop waits; their handlers only set a flag, and the loop acts on it. Handlers of fatal signals (SIGSEGV
 * and similar) write the closing sequences with async-signal-safe calls and then raise the signal again.
 * top_guard.c handles SIGKILL.
 */
#define NCURSES_NOMACROS 1

#include "top.h"

#include "reader/live_map.h"

#include <errno.h>
#include <ncurses.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

volatile int terminal_signal;

static volatile sig_atomic_t is_taken, must_stop, was_continued;
static struct termios saved;
static char leave[256]; /* the sequences that restore the terminal */
static size_t leave_bytes;
static SCREEN *screen;
static sigset_t held, before;

/* ---- crashes ------------------------------------------------------------------------------- */

static void give_back(void)
{
    if (!is_taken)
        return;
    is_taken = 0;
    if (write(STDOUT_FILENO, leave, leave_bytes) < 0) {
        /* there is nowhere to report it */
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &saved);
    guard_tell('b');
}

static void on_crash(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    /* a run was truncated while read: the next update reports it */
    if (number == SIGBUS && pit__live_mend(info->si_addr))
        return;
    give_back();
    signal(number, SIG_DFL);
    raise(number);
}

static void catch_crashes(void)
{
    static char stack[65536]; /* separate, because the normal stack may be full */
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction action = {.sa_sigaction = on_crash};
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaltstack(&alternate, NULL);
    for (size_t i = 0; i < sizeof crashes / sizeof crashes[0]; i++)
        sigaction(crashes[i], &action, NULL);
}

/* ---- signals that can wait ----------------------------------------------------------------- */

static void on_signal(int number)
{
    if (number == SIGTSTP)
        must_stop = 1;
    else if (number == SIGCONT)
        was_continued = 1;
    else
        terminal_signal = number;
}

static void catch_signals(void)
{
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};
    struct sigaction action = {.sa_handler = on_signal};
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++) {
        struct sigaction old;
        /* signals that were ignored from the start (nohup, a shell without job control) stay ignored */
        if (sigaction(caught[i], NULL, &old) == 0 && old.sa_handler == SIG_IGN)
            continue;
        sigaction(caught[i], &action, NULL);
        sigaddset(&held, caught[i]);
    }
    sigprocmask(SIG_BLOCK, &held, &before);
}

static void take_again(void)
{
    reset_prog_mode();
    clearok(curscr, TRUE);
    refresh();
    is_taken = 1;
    guard_tell('t');
}

/* Ctrl-Z: the shell gets the terminal until we are continued. */
static void stop(void)
{
    struct sigaction plain = {.sa_handler = SIG_DFL}, own;
    sigset_t only;
    must_stop = 0;
    is_taken = 0;
    def_prog_mode();
    endwin();
    guard_tell('b');
    sigaction(SIGTSTP, &plain, &own);
    sigemptyset(&only);
    sigaddset(&only, SIGTSTP);
    raise(SIGTSTP);
    sigprocmask(SIG_UNBLOCK, &only, NULL); /* stops here */
    sigprocmask(SIG_BLOCK, &only, NULL);
    sigaction(SIGTSTP, &own, NULL);
    was_continued = 0;
    take_again();
}

/* ---- open and close ------------------------------------------------------------------------ */

static int add_leave(int c)
{
    if (leave_bytes < sizeof leave)
        leave[leave_bytes++] = (char)c;
    return c;
}

static void collect_leave(void)
{
    static const char *const names[] = {"sgr0", "op", "rmkx", "cnorm", "rmcup"};
    leave_bytes = 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *text = tigetstr(names[i]);
        if (text && text != (char *)-1)
            tputs(text, 1, add_leave);
    }
    add_leave('\r');
}

static void set_colours(int colour)
{
    static const short colours[TOP_STYLES] = {[TOP_GOOD] = COLOR_GREEN,
                                              [TOP_COOL] = COLOR_CYAN,
                                              [TOP_WARM] = COLOR_YELLOW,
                                              [TOP_HOT] = COLOR_RED};
    if (!colour || !has_colors() || start_color() == ERR)
        return;
    use_default_colors();
    for (int i = 0; i < TOP_STYLES; i++)
        if (colours[i])
            init_pair((short)i, colours[i], -1);
}

/* Is this type of terminal known? newterm would leak memory if it is not. */
static int is_described(void)
{
    int answer;
    if (setupterm(NULL, STDOUT_FILENO, &answer) != OK)
        return 0;
    del_curterm(cur_term);
    return 1;
}

int terminal_open(int colour)
{
    if (tcgetattr(STDIN_FILENO, &saved) != 0 || !is_described())
        return -1;
    fflush(stdout);
    set_escdelay(25);
    catch_signals();
    screen = newterm(NULL, stdout, stdin);
    if (!screen) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return -1;
    }
    collect_leave();
    guard_start(&saved, leave, leave_bytes);
    catch_crashes();
    atexit(terminal_close);
    cbreak();
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    curs_set(0);
    set_colours(colour);
    refresh();
    is_taken = 1;
    guard_tell('t');
    return 0;
}

void terminal_close(void)
{
    if (!screen)
        return;
    endwin();
    tcsetattr(STDIN_FILENO, TCSADRAIN,
              &saved); /* the original state, not the one that curses saved */
    is_taken = 0;
    guard_tell('b');
    delscreen(screen);
    screen = NULL;
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* ---- waiting ------------------------------------------------------------------------------- */

int terminal_wait(double seconds)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    int ready = ppoll(&input, 1, &time, &before);
    /* the terminal is gone without a signal */
    if (ready > 0 && (input.revents & (POLLHUP | POLLERR | POLLNVAL)))
        terminal_signal = SIGHUP;
    if (must_stop)
        stop();
    if (was_continued) { /* after a stop that could not be caught */
        was_continued = 0;
        take_again();
        return 1;
    }
    return ready != 0;
}

int terminal_key(void)
{
    int key = getch();
    return key == ERR ? -1 : key;
}
