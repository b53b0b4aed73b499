/* Shared by the programs under libpitwall-alloc.so: finding its table, and checking counters.
 *
 * A step is measured between two readings of the thread's counters. Only the step itself may allocate
 * on the thread in between; nothing is printed unless a check fails.
 */
#ifndef PIT_ALLOC_CHECK_H
#define PIT_ALLOC_CHECK_H

#include "format/alloc_api.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct pit__alloc_counters counters;

static const struct pit__alloc_api *api;
static int failures;

static inline void find_api(void)
{
    void *symbol = dlsym(RTLD_DEFAULT, PIT__ALLOC_SYMBOL);
    pit__alloc_library_function *library;
    memcpy(&library, &symbol, sizeof library);
    api = symbol ? library() : NULL;
    if (!api || api->version != PIT__ALLOC_API_VERSION) {
        fprintf(stderr, "libpitwall-alloc.so is not preloaded\n");
        exit(3);
    }
}

/* Keeps the compiler from dropping a block that is only allocated and freed. */
static inline void *kept(void *block)
{
    __asm__ volatile("" : : "r"(block) : "memory");
    return block;
}

static inline long long size_of(void *block)
{
    return (long long)malloc_usable_size(block);
}

static inline void check_equal(const char *what, long long got, long long want)
{
    if (got == want)
        return;
    printf("%s: %lld, not %lld\n", what, got, want);
    __atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
}

static inline void check_true(const char *what, int good)
{
    check_equal(what, good != 0, 1);
}

/* Check what the calling thread counted since `before`. */
static inline void check_step(const char *what, counters before, counters after, long long allocs,
                              long long alloc_bytes, long long frees, long long freed_bytes)
{
    char text[128];
#define PART(name_, got_, want_)                                                                   \
    snprintf(text, sizeof text, "%s: %s", what, name_);                                            \
    check_equal(text, (long long)(got_), want_)
    PART("allocs", after.allocs - before.allocs, allocs);
    PART("alloc_bytes", after.alloc_bytes - before.alloc_bytes, alloc_bytes);
    PART("frees", after.frees - before.frees, frees);
    PART("freed_bytes", after.freed_bytes - before.freed_bytes, freed_bytes);
    PART("live", after.live - before.live, alloc_bytes - freed_bytes);
#undef PART
}

static inline void check_leaks(const char *what, int level, long long bytes, long long blocks)
{
    uint64_t got_bytes = 99, got_blocks = 99;
    int code = api->leaks_end(level, &got_bytes, &got_blocks);
    check_equal(what, code, 0);
    check_equal(what, (long long)got_bytes, bytes);
    check_equal(what, (long long)got_blocks, blocks);
}

struct alloc_case {
    const char *name;
    void (*run)(const char *argument);
};

/* Runs the case named by the first argument, with the second. Returns 0 if all its checks pass. */
static inline int run_case(const struct alloc_case *cases, int argc, char **argv)
{
    find_api();
    for (; cases->name; cases++)
        if (argc > 1 && strcmp(argv[1], cases->name) == 0) {
            cases->run(argc > 2 ? argv[2] : NULL);
            if (failures == 0)
                puts("good");
            return failures != 0;
        }
    fprintf(stderr, "no such case\n");
    return 2;
}

#endif
