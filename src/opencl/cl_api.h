/* cl_api.h: the part of OpenCL's interface that we replace or call, declared here: the headers of Khronos
 * are not needed to build. tests/opencl/held_to_headers.c includes both and lets the compiler compare
 * them.
 */
#ifndef PIT_CL_API_H
#define PIT_CL_API_H

#include <stddef.h>
#include <stdint.h>

typedef struct _cl_context *pit__cl_context;
typedef struct _cl_device_id *pit__cl_device;
typedef struct _cl_command_queue *pit__cl_queue;
typedef struct _cl_program *pit__cl_program;
typedef struct _cl_kernel *pit__cl_kernel;
typedef struct _cl_event *pit__cl_event;
typedef struct _cl_mem *pit__cl_mem;
typedef const pit__cl_event *pit__cl_waits;

enum {
    PIT__CL_SUCCESS = 0,
    PIT__CL_COMPLETE = 0,            /* an execution status; below 0: it failed */
    PIT__CL_INVALID_OPERATION = -59, /* the result if OpenCL does not have the call */
    PIT__CL_QUEUE_OUT_OF_ORDER = 1,
    PIT__CL_QUEUE_PROFILING = 2,
    PIT__CL_QUEUE_ON_DEVICE = 4,
    PIT__CL_QUEUE_PROPERTIES = 0x1093,
    PIT__CL_DEVICE_NAME = 0x102B,
    PIT__CL_KERNEL_NAME = 0x1190,
    PIT__CL_IMAGE_ELEMENT_SIZE = 0x1111,
    PIT__CL_EVENT_STATUS = 0x11D3,
    PIT__CL_PROFILING_QUEUED = 0x1280,
    PIT__CL_PROFILING_START = 0x1282,
    PIT__CL_PROFILING_END = 0x1283
};

/* ---- called ---------------------------------------------------------------------------------- */

int32_t clGetDeviceInfo(pit__cl_device device, uint32_t what, size_t room, void *value,
                        size_t *bytes);
int32_t clGetKernelInfo(pit__cl_kernel kernel, uint32_t what, size_t room, void *value,
                        size_t *bytes);
int32_t clGetImageInfo(pit__cl_mem image, uint32_t what, size_t room, void *value, size_t *bytes);
int32_t clGetEventInfo(pit__cl_event event, uint32_t what, size_t room, void *value, size_t *bytes);
int32_t clGetEventProfilingInfo(pit__cl_event event, uint32_t what, size_t room, void *value,
                                size_t *bytes);
int32_t clRetainEvent(pit__cl_event event);
int32_t clReleaseEvent(pit__cl_event event);

/* ---- replaced -------------------------------------------------------------------------------- */

pit__cl_queue clCreateCommandQueue(pit__cl_context context, pit__cl_device device,
                                   uint64_t properties, int32_t *code);
pit__cl_queue clCreateCommandQueueWithProperties(pit__cl_context context, pit__cl_device device,
                                                 const uint64_t *properties, int32_t *code);
pit__cl_kernel clCreateKernel(pit__cl_program program, const char *name, int32_t *code);
int32_t clCreateKernelsInProgram(pit__cl_program program, uint32_t room, pit__cl_kernel *kernels,
                                 uint32_t *count);
pit__cl_kernel clCloneKernel(pit__cl_kernel kernel, int32_t *code);
int32_t clEnqueueNDRangeKernel(pit__cl_queue queue, pit__cl_kernel kernel, uint32_t dimensions,
                               const size_t *offset, const size_t *global, const size_t *local,
                               uint32_t wait_count, pit__cl_waits waits, pit__cl_event *event);
int32_t clEnqueueTask(pit__cl_queue queue, pit__cl_kernel kernel, uint32_t wait_count,
                      pit__cl_waits waits, pit__cl_event *event);
int32_t clEnqueueReadBuffer(pit__cl_queue queue, pit__cl_mem buffer, uint32_t blocking,
                            size_t offset, size_t bytes, void *to, uint32_t wait_count,
                            pit__cl_waits waits, pit__cl_event *event);
int32_t clEnqueueWriteBuffer(pit__cl_queue queue, pit__cl_mem buffer, uint32_t blocking,
                             size_t offset, size_t bytes, const void *from, uint32_t wait_count,
                             pit__cl_waits waits, pit__cl_event *event);
