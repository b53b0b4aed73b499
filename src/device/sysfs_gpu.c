/* sysfs_gpu.c: GPUs of AMD and Intel, by the files of their drivers. Runs only on the thread of
 * gpu_thread.c: while a driver resets its GPU, readers wait. */
#include "gpu_table.h"

#include "base/clock_ns.h"
#include "base/file_text.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* The first of the files that can be read, times a factor. */
struct file {
    enum pit__gpu_figure figure;
    const char *names[3];
    uint64_t multiply, divide;
    int is_slow, in_hwmon;
};

static const struct file amd_files[] = {
    {PIT__GPU_BUSY, {"gpu_busy_percent"}, 1, 1, 0, 0},
    {PIT__GPU_MEMORY, {"mem_info_vram_used"}, 1, 1, 0, 0},
    {PIT__GPU_MEMORY_TOTAL, {"mem_info_vram_total"}, 1, 1, 1, 0},
    {PIT__GPU_POWER, {"power1_average", "power1_input"}, 1, 1000, 0, 1},
    {PIT__GPU_TEMPERATURE, {"temp1_input"}, 1, 1, 1, 1},
    {PIT__GPU_CLOCK, {"freq1_input"}, 1, 1, 1, 1},
    {PIT__GPU_MEMORY_CLOCK, {"freq2_input"}, 1, 1, 1, 1},
    {PIT__GPU_ENERGY, {"energy1_input"}, 1, 1, 0, 1},
};

static const struct file intel_files[] = {
    {PIT__GPU_TEMPERATURE, {"temp1_input", "temp2_input"}, 1, 1, 1, 1},
    {PIT__GPU_CLOCK,
     {"tile0/gt0/freq0/act_freq", "drm/card0/gt_act_freq_mhz", "drm/card1/gt_act_freq_mhz"},
     1000000,
     1,
     1,
     0},
    {PIT__GPU_ENERGY, {"energy1_input"}, 1, 1, 0, 1},
};

/* hwmon/hwmon3: the number is the kernel's. */
static void find_hwmon(struct pit__gpu *gpu)
{
    char path[PIT__SYSFS_BYTES];
    gpu->is_ready = 1;
    DIR *folder =
        pit__sysfs_path(path, sizeof path, "bus/pci/drivers/%s/%s/hwmon", gpu->driver, gpu->address)
            ? opendir(path)
            : NULL;
    struct dirent *entry;
    while (folder && (entry = readdir(folder)))
        if (strncmp(entry->d_name, "hwmon", 5) == 0)
            snprintf(gpu->hwmon, sizeof gpu->hwmon, "%.15s", entry->d_name);
    if (folder)
        closedir(folder);
}

static uint64_t read_file(const struct pit__gpu *gpu, const struct file *file)
{
    char path[PIT__SYSFS_BYTES];
    uint64_t value = PIT__UNKNOWN;
    if (file->in_hwmon && !*gpu->hwmon)
        return PIT__UNKNOWN;
    for (int i = 0; i < 3 && file->names[i] && value == PIT__UNKNOWN; i++)
        if (pit__sysfs_path(path, sizeof path, "bus/pci/drivers/%s/%s/%s%s%s%s", gpu->driver,
                            gpu->address, file->in_hwmon ? "hwmon/" : "",
                            file->in_hwmon ? gpu->hwmon : "", file->in_hwmon ? "/" : "",
                            file->names[i]))
            value = pit__number_in(path);
    return value == PIT__UNKNOWN ? value : value * file->multiply / file->divide;
}

/* Intel's drivers have an energy counter and no power: compute it from the difference and the time. */
static void set_power(struct pit__gpu *gpu, uint64_t energy_before)
{
    uint64_t now = pit__clock_ns(CLOCK_MONOTONIC), energy = gpu->figures[PIT__GPU_ENERGY];
    uint64_t time = now - gpu->energy_at_ns;
    int is_known = energy != PIT__UNKNOWN && energy_before != PIT__UNKNOWN &&
                   energy >= energy_before && gpu->energy_at_ns && time > 0;
    if (is_known) /* microjoules per nanosecond are kilowatts */
        pit__gpu_set(gpu, PIT__GPU_POWER,
                     (uint64_t)((double)(energy - energy_before) * 1e6 / (double)time));
    gpu->energy_at_ns = now;
}

static void read_gpu(struct pit__gpu *gpu, const struct file *files, size_t count, uint64_t turn)
{
    uint64_t energy = gpu->figures[PIT__GPU_ENERGY];
    size_t known = 0;
    if (!gpu->is_ready)
        find_hwmon(gpu);
    pit__gpu_calls("reading files of the driver");
    for (size_t i = 0; i < count; i++) {
        int is_taken = files[i].figure == PIT__GPU_ENERGY && gpu->has_counter;
        if (!is_taken && (!files[i].is_slow || PIT__GPU_IS_SLOW_TURN(turn)))
            pit__gpu_set(gpu, files[i].figure, read_file(gpu, &files[i]));
        known += gpu->figures[files[i].figure] != PIT__UNKNOWN;
    }
    pit__gpu_returned();
    if (gpu->kind == PIT__GPU_INTEL)
        set_power(gpu, energy);
    if (!known)
        pit__gpu_lost(gpu, "no file of the driver %s can be read", gpu->driver);
}

void pit__sysfs_gpu_turn(struct pit__gpus *gpus, uint64_t turn)
{
    for (size_t i = 0; i < gpus->count; i++)
        if (gpus->list[i].kind == PIT__GPU_AMD)
            read_gpu(&gpus->list[i], amd_files, sizeof amd_files / sizeof amd_files[0], turn);
        else if (gpus->list[i].kind == PIT__GPU_INTEL)
            read_gpu(&gpus->list[i], intel_files, sizeof intel_files / sizeof intel_files[0], turn);
}
