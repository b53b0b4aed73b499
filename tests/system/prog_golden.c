/* prog_golden finished|killed PATH: makes the small runs that tests/data/make_golden.py keeps, with
 * something of everything in them. `killed` ends by SIGKILL with spans, a phase and an object open.
 */
#include "pitwall.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
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

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "finished") == 0)
        return finished(argv[2]);
    if (argc == 3 && strcmp(argv[1], "killed") == 0)
        return killed(argv[2]);
    fprintf(stderr, "usage: prog_golden finished|killed PATH\n");
    return 64;
}
