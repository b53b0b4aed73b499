/* sparkline.h: a row of numbers as a row of bars, one character each. Independent of runs. */
#ifndef PIT_SPARKLINE_H
#define PIT_SPARKLINE_H

#include "text.h"

/* Add a bar for each stretch of the numbers to `text`, at most `columns` bars; a bar shows the
 * largest number of its stretch. low and high are the heights of the lowest and the highest bar.
 * A stretch without a finite number is a space. */
void pit__sparkline(struct pit__text *text, const double *numbers, size_t count, size_t columns,
                    double low, double high, int ascii);

#endif
