/* nvml_gpu.c: NVIDIA's GPUs, by libnvidia-ml.so.1. Runs only on the thread of gpu_thread.c. */
#include "gpu_table.h"
#include "nvml_api.h"

#include "base/file_text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LIBRARY "libnvidia-ml.so.1"
#define PROCESSES 64

static struct pit__nvml nvml;
static int state; /* 0: not tried, 1: ready, -1: it cannot be used */
static char why_not[PIT__GPU_WHY];

#define STRING(name_) #name_
#define LOAD(member_, name_, arguments_) *(void **)&nvml.member_ = dlsym(library, STRING(name_));
#define IS_MISSING(member_, name_, arguments_)                                                     \
    if (!nvml.member_)                                                                             \
        missing = STRING(name_);
/* One call; its name is known while it runs. */
#define CALL(member_, what_, ...)                                                                  \
    (pit__gpu_calls(what_), code = nvml.member_(__VA_ARGS__), pit__gpu_returned(),                 \
     code == PIT__NVML_SUCCESS)

static const char *words_of(int code)
{
    const char *words = nvml.error ? nvml.error(code) : NULL;
    return words ? words : "an error";
}

static void load(void)
{
    const char *missing = NULL;
    state = -1;
    pit__gpu_calls("dlopen of " LIBRARY);
    void *library = dlopen(LIBRARY, RTLD_LAZY | RTLD_LOCAL);
    pit__gpu_returned();
    if (!library) {
        snprintf(why_not, sizeof why_not, "no %s: install NVIDIA's driver libraries", LIBRARY);
        return;
    }
    PIT__NVML_CALLS(LOAD)
    *(void **)&nvml.error = dlsym(library, "nvmlErrorString");
    PIT__NVML_CALLS(IS_MISSING)
    if (missing)
        snprintf(why_not, sizeof why_not, "%s has no %s", LIBRARY, missing);
    if (missing)
        return;
    pit__gpu_calls("nvmlInit_v2");
    int code = nvml.init();
    pit__gpu_returned();
    if (code != PIT__NVML_SUCCESS)
        snprintf(why_not, sizeof why_not, "nvmlInit_v2: %.50s", words_of(code));
    else
        state = 1;
}

/* Device names in CUDA_VISIBLE_DEVICES: is this GPU visible? A name may be abbreviated. */
static int is_named(struct pit__gpu *gpu)
{
    const char *list = secure_getenv("CUDA_VISIBLE_DEVICES");
    char uuid[96] = "";
    int code;
    if (!list || !strstr(list, "GPU-") ||
        !CALL(uuid, "nvmlDeviceGetUUID", gpu->handle, uuid, sizeof uuid))
        return 1;
    for (const char *at = list; *at; at += strspn(at, ", ")) {
        size_t length = strcspn(at, ", ");
        if (length && strncmp(at, uuid, length) == 0)
            return 1;
        at += length;
    }
    return 0;
}

static void find(struct pit__gpu *gpu)
{
    int code;
    gpu->is_ready = 1;
    if (!CALL(find, "nvmlDeviceGetHandleByPciBusId_v2", gpu->address, &gpu->handle)) {
        gpu->handle = NULL;
        pit__gpu_lost(gpu, "NVML does not show %s: %.40s", gpu->address, words_of(code));
    } else if (!is_named(gpu)) {
        gpu->handle = NULL;
        pit__gpu_lost(gpu, "not in CUDA_VISIBLE_DEVICES");
    }
}

static void read_own(struct pit__gpu *gpu)
{
    struct pit__nvml_process list[PROCESSES];
    unsigned count = PROCESSES;
    int code;
    uint64_t own = PIT__UNKNOWN;
    if (CALL(processes, "nvmlDeviceGetComputeRunningProcesses_v3", gpu->handle, &count, list))
        for (unsigned i = 0; i < count && i < PROCESSES; i++)
            if (list[i].pid == (unsigned)getpid() && list[i].used != ~0ull)
                own = (own == PIT__UNKNOWN ? 0 : own) + list[i].used;
    pit__gpu_set(gpu, PIT__GPU_OWN_MEMORY, own);
}

