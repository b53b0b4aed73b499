/* looks.h: interim tests of a running race, and the part of the significance level that each may use.
 *
 * Testing after every pair and stopping at the first verdict finds differences that do not exist. So a race
 * is tested only after these numbers of pairs, and each test gets an equal share of the level: the chance of
 * a false alarm in any of them is at most the level. The last test of a race gets the rest. Pure functions:
 * no I/O, no runs. */
#ifndef PIT_LOOKS_H
#define PIT_LOOKS_H

#include <stddef.h>

#define PIT__LOOK_PAIRS 10, 20, 40, 80, 160, 320

extern const size_t pit__looks[];
extern const size_t pit__look_count;

/* Number of pairs at the next interim test after `pairs`; 0 if there is none. */
size_t pit__next_look(size_t pairs);
/* Is there an interim test at `pairs`? */
int pit__is_look(size_t pairs);

/* The level that the test at `pairs` may use, after the earlier tests used their shares: its own share, or
 * the rest if it is the last. */
double pit__look_level(size_t pairs, int is_last, double level);

#endif
