/* rapl_domains.h: the energy counters of processors and memory that the kernel shows in
 * /sys/class/powercap (Intel's RAPL, which AMD's processors have too).
 *
 * Counted are the packages, and the memory (dram) beside them. What lies inside a package (core, uncore)
 * is in its figure already, and so is all of it in psys: those are left out. The domains are found once
 * and belong to the process. */
#ifndef PIT_RAPL_DOMAINS_H
#define PIT_RAPL_DOMAINS_H

#include "sysfs_root.h"

#include <stddef.h>
#include <stdint.h>

#define PIT__RAPL_DOMAINS 16
#define PIT__RAPL_UPDATE_NS 1000000u /* the hardware renews a counter about every millisecond */

struct pit__rapl_domain {
    char name[32];    /* as the kernel has it: package-0, dram */
    char key[40];     /* package_0_energy_j, dram_0_energy_j */
    char missing[72]; /* why a reading may fail */
    char file[PIT__SYSFS_BYTES];
    uint64_t range; /* microjoules after which the counter begins again */
    /* The newest reading: how often the counter has begun again in the upper 16 bits, its value below. */
    uint64_t newest;
};

struct pit__rapl {
    size_t count;
    char why[112]; /* there is none; "" if there are some */
    struct pit__rapl_domain domains[PIT__RAPL_DOMAINS];
};

/* The domains of this machine; found at the first call, never NULL. */
struct pit__rapl *pit__rapl_find(void);

/* Microjoules that the domain has counted since the counter's own beginning, over all of its beginnings
 * that this process has seen; PIT__UNKNOWN. By any thread. */
uint64_t pit__rapl_read(struct pit__rapl_domain *domain);

#endif
