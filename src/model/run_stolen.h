/* run_stolen.h: time that the host of a virtual machine took from a run. */
#ifndef PIT_RUN_STOLEN_H
#define PIT_RUN_STOLEN_H

#include "pitwall_report.h"

/* Estimated nanoseconds that the host took from the main thread between two readings, which are `passed_ns`
 * apart. The kernel counts stolen time for the machine only: the thread's part is its processor time, times
 * the ratio of stolen to used time. Never more than the time in which it neither ran nor was ready to run.
 * NaN: not known. */
double pit__stolen_between(const pit_run *run, const pit_sample *from, const pit_sample *to,
                           double passed_ns);
/* The same over all readings, as a share of their time. */
double pit__stolen_share(const pit_run *run);

#endif
