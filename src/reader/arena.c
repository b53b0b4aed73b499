/* See arena.h. */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 * 1024)

struct pit__arena_chunk {
    struct pit__arena_chunk *next;
    size_t spare; /* keeps the bytes behind it aligned to 16 */
};

static void *new_chunk(struct pit__arena *arena, size_t bytes)
{
    struct pit__arena_chunk *chunk = calloc(1, sizeof *chunk + bytes);
    if (!chunk) {
        arena->failed = 1;
        return NULL;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    return chunk + 1;
}

void *pit__arena_alloc(struct pit__arena *arena, size_t bytes)
{
    bytes = (bytes + 15u) & ~(size_t)15u;
    if (bytes > CHUNK_BYTES / 4) {
        /* A chunk of its own, put behind the current one, which still has room. */
        struct pit__arena_chunk *current = arena->chunks;
        void *piece = new_chunk(arena, bytes);
        if (piece && current) {
            struct pit__arena_chunk *own = arena->chunks;
            arena->chunks = current;
            own->next = current->next;
            current->next = own;
        } else if (piece) {
            arena->used = arena->room = 0;
        }
        return piece;
    }
    if (!arena->chunks || arena->room - arena->used < bytes) {
        if (!new_chunk(arena, CHUNK_BYTES))
            return NULL;
        arena->used = 0;
        arena->room = CHUNK_BYTES;
    }
    void *piece = (unsigned char *)(arena->chunks + 1) + arena->used;
    arena->used += bytes;
    return piece;
}

void *pit__arena_array(struct pit__arena *arena, size_t count, size_t each)
{
    if (count == 0)
        return NULL;
    if (each > SIZE_MAX / count) {
        arena->failed = 1;
        return NULL;
    }
    return pit__arena_alloc(arena, count * each);
}

char *pit__arena_text(struct pit__arena *arena, const char *text, size_t length)
{
    char *copy = pit__arena_alloc(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

void pit__arena_free(struct pit__arena *arena)
{
    while (arena->chunks) {
        struct pit__arena_chunk *next = arena->chunks->next;
        free(arena->chunks);
        arena->chunks = next;
    }
}
