/* libpitwall-mpi.so: calls of MPI become spans, with their bytes and the communicator.
 *
 *   program ──▶ MPI_Send here ──▶ PMPI_Send of the process's MPI (mpi_library)
 *                     └──▶ the recorder of the process (recorder_link)
 *
 * mpi_table.h has the table of calls, mpi_steps.h what each does; mpi_fortran.c has the names of Fortran.
 * No header of an MPI is used here.
 */
#include "mpi_steps.h"
#include "mpi_table.h"

#include <string.h>

/* The TLS model must be repeated here: the compiler does not take it from the declaration, and each
 * access would be a call. */
__thread struct pit__mpi_thread pit__mpi_here
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
static int never;
int *pit__mpi_is_on = &never;

/* Also for the functions without a span. */
static void prepare(void)
{
    if (__atomic_load_n(&pit__mpi_is_on, __ATOMIC_RELAXED) == &never && pit__mpi_prepare())
        __atomic_store_n(&pit__mpi_is_on, pit__link.enabled, __ATOMIC_RELEASE);
}

void *pit__mpi_real(struct pit__mpi_call *call)
{
    void *found = pit__mpi_symbol(call->symbol);
    if (!found && call->narrow) {
        found = pit__mpi_symbol(call->narrow);
        call->is_narrow = found != NULL;
    }
    prepare();
    memcpy(&call->real, &found, sizeof found);
    return found;
}

#define CALL(symbol_, label_, form_, n_, kind_, rule_, buffer_, count_, type_, root_, comm_,       \
             count2_, type2_)                                                                      \
    PIT__EXPORTED int symbol_(PIT__P##n_);                                                         \
    PIT__EXPORTED int symbol_(PIT__P##n_)                                                          \
    {                                                                                              \
        static struct pit__mpi_call call =                                                         \
            PIT__MPI_CALL(label_, kind_, "P" #symbol_, NARROW_OF(form_, label_));                  \
        unsigned char own[rule_ == RECV ? PIT__MPI_STATUS_BYTES : 1] __attribute__((aligned(16))); \
        if (!call.real && !pit__mpi_real(&call))                                                   \
            return PIT__MPI_ERROR;                                                                 \
        if (form_ == WIDE && call.is_narrow && (a##count_ | a##count2_) > INT32_MAX)               \
            return PIT__MPI_ERROR;                                                                 \
        int (*real)(PIT__P##n_) = (int (*)(PIT__P##n_))call.real;                                  \
        if (!pit__mpi_enter())                                                                     \
            return real(PIT__A##n_);                                                               \
        if (rule_ == RECV)                                                                         \
            a##root_ = pit__mpi_status(form_, a##root_, own);                                      \
        struct pit__mpi_args args = {a##buffer_, a##count_,  a##type_,  ROOT_OF(kind_, root_),     \
                                     a##comm_,   a##count2_, a##type2_, PIT__MPI_CALLER};          \
        pit_token token = pit__mpi_begin(&call, form_, kind_, rule_,                               \
                                         PIT__MPI_IS_SEND(kind_, rule_, comm_), &args);            \
        int result = real(PIT__A##n_);                                                             \
        pit__mpi_end(token, result == 0, form_, kind_, rule_, &args);                              \
        return result;                                                                             \
    }

/* If MPI does not have a call with large counts, the plain call is used as long as the counts are small. */
#define NARROW_OF(form_, label_) (form_ == WIDE ? "PMPI_" label_ : NULL)

/* For starts, the column says whether there are several. */
#define ROOT_OF(kind_, root_) (kind_ == START ? (uintptr_t)(root_) : a##root_)

#define PLAIN_CALL(Name, lower, n, kind, rule, buffer, count, type, root, comm, count2, type2)     \
    CALL(MPI_##Name, #Name, NARROW, n, kind, rule, buffer, count, type, root, comm, count2, type2)
#define WIDE_CALL(Name, lower, n, kind, rule, buffer, count, type, root, comm, count2, type2)      \
    CALL(MPI_##Name##_c, #Name, WIDE, n, kind, rule, buffer, count, type, root, comm, count2, type2)

PIT__MPI_COUNTED(PLAIN_CALL)
PIT__MPI_COUNTED(WIDE_CALL)
PIT__MPI_ARRAYS(PLAIN_CALL)
PIT__MPI_UNCOUNTED(PLAIN_CALL)
PIT__MPI_WITH_TEXT(PLAIN_CALL)

/* MPI_Init and MPI_Finalize are not communication in which ranks wait for one another. */
PLAIN_CALL(Init, init, 2, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)
PLAIN_CALL(Init_thread, init_thread, 4, LOCAL, NONE, 0, 0, 0, 0, 0, 0, 0)

/* It has no argument. */
PIT__EXPORTED int MPI_Finalize(void);
PIT__EXPORTED int MPI_Finalize(void)
{
    static struct pit__mpi_call call = PIT__MPI_CALL("Finalize", LOCAL, "PMPI_Finalize", NULL);
    if (!call.real && !pit__mpi_real(&call))
        return PIT__MPI_ERROR;
    int (*real)(void) = (int (*)(void))call.real;
    if (!pit__mpi_enter())
        return real();
    pit_token token = pit__link.begin(&call.site);
    int result = real();
    if (token)
        pit__link.end(token);
    pit__mpi_here.is_inside = 0;
    return result;
}
