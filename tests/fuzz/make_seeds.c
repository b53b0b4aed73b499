/* Small real runs: finished, as killed, with values, objects, phases, long names, many threads, memory
 * figures, records, readings of the sampler and places. A run with allocation figures is in
 * tests/fuzz/seeds: making it requires a preloaded library, which does not work with sanitizers. */
#include "make_seeds.h"

#include "pitwall.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
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

static void rest_ms(long ms)
{
    struct timespec time = {0, ms * 1000000};
    nanosleep(&time, NULL);
}

/* More than one block of records; more readings than points would take some seconds. */
static void memory(void)
{
    for (int i = 0; i < 70; i++)
        PIT_SPAN_WITH("epoch", PIT_MEMORY | PIT_RECORD)
        {
            PIT_SPAN_WITH("fill", PIT_MEMORY | PIT_ENERGY)
            {
                free(memset(malloc(100000), 1, 100000));
            }
            PIT_SPAN_WITH("kept", PIT_RECORD)
            {
                pit_items(7);
            }
        }
    rest_ms(30);
}

/* Every span measures memory: also phases, objects and threads. */
static void memory_of_all(void)
{
    spans(5);
    phases_and_names();
    threads();
    objects();
    pit_begin_name("outer");
    rest_ms(10);
    PIT_PHASE("phase");
}

static void samples(void)
{
    spans(3);
    rest_ms(400); /* the points are folded once at least */
}

static void places(void)
{
    pit_note_sampling(PIT_PLACE_PYTHON, 10, NULL);
    pit_note_sampling(PIT_PLACE_NATIVE, 0, "no");
    for (uint32_t i = 0; i < 90; i++)
        PIT_SPAN("epoch") {
            pit_note_place(i % 3 ? PIT_PLACE_PYTHON : PIT_PLACE_NATIVE, "step", "train.py", i,
                           i + 1);
        }
    pit_note_place(PIT_PLACE_NATIVE, "main", NULL, 0, 1);
}

/* Enough calls for one fold of the log. One call is still open; it is not among those that the fold keeps. */
static void collectives(void)
{
    static pit_site barrier = PIT_SITE_WITH("MPI_Barrier", PIT_COMM | PIT_SYNC);
    static pit_site bcast = PIT_SITE_WITH("MPI_Bcast", PIT_COMM);
    uint32_t world = pit_group_open(1, 4, 2), pair = pit_group_open(2, 2, 0);
    for (uint64_t i = 0; i < 1030; i++)
        pit_end(pit_collective_begin(&barrier, world, i));
    pit_end(pit_collective_begin(&bcast, pair, 8));
    pit_collective_begin(&bcast, world, 100);
    pit_group_close(pair);
    pit_group_close(world);
}

/* More ranks and callers than entries; the tables of two threads would be alike. */
static void messages(void)
{
    static char code[300];
    static pit_site send = PIT_SITE_WITH("MPI_Send", PIT_COMM);
    for (uint32_t i = 0; i < 1100; i++)
        pit_end_call(pit_begin_call(&send, 0, &code[i % sizeof code], i % 7 ? i : PIT_TO_UNKNOWN,
                                    (uint64_t)i * i));
    pit_begin_call(&send, 0, code, PIT_TO_ALL, UINT64_MAX);
}

/* A small run of a program that recorded nothing, and how it ended. */
static void write_ended(const char *folder)
{
    static const char *const argv[] = {"program", "-x", NULL};
    static const unsigned char id[16] = {1, 2, 3};
    const pit_ended ended = {
        .pid = 42, .duration_ns = 1000000, .exit_status = -1, .exit_signal = 9};
    char path[4096];
    snprintf(path, sizeof path, "%s/seed-ended.pit", folder);
    pit_record_ending(path, id, argv, &ended);
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
        double sample_hz;
        unsigned span_flags;
        int close;
    } seeds[] = {
        {"finished", plain, 16384, -1, 0, 1},
        {"killed", open_spans, 16384, -1, 0, 0},
        {"values", values, PIT_RING_OFF, -1, 0, 1},
        {"objects", objects, PIT_RING_OFF, -1, 0, 0},
        {"phases", phases_and_names, 16384, -1, 0, 1},
        {"threads", threads, PIT_RING_OFF, -1, 0, 1},
        {"deep", deep, PIT_RING_OFF, -1, 0, 0},
        {"empty", NULL, PIT_RING_OFF, -1, 0, 1},
        {"memory", memory, PIT_RING_OFF, 500, 0, 1},
        {"memory-killed", memory_of_all, 16384, 500, PIT_MEMORY | PIT_RECORD, 0},
        {"samples", samples, PIT_RING_OFF, 1000, 0, 1},
        {"places", places, PIT_RING_OFF, -1, 0, 1},
        {"collectives", collectives, PIT_RING_OFF, -1, 0, 0},
        {"messages", messages, PIT_RING_OFF, -1, 0, 0},
    };
    for (size_t i = 0; i < sizeof seeds / sizeof seeds[0]; i++) {
        pit_options options = {.ring_bytes = seeds[i].ring_bytes,
                               .sample_hz = seeds[i].sample_hz,
                               .span_flags = seeds[i].span_flags,
                               .in_memory = 1};
        if (pit_open(NULL, &options) != PIT_OK)
            return;
        if (seeds[i].record)
            seeds[i].record();
        if (seeds[i].close)
            pit_close();
        write_run(folder, seeds[i].name);
        pit_close();
    }
    write_ended(folder);
}
