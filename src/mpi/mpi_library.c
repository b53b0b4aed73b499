/* See mpi_library.h. */
#include "mpi_library.h"

#include "preload/recorder_link.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

struct pit__mpi pit__mpi;

enum { NOT_TRIED, AT_IT, READY, WITHOUT };
static int state = NOT_TRIED;

/* ISO C has no conversion from an address to a function. */
#define FIND(to_, name_)                                                                           \
    do {                                                                                           \
        void *found_ = pit__mpi_symbol(name_);                                                     \
        memcpy(&(to_), &found_, sizeof(to_));                                                      \
    } while (0)

struct search {
    const char *name;
    const void *own; /* this library, which is not meant */
    void *found;
};

/* A library that was loaded for one module alone (RTLD_LOCAL) is out of the loader's sight. */
static int look_into(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    struct search *search = arg;
    Dl_info where;
    (void)bytes;
    if (!info->dlpi_name || !strstr(info->dlpi_name, "mpi"))
        return 0;
    void *library = dlopen(info->dlpi_name, RTLD_NOLOAD | RTLD_LAZY);
    void *found = library ? dlsym(library, search->name) : NULL;
    if (library)
        dlclose(library);
    if (found && dladdr(found, &where) && where.dli_fbase != search->own)
        search->found = found;
    return search->found != NULL;
}

void *pit__mpi_symbol(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    Dl_info own;
    if (found || !dladdr((const void *)&pit__mpi, &own))
        return found;
    struct search search = {name, own.dli_fbase, NULL};
    dl_iterate_phdr(look_into, &search);
    return search.found;
}

static int find_calls(void)
{
    FIND(pit__mpi.type_size, "PMPI_Type_size");
    FIND(pit__mpi.get_count, "PMPI_Get_count");
    FIND(pit__mpi.comm_size, "PMPI_Comm_size");
    FIND(pit__mpi.comm_rank, "PMPI_Comm_rank");
    FIND(pit__mpi.comm_group, "PMPI_Comm_group");
    FIND(pit__mpi.comm_test_inter, "PMPI_Comm_test_inter");
    FIND(pit__mpi.group_translate, "PMPI_Group_translate_ranks");
    FIND(pit__mpi.group_free, "PMPI_Group_free");
    FIND(pit__mpi.initialized, "PMPI_Initialized");
    FIND(pit__mpi.finalized, "PMPI_Finalized");
    return pit__mpi.type_size && pit__mpi.get_count && pit__mpi.comm_size && pit__mpi.comm_rank &&
           pit__mpi.comm_group && pit__mpi.comm_test_inter && pit__mpi.group_translate &&
           pit__mpi.group_free && pit__mpi.initialized && pit__mpi.finalized;
}

/* The program may have a copy of a variable, which then is everybody's. */
static const void *variable(const char *name)
{
    const void *found = dlsym(RTLD_DEFAULT, name);
    return found ? found : pit__mpi_symbol(name);
}

/* OpenMPI's predefined handles are objects of its library, MPICH's are numbers that its ABI fixes. */
static void find_handles(void)
{
    const void *world = variable("ompi_mpi_comm_world");
    pit__mpi.is_mpich = !world;
    if (!world) {
        pit__mpi.world = 0x44000000u;
        pit__mpi.no_comm = 0x04000000u;
        return;
    }
    pit__mpi.world = (uintptr_t)world;
    pit__mpi.no_comm = (uintptr_t)variable("ompi_mpi_comm_null");
    FIND(pit__mpi.comm_f2c, "PMPI_Comm_f2c");
    FIND(pit__mpi.type_f2c, "PMPI_Type_f2c");
    FIND(pit__mpi.request_f2c, "PMPI_Request_f2c");
    FIND(pit__mpi.status_f2c, "PMPI_Status_f2c");
    pit__mpi.fortran_in_place = variable("mpi_fortran_in_place_");
    pit__mpi.fortran_status_ignore = variable("mpi_fortran_status_ignore_");
}

int pit__mpi_prepare(void)
{
    int found = NOT_TRIED;
    if (!__atomic_compare_exchange_n(&state, &found, AT_IT, 0, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
        return found == READY;
    int good = find_calls() && pit__link_find() && pit__link.group_calls;
    if (good)
        find_handles();
    __atomic_store_n(&state, good ? READY : WITHOUT, __ATOMIC_RELEASE);
    return good;
}
