/* two_levels.h: does a series of durations have two levels, one after the other, rather than a trend?
 * Pure functions: no I/O, no runs. */
#ifndef PIT_TWO_LEVELS_H
#define PIT_TWO_LEVELS_H

#include <stddef.h>

struct pit__two_levels {
    double first;  /* the first level; NaN: there are not two */
    double times;  /* ratio of the second level to the first */
    size_t begins; /* index of the first duration of the second level */
};

/* Both levels must have a tenth of the series and leave at most 0.7 of the error of a straight line.
 * Returns 0, or -1 if memory is exhausted. */
int pit__two_levels_find(const double *durations, size_t count, struct pit__two_levels *levels);

#endif
