/* native_places.h: where in native code the main thread is, from samples of its instruction pointer. */
#ifndef PIT_NATIVE_PLACES_H
#define PIT_NATIVE_PLACES_H

#include "recorder.h"

struct pit__native; /* the sampler's thread's own */

/* For tests: samples per second, instead of the recorder's setting; 0: use the setting. */
extern double pit__native_hz;

/* Begin sampling if it is enabled. NULL: there are no samples, and the run has the reason. */
struct pit__native *pit__native_begin(pit_recorder *rec);
/* Note the samples taken since the last call. */
void pit__native_turn(struct pit__native *native, pit_recorder *rec);
/* The last call; looks up the names that are still missing. */
void pit__native_end(struct pit__native *native, pit_recorder *rec);

#endif
