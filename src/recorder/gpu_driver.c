/* gpu_driver.c: see gpu_driver.h. Never run on a GPU: docs/devices.md lists what was tested. */
#include "gpu_driver.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static struct pit__gpu_driver found;

/* HIP's counterpart of a context is a device number; plus one, so that it is never NULL. */
static int (*hip_get_device)(int *device);
static int (*hip_set_device)(int device);

static int hip_context(void **context)
{
    int device = 0, code = hip_get_device(&device);
    *context = code ? NULL : (void *)((uintptr_t)device + 1);
    return code;
}

static int hip_use(void *context)
{
    return hip_set_device((int)((uintptr_t)context - 1));
}

/* By memcpy: ISO C does not convert an object pointer to a function pointer. */
static int take(void *library, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    memcpy(function, &symbol, sizeof symbol);
    return symbol != NULL;
}

static int find_cuda(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    found.name = "CUDA";
    return library && take(library, "cuCtxGetCurrent", &found.context) &&
           take(library, "cuCtxSetCurrent", &found.use) &&
           take(library, "cuEventCreate", &found.event_new) &&
           take(library, "cuEventRecord", &found.event_record) &&
           take(library, "cuEventQuery", &found.event_query) &&
           take(library, "cuEventElapsedTime", &found.event_elapsed);
}

static int find_hip(void)
{
    static const char *const names[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5",
                                        "libamdhip64.so"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !library; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
    found.name = "HIP";
    found.context = hip_context;
    found.use = hip_use;
    return library && take(library, "hipGetDevice", &hip_get_device) &&
           take(library, "hipSetDevice", &hip_set_device) &&
           take(library, "hipEventCreateWithFlags", &found.event_new) &&
           take(library, "hipEventRecord", &found.event_record) &&
           take(library, "hipEventQuery", &found.event_query) &&
           take(library, "hipEventElapsedTime", &found.event_elapsed);
}

const struct pit__gpu_driver *pit__gpu_driver_find(void)
{
    return find_cuda() || find_hip() ? &found : NULL;
}
