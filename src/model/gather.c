/* gather.c: see gather.h. */
#include "gather.h"

#include <stdlib.h>

struct pit__kept {
    struct pit__kept *next;
    max_align_t memory[];
};

void *pit__gather_alloc(struct pit__gathered *gathered, size_t count, size_t bytes)
{
    size_t whole;
    if (__builtin_mul_overflow(count, bytes, &whole) ||
        __builtin_add_overflow(whole, sizeof(struct pit__kept), &whole))
        return NULL;
    struct pit__kept *kept = calloc(1, whole);
    if (!kept)
        return NULL;
    kept->next = gathered->kept;
    gathered->kept = kept;
    return kept->memory;
}

void pit__gather_free(struct pit__gathered *gathered)
{
    while (gathered->kept) {
        struct pit__kept *next = gathered->kept->next;
        free(gathered->kept);
        gathered->kept = next;
    }
}

int pit__gather_journal(struct pit__gathered *gathered)
{
    size_t count = 0;
    for (size_t i = 0; i < gathered->run_count; i++)
        count += gathered->runs[i]->journal_count;
    pit_entry *entries = pit__gather_alloc(gathered, count + 1, sizeof *entries);
    if (!entries)
        return PIT_NO_MEMORY;
    gathered->data.entries = entries;
    for (size_t i = 0; i < gathered->run_count; i++)
        for (size_t k = 0; k < gathered->runs[i]->journal_count; k++)
            entries[gathered->data.entry_count++] = gathered->runs[i]->journal[k];
    return 0;
}
