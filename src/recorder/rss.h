/* Readings of the process's resident memory, and of its peak since the kernel's mark was reset. */
#ifndef PIT_RSS_H
#define PIT_RSS_H

#include "format/run_format.h"

#include <stdint.h>

/* The open files of one process. Lies in wiped memory: a child of fork must open its own. */
struct pit__rss {
    int statm, clear_refs, status;      /* descriptors + 1; 0: not open */
    uint64_t clear_device, clear_inode; /* of clear_refs: what is written to must be ours */
    uint32_t peak_method;               /* enum pit_fmt_peak */
    uint32_t checked;                   /* the method was chosen */
    uint64_t page_bytes;
    uint64_t error_bytes; /* how late the kernel's counters may be */
    uint64_t floor_bound; /* a floor below ru_maxrss, if there is one, is at most this */
};

struct pit__rss_reading {
    uint64_t rss, peak; /* bytes; rss 0: it can't be read, peak 0: there is none */
    uint64_t minor_faults, major_faults;
};

/* Read RSS, the mark and the faults. Call with the owner's lock held. */
struct pit__rss_reading pit__rss_read(struct pit__rss *rss);

/* Is the mark already no higher than what is resident, by next to nothing? */
int pit__rss_is_low(const struct pit__rss *rss, const struct pit__rss_reading *now);

/* Reset the mark to what is resident now, which the last reading says. */
void pit__rss_reset(struct pit__rss *rss, uint64_t resident);

#endif
