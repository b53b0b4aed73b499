/* The main thread ends with pthread_exit: libc ends the process when the last thread has ended, and a
 * thread of the library would be that one. So a thread is started that waits until only threads of the
 * library are left, and then ends the process as libc would have. The sampler cannot do this itself: it
 * does not share the descriptors of the program, whose exit handlers write to them.
 *
 * The destructor of a key tells that the main thread ends. Only the main thread can set it: when the library
 * is loaded, or with its first span. If it had no occasion by the time a sampler is started, because another
 * thread has loaded the library, the waiting thread is started at once.
 *
 * Without /proc nothing tells which threads are left. Then the samplers are stopped instead. */
#include "main_leaves.h"
#include "recorder.h"

#include "base/own_threads.h"
#include "base/thread_begun.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOK_EVERY_NS 100000000u

static uint32_t leave_key; /* 0: none yet, else the key and 1 */

/* Numbers of processes, so that a forked child has its own; 0: none. */
static pid_t watched_in; /* the main thread's end will be noticed */
static pid_t left_in;    /* the main thread has ended */
static pid_t sampled_in; /* threads of the library were started */
static pid_t waiting_in; /* the waiting thread was started */

static int is_main(void)
{
    return syscall(SYS_gettid) == getpid();
}

static void *wait_for_the_others(void *unused)
{
    uint32_t never = 0;
    (void)unused;
    pit__thread_begins();
    pit__own_thread_begins();
    while (!pit__only_own_threads())
        pit__wait_while(&never, 0, LOOK_EVERY_NS);
    exit(0); /* which closes the run */
}

/* Returns 0 if the threads of the process cannot be listed. */
static int start_waiting(void)
{
    int listed[PIT__THREADS_LISTED];
    pthread_t thread;
    sigset_t all, before;
    pid_t own = getpid();
    if (pit__list_threads(listed) == 0)
        return 0;
    if (__atomic_exchange_n(&waiting_in, own, __ATOMIC_SEQ_CST) == own)
        return 1;
    pit__own_signals(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int begun = pit__threads_before();
    if (pthread_create(&thread, NULL, wait_for_the_others, NULL) == 0) {
        pit__thread_await(begun);
        pthread_setname_np(thread, "pitwall-end");
        pthread_detach(thread);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return 1;
}

/* A thread that starts a sampler at this moment first stores sampled_in, then reads left_in. */
static void main_leaves(void *unused)
{
    (void)unused;
    if (!is_main())
        return;
    __atomic_store_n(&left_in, getpid(), __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&sampled_in, __ATOMIC_SEQ_CST) == getpid() && !start_waiting())
        pit__samplers_stop();
}

void pit__watch_main(void)
{
    uint32_t known = PIT_LOAD_ACQUIRE(leave_key);
    pthread_key_t fresh;
    if (PIT_LOAD(watched_in) == getpid() || !is_main())
        return;
    if (!known) {
        if (pthread_key_create(&fresh, main_leaves) != 0)
            return;
        known = fresh + 1;
        PIT_STORE_ORDERED(leave_key, known); /* only the main thread comes here */
    }
    if (pthread_setspecific(known - 1, &leave_key) == 0)
        PIT_STORE(watched_in, getpid());
}

int pit__main_may_leave(void)
{
    pid_t own = getpid();
    pit__watch_main();
    __atomic_store_n(&sampled_in, own, __ATOMIC_SEQ_CST);
    int is_seen = PIT_LOAD(watched_in) == own && __atomic_load_n(&left_in, __ATOMIC_SEQ_CST) != own;
    return is_seen || start_waiting();
}

__attribute__((constructor)) static void loaded(void)
{
    pit__watch_main();
}
