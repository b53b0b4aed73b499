/* A table of blocks, by address: open addressing, linear probing, no marks left by removals. The
 * caller holds the table's lock. All zeros is an empty table.
 */
#ifndef PIT_LEAK_TABLE_H
#define PIT_LEAK_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct pit__leak_entry {
    uintptr_t block; /* its address; 0: an empty place */
    uint64_t bytes;
    uint64_t sequence; /* when it was allocated, counted by its owner */
    uint32_t owner;    /* index of the thread's levels */
    uint32_t spare;
};

struct pit__leak_table {
    struct pit__leak_entry *entries;
    size_t room; /* 0 or a power of 2 */
    size_t used;
};

/* Is the entry stale? Asked when a table is full, before it grows. */
typedef int pit__leak_stale(const struct pit__leak_entry *entry);

static inline uint64_t pit__leak_hash(uintptr_t block)
{
    return ((uint64_t)block >> 4) * 0x9e3779b97f4a7c15u;
}

/* Add an entry. If its block is there already, *before gets the old entry and the result is 1.
 * 0: it is new; -1: no memory, the entry was not added. */
int pit__leak_table_put(struct pit__leak_table *table, const struct pit__leak_entry *entry,
                        struct pit__leak_entry *before, pit__leak_stale *stale);

/* Remove a block: 1 and its entry, or 0. */
int pit__leak_table_take(struct pit__leak_table *table, uintptr_t block,
                         struct pit__leak_entry *entry);

#endif
