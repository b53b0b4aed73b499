/* How the recorder and libpitwall-alloc.so, the library that counts allocations, meet.
 *
 * The library is preloaded; nothing is linked to it. The recorder looks once for the symbol
 * PIT__ALLOC_SYMBOL with dlsym(RTLD_DEFAULT, …), calls it, and from then on uses the table it got.
 * Where the symbol is not found nothing is counted.
 *
 * A block's size is what malloc_usable_size says of it, when it is allocated and when it is freed:
 * so the two agree, and a program that gives everything back ends at 0. A realloc that succeeds is
 * a free of the old block and an allocation of the new one, in this order.
 */
#ifndef PIT_ALLOC_API_H
#define PIT_ALLOC_API_H

#include <stdint.h>

/* Of one thread. The library alone writes it, but for live_peak, which its thread may set. It is
 * the thread's own memory: good while the thread lives, and to be asked for again by another. */
struct pit__alloc_counters {
    uint64_t allocs, frees; /* calls that gave or took a block */
    uint64_t alloc_bytes, freed_bytes;
    int64_t live; /* allocated less freed by this thread; below 0 if it frees others' blocks */
    int64_t
        live_peak; /* highest `live` since it was set. To measure a span: keep the old value, set
                          it to `live`; at the end put back the higher of the two. */
};

#define PIT__ALLOC_API_VERSION 1u

struct pit__alloc_api {
    uint32_t version; /* PIT__ALLOC_API_VERSION; a table of another version is not to be used */
    uint32_t spare;

    /* The calling thread's counters. Never NULL. */
    struct pit__alloc_counters *(*counters)(void);

    /* Follow what the calling thread allocates from now on. Calls nest: returns the level, 0 for
     * the outermost, or -1 where there is no memory for it or the nesting is too deep. */
    int (*leaks_begin)(void);

    /* End a level, and with it those inside it that were not ended. Gives what this thread allocated
     * since leaks_begin and nobody has freed yet. Returns 0; or -1, with both figures 0, where the
     * level is not open in this thread and process, or the figures are not available because memory
     * for the list of blocks ran out. A thread that exits ends its levels by itself. */
    int (*leaks_end)(int level, uint64_t *bytes, uint64_t *blocks);
};

#define PIT__ALLOC_SYMBOL "pit__alloc_library"
typedef const struct pit__alloc_api *pit__alloc_library_function(void);

#endif
