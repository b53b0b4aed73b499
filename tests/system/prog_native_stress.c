/* prog_native_stress.c: samples of native code under everything that could disturb them.
 *
 *   prog_native_stress RUN SAMPLES
 *
 * Samples the main thread far more often than users can request. Meanwhile it begins and ends spans, forks
 * children that do the same and end in every way, starts threads, and maps code again. Ends without closing
 * its run, in the middle of sampling. Prints how many samples there were. */
#include "pitwall_report.h"
#include "recorder/native_places.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define HZ 20000

static volatile double sink;

__attribute__((noinline)) static void work(void)
{
    for (int i = 0; i < 2000; i++)
        sink = sink * 0.5 + 1;
}

static void spans(int count)
{
    for (int i = 0; i < count; i++)
        PIT_SPAN("outer") {
            work();
            for (int k = 0; k < 5; k++)
                PIT_SPAN("inner")
                    work();
            PIT_SPAN_WITH("measured", PIT_MEMORY)
            work();
        }
}

static void *in_thread(void *arg)
{
    spans(20);
    return arg;
}

/* A child has a run and a sampler of its own from its first span on. */
static void child(int how)
{
    spans(how % 7 * 20);
    if (how % 4 == 0)
        exit(0);
    if (how % 4 == 1)
        _exit(0);
    if (how % 4 == 2)
        pit_close();
    pid_t grandchild = fork();
    if (grandchild == 0) {
        spans(5);
        exit(0);
    }
    waitpid(grandchild, NULL, 0);
    exit(0);
}

static int fork_one(int how)
{
    int status = 0;
    pid_t pid = fork();
    if (pid == 0)
        child(how);
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
           WEXITSTATUS(status) == 0;
}

static void map_code(void)
{
    void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page != MAP_FAILED)
        munmap(page, 4096);
}

static uint64_t samples(void)
{
    pit_status status;
    return pit_get_status(NULL, &status) == 0 ? status.place_samples : UINT64_MAX;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    uint64_t wanted = strtoull(argv[2], NULL, 10);
    pit__native_hz = HZ;
    pit_options options = {.sample_hz = 1000};
    if (pit_open(argv[1], &options) != PIT_OK)
        return 3;
    for (int i = 0; samples() < wanted; i++) {
        pthread_t thread;
        spans(100);
        if (i % 16 == 1 && !fork_one(i / 16))
            return 4;
        if (i % 16 == 2 && pthread_create(&thread, NULL, in_thread, NULL) == 0)
            pthread_join(thread, NULL);
        if (i % 16 == 3)
            map_code();
    }
    printf("%llu\n", (unsigned long long)samples());
    fflush(stdout);
    PIT_SPAN("last")
        exit(0);
}
