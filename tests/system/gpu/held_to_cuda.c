/* Checks the calls of CUDA in gpu_driver.h against NVIDIA's cuda.h. */
#include <cuda.h>

#include "recorder/gpu_driver.h"

#define SAME(ours, theirs) _Static_assert((ours) == (theirs), #theirs)
SAME(PIT__GPU_NOT_READY, CUDA_ERROR_NOT_READY);
SAME(0, CUDA_SUCCESS);
SAME(0, CU_EVENT_DEFAULT);
SAME(sizeof(int), sizeof(CUresult));
SAME(sizeof(void *), sizeof(CUcontext));
SAME(sizeof(void *), sizeof(CUevent));
SAME(sizeof(void *), sizeof(CUstream));

/* Compiles only if the types agree. */
CUresult (*const context)(CUcontext *) = cuCtxGetCurrent;
CUresult (*const use)(CUcontext) = cuCtxSetCurrent;
CUresult (*const event_new)(CUevent *, unsigned) = cuEventCreate;
CUresult (*const event_record)(CUevent, CUstream) = cuEventRecord;
CUresult (*const event_query)(CUevent) = cuEventQuery;
CUresult (*const event_elapsed)(float *, CUevent, CUevent) = cuEventElapsedTime;
