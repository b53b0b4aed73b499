/* See mpi_requests.h. The table grows with the number of requests that exist at a time; sends without
 * room in it count without bytes. */
#include "mpi_requests.h"

#include "pitwall.h"

#include <pthread.h>
#include <stdlib.h>

#define PLACES_FIRST 256u /* powers of two */
#define PLACES_MOST (1u << 21)
#define FREED 1u

struct request {
    uintptr_t handle; /* 0: free, 1: freed */
    struct pit__sends sends;
};

static struct request *requests;
static uint32_t places;
static uint32_t used, living; /* used: places that are not free */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* With the lock held. The entry of a handle, or the first free one for it; NULL: no room. */
static struct request *find(uintptr_t handle, int is_new)
{
    struct request *spare = NULL;
    uint64_t at = ((uint64_t)handle * 0x9e3779b97f4a7c15u) >> 40;
    for (uint32_t i = 0; i < places; i++, at++) {
        struct request *request = &requests[at % places];
        if (request->handle == handle)
            return request;
        if (request->handle <= FREED && !spare)
            spare = request;
        if (!request->handle)
            break;
    }
    return is_new ? spare : NULL;
}

static void add(uintptr_t handle, struct pit__sends sends)
{
    struct request *request = find(handle, 1);
    if (!request)
        return;
    used += request->handle == 0;
    living += request->handle != handle;
    *request = (struct request){handle, sends};
}

/* Half of the places stay free; places of freed requests become free again. */
static int has_room(void)
{
    if (2 * used < places)
        return 1;
    uint32_t before = places, now = 4 * living < places ? places : 2 * places;
    struct request *old = requests, *made = NULL;
    now = now < PLACES_FIRST ? PLACES_FIRST : now;
    if (now <= PLACES_MOST)
        made = calloc(now, sizeof *made);
    if (!made)
        return 0;
    requests = made;
    places = now;
    used = living = 0;
    for (uint32_t i = 0; i < before; i++)
        if (old[i].handle > FREED)
            add(old[i].handle, old[i].sends);
    free(old);
    return 1;
}

void pit__request_made(uintptr_t handle, struct pit__sends sends)
{
    pthread_mutex_lock(&lock);
    if (has_room())
        add(handle, sends);
    pthread_mutex_unlock(&lock);
}

void pit__request_gone(uintptr_t handle)
{
    pthread_mutex_lock(&lock);
    struct request *request = find(handle, 0);
    if (request) {
        *request = (struct request){.handle = FREED};
        living--;
    }
    pthread_mutex_unlock(&lock);
}

struct pit__sends pit__request_sends(uintptr_t handle)
{
    pthread_mutex_lock(&lock);
    const struct request *request = find(handle, 0);
    struct pit__sends sends = request ? request->sends : (struct pit__sends){.to = PIT_TO_NONE};
    pthread_mutex_unlock(&lock);
    return sends;
}
