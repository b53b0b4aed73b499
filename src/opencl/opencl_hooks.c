/* libpitwall-opencl.so: kernels and transfers of OpenCL in the call tree.
 *
 * Preloaded, these calls replace OpenCL's own:
 *
 *   program ──▶ opencl_hooks ──▶ OpenCL (opencl_link)
 *                    └──▶ commands ──▶ the recorder of the process
 *                    └──▶ kernel_names
 *
 * Queues are created with profiling enabled, every command gets an event, and the device's times are
 * recorded below the span that launched it. Calls in which the host waits are spans.
 */
#include "commands.h"
#include "kernel_names.h"
#include "opencl_link.h"

#define EXPORTED __attribute__((visibility("default")))
#define MOST_PROPERTIES 32u /* words of a list; longer ones are not changed */

/* ---- creating queues and kernels ------------------------------------------------------------- */

static pit__cl_queue none(int32_t *code)
{
    if (code)
        *code = PIT__CL_INVALID_OPERATION;
    return NULL;
}

static pit__cl_queue made(pit__cl_queue queue, pit__cl_device device, uint64_t properties)
{
    if (queue)
        pit__queue_made(queue, device, !(properties & PIT__CL_QUEUE_OUT_OF_ORDER));
    return queue;
}

EXPORTED pit__cl_queue clCreateCommandQueue(pit__cl_context context, pit__cl_device device,
                                            uint64_t properties, int32_t *code)
{
    const struct pit__cl *cl = pit__cl();
    if (!cl->clCreateCommandQueue)
        return none(code);
    pit__cl_queue queue =
        pit__cl_records()
            ? cl->clCreateCommandQueue(context, device, properties | PIT__CL_QUEUE_PROFILING, code)
            : NULL;
    if (!queue)
        queue = cl->clCreateCommandQueue(context, device, properties, code);
    return made(queue, device, properties);
}

/* The list with profiling enabled, in `changed`; 0: not possible, or too long. *flags: the queue's flags in
 * the list. */
static int with_profiling(const uint64_t *properties, uint64_t *changed, uint64_t *flags)
{
    size_t used = 0;
    int has = 0;
    *flags = 0;
    for (; properties && properties[used]; used += 2) {
        if (used + 4 > MOST_PROPERTIES)
            return 0;
        changed[used] = properties[used];
        changed[used + 1] = properties[used + 1];
        if (properties[used] != PIT__CL_QUEUE_PROPERTIES)
            continue;
        *flags = properties[used + 1];
        changed[used + 1] |= PIT__CL_QUEUE_PROFILING;
        has = 1;
    }
    if (!has) {
        changed[used++] = PIT__CL_QUEUE_PROPERTIES;
        changed[used++] = PIT__CL_QUEUE_PROFILING;
    }
    changed[used] = 0;
    return !(*flags & PIT__CL_QUEUE_ON_DEVICE);
}

EXPORTED pit__cl_queue clCreateCommandQueueWithProperties(pit__cl_context context,
                                                          pit__cl_device device,
                                                          const uint64_t *properties, int32_t *code)
{
    const struct pit__cl *cl = pit__cl();
    uint64_t changed[MOST_PROPERTIES + 1], flags;
    if (!cl->clCreateCommandQueueWithProperties)
        return none(code);
    pit__cl_queue queue = NULL;
    if (with_profiling(properties, changed, &flags) && pit__cl_records())
        queue = cl->clCreateCommandQueueWithProperties(context, device, changed, code);
    if (!queue)
        queue = cl->clCreateCommandQueueWithProperties(context, device, properties, code);
    return made(queue, device, flags);
}

static pit__cl_kernel no_kernel(int32_t *code)
{
    none(code);
    return NULL;
}

