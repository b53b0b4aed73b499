/* prog_interrupts WHAT FOLDER N [HOW]: signals, cancellation and jumps that interrupt the recorder.
 *
 *   exit FOLDER N HOW      N children, each with its own run: a handler calls exit(), or closes the run
 *                          and lets the child continue; HOW is plain-exit, memory-exit, plain-close, …
 *   cancel FOLDER N HOW    N threads that record memory spans are cancelled; HOW is deferred or async
 *   jump FOLDER N HOW      N jumps out of a handler; HOW is plain, memory, phase, record, value, deep or
 *                          alternate (the handler has a stack of its own). Then 1,000 spans "after"
 *   storm FOLDER N HOW     N signals; the handler makes every public call in turn; HOW is own or
 *                          alternate
 *   stack FOLDER 1 HOW     the first span on a short stack; HOW is thread, alternate or alternate-wide,
 *                          which is still too short to open a run on
 *
 * Signals come from a second thread, which goes by what has been done so far, never by the time.
 */
#include <pitwall.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define HUNG 70
#ifndef PATIENCE_S
#define PATIENCE_S 300
#endif

static pthread_t main_thread;
static volatile uint64_t progress; /* of the interrupted thread */
static volatile int stop_ticker;
static uint64_t handled, wanted;
static const char *how;
static uint64_t chance = 88172645463325252u;

static uint64_t draw(uint64_t below)
{
    chance ^= chance << 13;
    chance ^= chance >> 7;
    chance ^= chance << 17;
    return chance % below;
}

static int is_how(const char *what)
{
    return strstr(how, what) != NULL;
}

static void handle(int number, void (*handler)(int), int flags)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    action.sa_flags = flags;
    sigaction(number, &action, NULL);
}

static void own_stack(size_t bytes)
{
    stack_t stack;
    memset(&stack, 0, sizeof stack);
    stack.ss_sp = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stack.ss_size = bytes;
    sigaltstack(&stack, NULL);
}

/* ---- what is interrupted --------------------------------------------------------------------- */

static pit_site plain_site = PIT_SITE("plain"), inner_site = PIT_SITE("inner");
static pit_site memory_site = PIT_SITE_WITH("memory", PIT_MEMORY);
static pit_site record_site = PIT_SITE_WITH("record", PIT_MEMORY | PIT_RECORD);

__attribute__((noinline)) static uint64_t deep(int levels)
{
    volatile char room[600];
    room[0] = (char)levels;
    if (levels > 0)
        return deep(levels - 1) + (uint64_t)room[0];
    pit_end(pit_begin(&inner_site));
    return (uint64_t)room[0];
}

static void work(void)
{
    int is_memory = is_how("memory"), is_record = is_how("record");
    pit_token outer = pit_begin(is_memory ? &memory_site : is_record ? &record_site : &plain_site);
    pit_token inner = pit_begin(is_memory ? &memory_site : is_record ? &record_site : &inner_site);
    if (is_how("phase")) {
        PIT_PHASE("first");
        PIT_PHASE("second");
    }
    if (is_how("value"))
        pit_value("loss", 1.0);
    if (is_how("deep"))
        deep((int)draw(3));
    if (is_how("name")) {
        char name[32];
        snprintf(name, sizeof name, "name %d", (int)draw(300));
        pit_end(pit_begin_name(name));
    }
    pit_end(inner);
    pit_end(outer);
    progress++;
}

/* Send a signal as soon as the interrupted thread has done a random number of further operations. */
static void *tick(void *arg)
{
    int number = *(const int *)arg;
    while (!stop_ticker) {
        uint64_t until = progress + 1 + draw(4);
        uint64_t seen = handled;
        while (progress < until && !stop_ticker)
            ;
        for (volatile uint64_t i = draw(2000); i > 0; i--)
            ;
        if (stop_ticker)
            break;
        pthread_kill(main_thread, number);
        while (__atomic_load_n(&handled, __ATOMIC_RELAXED) == seen && !stop_ticker)
            sched_yield();
    }
    return NULL;
}

static pthread_t start_ticker(const int *number)
{
    pthread_t ticker;
    sigset_t all, before;
    sigfillset(&all);
    main_thread = pthread_self();
    pthread_sigmask(SIG_SETMASK, &all, &before);
    if (pthread_create(&ticker, NULL, tick, (void *)(uintptr_t)number) != 0)
        exit(71);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return ticker;
}

/* ---- exit and close in a handler -------------------------------------------------------------- */

static const int term = SIGTERM, user = SIGUSR1;

static void on_term(int number)
{
    (void)number;
    __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
    if (is_how("exit"))
        exit(0);
    int code = pit_close();
    if (code != 0 && code != PIT_NOT_OPEN)
        _exit(72);
}

