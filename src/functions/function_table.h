/* function_table.h: data about a function, by its address. */
#ifndef PIT_FUNCTION_TABLE_H
#define PIT_FUNCTION_TABLE_H

#include "pitwall.h"

#include <stdint.h>

/* One function; two of them fill a cache line. `address` is set by the first thread and never changes;
 * the rest follows, the site's name last: until that is set, the entry is not ready. */
struct pit__function {
    uintptr_t address; /* 0: the entry is free */
    uint64_t bytes;    /* of its code; 0: not known */
    pit_site site;
};

#define PIT__FUNCTION_PLACES                                                                       \
    ((uintptr_t)1 << 17) /* 4 MB of addresses; pages are allocated as they are used */

extern struct pit__function *pit__functions; /* NULL before the first */

/* The slow path: a function that was not seen yet, or that is not in its first place. NULL
 * without memory. */
struct pit__function *pit__function_rare(uintptr_t address);

static inline uintptr_t pit__function_place(uintptr_t address)
{
    return (address * 0x9E3779B97F4A7C15u) >> 47; /* as many bits as there are places */
}

static inline struct pit__function *pit__function_at(const void *at)
{
    uintptr_t address = (uintptr_t)at;
    struct pit__function *first = __atomic_load_n(&pit__functions, __ATOMIC_RELAXED);
    if (__builtin_expect(first != NULL, 1)) {
        struct pit__function *place = first + pit__function_place(address);
        if (__builtin_expect(__atomic_load_n(&place->address, __ATOMIC_RELAXED) == address, 1) &&
            __builtin_expect(__atomic_load_n(&place->site.name, __ATOMIC_ACQUIRE) != NULL, 1))
            return place;
    }
    return pit__function_rare(address);
}

#endif
