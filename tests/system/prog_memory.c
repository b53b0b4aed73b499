/* prog_memory WHAT RUN …: allocates and frees known amounts of memory inside spans that measure it.
 *
 *   script RUN FLAGS STEP…    threads that do one step after another, in the order given. A step
 *                             is the thread's number (0 to 7), a letter and an argument:
 *                               b NAME  begin a span with FLAGS   e     end the innermost
 *                               E N     end the N-th from outside, and so abandon what is inside
 *                               g KB    hold KB more              d     let go what was held last
 *                               q       the thread ends; a step for it later starts another
 *                             FLAGS d: all spans of the recorder measure, by options.span_flags
 *   cost RUN N FLAGS          N empty spans with FLAGS two plain spans deep; prints the wall time
 *                             in nanoseconds that the outer one took
 *   fork RUN                  a child of fork measures its own memory while the parent's span is
 *                             open
 *   closed RUN FILES FOLDER   closes all descriptors it can see, opens FILES files of its own, goes
 *                             on measuring, and fails if any of the files was touched
 *   starved RUN               has no descriptor left when it measures for the first time
 *   handler RUN               a signal handler measures in a recorder of its own; prints how often
 */
#include "memory_holder.h"

#include <pitwall.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KB ((size_t)1024)
#define MB ((size_t)1024 * 1024)

static void fail(const char *what)
{
    fprintf(stderr, "prog_memory: %s: %s\n", what, strerror(errno));
    exit(70);
}

static void open_run(const char *path, unsigned span_flags)
{
    pit_options options = {.span_flags = span_flags};
    if (pit_open(path, &options) != PIT_OK)
        fail(path);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- script -------------------------------------------------------------------------------- */

#define WORKERS 8
#define DEPTH 64

struct worker {
    pthread_t thread;
    int is_running;
    const char *step; /* to be done; NULL: done */
    pit_token tokens[DEPTH];
    int depth;
    struct holder held;
};

static struct worker workers[WORKERS];
static unsigned flags;
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

/* Returns 0 if the thread must end. */
static int do_step(struct worker *w, const char *step)
{
    switch (step[0]) {
    case 'b':
        w->tokens[w->depth++] = pit_begin_with(step + 1, flags);
        return 1;
    case 'e':
        pit_end(w->tokens[--w->depth]);
        return 1;
    case 'E':
        w->depth = atoi(step + 1) - 1;
        pit_end(w->tokens[w->depth]);
        return 1;
    case 'g':
        hold(&w->held, (size_t)atoi(step + 1) * KB);
        return 1;
    case 'd':
        let_go(&w->held);
        return 1;
    case 'q':
        w->depth = 0;
        return 0;
    default:
        errno = EINVAL;
        fail(step);
        return 0;
    }
}

static void *work(void *argument)
{
    struct worker *w = argument;
    int goes_on = 1;
    while (goes_on) {
        pthread_mutex_lock(&turn);
        while (!w->step)
            pthread_cond_wait(&changed, &turn);
        goes_on = do_step(w, w->step);
        w->step = NULL;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&turn);
    }
    return NULL;
}

static void give_step(struct worker *w, const char *step)
{
    if (!w->is_running && pthread_create(&w->thread, NULL, work, w) != 0)
        fail("pthread_create");
    w->is_running = 1;
    pthread_mutex_lock(&turn);
    w->step = step;
    pthread_cond_broadcast(&changed);
    while (w->step)
        pthread_cond_wait(&changed, &turn);
    pthread_mutex_unlock(&turn);
    if (step[0] == 'q') {
        pthread_join(w->thread, NULL);
        w->is_running = 0;
    }
}

static int run_script(char **arguments)
{
    int by_options = arguments[1][0] == 'd';
    flags = by_options ? 0 : (unsigned)atoi(arguments[1]);
    open_run(arguments[0], by_options ? PIT_MEMORY | PIT_RECORD : 0);
    for (char **step = arguments + 2; *step; step++) {
        unsigned number = (unsigned)((*step)[0] - '0');
        if (number >= WORKERS)
            fail(*step);
        give_step(&workers[number], *step + 1);
    }
    for (struct worker *w = workers; w < workers + WORKERS; w++)
        if (w->is_running)
            give_step(w, "q");
    return pit_close() ? 70 : 0;
}

/* ---- cost ---------------------------------------------------------------------------------- */

static int run_cost(char **arguments)
{
    int n = atoi(arguments[1]);
    unsigned asked = (unsigned)atoi(arguments[2]);
    open_run(arguments[0], 0);
    pit_end(pit_begin_with("warm", asked));
    uint64_t start = now_ns();
    PIT_SPAN("outer") {
        PIT_SPAN("middle") {
            for (int i = 0; i < n; i++)
                pit_end(pit_begin_with("inner", asked));
        }
    }
    printf("%llu\n", (unsigned long long)(now_ns() - start));
    return pit_close() ? 70 : 0;
}

/* ---- fork ---------------------------------------------------------------------------------- */

