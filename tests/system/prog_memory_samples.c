/* prog_memory_samples WHAT RUN …: known work for the sampler to read. Where stated, it
 * waits for a line on its standard input.
 *
 *   rest RUN MB          holds MB, writes a file, burns some CPU time, says "rest", waits; closes
 *   bare RUN MB          the same on a kernel that gives the sampler no descriptors of its own
 *   strangers RUN MB MS  opens a run, closes all descriptors, opens files and a pipe of its own under
 *                        their numbers, holds MB for MS; prints how many of them were touched
 *   pipe RUN             closes the writing end of a pipe that was open before the run; prints 1 if
 *                        the reading end has ended
 *   spin RUN MS HZ       runs for MS with sample_hz HZ, 0: the environment's; with MS 0 it says "open" and
 *                        runs until its standard input ends
 *   signals RUN N        sends itself N signals from outside the recorder's thread; prints how many
 *                        were handled, and how many of them on a thread called pitwall
 *   threads RUN HZ       prints how many threads there are before open, after, in a forked child,
 *                        after close
 *   starved RUN NS       shares a processor with a child that burns it, until the main thread has been
 *                        ready and without a processor for NS more; prints n/a where the kernel does
 *                        not count that
 *   peak RUN WHEN        150 MB for a moment: before, between or after two memory spans, or none:
 *                        in a run without any; other: between two of another recorder
 */
#include "memory_holder.h"

#include <pitwall.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#define MB ((size_t)1 << 20)

static void fail(const char *what)
{
    fprintf(stderr, "prog_memory_samples: %s: %s\n", what, strerror(errno));
    exit(70);
}

static uint64_t now_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void open_run(const char *path, double hz)
{
    pit_options options = {.sample_hz = hz};
    if (pit_open(path, &options) != PIT_OK)
        fail(path);
}

/* ---- rest ---------------------------------------------------------------------------------- */

static void use_disk(const char *run)
{
    char path[4096];
    static char block[1 << 20];
    snprintf(path, sizeof path, "%s.data", run);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    for (int i = 0; i < 8; i++)
        if (fd < 0 || write(fd, block, sizeof block) != (ssize_t)sizeof block)
            fail(path);
    if (fsync(fd) != 0)
        fail(path);
    close(fd);
}

static int run_rest(char **arguments)
{
    struct holder held = {{0}, {0}, 0};
    char line[8];
    open_run(arguments[0], 100);
    hold(&held, (size_t)atoi(arguments[1]) * MB);
    use_disk(arguments[0]);
    while (now_ns(CLOCK_PROCESS_CPUTIME_ID) < 300000000u) {
    }
    puts("rest");
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin))
        return 70;
    return pit_close() ? 70 : 0;
}

/* ---- descriptors --------------------------------------------------------------------------- */

