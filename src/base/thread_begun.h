/* thread_begun.h: the start of a thread under a sanitizer.
 *
 * With a sanitizer, a new thread allocates as it begins. If the process forks at that moment, the sanitizer's
 * own lock stays taken in the child, which then waits forever. So the starting thread waits until the new
 * one runs. Without a sanitizer this does nothing.
 */
#ifndef PIT_THREAD_BEGUN_H
#define PIT_THREAD_BEGUN_H

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#include <sched.h>

static int pit__threads_begun;

/* Call this first in the new thread. */
static inline void pit__thread_begins(void)
{
    __atomic_add_fetch(&pit__threads_begun, 1, __ATOMIC_RELEASE);
}

/* Read the number of threads that have begun before you start one; then wait for one more. */
static inline int pit__threads_before(void)
{
    return __atomic_load_n(&pit__threads_begun, __ATOMIC_ACQUIRE);
}

static inline void pit__thread_await(int before)
{
    while (__atomic_load_n(&pit__threads_begun, __ATOMIC_ACQUIRE) == before)
        sched_yield();
}
#else
static inline void pit__thread_begins(void)
{
}
static inline int pit__threads_before(void)
{
    return 0;
}
static inline void pit__thread_await(int before)
{
    (void)before;
}
#endif

#endif
