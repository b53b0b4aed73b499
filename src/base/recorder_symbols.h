/* recorder_symbols.h: finds the recorder of this process, for preloaded libraries that are not linked with
 * one. */
#ifndef PIT_RECORDER_SYMBOLS_H
#define PIT_RECORDER_SYMBOLS_H

#include <stddef.h>

/* Find the addresses of these names of pitwall.h, all in one recorder. The first `needed` names are
 * required; others may stay NULL, in an older recorder or one that is linked statically. Returns 1 if all
 * required names were found; 0 if recording is off or there is no recorder. May load libpitwall, and so
 * allocate. */
int pit__recorder_symbols(const char *const *names, void **found, size_t needed, size_t count);

#endif
