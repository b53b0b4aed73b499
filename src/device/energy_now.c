/* See energy_now.h. */
#include "energy_now.h"

#include "gpu_table.h"
#include "rapl_domains.h"

#include "base/file_text.h"
#include "format/ordered.h"

#define READINGS 20u

static void add(struct pit__energy_now *now, enum pit__energy_class of, size_t counter,
                uint64_t microjoules)
{
    if (microjoules == PIT__UNKNOWN)
        return;
    now->microjoules[of] += microjoules;
    now->counters[of] |= (uint64_t)1 << counter;
}

struct pit__energy_now pit__energy_read(void)
{
    struct pit__energy_now now = {{0}, {0}};
    struct pit__rapl *rapl = pit__rapl_find();
    for (size_t i = 0; i < rapl->count; i++)
        add(&now, PIT__PROCESSORS, i, pit__rapl_read(&rapl->domains[i]));
    struct pit__gpus *gpus = pit__gpus_find();
    for (size_t i = 0; i < gpus->count; i++)
        add(&now, PIT__DEVICES, i, PIT_LOAD(gpus->list[i].figures[PIT__GPU_ENERGY]));
    return now;
}

uint64_t pit__energy_least_ns(enum pit__energy_class of)
{
    return (uint64_t)READINGS * (of == PIT__DEVICES ? PIT__GPU_UPDATE_NS : PIT__RAPL_UPDATE_NS);
}
