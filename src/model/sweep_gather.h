/* sweep_gather.h: finds figures of the same work under several configurations. */
#ifndef PIT_SWEEP_GATHER_H
#define PIT_SWEEP_GATHER_H

#include "gather.h"

int pit__gather_sweep(struct pit__gathered *gathered);

/* Length of a name before its number and the separator: 10 for "batch_size_8"; 0 if it does not end in a
 * number. *number points into the name. */
size_t pit__sweep_prefix(const char *name, const char **number);

#endif