static int child(const char *folder, int number)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d.pit", folder, number);
    chance += (uint64_t)number * 7919u;
    if (pit_open(path, NULL) != 0)
        return 66;
    handle(SIGTERM, on_term, 0);
    pthread_t ticker = start_ticker(&term);
    while (__atomic_load_n(&handled, __ATOMIC_RELAXED) == 0)
        work();
    stop_ticker = 1;
    for (int i = 0; i < 100; i++)
        work();
    pthread_join(ticker, NULL);
    return 0;
}

/* Its status, or HUNG. */
static int wait_for(pid_t pid)
{
    struct timespec pause = {0, 1000000};
    int status;
    for (long i = 0; i < PATIENCE_S * 1000L; i++) {
        if (waitpid(pid, &status, WNOHANG) == pid)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        nanosleep(&pause, NULL);
    }
    kill(pid, SIGKILL);
    waitpid(pid, &status, 0);
    return HUNG;
}

static int exits(const char *folder, int count)
{
    int bad = 0;
    for (int i = 0; i < count; i++) {
        pid_t pid = fork();
        if (pid == 0)
            exit(child(folder, i));
        int status = wait_for(pid);
        if (status != 0) {
            printf("child %d: status %d%s\n", i, status, status == HUNG ? ", it hung" : "");
            bad = 1;
        }
    }
    return bad;
}

/* ---- cancelled threads ------------------------------------------------------------------------ */

static void *cancelled(void *arg)
{
    pthread_setcanceltype(is_how("async") ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED,
                          NULL);
    for (;;) {
        work();
        pthread_testcancel();
    }
    return arg;
}

static int cancels(const char *path, int count)
{
    if (pit_open(path, NULL) != 0)
        return 66;
    for (int i = 0; i < count; i++) {
        pthread_t thread;
        uint64_t until = progress + 1 + draw(20);
        if (pthread_create(&thread, NULL, cancelled, NULL) != 0)
            return 71;
        while (progress < until)
            ;
        for (volatile uint64_t k = draw(3000); k > 0; k--)
            ;
        pthread_cancel(thread);
        pthread_join(thread, NULL);
        pit_end(pit_begin(&record_site));
    }
    return -pit_close();
}

/* ---- jumps ------------------------------------------------------------------------------------- */

static sigjmp_buf back;

static void on_user(int number)
{
    (void)number;
    __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
    pit_end(pit_begin_name("handler"));
    siglongjmp(back, 1);
}

static int jumps(const char *path, int count)
{
    if (pit_open(path, NULL) != 0)
        return 66;
    int is_alternate = is_how("alternate");
    if (is_alternate)
        own_stack(65536);
    handle(SIGUSR1, on_user, is_alternate ? SA_ONSTACK : 0);
    pthread_t ticker = 0;
    static volatile pit_token round; /* its end removes what a jump left open inside */
    static pit_site round_site = PIT_SITE("round");
    wanted = (uint64_t)count;
    if (sigsetjmp(back, 1) == 0)
        ticker = start_ticker(&user);
    while (__atomic_load_n(&handled, __ATOMIC_RELAXED) < wanted) {
        pit_end(round);
        round = pit_begin(&round_site);
        for (int i = 0; i < 8; i++)
            work();
    }
    signal(SIGUSR1, SIG_IGN);
    stop_ticker = 1;
    pthread_join(ticker, NULL);
    for (int i = 0; i < 1000; i++)
        pit_end(pit_begin_with("after", is_how("memory") ? PIT_MEMORY : 0));
    return -pit_close();
}

/* ---- every call there is ------------------------------------------------------------------------ */

static const char *run_path;
static pit_recorder *other;

static void more_calls(uint64_t which)
{
    pit_options quiet = {.in_memory = 1, .sample_hz = -1};
    pit_figure figure = {"k", 1, "s"};
    pit_status status;
    size_t bytes;
    pit_stack *stack;
    pit_recorder *mine;
    switch (which) {
    case 0:
        pit_label("key", "value");
        break;
    case 1:
        pit_journal("stage", "text", &figure, 1, 0);
        break;
    case 2:
        pit_get_status(NULL, &status);
        pit_recorder_memory(NULL, &bytes);
        pit_recorder_find(run_path);
        break;
    case 3:
        stack = pit_stack_new();
        pit_stack_free(stack);
        break;
    case 4:
        mine = pit_recorder_open(NULL, &quiet, NULL);
        pit_recorder_end(mine, pit_recorder_begin(mine, &plain_site));
        pit_recorder_close(mine);
        pit_recorder_free(mine);
        break;
    case 5:
        pit_open(NULL, NULL);
        pit_thread_name("main");
        pit_set_device(pit_get_device());
        pit_strerror(0);
        break;
    default:
        pit_recorder_end(other, pit_recorder_begin_name(other, "other"));
    }
}

