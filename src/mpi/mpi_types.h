/* mpi_types.h: sizes of datatypes. Asking MPI takes as long as a tenth of a recorded call, so the sizes of its
 * own types, which never change, are kept. */
#ifndef PIT_MPI_TYPES_H
#define PIT_MPI_TYPES_H

#include <stdint.h>

#define PIT__TYPES_KEPT_BITS 6
#define PIT__TYPE_ASK 0xffu /* in place of a size: the program made this type, and may free it */

/* By a hash of the handle: the handle and, in the low byte, the size. One word, so that threads need no lock. */
extern uint64_t pit__types_kept[1u << PIT__TYPES_KEPT_BITS] __attribute__((visibility("hidden")));

static inline uint64_t *pit__type_place(uintptr_t handle)
{
    return &pit__types_kept[(uint64_t)handle * 0x9e3779b97f4a7c15u >> (64 - PIT__TYPES_KEPT_BITS)];
}

uint64_t pit__type_size_asked(uintptr_t handle);

static inline uint64_t pit__type_size(uintptr_t handle)
{
    uint64_t kept = __atomic_load_n(pit__type_place(handle), __ATOMIC_RELAXED);
    return kept >> 8 == handle && (kept & 0xff) != PIT__TYPE_ASK ? kept & 0xff
                                                                 : pit__type_size_asked(handle);
}

#endif
