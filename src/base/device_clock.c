/* device_clock.c: see device_clock.h. Differences are integers: a double cannot hold the nanoseconds of a
 * clock that counts from 1970 exactly. */
#include "device_clock.h"

static int64_t difference(uint64_t host_ns, uint64_t device_ns)
{
    return (int64_t)(host_ns - device_ns);
}

static void drift(struct pit__device_clock *bounds, uint64_t device_ns)
{
    uint64_t passed = device_ns > bounds->device_ns ? device_ns - bounds->device_ns
                                                    : bounds->device_ns - device_ns;
    int64_t by = (int64_t)((double)passed * PIT__CLOCK_DRIFT);
    bounds->low -= by;
    bounds->high += by;
}

void pit__device_clock_add(struct pit__device_clock *bounds, uint64_t device_ns,
                           uint64_t not_before, uint64_t not_after)
{
    struct pit__device_clock own = {.low = difference(not_before, device_ns),
                                    .high = difference(not_after, device_ns),
                                    .has_low = not_before != PIT__NO_TIME,
                                    .has_high = not_after != PIT__NO_TIME};
    if (bounds->readings > 0)
        drift(bounds, device_ns);
    bounds->device_ns = device_ns;
    bounds->readings++;
    struct pit__device_clock both = *bounds;
    if (own.has_low && (!both.has_low || own.low > both.low)) {
        both.low = own.low;
        both.has_low = 1;
    }
    if (own.has_high && (!both.has_high || own.high < both.high)) {
        both.high = own.high;
        both.has_high = 1;
    }
    if (both.has_low && both.has_high && both.low > both.high) {
        own.device_ns = device_ns;
        own.readings = 1;
        own.restarts = bounds->restarts + 1;
        both = own;
    }
    *bounds = both;
}

int pit__device_clock_offset(const struct pit__device_clock *bounds, int64_t *offset,
                             uint64_t *error)
{
    if (!bounds->has_low || !bounds->has_high)
        return 0;
    *error = (uint64_t)(bounds->high - bounds->low + 1) / 2;
    *offset = bounds->low + (bounds->high - bounds->low) / 2;
    return 1;
}
