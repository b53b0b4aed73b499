/* energy_now.h: what all energy counters of the machine say at this moment, in two sums: of processors
 * and their memory, and of devices. */
#ifndef PIT_ENERGY_NOW_H
#define PIT_ENERGY_NOW_H

#include <stdint.h>

enum pit__energy_class { PIT__PROCESSORS, PIT__DEVICES, PIT__ENERGY_CLASSES };

/* Two readings can be compared where they are made of the same counters. */
struct pit__energy_now {
    uint64_t microjoules[PIT__ENERGY_CLASSES];
    uint64_t
        counters[PIT__ENERGY_CLASSES]; /* a bit for each that could be read; 0: there is no sum */
};

/* By any thread; reads some files of /sys, and of devices what their thread read last. */
struct pit__energy_now pit__energy_read(void);

/* A shorter time says little: twenty times the time after which the counters are renewed. */
uint64_t pit__energy_least_ns(enum pit__energy_class of);

#endif
