/* Small real runs: finished, as killed, with values, objects, phases, long names, many threads. */
#include "make_seeds.h"

#include "pitwall.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void spans(int count)
{
    for (int i = 0; i < count; i++)
        PIT_SPAN("epoch") {
            PIT_SPAN("forward") {
                pit_items(32);
            }
            PIT_SPAN("backward") {
                pit_flops(1000);
            }
        }
}

static void plain(void)
{
    spans(20);
}

static void open_spans(void)
{
    spans(12);
    pit_begin_name("outer");
    pit_begin_name("inner");
    PIT_PHASE("phase");
}

static void values(void)
{
    spans(2);
    for (int i = 0; i < 520; i++)
        pit_value("loss", i == 7 ? (double)NAN : i == 9 ? (double)INFINITY : 1.0 / (i + 1));
}

static void objects(void)
{
    static pit_object kept[3];
    for (int i = 0; i < 3; i++)
        kept[i] = pit_object_begin_name("request");
    pit_object_end(&kept[1]);
    spans(3);
}

static void phases_and_names(void)
{
    char name[600];
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    PIT_SPAN("outer") {
        for (int i = 0; i < 20; i++) {
            PIT_PHASE("load");
            PIT_PHASE("compute");
        }
        pit_end(pit_begin_name(name));
        pit_end(pit_begin_name("\xc3\xa9\t\"\x1b[31m"));
    }
    struct timespec some = {0, 5000000}; /* more than one bucket of the series */
    for (int i = 0; i < 4; i++)
        PIT_SPAN("sleep") {
            nanosleep(&some, NULL);
        }
}

static pthread_barrier_t started;

static void *worker(void *name)
{
    pit_thread_name(name);
    spans(9);
    pthread_barrier_wait(&started);
    return NULL;
}

static void threads(void)
{
    static const char *const names[] = {"one", "two", "three"};
    pthread_t all[3];
    pthread_barrier_init(&started, NULL, 3);
    for (int i = 0; i < 3; i++)
        pthread_create(&all[i], NULL, worker, (void *)(uintptr_t)names[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(all[i], NULL);
    pthread_barrier_destroy(&started);
}

static void deep(void)
{
    for (int i = 0; i < 30; i++)
        pit_begin_name(i % 2 ? "tick" : "tock");
}

static void write_run(const char *folder, const char *name)
{
    char path[4096];
    size_t bytes = 0;
    const void *memory = pit_recorder_memory(NULL, &bytes);
    snprintf(path, sizeof path, "%s/seed-%s.pit", folder, name);
    FILE *file = memory ? fopen(path, "wx") : NULL;
    if (!file)
        return;
    fwrite(memory, 1, bytes, file);
    fclose(file);
}

void make_seeds(const char *folder)
{
    static const struct {
        const char *name;
        void (*record)(void);
        uint64_t ring_bytes;
        int close;
    } seeds[] = {
        {"finished", plain, 16384, 1},          {"killed", open_spans, 16384, 0},
        {"values", values, PIT_RING_OFF, 1},    {"objects", objects, PIT_RING_OFF, 0},
        {"phases", phases_and_names, 16384, 1}, {"threads", threads, PIT_RING_OFF, 1},
        {"deep", deep, PIT_RING_OFF, 0},        {"empty", NULL, PIT_RING_OFF, 1},
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        pit_options options = {.ring_bytes = seeds[i].ring_bytes, .sample_hz = -1, .in_memory = 1};
        if (pit_open(NULL, &options) != PIT_OK)
            return;
        if (seeds[i].record)
            seeds[i].record();
        if (seeds[i].close)
            pit_close();
        write_run(folder, seeds[i].name);
        pit_close();
    }
}
