/* recorder_symbols.h: the recorder of this process, for libraries that are preloaded and linked with
 * none. */
#ifndef PIT_RECORDER_SYMBOLS_H
#define PIT_RECORDER_SYMBOLS_H

#include <stddef.h>

/* Where these names of pitwall.h are, all of one recorder; after the first `needed` one that it does not
 * have is NULL: an older recorder, or one that is linked into the program as far as it is used. 1: all
 * needed were found; 0: none is wanted here, or none is available. It may load libpitwall, and so
 * allocate. */
int pit__recorder_symbols(const char *const *names, void **found, size_t needed, size_t count);

#endif
