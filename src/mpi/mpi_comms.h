/* mpi_comms.h: the communicators of the program and their groups in the recorder. */
#ifndef PIT_MPI_COMMS_H
#define PIT_MPI_COMMS_H

#include <stdint.h>

struct pit__comm {
    uintptr_t handle; /* 0: free, 1: freed */
    uint64_t id;      /* the same in all its ranks */
    uint32_t group;   /* the recorder's number; 0: none, its collectives have no numbers */
    uint32_t size, rank;
    int *in_world; /* rank in MPI_COMM_WORLD of each of its ranks; NULL: not known */
};

/* An entry is at the hash of its handle, or in one of the next entries. */
#define PIT__COMMS_BITS 10
extern struct pit__comm pit__comms[1u << PIT__COMMS_BITS] __attribute__((visibility("hidden")));

static inline uint32_t pit__comm_place(uintptr_t handle)
{
    return (uint32_t)(((uint64_t)handle * 0x9e3779b97f4a7c15u) >> (64 - PIT__COMMS_BITS));
}

const struct pit__comm *pit__comm_find(uintptr_t handle);

/* The entry of a communicator, by its handle. NULL: all entries are in use, or it was created in a way
 * that gives the ranks no common id. */
static inline const struct pit__comm *pit__comm_of(uintptr_t handle)
{
    const struct pit__comm *comm = &pit__comms[pit__comm_place(handle)];
    return __builtin_expect(__atomic_load_n(&comm->handle, __ATOMIC_ACQUIRE) == handle, 1)
               ? comm
               : pit__comm_find(handle);
}

/* Created by the newest collective of `parent`; may be MPI_COMM_NULL. All its ranks compute the same id:
 * from that of the parent, the number of the collective, and its first rank. */
void pit__comm_made(const struct pit__comm *parent, uintptr_t handle);
void pit__comm_gone(uintptr_t handle);

/* Rank `dest`, from 0 on, of a communicator other than the world, as pit_begin_call takes it. */
uint32_t pit__comm_member(uintptr_t handle, int dest);

#endif
