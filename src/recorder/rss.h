/* Readings of the process's resident memory, and of its peak since the kernel's mark was reset. */
#ifndef PIT_RSS_H
#define PIT_RSS_H

#include "format/run_format.h"

#include <stdint.h>

/* The open files of one process. In wiped memory: a child of fork must open its own. */
struct pit__rss {
    int statm, clear_refs, status;      /* descriptors + 1; 0: not open */
    uint64_t clear_device, clear_inode; /* of clear_refs: we must write only to our own file */
    uint32_t peak_method;               /* enum pit_fmt_peak */
    uint32_t checked;                   /* the method was chosen */
    uint64_t page_bytes;
    uint64_t error_bytes; /* how far the kernel's counters may lag */
    uint64_t floor_bound; /* upper bound of a floor below ru_maxrss, if there is one */
};

struct pit__rss_reading {
    uint64_t rss, peak; /* bytes; rss 0: cannot be read, peak 0: there is none */
    uint64_t minor_faults, major_faults;
};

/* Read RSS, the mark and the faults. Call with the owner's lock held. */
struct pit__rss_reading pit__rss_read(struct pit__rss *rss);

/* Is the mark already within a small tolerance of the resident size? */
int pit__rss_is_low(const struct pit__rss *rss, const struct pit__rss_reading *now);

/* Reset the mark to the resident size of the last reading. */
void pit__rss_reset(struct pit__rss *rss, uint64_t resident);

#endif
