/* device_clock.h: the offset between a device's clock and the host's, from the order of events. Pure
 * functions.
 *
 * The device is never asked for its time. Work does not begin before its launch, and it has ended when a
 * wait for it returns: so a device time lies between two readings of the host's clock. Each pair of
 * readings bounds the offset to add to the device's clock. Between readings the bounds widen by the
 * possible drift of clocks; a reading that contradicts the bounds replaces them. */
#ifndef PIT_DEVICE_CLOCK_H
#define PIT_DEVICE_CLOCK_H

#include <stdint.h>

#define PIT__NO_TIME UINT64_MAX
#define PIT__CLOCK_DRIFT 1e-4 /* more than real clocks drift */

struct pit__device_clock {
    int64_t low, high;  /* host less device, ns */
    uint64_t device_ns; /* of the last reading */
    uint64_t readings;  /* 0: nothing is known, the other members are undefined */
    uint64_t restarts;  /* readings that contradicted those before */
    int has_low, has_high;
};

/* The device's clock showed device_ns between these two readings of the host's clock; either may be
 * PIT__NO_TIME. */
void pit__device_clock_add(struct pit__device_clock *bounds, uint64_t device_ns,
                           uint64_t not_before, uint64_t not_after);

/* Returns 1 if the offset is bounded on both sides: add *offset to the device's clock; its error is at most
 * *error. */
int pit__device_clock_offset(const struct pit__device_clock *bounds, int64_t *offset,
                             uint64_t *error);

#endif