EXPORTED pit__cl_kernel clCreateKernel(pit__cl_program program, const char *name, int32_t *code)
{
    const struct pit__cl *cl = pit__cl();
    if (!cl->clCreateKernel)
        return no_kernel(code);
    pit__cl_kernel kernel = cl->clCreateKernel(program, name, code);
    pit__kernel_made(kernel);
    return kernel;
}

EXPORTED pit__cl_kernel clCloneKernel(pit__cl_kernel kernel, int32_t *code)
{
    const struct pit__cl *cl = pit__cl();
    if (!cl->clCloneKernel)
        return no_kernel(code);
    pit__cl_kernel clone = cl->clCloneKernel(kernel, code);
    pit__kernel_made(clone);
    return clone;
}

EXPORTED int32_t clCreateKernelsInProgram(pit__cl_program program, uint32_t room,
                                          pit__cl_kernel *kernels, uint32_t *count)
{
    const struct pit__cl *cl = pit__cl();
    uint32_t made_count = 0;
    if (!cl->clCreateKernelsInProgram)
        return PIT__CL_INVALID_OPERATION;
    int32_t code = cl->clCreateKernelsInProgram(program, room, kernels, &made_count);
    for (uint32_t i = 0; code == PIT__CL_SUCCESS && kernels && i < made_count && i < room; i++)
        pit__kernel_made(kernels[i]);
    if (count)
        *count = made_count;
    return code;
}

/* ---- commands -------------------------------------------------------------------------------- */

/* A command: OpenCL's own call, with our event if the program wants none. `name` and `bytes` are evaluated
 * after it. */
#define COMMAND(call_, name_, bytes_, ...)                                                         \
    do {                                                                                           \
        const struct pit__cl *cl = pit__cl();                                                      \
        if (!cl->call_)                                                                            \
            return PIT__CL_INVALID_OPERATION;                                                      \
        pit__cl_event own = NULL, *slot = event ? event : &own;                                    \
        struct pit__launch launch = pit__launch_begin();                                           \
        int32_t code = cl->call_(__VA_ARGS__, wait_count, waits, launch.is_on ? slot : event);     \
        return pit__launch_end(&launch, code, queue, name_, bytes_, *slot, !event);                \
    } while (0)

