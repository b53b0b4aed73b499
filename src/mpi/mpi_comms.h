/* mpi_comms.h: the communicators of the program and what the recorder knows them as. */
#ifndef PIT_MPI_COMMS_H
#define PIT_MPI_COMMS_H

#include <stdint.h>

struct pit__comm {
    uintptr_t handle; /* 0: free, 1: freed */
    uint64_t id;      /* the same in all its ranks */
    uint32_t group;   /* the recorder's number; 0: none, its collectives have no numbers */
    uint32_t size, rank;
    int *in_world; /* of each of its ranks the number in MPI_COMM_WORLD; NULL: not known */
};

/* What is known of a communicator, by its handle. NULL: it was made in a way that says nothing about it
 * in other ranks, or there are too many. */
const struct pit__comm *pit__comm_of(uintptr_t handle);

/* Made by a collective of `parent`, the newest one; may be MPI_COMM_NULL. All ranks of the new one come to
 * the same id: that of the parent, the number of the collective, and who is first in it. */
void pit__comm_made(const struct pit__comm *parent, uintptr_t handle);
void pit__comm_gone(uintptr_t handle);

/* As pit_note_call takes it: who is rank `dest` of the communicator. */
uint32_t pit__comm_member(uintptr_t handle, int dest);

#endif
