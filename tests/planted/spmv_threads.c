/* spmv_threads: power iteration with a team of threads that meet at a barrier after every product. */
#include <pitwall.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 1200, THREADS = 16, STEPS = 2500 };

static double matrix[N][N], x[N], y[N];
static pthread_barrier_t meet;

static void rows_of(int id)
{
    for (int i = id * N / THREADS; i < (id + 1) * N / THREADS; i++) {
        double sum = 0;
        for (int j = 0; j < N; j++)
            sum += matrix[i][j] * x[j];
        y[i] = sum;
    }
}

static void *worker(void *id)
{
    for (int step = 0; step < STEPS; step++) {
        pthread_barrier_wait(&meet);
        rows_of((int)(size_t)id);
        pthread_barrier_wait(&meet);
    }
    return NULL;
}

static double normalise(void)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += y[i] * y[i];
    for (int i = 0; i < N; i++)
        x[i] = y[i] / sqrt(sum);
    return sqrt(sum);
}

int main(void)
{
    pthread_t team[THREADS];
    double value = 0;
    for (int i = 0; i < N; i++) {
        x[i] = 1;
        for (int j = 0; j < N; j++)
            matrix[i][j] = 1.0 / (1 + abs(i - j));
    }
    pthread_barrier_init(&meet, NULL, THREADS);
    for (int id = 1; id < THREADS; id++)
        pthread_create(&team[id], NULL, worker, (void *)(size_t)id);
    for (int step = 0; step < STEPS; step++)
        PIT_SPAN("power_step") {
            PIT_SPAN("product") {
                pthread_barrier_wait(&meet);
                rows_of(0);
                pthread_barrier_wait(&meet);
            }
            PIT_SPAN("normalise")
                value = normalise();
        }
    for (int id = 1; id < THREADS; id++)
        pthread_join(team[id], NULL);
    printf("eigenvalue %.6f\n", value);
    return 0;
}
