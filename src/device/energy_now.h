/* energy_now.h: the present values of all energy counters of the machine, in two sums: processors and
 * their memory, and devices. */
#ifndef PIT_ENERGY_NOW_H
#define PIT_ENERGY_NOW_H

#include <stdint.h>

enum pit__energy_class { PIT__PROCESSORS, PIT__DEVICES, PIT__ENERGY_CLASSES };

/* Two readings can be compared if they contain the same counters. */
struct pit__energy_now {
    uint64_t microjoules[PIT__ENERGY_CLASSES];
    uint64_t
        counters[PIT__ENERGY_CLASSES]; /* a bit for each that could be read; 0: there is no sum */
};

/* On any thread; reads some files of /sys, and for devices the last reading of their thread. */
struct pit__energy_now pit__energy_read(void);

/* Figures for shorter times are unreliable: this is twenty times the update interval of the counters. */
uint64_t pit__energy_least_ns(enum pit__energy_class of);

#endif
