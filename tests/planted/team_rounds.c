/* team_rounds: two threads compute in rounds, and the main thread waits for both of them in each. */
#include <pitwall.h>

#include <pthread.h>
#include <stdio.h>

enum { TEAM = 2, ROUNDS = 250 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begins = PTHREAD_COND_INITIALIZER, ends = PTHREAD_COND_INITIALIZER;
static int round_number, at_work;
static double sums[TEAM][8];

static int next_round(int last)
{
    pthread_mutex_lock(&lock);
    while (round_number == last)
        pthread_cond_wait(&begins, &lock);
    last = round_number;
    pthread_mutex_unlock(&lock);
    return last;
}

static void *work(void *own)
{
    double *sum = own;
    for (int number = next_round(0); number > 0; number = next_round(number)) {
        for (int k = 1; k < 5000000; k++)
            *sum += 1.0 / k;
        pthread_mutex_lock(&lock);
        if (--at_work == 0)
            pthread_cond_signal(&ends);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void begin_round(int number)
{
    round_number = number;
    at_work = TEAM;
    pthread_cond_broadcast(&begins);
}

int main(void)
{
    pthread_t team[TEAM];
    for (int i = 0; i < TEAM; i++)
        if (pthread_create(&team[i], NULL, work, sums[i]) != 0)
            return 1;
    for (int number = 1; number <= ROUNDS; number++) {
        PIT_SPAN("round") {
            PIT_SPAN("share") {
                pthread_mutex_lock(&lock);
                begin_round(number);
                while (at_work > 0)
                    pthread_cond_wait(&ends, &lock);
                pthread_mutex_unlock(&lock);
            }
            PIT_SPAN("gather")
                sums[0][1] += sums[0][0] + sums[1][0];
        }
    }
    pthread_mutex_lock(&lock);
    begin_round(-1);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < TEAM; i++)
        pthread_join(team[i], NULL);
    printf("%g\n", sums[0][1]);
    return 0;
}