static void few_calls(uint64_t which)
{
    pit_probe probe;
    pit_object object;
    pit_token token;
    switch (which) {
    case 0:
        token = pit_begin(&plain_site);
        pit_items(1);
        pit_bytes(1);
        pit_flops(1);
        pit_age_ns(token);
        pit_end_ns(token);
        break;
    case 1:
        pit_end(pit_begin(&record_site));
        break;
    case 2:
        pit_rss();
        break;
    case 3:
        pit_probe_begin(&probe);
        pit_probe_end(&probe);
        break;
    case 4:
        object = pit_object_begin_name("object");
        pit_object_end(&object);
        break;
    case 5:
        token = pit_begin_with("with", PIT_RECORD);
        PIT_PHASE("phase in a handler");
        pit_phase_end();
        pit_end_out_of_order(token);
        break;
    case 6:
        pit_value("in a handler", 1);
        pit_cancel(pit_begin_name("dropped"));
        break;
    default:
        pit_set_root(pit_position());
    }
}

static void on_storm(int number)
{
    (void)number;
    uint64_t which = __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
    few_calls(which % 8);
    if (which % 16 == 0)
        more_calls(which / 16 % 7);
}

static int storm(const char *path, int count)
{
    pit_options quiet = {.in_memory = 1, .sample_hz = -1};
    run_path = path;
    if (pit_open(path, NULL) != 0)
        return 66;
    other = pit_recorder_open(NULL, &quiet, NULL);
    if (is_how("alternate"))
        own_stack(65536);
    handle(SIGALRM, on_storm, (is_how("alternate") ? SA_ONSTACK : 0) | SA_RESTART);
    timer_t timer;
    struct sigevent event;
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGALRM;
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0)
        return 71;
    struct itimerspec every = {{0, 100000}, {0, 100000}}, never = {{0, 0}, {0, 0}};
    timer_settime(timer, 0, &every, NULL);
    sigset_t alarms, before;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    static const char *const kinds[] = {"plain",       "memory", "phase record",
                                        "value phase", "name",   "deep"};
    for (uint64_t i = 0; __atomic_load_n(&handled, __ATOMIC_RELAXED) < (uint64_t)count; i++) {
        how = kinds[i / 64 % 6];
        work();
        pit_recorder_end(other, pit_recorder_begin(other, &inner_site));
    }
    timer_settime(timer, 0, &never, NULL);
    pthread_sigmask(SIG_BLOCK, &alarms, &before);
    for (int i = 0; i < 1000; i++)
        pit_end(pit_begin_name("after"));
    pit_recorder_free(other);
    return -pit_close();
}

/* ---- short stacks -------------------------------------------------------------------------------- */

static void *on_short_stack(void *arg)
{
    pit_end(pit_begin(&plain_site));
    pit_end(pit_begin(&record_site));
    pit_label("key", "value");
    pit_journal("stage", "text", NULL, 0, 0);
    pit_rss();
    return arg;
}

static void on_short(int number)
{
    (void)number;
    on_short_stack(NULL);
}

static int stacks(void)
{
    if (is_how("alternate")) {
        own_stack((size_t)sysconf(_SC_MINSIGSTKSZ) + (is_how("wide") ? 24576 : 4096));
        handle(SIGUSR1, on_short, SA_ONSTACK);
        raise(SIGUSR1);
    } else {
        pthread_attr_t attributes;
        pthread_t thread;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN));
        if (pthread_create(&thread, &attributes, on_short_stack, NULL) != 0)
            return 71;
        pthread_join(thread, NULL);
    }
    for (int i = 0; i < 1000; i++)
        pit_end(pit_begin_name("after"));
    /* spans that are already open fit */
    if (is_how("alternate"))
        raise(SIGUSR1);
    return -pit_close();
}

int main(int argc, char **argv)
{
    char path[4096];
    if (argc != 5)
        return 64;
    how = argv[4];
    int count = atoi(argv[3]);
    snprintf(path, sizeof path, "%s/run.pit", argv[2]);
    if (strcmp(argv[1], "exit") == 0)
        return exits(argv[2], count);
    if (strcmp(argv[1], "cancel") == 0)
        return cancels(path, count);
    if (strcmp(argv[1], "jump") == 0)
        return jumps(path, count);
    if (strcmp(argv[1], "storm") == 0)
        return storm(path, count);
    if (strcmp(argv[1], "stack") == 0)
        return stacks();
    return 64;
}
