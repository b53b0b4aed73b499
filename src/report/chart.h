/* chart.h: a small chart for a terminal. Independent of runs. */
#ifndef PIT_CHART_H
#define PIT_CHART_H

#include <stddef.h>
#include <stdio.h>

/* Points (x, y) and a line (x, fit) over two logarithmic axes; all over 0, x ascending. Draws
 * nothing for fewer than 2 points. width: columns, 0: 72. */
void pit__chart_print(FILE *out, const double *x, const double *y, const double *fit, size_t count,
                      int width, int ascii);

#endif
