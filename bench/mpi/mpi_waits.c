/* Two ranks that work for different times before each collective, so that one waits for the other. The work
 * is sleeping, so ranks need no separate processors. bench_mpi.py reads the runs. */
#include <mpi.h>

#include <stdlib.h>
#include <time.h>

#define STEPS 300

int main(int argc, char **argv)
{
    int rank;
    double mine = 1, sum;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    srand((unsigned)rank + 1);
    for (int i = 0; i < STEPS; i++) {
        struct timespec work = {0, 1000000L + rand() % 4000000};
        nanosleep(&work, NULL);
        MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
