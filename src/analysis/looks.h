/* looks.h: when a race is judged while it still goes on, and what each look may spend of the level.
 *
 * Stopping at the first verdict wherever it comes finds differences that are not there. So the runs are
 * looked at after these numbers of pairs only, and each look has an equal share of the level: the chance
 * of a false alarm at any of them is at most the level. The last look of a race takes what is left. Pure;
 * knows nothing of runs. */
#ifndef PIT_LOOKS_H
#define PIT_LOOKS_H

#include <stddef.h>

#define PIT__LOOK_PAIRS 10, 20, 40, 80, 160, 320

extern const size_t pit__looks[];
extern const size_t pit__look_count;

/* Pairs at the next look after `pairs`; 0: there is none. */
size_t pit__next_look(size_t pairs);
/* Is there a look at `pairs`? */
int pit__is_look(size_t pairs);

/* What the look at `pairs` may spend, the looks before it having spent their shares: its share, or all
 * that is left if it is the last. */
double pit__look_level(size_t pairs, int is_last, double level);

#endif
