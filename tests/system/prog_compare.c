/* A given amount of work in spans: prog_compare RUN STEPS [MEGABYTES [NAME]]. epoch > batch >
 * forward takes STEPS, epoch > batch > backward always the same; with NAME there is
 * also a span of that name.
 *
 * A step takes one nanosecond of this program's own clock (PITWALL_CLOCK=monotonic), and a run some
 * thousandths more or less: a verdict is the same on a busy machine. The start time of the run and
 * its memory are real.
 */
#include "pitwall.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define READING_NS 20 /* a clock that never advances by itself cannot measure the cost of spans */

static uint64_t moved_ns; /* atomic: the sampler reads the clock too */
static double pace = 1.0; /* of this run */
static volatile uint64_t sink;

/* Replaces libc's function for the recorder in this program. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_RAW)
        return (int)syscall(SYS_clock_gettime, clock, now);
    uint64_t ns = __atomic_add_fetch(&moved_ns, READING_NS, __ATOMIC_RELAXED);
    now->tv_sec = (time_t)(1000 + ns / 1000000000u);
    now->tv_nsec = (long)(ns % 1000000000u);
    return 0;
}

static void work(long steps)
{
    __atomic_add_fetch(&moved_ns, (uint64_t)((double)steps * pace), __ATOMIC_RELAXED);
}

int main(int argc, char **argv)
{
    if (argc < 3 || pit_open(argv[1], NULL) != 0)
        return 1;
    long steps = atol(argv[2]);
    for (const char *c = strrchr(argv[1], '/'); c && *c; c++) /* no two runs are quite the same */
        pace = 1 + (double)((uint64_t)(pace * 1e6 + *c) * 2654435761u % 997) * 1e-5;
    size_t bytes = (size_t)(argc > 3 ? atol(argv[3]) : 0) << 20;
    char *memory = bytes ? malloc(bytes) : NULL;
    if (memory)
        memset(memory, 1, bytes);
    for (int epoch = 0; epoch < 3; epoch++)
        PIT_SPAN("epoch") {
            for (int batch = 0; batch < 20; batch++)
                PIT_SPAN("batch") {
                    PIT_SPAN("forward") {
                        work(steps);
                    }
                    PIT_SPAN("backward") {
                        work(100000);
                    }
                }
        }
    if (argc > 4) {
        pit_token token = pit_begin_name(argv[4]);
        work(1000);
        pit_end(token);
    }
    sink += memory ? (uint64_t)memory[bytes / 2] : 0;
    free(memory);
    return pit_close() != 0;
}
