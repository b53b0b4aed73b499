/* run_stop.h: stop when the program of `pitwall run` stops, and continue when it continues. */
#ifndef PIT_RUN_STOP_H
#define PIT_RUN_STOP_H

#include <sys/types.h>

/* The signal that has stopped the child; 0 if it is not stopped. */
int run_stopped_by(pid_t child);

/* Stop by the same signal as the child. Returns when we were continued, or when the child was continued
 * or ended; the child runs again then. Does nothing where we cannot be stopped, as process 1. */
void run_stop_with(pid_t child, int signal_number);

#endif
