/* mpi_steps.h: what is done before and after MPI's own call. Kinds, rules and columns are those of
 * mpi_table.h; they are constants where this is used, and the compiler removes the rest.
 */
#ifndef PIT_MPI_STEPS_H
#define PIT_MPI_STEPS_H

#include "mpi_comms.h"
#include "mpi_library.h"
#include "mpi_requests.h"
#include "mpi_types.h"
#include "preload/recorder_link.h"

#include <stddef.h>

#define PIT__EXPORTED __attribute__((visibility("default")))
#define PIT__STEP static inline __attribute__((always_inline))

enum pit__kind { PLAIN, LOCAL, ALL, SYNC, MEET, MAKE, FREE, PREPARE, START, FORGET };
enum pit__rule { NONE, COUNT, EACH, ROOT, SUM, ROOTSUM, TYPES, OWN, RECV };
/* How arguments are passed: counts as int, counts as MPI_Count, everything by its address. */
enum pit__form { NARROW, WIDE, FORTRAN };

/* One call of the table; its sites, and MPI's own function. */
struct pit__mpi_call {
    pit_site site, sync;
    const char *symbol, *narrow; /* of MPI's own, and of one that may replace it */
    void (*real)(void);
    int is_narrow;
};

#define PIT__MPI_FLAGS(kind_) ((kind_) == LOCAL ? 0u : (unsigned)PIT_COMM)
#define PIT__MPI_CALL(name_, kind_, symbol_, narrow_)                                              \
    {                                                                                              \
        PIT_SITE_WITH("MPI_" name_, PIT__MPI_FLAGS(kind_)),                                        \
            PIT_SITE_WITH("MPI_" name_, PIT_COMM | PIT_SYNC), symbol_, narrow_, NULL, 0            \
    }

/* The arguments that the table names, unchanged; and the address of the call in the program. */
struct pit__mpi_args {
    uintptr_t buffer, count, type, root, comm, count2, type2;
    const void *caller;
};

/* What this library knows about a thread. */
struct pit__mpi_thread {
    int is_inside; /* a call; calls that MPI makes itself, as MPICH's Fortran does, are part of it */
    const void
        *outer; /* where the program called a Fortran function that calls C's; NULL: in none */
};
extern __thread struct pit__mpi_thread pit__mpi_here
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
#define PIT__MPI_CALLER (pit__mpi_here.outer ? pit__mpi_here.outer : __builtin_return_address(0))
/* 0: record nothing; also before MPI and the recorder were found. */
extern int *pit__mpi_is_on __attribute__((visibility("hidden")));

/* MPI's own function, looked up at the first call; NULL: this MPI does not have it. */
void *pit__mpi_real(struct pit__mpi_call *call);

PIT__STEP int pit__mpi_enter(void)
{
    const int *is_on = __atomic_load_n(&pit__mpi_is_on, __ATOMIC_ACQUIRE);
    if (pit__mpi_here.is_inside || !__atomic_load_n(is_on, __ATOMIC_RELAXED))
        return 0;
    pit__mpi_here.is_inside = 1;
    return 1;
}

/* ---- arguments ----------------------------------------------------------------------------- */

PIT__STEP int64_t pit__mpi_count(enum pit__form form, uintptr_t passed)
{
    return form == FORTRAN ? *(const int *)passed : form == WIDE ? (int64_t)passed : (int)passed;
}

PIT__STEP int64_t pit__mpi_count_at(enum pit__form form, uintptr_t array, uint32_t i)
{
    return form == WIDE ? ((const int64_t *)array)[i] : ((const int *)array)[i];
}

PIT__STEP uintptr_t pit__mpi_comm(enum pit__form form, uintptr_t passed)
{
    return form == FORTRAN ? pit__mpi_of_fortran(pit__mpi.comm_f2c, passed)
                           : pit__mpi_handle(passed);
}

PIT__STEP uint64_t pit__mpi_size(enum pit__form form, uintptr_t type)
{
    return pit__type_size(form == FORTRAN ? pit__mpi_of_fortran(pit__mpi.type_f2c, type)
                                          : pit__mpi_handle(type));
}

PIT__STEP int pit__mpi_is_in_place(enum pit__form form, uintptr_t buffer)
{
    if (form == FORTRAN)
        return pit__mpi.fortran_in_place && buffer == (uintptr_t)pit__mpi.fortran_in_place;
    return buffer == (pit__mpi.is_mpich ? UINTPTR_MAX : 1u);
}

/* The handle that a call has stored, or that it is about to free. */
PIT__STEP uintptr_t pit__mpi_comm_at(enum pit__form form, uintptr_t at)
{
    return form == FORTRAN ? pit__mpi_of_fortran(pit__mpi.comm_f2c, at)
                           : pit__mpi_stored((const void *)at);
}

