/* The Fortran names of the calls: mpi_send_ of `use mpi` and mpif.h, mpi_send_f08_ of
 * `use mpi_f08`. Arguments are addresses, the last one is that of the error code or, in f08, NULL.
 *
 * OpenMPI's call PMPI_Send directly, so the span is made here. MPICH's call MPI_Send, which makes it;
 * only those of f08 without a buffer call PMPI_Wait and the related functions.
 */
#include "mpi_steps.h"
#include "mpi_table.h"

/* CFI: MPICH's f08 calls with buffers, mpi_send_f08ts_, whose buffers are descriptors. */
enum module { OLD, F08, CFI };

/* Must the span be made here? */
PIT__STEP int enter(enum module module, enum pit__rule rule)
{
    int is_here = pit__mpi.is_mpich ? module == F08 && rule == NONE : pit__mpi.status_f2c != NULL;
    return module != CFI && is_here && pit__mpi_enter();
}

#define CALL(symbol_, label_, module_, n_, kind_, rule_, buffer_, count_, type_, root_, comm_,     \
             count2_, type2_)                                                                      \
    PIT__EXPORTED void symbol_(PIT__P##n_, uintptr_t error);                                       \
    PIT__EXPORTED void symbol_(PIT__P##n_, uintptr_t error)                                        \
    {                                                                                              \
        static struct pit__mpi_call call = PIT__MPI_CALL(label_, kind_, #symbol_, NULL);           \
        unsigned char own[rule_ == RECV ? PIT__MPI_STATUS_BYTES : 1] __attribute__((aligned(16))); \
        if (!call.real && !pit__mpi_real(&call)) {                                                 \
            if (error)                                                                             \
                *(int *)error = PIT__MPI_ERROR;                                                    \
            return;                                                                                \
        }                                                                                          \
        void (*real)(PIT__P##n_, uintptr_t) = (void (*)(PIT__P##n_, uintptr_t))call.real;          \
        if (!enter(module_, rule_)) {                                                              \
            const void *outer = pit__mpi_here.outer;                                               \
            pit__mpi_here.outer = __builtin_return_address(0);                                     \
            real(PIT__A##n_, error);                                                               \
            pit__mpi_here.outer = outer;                                                           \
            return;                                                                                \
        }                                                                                          \
        if (rule_ == RECV)                                                                         \
            a##root_ = pit__mpi_status(FORTRAN, a##root_, own);                                    \
        struct pit__mpi_args args = {a##buffer_, a##count_,  a##type_,  ROOT_OF(kind_, root_),     \
                                     a##comm_,   a##count2_, a##type2_, PIT__MPI_CALLER};          \
        pit_token token = pit__mpi_begin(&call, FORTRAN, kind_, rule_,                             \
                                         PIT__MPI_IS_SEND(kind_, rule_, comm_), &args);            \
        real(PIT__A##n_, error);                                                                   \
        pit__mpi_end(token, !error || *(const int *)error == 0, FORTRAN, kind_, rule_, &args);     \
    }

#define ROOT_OF(kind_, root_) (kind_ == START ? (uintptr_t)(root_) : a##root_)

#define OLD_CALL(Name, lower, n, kind, rule, buffer, count, type, root, comm, count2, type2)       \
    CALL(mpi_##lower##_, #Name, OLD, n, kind, rule, buffer, count, type, root, comm, count2, type2)
#define NEW_CALL(Name, lower, n, kind, rule, buffer, count, type, root, comm, count2, type2)       \
    CALL(mpi_##lower##_f08_, #Name, F08, n, kind, rule, buffer, count, type, root, comm, count2,   \
         type2)

#define CFI_CALL(Name, lower, n, kind, rule, buffer, count, type, root, comm, count2, type2)       \
    CALL(mpi_##lower##_f08ts_, #Name, CFI, n, kind, rule, buffer, count, type, root, comm, count2, \
         type2)

PIT__MPI_COUNTED(OLD_CALL)
PIT__MPI_ARRAYS(OLD_CALL)
PIT__MPI_UNCOUNTED(OLD_CALL)
PIT__MPI_COUNTED(NEW_CALL)
PIT__MPI_ARRAYS(NEW_CALL)
PIT__MPI_UNCOUNTED(NEW_CALL)
PIT__MPI_COUNTED(CFI_CALL)
PIT__MPI_ARRAYS(CFI_CALL)

/* The only argument of mpi_init is the error code. */
#define BARE_CALL(symbol_, label_, module_)                                                        \
    PIT__EXPORTED void symbol_(uintptr_t error);                                                   \
    PIT__EXPORTED void symbol_(uintptr_t error)                                                    \
    {                                                                                              \
        static struct pit__mpi_call call = PIT__MPI_CALL(label_, LOCAL, #symbol_, NULL);           \
        if (!call.real && !pit__mpi_real(&call))                                                   \
            return;                                                                                \
        void (*real)(uintptr_t) = (void (*)(uintptr_t))call.real;                                  \
        const void *outer = pit__mpi_here.outer;                                                   \
        pit_token token = 0;                                                                       \
        int is_ours = enter(module_, NONE);                                                        \
        if (is_ours)                                                                               \
            token = pit__link.begin(&call.site);                                                   \
        pit__mpi_here.outer = __builtin_return_address(0);                                         \
        real(error);                                                                               \
        pit__mpi_here.outer = outer;                                                               \
        if (token)                                                                                 \
            pit__link.end(token);                                                                  \
        if (is_ours)                                                                               \
            pit__mpi_here.is_inside = 0;                                                           \
    }

BARE_CALL(mpi_init_, "Init", OLD)
BARE_CALL(mpi_init_f08_, "Init", F08)
BARE_CALL(mpi_finalize_, "Finalize", OLD)
BARE_CALL(mpi_finalize_f08_, "Finalize", F08)
OLD_CALL(Init_thread, init_thread, 2, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)
NEW_CALL(Init_thread, init_thread, 2, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)
