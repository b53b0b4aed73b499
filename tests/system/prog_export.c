/* prog_export RUN WHAT: runs with all kinds of content, for the tests of exports.
 *
 *   rich       threads, phases, span objects that overlap, memory spans inside plain ones, values,
 *              a missed end; ends cleanly
 *   killed     the same, with spans and an object open, then SIGKILL
 *   dropped    more spans than the flight recorder holds
 *   records    the same without a flight recorder: every span is a record
 *   nodes=N    N nodes, ten names per level
 *   threads=N  N threads at once, each with twenty nodes of its own
 *   names      a span for each name on standard input, ended by zero bytes, each inside the first
 */
#include "pitwall.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void work(void)
{
    static _Thread_local volatile double x = 1;
    for (int i = 0; i < 300; i++)
        x = x * 1.0000001 + 1e-9;
}

static void step(int i)
{
    PIT_SPAN("step") {
        PIT_SPAN("plain") {
            for (int k = 0; k < 3; k++)
                PIT_SPAN_WITH("memory", PIT_MEMORY | PIT_RECORD)
                {
                    PIT_SPAN("inside") {
                        work();
                    }
                }
            PIT_SPAN("after") {
                work();
            }
        }
        PIT_PHASE("assemble");
        work();
        PIT_PHASE("solve");
        PIT_SPAN("inner") {
            work();
        }
        if (i == 5)
            (void)pit_begin_name("never ended");
    }
    pit_value("loss", 1.0 / (i + 1));
}

/* One that comes later, the main thread too, would take over the table of one that has ended. */
static pthread_barrier_t all_have_tables;

static void *worker(void *name)
{
    static pit_site site = PIT_SITE("overlapping");
    pit_object objects[8];
    pit_thread_name(name);
    pthread_barrier_wait(&all_have_tables);
    for (int i = 0; i < 8; i++) {
        objects[i] = pit_object_begin(&site);
        step(i);
    }
    for (int i = 0; i < 8; i++)
        pit_object_end(&objects[i]);
    return NULL;
}

static void rich(void)
{
    pthread_t threads[2];
    char names[2][16] = {"first", "second"};
    pthread_barrier_init(&all_have_tables, NULL, 3);
    for (int i = 0; i < 2; i++)
        if (pthread_create(&threads[i], NULL, worker, names[i]) != 0)
            exit(3);
    step(0);
    pthread_barrier_wait(&all_have_tables);
    for (int i = 1; i < 40; i++)
        step(i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

static void leave_open(void)
{
    (void)pit_object_begin_name("open object");
    (void)pit_begin_name("epoch 3");
    (void)pit_begin_with("batch 417", PIT_MEMORY);
    for (int i = 0; i < 5; i++)
        step(i);
    (void)pit_begin_name("backward");
    work();
    kill(getpid(), SIGKILL);
}

static void make_nodes(unsigned long count)
{
    char name[40];
    for (unsigned long made = 0; made < count;) {
        snprintf(name, sizeof name, "outer %lu", made / 10);
        pit_token outer = pit_begin_name(name);
        made++;
        for (int i = 0; i < 9 && made < count; i++, made++) {
            snprintf(name, sizeof name, "inner, %d", i);
            pit_end(pit_begin_name(name));
        }
        pit_end(outer);
    }
}

static pthread_barrier_t all_there;

static void *own_nodes(void *arg)
{
    char name[40];
    snprintf(name, sizeof name, "thread %zu", (size_t)arg);
    pit_token outer = pit_begin_name(name);
    pthread_barrier_wait(&all_there); /* a table for each */
    for (int i = 0; i < 57; i++) {
        snprintf(name, sizeof name, "part %d", i % 19);
        pit_end(pit_begin_name(name));
    }
    pit_end(outer);
    pthread_barrier_wait(&all_there);
    return NULL;
}

static void make_threads(size_t count)
{
    pthread_t *threads = calloc(count, sizeof *threads);
    if (!threads || pthread_barrier_init(&all_there, NULL, (unsigned)count) != 0)
        exit(70);
    for (size_t i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, own_nodes, (void *)i) != 0)
            exit(70); /* the others would wait forever */
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

/* The first name of standard input is a span around those of the others. */
static void named(void)
{
    static char all[1 << 20];
    size_t bytes = fread(all, 1, sizeof all - 1, stdin);
    pit_token first = pit_begin_name(all);
    for (size_t at = strlen(all) + 1; at < bytes; at += strlen(all + at) + 1)
        pit_end(pit_begin_name(all + at));
    pit_end(first);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Two names, of which the inner one takes at least half the time of the outer one, even if the machine does
 * something else between them. */
static void named_wide(void)
{
    char names[256] = {0};
    size_t bytes = fread(names, 1, sizeof names - 1, stdin);
    double begin = seconds(), inner = 0;
    pit_token outer = pit_begin_name(names);
    while (bytes > 0 && inner < (seconds() - begin) / 2) {
        pit_token token = pit_begin_name(names + strlen(names) + 1);
        double from = seconds();
        while (seconds() < from + 0.02)
            ;
        inner += seconds() - from;
        pit_end(token);
    }
    pit_end(outer);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 64;
    const char *what = argv[2];
    pit_options options = {.ring_bytes = strcmp(what, "dropped") == 0   ? 65536
                                         : strcmp(what, "records") == 0 ? PIT_RING_OFF
                                                                        : 0,
                           .span_flags = strcmp(what, "records") == 0 ? PIT_RECORD : 0};
    if (pit_open(argv[1], &options) != 0)
        return 66;
    if (strcmp(what, "rich") == 0 || strcmp(what, "killed") == 0 || strcmp(what, "records") == 0)
        rich();
    if (strcmp(what, "killed") == 0)
        leave_open();
    if (strcmp(what, "dropped") == 0)
        for (int i = 0; i < 5000; i++)
            step(i);
    if (strncmp(what, "nodes=", 6) == 0)
        make_nodes(strtoul(what + 6, NULL, 10));
    if (strncmp(what, "threads=", 8) == 0)
        make_threads(strtoul(what + 8, NULL, 10));
    if (strcmp(what, "names") == 0)
        named();
    if (strcmp(what, "wide") == 0)
        named_wide();
    return pit_close() ? 1 : 0;
}