PIT__STEP uintptr_t pit__mpi_request_at(enum pit__form form, uintptr_t at, uint64_t i)
{
    if (form == FORTRAN)
        return pit__mpi_of_fortran(pit__mpi.request_f2c, at + i * sizeof(int));
    return pit__mpi_stored((const char *)at +
                           i * (pit__mpi.is_mpich ? sizeof(int) : sizeof(uintptr_t)));
}

/* ---- bytes --------------------------------------------------------------------------------- */

/* With no elements, the type need not be valid. */
PIT__STEP uint64_t pit__mpi_volume(enum pit__form form, int64_t count, uintptr_t type)
{
    return count > 0 ? (uint64_t)count * pit__mpi_size(form, type) : 0;
}

/* Entry i of an array of types, as the form passes it. */
PIT__STEP uintptr_t pit__mpi_type_at(enum pit__form form, uintptr_t types, uint32_t i)
{
    uintptr_t each = form == FORTRAN || pit__mpi.is_mpich ? sizeof(int) : sizeof(uintptr_t);
    uintptr_t at = types + i * each;
    return form == FORTRAN ? at : pit__mpi_stored((const void *)at);
}

PIT__STEP uint64_t pit__mpi_sum(enum pit__form form, int has_types, uintptr_t counts,
                                uintptr_t types, uint32_t ranks)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < ranks; i++)
        sum += pit__mpi_volume(form, pit__mpi_count_at(form, counts, i),
                               has_types ? pit__mpi_type_at(form, types, i) : types);
    return sum;
}

/* Bytes that this rank contributes to the call. */
PIT__STEP uint64_t pit__mpi_bytes(enum pit__form form, enum pit__rule rule,
                                  const struct pit__mpi_args *args, const struct pit__comm *comm)
{
    if (rule == NONE || rule == RECV)
        return 0;
    if ((rule == ROOT || rule == ROOTSUM) &&
        (!comm || pit__mpi_count(form == WIDE ? NARROW : form, args->root) != (int64_t)comm->rank))
        return 0;
    int is_in_place = pit__mpi_is_in_place(form, args->buffer);
    uintptr_t count = is_in_place ? args->count2 : args->count;
    uintptr_t type = is_in_place ? args->type2 : args->type;
    uint32_t ranks = comm ? comm->size : 0;
    if (rule == SUM || rule == ROOTSUM || rule == TYPES)
        return pit__mpi_sum(form, rule == TYPES, count, type, ranks);
    if (rule == OWN && is_in_place)
        return comm ? pit__mpi_volume(form, pit__mpi_count_at(form, count, comm->rank), type) : 0;
    uint64_t bytes = pit__mpi_volume(form, pit__mpi_count(form, count), type);
    return rule == EACH || rule == ROOT ? bytes * ranks : bytes;
}

/* Bytes that have arrived. */
PIT__STEP uint64_t pit__mpi_arrived(enum pit__form form, uintptr_t status, uintptr_t type)
{
    unsigned char own[PIT__MPI_STATUS_BYTES] __attribute__((aligned(16)));
    const void *from = (const void *)status;
    int count = 0;
    if (form == FORTRAN) {
        if (pit__mpi.status_f2c((const int *)status, own) != 0)
            return 0;
        from = own;
        type = pit__mpi_of_fortran(pit__mpi.type_f2c, type);
    }
    if (pit__mpi.get_count(from, type, &count) != 0)
        return 0;
    return pit__mpi_volume(NARROW, count, type);
}

/* We need the status even if the program does not. */
PIT__STEP uintptr_t pit__mpi_status(enum pit__form form, uintptr_t passed, unsigned char *own)
{
    int is_ignored = form == FORTRAN ? passed == (uintptr_t)pit__mpi.fortran_status_ignore
                                     : passed <= 1; /* 0 in OpenMPI, 1 in MPICH */
    return is_ignored ? (uintptr_t)own : passed;
}

/* ---- before and after ---------------------------------------------------------------------- */

PIT__STEP uint32_t pit__mpi_dest(enum pit__form form, uintptr_t comm, uintptr_t dest)
{
    uintptr_t handle = pit__mpi_comm(form, comm);
    int rank = (int)pit__mpi_count(form == WIDE ? NARROW : form, dest);
    if (rank < 0) /* MPI_PROC_NULL, and the root's value in a call between two groups */
        return PIT_TO_NONE;
    return handle == pit__mpi.world ? (uint32_t)rank : pit__comm_member(handle, rank);
}