/* As before Linux 5.9, close_range does not exist. */
static int run_bare(char **arguments)
{
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 436, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {sizeof steps / sizeof steps[0], steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        fail("seccomp");
    return run_rest(arguments);
}

static void rest_ms(long ms)
{
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

#define STRANGERS 1000 /* more than the numbers of our descriptors */
#define FIRST_STRANGER 3

/* With bare system calls, so that a sanitizer does not notice that its descriptors are closed. */
static int run_strangers(char **arguments)
{
    static const char text[] = "1 999999999 1 1 1 1 1\n"; /* as if it were one of the sampler's */
    struct holder held = {{0}, {0}, 0};
    struct rlimit room = {STRANGERS + 50, STRANGERS + 50};
    char path[4096];
    int touched = 0, ends[2];
    snprintf(path, sizeof path, "%s.data", arguments[0]);
    setrlimit(RLIMIT_NOFILE, &room);
    open_run(arguments[0], 100);
    rest_ms(100);
    for (int fd = FIRST_STRANGER; fd < STRANGERS + 50; fd++)
        syscall(SYS_close, fd);
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CREAT, 0600);
    if (file != FIRST_STRANGER || syscall(SYS_write, file, text, strlen(text)) < 0 ||
        syscall(SYS_lseek, file, 0L, SEEK_SET) != 0)
        fail(path);
    if (syscall(SYS_pipe2, ends, 0) != 0 || syscall(SYS_write, ends[1], text, strlen(text)) < 0)
        fail("pipe");
    for (int i = 0; i < STRANGERS / 2; i++) /* each with a place in the file of its own */
        if (syscall(SYS_openat, AT_FDCWD, path, O_RDWR) < 0 || syscall(SYS_dup, ends[0]) < 0)
            fail(path);
    hold(&held, (size_t)atoi(arguments[1]) * MB);
    rest_ms(atol(arguments[2]));
    for (int fd = FIRST_STRANGER; fd < STRANGERS; fd++)
        touched += syscall(SYS_lseek, fd, 0L, SEEK_CUR) > 0;
    int waiting = 0;
    if (ioctl(ends[0], FIONREAD, &waiting) != 0 || waiting != (int)strlen(text))
        touched++;
    pit_close(); /* the run's own descriptor was closed too, so the result does not matter */
    for (int fd = FIRST_STRANGER; fd < STRANGERS; fd++)
        touched += syscall(SYS_fcntl, fd, F_GETFD) < 0;
    printf("%d\n", touched);
    return 0;
}

static int run_pipe(char **arguments)
{
    int ends[2];
    if (pipe(ends) != 0)
        fail("pipe");
    open_run(arguments[0], 100);
    rest_ms(100);
    close(ends[1]);
    struct pollfd end = {.fd = ends[0], .events = POLLIN};
    char byte;
    printf("%d\n", poll(&end, 1, 300000) == 1 && read(ends[0], &byte, 1) == 0);
    return pit_close() ? 70 : 0;
}

static int has_input_ended(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&input, 1, 0) > 0;
}

static int run_spin(char **arguments)
{
    uint64_t ms = strtoull(arguments[1], NULL, 10);
    uint64_t end = now_ns(CLOCK_MONOTONIC) + ms * 1000000u;
    struct timespec little = {0, 1000000};
    open_run(arguments[0], atof(arguments[2]));
    if (!ms) {
        puts("open");
        fflush(stdout);
    }
    while (ms ? now_ns(CLOCK_MONOTONIC) < end : !has_input_ended())
        PIT_SPAN("turn") {
            nanosleep(&little, NULL);
        }
    return pit_close() ? 70 : 0;
}

/* ---- signals ------------------------------------------------------------------------------- */

static int handled, on_sampler;

static void on_signal(int number)
{
    char name[16] = "";
    (void)number;
    prctl(PR_GET_NAME, name);
    __atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
    if (strcmp(name, "pitwall") == 0)
        __atomic_fetch_add(&on_sampler, 1, __ATOMIC_RELAXED);
}

/* The main thread blocks the signal half of the time; the kernel then chooses another thread. */
static int run_signals(char **arguments)
{
    struct sigaction action = {.sa_handler = on_signal};
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    sigaction(SIGUSR1, &action, NULL);
    open_run(arguments[0], 1000);
    int n = atoi(arguments[1]);
    for (int i = 0; i < n; i++) {
        pthread_sigmask(i % 2 ? SIG_BLOCK : SIG_UNBLOCK, &one, NULL);
        kill(getpid(), SIGUSR1);
        struct timespec little = {0, 200000};
        nanosleep(&little, NULL);
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    }
    printf("%d %d\n", handled, on_sampler);
    return pit_close() ? 70 : 0;
}

/* ---- threads ------------------------------------------------------------------------------- */

static int samplers(void)
{
    DIR *tasks = opendir("/proc/self/task");
    int found = 0;
    if (!tasks)
        fail("/proc/self/task");
    for (struct dirent *entry; (entry = readdir(tasks));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        if (file && fgets(name, sizeof name, file))
            found += strcmp(name, "pitwall\n") == 0;
        if (file)
            fclose(file);
    }
    closedir(tasks);
    return found;
}

