/* Checks the calls of HIP in gpu_driver.h against AMD's hip_runtime_api.h. */
#define __HIP_PLATFORM_AMD__
#include <hip/hip_runtime_api.h>

#include "recorder/gpu_driver.h"

#define SAME(ours, theirs) _Static_assert((int)(ours) == (int)(theirs), #theirs)
SAME(PIT__GPU_NOT_READY, hipErrorNotReady);
SAME(0, hipSuccess);
SAME(0, hipEventDefault);
SAME(sizeof(int), sizeof(hipError_t));
SAME(sizeof(void *), sizeof(hipEvent_t));
SAME(sizeof(void *), sizeof(hipStream_t));

/* Compiles only if the types agree. */
hipError_t (*const get_device)(int *) = hipGetDevice;
hipError_t (*const set_device)(int) = hipSetDevice;
hipError_t (*const event_new)(hipEvent_t *, unsigned) = hipEventCreateWithFlags;
hipError_t (*const event_record)(hipEvent_t, hipStream_t) = hipEventRecord;
hipError_t (*const event_query)(hipEvent_t) = hipEventQuery;
hipError_t (*const event_elapsed)(float *, hipEvent_t, hipEvent_t) = hipEventElapsedTime;
