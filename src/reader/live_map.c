/* See live_map.h. Mappings are in a table that a signal handler may read at any moment. So an entry's base
 * is written last when it is taken, and cleared first when it is released. */
#include "live_map.h"

#include "format/ordered.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
#include <unistd.h>

#define MOST 1024u /* guarded maps at a time; further ones work but are not guarded */

static struct guarded {
    uintptr_t base; /* 0: free; 1: being filled */
    uint64_t bytes;
    int was_cut;
} table[MOST];

static void guard(uintptr_t base, uint64_t bytes)
{
    for (size_t i = 0; i < MOST; i++) {
        uintptr_t none = 0;
        if (!__atomic_compare_exchange_n(&table[i].base, &none, 1, 0, __ATOMIC_ACQUIRE,
                                         __ATOMIC_RELAXED))
            continue;
        PIT_STORE(table[i].bytes, bytes);
        PIT_STORE(table[i].was_cut, 0);
        __atomic_store_n(&table[i].base, base, __ATOMIC_RELEASE);
        return;
    }
}

/* The entry of the map that contains this address, or NULL. */
static struct guarded *guarded_around(uintptr_t address)
{
    for (size_t i = 0; i < MOST; i++) {
        uintptr_t base = __atomic_load_n(&table[i].base, __ATOMIC_ACQUIRE);
        if (base > 1 && address >= base && address - base < PIT_LOAD(table[i].bytes))
            return &table[i];
    }
    return NULL;
}

const unsigned char *pit__live_map(int fd, uint64_t bytes)
{
    void *base = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED)
        return NULL;
    guard((uintptr_t)base, bytes);
    return base;
}

void pit__live_unmap(const unsigned char *base, uint64_t bytes)
{
    struct guarded *place = guarded_around((uintptr_t)base);
    if (place)
        __atomic_store_n(&place->base, 0, __ATOMIC_RELEASE);
    munmap((void *)(uintptr_t)base, bytes);
}

int pit__live_was_cut(const unsigned char *base)
{
    const struct guarded *place = guarded_around((uintptr_t)base);
    return place && PIT_LOAD(place->was_cut);
}

/* Map zeros from that page to the end: a file is truncated at its end. Uses only async-signal-safe calls. */
int pit__live_mend(const void *address)
{
    struct guarded *place = guarded_around((uintptr_t)address);
    int before = errno;
    if (!place)
        return 0;
    uintptr_t page = (uintptr_t)address & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
    uint64_t rest = place->bytes - (page - place->base);
    void *zeros = mmap((void *)page, rest, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    PIT_STORE(place->was_cut, 1);
    errno = before;
    return zeros != MAP_FAILED;
}
