/* prog_advice.c: small training runs, each with a known problem that is really present.
 *
 *     prog_advice RUN.pit CAUSE
 *
 * It sleeps, so that the sampler takes readings, and leaked memory is really allocated and touched. But
 * this program supplies the clock of the run and moves it by the exact durations, so the problem is the
 * same on a busy machine, where a sleep takes longer. Its waits for a processor are not recorded.
 */
#include "pitwall.h"

#include "format/run_format.h"
#include "recorder/sample_source.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define READING_NS 20 /* a clock that never advances by itself cannot measure the cost of spans */

static uint64_t moved_ns; /* atomic: the sampler reads the clock too */

/* Replaces libc's function for the recorder in this program. Processor times come from the system; all
 * other clocks show the start of the program plus the time that the program moved. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
    if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID)
        return (int)syscall(SYS_clock_gettime, clock, now);
    uint64_t ns = __atomic_add_fetch(&moved_ns, READING_NS, __ATOMIC_RELAXED);
    uint64_t begin_seconds = clock == CLOCK_REALTIME ? 1700000000u : 1000;
    now->tv_sec = (time_t)(begin_seconds + ns / 1000000000u);
    now->tv_nsec = (long)(ns % 1000000000u);
    return 0;
}

/* Replaces the library's list of sources. How long the kernel let this program wait for a processor is
 * real time, not the time of its clock; without that source, the run reports that the kernel does not
 * provide the figure. */
extern const struct pit__sample_source pit__source_process, pit__source_machine;
const struct pit__sample_source *const pit__source_list[] = {&pit__source_process,
                                                             &pit__source_machine, NULL};

static void sleep_ms(double ms)
{
    struct timespec left = {(time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000L};
    while (nanosleep(&left, &left) != 0 && errno == EINTR)
        continue;
    __atomic_add_fetch(&moved_ns, (uint64_t)(ms * 1e6), __ATOMIC_RELAXED);
}

/* Wait until the sampler has taken one more reading, however busy the machine is: growing memory is
 * visible only in readings taken meanwhile. */
static void wait_for_reading(void)
{
    const struct pit_fmt_header *header = pit_recorder_memory(NULL, NULL);
    uint32_t before = __atomic_load_n(&header->last_pair, __ATOMIC_ACQUIRE);
    while (__atomic_load_n(&header->last_pair, __ATOMIC_ACQUIRE) == before)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* What a batch does, in milliseconds. */
struct batch {
    double load, forward, backward, update;
};

static const struct batch balanced = {12, 32, 32, 12};

static void run_batch(const struct batch *batch, double times)
{
    PIT_SPAN("batch") {
        PIT_SPAN("data_loading")
            sleep_ms(batch->load * times);
        PIT_SPAN("forward")
            sleep_ms(batch->forward * times);
        PIT_SPAN("backward")
            sleep_ms(batch->backward * times);
        PIT_SPAN("optimizer")
            sleep_ms(batch->update * times);
    }
}

static void batches(int count, const struct batch *batch)
{
    for (int i = 0; i < count; i++)
        run_batch(batch, 1);
}

/* ---- the causes ------------------------------------------------------------------------------ */

static void slow_loader(void)
{
    batches(20, &(struct batch){60, 15, 15, 8});
}

static void forward_heavy(void)
{
    batches(20, &(struct batch){10, 60, 20, 8});
}

static void backward_heavy(void)
{
    batches(20, &(struct batch){10, 25, 55, 8});
}

static void slow_first_batch(void)
{
    run_batch(&balanced, 6);
    batches(30, &balanced);
}

/* Inputs of very different sizes, in no order. */
static void high_variance(void)
{
    uint32_t state = 12345;
    for (int i = 0; i < 25; i++) {
        state = state * 1664525u + 1013904223u;
        run_batch(&balanced, 0.3 + 1.6 * (double)(state >> 16) / 65536);
    }
}

static void drift(void)
{
    for (int i = 0; i < 20; i++)
        run_batch(&balanced, 0.4 + i / 15.0);
}

static void periodic_stall(void)
{
    for (int i = 0; i < 25; i++)
        run_batch(&balanced, i % 5 == 4 ? 4 : 0.6);
}

static void *kept[1000];

/* Keeps a buffer of 6 MB of each batch. */
static void leak(void)
{
    for (int i = 0; i < 25; i++) {
        kept[i] = malloc(6 << 20);
        if (kept[i])
            memset(kept[i], i + 1, 6 << 20);
        run_batch(&balanced, 1);
        wait_for_reading();
    }
}

/* 100 MB are allocated once and reused. */
static void cache(void)
{
    for (int i = 0; i < 3; i++) {
        sleep_ms(80);
        wait_for_reading();
    }
    for (int i = 0; i < 50; i++) {
        kept[i] = malloc(2 << 20);
        if (kept[i])
            memset(kept[i], i + 1, 2 << 20);
    }
    for (int i = 0; i < 20; i++) {
        run_batch(&balanced, 1);
        wait_for_reading();
    }
}

static void nothing_wrong(void)
{
    batches(20, &balanced);
}

static void too_little(void)
{
    batches(2, &(struct batch){60, 15, 15, 8});
}

static void one_stage(void)
{
    PIT_SPAN("solve")
        sleep_ms(300);
    PIT_SPAN("write")
        sleep_ms(30);
}

static const struct cause {
    const char *name;
    void (*run)(void);
} causes[] = {
    {"slow_loader", slow_loader},
    {"forward_heavy", forward_heavy},
    {"backward_heavy", backward_heavy},
    {"slow_first_batch", slow_first_batch},
    {"high_variance", high_variance},
    {"drift", drift},
    {"periodic_stall", periodic_stall},
    {"leak", leak},
    {"cache", cache},
    {"nothing_wrong", nothing_wrong},
    {"too_little", too_little},
    {"one_stage", one_stage},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 3 && i < sizeof causes / sizeof causes[0]; i++)
        if (strcmp(argv[2], causes[i].name) == 0) {
            if (setenv("PITWALL_CLOCK", "monotonic", 1) != 0 || pit_open(argv[1], NULL) != 0)
                return 1;
            causes[i].run();
            return pit_close() != 0;
        }
    fprintf(stderr, "usage: prog_advice RUN.pit CAUSE\n");
    return 64;
}
