/* losses.h: losses of threads and runs, added up. */
#ifndef PIT_LOSSES_H
#define PIT_LOSSES_H

#include "pitwall_report.h"

/* pit_losses has only counters, so a new member needs no change here. */
static inline void pit__losses_add(pit_losses *to, const pit_losses *from)
{
    uint64_t *sums = (uint64_t *)(void *)to;
    const uint64_t *counts = (const uint64_t *)(const void *)from;
    _Static_assert(sizeof(pit_losses) % sizeof(uint64_t) == 0, "counts alone");
    for (size_t i = 0; i < sizeof *to / sizeof *sums; i++)
        sums[i] += counts[i];
}

#endif
