/* Checks our declarations of NVML (src/device/nvml_api.h) against NVIDIA's nvml.h: compiled, never run. */
#include "device/nvml_api.h"

#include <nvml.h>

#include <stddef.h>

#define SAME(a_, b_) _Static_assert((int)(a_) == (int)(b_), #a_)
#define SAME_MEMBER(ours_, a_, theirs_, b_)                                                        \
    _Static_assert(offsetof(struct ours_, a_) == offsetof(theirs_, b_), #b_);                      \
    _Static_assert(sizeof((struct ours_){0}.a_) == sizeof((theirs_){0}.b_), #b_)

SAME(PIT__NVML_SUCCESS, NVML_SUCCESS);
SAME(PIT__NVML_NOT_SUPPORTED, NVML_ERROR_NOT_SUPPORTED);
SAME(PIT__NVML_TEMPERATURE_GPU, NVML_TEMPERATURE_GPU);
SAME(PIT__NVML_CLOCK_GRAPHICS, NVML_CLOCK_GRAPHICS);
SAME(PIT__NVML_CLOCK_MEM, NVML_CLOCK_MEM);
SAME(PIT__NVML_PCIE_TX, NVML_PCIE_UTIL_TX_BYTES);
SAME(PIT__NVML_PCIE_RX, NVML_PCIE_UTIL_RX_BYTES);

_Static_assert(sizeof(struct pit__nvml_memory) == sizeof(nvmlMemory_t), "memory");
SAME_MEMBER(pit__nvml_memory, total, nvmlMemory_t, total);
SAME_MEMBER(pit__nvml_memory, free, nvmlMemory_t, free);
SAME_MEMBER(pit__nvml_memory, used, nvmlMemory_t, used);
_Static_assert(sizeof(struct pit__nvml_use) == sizeof(nvmlUtilization_t), "use");
SAME_MEMBER(pit__nvml_use, gpu, nvmlUtilization_t, gpu);
SAME_MEMBER(pit__nvml_use, memory, nvmlUtilization_t, memory);
_Static_assert(sizeof(struct pit__nvml_process) == sizeof(nvmlProcessInfo_t), "process");
SAME_MEMBER(pit__nvml_process, pid, nvmlProcessInfo_t, pid);
SAME_MEMBER(pit__nvml_process, used, nvmlProcessInfo_t, usedGpuMemory);
SAME_MEMBER(pit__nvml_process, gpu_instance, nvmlProcessInfo_t, gpuInstanceId);
SAME_MEMBER(pit__nvml_process, compute_instance, nvmlProcessInfo_t, computeInstanceId);
_Static_assert(sizeof(nvmlDevice_t) == sizeof(void *), "device");
_Static_assert(sizeof(nvmlReturn_t) == sizeof(int), "return");
_Static_assert(sizeof(nvmlClockType_t) == sizeof(int), "clock");

/* Arguments: each function has NVIDIA's type, with its own types in place of ours. */
#define IS(name_, type_)                                                                           \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name_), nvmlReturn_t(*) type_), #name_)
IS(nvmlInit_v2, (void));
IS(nvmlDeviceGetHandleByPciBusId_v2, (const char *, nvmlDevice_t *));
IS(nvmlDeviceGetUUID, (nvmlDevice_t, char *, unsigned));
IS(nvmlDeviceGetMemoryInfo, (nvmlDevice_t, nvmlMemory_t *));
IS(nvmlDeviceGetUtilizationRates, (nvmlDevice_t, nvmlUtilization_t *));
IS(nvmlDeviceGetPowerUsage, (nvmlDevice_t, unsigned *));
IS(nvmlDeviceGetTotalEnergyConsumption, (nvmlDevice_t, unsigned long long *));
IS(nvmlDeviceGetTemperature, (nvmlDevice_t, nvmlTemperatureSensors_t, unsigned *));
IS(nvmlDeviceGetClockInfo, (nvmlDevice_t, nvmlClockType_t, unsigned *));
IS(nvmlDeviceGetPcieThroughput, (nvmlDevice_t, nvmlPcieUtilCounter_t, unsigned *));
IS(nvmlDeviceGetComputeRunningProcesses_v3, (nvmlDevice_t, unsigned *, nvmlProcessInfo_t *));
