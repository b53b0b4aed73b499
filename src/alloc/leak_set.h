/* The blocks allocated in spans with PIT_LEAKS, until they are freed.
 *
 * A thread that opens a level becomes an owner and puts every block it allocates into the set; every
 * free of the process then looks there, as long as some thread has a level open. A block belongs to
 * the innermost level that was open when it was allocated, and moves to the level around it when
 * that one ends. Blocks left in a level at its end were leaked in it.
 *
 * A block is added after the allocator returned it and removed before the allocator gets it back: no
 * address belongs to two blocks at a time.
 */
#ifndef PIT_LEAK_SET_H
#define PIT_LEAK_SET_H

#include "alloc_counters.h"
#include "leak_table.h"

/* How many threads have a level open. The one word that free reads when nothing is followed. */
extern const uint32_t *pit__leak_watch __attribute__((visibility("hidden")));

/* Once, before the first level: the exit of a thread will end its open levels. */
void pit__leaks_start(void);

/* As in struct pit__alloc_api. */
int pit__leaks_begin(void);
int pit__leaks_end(int level, uint64_t *bytes, uint64_t *blocks);

/* A block that this thread allocated. Called only if pit__alloc_self.owner is set. */
void pit__leak_add(const void *block, size_t bytes);

/* A block that is about to be freed, by any thread: 1, and its entry, if it was in the set. */
int pit__leak_take(const void *block, struct pit__leak_entry *entry);

/* The block was not freed after all. */
void pit__leak_put_back(const struct pit__leak_entry *entry);

#endif
