/* See arena.h. */
#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define CHUNK_BYTES ((size_t)64 * 1024)
/* from this size on, chunks are mapped: the kernel zeroes their pages */
#define MAPPED_BYTES ((size_t)256 * 1024)
#define LARGE_BYTES ((size_t)2 << 20) /* size of a large page */

struct pit__arena_chunk {
    struct pit__arena_chunk *next;
    size_t mapped; /* bytes of a mapped chunk, else 0; also keeps the data after it aligned to 16 */
};

/* Use large pages if available: touching small ones for the first time took longer than filling
 * them. */
static struct pit__arena_chunk *map_chunk(size_t bytes)
{
    size_t page = bytes < LARGE_BYTES / 2 ? 4096 : LARGE_BYTES;
    bytes = (bytes + page - 1) & ~(page - 1);
    struct pit__arena_chunk *chunk =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (chunk == MAP_FAILED)
        return NULL;
    if (bytes >= LARGE_BYTES)
        madvise(chunk, bytes, MADV_HUGEPAGE);
    chunk->mapped = bytes;
    return chunk;
}

static void *new_chunk(struct pit__arena *arena, size_t bytes)
{
    size_t whole = sizeof(struct pit__arena_chunk) + bytes;
    struct pit__arena_chunk *chunk = whole >= MAPPED_BYTES ? map_chunk(whole) : calloc(1, whole);
    if (!chunk) {
        arena->failed = 1;
        return NULL;
    }
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->chunk_count++;
    return chunk + 1;
}

/* The first chunks are small because most runs are small; later ones are large. */
static size_t next_chunk_bytes(const struct pit__arena *arena)
{
    return arena->chunk_count < 8 ? CHUNK_BYTES : 2 * LARGE_BYTES - sizeof(struct pit__arena_chunk);
}

void *pit__arena_alloc(struct pit__arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2) {
        arena->failed = 1;
        return NULL;
    }
    bytes = (bytes + 15u) & ~(size_t)15u;
    if (bytes > CHUNK_BYTES / 4) {
        /* A separate chunk, linked after the current one, which still has room. */
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
        size_t room = next_chunk_bytes(arena);
        if (!new_chunk(arena, room))
            return NULL;
        arena->used = 0;
        arena->room = room;
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
        if (arena->chunks->mapped)
            munmap(arena->chunks, arena->chunks->mapped);
        else
            free(arena->chunks);
        arena->chunks = next;
    }
}
