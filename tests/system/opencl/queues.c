/* Two queues, one of them out of order, user events, markers, transfers, blocking and not; counts what it
 * does itself and prints it. With WITH_SPANS it has spans of its own around its two phases. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_SPANS
#include <pitwall.h>
#else
#define PIT_SPAN(name)
#endif

#define CHECK(call_)                                                                               \
    do {                                                                                           \
        cl_int code_ = (call_);                                                                    \
        if (code_ != CL_SUCCESS) {                                                                 \
            fprintf(stderr, "%s: %d\n", #call_, code_);                                            \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

enum { FLOATS = 4096, BYTES = FLOATS * sizeof(float), SAXPYS = 40, SCALES = 23, COPIES = 5 };

static const char *const source = "kernel void saxpy(global float *y, global const float *x) {"
                                  "    size_t i = get_global_id(0);"
                                  "    y[i] = 2 * x[i] + y[i];"
                                  "}"
                                  "kernel void scale(global float *x) {"
                                  "    x[get_global_id(0)] *= 1.5f;"
                                  "}";

static cl_device_id device;
static cl_context context;
static cl_command_queue in_order, out_of_order;
static cl_kernel saxpy, scale;
static cl_mem x, y, z;
static size_t size = FLOATS;

static unsigned long long now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (unsigned long long)now.tv_sec * 1000000000u + (unsigned long long)now.tv_nsec;
}

static void set_up(void)
{
    cl_platform_id platform;
    cl_int code;
    CHECK(clGetPlatformIDs(1, &platform, NULL));
    CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL));
    context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    CHECK(code);
    in_order = clCreateCommandQueue(context, device, 0, &code);
    CHECK(code);
    cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
                                        0};
    out_of_order = clCreateCommandQueueWithProperties(context, device, properties, &code);
    CHECK(code);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    CHECK(code);
    CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
    saxpy = clCreateKernel(program, "saxpy", &code);
    CHECK(code);
    cl_kernel kernels[2];
    cl_uint count;
    CHECK(clCreateKernelsInProgram(program, 2, kernels, &count));
    for (cl_uint i = 0; i < count; i++) {
        char name[16];
        CHECK(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL));
        if (strcmp(name, "scale") == 0)
            scale = kernels[i];
        else
            clReleaseKernel(kernels[i]);
    }
    x = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
    y = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
    z = clCreateBuffer(context, CL_MEM_READ_WRITE, BYTES, NULL, &code);
    CHECK(code);
    CHECK(clSetKernelArg(saxpy, 0, sizeof y, &y));
    CHECK(clSetKernelArg(saxpy, 1, sizeof x, &x));
    CHECK(clSetKernelArg(scale, 0, sizeof z, &z));
}

/* In order, one after another: their times together fit between the first launch and the end of the
 * wait. Every fourth launch has an event of the program's. */
static void first_phase(void)
{
    static float floats[FLOATS];
    float one = 1;
    cl_event last = NULL;
    unsigned long long begin = now_ns();
    CHECK(clEnqueueWriteBuffer(in_order, x, CL_TRUE, 0, BYTES, floats, 0, NULL, NULL));
    CHECK(clEnqueueFillBuffer(in_order, y, &one, sizeof one, 0, BYTES, 0, NULL, NULL));
    CHECK(clEnqueueFillBuffer(in_order, z, &one, sizeof one, 0, BYTES, 0, NULL, NULL));
    for (int i = 0; i < SAXPYS; i++) {
        if (last)
            CHECK(clReleaseEvent(last));
        last = NULL;
        CHECK(clEnqueueNDRangeKernel(in_order, saxpy, 1, NULL, &size, NULL, 0, NULL,
                                     i % 4 ? NULL : &last));
    }
    CHECK(clFinish(in_order));
    printf("bracket %llu\n", now_ns() - begin);
}

/* Out of order, held back by an event that the host sets; a marker at the end. */
static void second_phase(void)
{
    cl_int code;
    cl_event go = clCreateUserEvent(context, &code), events[SCALES], marker;
    CHECK(code);
    for (int i = 0; i < SCALES; i++)
        CHECK(clEnqueueNDRangeKernel(out_of_order, scale, 1, NULL, &size, NULL, 1,
                                     i ? &events[i - 1] : &go, &events[i]));
    for (int i = 0; i < COPIES; i++)
        CHECK(clEnqueueCopyBuffer(in_order, x, y, 0, 0, BYTES / 2, 0, NULL, NULL));
    CHECK(clFinish(in_order));
    CHECK(clEnqueueMarkerWithWaitList(out_of_order, SCALES, events, &marker));
    CHECK(clSetUserEventStatus(go, CL_COMPLETE));
    CHECK(clWaitForEvents(1, &marker));
    CHECK(clReleaseEvent(marker));
    CHECK(clReleaseEvent(go));
    CHECK(clReleaseEvent(events[SCALES - 1])); /* the queue may keep its last one */
    for (int i = 0; i < SCALES - 1; i++) {     /* at the end only the program holds it */
        cl_uint references = 2;
        for (int tries = 0; references > 1 && tries < 60000; tries++) {
            CHECK(clGetEventInfo(events[i], CL_EVENT_REFERENCE_COUNT, sizeof references,
                                 &references, NULL));
            if (references > 1)
                usleep(1000);
        }
        printf("references %u\n", references);
        CHECK(clReleaseEvent(events[i]));
    }
}

int main(void)
{
    static float floats[FLOATS];
    set_up();
#ifdef WITH_SPANS
    pit_open(NULL, NULL);
#endif
    PIT_SPAN("first") {
        first_phase();
    }
    PIT_SPAN("second") {
        second_phase();
    }
    CHECK(clEnqueueReadBuffer(in_order, y, CL_TRUE, 0, BYTES, floats, 0, NULL, NULL));
    printf("bytes %d\n", (int)BYTES);
    printf("saxpy %d\nscale %d\nWriteBuffer 1\nFillBuffer 2\nCopyBuffer %d\nReadBuffer 1\n", SAXPYS,
           SCALES, COPIES);
#ifdef WITH_SPANS
    return pit_close();
#else
    return 0;
#endif
}
