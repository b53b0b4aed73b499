/* Parallel regions of a team of one, one after another; prints the nanoseconds of one, the best of many
 * rounds. */
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 300, REGIONS = 1000 };
static volatile int sink;

int main(void)
{
    double best = 1e9;
    for (int round = 0; round < ROUNDS; round++) {
        double begin = omp_get_wtime();
        for (int i = 0; i < REGIONS; i++) {
#pragma omp parallel num_threads(1)
            sink = i;
        }
        double ns = (omp_get_wtime() - begin) * 1e9 / REGIONS;
        best = ns < best ? ns : best;
    }
    printf("%.1f\n", best);
    return 0;
}
