/* device_line.h: converts work timed by a device's clock to the host's time line. */
#ifndef PIT_DEVICE_LINE_H
#define PIT_DEVICE_LINE_H

#include "base/device_clock.h"

struct pit__device_line {
    struct pit__device_clock clock;
    uint64_t told_error; /* the bound stored in the run, plus one; 0: none yet */
};

struct pit__line_work {
    uint64_t place;
    const char *name;
    uint64_t begin, end;  /* by the device's clock */
    uint64_t launched_ns; /* by the host's, before the work was submitted */
};

/* Add work that has just ended. name: of the clock, for the run. Returns its place, or 0, as pit_add_span. */
uint64_t pit__line_add(struct pit__device_line *line, const char *name,
                       const struct pit__line_work *work);

#endif
