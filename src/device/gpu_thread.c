/* gpu_thread.c: the only thread that reads GPUs. It sleeps until figures are requested, and lives as long as
 * the process. A forked child has none: GPU libraries do not survive a fork. */
#include "gpu_table.h"

#include "base/clock_ns.h"
#include "base/own_threads.h"
#include "base/thread_begun.h"
#include "format/ordered.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

#define STUCK_NS ((uint64_t)2 * 1000000000u)
#define STACK_BYTES ((size_t)1024 * 1024)

static sem_t asked;
static pid_t thread_of;     /* the process that has the thread; 0: there is none */
static const char *calling; /* a call that has not returned yet; NULL */
static uint64_t called_ns;

static void *serve(void *arg)
{
    struct pit__gpus *gpus = arg;
    pit__thread_begins();
    pit__own_thread_begins();
    for (uint64_t turn = 0;; turn++) {
        while (sem_wait(&asked) != 0)
            continue;
        while (sem_trywait(&asked) == 0) /* requests made meanwhile get the same figures */
            continue;
        pit__nvml_turn(gpus, turn);
        pit__rocm_turn(gpus, turn);
        pit__sysfs_gpu_turn(gpus, turn);
    }
    return NULL;
}

void pit__gpus_start(void)
{
    struct pit__gpus *gpus = pit__gpus_find();
    pthread_attr_t attributes;
    pthread_t thread;
    pid_t none = 0;
    if (!gpus->count || !__atomic_compare_exchange_n(&thread_of, &none, getpid(), 0,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return;
    if (sem_init(&asked, 0, 1) != 0 || pthread_attr_init(&attributes) != 0)
        return;
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    int begun = pit__threads_before();
    if (pthread_create(&thread, &attributes, serve, gpus) == 0) {
        pit__thread_await(begun);
        pthread_setname_np(thread, "pitwall-gpu");
    }
    pthread_attr_destroy(&attributes);
}

void pit__gpus_ask(void)
{
    int waiting = 0;
    if (PIT_LOAD_ACQUIRE(thread_of) == getpid() && sem_getvalue(&asked, &waiting) == 0 &&
        waiting == 0)
        sem_post(&asked);
}

void pit__gpu_calls(const char *what)
{
    PIT_STORE(called_ns, pit__clock_ns(CLOCK_MONOTONIC));
    PIT_STORE_ORDERED(calling, what);
}

void pit__gpu_returned(void)
{
    PIT_STORE_ORDERED(calling, NULL);
}

int pit__gpus_stuck(char *why, size_t room)
{
    const char *what = PIT_LOAD_ACQUIRE(calling);
    pid_t owner = PIT_LOAD_ACQUIRE(thread_of);
    if (owner && owner != getpid()) {
        snprintf(why, room, "not read in a forked process");
        return 1;
    }
    if (!what || pit__clock_ns(CLOCK_MONOTONIC) - PIT_LOAD(called_ns) < STUCK_NS)
        return 0;
    snprintf(why, room, "%s does not return", what);
    return 1;
}
