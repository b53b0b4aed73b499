/* The cost of a span that measures memory, over the same readings done by hand; and of the sampler. */
#include "bench.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define BATCH 500u
#define ROUNDS 60u
#define THREADS 8
#define SAMPLER_SECONDS 5
#define PAUSE_NS 8000 /* a span that begins within 3000 ns of another uses that one's reading */

/* ---- one thread ---------------------------------------------------------------------------- */

static int statm, clear_refs;
static volatile uint64_t sink;

static uint64_t resident_bytes(void)
{
    char text[96];
    ssize_t got = pread(statm, text, sizeof text - 1, 0);
    if (got <= 0)
        bench_fail("/proc/self/statm", strerror(errno));
    text[got] = 0;
    return strtoull(strchr(text, ' '), NULL, 10) * 4096;
}

static uint64_t peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (uint64_t)usage.ru_maxrss * 1024 + (uint64_t)usage.ru_minflt;
}

/* The same work each time, so that its cost can be subtracted. */
static unsigned pause_turns;

static void spend(unsigned turns)
{
    for (unsigned i = 0; i < turns; i++)
        __asm__ volatile("" : "+r"(i));
}

/* The number of turns for PAUSE_NS, by the fastest of some tries: never too few. */
static void choose_pause(void)
{
    unsigned tried = 100000;
    double best = 1e300;
    for (int i = 0; i < 20; i++) {
        double begin = bench_now_ns();
        spend(tried);
        double took = bench_now_ns() - begin;
        best = took < best ? took : best;
    }
    pause_turns = (unsigned)(PAUSE_NS / best * tried) + 1;
}

static void only_pauses(uint64_t n, void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < n; i++)
        spend(pause_turns);
}

/* Begin: RSS, the mark, its reset. End: RSS and the mark again. */
static void by_hand(uint64_t n, void *unused)
{
    uint64_t sum = 0;
    (void)unused;
    for (uint64_t i = 0; i < n; i++) {
        spend(pause_turns);
        sum -= resident_bytes() + peak_bytes();
        if (write(clear_refs, "5", 1) != 1)
            bench_fail("/proc/self/clear_refs", strerror(errno));
        uint64_t begin = bench_counter();
        __asm__ volatile("" ::: "memory");
        sum += bench_counter() - begin;
        sum += resident_bytes() + peak_bytes();
    }
    sink = sum;
}

static void by_span(uint64_t n, void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < n; i++) {
        spend(pause_turns);
        PIT_SPAN_WITH("measured", PIT_MEMORY)
        {
            __asm__ volatile("" ::: "memory");
        }
    }
}

static void at_once(uint64_t n, void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < n; i++)
        PIT_SPAN_WITH("at once", PIT_MEMORY)
        {
            __asm__ volatile("" ::: "memory");
        }
}

/* ---- eight at once ------------------------------------------------------------------------- */

static pthread_barrier_t start;
static double thread_us[THREADS];

static void *measure(void *argument)
{
    double *us = argument, best = 1e300;
    at_once(BATCH, NULL);
    for (unsigned round = 0; round < 5; round++) {
        pthread_barrier_wait(&start);
        double begin = bench_now_ns();
        at_once(BATCH, NULL);
        double each = (bench_now_ns() - begin) / BATCH / 1000;
        best = each < best ? each : best;
    }
    *us = best;
    return NULL;
}

static double eight_threads_us(void)
{
    pthread_t threads[THREADS];
    double sum = 0;
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, measure, &thread_us[i]) != 0)
            bench_fail("pthread_create", strerror(errno));
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        sum += thread_us[i];
    }
    return sum / THREADS;
}

/* ---- the sampler --------------------------------------------------------------------------- */

/* Processor time of the thread called pitwall, in nanoseconds. */
static double sampler_ns(void)
{
    DIR *tasks = opendir("/proc/self/task");
    double ns = -1;
    if (!tasks)
        bench_fail("/proc/self/task", strerror(errno));
    for (struct dirent *entry; (entry = readdir(tasks));) {
        char path[300], name[32] = "";
        snprintf(path, sizeof path, "/proc/self/task/%s/comm", entry->d_name);
        FILE *file = entry->d_name[0] != '.' ? fopen(path, "r") : NULL;
        int is_sampler = file && fgets(name, sizeof name, file) && !strcmp(name, "pitwall\n");
        if (file)
            fclose(file);
        snprintf(path, sizeof path, "/proc/self/task/%s/schedstat", entry->d_name);
        file = is_sampler ? fopen(path, "r") : NULL;
        if (file && fscanf(file, "%lf", &ns) != 1)
            ns = -1;
        if (file)
            fclose(file);
    }
    closedir(tasks);
    return ns;
}

static void bench_sampler(void)
{
    double before = sampler_ns(), begin = bench_now_ns();
    sleep(SAMPLER_SECONDS);
    double used = sampler_ns() - before, passed = bench_now_ns() - begin;
    if (before < 0 || used <= 0) /* a kernel without schedstat */
        printf("sampler_cpu_pct n/a\n");
    else
        bench_print("sampler_cpu_pct", 100 * used / passed);
}

int main(void)
{
    statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    clear_refs = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (statm < 0 || clear_refs < 0)
        bench_fail("/proc/self", strerror(errno));
    bench_open("bench_memory_span.pit");
    choose_pause();
    struct bench_case cases[] = {{only_pauses, NULL, BATCH, 0, 0},
                                 {by_hand, NULL, BATCH, 0, 0},
                                 {by_span, NULL, BATCH, 0, 0},
                                 {at_once, NULL, BATCH, 0, 0}};
    bench_take_turns(cases, 4, ROUNDS);
    double hand = cases[1].best_ns - cases[0].best_ns, span = cases[2].best_ns - cases[0].best_ns;
    bench_print("mem_span_us", span / 1000);
    bench_print("mem_span_x_by_hand", span / hand);
    bench_print("mem_span_at_once_us", cases[3].best_ns / 1000);
    bench_print("mem_span_8_threads_us", eight_threads_us());
    bench_sampler();
    return pit_close() ? 1 : 0;
}
