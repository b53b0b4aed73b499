/* straggler_mpi: two or more ranks of MPI work together, and one of them reads slowly; who waits for whom?
 *
 *     mpicc -O2 -o straggler_mpi straggler_mpi.c $(pkg-config --cflags --libs pitwall)
 *     mpirun -n 2 pitwall run -o run-%r.pit -- ./straggler_mpi
 *     pitwall report run-*.pit
 *
 * In every step a rank reads, computes, sends its edge to the next rank and adds up with all. The last rank
 * reads 3 ms longer than the others (or as many as the first argument says): they lose that time inside of
 * MPI, where the fault is not. The calls of MPI need no mark, libpitwall-mpi sees them. Shows
 * spans around the program's own parts, and how MPI's are told from them.
 */
#include <mpi.h>
#include <pitwall.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { STEPS = 100, EDGE = 1024, WORK = 400000 };

static void read_part(double milliseconds)
{
    struct timespec seek = {0, (long)(milliseconds * 1e6)};
    nanosleep(&seek, NULL);
}

static double compute(double seed)
{
    double sum = seed;
    for (int i = 0; i < WORK; i++)
        sum = sum * 0.999999 + 1e-9 * i;
    return sum;
}

static double exchange(double *edge, int rank, int ranks, double mine)
{
    double sum = 0;
    MPI_Sendrecv_replace(edge, EDGE, MPI_DOUBLE, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks,
                         0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    static double edge[EDGE];
    double slow = argc > 1 ? atof(argv[1]) : 3, sum = 0;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int step = 0; step < STEPS; step++)
        PIT_SPAN("step") {
            PIT_SPAN("read") {
                read_part(1 + (rank == ranks - 1 ? slow : 0));
            }
            PIT_SPAN("compute") {
                sum = compute(sum);
            }
            sum = exchange(edge, rank, ranks, sum) / ranks;
        }
    if (rank == 0)
        printf("%d steps on %d ranks, sum %.6f\n", STEPS, ranks, sum);
    MPI_Finalize();
    return 0;
}
