/* Memory for the leak set, separate from the malloc that it watches, and its locks.
 *
 * In a child of any kind of fork the kernel replaces it by zeros: the locks are free there, whichever
 * thread held them, the tables are empty and nothing is followed.
 */
#ifndef PIT_LEAK_MEMORY_H
#define PIT_LEAK_MEMORY_H

#include <stddef.h>
#include <stdint.h>

struct pit__leak_lock {
    uint32_t word; /* 0 free, 1 taken, 2 taken and waited for */
};

void pit__leak_lock_take(struct pit__leak_lock *lock);
void pit__leak_lock_give(struct pit__leak_lock *lock);

/* Zeroed memory, or NULL. */
void *pit__leak_map(size_t bytes);
void pit__leak_unmap(void *memory, size_t bytes);

#endif
