/* nvml_api.h: the part of NVIDIA's library libnvidia-ml.so.1 that we use, declared here so that the build
 * needs no header of it. tests/system/test_device_headers.py compares each line with NVIDIA's nvml.h. */
#ifndef PIT_NVML_API_H
#define PIT_NVML_API_H

#define PIT__NVML_SUCCESS 0
#define PIT__NVML_NOT_SUPPORTED 3
#define PIT__NVML_TEMPERATURE_GPU 0
#define PIT__NVML_CLOCK_GRAPHICS 0
#define PIT__NVML_CLOCK_MEM 2
#define PIT__NVML_PCIE_TX 0
#define PIT__NVML_PCIE_RX 1

struct pit__nvml_memory {
    unsigned long long total, free, used;
};

struct pit__nvml_use {
    unsigned gpu, memory; /* percent of the time */
};

struct pit__nvml_process {
    unsigned pid;
    unsigned long long used; /* bytes */
    unsigned gpu_instance, compute_instance;
};

/* X(member, name of the function, its arguments). All return 0 or an error, except the last. */
#define PIT__NVML_CALLS(X)                                                                         \
    X(init, nvmlInit_v2, (void))                                                                   \
    X(find, nvmlDeviceGetHandleByPciBusId_v2, (const char *address, void **device))                \
    X(uuid, nvmlDeviceGetUUID, (void *device, char *text, unsigned room))                          \
    X(memory, nvmlDeviceGetMemoryInfo, (void *device, struct pit__nvml_memory *memory))            \
    X(use, nvmlDeviceGetUtilizationRates, (void *device, struct pit__nvml_use *use))               \
    X(power, nvmlDeviceGetPowerUsage, (void *device, unsigned *milliwatts))                        \
    X(energy, nvmlDeviceGetTotalEnergyConsumption,                                                 \
      (void *device, unsigned long long *millijoules))                                             \
    X(temperature, nvmlDeviceGetTemperature, (void *device, int sensor, unsigned *degrees))        \
    X(clock, nvmlDeviceGetClockInfo, (void *device, int kind, unsigned *megahertz))                \
    X(pcie, nvmlDeviceGetPcieThroughput, (void *device, int way, unsigned *kilobytes))             \
    X(processes, nvmlDeviceGetComputeRunningProcesses_v3,                                          \
      (void *device, unsigned *count, struct pit__nvml_process *list))

#define PIT__NVML_MEMBER(member_, name_, arguments_) int(*member_) arguments_;
struct pit__nvml {
    PIT__NVML_CALLS(PIT__NVML_MEMBER)
    const char *(*error)(int code); /* nvmlErrorString */
};

#endif
