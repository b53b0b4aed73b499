/* together.h: do two parts of an iteration become longer and shorter together? The input of an iteration
 * makes both longer; losing the processor hits only one of them at a time. Pure functions: no I/O, no
 * runs. */
#ifndef PIT_TOGETHER_H
#define PIT_TOGETHER_H

#include <stddef.h>

/* How many times longer each part is in the third of the iterations in which the other is longest than in
 * the third in which it is shortest, by medians; the smaller of both ratios. A ratio that the previous or
 * next iteration also shows is a slow period of the run and is divided out. NaN below 30 iterations, or if
 * a part has no duration. Returns 0, or -1 if memory is exhausted. */
int pit__together_find(const double *first, const double *second, size_t count, double *times);

#endif
