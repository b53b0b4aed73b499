/* native_places.h: where in native code the main thread is, from samples of its instruction pointer. */
#ifndef PIT_NATIVE_PLACES_H
#define PIT_NATIVE_PLACES_H

#include "recorder.h"

struct pit__native; /* the sampler's thread's own */

/* For tests: so many samples a second instead of what the recorder was asked for; 0: as it was. */
extern double pit__native_hz;

/* Begin, if samples are asked for. NULL: there are none, and the run says why. */
struct pit__native *pit__native_begin(pit_recorder *rec);
/* Note what was sampled since the last turn. */
void pit__native_turn(struct pit__native *native, pit_recorder *rec);
/* The last turn; what waits for its name gets it. */
void pit__native_end(struct pit__native *native, pit_recorder *rec);

#endif
