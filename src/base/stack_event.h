/* stack_event.h: the kernel's event that samples where in its code a thread is.
 *
 * A software clock of the thread's own processor time, user space alone: no signal reaches the program,
 * and perf_event_paranoid 2, the kernel's default, allows it to every user for their own processes.
 */
#ifndef PIT_STACK_EVENT_H
#define PIT_STACK_EVENT_H

#include <sys/types.h>

/* Open the event for a thread of this process, counting; returns a descriptor of the calling thread's table,
 * to be closed by a bare system call, or minus an errno. */
int pit__stack_event_open(pid_t thread, double hz);

/* For such an errno: why there is no event, and what helps, in plain words. */
const char *pit__stack_event_reason(int error);
const char *pit__stack_event_remedy(int error);

#endif
