/* What a program can do with its functions: called CASE. Built by test_functions.py with
 * -finstrument-functions; its output is the same with and without Pitwall. */
#define _GNU_SOURCE

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int shared_work(int n); /* of the library */

#define OUTSIDE __attribute__((no_instrument_function))
#define ALONE __attribute__((noinline))

static volatile int sink;

/* ---- calls in calls ---------------------------------------------------------------------------- */

static ALONE void leaf(void)
{
    sink++;
}

static ALONE void branch(void)
{
    leaf();
    leaf();
}

static inline __attribute__((always_inline)) void expanded(void)
{
    leaf();
}

static void calls(void)
{
    for (int i = 0; i < 10; i++) {
        branch();
        expanded();
    }
    sink += shared_work(5);
}

/* Arguments that do not fit into registers: the compiler removes them from the stack later, so the stack
 * differs between the hooks of this function and those of what is expanded in it. */
static ALONE void with_many(int a, int b, int c, int d, int e, int f, int g, int h)
{
    sink += a + b + c + d + e + f + g + h;
}

static ALONE void expanding(int n)
{
    with_many(n, 1, 2, 3, 4, 5, 6, n);
    expanded();
    with_many(n, 2, 3, 4, 5, 6, n, n);
    expanded();
    with_many(n, n, 3, 4, 5, 6, n, 8);
    expanded();
}

static void many_arguments(void)
{
    for (int i = 0; i < 10; i++)
        expanding(i);
}

/* ---- left by longjmp --------------------------------------------------------------------------- */

static jmp_buf place;

static ALONE void thrower(int depth)
{
    if (depth == 0)
        longjmp(place, 1);
    thrower(depth - 1);
    sink++;
}

static ALONE void catcher(void)
{
    if (setjmp(place) == 0)
        thrower(3);
    leaf();
}

static void jumps(void)
{
    for (int i = 0; i < 20; i++)
        catcher();
}

static void jumps_in_a_loop(void)
{
    for (volatile int i = 0; i < 2000; i++)
        if (setjmp(place) == 0)
            thrower(1);
    leaf();
}

/* ---- recursion --------------------------------------------------------------------------------- */

static ALONE int deep(int n)
{
    return n ? 1 + deep(n - 1) : 0;
}

static ALONE int odd(int n);

static ALONE int even(int n)
{
    return n ? odd(n - 1) : 1;
}

static ALONE int odd(int n)
{
    return n ? even(n - 1) : 0;
}

static void recursion(void)
{
    printf("%d %d\n", deep(10), deep(5000));
    printf("%d\n", even(5000));
    leaf();
}

/* ---- threads, signals, fork -------------------------------------------------------------------- */

static void *on_thread(void *argument)
{
    for (int i = 0; i < 1000; i++)
        branch();
    return argument;
}

static void threads(void)
{
    pthread_t thread[8];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 8; i++)
            pthread_create(&thread[i], NULL, on_thread, NULL);
        for (int i = 0; i < 8; i++)
            pthread_join(thread[i], NULL);
    }
}

static void in_handler(int number)
{
    (void)number;
    leaf();
}

static ALONE void interrupted(void)
{
    raise(SIGUSR1);
    leaf();
}

/* On a stack of its own that lies above the thread's, and below it. */
static void handlers(void)
{
    static char below[1 << 16];
    char above[1 << 16];
    struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_ONSTACK};
    char *stacks[] = {above, below};
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 2; i++) {
        stack_t stack = {.ss_sp = stacks[i], .ss_size = sizeof above};
        sigaltstack(&stack, NULL);
        for (int k = 0; k < 5; k++)
            interrupted();
    }
    stack_t off = {.ss_flags = SS_DISABLE};
    sigaltstack(&off, NULL);
}

static void many_signals(void)
{
    struct sigaction action = {.sa_handler = in_handler, .sa_flags = SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    struct itimerspec often = {{0, 20000}, {0, 20000}}, never = {{0, 0}, {0, 0}};
    timer_create(CLOCK_MONOTONIC, &event, &timer);
    timer_settime(timer, 0, &often, NULL);
    for (int i = 0; i < 200000; i++)
        branch();
    timer_settime(timer, 0, &never, NULL);
}

static void forks(void)
{
    leaf();
    fflush(stdout);
    for (int i = 0; i < 2; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            branch();
            exit(0);
        }
        waitpid(pid, NULL, 0);
    }
}

/* ---- before main, after it, called back -------------------------------------------------------- */

__attribute__((constructor)) static void before_main(void)
{
    leaf();
}

static void after_main(void)
{
    leaf();
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void called_back(void)
{
    int numbers[] = {3, 1, 2};
    atexit(after_main);
    qsort(numbers, 3, sizeof numbers[0], compare);
    printf("%d%d%d\n", numbers[0], numbers[1], numbers[2]);
}

OUTSIDE int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"calls", calls},         {"many_arguments", many_arguments},
                 {"jumps", jumps},         {"jumps_in_a_loop", jumps_in_a_loop},
                 {"recursion", recursion}, {"threads", threads},
                 {"handlers", handlers},   {"many_signals", many_signals},
                 {"forks", forks},         {"called_back", called_back}};
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof cases[0]; i++)
        if (strcmp(argv[1], cases[i].name) == 0) {
            cases[i].run();
            printf("%s done\n", argv[1]);
            return 0;
        }
    return 1;
}
