/* recorder_symbols.h: the recorder of this process, for libraries that are preloaded and linked with
 * none. */
#ifndef PIT_RECORDER_SYMBOLS_H
#define PIT_RECORDER_SYMBOLS_H

#include <stddef.h>

/* Where these names of pitwall.h are, all of one recorder. 1: all were found; 0: none is wanted here, or
 * none can be had. It may load libpitwall, and so allocate. */
int pit__recorder_symbols(const char *const *names, void **found, size_t count);

#endif
