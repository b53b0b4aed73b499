/* The data that libpitwall-alloc.so keeps for each thread: its counters, and its leak levels.
 *
 * One cache line in the thread's static TLS, so that counting needs no lookup, no lock and no
 * allocation. Only the thread itself uses it.
 */
#ifndef PIT_ALLOC_COUNTERS_H
#define PIT_ALLOC_COUNTERS_H

#include "format/alloc_api.h"
#include "format/ordered.h"

#include <stddef.h>

struct pit__leak_owner;

struct pit__alloc_self {
    struct pit__alloc_counters counters;
    struct pit__leak_owner *owner; /* NULL: no block of this thread is followed */
    uint64_t tenancy; /* the owner belongs to this thread while its number equals this */
};

extern __thread struct pit__alloc_self pit__alloc_self
    __attribute__((tls_model("initial-exec"), visibility("hidden"), aligned(64)));

static inline void pit__count_alloc(struct pit__alloc_counters *c, size_t bytes)
{
    int64_t live = c->live + (int64_t)bytes;
    c->allocs++;
    c->alloc_bytes += bytes;
    c->live = live;
    if (live > c->live_peak)
        c->live_peak = live;
}

static inline void pit__count_free(struct pit__alloc_counters *c, size_t bytes)
{
    c->frees++;
    c->freed_bytes += bytes;
    c->live -= (int64_t)bytes;
}

#endif