static void read_slow(struct pit__gpu *gpu)
{
    unsigned number, more;
    int code, is_read;
    is_read = CALL(temperature, "nvmlDeviceGetTemperature", gpu->handle, PIT__NVML_TEMPERATURE_GPU,
                   &number);
    pit__gpu_set(gpu, PIT__GPU_TEMPERATURE, is_read ? number * (uint64_t)1000 : PIT__UNKNOWN);
    is_read = CALL(clock, "nvmlDeviceGetClockInfo", gpu->handle, PIT__NVML_CLOCK_GRAPHICS, &number);
    pit__gpu_set(gpu, PIT__GPU_CLOCK, is_read ? number * (uint64_t)1000000 : PIT__UNKNOWN);
    is_read = CALL(clock, "nvmlDeviceGetClockInfo", gpu->handle, PIT__NVML_CLOCK_MEM, &number);
    pit__gpu_set(gpu, PIT__GPU_MEMORY_CLOCK, is_read ? number * (uint64_t)1000000 : PIT__UNKNOWN);
    is_read = CALL(pcie, "nvmlDeviceGetPcieThroughput", gpu->handle, PIT__NVML_PCIE_TX, &number) &&
              CALL(pcie, "nvmlDeviceGetPcieThroughput", gpu->handle, PIT__NVML_PCIE_RX, &more);
    pit__gpu_set(gpu, PIT__GPU_PCIE,
                 is_read ? ((uint64_t)number + more) * 1024 : (uint64_t)PIT__UNKNOWN);
    read_own(gpu);
}

/* Every GPU reports its memory: if that fails, nothing else is trusted. */
static void read_gpu(struct pit__gpu *gpu, uint64_t turn)
{
    struct pit__nvml_memory memory;
    struct pit__nvml_use use;
    unsigned long long millijoules;
    unsigned milliwatts;
    int code;
    if (!CALL(memory, "nvmlDeviceGetMemoryInfo", gpu->handle, &memory)) {
        for (int i = 0; i < PIT__GPU_FIGURES; i++)
            pit__gpu_set(gpu, (enum pit__gpu_figure)i, PIT__UNKNOWN);
        pit__gpu_lost(gpu, "nvmlDeviceGetMemoryInfo: %.46s", words_of(code));
        return;
    }
    pit__gpu_set(gpu, PIT__GPU_MEMORY, memory.used);
    pit__gpu_set(gpu, PIT__GPU_MEMORY_TOTAL, memory.total);
    int is_read = CALL(use, "nvmlDeviceGetUtilizationRates", gpu->handle, &use);
    pit__gpu_set(gpu, PIT__GPU_BUSY, is_read ? use.gpu : PIT__UNKNOWN);
    is_read = CALL(power, "nvmlDeviceGetPowerUsage", gpu->handle, &milliwatts);
    pit__gpu_set(gpu, PIT__GPU_POWER, is_read ? milliwatts : PIT__UNKNOWN);
    is_read = CALL(energy, "nvmlDeviceGetTotalEnergyConsumption", gpu->handle, &millijoules);
    pit__gpu_set(gpu, PIT__GPU_ENERGY, is_read ? millijoules * 1000 : PIT__UNKNOWN);
    if (PIT__GPU_IS_SLOW_TURN(turn))
        read_slow(gpu);
}

void pit__nvml_turn(struct pit__gpus *gpus, uint64_t turn)
{
    for (size_t i = 0; i < gpus->count; i++) {
        struct pit__gpu *gpu = &gpus->list[i];
        if (gpu->kind != PIT__GPU_NVIDIA)
            continue;
        if (state == 0)
            load();
        if (state < 0) {
            pit__gpu_lost(gpu, "%s", why_not);
            continue;
        }
        if (!gpu->is_ready)
            find(gpu);
        if (gpu->handle)
            read_gpu(gpu, turn);
    }
}
