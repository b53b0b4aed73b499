/* benchmark_trials.h: the trials of one function: how they are timed, and the figures they give.
 *
 *   pit__bench_begin    what the measuring costs, calls a trial, warm-up
 *   pit__bench_trial    one more trial, as often as wanted
 *   pit__bench_finish   the figures; always called after a begin
 */
#ifndef PIT_BENCHMARK_TRIALS_H
#define PIT_BENCHMARK_TRIALS_H

#include "pitwall_bench.h"

struct pit__bench {
    void (*function)(void *argument);
    void *argument;
    pit_bench_options options;    /* with the defaults put in */
    const pit_device *device;     /* to wait for; NULL: none */
    uint64_t (*clock)(void *arg); /* a test's; NULL: the system's */
    void *clock_arg;
    double pair_ns;         /* two readings of the clock in a row */
    double cpu_pair_ns;     /* two readings of the thread's processor time round those */
    double process_pair_ns; /* two of the process's round all of them */
    double call_ns;         /* a call of nothing, in the loop */
    double slow_call_ns;    /* the same where it is slow */
    uint64_t start_ns;
    double *times; /* nanoseconds of each trial, as read; at the end seconds of a call */
    double *empty; /* nanoseconds of a call of nothing, beside each trial */
    size_t count, room;
    double timed_ns, cpu_ns, process_ns;
    uint64_t interrupted;
    uint64_t least_ns; /* the fastest trial up to now, warm-up included */
};

/* options may be NULL. */
void pit__bench_begin(struct pit__bench *b, void (*function)(void *argument), void *argument,
                      const pit_bench_options *options);

/* An interrupted one is repeated by a later call: count says how many there are. 0 or
 * PIT_NO_MEMORY. */
int pit__bench_trial(struct pit__bench *b);

/* Is max_seconds over? */
int pit__bench_is_late(const struct pit__bench *b);

/* The result, also into the journal, unless `code` is not 0 already: then it is zeroed. 0 or a
 * code. */
int pit__bench_finish(struct pit__bench *b, int code, pit_bench_result *result);

#endif