static int run_fork(char **arguments)
{
    struct holder own = {{0}, {0}, 0};
    /* With the thread sanitizer, the child of a process with threads cannot start one. */
    pit_options options = {.sample_hz = -1};
    if (pit_open(arguments[0], &options) != PIT_OK)
        fail(arguments[0]);
    PIT_SPAN_WITH("parent", PIT_MEMORY | PIT_RECORD)
    {
        hold(&own, 100 * MB);
        pid_t pid = fork();
        if (pid < 0)
            fail("fork");
        if (pid == 0) {
            PIT_SPAN_WITH("child", PIT_MEMORY | PIT_RECORD)
            {
                hold(&own, 60 * MB);
                let_go(&own);
            }
            exit(pit_close() ? 70 : 0);
        }
        int status = 0;
        if (waitpid(pid, &status, 0) != pid || status != 0)
            fail("child");
        let_go(&own);
    }
    return pit_close() ? 70 : 0;
}

/* ---- closed -------------------------------------------------------------------------------- */

static const char content[] = "nobody's but mine";

static void check_untouched(int fd)
{
    struct stat found;
    char text[sizeof content + 8] = "";
    if (fstat(fd, &found) != 0 || pread(fd, text, sizeof text, 0) < 0)
        fail("one of its own files");
    if (found.st_size != (off_t)sizeof content || memcmp(text, content, sizeof content) != 0 ||
        lseek(fd, 0, SEEK_CUR) != (off_t)sizeof content) {
        fprintf(stderr, "prog_memory: descriptor %d was written to: %lld bytes at %lld\n", fd,
                (long long)found.st_size, (long long)lseek(fd, 0, SEEK_CUR));
        exit(71);
    }
}

static void close_all(void)
{
    for (int fd = 3; fd < 4096; fd++)
        close(fd);
}

/* Enough new nodes that the run has to grow. */
static void make_nodes(void)
{
    char name[32];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "node %d", i);
        pit_end(pit_begin_name(name));
    }
}

static void measure(const char *name)
{
    struct holder held = {{0}, {0}, 0};
    pit_token token = pit_begin_with(name, PIT_MEMORY | PIT_RECORD);
    hold(&held, 30 * MB);
    let_go(&held);
    hold(&held, 10 * MB);
    pit_end(token);
    let_go(&held);
}

static int run_closed(char **arguments)
{
    int count = atoi(arguments[1]), *files = calloc((size_t)count, sizeof *files);
    struct rlimit limit = {4096, 4096};
    char path[4096];
    if (!files || setrlimit(RLIMIT_NOFILE, &limit) != 0)
        fail("RLIMIT_NOFILE");
    open_run(arguments[0], 0);
    measure("before");
    pit_token open_meanwhile = pit_begin_with("meanwhile", PIT_MEMORY | PIT_RECORD);
    close_all();
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%d", arguments[2], i);
        files[i] = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
        if (files[i] < 0 || write(files[i], content, sizeof content) != (ssize_t)sizeof content)
            fail(path);
    }
    measure("inside");
    pit_end(open_meanwhile);
    measure("after");
    make_nodes();
    int code = pit_close();
    for (int i = 0; i < count; i++)
        check_untouched(files[i]);
    free(files);
    printf("%d\n", code);
    return 0;
}

static int run_starved(char **arguments)
{
    struct rlimit limit = {64, 64};
    open_run(arguments[0], 0);
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        fail("RLIMIT_NOFILE");
    int first = dup(0);
    while (dup(0) >= 0) {
    }
    measure("first");
    measure("second");
    int code = pit_close();
    close(first); /* a sanitizer needs one when the process ends */
    return code ? 70 : 0;
}

/* ---- handler ------------------------------------------------------------------------------- */

static pit_recorder *own;
static volatile uint64_t handled;

static void on_timer(int number)
{
    (void)number;
    pit_recorder_end(own, pit_recorder_begin_name(own, "handler"));
    handled++;
}

static int run_handler(char **arguments)
{
    pit_options options = {.span_flags = PIT_MEMORY, .in_memory = 1, .sample_hz = -1};
    struct sigaction action = {.sa_handler = on_timer, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 50}, {0, 50}};
    open_run(arguments[0], 0);
    own = pit_recorder_open(NULL, &options, NULL);
    if (!own)
        fail("a second recorder");
    on_timer(0); /* its table is created here, not in the handler */
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    int spans = 0;
    for (uint64_t end = now_ns() + 1000000000u; now_ns() < end || handled < 20 || spans < 20;
         spans++)
        pit_end(pit_begin_with("main", PIT_MEMORY));
    timer = (struct itimerval){{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &timer, NULL);
    printf("%llu\n", (unsigned long long)handled);
    pit_recorder_free(own);
    return pit_close() ? 70 : 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int arguments; /* at least */
        int (*run)(char **arguments);
    } kinds[] = {{"script", 3, run_script},   {"cost", 3, run_cost},
                 {"fork", 1, run_fork},       {"closed", 3, run_closed},
                 {"starved", 1, run_starved}, {"handler", 1, run_handler}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (argc > 2 && strcmp(argv[1], kinds[i].name) == 0 && argc - 2 >= kinds[i].arguments)
            return kinds[i].run(argv + 2);
    fprintf(stderr, "usage: prog_memory script|cost|fork|closed|starved|handler RUN …\n");
    return 64;
}
