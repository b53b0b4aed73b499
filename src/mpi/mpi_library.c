/* See mpi_library.h. */
#include "mpi_library.h"

#include "preload/recorder_link.h"

#include <dlfcn.h>
#include <link.h>
#include <string.h>

struct pit__mpi pit__mpi;

enum { NOT_TRIED, AT_IT, READY, WITHOUT };
static int state = NOT_TRIED;

/* By memcpy: ISO C does not convert an address to a function. */
#define FIND(to_, name_)                                                                           \
    do {                                                                                           \
        void *found_ = pit__mpi_symbol(name_);                                                     \
        memcpy(&(to_), &found_, sizeof(to_));                                                      \
    } while (0)

/* Libraries whose name contains MPI: those that were loaded for one module only (RTLD_LOCAL) are not found
 * by the loader. They are opened after the walk, which holds a lock that opening needs too. */
#define MOST_LIBRARIES 16
#define PATH_ROOM 512
struct libraries {
    size_t count;
    char paths[MOST_LIBRARIES][PATH_ROOM];
};

static int list_library(struct dl_phdr_info *info, size_t bytes, void *arg)
{
    struct libraries *libraries = arg;
    const char *path = info->dlpi_name;
    (void)bytes;
    if (!path || !strstr(path, "mpi") || strlen(path) >= PATH_ROOM)
        return 0;
    strcpy(libraries->paths[libraries->count++], path);
    return libraries->count == MOST_LIBRARIES;
}

/* NULL: not found, or it is in this library itself. */
static void *find_in(const char *path, const char *name, const void *own)
{
    void *library = dlopen(path, RTLD_NOLOAD | RTLD_LAZY);
    void *found = library ? dlsym(library, name) : NULL;
    Dl_info where;
    if (library)
        dlclose(library);
    return found && dladdr(found, &where) && where.dli_fbase != own ? found : NULL;
}

void *pit__mpi_symbol(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    struct libraries libraries = {0};
    Dl_info own;
    if (found || !dladdr((const void *)&pit__mpi, &own))
        return found;
    dl_iterate_phdr(list_library, &libraries);
    for (size_t i = 0; i < libraries.count && !found; i++)
        found = find_in(libraries.paths[i], name, own.dli_fbase);
    return found;
}

static int find_calls(void)
{
    FIND(pit__mpi.type_size, "PMPI_Type_size");
    FIND(pit__mpi.type_get_envelope, "PMPI_Type_get_envelope");
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

/* The program may have a copy of a variable, which all modules then use. */
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
    pit__mpi.handle_mask = world ? UINTPTR_MAX : UINT32_MAX;
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
