/* quotes_rwlock: six threads read and write one table of quotes under one reader-writer lock. */
#include <pitwall.h>

#include <pthread.h>
#include <stdio.h>

enum { THREADS = 6, REQUESTS = 500, QUOTES = 4096 };

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static double quotes[QUOTES], sums[THREADS][8];

static void publish(unsigned *seed)
{
    pthread_rwlock_wrlock(&lock);
    for (int i = 0; i < 360000; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        quotes[*seed >> 20] += 1;
    }
    pthread_rwlock_unlock(&lock);
}

static double look_up(void)
{
    double sum = 0;
    pthread_rwlock_rdlock(&lock);
    for (int i = 0; i < 120000; i++)
        sum += quotes[i % QUOTES];
    pthread_rwlock_unlock(&lock);
    return sum;
}

static void *serve(void *own)
{
    double *sum = own;
    unsigned seed = (unsigned)(sum - sums[0]) + 1;
    for (int i = 0; i < REQUESTS; i++) {
        PIT_SPAN("request") {
            PIT_SPAN("publish")
                publish(&seed);
            PIT_SPAN("look_up")
                *sum += look_up();
        }
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, serve, sums[i]) != 0)
            return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    printf("%g\n", sums[0][0]);
    return 0;
}
