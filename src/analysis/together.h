/* together.h: do two parts of an iteration become longer and shorter together? The input of an iteration
 * makes both longer; losing the processor hits only one of them at a time. Pure functions: no I/O, no
 * runs. */
#ifndef PIT_TOGETHER_H
#define PIT_TOGETHER_H

#include <stddef.h>

/* How many times as long each of the two is in the third of the iterations in which the other is longest as
 * in the third in which it is shortest, by medians; of both ways the smaller. What the iteration before or
 * after says as well is a stretch of the run and is divided out. NaN below 30 iterations, or where a part
 * has no duration. 0, or -1 without memory. */
int pit__together_find(const double *first, const double *second, size_t count, double *times);

#endif
