/* See mpi_comms.h. Lookups take no lock; MPI never lets two threads create or free one communicator. */
#include "mpi_comms.h"

#include "mpi_library.h"
#include "preload/recorder_link.h"

#include <pthread.h>
#include <stdlib.h>

#define PLACES (1u << PIT__COMMS_BITS)
#define PROBES 64u /* entries to search for a handle; freed ones are skipped */
#define FREED 1u
#define MEMBERS_MOST 65536 /* limit for keeping the ranks' numbers in the world */
#define WORLD_ID 0x9e3779b97f4a7c15u

struct pit__comm pit__comms[PLACES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for changes of the table */
static int has_world;
static uintptr_t world_group;

static struct pit__comm *find(uintptr_t handle)
{
    for (uint32_t i = 0, at = pit__comm_place(handle); i < PROBES; i++, at = (at + 1) % PLACES) {
        uintptr_t own = __atomic_load_n(&pit__comms[at].handle, __ATOMIC_ACQUIRE);
        if (own == handle)
            return &pit__comms[at];
        if (!own)
            return NULL;
    }
    return NULL;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0xff51afd7ed558ccdu;
    return hash ^ hash >> 32;
}

/* With the lock held. */
static void add(struct pit__comm comm)
{
    for (uint32_t i = 0, at = pit__comm_place(comm.handle); i < PROBES;
         i++, at = (at + 1) % PLACES) {
        if (pit__comms[at].handle > FREED)
            continue;
        uintptr_t handle = comm.handle;
        comm.handle = pit__comms[at].handle;
        pit__comms[at] = comm;
        __atomic_store_n(&pit__comms[at].handle, handle, __ATOMIC_RELEASE);
        return;
    }
    free(comm.in_world);
}

/* NULL: it is the world itself, or has too many ranks. */
static int *members_of(uintptr_t handle, int size)
{
    uintptr_t group = 0;
    if (handle == pit__mpi.world || size > MEMBERS_MOST)
        return NULL;
    int *own = malloc((size_t)size * sizeof *own), *found = malloc((size_t)size * sizeof *found);
    int good = own && found && pit__mpi.comm_group(handle, &group) == 0;
    for (int i = 0; good && i < size; i++)
        own[i] = i;
    if (good) {
        good = pit__mpi.group_translate(group, size, own, world_group, found) == 0;
        pit__mpi.group_free(&group);
    }
    free(own);
    if (!good)
        free(found);
    return good ? found : NULL;
}

/* No group for a communicator of one rank, which never waits, or between two groups, whose calls have no
 * common number. */
static void enter(uintptr_t handle, uint64_t id)
{
    int size = 0, rank = 0, is_inter = 0;
    pit__mpi.comm_test_inter(handle, &is_inter);
    if (is_inter || pit__mpi.comm_size(handle, &size) != 0 ||
        pit__mpi.comm_rank(handle, &rank) != 0)
        return;
    struct pit__comm comm = {
        .handle = handle, .id = id, .size = (uint32_t)size, .rank = (uint32_t)rank};
    comm.in_world = members_of(handle, size);
    if (size > 1)
        comm.group = pit__link.group_open(id, comm.size, comm.rank);
    pthread_mutex_lock(&lock);
    add(comm);
    pthread_mutex_unlock(&lock);
}

static void enter_world(void)
{
    int is_up = 0, is_down = 0;
    pit__mpi.initialized(&is_up);
    pit__mpi.finalized(&is_down);
    if (!is_up || is_down || __atomic_exchange_n(&has_world, 1, __ATOMIC_ACQ_REL))
        return;
    pit__mpi.comm_group(pit__mpi.world, &world_group);
    enter(pit__mpi.world, WORLD_ID);
}

const struct pit__comm *pit__comm_find(uintptr_t handle)
{
    const struct pit__comm *comm = find(handle);
    if (comm || __atomic_load_n(&has_world, __ATOMIC_ACQUIRE))
        return comm;
    enter_world();
    return find(handle);
}

/* The rank in MPI_COMM_WORLD of its first rank. */
static int first_of(uintptr_t handle)
{
    uintptr_t group = 0;
    int zero = 0, first = -1;
    if (pit__mpi.comm_group(handle, &group) != 0)
        return -1;
    pit__mpi.group_translate(group, 1, &zero, world_group, &first);
    pit__mpi.group_free(&group);
    return first;
}

void pit__comm_made(const struct pit__comm *parent, uintptr_t handle)
{
    if (!parent || !parent->group || handle == pit__mpi.no_comm)
        return;
    uint64_t number = pit__link.group_calls(parent->group);
    enter(handle, mix(mix(mix(parent->id, number), (uint64_t)(int64_t)first_of(handle)), WORLD_ID));
}

void pit__comm_gone(uintptr_t handle)
{
    struct pit__comm *comm = find(handle);
    if (!comm || handle == pit__mpi.world)
        return;
    if (comm->group)
        pit__link.group_close(comm->group);
    pthread_mutex_lock(&lock);
    __atomic_store_n(&comm->handle, FREED, __ATOMIC_RELEASE);
    free(comm->in_world);
    comm->in_world = NULL;
    pthread_mutex_unlock(&lock);
}

uint32_t pit__comm_member(uintptr_t handle, int dest)
{
    const struct pit__comm *comm = pit__comm_of(handle);
    int in_world =
        comm && comm->in_world && (uint32_t)dest < comm->size ? comm->in_world[dest] : -1;
    return in_world < 0 ? PIT_TO_UNKNOWN : (uint32_t)in_world;
}