int32_t clEnqueueCopyBuffer(pit__cl_queue queue, pit__cl_mem from, pit__cl_mem to,
                            size_t from_offset, size_t to_offset, size_t bytes, uint32_t wait_count,
                            pit__cl_waits waits, pit__cl_event *event);
int32_t clEnqueueFillBuffer(pit__cl_queue queue, pit__cl_mem buffer, const void *pattern,
                            size_t pattern_bytes, size_t offset, size_t bytes, uint32_t wait_count,
                            pit__cl_waits waits, pit__cl_event *event);
int32_t clEnqueueReadBufferRect(pit__cl_queue queue, pit__cl_mem buffer, uint32_t blocking,
                                const size_t *buffer_at, const size_t *host_at,
                                const size_t *region, size_t buffer_row, size_t buffer_slice,
                                size_t host_row, size_t host_slice, void *to, uint32_t wait_count,
                                pit__cl_waits waits, pit__cl_event *event);
int32_t clEnqueueWriteBufferRect(pit__cl_queue queue, pit__cl_mem buffer, uint32_t blocking,
                                 const size_t *buffer_at, const size_t *host_at,
                                 const size_t *region, size_t buffer_row, size_t buffer_slice,
                                 size_t host_row, size_t host_slice, const void *from,
                                 uint32_t wait_count, pit__cl_waits waits, pit__cl_event *event);
int32_t clEnqueueCopyBufferRect(pit__cl_queue queue, pit__cl_mem from, pit__cl_mem to,
                                const size_t *from_at, const size_t *to_at, const size_t *region,
                                size_t from_row, size_t from_slice, size_t to_row, size_t to_slice,
                                uint32_t wait_count, pit__cl_waits waits, pit__cl_event *event);
int32_t clEnqueueReadImage(pit__cl_queue queue, pit__cl_mem image, uint32_t blocking,
                           const size_t *at, const size_t *region, size_t row, size_t slice,
                           void *to, uint32_t wait_count, pit__cl_waits waits,
                           pit__cl_event *event);
int32_t clEnqueueWriteImage(pit__cl_queue queue, pit__cl_mem image, uint32_t blocking,
                            const size_t *at, const size_t *region, size_t row, size_t slice,
                            const void *from, uint32_t wait_count, pit__cl_waits waits,
                            pit__cl_event *event);
void *clEnqueueMapBuffer(pit__cl_queue queue, pit__cl_mem buffer, uint32_t blocking, uint64_t how,
                         size_t offset, size_t bytes, uint32_t wait_count, pit__cl_waits waits,
                         pit__cl_event *event, int32_t *code);
int32_t clEnqueueUnmapMemObject(pit__cl_queue queue, pit__cl_mem memory, void *mapped,
                                uint32_t wait_count, pit__cl_waits waits, pit__cl_event *event);
int32_t clFinish(pit__cl_queue queue);
int32_t clWaitForEvents(uint32_t count, pit__cl_waits events);

#define PIT__CL_CALLED(X)                                                                          \
    X(clGetDeviceInfo)                                                                             \
    X(clGetKernelInfo)                                                                             \
    X(clGetImageInfo)                                                                              \
    X(clGetEventInfo)                                                                              \
    X(clGetEventProfilingInfo)                                                                     \
    X(clRetainEvent)                                                                               \
    X(clReleaseEvent)

#define PIT__CL_STOOD_BEFORE(X)                                                                    \
    X(clCreateCommandQueue)                                                                        \
    X(clCreateCommandQueueWithProperties)                                                          \
    X(clCreateKernel)                                                                              \
    X(clCreateKernelsInProgram)                                                                    \
    X(clCloneKernel)                                                                               \
    X(clEnqueueNDRangeKernel)                                                                      \
    X(clEnqueueTask)                                                                               \
    X(clEnqueueReadBuffer)                                                                         \
    X(clEnqueueWriteBuffer)                                                                        \
    X(clEnqueueCopyBuffer)                                                                         \
    X(clEnqueueFillBuffer)                                                                         \
    X(clEnqueueReadBufferRect)                                                                     \
    X(clEnqueueWriteBufferRect)                                                                    \
    X(clEnqueueCopyBufferRect)                                                                     \
    X(clEnqueueReadImage)                                                                          \
    X(clEnqueueWriteImage)                                                                         \
    X(clEnqueueMapBuffer)                                                                          \
    X(clEnqueueUnmapMemObject)                                                                     \
    X(clFinish)                                                                                    \
    X(clWaitForEvents)

#endif
