/* mpi_library.h: the MPI of this process, whichever it is, without its header.
 *
 * All arguments of its calls are integers or addresses, so they pass as uintptr_t whatever their types
 * are. A handle is an address in OpenMPI and an int in MPICH and its derivatives, where the upper half of
 * the argument is undefined.
 */
#ifndef PIT_MPI_LIBRARY_H
#define PIT_MPI_LIBRARY_H

#include <stdint.h>

#define PIT__MPI_STATUS_BYTES 128 /* more than any MPI's status has */
#define PIT__MPI_ERROR 16         /* the result of a call that this MPI does not have */

struct pit__mpi {
    int is_mpich; /* or a derivative: handles are ints, and its Fortran calls C's MPI_… */
    uintptr_t handle_mask; /* the bits of an argument that are a handle */
    uintptr_t world, no_comm;
    int (*type_size)(uintptr_t type, int *size);
    int (*type_get_envelope)(uintptr_t type, int *integers, int *addresses, int *types,
                             int *combiner); /* may be NULL */
    int (*get_count)(const void *status, uintptr_t type, int *count);
    int (*comm_size)(uintptr_t comm, int *size);
    int (*comm_rank)(uintptr_t comm, int *rank);
    int (*comm_group)(uintptr_t comm, uintptr_t *group);
    int (*comm_test_inter)(uintptr_t comm, int *is_inter);
    int (*group_translate)(uintptr_t from, int n, const int *ranks, uintptr_t to, int *found);
    int (*group_free)(uintptr_t *group);
    int (*initialized)(int *is_it);
    int (*finalized)(int *is_it);
    /* Fortran's handles; NULL if they are the same as C's, as in MPICH. */
    uintptr_t (*comm_f2c)(int comm);
    uintptr_t (*type_f2c)(int type);
    uintptr_t (*request_f2c)(int request);
    int (*status_f2c)(const int *from, void *to);
    const void *fortran_in_place, *fortran_status_ignore;
};
extern struct pit__mpi pit__mpi;

/* Find the MPI and the recorder. Returns 1 if both were found. Searched at the first call; calls of
 * other threads meanwhile get 0. */
int pit__mpi_prepare(void);

/* The symbol of this name that follows this library in the loader's order. Also searches libraries that
 * were loaded for one module only, as Python does. NULL: not found. */
void *pit__mpi_symbol(const char *name);

/* A handle of Fortran's, stored there. */
static inline uintptr_t pit__mpi_of_fortran(uintptr_t (*f2c)(int), uintptr_t at)
{
    return f2c ? f2c(*(const int *)at) : *(const uint32_t *)at;
}

static inline uintptr_t pit__mpi_handle(uintptr_t passed)
{
    return passed & pit__mpi.handle_mask;
}

/* The handle that is stored there. */
static inline uintptr_t pit__mpi_stored(const void *at)
{
    return pit__mpi.is_mpich ? *(const uint32_t *)at : *(const uintptr_t *)at;
}

#endif
