/* triangle_rows: two threads have half of the rows of a triangle each, which is a quarter and three quarters of
 * the work. */
#include <pitwall.h>

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { TEAM = 2, ROWS = 3000, ROUNDS = 120 };

struct share {
    int first, last;
    double sum;
    uint64_t took_ns;
};

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *add_rows(void *argument)
{
    struct share *share = argument;
    uint64_t begun = now_ns();
    for (int row = share->first; row < share->last; row++)
        for (int column = 0; column < row; column++)
            share->sum += sqrt((double)(row + column));
    share->took_ns = now_ns() - begun;
    return NULL;
}

static double add_triangle(void)
{
    struct share shares[TEAM];
    pthread_t threads[TEAM];
    uint64_t begun = now_ns(), busy = 0, slowest = 0;
    double sum = 0;
    for (int i = 0; i < TEAM; i++) {
        shares[i] = (struct share){i * ROWS / TEAM, (i + 1) * ROWS / TEAM, 0, 0};
        if (pthread_create(&threads[i], NULL, add_rows, &shares[i]) != 0)
            return -1;
    }
    for (int i = 0; i < TEAM; i++) {
        pthread_join(threads[i], NULL);
        sum += shares[i].sum;
        busy += shares[i].took_ns;
        slowest = shares[i].took_ns > slowest ? shares[i].took_ns : slowest;
    }
    pit_add_team(TEAM, busy, slowest, now_ns() - begun);
    return sum;
}

int main(void)
{
    double sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        PIT_SPAN("round") {
            PIT_SPAN("add_triangle")
                sum += add_triangle();
            PIT_SPAN("normalise")
                sum = fmod(sum, 1e6);
        }
    }
    printf("%g\n", sum);
    return 0;
}
