/* See mpi_types.h. */
#include "mpi_types.h"

#include "mpi_library.h"

uint64_t pit__types_kept[1u << PIT__TYPES_KEPT_BITS];

/* A type that the program did not make has no constituents. */
static int is_own_type(uintptr_t handle)
{
    int integers = 1, addresses = 1, types = 1, combiner;
    return pit__mpi.type_get_envelope &&
           pit__mpi.type_get_envelope(handle, &integers, &addresses, &types, &combiner) == 0 &&
           !integers && !addresses && !types;
}

uint64_t pit__type_size_asked(uintptr_t handle)
{
    uint64_t *place = pit__type_place(handle);
    uint64_t kept = __atomic_load_n(place, __ATOMIC_RELAXED);
    int size = 0;
    pit__mpi.type_size(handle, &size);
    if (size < 0)
        return 0;
    if (kept >> 8 != handle && (uint64_t)handle << 8 >> 8 == handle) {
        int is_kept = (unsigned)size < PIT__TYPE_ASK && is_own_type(handle);
        __atomic_store_n(place, (uint64_t)handle << 8 | (is_kept ? (unsigned)size : PIT__TYPE_ASK),
                         __ATOMIC_RELAXED);
    }
    return (uint64_t)size;
}
