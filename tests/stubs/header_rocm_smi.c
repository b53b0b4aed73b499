/* Checks our declarations of ROCm SMI (src/device/rocm_api.h) against AMD's rocm_smi.h: compiled, never
 * run. */
#include "device/rocm_api.h"

#include <rocm_smi/rocm_smi.h>

#include <stddef.h>

_Static_assert((int)PIT__ROCM_SUCCESS == (int)RSMI_STATUS_SUCCESS, "success");
_Static_assert(sizeof(rsmi_status_t) == sizeof(int), "return");
_Static_assert(sizeof(struct pit__rocm_process) >= sizeof(rsmi_process_info_t), "room");
#define SAME(a_, b_)                                                                               \
    _Static_assert(offsetof(struct pit__rocm_process, a_) == offsetof(rsmi_process_info_t, b_),    \
                   #b_);                                                                           \
    _Static_assert(                                                                                \
        sizeof((struct pit__rocm_process){0}.a_) == sizeof((rsmi_process_info_t){0}.b_), #b_)
SAME(id, process_id);
SAME(address_space, pasid);
SAME(memory, vram_usage);
SAME(transfers, sdma_usage);

/* Each function has AMD's type. The last of ours is not in the headers of every version. */
#define IS(name_, type_)                                                                           \
    _Static_assert(__builtin_types_compatible_p(__typeof__(&name_), rsmi_status_t(*) type_), #name_)
IS(rsmi_init, (uint64_t));
IS(rsmi_num_monitor_devices, (uint32_t *));
IS(rsmi_dev_pci_id_get, (uint32_t, uint64_t *));
IS(rsmi_dev_energy_count_get, (uint32_t, uint64_t *, float *, uint64_t *));
