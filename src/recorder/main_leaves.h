/* main_leaves.h: ends a process whose main thread has ended with pthread_exit. */
#ifndef PIT_MAIN_LEAVES_H
#define PIT_MAIN_LEAVES_H

#include "recorder.h"

/* Notice the end of the main thread, if it is the caller. */
void pit__watch_main(void);

/* Call this where a thread of the library has been started that lives as long as a recorder. Returns 0 if it
 * would keep the process from ending. */
int pit__main_may_leave(void);

/* Stop the samplers of all recorders, which go on without. */
void pit__samplers_stop(void);

#endif
