/* Memory of one run's model: many small pieces, freed all at once. */
#ifndef PIT_ARENA_H
#define PIT_ARENA_H

#include <stddef.h>

struct pit__arena {
    struct pit__arena_chunk *chunks;
    size_t used, room; /* in the newest chunk */
    size_t chunk_count;
    int failed; /* an allocation has failed: the model is incomplete */
};

/* Zeroed, aligned for any of our types. Returns NULL and sets `failed` if memory is exhausted. */
void *pit__arena_alloc(struct pit__arena *arena, size_t bytes);

/* An array; returns NULL for a count of 0 too. */
void *pit__arena_array(struct pit__arena *arena, size_t count, size_t each);

/* A copy of length bytes with a terminating zero. */
char *pit__arena_text(struct pit__arena *arena, const char *text, size_t length);

void pit__arena_free(struct pit__arena *arena);

#endif