/* The same for a call in which the host may wait: it is then a span. */
#define WAITING(call_, name_, bytes_, ...)                                                         \
    do {                                                                                           \
        static pit_site site = PIT_SITE(#call_);                                                   \
        const struct pit__cl *cl = pit__cl();                                                      \
        if (!cl->call_)                                                                            \
            return PIT__CL_INVALID_OPERATION;                                                      \
        pit__cl_event own = NULL, *slot = event ? event : &own;                                    \
        struct pit__launch launch = pit__launch_begin();                                           \
        pit_token token = launch.is_on && blocking ? pit__cl_recorder.begin(&site) : 0;            \
        int32_t code = cl->call_(__VA_ARGS__, wait_count, waits, launch.is_on ? slot : event);     \
        end_span(token);                                                                           \
        return pit__launch_end(&launch, code, queue, name_, bytes_, *slot, !event);                \
    } while (0)

static void end_span(pit_token token)
{
    if (token)
        pit__cl_recorder.end(token);
}

static uint64_t volume(const size_t *region)
{
    return region ? (uint64_t)region[0] * region[1] * region[2] : 0;
}

static uint64_t image_bytes(pit__cl_mem image, const size_t *region)
{
    size_t element = 0;
    const struct pit__cl *cl = pit__cl();
    if (!cl->clGetImageInfo || cl->clGetImageInfo(image, PIT__CL_IMAGE_ELEMENT_SIZE, sizeof element,
                                                  &element, NULL) != PIT__CL_SUCCESS)
        return 0;
    return volume(region) * element;
}

EXPORTED int32_t clEnqueueNDRangeKernel(pit__cl_queue queue, pit__cl_kernel kernel,
                                        uint32_t dimensions, const size_t *offset,
                                        const size_t *global, const size_t *local,
                                        uint32_t wait_count, pit__cl_waits waits,
                                        pit__cl_event *event)
{
    COMMAND(clEnqueueNDRangeKernel, pit__kernel_name(kernel), 0, queue, kernel, dimensions, offset,
            global, local);
}

EXPORTED int32_t clEnqueueTask(pit__cl_queue queue, pit__cl_kernel kernel, uint32_t wait_count,
                               pit__cl_waits waits, pit__cl_event *event)
{
    COMMAND(clEnqueueTask, pit__kernel_name(kernel), 0, queue, kernel);
}

EXPORTED int32_t clEnqueueReadBuffer(pit__cl_queue queue, pit__cl_mem buffer, uint32_t blocking,
                                     size_t offset, size_t bytes, void *to, uint32_t wait_count,
                                     pit__cl_waits waits, pit__cl_event *event)
{
    WAITING(clEnqueueReadBuffer, "ReadBuffer", bytes, queue, buffer, blocking, offset, bytes, to);
}

EXPORTED int32_t clEnqueueWriteBuffer(pit__cl_queue queue, pit__cl_mem buffer, uint32_t blocking,
                                      size_t offset, size_t bytes, const void *from,
                                      uint32_t wait_count, pit__cl_waits waits,
                                      pit__cl_event *event)
{
    WAITING(clEnqueueWriteBuffer, "WriteBuffer", bytes, queue, buffer, blocking, offset, bytes,
            from);
}

EXPORTED int32_t clEnqueueCopyBuffer(pit__cl_queue queue, pit__cl_mem from, pit__cl_mem to,
                                     size_t from_offset, size_t to_offset, size_t bytes,
                                     uint32_t wait_count, pit__cl_waits waits, pit__cl_event *event)
{
    COMMAND(clEnqueueCopyBuffer, "CopyBuffer", bytes, queue, from, to, from_offset, to_offset,
            bytes);
}

EXPORTED int32_t clEnqueueFillBuffer(pit__cl_queue queue, pit__cl_mem buffer, const void *pattern,
                                     size_t pattern_bytes, size_t offset, size_t bytes,
                                     uint32_t wait_count, pit__cl_waits waits, pit__cl_event *event)
{
    COMMAND(clEnqueueFillBuffer, "FillBuffer", bytes, queue, buffer, pattern, pattern_bytes, offset,
            bytes);
}

EXPORTED int32_t clEnqueueReadBufferRect(pit__cl_queue queue, pit__cl_mem buffer, uint32_t blocking,
                                         const size_t *buffer_at, const size_t *host_at,
                                         const size_t *region, size_t buffer_row,
                                         size_t buffer_slice, size_t host_row, size_t host_slice,
                                         void *to, uint32_t wait_count, pit__cl_waits waits,
                                         pit__cl_event *event)
{
    WAITING(clEnqueueReadBufferRect, "ReadBufferRect", volume(region), queue, buffer, blocking,
            buffer_at, host_at, region, buffer_row, buffer_slice, host_row, host_slice, to);
}

EXPORTED int32_t clEnqueueWriteBufferRect(pit__cl_queue queue, pit__cl_mem buffer,
                                          uint32_t blocking, const size_t *buffer_at,
                                          const size_t *host_at, const size_t *region,
                                          size_t buffer_row, size_t buffer_slice, size_t host_row,
                                          size_t host_slice, const void *from, uint32_t wait_count,
                                          pit__cl_waits waits, pit__cl_event *event)
{
    WAITING(clEnqueueWriteBufferRect, "WriteBufferRect", volume(region), queue, buffer, blocking,
            buffer_at, host_at, region, buffer_row, buffer_slice, host_row, host_slice, from);
}

EXPORTED int32_t clEnqueueCopyBufferRect(pit__cl_queue queue, pit__cl_mem from, pit__cl_mem to,
                                         const size_t *from_at, const size_t *to_at,
                                         const size_t *region, size_t from_row, size_t from_slice,
                                         size_t to_row, size_t to_slice, uint32_t wait_count,
                                         pit__cl_waits waits, pit__cl_event *event)
{
    COMMAND(clEnqueueCopyBufferRect, "CopyBufferRect", volume(region), queue, from, to, from_at,
            to_at, region, from_row, from_slice, to_row, to_slice);
}

EXPORTED int32_t clEnqueueReadImage(pit__cl_queue queue, pit__cl_mem image, uint32_t blocking,
                                    const size_t *at, const size_t *region, size_t row,
                                    size_t slice, void *to, uint32_t wait_count,
                                    pit__cl_waits waits, pit__cl_event *event)
{
    WAITING(clEnqueueReadImage, "ReadImage", image_bytes(image, region), queue, image, blocking, at,
            region, row, slice, to);
}

EXPORTED int32_t clEnqueueWriteImage(pit__cl_queue queue, pit__cl_mem image, uint32_t blocking,
                                     const size_t *at, const size_t *region, size_t row,
                                     size_t slice, const void *from, uint32_t wait_count,
                                     pit__cl_waits waits, pit__cl_event *event)
{
    WAITING(clEnqueueWriteImage, "WriteImage", image_bytes(image, region), queue, image, blocking,
            at, region, row, slice, from);
}

EXPORTED void *clEnqueueMapBuffer(pit__cl_queue queue, pit__cl_mem buffer, uint32_t blocking,
                                  uint64_t how, size_t offset, size_t bytes, uint32_t wait_count,
                                  pit__cl_waits waits, pit__cl_event *event, int32_t *code)
{
    static pit_site site = PIT_SITE("clEnqueueMapBuffer");
    const struct pit__cl *cl = pit__cl();
    if (!cl->clEnqueueMapBuffer) {
        none(code);
        return NULL;
    }
    int32_t own_code = PIT__CL_SUCCESS;
    pit__cl_event own = NULL, *slot = event ? event : &own;
    struct pit__launch launch = pit__launch_begin();
    pit_token token = launch.is_on && blocking ? pit__cl_recorder.begin(&site) : 0;
    void *mapped = cl->clEnqueueMapBuffer(queue, buffer, blocking, how, offset, bytes, wait_count,
                                          waits, launch.is_on ? slot : event, &own_code);
    end_span(token);
    pit__launch_end(&launch, own_code, queue, "MapBuffer", bytes, *slot, !event);
    if (code)
        *code = own_code;
    return mapped;
}

EXPORTED int32_t clEnqueueUnmapMemObject(pit__cl_queue queue, pit__cl_mem memory, void *mapped,
                                         uint32_t wait_count, pit__cl_waits waits,
                                         pit__cl_event *event)
{
    COMMAND(clEnqueueUnmapMemObject, "UnmapMemObject", 0, queue, memory, mapped);
}

/* ---- waiting --------------------------------------------------------------------------------- */

EXPORTED int32_t clFinish(pit__cl_queue queue)
{
    static pit_site site = PIT_SITE("clFinish");
    const struct pit__cl *cl = pit__cl();
    if (!cl->clFinish)
        return PIT__CL_INVALID_OPERATION;
    pit_token token = pit__cl_records() ? pit__cl_recorder.begin(&site) : 0;
    int32_t code = cl->clFinish(queue);
    end_span(token);
    return code;
}

EXPORTED int32_t clWaitForEvents(uint32_t count, pit__cl_waits events)
{
    static pit_site site = PIT_SITE("clWaitForEvents");
    const struct pit__cl *cl = pit__cl();
    if (!cl->clWaitForEvents)
        return PIT__CL_INVALID_OPERATION;
    pit_token token = pit__cl_records() ? pit__cl_recorder.begin(&site) : 0;
    int32_t code = cl->clWaitForEvents(count, events);
    end_span(token);
    return code;
}
