/* convergence.h: when a value that should fall (or rise) reached its threshold. Pure functions: no I/O,
 * no runs. */
#ifndef PIT_CONVERGENCE_H
#define PIT_CONVERGENCE_H

#include <stddef.h>

struct pit__convergence {
    int reached;
    size_t epoch;      /* from 1: the first at the threshold or better; 0: none */
    double seconds;    /* up to its end; NaN: not known */
    int stayed;        /* 1: no later one was worse */
    double best, last; /* not smoothed; NaN if there are none */
    size_t best_epoch; /* from 1; 0: no value is a number */
};

/* `seconds`: duration of each epoch, or NULL. smooth: if over 1, the mean of this many values is used, up
 * to the epoch's own; so the first smooth - 1 epochs cannot be found. NaN is worse than any number. */
struct pit__convergence pit__converge(const double *values, const double *seconds, size_t count,
                                      double threshold, int maximise, size_t smooth);

#endif
