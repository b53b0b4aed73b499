/* prog_live WHAT RUN: four threads record spans of varying length.
 *
 *   write RUN       until it is killed; prints a line when it has begun
 *   self RUN POLLS  and reads its own run POLLS times meanwhile (poll_check.h); then opens it by
 *                   its path, says so, and goes on recording until its standard input ends
 */
#include "poll_check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRITERS 4

static int is_over;
static uint64_t done[WRITERS];

static void spin(uint64_t n)
{
    for (volatile uint64_t i = 0; i < n; i++)
        continue;
}

static void *record(void *argument)
{
    uintptr_t index = (uintptr_t)argument;
    uint64_t random = index * 977 + 12345;
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED)) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        PIT_SPAN("outer") {
            PIT_SPAN("inner") {
                spin((uint64_t)1 << (random >> 60));
            }
            PIT_SPAN("empty") {
                pit_items(1);
            }
            PIT_PHASE("first");
            PIT_PHASE("second");
        }
        pit_value("random", (double)(random >> 40));
        __atomic_fetch_add(&done[index], 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static int begun(void)
{
    for (int i = 0; i < WRITERS; i++)
        while (!__atomic_load_n(&done[i], __ATOMIC_RELAXED))
            usleep(100);
    return 1;
}

static int read_self(const char *path, unsigned long polls)
{
    struct poll_check check;
    memset(&check, 0, sizeof check);
    for (unsigned long i = 0; i <= polls; i++) {
        pit_error error;
        pit_run *run = i < polls ? pit_run_read(NULL, &error) : pit_run_open(path, &error);
        if (!run || run->state != PIT_RUN_LIVE) {
            fprintf(stderr, "poll %lu: %s\n", i, run ? "not live" : error.message);
            return 1;
        }
        poll_check(&check, run);
        pit_run_free(run);
    }
    free(check.nodes);
    printf("%lu %u %llu\n", check.polls, check.wrong, (unsigned long long)check.spans);
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    return check.wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 64;
    pit_options options = {.ring_bytes = 65536};
    if (pit_open(argv[2], &options) != 0)
        return 66;
    pthread_t threads[WRITERS];
    for (uintptr_t i = 0; i < WRITERS; i++)
        if (pthread_create(&threads[i], NULL, record, (void *)i) != 0)
            return 70;
    int code = 0;
    if (begun() && argc == 4)
        code = read_self(argv[2], strtoul(argv[3], NULL, 10));
    else
        for (puts("begun"), fflush(stdout);;)
            pause();
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    uint64_t sum = 0;
    for (int i = 0; i < WRITERS; i++) {
        pthread_join(threads[i], NULL);
        sum += done[i];
    }
    printf("%llu\n", (unsigned long long)sum);
    return code ? code : -pit_close();
}
