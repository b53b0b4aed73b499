/* The interface between the recorder and libpitwall-alloc.so, the library that counts allocations.
 *
 * The library is preloaded; nothing is linked to it. The recorder looks once for the symbol
 * PIT__ALLOC_SYMBOL with dlsym(RTLD_DEFAULT, …), calls it, and from then on uses the returned table. If the
 * symbol is not found, nothing is counted.
 *
 * The size of a block is that of malloc_usable_size, both when it is allocated and when it is freed, so a
 * program that frees everything ends at 0. A realloc that succeeds is a free of the old block and an
 * allocation of the new one, in this order. */
#ifndef PIT_ALLOC_API_H
#define PIT_ALLOC_API_H

#include <stdint.h>

/* Counters of one thread. Only the library writes them, except live_peak, which their thread may set. They
 * are in the thread's own memory and valid while the thread lives; every thread gets its own. */
struct pit__alloc_counters {
    uint64_t allocs, frees; /* calls that returned or freed a block */
    uint64_t alloc_bytes, freed_bytes;
    int64_t live; /* allocated less freed by this thread; below 0 if it frees others' blocks */
    /* highest `live` since it was set. To measure a span: save it, set it to `live`; at the end restore the
     * higher of the two. */
    int64_t live_peak;
};

#define PIT__ALLOC_API_VERSION 1u

struct pit__alloc_api {
    uint32_t version; /* PIT__ALLOC_API_VERSION; do not use a table of another version */
    uint32_t spare;

    /* The calling thread's counters. Never NULL. */
    struct pit__alloc_counters *(*counters)(void);

    /* Follow the allocations of the calling thread from now on. Calls nest: returns the level, 0 for
     * the outermost, or -1 without memory or if the nesting is too deep. */
    int (*leaks_begin)(void);

    /* End a level and all unended levels inside it. Sets the bytes and blocks that this thread allocated
     * since leaks_begin and that are not freed. Returns 0; or -1, with both figures 0, if the level is
     * not open in this thread and process, or if memory for the list of blocks ran out. The exit of a
     * thread ends its levels. */
    int (*leaks_end)(int level, uint64_t *bytes, uint64_t *blocks);
};

#define PIT__ALLOC_SYMBOL "pit__alloc_library"
typedef const struct pit__alloc_api *pit__alloc_library_function(void);

#endif
