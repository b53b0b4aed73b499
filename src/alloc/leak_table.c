/* See leak_table.h. */
#include "leak_table.h"

#include "leak_memory.h"

#define FIRST_ROOM 128u /* one page */

/* The top bits of the hash choose the table, those below them the place in it. */
static size_t home_of(const struct pit__leak_table *table, uintptr_t block)
{
    return (size_t)(pit__leak_hash(block) >> 24) & (table->room - 1);
}

/* The place of a block, or the empty place where it belongs. There is always an empty one. */
static size_t find(const struct pit__leak_table *table, uintptr_t block)
{
    size_t i = home_of(table, block);
    while (table->entries[i].block && table->entries[i].block != block)
        i = (i + 1) & (table->room - 1);
    return i;
}

/* Move the useful entries to a table that is at most half full with them. */
static int rebuild(struct pit__leak_table *table, pit__leak_stale *stale)
{
    size_t kept = 1; /* the one that is about to be added */
    for (size_t i = 0; i < table->room; i++)
        kept += table->entries[i].block && !stale(&table->entries[i]);

    struct pit__leak_table next = {NULL, FIRST_ROOM, 0};
    while (next.room < 2 * kept)
        next.room *= 2;
    next.entries = pit__leak_map(next.room * sizeof *next.entries);
    if (!next.entries)
        return -1;
    for (size_t i = 0; i < table->room; i++) {
        const struct pit__leak_entry *entry = &table->entries[i];
        /* An entry may have become stale since it was counted; never the other way round. */
        if (entry->block && !stale(entry)) {
            next.entries[find(&next, entry->block)] = *entry;
            next.used++;
        }
    }
    pit__leak_unmap(table->entries, table->room * sizeof *table->entries);
    *table = next;
    return 0;
}

int pit__leak_table_put(struct pit__leak_table *table, const struct pit__leak_entry *entry,
                        struct pit__leak_entry *before, pit__leak_stale *stale)
{
    if (4 * (table->used + 1) > 3 * table->room && rebuild(table, stale))
        return -1;
    struct pit__leak_entry *place = &table->entries[find(table, entry->block)];
    int replaced = place->block != 0;
    if (replaced)
        *before = *place;
    else
        table->used++;
    *place = *entry;
    return replaced;
}

int pit__leak_table_take(struct pit__leak_table *table, uintptr_t block,
                         struct pit__leak_entry *entry)
{
    if (!table->used)
        return 0;
    size_t mask = table->room - 1, hole = find(table, block);
    if (!table->entries[hole].block)
        return 0;
    *entry = table->entries[hole];
    table->used--;
    /* Close the gap: move up entries that probing had placed beyond it. */
    for (size_t i = (hole + 1) & mask; table->entries[i].block; i = (i + 1) & mask) {
        size_t home = home_of(table, table->entries[i].block);
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            table->entries[hole] = table->entries[i];
            hole = i;
        }
    }
    table->entries[hole].block = 0;
    return 1;
}
