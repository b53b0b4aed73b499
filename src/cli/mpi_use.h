/* mpi_use.h: is a program one of MPI? */
#ifndef PIT_MPI_USE_H
#define PIT_MPI_USE_H

/* 1: this process was started by a launcher of MPI, so what it starts is a rank; or the program is such a
 * launcher, or needs a library of MPI. A script that loads MPI and is started without a launcher says so
 * nowhere. */
int mpi_is_used(const char *program);

#endif
