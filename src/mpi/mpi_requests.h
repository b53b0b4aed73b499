/* mpi_requests.h: persistent sends, whose bytes are sent at each start. */
#ifndef PIT_MPI_REQUESTS_H
#define PIT_MPI_REQUESTS_H

#include <stdint.h>

struct pit__sends { /* what a start of it sends */
    uint64_t bytes;
    uint32_t to; /* as pit_begin_call takes it */
};

void pit__request_made(uintptr_t handle, struct pit__sends sends);
void pit__request_gone(uintptr_t handle);
/* 0 bytes to no rank: it is not a persistent send. */
struct pit__sends pit__request_sends(uintptr_t handle);

#endif
