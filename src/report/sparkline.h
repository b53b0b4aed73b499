/* sparkline.h: a row of numbers as a row of bars, one character each. Knows nothing of runs. */
#ifndef PIT_SPARKLINE_H
#define PIT_SPARKLINE_H

#include "text.h"

/* Add a bar for each stretch of the numbers to `text`, at most `columns` of them: of a stretch the
 * largest counts. low and high are the heights of the lowest and the highest bar. Where a stretch
 * has no finite number there is a space. */
void pit__sparkline(struct pit__text *text, const double *numbers, size_t count, size_t columns,
                    double low, double high, int ascii);

#endif
