/* run_stopped.h: time in which a whole program was stopped from outside: by a stop signal, a debugger, a paused
 * container or machine. */
#ifndef PIT_RUN_STOPPED_H
#define PIT_RUN_STOPPED_H

#include "pitwall_report.h"

/* Estimated share of the sampled time. While a program is stopped its sampler reads nothing, and its main
 * thread neither runs nor is ready to run. Only said of a program whose main thread works otherwise: if it
 * waits, a late sampler cannot be told from a stop. NaN: not known. */
double pit__stopped_share(const pit_run *run);

#endif
