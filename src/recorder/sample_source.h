/* What the sampler reads, and what it keeps from one reading to the next. */
#ifndef PIT_SAMPLE_SOURCE_H
#define PIT_SAMPLE_SOURCE_H

#include "format/run_format.h"
#include "pitwall.h"

#include <stdint.h>

enum pit__source {
    PIT__SOURCE_STATM,
    PIT__SOURCE_STATUS,
    PIT__SOURCE_IO,
    PIT__SOURCE_MEMINFO,
    PIT__SOURCE_CGROUP,
    PIT__SOURCE_PRESSURE,
    PIT__SOURCE_COUNT
};

/* Figures that move slowly take turns: a reading renews one of them at most
 * and repeats the others. */
enum pit__turn {
    PIT__TURN_AVAILABLE,
    PIT__TURN_PRESSURE,
    PIT__TURN_STORAGE,
    PIT__TURN_THREADS,
    PIT__TURN_COUNT = 10 /* readings; in some nothing is renewed */
};

/* All zero before the first reading. Belongs to one thread. */
struct pit__sources {
    int keeps_open;               /* the thread has a table of descriptors of its own */
    int files[PIT__SOURCE_COUNT]; /* descriptors + 1; 0: not open */
    uint64_t readings; /* made so far; of the figures below none holds before the first */
    uint64_t page_bytes;
    uint64_t read_ns;           /* when the last one was */
    uint64_t floor;             /* up to this ru_maxrss may be that of before exec */
    uint64_t hwm, hwm_faults;   /* VmHWM, and the process's faults when it was read */
    uint64_t available_rss;     /* RSS when `slow.available` was read */
    struct pit_fmt_sample slow; /* what is repeated */
};

/* Give the calling thread an empty table of descriptors that no other thread has, and keep files
 * open in it. It must use no descriptor of the program from then on. Where the kernel can't,
 * files go on being opened for each reading. */
void pit__sources_own(struct pit__sources *sources);

/* Close what is open. The end of the thread would do it too, but after others can see that it has
 * ended. */
void pit__sources_close(struct pit__sources *sources);

/* The limits that hold for the run. */
void pit__sample_limits(struct pit_fmt_samples *samples);

/* That the cgroup has counted; UINT64_MAX: not known. */
uint64_t pit__oom_kills(void);

/* peak: the kernel's high-water mark since it was last reset, 0 if it can't be had. */
struct pit_fmt_sample pit__sample_read(struct pit__sources *sources, uint64_t ticks,
                                       uint64_t *peak);

/* memory_span.c: from here on the run's peak takes in the mark before each reset; and no more. */
void pit__peak_follow(pit_recorder *rec);
void pit__peak_leave(const pit_recorder *rec);

#endif
