/* alloc_link.c: the connection to libpitwall-alloc, if it is loaded. */
#include "format/alloc_api.h"
#include "recorder.h"

#include <dlfcn.h>
#include <string.h>

const struct pit__alloc_api *pit__alloc_link;
static int alloc_asked; /* the lookup was made; pit__alloc_link then never changes */

/* With the open lock held. */
int pit__alloc_present(void)
{
    if (!alloc_asked) {
        /* POSIX allows converting an object pointer to a function pointer, ISO C does not. */
        const struct pit__alloc_api *(*library)(void);
        void *symbol = dlsym(RTLD_DEFAULT, "pit__alloc_library");
        memcpy(&library, &symbol, sizeof library);
        if (symbol && library()->version == PIT__ALLOC_API_VERSION)
            pit__alloc_link = library();
        PIT_STORE_ORDERED(alloc_asked, 1);
    }
    return pit__alloc_link != NULL;
}

const struct pit__alloc_api *pit__alloc_of_process(void)
{
    struct pit__lock *lock = pit__open_lock();
    if (PIT_LOAD_ACQUIRE(alloc_asked))
        return pit__alloc_link;
    struct pit__guard before = pit__guard_enter();
    const struct pit__alloc_api *api = NULL;
    if (lock && pit__lock_take(lock)) {
        api = pit__alloc_present() ? pit__alloc_link : NULL;
        pit__lock_give(lock);
    }
    pit__guard_leave(before);
    return api;
}
