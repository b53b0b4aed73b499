/* The allocator behind our hooks: the one that the program would use without us.
 *
 * The table starts with functions that look up the real ones and replace themselves, so that a call needs
 * no test whether that was done: PIT__NEXT(malloc)(64).
 */
#ifndef PIT_NEXT_MALLOC_H
#define PIT_NEXT_MALLOC_H

#include "format/ordered.h"

#include <stddef.h>

struct pit__next_malloc {
    void *(*malloc)(size_t bytes);
    void (*free)(void *block);
    size_t (*usable)(void *block);
    void *(*calloc)(size_t count, size_t bytes);
    void *(*realloc)(void *block, size_t bytes);
    void *(*memalign)(size_t alignment, size_t bytes);
    void *(*aligned_alloc)(size_t alignment, size_t bytes);
    int (*posix_memalign)(void **block, size_t alignment, size_t bytes);
    void *(*valloc)(size_t bytes);
    void *(*pvalloc)(size_t bytes);
};

extern struct pit__next_malloc pit__next_malloc __attribute__((visibility("hidden")));

#define PIT__NEXT(name_) PIT_LOAD(pit__next_malloc.name_)

/* Look everything up now, before there are threads. Otherwise the first call does it. */
void pit__next_malloc_find(void);

#endif
