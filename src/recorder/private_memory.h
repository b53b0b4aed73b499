/* Memory of the recorder, separate from the user's malloc, and a lock that survives fork.
 *
 * Wiped memory reads as zero in a child of any kind of fork (MADV_WIPEONFORK). The marks "there is a
 * recorder, and this thread has a table in it" are kept there, so a child can never write into its
 * parent's run; and so are the locks, so a child never waits for a thread that it does not have.
 */
#ifndef PIT_PRIVATE_MEMORY_H
#define PIT_PRIVATE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct pit__lock {
    uint32_t word; /* 0 free; else the thread that holds it, and a bit: others wait for it */
    int cancel;    /* the holder's former cancel state */
    int why;       /* and its errno, which the program must find unchanged */
    int thread;    /* the holder's number if it is a thread of the library, else 0 */
};

/* Returns 1 if the lock is now held. Returns 0 if this thread holds it already, further down its stack
 * (a signal handler inside the recorder), or if it was not free within some seconds: the caller must not
 * touch the guarded data. While it is held, the thread cannot be cancelled and signals are blocked
 * (interrupt.h). */
int pit__lock_take(struct pit__lock *lock);
void pit__lock_give(struct pit__lock *lock);

/* The same for a lock that is taken too often to block signals each time: they arrive while it is held.
 * The guarded data must be repairable after a handler has jumped away. */
int pit__lock_take_open(struct pit__lock *lock);
void pit__lock_give_open(struct pit__lock *lock);
int pit__lock_is_own(const struct pit__lock *lock);
/* Release it if it is held by a call of this thread that will never return. */
void pit__lock_break(struct pit__lock *lock);

/* Zeroed pages, or NULL; errno stays as it is. */
void *pit__map_pages(size_t bytes);

/* Wait until *word is no longer `value`, or for at most `ns` nanoseconds. Where the program's sandbox forbids
 * the system call for it, this sleeps instead. */
void pit__wait_while(uint32_t *word, uint32_t value, uint64_t ns);
void pit__wake(uint32_t *word);

/* Zeroed memory, aligned to 64 bytes, never freed. NULL if there is none. */
void *pit__private_alloc(size_t bytes);

/* The same, and zero again in every child. */
void *pit__wiped_alloc(size_t bytes);

/* The process-wide lock for names and the state of the two allocators. In wiped memory; NULL
 * only if the system has no memory at all. */
struct pit__lock *pit__process_lock(void);

/* Is this the child of a bare clone() in a program with threads? No fork handler has run in it, and
 * any lock of libc may be held forever by a thread that it does not have. */
int pit__is_bare_clone(void);

/* The lock for opening and closing the default recorder; taken before any other. */
struct pit__lock *pit__open_lock(void);

/* The lock for small tables of the process; no other lock is taken while it is held. */
struct pit__lock *pit__table_lock(void);

#endif
