/* device_clock.h: the offset between a device's clock and the host's, by causality alone. Pure.
 *
 * The device is never asked for its time. Known is only that a device time was not before one reading of
 * the host's clock and not after another: work does not begin before its launch, and it has ended when a
 * wait for it returns. Each such pair bounds the offset to be added to the device's clock. Between readings
 * the bounds widen by the possible drift of clocks; a reading that contradicts them starts anew.
 */
#ifndef PIT_DEVICE_CLOCK_H
#define PIT_DEVICE_CLOCK_H

#include <stdint.h>

#define PIT__NO_TIME UINT64_MAX
#define PIT__CLOCK_DRIFT 1e-4 /* more than crystals drift */

struct pit__device_clock {
    int64_t low, high;  /* host less device, ns */
    uint64_t device_ns; /* of the last reading */
    uint64_t readings;  /* 0: nothing is known, the rest is undefined */
    uint64_t restarts;  /* readings that contradicted those before */
    int has_low, has_high;
};

/* The device's clock showed device_ns between these two readings of the host's clock; either may be
 * PIT__NO_TIME. */
void pit__device_clock_add(struct pit__device_clock *bounds, uint64_t device_ns,
                           uint64_t not_before, uint64_t not_after);

/* 1 if there is a bound on both sides: *offset is to be added to the device's clock, with an error of
 * at most *error. */
int pit__device_clock_offset(const struct pit__device_clock *bounds, int64_t *offset,
                             uint64_t *error);

#endif
