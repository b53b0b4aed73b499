/* kernel_names.c: see kernel_names.h. A table that is read without a lock: an entry is never removed,
 * its name is stored before its key. */
#include "kernel_names.h"

#include "opencl_link.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 4096u /* a power of two; half of it is used */
#define UNNAMED "kernel"

static struct entry {
    pit__cl_kernel kernel;
    const char *name;
} table[SLOTS];
static size_t used; /* guarded by lock, like all writes */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct entry *entry_of(pit__cl_kernel kernel)
{
    size_t at = (size_t)((uintptr_t)kernel >> 4) * 0x9e3779b1u & (SLOTS - 1);
    for (;; at = (at + 1) & (SLOTS - 1)) {
        pit__cl_kernel there = __atomic_load_n(&table[at].kernel, __ATOMIC_ACQUIRE);
        if (!there || there == kernel)
            return &table[at];
    }
}

static const char *ask(pit__cl_kernel kernel)
{
    size_t bytes = 0;
    const struct pit__cl *cl = pit__cl();
    if (!cl->clGetKernelInfo ||
        cl->clGetKernelInfo(kernel, PIT__CL_KERNEL_NAME, 0, NULL, &bytes) != PIT__CL_SUCCESS ||
        bytes == 0)
        return UNNAMED;
    char *name = malloc(bytes + 1);
    if (!name)
        return UNNAMED;
    name[bytes] = '\0';
    if (cl->clGetKernelInfo(kernel, PIT__CL_KERNEL_NAME, bytes, name, NULL) == PIT__CL_SUCCESS)
        return name;
    free(name);
    return UNNAMED;
}

static const char *keep(pit__cl_kernel kernel)
{
    const char *name = ask(kernel);
    pthread_mutex_lock(&lock);
    struct entry *entry = entry_of(kernel);
    if (entry->kernel || used < SLOTS / 2) {
        used += !entry->kernel;
        __atomic_store_n(&entry->name, name, __ATOMIC_RELEASE);
        __atomic_store_n(&entry->kernel, kernel, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&lock);
    return name;
}

void pit__kernel_made(pit__cl_kernel kernel)
{
    if (kernel)
        keep(kernel);
}

const char *pit__kernel_name(pit__cl_kernel kernel)
{
    const struct entry *entry = entry_of(kernel);
    const char *name = __atomic_load_n(&entry->kernel, __ATOMIC_ACQUIRE) == kernel
                           ? __atomic_load_n(&entry->name, __ATOMIC_ACQUIRE)
                           : NULL;
    return name ? name : keep(kernel);
}
