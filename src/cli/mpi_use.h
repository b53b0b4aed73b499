/* mpi_use.h: does a program use MPI? */
#ifndef PIT_MPI_USE_H
#define PIT_MPI_USE_H

/* Returns 1 if this process was started by an MPI launcher, so the program will be a rank; or if the
 * program is such a launcher or is linked with an MPI library. A script that loads MPI and is started
 * without a launcher cannot be recognised. */
int mpi_is_used(const char *program);

/* Is this the name of an MPI launcher? The name may have a path before it. */
int mpi_is_launcher(const char *program);

#endif
