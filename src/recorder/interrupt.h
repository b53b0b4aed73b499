/* Signals that arrive while the recorder is at work, and handlers that never return into it.
 *
 * A handler may call any function. It does not touch state that the interrupted call on its own thread
 * left half done, and never waits for it; such calls are counted. A handler that jumps away (siglongjmp)
 * leaves that state half done for good: the thread's next span repairs it, once the stack shows that
 * the interrupted code is gone. Code whose state cannot be repaired blocks signals while it runs:
 * pit__signals_off.
 */
#ifndef PIT_INTERRUPT_H
#define PIT_INTERRUPT_H

#include "format/ordered.h"

#include <stddef.h>
#include <stdint.h>

/* Not 0 while this thread is in a rare path of any recorder, and may hold a lock that all share: a
 * signal handler's span is then counted and not recorded, whichever recorder it is for. The value is the
 * stack address of the outermost such call. */
extern __thread uintptr_t pit__inside
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Identifies this thread among the living ones, in 31 bits, never 0. (Two threads whose memory is 32 GB
 * apart get the same value: a lock held by one is then refused to the other, and counted.) */
static inline uint32_t pit__thread_self(void)
{
    return (uint32_t)((uintptr_t)&pit__inside >> 4 & 0x7fffffffu) | 1u;
}

/* The stack address of the calling function. */
static inline __attribute__((always_inline)) uintptr_t pit__stack_here(void)
{
    uintptr_t here;
#if defined(__x86_64__)
    __asm__ volatile("movq %%rsp, %0" : "=r"(here));
#elif defined(__aarch64__)
    __asm__ volatile("mov %0, sp" : "=r"(here));
#else
    here = (uintptr_t)__builtin_frame_address(0);
#endif
    return here;
}

/* From here on this thread is inside the recorder; pass the result to pit__leave. */
static inline __attribute__((always_inline)) uintptr_t pit__enter(void)
{
    uintptr_t outer = PIT_LOAD(pit__inside);
    if (!outer)
        PIT_STORE(pit__inside, pit__stack_here());
    PIT_SIGNAL_FENCE();
    return outer;
}

static inline void pit__leave(uintptr_t outer)
{
    PIT_SIGNAL_FENCE();
    PIT_STORE(pit__inside, outer);
}

/* From here on, until as many calls of pit__signals_on, no signal reaches this thread and it cannot be
 * cancelled. Signals raised by an instruction (SIGSEGV, SIGBUS, …) are not blocked: blocked, they
 * would kill the process. Two system calls for the outermost pair. */
void pit__signals_off(void);
void pit__signals_on(void);
/* The code that blocked them is gone; the jump restored the former signal mask. */
void pit__signals_forget(void);
/* The cancel state that the outermost pit__signals_on restores. */
void pit__cancel_was(int state);

/* From here on, what this thread holds is released when it ends, even if it has no table: thread_table.c. */
void pit__note_thread(void);

/* Is the code at this stack address of the thread gone? 0 if it may still be there. */
int pit__is_gone(uintptr_t at);

/* Has the calling thread's stack at least `wanted` bytes left? */
enum pit__room { PIT__ROOM, PIT__SHORT, PIT__SHORT_IN_HANDLER };
enum pit__room pit__stack_room(size_t wanted);

/* Call work(arg) on a stack that is large enough: on another thread if this one's is too small. 0: not
 * possible, because no thread may be started: in a handler on an alternate stack, and in the child of a raw
 * clone, where another thread may hold libc's locks forever. */
int pit__with_room(void (*work)(void *), void *arg);

#endif
