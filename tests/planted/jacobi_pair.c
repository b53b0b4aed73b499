/* jacobi_pair: sweeps over a grid by two threads, each with its half. */
#include <pitwall.h>

#include <pthread.h>
#include <stdio.h>

enum { SIDE = 1600, SWEEPS = 2500 };

static float u[2][SIDE][SIDE];
static pthread_barrier_t meet;

static void half(int low, int high, int from)
{
    for (int i = low; i < high; i++)
        for (int j = 1; j < SIDE - 1; j++)
            u[!from][i][j] = 0.25f * (u[from][i - 1][j] + u[from][i + 1][j] + u[from][i][j - 1] +
                                      u[from][i][j + 1]);
}

static void *second(void *unused)
{
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        half(SIDE / 2, SIDE - 1, sweep & 1);
        pthread_barrier_wait(&meet);
    }
    return unused;
}

int main(void)
{
    pthread_t other;
    pthread_barrier_init(&meet, NULL, 2);
    for (int j = 0; j < SIDE; j++)
        u[0][0][j] = u[1][0][j] = 1;
    pthread_create(&other, NULL, second, NULL);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        PIT_SPAN("sweep") {
            PIT_SPAN("relax")
                half(1, SIDE / 2, sweep & 1);
            PIT_SPAN("meet")
                pthread_barrier_wait(&meet);
        }
    pthread_join(other, NULL);
    printf("%g\n", (double)u[0][SIDE / 2][SIDE / 2]);
    return 0;
}
