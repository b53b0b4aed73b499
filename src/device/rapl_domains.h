/* rapl_domains.h: the energy counters of processors and memory that the kernel shows in
 * /sys/class/powercap (Intel's RAPL, which AMD's processors have too).
 *
 * Counted are the packages, and the memory (dram) next to them. Left out are domains inside a package
 * (core, uncore), which its figure contains already, and psys, which contains everything. The domains
 * are searched once and belong to the process. */
#ifndef PIT_RAPL_DOMAINS_H
#define PIT_RAPL_DOMAINS_H

#include "sysfs_root.h"

#include <stddef.h>
#include <stdint.h>

#define PIT__RAPL_DOMAINS 16
#define PIT__RAPL_UPDATE_NS 1000000u /* the hardware updates a counter about every millisecond */

struct pit__rapl_domain {
    char name[32];    /* as the kernel has it: package-0, dram */
    char key[40];     /* package_0_energy_j, dram_0_energy_j */
    char missing[72]; /* why a reading may fail */
    char file[PIT__SYSFS_BYTES];
    uint64_t range; /* microjoules at which the counter wraps around */
    /* The newest reading: number of wrap-arounds in the upper 16 bits, the counter's value below. */
    uint64_t newest;
};

struct pit__rapl {
    size_t count;
    char why[112]; /* why there is no domain; "" if there are some */
    struct pit__rapl_domain domains[PIT__RAPL_DOMAINS];
};

/* The domains of this machine; found at the first call, never NULL. */
struct pit__rapl *pit__rapl_find(void);

/* Microjoules counted by the domain since the counter's zero, including all wrap-arounds that this process
 * has seen; PIT__UNKNOWN. On any thread. */
uint64_t pit__rapl_read(struct pit__rapl_domain *domain);

#endif
