/* See mpi_requests.h. Requests for which there is no room count without bytes. */
#include "mpi_requests.h"

#include "pitwall.h"

#include <pthread.h>

#define PLACES 4096u /* a power of two */
#define FREED 1u

static struct request {
    uintptr_t handle; /* 0: free, 1: freed */
    struct pit__sends sends;
} requests[PLACES];
static uint32_t used; /* places that are not free */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* With the lock held. The entry of a handle, or the first that it may take; NULL: no room. */
static struct request *find(uintptr_t handle, int is_new)
{
    struct request *spare = NULL;
    uint32_t at = (uint32_t)(((uint64_t)handle * 0x9e3779b97f4a7c15u) >> 52);
    for (uint32_t i = 0; i < PLACES; i++, at = (at + 1) % PLACES) {
        struct request *request = &requests[at];
        if (request->handle == handle)
            return request;
        if (request->handle <= FREED && !spare)
            spare = request;
        if (!request->handle)
            break;
    }
    return is_new ? spare : NULL;
}

void pit__request_made(uintptr_t handle, struct pit__sends sends)
{
    pthread_mutex_lock(&lock);
    struct request *request = used < PLACES / 2 ? find(handle, 1) : find(handle, 0);
    if (request) {
        used += request->handle == 0;
        *request = (struct request){handle, sends};
    }
    pthread_mutex_unlock(&lock);
}

void pit__request_gone(uintptr_t handle)
{
    pthread_mutex_lock(&lock);
    struct request *request = find(handle, 0);
    if (request)
        *request = (struct request){.handle = FREED};
    pthread_mutex_unlock(&lock);
}

struct pit__sends pit__request_sends(uintptr_t handle)
{
    pthread_mutex_lock(&lock);
    const struct request *request = find(handle, 0);
    struct pit__sends sends = request ? request->sends : (struct pit__sends){.to = PIT_TO_NOBODY};
    pthread_mutex_unlock(&lock);
    return sends;
}
