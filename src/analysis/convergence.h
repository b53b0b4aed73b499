/* convergence.h: when a value that should fall (or rise) reached its threshold. Pure functions: no I/O,
 * no runs. */
#ifndef PIT_CONVERGENCE_H
#define PIT_CONVERGENCE_H

#include <stddef.h>

struct pit__convergence {
    int reached;
    size_t epoch;      /* from 1: the first that was at the threshold or better; 0: none */
    double seconds;    /* up to the end of it; NaN: not known */
    int stayed;        /* 1: no later one was worse */
    double best, last; /* as they are, not smoothed; NaN without any */
    size_t best_epoch; /* from 1; 0: no value is a number */
};

/* `seconds` of each epoch, or NULL. smooth over 1: the mean of so many values is looked at, the
 * newest of them being the epoch's; so the first smooth - 1 epochs cannot be the one. A value that
 * is not a number is worse than any. */
struct pit__convergence pit__converge(const double *values, const double *seconds, size_t count,
                                      double threshold, int maximise, size_t smooth);

#endif
