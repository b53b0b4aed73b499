/* omp_region.h: one parallel region, from its begin to its end: how long each thread worked in it.
 *
 *   the thread that meets it   pit__region_begin … pit__region_end ──▶ pit_add_team of the recorder
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
    pit_token span; /* of a region outside all spans; else 0 */
    /* sums over its threads */
    uint64_t busy, slowest;
    uint32_t threads;
};

/* A thread's part in a region, used only by that thread. */
struct pit__work {
    struct pit__region *region;
    uint64_t begin; /* of the present interval of work; 0: it is waiting */
    uint64_t busy;  /* in the intervals before */
    int is_counted; /* among the region's threads */
};

static inline uint64_t pit__region_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Is there a recorder, and is it on? The first call looks it up; calls of other threads during that
 * lookup get 0. */
int pit__region_wanted(void);

/* Both on the thread that encounters the region. */
void pit__region_begin(struct pit__region *region);
void pit__region_end(const struct pit__region *region);

void pit__work_begin(struct pit__work *work, struct pit__region *region);

/* From here on the thread waits for others, which cannot leave the region before: add its work so far to the
 * region, which may be gone once the wait is over. */
void pit__work_pause(struct pit__work *work);
void pit__work_resume(struct pit__work *work);

#endif
