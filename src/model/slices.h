/* slices.h: a thread's single spans as intervals that nest perfectly. */
#ifndef PIT_SLICES_H
#define PIT_SLICES_H

#include "pitwall_report.h"

struct pit__slice {
    uint64_t begin, end; /* ticks; after pit__slices_make: nanoseconds since the run's start */
    uint64_t took;       /* ticks that it measured itself, which may be less than end - begin */
    uint32_t node;       /* index among the thread's nodes */
    uint32_t level;      /* how many slices contain it */
    uint32_t order;      /* index by end, as the thread kept them */
    uint32_t depth;      /* of its node in the tree */
    int open;            /* still open: `end` is the end of the known data */
};

struct pit__slices {
    struct pit__slice *nested; /* by begin, outer before inner; they nest perfectly */
    size_t nested_count;
    struct pit__slice *detached; /* of span objects, by begin; they overlap */
    size_t detached_count;
};

/* Collect a thread's single spans: from the flight recorder, older records, open spans. Returns 0 or
 * PIT_NO_MEMORY. */
int pit__slices_make(const pit_run *run, const pit_thread *thread, struct pit__slices *slices);
void pit__slices_free(struct pit__slices *slices);

/* Ticks of the run as nanoseconds since its start; never below 0. */
uint64_t pit__run_ns(const pit_run *run, uint64_t ticks);

#endif
