/* libpitwall-alloc.so: malloc and the related functions, counted.
 *
 * Preloaded, these functions replace those of libc or of another allocator (next_malloc.c), call them, and
 * add every block to the counters of the thread that allocates or frees it (alloc_counters.h), and
 * to the leak set (leak_set.c) while leaks are followed. The operators new and delete of C++, strdup,
 * getline and similar functions are counted too, because they call malloc.
 *
 *   program ──▶ alloc_hooks ──▶ next_malloc ──▶ libc
 *                    └──▶ counters, leak set ──▶ the recorder, by format/alloc_api.h
 *
 * The hot path of a pair adds to the two calls: two calls of malloc_usable_size, a dozen
 * instructions on one cache line of the thread, and two tests that almost always fail.
 */
#include "alloc_counters.h"
#include "leak_set.h"
#include "next_malloc.h"

#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))

/* Count a block that was just allocated; NULL is not counted. */
static inline void *allocated(void *block)
{
    if (PIT_LIKELY(block)) {
        struct pit__alloc_self *self = &pit__alloc_self;
        size_t bytes = PIT__NEXT(usable)(block);
        pit__count_alloc(&self->counters, bytes);
        if (PIT_UNLIKELY(self->owner))
            pit__leak_add(block, bytes);
    }
    return block;
}

static inline int is_watched(void)
{
    return PIT_UNLIKELY(PIT_LOAD(*PIT_LOAD(pit__leak_watch)));
}

EXPORTED void *malloc(size_t bytes)
{
    return allocated(PIT__NEXT(malloc)(bytes));
}

EXPORTED void free(void *block)
{
    if (PIT_LIKELY(block)) {
        pit__count_free(&pit__alloc_self.counters, PIT__NEXT(usable)(block));
        if (is_watched()) {
            struct pit__leak_entry entry;
            pit__leak_take(block, &entry);
        }
        PIT__NEXT(free)(block);
    }
}

EXPORTED void *calloc(size_t count, size_t bytes)
{
    return allocated(PIT__NEXT(calloc)(count, bytes));
}

EXPORTED void *realloc(void *block, size_t bytes)
{
    if (!block)
        return allocated(PIT__NEXT(realloc)(NULL, bytes));
    /* Read everything about the old block before it may be freed. */
    size_t old_bytes = PIT__NEXT(usable)(block);
    struct pit__leak_entry entry;
    int followed = is_watched() && pit__leak_take(block, &entry);

    void *moved = PIT__NEXT(realloc)(block, bytes);
    if (moved || bytes == 0) /* realloc(block, 0) frees and gives NULL, or an empty block */
        pit__count_free(&pit__alloc_self.counters, old_bytes);
    else if (followed)
        pit__leak_put_back(&entry);
    return allocated(moved);
}

/* Does not call libc's reallocarray, which may call realloc by its name and so arrive here again. */
EXPORTED void *reallocarray(void *block, size_t count, size_t bytes)
{
    size_t whole;
    if (__builtin_mul_overflow(count, bytes, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, whole);
}

EXPORTED void *memalign(size_t alignment, size_t bytes)
{
    return allocated(PIT__NEXT(memalign)(alignment, bytes));
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes)
{
    return allocated(PIT__NEXT(aligned_alloc)(alignment, bytes));
}

EXPORTED int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    int error = PIT__NEXT(posix_memalign)(block, alignment, bytes);
    if (!error)
        allocated(*block);
    return error;
}

EXPORTED void *valloc(size_t bytes)
{
    return allocated(PIT__NEXT(valloc)(bytes));
}

EXPORTED void *pvalloc(size_t bytes)
{
    return allocated(PIT__NEXT(pvalloc)(bytes));
}

/* ---- for the recorder ---------------------------------------------------------------------- */

static struct pit__alloc_counters *counters(void)
{
    return &pit__alloc_self.counters;
}

static const struct pit__alloc_api api = {
    .version = PIT__ALLOC_API_VERSION,
    .counters = counters,
    .leaks_begin = pit__leaks_begin,
    .leaks_end = pit__leaks_end,
};

EXPORTED pit__alloc_library_function pit__alloc_library;

const struct pit__alloc_api *pit__alloc_library(void)
{
    return &api;
}

/* Constructors of preloaded libraries run late: by now others may have allocated. */
__attribute__((constructor)) static void start(void)
{
    pit__next_malloc_find();
    pit__leaks_start();
}
