/* own_threads.h: the threads of the process, and which of them are the library's own.
 *
 * A program may end its main thread with pthread_exit and go on in its other threads; the process ends with
 * the last of them. Threads of the library must not keep it (recorder/main_leaves.c).
 */
#ifndef PIT_OWN_THREADS_H
#define PIT_OWN_THREADS_H

#include <signal.h>
#include <stddef.h>

#define PIT__THREADS_LISTED 80 /* so many are listed, of a process that has more */

/* Their numbers, in the order of the kernel. Returns how many. */
size_t pit__list_threads(int threads[PIT__THREADS_LISTED]);

/* Call these first and last in a thread that lives as long as a recorder. */
void pit__own_thread_begins(void);
void pit__own_thread_ends(void);

/* The number of the calling thread if it is the library's own, else 0. */
extern __thread int pit__own_number
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* The signals that such a thread blocks: they are for the program's threads. Not SIGSYS: a sandbox (seccomp) can
 * answer a system call by this signal, and kills the process if it is blocked. */
void pit__own_signals(sigset_t *blocked);

/* Has a thread of this process with this number ended? */
int pit__thread_is_gone(int thread);

/* Has the main thread ended, and are all other threads the library's own? */
int pit__only_own_threads(void);

#endif
