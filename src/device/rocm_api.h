/* rocm_api.h: the part of AMD's library librocm_smi64.so that we use, declared here so that the build needs no
 * header of it. tests/system/test_device_headers.py compares each line with AMD's rocm_smi.h. */
#ifndef PIT_ROCM_API_H
#define PIT_ROCM_API_H

#include <stdint.h>

#define PIT__ROCM_SUCCESS 0

/* The first members; newer libraries append others. */
struct pit__rocm_process {
    uint32_t id, address_space;
    uint64_t memory, transfers;
    char room[104];
};

/* X(member, name of the function, its arguments). All return 0 or an error. The last is missing in ROCm
 * 5.2 and before. */
#define PIT__ROCM_CALLS(X)                                                                         \
    X(init, rsmi_init, (uint64_t flags))                                                           \
    X(count, rsmi_num_monitor_devices, (uint32_t * count))                                         \
    X(pci_id, rsmi_dev_pci_id_get, (uint32_t number, uint64_t * id))                               \
    X(energy, rsmi_dev_energy_count_get,                                                           \
      (uint32_t number, uint64_t * count, float *resolution, uint64_t *when))                      \
    X(own, rsmi_compute_process_info_by_device_get,                                                \
      (uint32_t pid, uint32_t number, struct pit__rocm_process * process))

#define PIT__ROCM_MEMBER(member_, name_, arguments_) int(*member_) arguments_;
struct pit__rocm {
    PIT__ROCM_CALLS(PIT__ROCM_MEMBER)
};

#endif
