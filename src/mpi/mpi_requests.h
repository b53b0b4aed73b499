/* mpi_requests.h: persistent sends, whose bytes go at each start. */
#ifndef PIT_MPI_REQUESTS_H
#define PIT_MPI_REQUESTS_H

#include <stdint.h>

void pit__request_made(uintptr_t handle, uint64_t bytes);
void pit__request_gone(uintptr_t handle);
/* 0: it is none of them. */
uint64_t pit__request_bytes(uintptr_t handle);

#endif
