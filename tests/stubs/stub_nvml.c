/* A stand-in for NVIDIA's libnvidia-ml.so.1, built by test_gpu_channels.py: no GPU is behind it. Its
 * answers are files in the folder STUB_NVML, which the test writes:
 *
 *   used, total, busy, power, energy, own   figures, as NVML has them
 *   none   no device is shown;  fail   every reading fails with this code;  hang   readings do not return
 *          while the file is there */
#include "device/nvml_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static int has(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", getenv("STUB_NVML"), name);
    return access(path, F_OK) == 0;
}

static unsigned long long figure(const char *name, unsigned long long otherwise)
{
    char path[512];
    unsigned long long value;
    snprintf(path, sizeof path, "%s/%s", getenv("STUB_NVML"), name);
    FILE *file = fopen(path, "re");
    int is_read = file && fscanf(file, "%llu", &value) == 1;
    if (file)
        fclose(file);
    return is_read ? value : otherwise;
}

/* The error that every reading returns, if any. */
static int trouble(void)
{
    struct timespec pause = {0, 1000000};
    while (has("hang"))
        nanosleep(&pause, NULL);
    return (int)figure("fail", 0);
}

int nvmlInit_v2(void)
{
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device)
{
    static char devices[2];
    *device = &devices[address[6] == 'c'];
    return has("none") ? 6 : 0;
}

int nvmlDeviceGetUUID(void *device, char *text, unsigned room)
{
    (void)device;
    snprintf(text, room, "GPU-aaaa-bbbb");
    return 0;
}

int nvmlDeviceGetMemoryInfo(void *device, struct pit__nvml_memory *memory)
{
    (void)device;
    memory->used = figure("used", 1ull << 30);
    memory->total = figure("total", 8ull << 30);
    memory->free = memory->total - memory->used;
    return trouble();
}

int nvmlDeviceGetUtilizationRates(void *device, struct pit__nvml_use *use)
{
    (void)device;
    use->gpu = (unsigned)figure("busy", 50);
    use->memory = 10;
    return trouble();
}

int nvmlDeviceGetPowerUsage(void *device, unsigned *milliwatts)
{
    (void)device;
    *milliwatts = (unsigned)figure("power", 250000);
    return trouble();
}

int nvmlDeviceGetTotalEnergyConsumption(void *device, unsigned long long *millijoules)
{
    (void)device;
    *millijoules = figure("energy", 1000);
    return has("no_energy") ? PIT__NVML_NOT_SUPPORTED : trouble();
}

int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degrees)
{
    (void)device;
    (void)sensor;
    *degrees = 61;
    return trouble();
}

int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *megahertz)
{
    (void)device;
    *megahertz = kind == PIT__NVML_CLOCK_MEM ? 5000 : 1410;
    return trouble();
}

int nvmlDeviceGetPcieThroughput(void *device, int way, unsigned *kilobytes)
{
    (void)device;
    *kilobytes = way == PIT__NVML_PCIE_TX ? 100 : 200;
    return trouble();
}

int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count,
                                            struct pit__nvml_process *list)
{
    (void)device;
    *count = 1;
    list[0] = (struct pit__nvml_process){(unsigned)getpid(), figure("own", 1ull << 29), ~0u, ~0u};
    return has("own") ? trouble() : PIT__NVML_NOT_SUPPORTED;
}

const char *nvmlErrorString(int code)
{
    return code == 15 ? "GPU is lost" : "an error of the stub";
}