/* Each request that starts is a message. */
PIT__STEP void pit__mpi_started(enum pit__form form, const struct pit__mpi_args *args)
{
    int64_t count = args->root ? pit__mpi_count(form, args->count) : 1;
    for (int64_t i = 0; i < count; i++) {
        struct pit__sends sends =
            pit__request_sends(pit__mpi_request_at(form, args->buffer, (uint64_t)i));
        if (sends.bytes || sends.to != PIT_TO_NONE)
            pit__link.message(sends.to, sends.bytes);
    }
}

PIT__STEP pit_token pit__mpi_begin_all(struct pit__mpi_call *call, enum pit__form form,
                                       enum pit__kind kind, enum pit__rule rule,
                                       const struct pit__mpi_args *args)
{
    const struct pit__comm *comm = pit__comm_of(pit__mpi_comm(form, args->comm));
    uint64_t bytes = pit__mpi_bytes(form, rule, args, comm);
    int is_sync = kind == MEET || (kind == SYNC && bytes > 0);
    return pit__link.begin_call(is_sync ? &call->sync : &call->site, comm ? comm->group : 0,
                                args->caller, rule == NONE ? PIT_TO_NONE : PIT_TO_ALL, bytes);
}

PIT__STEP pit_token pit__mpi_begin(struct pit__mpi_call *call, enum pit__form form,
                                   enum pit__kind kind, enum pit__rule rule, int is_send,
                                   const struct pit__mpi_args *args)
{
    if (kind == ALL || kind == SYNC || kind == MEET || kind == MAKE)
        return pit__mpi_begin_all(call, form, kind, rule, args);
    if (kind == FREE)
        pit__comm_gone(pit__mpi_comm_at(form, args->buffer));
    if (kind == FORGET)
        pit__request_gone(pit__mpi_request_at(form, args->buffer, 0));
    uint64_t bytes = kind == PREPARE ? 0 : pit__mpi_bytes(form, rule, args, NULL);
    uint32_t to = is_send ? pit__mpi_dest(form, args->comm, args->root) : PIT_TO_NONE;
    pit_token token = pit__link.begin_call(&call->site, 0, args->caller, to, bytes);
    if (kind == START)
        pit__mpi_started(form, args);
    return token;
}

PIT__STEP void pit__mpi_end(pit_token token, int is_good, enum pit__form form, enum pit__kind kind,
                            enum pit__rule rule, const struct pit__mpi_args *args)
{
    if (rule == RECV && is_good) {
        uint64_t bytes = pit__mpi_arrived(form, args->root, args->type);
        if (bytes)
            pit__link.count(1, bytes);
    }
    if (token)
        pit__link.end_call(token);
    if (kind == MAKE && is_good)
        pit__comm_made(pit__comm_of(pit__mpi_comm(form, args->comm)),
                       pit__mpi_comm_at(form, args->root));
    if (kind == PREPARE && is_good)
        pit__request_made(pit__mpi_request_at(form, args->root, 0),
                          (struct pit__sends){pit__mpi_bytes(form, rule, args, NULL),
                                              pit__mpi_dest(form, args->comm, args->type2)});
    pit__mpi_here.is_inside = 0;
}

/* A message to one rank of `comm`, which `root` then names. */
#define PIT__MPI_IS_SEND(kind_, rule_, comm_) ((kind_) == PLAIN && (rule_) == COUNT && (comm_) != 0)

/* Parameters and arguments, by their number. */
#define PIT__P1 uintptr_t a0
#define PIT__P2 PIT__P1, uintptr_t a1
#define PIT__P3 PIT__P2, uintptr_t a2
#define PIT__P4 PIT__P3, uintptr_t a3
#define PIT__P5 PIT__P4, uintptr_t a4
#define PIT__P6 PIT__P5, uintptr_t a5
#define PIT__P7 PIT__P6, uintptr_t a6
#define PIT__P8 PIT__P7, uintptr_t a7
#define PIT__P9 PIT__P8, uintptr_t a8
#define PIT__P10 PIT__P9, uintptr_t a9
#define PIT__P11 PIT__P10, uintptr_t a10
#define PIT__P12 PIT__P11, uintptr_t a11
#define PIT__A1 a0
#define PIT__A2 PIT__A1, a1
#define PIT__A3 PIT__A2, a2
#define PIT__A4 PIT__A3, a3
#define PIT__A5 PIT__A4, a4
#define PIT__A6 PIT__A5, a5
#define PIT__A7 PIT__A6, a6
#define PIT__A8 PIT__A7, a7
#define PIT__A9 PIT__A8, a8
#define PIT__A10 PIT__A9, a9
#define PIT__A11 PIT__A10, a10
#define PIT__A12 PIT__A11, a11

#endif
