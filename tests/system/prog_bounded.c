/* prog_bounded RUN WHAT N: a run with N of something.
 *
 *   labels N    labels, each with its own key
 *   nodes N     spans, each with its own name, three calls each
 *   names       spans with '/' and '\' in their names, at all positions
 *   values      values that are not finite numbers
 *   threads N   N threads that only have empty spans
 */
#include "pitwall.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPANS_A_THREAD 20000

static void record_labels(unsigned long count)
{
    for (unsigned long i = 0; i < count; i++) {
        char key[32];
        snprintf(key, sizeof key, "key-%lu", i);
        pit_label(key, "value");
    }
}

static void record_nodes(unsigned long count)
{
    for (unsigned long i = 0; i < 3 * count; i++) {
        char name[32];
        snprintf(name, sizeof name, "node-%lu", i % count);
        pit_end(pit_begin_name(name));
    }
}

static void record_path(const char *const *names, int times)
{
    for (int i = 0; i < times; i++) {
        pit_token tokens[4];
        int depth = 0;
        for (; names[depth]; depth++)
            tokens[depth] = pit_begin_name(names[depth]);
        while (depth-- > 0)
            pit_end(tokens[depth]);
    }
}

static void record_names(void)
{
    static const char *const paths[][4] = {
        {"a", "b", NULL}, {"a/b", NULL}, {"a\\", "b", NULL}, {"a\\/b", NULL}, {"a/", "b", NULL}};
    for (int i = 0; i < 5; i++)
        record_path(paths[i], 10 * (i + 1));
}

static void record_values(void)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY};
    static const char *const names[] = {"nan", "inf", "minus"};
    PIT_SPAN("step") {
        for (int i = 0; i < 3; i++) {
            pit_value(names[i], 1.0);
            pit_value(names[i], odd[i]);
        }
        pit_value("good", 0.5);
    }
}

static void *record_empty(void *arg)
{
    for (int i = 0; i < SPANS_A_THREAD; i++)
        PIT_SPAN("empty") {
        }
    return arg;
}

static void record_threads(unsigned long count)
{
    pthread_t threads[64];
    unsigned long begun = 0;
    for (; begun < count && begun < 64; begun++)
        if (pthread_create(&threads[begun], NULL, record_empty, NULL) != 0)
            break;
    while (begun-- > 0)
        pthread_join(threads[begun], NULL);
}

int main(int argc, char **argv)
{
    unsigned long count = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    pit_options options = {.sample_hz = -1, .max_bytes = (uint64_t)4 << 30};
    if (argc < 3 || pit_open(argv[1], &options) != 0)
        return 2;
    if (strcmp(argv[2], "labels") == 0)
        record_labels(count);
    else if (strcmp(argv[2], "nodes") == 0)
        record_nodes(count);
    else if (strcmp(argv[2], "names") == 0)
        record_names();
    else if (strcmp(argv[2], "values") == 0)
        record_values();
    else
        record_threads(count);
    return pit_close();
}
