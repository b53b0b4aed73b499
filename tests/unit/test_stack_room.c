/* Which stacks have room, seen from threads and from the children that they fork. A child's only thread has the
 * stack of the thread that forked. */
#include "check.h"

#include "recorder/interrupt.h"
#include "recorder/private_memory.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SMALL_PART ((size_t)2048)
#define STACK ((size_t)256 * 1024)

/* The thread sanitizer cannot follow a raw clone, and a sanitizer's frames need larger stacks. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum way { AS_IT_IS, BY_FORK, BY_RAW_CLONE };

/* What a thread does, there or in a child: its result is 0 to 99. */
struct errand {
    enum way way;
    int (*question)(void);
    int answer;
};

static void *ask(void *arg)
{
    struct errand *errand = arg;
    if (errand->way == AS_IT_IS) {
        errand->answer = errand->question();
        return NULL;
    }
    pid_t child = errand->way == BY_FORK
                      ? fork()
                      : (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
    if (child == 0)
        _exit(errand->question());
    int status = -1;
    waitpid(child, &status, 0);
    errand->answer = WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
    return NULL;
}

static int ask_on_thread(enum way way, size_t stack, int (*question)(void))
{
    struct errand errand = {way, question, -1};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (stack)
        pthread_attr_setstacksize(&attributes, stack);
    if (pthread_create(&thread, &attributes, ask, &errand) == 0)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    return errand.answer;
}

static int ask_on_main(enum way way, int (*question)(void))
{
    struct errand errand = {way, question, -1};
    ask(&errand);
    return errand.answer;
}

static int has_room(void)
{
    return pit__stack_room(SMALL_PART) == PIT__ROOM;
}

static int has_much_room(void)
{
    return pit__stack_room((size_t)512 * 1024) == PIT__ROOM;
}

TEST(the_stack_of_a_thread_has_room_in_its_forked_child_too)
{
    const enum way ways[] = {AS_IT_IS, BY_FORK, BY_RAW_CLONE};
    for (int i = 0; i < (SANITIZED ? 2 : 3); i++) {
        CHECK_INT(ask_on_main(ways[i], has_room), 1);
        CHECK_INT(ask_on_thread(ways[i], 0, has_room), 1);
        CHECK_INT(ask_on_thread(ways[i], STACK, has_room), 1);
        CHECK_INT(ask_on_thread(ways[i], STACK, has_much_room), 0);
    }
}

static pthread_t asking;

static void note_thread(void *arg)
{
    *(int *)arg = pthread_equal(pthread_self(), asking) ? 1 : 2;
}

/* 0: not done, 1: done on this thread, 2: on another one. */
static int who_does_it(void)
{
    int who = 0;
    asking = pthread_self();
    int is_done = pit__with_room(note_thread, &who);
    return is_done == (who != 0) ? who : 99;
}

/* With less left than a run needs to be opened, whatever the least stack of a thread is on this machine. */
static int who_does_it_below(void)
{
    volatile char used[STACK - 48 * 1024];
    used[0] = used[sizeof used - 1] = 1;
    return who_does_it() + used[0] - 1;
}

/* In the child of a raw clone the locks of libc may be taken by threads that are not there: a thread that is
 * started there could wait forever. */
TEST(work_on_a_small_stack_is_done_by_a_thread_but_not_in_a_raw_clone)
{
    REQUIRE(pit__process_lock() != NULL); /* as in a program that records */
    CHECK_INT(ask_on_main(AS_IT_IS, who_does_it), 1);
    if (SANITIZED) /* its threads have larger stacks than asked for */
        return;
    CHECK_INT(ask_on_thread(AS_IT_IS, STACK, who_does_it_below), 2);
    CHECK_INT(ask_on_thread(BY_FORK, STACK, who_does_it_below), 2);
    CHECK_INT(ask_on_main(BY_RAW_CLONE, who_does_it), 1);
    CHECK_INT(ask_on_thread(BY_RAW_CLONE, 0, who_does_it), 1);
    if (!getenv("PITWALL_EMULATED")) /* where memory is not wiped, a raw clone looks like a fork */
        CHECK_INT(ask_on_thread(BY_RAW_CLONE, STACK, who_does_it_below), 0);
}
