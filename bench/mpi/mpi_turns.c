/* What libpitwall-mpi adds to a call: calls that MPI answers at once, through the library and directly
 * (PMPI_…), in turn in one run; the fastest batch of each counts. Started by bench_mpi.py with two ranks,
 * so that collectives have a log. A broadcast of nothing is a collective without communication. */
#include <mpi.h>

#include <stdio.h>
#include <time.h>

#define CALLS 2000
#define ROUNDS 2000

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int value;

static void send(void)
{
    for (int i = 0; i < CALLS; i++)
        MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void bare_send(void)
{
    for (int i = 0; i < CALLS; i++)
        PMPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
}

static void bcast(void)
{
    for (int i = 0; i < CALLS; i++)
        MPI_Bcast(&value, 0, MPI_INT, 0, MPI_COMM_WORLD);
}

static void bare_bcast(void)
{
    for (int i = 0; i < CALLS; i++)
        PMPI_Bcast(&value, 0, MPI_INT, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    void (*const cases[])(void) = {send, bare_send, bcast, bare_bcast};
    double best[4] = {1e18, 1e18, 1e18, 1e18};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < ROUNDS && rank == 0; round++)
        for (int i = 0; i < 4; i++) {
            double start = now_ns();
            cases[i]();
            double ns = (now_ns() - start) / CALLS;
            best[i] = ns < best[i] ? ns : best[i];
        }
    if (rank == 0) {
        printf("mpi_call_ns %.2f\n", best[0]);
        printf("mpi_call_added_ns %.2f\n", best[0] - best[1]);
        printf("mpi_collective_added_ns %.2f\n", best[2] - best[3]);
    }
    MPI_Finalize();
    return 0;
}