static int run_threads(char **arguments)
{
    int before = samplers();
    open_run(arguments[0], atof(arguments[1]));
    int opened = samplers();
    pid_t pid = fork();
    if (pid == 0)
        _exit(samplers()); /* a child that records nothing */
    int status = 0;
    if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
        fail("fork");
    int code = pit_close();
    /* A joined thread stays in the list until the kernel has removed it. */
    int after = samplers();
    for (int i = 0; after && i < 30000; i++) {
        rest_ms(10);
        after = samplers();
    }
    printf("%d %d %d %d\n", before, opened, WEXITSTATUS(status), after);
    return code ? 70 : 0;
}

/* ---- peak ---------------------------------------------------------------------------------- */

static void peak(void)
{
    struct holder held = {{0}, {0}, 0};
    hold(&held, 150 * MB);
    let_go(&held);
}

/* Another recorder's spans reset the mark that this run's peak is read from. */
static void peak_beside(void)
{
    pit_options options = {.span_flags = PIT_MEMORY, .sample_hz = -1, .in_memory = 1};
    pit_recorder *other = pit_recorder_open(NULL, &options, NULL);
    if (!other)
        fail("another recorder");
    pit_recorder_end(other, pit_recorder_begin_name(other, "first"));
    peak();
    pit_recorder_end(other, pit_recorder_begin_name(other, "second"));
    pit_recorder_free(other);
}

static int run_peak(char **arguments)
{
    const char *when = arguments[1];
    /* Sampled so rarely that the sampler itself does not see the peak. */
    open_run(arguments[0], 0.01);
    if (strcmp(when, "other") == 0) {
        peak_beside();
        return pit_close() ? 70 : 0;
    }
    if (strcmp(when, "before") == 0 || strcmp(when, "none") == 0)
        peak();
    if (strcmp(when, "none") != 0) {
        PIT_SPAN_WITH("first", PIT_MEMORY)
        {
        }
        if (strcmp(when, "between") == 0)
            peak();
        PIT_SPAN_WITH("second", PIT_MEMORY)
        {
        }
    }
    if (strcmp(when, "after") == 0)
        peak();
    return pit_close() ? 70 : 0;
}

/* ---- starved ------------------------------------------------------------------------------- */

static void keep_to_one_processor(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        fail("sched_getaffinity");
    size_t first = 0;
    while (!CPU_ISSET(first, &set))
        first++;
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0)
        fail("sched_setaffinity");
}

static unsigned long long run_delay_ns(void)
{
    unsigned long long cpu = 0, delay = 0;
    FILE *file = fopen("/proc/self/schedstat", "r");
    if (!file || fscanf(file, "%llu %llu", &cpu, &delay) != 2)
        cpu = delay = 0;
    if (file)
        fclose(file);
    return cpu || delay ? delay : ULLONG_MAX;
}

static int run_starved(char **arguments)
{
    unsigned long long wanted = strtoull(arguments[1], NULL, 10);
    open_run(arguments[0], 0);
    unsigned long long begin = run_delay_ns();
    keep_to_one_processor(); /* the child inherits this */
    pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0 && prctl(PR_SET_PDEATHSIG, SIGKILL) == 0)
        for (;;)
            __asm__ volatile("");
    while (begin != ULLONG_MAX && run_delay_ns() - begin < wanted)
        ;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    puts(begin == ULLONG_MAX ? "n/a" : "starved");
    pit_close();
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int arguments;
        int (*run)(char **arguments);
    } kinds[] = {
        {"rest", 2, run_rest},       {"bare", 2, run_bare}, {"strangers", 3, run_strangers},
        {"pipe", 1, run_pipe},       {"spin", 3, run_spin}, {"signals", 2, run_signals},
        {"threads", 2, run_threads}, {"peak", 2, run_peak}, {"starved", 2, run_starved}};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (argc > 2 && strcmp(argv[1], kinds[i].name) == 0 && argc - 2 == kinds[i].arguments)
            return kinds[i].run(argv + 2);
    fprintf(stderr, "usage: prog_memory_samples WHAT RUN …\n");
    return 64;
}
