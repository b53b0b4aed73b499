/* A stand-in for AMD's librocm_smi64.so, built by test_gpu_channels.py: no GPU is behind it. Its answers
 * are files in the folder STUB_ROCM, which the test writes:
 *
 *   energy   counter, of 15.3 microjoules each;  own   bytes of the process
 *   none   no device is shown;  no_init   it cannot be used;  fail   every reading fails with this code
 *   hang   readings do not return while the file is there */
#include "device/rocm_api.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static uint64_t figure(const char *name, uint64_t otherwise)
{
    char path[512];
    unsigned long long value;
    snprintf(path, sizeof path, "%s/%s", getenv("STUB_ROCM"), name);
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
    while (figure("hang", 0))
        nanosleep(&pause, NULL);
    return (int)figure("fail", 0);
}

int rsmi_init(uint64_t flags)
{
    (void)flags;
    return (int)figure("no_init", 0);
}

int rsmi_num_monitor_devices(uint32_t *count)
{
    *count = figure("none", 0) ? 0 : 2;
    return 0;
}

int rsmi_dev_pci_id_get(uint32_t number, uint64_t *id)
{
    *id = number == 1 ? 0x0300 : 0x4300; /* 0000:03:00.0 and 0000:43:00.0 */
    return 0;
}

int rsmi_dev_energy_count_get(uint32_t number, uint64_t *count, float *resolution, uint64_t *when)
{
    *count = figure("energy", 1000000) * (number == 1);
    *resolution = 15.3f;
    *when = 0;
    return trouble();
}

int rsmi_compute_process_info_by_device_get(uint32_t pid, uint32_t number,
                                            struct pit__rocm_process *process)
{
    process->id = pid;
    process->memory = figure("own", 1u << 29) * (number == 1);
    return trouble();
}
