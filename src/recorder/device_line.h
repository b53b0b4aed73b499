/* device_line.h: work that is told on a device's own clock, put on the host's time line. */
#ifndef PIT_DEVICE_LINE_H
#define PIT_DEVICE_LINE_H

#include "base/device_clock.h"

struct pit__device_line {
    struct pit__device_clock clock;
    uint64_t told_error; /* one more than the bound that the run was told; 0: none yet */
};

struct pit__line_work {
    uint64_t place;
    const char *name;
    uint64_t begin, end;  /* of the device's clock */
    uint64_t launched_ns; /* of the host's, before it was handed over */
};

/* Add work that is over now. name: of the clock, for the run. Its place, or 0 as pit_add says. */
uint64_t pit__line_add(struct pit__device_line *line, const char *name,
                       const struct pit__line_work *work);

#endif
