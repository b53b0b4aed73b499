/* sweep_gather.h: which figures of runs are the same work under several configurations. */
#ifndef PIT_SWEEP_GATHER_H
#define PIT_SWEEP_GATHER_H

#include "gather.h"

int pit__gather_sweep(struct pit__gathered *gathered);

/* Bytes of a name before its number and the sign between: "batch_size" of batch_size_8; 0: it has no
 * number at its end. *number points into the name. */
size_t pit__sweep_prefix(const char *name, const char **number);

#endif
