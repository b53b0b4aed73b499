/* opencl_link.h: OpenCL itself, and the recorder of this process; both are looked up at the first call. */
#ifndef PIT_OPENCL_LINK_H
#define PIT_OPENCL_LINK_H

#include "cl_api.h"
#include "pitwall.h"

/* OpenCL's own calls; NULL: this OpenCL has no such call. */
struct pit__cl {
#define PIT__CL_MEMBER(name) __typeof__(name) *name;
    PIT__CL_CALLED(PIT__CL_MEMBER)
    PIT__CL_STOOD_BEFORE(PIT__CL_MEMBER)
#undef PIT__CL_MEMBER
};

/* The part of the public API that is needed here. */
struct pit__cl_recorder {
    int *enabled;
    uint64_t (*place)(void);
    uint64_t (*add)(uint64_t place, const char *name, unsigned flags, uint64_t begin_ns,
                    uint64_t end_ns);
    void (*add_bytes)(uint64_t place, uint64_t bytes);
    int (*before_close)(void (*call)(void *arg), void *arg);
    int (*add_fact)(const char *key, const char *value);
    void (*thread_name)(const char *name);
    pit_token (*begin)(pit_site *site);
    void (*end)(pit_token token);
};

extern struct pit__cl_recorder pit__cl_recorder; /* complete if pit__cl_records() is not 0 */

/* Never NULL. */
const struct pit__cl *pit__cl(void);

/* Is there a recorder, and does it record? */
int pit__cl_records(void);

#endif
