/* rocm_gpu.c: figures that AMD's librocm_smi64.so adds to the files of the driver: the energy counter, and
 * the memory of this process. Runs only on the thread of gpu_thread.c. */
#include "gpu_table.h"
#include "rocm_api.h"

#include "base/file_text.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NO_NUMBER UINT32_MAX

static struct pit__rocm rocm;
static int state; /* 0: not tried, 1: ready, -1: it cannot be used */

#define CALL(member_, what_, ...)                                                                  \
    (pit__gpu_calls(what_), code = rocm.member_(__VA_ARGS__), pit__gpu_returned(),                 \
     code == PIT__ROCM_SUCCESS)

static void load(void)
{
    static const char *const names[] = {"librocm_smi64.so", "librocm_smi64.so.1",
                                        "librocm_smi64.so.7", "librocm_smi64.so.6",
                                        "librocm_smi64.so.5"};
    void *library = NULL;
    int code;
    state = -1;
    pit__gpu_calls("dlopen of librocm_smi64.so");
    for (size_t i = 0; !library && i < sizeof names / sizeof names[0]; i++)
        library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
    pit__gpu_returned();
    if (!library)
        return;
#define TAKE(member_, name_, arguments_) *(void **)&rocm.member_ = dlsym(library, #name_);
    PIT__ROCM_CALLS(TAKE)
#undef TAKE
    if (rocm.init && rocm.count && rocm.pci_id && rocm.energy && CALL(init, "rsmi_init", 0))
        state = 1;
}

/* 0000:3b:00.0 as the library has it: domain, bus, device, function. */
static uint64_t id_of(const char *address)
{
    unsigned domain = 0, bus = 0, device = 0, function = 0;
    if (sscanf(address, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4)
        return UINT64_MAX;
    return (uint64_t)domain << 32 | (uint64_t)bus << 8 | device << 3 | function;
}

static void find(struct pit__gpu *gpu)
{
    uint32_t count = 0;
    uint64_t wanted = id_of(gpu->address), id;
    int code;
    gpu->number = NO_NUMBER;
    gpu->handle = gpu; /* marks that the search was done */
    if (!CALL(count, "rsmi_num_monitor_devices", &count))
        return;
    for (uint32_t i = 0; i < count; i++)
        if (CALL(pci_id, "rsmi_dev_pci_id_get", i, &id) && (id & 0xffffffff0000ffffu) == wanted)
            gpu->number = i;
}

static void read_gpu(struct pit__gpu *gpu, uint64_t turn)
{
    uint64_t count, when;
    float resolution;
    struct pit__rocm_process process;
    int code;
    int is_energy =
        CALL(energy, "rsmi_dev_energy_count_get", gpu->number, &count, &resolution, &when);
    if (is_energy || gpu->has_counter)
        pit__gpu_set(gpu, PIT__GPU_ENERGY,
                     is_energy ? (uint64_t)((double)count * (double)resolution) : PIT__UNKNOWN);
    gpu->has_counter |= is_energy;
    if (!PIT__GPU_IS_SLOW_TURN(turn) || !rocm.own)
        return;
    memset(&process, 0, sizeof process);
    int is_read = CALL(own, "rsmi_compute_process_info_by_device_get", (uint32_t)getpid(),
                       gpu->number, &process);
    pit__gpu_set(gpu, PIT__GPU_OWN_MEMORY, is_read ? process.memory : PIT__UNKNOWN);
}

void pit__rocm_turn(struct pit__gpus *gpus, uint64_t turn)
{
    for (size_t i = 0; i < gpus->count; i++) {
        struct pit__gpu *gpu = &gpus->list[i];
        if (gpu->kind != PIT__GPU_AMD)
            continue;
        if (state == 0)
            load();
        if (state < 0)
            return;
        if (!gpu->handle)
            find(gpu);
        if (gpu->number != NO_NUMBER)
            read_gpu(gpu, turn);
    }
}
