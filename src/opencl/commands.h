/* commands.h: commands submitted to OpenCL's queues, from the launch until their times are known. */
#ifndef PIT_COMMANDS_H
#define PIT_COMMANDS_H

#include "cl_api.h"

#include <time.h>

struct pit__launch {
    int is_on;          /* 0: nothing is recorded */
    uint64_t place;     /* of the span it is launched from */
    uint64_t before_ns; /* CLOCK_MONOTONIC_RAW */
};

static inline uint64_t pit__raw_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A queue was created. Another queue, which is gone, may have had its address. */
void pit__queue_made(pit__cl_queue queue, pit__cl_device device, int is_in_order);

struct pit__launch pit__launch_begin(void);

/* The call returned `code` and, if successful, an event, whose times are kept as `name`. If is_own, the event
 * is ours; else the program's, and we take a reference. Returns code. `name` must stay valid. */
int32_t pit__launch_end(const struct pit__launch *launch, int32_t code, pit__cl_queue queue,
                        const char *name, uint64_t bytes, pit__cl_event event, int is_own);

#endif
