/* prog_golden finished|killed|memory|journal|places PATH: makes the small runs that tests/data/make_golden.py
 * keeps, with all kinds of content. `killed` ends by SIGKILL with spans, a phase and an
 * object open. `memory` has readings of the sampler, spans that measure memory and leaks, and
 * records of spans; with libpitwall-alloc preloaded, what they allocated too. `journal` has more
 * entries than are kept, `places` more places than there is room for.
 */
#include "pitwall.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void busy(long ns)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - start.tv_sec) * 1000000000L + now.tv_nsec - start.tv_nsec < ns);
}

static void epochs(int count)
{
    for (int epoch = 0; epoch < count; epoch++)
        PIT_SPAN("epoch") {
            PIT_PHASE("load");
            pit_bytes(4096);
            PIT_PHASE("train");
            for (int batch = 0; batch < 5; batch++) {
                PIT_SPAN("forward") {
                    pit_items(32);
                    busy(200L << batch);
                }
                PIT_SPAN("backward \xc3\xa9") {
                    pit_flops(1000000);
                }
            }
        }
}

static void *worker(void *arg)
{
    pit_thread_name("worker");
    epochs(3);
    pit_end(*(pit_token *)arg); /* not its own: counted */
    return NULL;
}

static int finished(const char *path)
{
    pit_options options = {.ring_bytes = 16384, .sample_hz = -1};
    if (pit_open(path, &options) != PIT_OK)
        return 1;
    pit_thread_name("main");
    epochs(20);
    for (int i = 0; i < 600; i++)
        pit_value("loss", i == 3 ? (double)NAN : 1.0 / (i + 1));
    pit_object done = pit_object_begin_name("request"), copy = done;
    busy(3000000); /* some buckets of the series later */
    pit_object_end(&done);
    pit_object_end(&copy); /* counted */
    pit_token outer = pit_begin_name("outer");
    pit_begin_name("abandoned");
    pit_end(outer);
    epochs(2);
    return pit_close();
}

static int killed(const char *path)
{
    pit_options options = {.ring_bytes = 16384, .sample_hz = -1};
    if (pit_open(path, &options) != PIT_OK)
        return 1;
    pit_thread_name("main");
    pit_token outer = pit_begin_name("run");
    pthread_t thread;
    if (pthread_create(&thread, NULL, worker, &outer) != 0)
        return 1;
    pthread_join(thread, NULL);
    epochs(4);
    pit_object_begin_name("request");
    PIT_PHASE("evaluate");
    pit_begin_name("batch");
    raise(SIGKILL);
    return 1;
}

#define KB ((size_t)1024)

static void *volatile held[8]; /* keeps the compiler from removing it */

/* Takes 3 MB for a moment and keeps some of it. */
static void take(int i)
{
    unsigned char *large = malloc(3072 * KB);
    if (large)
        for (size_t at = 0; at < 3072 * KB; at += 4 * KB)
            ((volatile unsigned char *)large)[at] = 1;
    held[i % 8] = malloc(KB * (size_t)(i + 1));
    free(large);
}

static void *measured_worker(void *arg)
{
    (void)arg;
    pit_thread_name("worker");
    for (int i = 0; i < 3; i++)
        PIT_SPAN_WITH("cache", PIT_MEMORY | PIT_RECORD)
        {
            take(5 + i);
            pit_items(1);
        }
    return NULL;
}

static int memory(const char *path)
{
    pit_options options = {.ring_bytes = 16384, .record_bytes = 65536, .sample_hz = 200};
    pthread_t thread;
    if (pit_open(path, &options) != PIT_OK)
        return 1;
    pit_thread_name("main");
    for (int i = 0; i < 5; i++)
        PIT_SPAN_WITH("epoch", PIT_MEMORY | PIT_RECORD)
        {
            PIT_SPAN("plain") {
                busy(2000000);
            }
            PIT_SPAN_WITH("fill", PIT_MEMORY)
            {
                take(i);
            }
            PIT_SPAN_WITH("leak", PIT_LEAKS)
            {
                held[i] = malloc(100);
            }
            PIT_SPAN_WITH("kept", PIT_RECORD)
            {
                pit_items((uint64_t)i);
            }
        }
    if (pthread_create(&thread, NULL, measured_worker, NULL) != 0)
        return 1;
    pthread_join(thread, NULL);
    pit_begin_with("open", PIT_MEMORY); /* no figures of it */
    busy(20000000);
    return pit_close();
}

static int journal(const char *path)
{
    pit_options options = {.sample_hz = -1};
    if (pit_open(path, &options) != PIT_OK)
        return 1;
    for (int i = 0; i < 30000; i++) {
        pit_figure figures[] = {{"index", i, NULL}, {"tenths", i / 10.0, "s"}};
        if (pit_journal(i % 2 ? "odd" : "even", i % 7 ? "a \"line\" \xc3\xa9\n" : "", figures,
                        (size_t)(i % 3), 1000 + (uint64_t)i) != 0)
            return 2;
    }
    return pit_close();
}

static int places(const char *path)
{
    pit_options options = {.sample_hz = -1};
    if (pit_open(path, &options) != PIT_OK)
        return 1;
    pit_note_sampling(PIT_PLACE_PYTHON, 12.5, NULL);
    pit_note_sampling(PIT_PLACE_NATIVE, 0, "not allowed: \"perf\" \xc3\xa9");
    pit_note_place(PIT_PLACE_PYTHON, "before", "train.py", 3, 2);
    for (int i = 0; i < 3000; i++) {
        char name[32], function[200], file[200];
        snprintf(name, sizeof name, "part %d", i % 7);
        snprintf(function, sizeof function, "f%0*d", i % 150, i);
        snprintf(file, sizeof file, "/%0*d.py", i % 170, i % 400);
        PIT_SPAN("outer") {
            pit_token inner = pit_begin_name(name);
            pit_note_place(i % 5 ? PIT_PLACE_PYTHON : PIT_PLACE_NATIVE, function, file, (uint32_t)i,
                           1 + (uint64_t)i % 3);
            pit_note_place(PIT_PLACE_PYTHON, "hot", "train.py", 74, 1);
            pit_end(inner);
        }
    }
    pit_note_place(PIT_PLACE_PYTHON, NULL, NULL, 0, 1);
    return pit_close();
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "places") == 0)
        return places(argv[2]);
    if (argc == 3 && strcmp(argv[1], "journal") == 0)
        return journal(argv[2]);
    if (argc == 3 && strcmp(argv[1], "finished") == 0)
        return finished(argv[2]);
    if (argc == 3 && strcmp(argv[1], "killed") == 0)
        return killed(argv[2]);
    if (argc == 3 && strcmp(argv[1], "memory") == 0)
        return memory(argv[2]);
    fprintf(stderr, "usage: prog_golden finished|killed|memory|journal|places PATH\n");
    return 64;
}
