/* stack_event.h: the kernel's event that samples where in its code a thread is.
 *
 * A software clock of the thread's processor time in user space. No signal reaches the program, and every
 * user may use it for their own processes with perf_event_paranoid 2, the kernel's default. */
#ifndef PIT_STACK_EVENT_H
#define PIT_STACK_EVENT_H

#include <sys/types.h>

#define PIT__STACK_WORDS 512u /* copied with a sample at most */

/* The registers that are copied too, by the kernel's numbers: on x86-64 the base and the stack pointer. */
#define PIT__STACK_REGISTERS ((1u << 6) | (1u << 7))

/* Words of the stack that are copied with each sample at this rate: few if samples are many, because the ring
 * is small. */
unsigned pit__stack_event_words(double hz);

/* Open the event for a thread of this process and start it. Returns a descriptor in the calling thread's
 * table, to be closed by a bare system call, or minus an errno. */
int pit__stack_event_open(pid_t thread, double hz);

/* The reason behind such an errno, and what to do about it. */
const char *pit__stack_event_reason(int error);
const char *pit__stack_event_remedy(int error);

#endif
