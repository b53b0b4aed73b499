/* omp_region.h: one parallel region, from its begin to its end: who worked how long in it.
 *
 *   the thread that meets it   pit__region_begin … pit__region_end ──▶ pit_team of the recorder
 *   each thread of its team         pit__work_begin, then pit__work_pause and pit__work_resume around
 *                                   each wait for the others, the last one at the region's end
 */
#ifndef PIT_OMP_REGION_H
#define PIT_OMP_REGION_H

#include "pitwall.h"

#include <stdint.h>
#include <time.h>

struct pit__region {
    uint64_t begin;
    pit_token span; /* of a region outside of all spans; else 0 */
    /* of all its threads, one after another */
    uint64_t busy, slowest;
    uint32_t threads;
};

/* A thread's part in a region, of that thread alone. */
struct pit__work {
    struct pit__region *region;
    uint64_t begin; /* of the stretch of work that it is in; 0: it is waiting */
    uint64_t busy;  /* before that */
    int is_counted; /* among the region's threads */
};

static inline uint64_t pit__region_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Is there a recorder, and is it on? Found at the first question; others meanwhile hear no. */
int pit__region_wanted(void);

/* Both on the thread that meets the region. */
void pit__region_begin(struct pit__region *region);
void pit__region_end(const struct pit__region *region);

void pit__work_begin(struct pit__work *work, struct pit__region *region);

/* The thread waits for others from here on, who cannot leave the region before: what it has done so far goes to
 * the region, which may be gone once the wait is over. */
void pit__work_pause(struct pit__work *work);
void pit__work_resume(struct pit__work *work);

#endif
