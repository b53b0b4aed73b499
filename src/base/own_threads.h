/* own_threads.h: the threads of the process, and which of them are the library's own.
 *
 * A program may end its main thread with pthread_exit and go on in its other threads; the process ends with
 * the last of them. Threads of the library must not keep it (recorder/main_leaves.c).
 */
#ifndef PIT_OWN_THREADS_H
#define PIT_OWN_THREADS_H

#include <stddef.h>

#define PIT__THREADS_LISTED 80 /* so many are listed, of a process that has more */

/* Their numbers, in the order of the kernel. Returns how many. */
size_t pit__list_threads(int threads[PIT__THREADS_LISTED]);

/* Call these first and last in a thread that lives as long as a recorder. */
void pit__own_thread_begins(void);
void pit__own_thread_ends(void);

/* Has the main thread ended, and are all other threads the library's own? */
int pit__only_own_threads(void);

#endif
