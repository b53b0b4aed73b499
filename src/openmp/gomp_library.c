/* See gomp_library.h. Results are kept for each calling address, in a table that only grows; once it is
 * full, further callers are looked up at each call. */
#include "gomp_library.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define PLACES 1024u /* a power of two */

static struct place {
    uintptr_t caller; /* 0: free */
    void *found;      /* stored last */
} places[PLACES];

/* Searches as the loader does: first the libraries loaded with the program, then those of the caller's
 * own module, which may have been loaded only for it. */
static void *look(const char *name, const void *caller)
{
    void *found = dlsym(RTLD_NEXT, name);
    Dl_info where;
    if (!found && dladdr(caller, &where) && where.dli_fname) {
        void *module = dlopen(where.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
        found = module ? dlsym(module, name) : NULL;
        if (module)
            dlclose(module);
    }
    if (!found) {
        fprintf(stderr,
                "pitwall: no such function behind libpitwall-openmp.so: %s: "
                "run without --openmp\n",
                name);
        abort();
    }
    return found;
}

void *pit__gomp_next(const char *name, const void *caller)
{
    uintptr_t key = (uintptr_t)caller;
    uint32_t first = (uint32_t)((key * 0x9e3779b97f4a7c15u) >> 32);
    for (uint32_t i = 0; i < 8; i++) {
        struct place *place = &places[(first + i) % PLACES];
        uintptr_t now = __atomic_load_n(&place->caller, __ATOMIC_ACQUIRE);
        void *found = now == key ? __atomic_load_n(&place->found, __ATOMIC_ACQUIRE) : NULL;
        if (found)
            return found;
        if (now == 0) {
            found = look(name, caller);
            if (__atomic_compare_exchange_n(&place->caller, &now, key, 0, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED))
                __atomic_store_n(&place->found, found, __ATOMIC_RELEASE);
            return found;
        }
    }
    return look(name, caller);
}
