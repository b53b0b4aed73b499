/* prog_forks WHAT RUN TRUTH SEED N: a program that forks in every way while its threads record.
 *
 *   storm    N times, from several threads, while others record: fork, raw clone, vfork and exec,
 *            posix_spawn, daemons of daemons; each child does one of the things in `child_does`.
 *            Prints a line for each child that recorded: its pid, its parent's, its spans
 *   wait     one child that records spans of its own and sleeps; prints its pid, then records
 *            until it is killed (N is not used)
 */
#include "span_walk.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define FORKERS 2
#define RECORDERS 2

/* A sanitizer's allocator is not prepared for fork: if another thread was inside malloc at that moment,
 * its lock stays taken in the child forever. So with a sanitizer a child starts no thread and leaves
 * without the leak check, because both allocate. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define CHILD_MAY_ALLOCATE 0
#else
#define CHILD_MAY_ALLOCATE 1
#endif

/* The thread sanitizer cannot follow a raw clone. */
#if defined(__SANITIZE_THREAD__)
#define MAY_CLONE 0
#else
#define MAY_CLONE 1
#endif

extern char **environ;

static struct walk_truth *truth;
static uint64_t seed;
static int count;
static int is_over;
static pit_site in_child = PIT_SITE("child"), below = PIT_SITE("below"), plain = PIT_SITE("plain");

static struct walk *walk_new(uint32_t index, enum walk_mode mode)
{
    static struct walk walks[FORKERS + RECORDERS];
    struct walk *walk = &walks[index];
    walk_start(walk, truth, index, seed, mode);
    return walk;
}

/* A single write, so that lines of several processes do not mix. */
static void say(unsigned spans)
{
    char line[64];
    int length = snprintf(line, sizeof line, "%d %d %u\n", getpid(), getppid(), spans);
    if (write(1, line, (size_t)length) != length)
        abort();
}

/* ---- what a child does --------------------------------------------------------------------- */

static unsigned record_in_child(unsigned spans)
{
    for (unsigned i = 0; i < spans; i++) {
        pit_token token = pit_begin(&in_child);
        pit_end(pit_begin(&below));
        pit_value("child value", 1);
        pit_end(token);
    }
    return spans;
}

static void wait_for(pid_t child)
{
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
        continue;
}

static _Noreturn void leave(void)
{
    if (CHILD_MAY_ALLOCATE)
        exit(0);
    pit_close(); /* as exit() would have done */
    _exit(0);
}

static void *record_on_thread(void *argument)
{
    record_in_child((unsigned)(uintptr_t)argument);
    return NULL;
}

/* The child of a fork: `inherited` was open on the forking thread. */
static void child_does(uint64_t choice, pit_token inherited, pit_object *object)
{
    unsigned spans = 1 + (unsigned)(choice >> 8) % 50;
    pid_t grandchild;
    switch (choice % (CHILD_MAY_ALLOCATE ? 6 : 5)) {
    case 0: /* nothing at all */
        _exit(0);
    case 1: /* only ends of inherited spans, which are ignored */
        pit_end(inherited);
        pit_object_end(object);
        leave();
    case 2: /* spans of its own, the inherited end among them */
        record_in_child(spans / 2);
        pit_end(inherited);
        record_in_child(spans - spans / 2);
        say(spans);
        leave();
    case 3: /* dies without output */
        record_in_child(spans);
        say(spans);
        raise(SIGKILL);
        break;
    case 4: /* a grandchild with spans, with or without a run in between */
        if (spans % 2)
            record_in_child(spans);
        grandchild = fork();
        if (grandchild == 0) {
            pit_end(inherited);
            record_in_child(spans);
            say(spans);
            leave();
        }
        wait_for(grandchild);
        if (spans % 2)
            say(spans);
        leave();
    default: { /* a thread of its own */
        pthread_t thread;
        if (pthread_create(&thread, NULL, record_on_thread, (void *)(uintptr_t)spans) != 0)
            abort();
        pthread_join(thread, NULL);
        say(spans);
        leave();
    }
    }
}

/* ---- ways to fork -------------------------------------------------------------------------- */

static pid_t spawn_true(void)
{
    char *const arguments[] = {(char *)"true", NULL};
    pid_t child = -1;
    return posix_spawn(&child, "/bin/true", NULL, NULL, arguments, environ) == 0 ? child : -1;
}

static pid_t vfork_true(void)
{
    pid_t child = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork): it is tried */
    if (child == 0) {
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    return child;
}

/* A child made by raw clone is unknown to the C library, so it makes few calls. */
static pid_t clone_raw(void)
{
    pid_t child = MAY_CLONE ? (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL) : fork();
    if (child == 0) {
        for (int i = 0; i < 7; i++)
            pit_end(pit_begin(&plain));
        char line[64];
        int length =
            snprintf(line, sizeof line, "%ld %ld 7\n", syscall(SYS_getpid), syscall(SYS_getppid));
        if (write(1, line, (size_t)length) != length)
            _exit(1);
        _exit(0);
    }
    return child;
}

static void *fork_at_random(void *argument)
{
    struct walk *walk = walk_new((uint32_t)(uintptr_t)argument, WALK_SPANS_ONLY);
    for (int i = 0; i < count; i++) {
        for (uint64_t k = walk_random(walk) % 200; k > 0; k--)
            walk_step(walk);
        walk_begin(walk, "forking");
        pit_token inherited = walk->stack[walk->depth - 1].token;
        pit_object object = {0, 0, 0, 0, 0};
        uint64_t choice = walk_random(walk), how = choice >> 20;
        pid_t child = how % 8 == 0   ? spawn_true()
                      : how % 8 == 1 ? vfork_true()
                      : how % 8 == 2 ? clone_raw()
                                     : fork();
        if (child == 0)
            child_does(choice, inherited, &object);
        walk_end(walk);
        if (child < 0)
            abort();
        wait_for(child);
    }
    walk_unwind(walk);
    return NULL;
}

static void *record(void *argument)
{
    uint32_t index = (uint32_t)(uintptr_t)argument;
    struct walk *walk = walk_new(index, index % 2 ? WALK_MANY_NAMES : WALK_SPANS_ONLY);
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        walk_step(walk);
    walk_unwind(walk);
    return NULL;
}

static int storm(void)
{
    pthread_t threads[FORKERS + RECORDERS];
    for (uintptr_t i = 0; i < FORKERS + RECORDERS; i++)
        if (pthread_create(&threads[i], NULL, i < FORKERS ? fork_at_random : record, (void *)i))
            return 70;
    for (int i = 0; i < FORKERS; i++)
        pthread_join(threads[i], NULL);
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    for (int i = FORKERS; i < FORKERS + RECORDERS; i++)
        pthread_join(threads[i], NULL);
    return -pit_close();
}

static _Noreturn void wait_to_be_killed(void)
{
    struct walk *walk = walk_new(0, WALK_SPANS_ONLY);
    walk_begin(walk, "forking");
    pid_t child = fork();
    if (child == 0) {
        record_in_child(10);
        pit_begin(&in_child);
        say(10);
        for (;;)
            pause();
    }
    for (;;)
        walk_step(walk);
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 64;
    truth = walk_truth_open(argv[3]);
    if (!truth)
        return 65;
    seed = strtoull(argv[4], NULL, 10);
    count = atoi(argv[5]);
    pit_options options = {.ring_bytes = 65536, .sample_hz = CHILD_MAY_ALLOCATE ? 0 : -1};
    if (pit_open(argv[2], &options) != 0)
        return 66;
    truth->opened = 1;
    if (strcmp(argv[1], "storm") == 0)
        return storm();
    wait_to_be_killed();
}
