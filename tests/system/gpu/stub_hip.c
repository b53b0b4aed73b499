/* A stub of libamdhip64.so.5: our machines have no GPU. The same simulated device as in stub_cuda.c,
 * with HIP's names; held_to_hip.c checks the calls against AMD's header. */
#define cuCtxGetCurrent stub_context
#define cuCtxSetCurrent stub_use
#define cuEventCreate hipEventCreateWithFlags
#define cuEventRecord hipEventRecord
#define cuEventQuery hipEventQuery
#define cuEventElapsedTime hipEventElapsedTime
#include "stub_cuda.c"

int hipGetDevice(int *device)
{
    void *context;
    *device = 0;
    return stub_context(&context) == GOOD ? 0 : 100; /* hipErrorNoDevice */
}

int hipSetDevice(int device)
{
    (void)device;
    return 0;
}
