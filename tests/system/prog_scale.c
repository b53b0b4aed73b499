/* prog_scale RUN SIZE: a run whose span "work" takes time in proportion to the size, which is its label.
 * RUN -: the path comes from the environment.
 *
 * It sleeps. With PITWALL_CLOCK=monotonic this program supplies the clock of the run and moves it by
 * exactly the requested duration, however long a sleep takes on a busy machine.
 */
#include "pitwall.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* a clock that never advances by itself cannot measure the cost of spans */
#define READING_NS 20

static uint64_t moved_ns; /* atomic: the sampler reads the clock too */

/* Replaces libc's function for the recorder in this program. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    const char *asked = getenv("PITWALL_CLOCK");
    if (!asked || (clock != CLOCK_MONOTONIC && clock != CLOCK_MONOTONIC_RAW))
        return (int)syscall(SYS_clock_gettime, clock, now);
    uint64_t ns = __atomic_add_fetch(&moved_ns, READING_NS, __ATOMIC_RELAXED);
    now->tv_sec = (time_t)(1000 + ns / 1000000000u);
    now->tv_nsec = (long)(ns % 1000000000u);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 64;
    const char *path = strcmp(argv[1], "-") == 0 ? NULL : argv[1];
    if (pit_open(path, NULL) != 0 || pit_label("size", argv[2]) != 0)
        return 66;
    struct timespec nap = {.tv_nsec = atol(argv[2]) * 5000000};
    for (int i = 0; i < 3; i++)
        PIT_SPAN("work") {
            nanosleep(&nap, NULL);
            __atomic_add_fetch(&moved_ns, (uint64_t)nap.tv_nsec, __ATOMIC_RELAXED);
        }
    return -pit_close();
}
