/* benchmark_trials.h: the trials of one function: timing and figures.
 *
 *   pit__bench_begin    what the measuring costs, calls a trial, warm-up
 *   pit__bench_trial    one more trial, as often as wanted
 *   pit__bench_finish   the figures; always called after a begin */
#ifndef PIT_BENCHMARK_TRIALS_H
#define PIT_BENCHMARK_TRIALS_H

#include "pitwall_bench.h"

struct pit__bench {
    void (*function)(void *argument);
    void *argument;
    pit_bench_options options;    /* with defaults filled in */
    const pit_device *device;     /* to wait for; NULL: none */
    uint64_t (*clock)(void *arg); /* the clock of a test; NULL: the system's */
    void *clock_arg;
    double pair_ns;         /* two readings of the clock in a row */
    double cpu_pair_ns;     /* two readings of the thread's processor time around those */
    double process_pair_ns; /* two readings of the process's processor time around all of them */
    double call_ns;         /* an empty call in the loop */
    double slow_call_ns;    /* the same if it is slow */
    uint64_t start_ns;
    double *times; /* nanoseconds of each trial as read; at the end seconds per call */
    double *empty; /* nanoseconds of an empty call, for each trial */
    size_t count, room;
    double timed_ns, cpu_ns, process_ns;
    uint64_t interrupted;
    uint64_t least_ns; /* the fastest trial so far, including warm-up */
};

/* options may be NULL. */
void pit__bench_begin(struct pit__bench *b, void (*function)(void *argument), void *argument,
                      const pit_bench_options *options);

/* An interrupted trial is repeated by a later call: count is the number of valid ones. Returns 0 or
 * PIT_NO_MEMORY. */
int pit__bench_trial(struct pit__bench *b);

/* Is max_seconds used up? */
int pit__bench_is_late(const struct pit__bench *b);

/* Computes the result and adds it to the journal; if `code` is not 0, the result is zeroed. Returns 0 or a
 * code. */
int pit__bench_finish(struct pit__bench *b, int code, pit_bench_result *result);

#endif
