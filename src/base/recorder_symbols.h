/* recorder_symbols.h: finds the recorder of this process, for preloaded libraries that are not linked with
 * one. */
#ifndef PIT_RECORDER_SYMBOLS_H
#define PIT_RECORDER_SYMBOLS_H

#include <stddef.h>

/* The addresses of these names of pitwall.h, all from one recorder. After the first `needed` ones, a name that
 * it does not have is NULL: an older recorder, or one linked statically only as far as it is used. 1: all
 * needed names were found; 0: recording is off here, or there is no recorder. It may load libpitwall, and
 * so allocate. */
int pit__recorder_symbols(const char *const *names, void **found, size_t needed, size_t count);

#endif
