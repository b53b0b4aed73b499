/* commit_locked: jobs commit to a ledger that a second thread keeps locked for most of the time. */
#include <pitwall.h>

#include <pthread.h>
#include <stdio.h>

enum { JOBS = 900 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn = PTHREAD_COND_INITIALIZER;
static int waiting, is_over;
static double ledger;

/* Audits the ledger before each commit, and lets it in then. */
static void *audit(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!is_over) {
        for (int i = 0; i < 2000000; i++)
            ledger += i * 1e-12;
        waiting = 0;
        pthread_cond_broadcast(&turn);
        while (!waiting && !is_over)
            pthread_cond_wait(&turn, &lock);
    }
    pthread_mutex_unlock(&lock);
    return unused;
}

static void commit(double amount)
{
    pthread_mutex_lock(&lock);
    waiting = 1;
    pthread_cond_broadcast(&turn);
    while (waiting)
        pthread_cond_wait(&turn, &lock);
    ledger += amount;
    pthread_mutex_unlock(&lock);
}

int main(void)
{
    pthread_t auditor;
    double amount = 0;
    if (pthread_create(&auditor, NULL, audit, NULL) != 0)
        return 1;
    for (int job = 0; job < JOBS; job++) {
        PIT_SPAN("job") {
            PIT_SPAN("compute")
                for (int i = 0; i < 300000; i++)
                    amount += i * 1e-9;
            PIT_SPAN("commit")
                commit(amount);
        }
    }
    pthread_mutex_lock(&lock);
    is_over = 1;
    pthread_cond_broadcast(&turn);
    pthread_mutex_unlock(&lock);
    pthread_join(auditor, NULL);
    printf("%g\n", ledger);
    return 0;
}
