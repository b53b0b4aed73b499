/* Do threads disturb one another? A span over the floor with two threads busy, against the same
 * with one. The batches of both threads start together, and each thread is compared with its own
 * floor, so that a shared core or a lower clock with both busy cancels out. */
#include "bench.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { BATCH = 4000, ROUNDS = 4000 };

static void spans(uint64_t n, void *unused)
{
    static pit_site site = PIT_SITE("busy");
    (void)unused;
    for (uint64_t i = 0; i < n; i++) {
        pit_token token = pit_begin(&site);
        __asm__ volatile("" ::: "memory");
        pit_end(token);
    }
}

static atomic_uint arrived; /* batches started, of all threads */

struct worker {
    pthread_t thread;
    unsigned index, threads;
    double floor_ns, span_ns;
    int failed;
};

/* Spin until all threads have reached batch `number`. */
static void start_together(unsigned threads, unsigned number)
{
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < threads * number)
        ;
}

static double timed(void (*body)(uint64_t, void *))
{
    double start = bench_now_ns();
    body(BATCH, NULL);
    return (bench_now_ns() - start) / BATCH;
}

static void *work(void *argument)
{
    struct worker *worker = argument;
    worker->failed = bench_pin(worker->index) != 0;
    worker->floor_ns = worker->span_ns = 1e300;
    spans(BATCH, NULL); /* warm up */
    for (unsigned round = 0; round < ROUNDS; round++) {
        start_together(worker->threads, 2 * round + 1);
        double ns = timed(bench_floor);
        worker->floor_ns = ns < worker->floor_ns ? ns : worker->floor_ns;
        start_together(worker->threads, 2 * round + 2);
        ns = timed(spans);
        worker->span_ns = ns < worker->span_ns ? ns : worker->span_ns;
    }
    return NULL;
}

/* The mean of the threads' spans relative to their floors; -1 if there are too few processors. */
static double run(unsigned threads)
{
    struct worker workers[2];
    double sum = 0;
    atomic_store(&arrived, 0);
    for (unsigned i = 0; i < threads; i++) {
        workers[i] = (struct worker){.index = i, .threads = threads};
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            bench_fail("pthread_create", "no thread");
    }
    for (unsigned i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        sum = workers[i].failed || sum < 0 ? -1 : sum + workers[i].span_ns / workers[i].floor_ns;
    }
    return sum / threads;
}

int main(void)
{
    bench_now_ns(); /* initialises it before there are threads */
    bench_open("bench_threads.pit");
    double one = run(1), two = run(2);
    pit_close();
    bench_print("one_thread_x_floor", one);
    if (two < 0) {
        puts("two_threads_x_floor n/a\ntwo_threads_x_one n/a");
        return 0;
    }
    bench_print("two_threads_x_floor", two);
    bench_print("two_threads_x_one", two / one);
    return 0;
}
