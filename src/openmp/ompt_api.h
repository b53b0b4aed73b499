/* ompt_api.h: the part of OMPT that we use, the tools interface of OpenMP 5. The specification fixes its ABI:
 * no header of an OpenMP runtime is needed. Names are those of the specification, shortened. */
#ifndef PIT_OMPT_API_H
#define PIT_OMPT_API_H

#include <stdint.h>

union pit__ompt_data {
    uint64_t value;
    void *ptr;
};

enum {
    PIT__OMPT_PARALLEL_BEGIN = 3,
    PIT__OMPT_PARALLEL_END = 4,
    PIT__OMPT_IMPLICIT_TASK = 7,
    PIT__OMPT_SYNC_REGION_WAIT = 16
};
enum { PIT__OMPT_SCOPE_BEGIN = 1, PIT__OMPT_SCOPE_END = 2 };
enum { PIT__OMPT_TASK_IMPLICIT = 2 }; /* flags of a task */
/* Kinds of a wait. All others than these are barriers inside a region. */
enum {
    PIT__OMPT_TASKWAIT = 5,
    PIT__OMPT_TASKGROUP = 6,
    PIT__OMPT_REDUCTION = 7,
    PIT__OMPT_BARRIER_AT_END = 9 /* of a parallel region */
};

typedef void (*pit__ompt_function)(void);
typedef pit__ompt_function (*pit__ompt_lookup)(const char *name);
typedef int (*pit__ompt_set_callback)(int event, pit__ompt_function callback);

struct pit__ompt_result {
    int (*initialize)(pit__ompt_lookup lookup, int device, union pit__ompt_data *data);
    void (*finalize)(union pit__ompt_data *data);
    union pit__ompt_data data;
};

#endif
