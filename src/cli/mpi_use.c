/* See mpi_use.h. */
#include "mpi_use.h"

#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* Variables that launchers set for each rank: OpenMPI, PMIx, the PMI of MPICH and Slurm, Intel MPI. */
static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "MPI_LOCALRANKID", "MV2_COMM_WORLD_RANK"};

int mpi_is_launcher(const char *program)
{
    static const char *const names[] = {"mpirun", "mpiexec", "orterun", "prterun", "srun"};
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(name, names[i], length) == 0 && (!name[length] || name[length] == '.'))
            return 1;
    }
    return 0;
}

int mpi_is_used(const char *program)
{
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        if (getenv(variables[i]))
            return 1;
    return mpi_is_launcher(program) || program_needs(program, "libmpi");
}
