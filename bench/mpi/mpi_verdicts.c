/* A job with a known answer, for bench_verdicts.py: mpi_verdicts CASE RANK. Each step has three parts of work and
 * ends in an all-reduce; RANK is the one that does a tenth of a step more.
 *
 *   balanced    no rank does
 *   assemble    in "assemble"
 *   backward    in "backward", which is computing here: MPI is called after it
 *   chain       in "assemble" of rank 0; the others begin when the rank before them has sent its part, so the
 *               last rank arrives last and has done nothing wrong
 *
 * Work is a fixed number of additions, so it takes processor time, and the same everywhere. */
#include <mpi.h>
#include <pitwall.h>

#include <stdlib.h>
#include <string.h>

#define STEPS 1000
#define UNIT 100000L /* additions in a twentieth of a step: about 0.1 ms */

static volatile double sink;

/* Not inlined: of three copies of the loop, one was 40 % slower in some processes for their whole life, and in
 * others not. */
static __attribute__((noinline, aligned(64))) void work(long units)
{
    double sum = 0;
    for (long i = 0; i < units * UNIT; i++)
        sum += (double)(i & 7);
    sink = sum;
}

static void step(int rank, int ranks, const char *what, int slow)
{
    double mine = 1, all;
    int is_chain = strcmp(what, "chain") == 0, is_slow = rank == slow;
    if (is_chain && rank > 0)
        MPI_Recv(&mine, 1, MPI_DOUBLE, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    PIT_SPAN("assemble")
        work(8 + (is_slow && (is_chain || strcmp(what, "assemble") == 0) ? 2 : 0));
    if (is_chain && rank + 1 < ranks)
        MPI_Send(&mine, 1, MPI_DOUBLE, rank + 1, 0, MPI_COMM_WORLD);
    PIT_SPAN("backward")
        work(8 + (is_slow && strcmp(what, "backward") == 0 ? 2 : 0));
    PIT_SPAN("update")
        work(4);
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, ranks;
    if (argc < 3)
        return 64;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < STEPS; i++)
        PIT_SPAN("step")
            step(rank, ranks, argv[1], atoi(argv[2]));
    MPI_Finalize();
    return 0;
}
