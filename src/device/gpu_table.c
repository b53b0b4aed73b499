/* gpu_table.c: finds the GPUs of the machine. */
#include "gpu_table.h"

#include "base/file_text.h"
#include "format/ordered.h"

#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pit__gpus gpus;

/* 0000:3b:00.0 */
static int is_address(const char *name)
{
    return strlen(name) == 12 && name[4] == ':' && name[7] == ':' && name[10] == '.';
}

static int by_address(const void *a, const void *b)
{
    return strcmp(((const struct pit__gpu *)a)->address, ((const struct pit__gpu *)b)->address);
}

static void find_driver(const char *driver, enum pit__gpu_kind kind)
{
    char path[PIT__SYSFS_BYTES];
    size_t first = gpus.count;
    DIR *folder =
        pit__sysfs_path(path, sizeof path, "bus/pci/drivers/%s", driver) ? opendir(path) : NULL;
    struct dirent *entry;
    while (folder && gpus.count < PIT__GPUS && (entry = readdir(folder))) {
        if (!is_address(entry->d_name))
            continue;
        struct pit__gpu *gpu = &gpus.list[gpus.count++];
        gpu->kind = kind;
        snprintf(gpu->driver, sizeof gpu->driver, "%s", driver);
        snprintf(gpu->address, sizeof gpu->address, "%.12s", entry->d_name);
        for (int i = 0; i < PIT__GPU_FIGURES; i++)
            gpu->figures[i] = PIT__UNKNOWN;
    }
    if (folder)
        closedir(folder);
    qsort(gpus.list + first, gpus.count - first, sizeof gpus.list[0], by_address);
}

/* Keep only the GPUs in the variable: a list of numbers, in bus order. Device names (GPU-…) are not known
 * here: then all stay. */
static void keep_visible(size_t first, const char *variable)
{
    const char *text = secure_getenv(variable);
    unsigned visible = 0;
    size_t kept = first;
    if (!text || strspn(text, "0123456789, -") != strlen(text))
        return;
    for (const char *at = text; *at && *at != '-'; at += strspn(at, ", ")) {
        uint64_t number = pit__number_at(at);
        if (number < PIT__GPUS)
            visible |= 1u << number;
        at += strcspn(at, ", ");
    }
    for (size_t i = first; i < gpus.count; i++)
        if (visible >> (i - first) & 1)
            gpus.list[kept++] = gpus.list[i];
    gpus.count = kept;
}

static void find(void)
{
    find_driver("nvidia", PIT__GPU_NVIDIA);
    keep_visible(0, "CUDA_VISIBLE_DEVICES");
    size_t first = gpus.count;
    find_driver("amdgpu", PIT__GPU_AMD);
    keep_visible(first, secure_getenv("HIP_VISIBLE_DEVICES") ? "HIP_VISIBLE_DEVICES"
                                                             : "ROCR_VISIBLE_DEVICES");
    find_driver("xe", PIT__GPU_INTEL);
    find_driver("i915", PIT__GPU_INTEL);
    if (!gpus.count)
        gpus.why = "no GPU with a driver nvidia, amdgpu, xe or i915 that is visible";
}

/* A caller that comes while another thread is searching finds nothing yet. */
struct pit__gpus *pit__gpus_find(void)
{
    static struct pit__gpus none;
    static int state; /* 0: not searched, 1: a thread is searching, 2: done */
    int is_free = 0;
    if (PIT_LOAD_ACQUIRE(state) == 2)
        return &gpus;
    if (!__atomic_compare_exchange_n(&state, &is_free, 1, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return is_free == 2 ? &gpus : &none;
    find();
    PIT_STORE_ORDERED(state, 2);
    return &gpus;
}

void pit__gpu_set(struct pit__gpu *gpu, enum pit__gpu_figure figure, uint64_t value)
{
    PIT_STORE(gpu->figures[figure], value);
}

void pit__gpu_lost(struct pit__gpu *gpu, const char *format, ...)
{
    char text[PIT__GPU_WHY];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (gpu->why && strcmp(gpu->why, text) == 0)
        return;
    char *to = gpu->texts[gpu->why == gpu->texts[0]];
    memcpy(to, text, sizeof text);
    PIT_STORE_ORDERED(gpu->why, to);
}

uint64_t pit__gpus_memory(void)
{
    const struct pit__gpus *found = pit__gpus_find();
    uint64_t own = 0, used = 0, unknown_own = 0, known = 0;
    for (size_t i = 0; i < found->count; i++) {
        uint64_t mine = PIT_LOAD(found->list[i].figures[PIT__GPU_OWN_MEMORY]);
        uint64_t all = PIT_LOAD(found->list[i].figures[PIT__GPU_MEMORY]);
        unknown_own += mine == UINT64_MAX;
        own += mine == UINT64_MAX ? 0 : mine;
        known += all != UINT64_MAX;
        used += all == UINT64_MAX ? 0 : all;
    }
    return !found->count ? 0 : !unknown_own ? own : known ? used : 0;
}
