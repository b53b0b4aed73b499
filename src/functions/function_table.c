/* See function_table.h. An open hash of addresses that only grows. It has no lock, so that threads and
 * signal handlers may use it at any time. If two threads look up the same new function at once, both
 * find its name, and one text is kept. */
#include "function_table.h"

#include "preload/own_pages.h"
#include "preload/symbol_names.h"

#include <string.h>

#define MOST (PIT__FUNCTION_PLACES / 4 * 3) /* functions; searching a fuller table takes too long */
#define NAME_BYTES 4096u
#define TEXT_PAGES ((size_t)256 << 10)

struct pit__function *pit__functions;

static uint64_t function_count;
static struct pit__function others = {.site = PIT_SITE("(more functions)")};

/* ---- texts, which are never freed ------------------------------------------------------------- */

struct texts {
    size_t used; /* of `room`, may run past it */
    char room[TEXT_PAGES - sizeof(size_t)];
};

static struct texts *texts; /* the one being filled */

static char *text_copy(const char *text)
{
    size_t bytes = strlen(text) + 1;
    for (;;) {
        struct texts *now = __atomic_load_n(&texts, __ATOMIC_ACQUIRE);
        size_t at = now ? __atomic_fetch_add(&now->used, bytes, __ATOMIC_RELAXED) : 0;
        if (now && at + bytes <= sizeof now->room)
            return memcpy(now->room + at, text, bytes);
        struct texts *more = pit__own_pages(sizeof *more);
        if (!more)
            return NULL;
        if (!__atomic_compare_exchange_n(&texts, &now, more, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
            munmap(more, sizeof *more); /* another was faster */
    }
}

/* ---- the table -------------------------------------------------------------------------------- */

static struct pit__function *table(void)
{
    struct pit__function *now = __atomic_load_n(&pit__functions, __ATOMIC_ACQUIRE);
    if (now)
        return now;
    struct pit__function *made = pit__own_pages(PIT__FUNCTION_PLACES * sizeof *made);
    if (!made)
        return NULL;
    if (__atomic_compare_exchange_n(&pit__functions, &now, made, 0, __ATOMIC_RELEASE,
                                    __ATOMIC_ACQUIRE))
        return made;
    munmap(made, PIT__FUNCTION_PLACES * sizeof *made);
    return now;
}

/* The function's entry, reserved if it has none yet; NULL if the table is full. */
static struct pit__function *place_of(struct pit__function *first, uintptr_t address)
{
    uintptr_t at = pit__function_place(address);
    for (;; at = (at + 1) & (PIT__FUNCTION_PLACES - 1)) {
        uintptr_t there = __atomic_load_n(&first[at].address, __ATOMIC_RELAXED);
        if (there == 0) {
            if (__atomic_load_n(&function_count, __ATOMIC_RELAXED) >= MOST)
                return NULL;
            if (__atomic_compare_exchange_n(&first[at].address, &there, address, 0,
                                            __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
                __atomic_fetch_add(&function_count, 1, __ATOMIC_RELAXED);
                return &first[at];
            }
        }
        if (there == address)
            return &first[at];
    }
}

struct pit__function *pit__function_rare(uintptr_t address)
{
    char name[NAME_BYTES];
    struct pit__function *first = table();
    struct pit__function *place = first ? place_of(first, address) : NULL;
    if (!place)
        return first ? &others : NULL;
    if (__atomic_load_n(&place->site.name, __ATOMIC_ACQUIRE))
        return place;
    size_t bytes = pit__symbol_name((const void *)address, name, sizeof name);
    const char *text = text_copy(name), *none = NULL;
    if (!text)
        return NULL;
    __atomic_store_n(&place->bytes, bytes, __ATOMIC_RELAXED);
    __atomic_compare_exchange_n(&place->site.name, &none, text, 0, __ATOMIC_RELEASE,
                                __ATOMIC_RELAXED);
    return place;
}
