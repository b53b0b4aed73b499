/* Launches of a small kernel, and waits for a longer one. Prints two medians in ns: the host's time of a
 * launch, and the time from the launch of the longer kernel to the end of the wait for it. */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LAUNCHES = 4000, AT_ONCE = 50, LONGER = 100 };

static const char *const source = "kernel void small(global float *x) { x[get_global_id(0)] += 1; }"
                                  "kernel void longer(global float *x) {"
                                  "    float sum = x[get_global_id(0)];"
                                  "    for (int i = 0; i < 40000; i++) sum = sum * 0.999f + 1;"
                                  "    x[get_global_id(0)] = sum;"
                                  "}";

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    static double took[LAUNCHES], brackets[LONGER];
    cl_platform_id platform;
    cl_device_id device;
    cl_int code = clGetPlatformIDs(1, &platform, NULL);
    if (code || clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL))
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &code);
    if (code || clBuildProgram(program, 1, &device, "", NULL, NULL))
        return 1;
    cl_kernel small = clCreateKernel(program, "small", &code);
    cl_kernel longer = clCreateKernel(program, "longer", &code);
    cl_mem x = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
    clSetKernelArg(small, 0, sizeof x, &x);
    clSetKernelArg(longer, 0, sizeof x, &x);
    size_t one = 1;
    clEnqueueNDRangeKernel(queue, small, 1, NULL, &one, NULL, 0, NULL, NULL);
    clEnqueueNDRangeKernel(queue, longer, 1, NULL, &one, NULL, 0, NULL, NULL);
    clFinish(queue);
    for (int i = 0; i < LAUNCHES; i++) {
        double begin = now_ns();
        clEnqueueNDRangeKernel(queue, small, 1, NULL, &one, NULL, 0, NULL, NULL);
        took[i] = now_ns() - begin;
        if (i % AT_ONCE == AT_ONCE - 1)
            clFinish(queue);
    }
    for (int i = 0; i < LONGER; i++) {
        double begin = now_ns();
        clEnqueueNDRangeKernel(queue, longer, 1, NULL, &one, NULL, 0, NULL, NULL);
        clFinish(queue);
        brackets[i] = now_ns() - begin;
    }
    qsort(took, LAUNCHES, sizeof took[0], by_size);
    qsort(brackets, LONGER, sizeof brackets[0], by_size);
    printf("%.0f %.0f\n", took[LAUNCHES / 2], brackets[LONGER / 2]);
    return 0;
}
