/* Signals that come while the recorder is at work, and handlers that never return into it.
 *
 * A handler may call anything. What it finds half done on its own thread it leaves alone, and that is
 * counted; it never waits for what it interrupted. A handler that does not return, because it jumps
 * away (siglongjmp), leaves that half done for good: the thread's next span puts it right, once the
 * stack says that the interrupted code is gone. Where something could not be put right, signals are
 * held back for as long as it takes: pit__signals_off.
 */
#ifndef PIT_INTERRUPT_H
#define PIT_INTERRUPT_H

#include "format/ordered.h"

#include <stddef.h>
#include <stdint.h>

/* Not 0 while this thread is in a rare path of any recorder, and may hold a lock that all share: a
 * signal handler's span is then counted and not recorded, whichever recorder it is for. It says where on
 * the stack the outermost of them stands. */
extern __thread uintptr_t pit__inside
    __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* Tells this thread from the others that live, in 31 bits, never 0. (Two whose memory lies 32 GB apart
 * would be told for one: a lock that one holds would then be refused to the other, and counted.) */
static inline uint32_t pit__thread_self(void)
{
    return (uint32_t)((uintptr_t)&pit__inside >> 4 & 0x7fffffffu) | 1u;
}

/* Where on the stack the calling function stands. */
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

/* From here on this thread is inside the recorder; to be given back to pit__leave. */
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
 * cancelled. Signals that an instruction raises (SIGSEGV, SIGBUS, …) stay as they are: held back they
 * would kill. Two system calls for the outermost pair. */
void pit__signals_off(void);
void pit__signals_on(void);
/* Those who held them back are gone; whoever jumped away took the set of before. */
void pit__signals_forget(void);
/* What the thread's cancel state is to be again at the outermost pit__signals_on. */
void pit__cancel_was(int state);

/* Is the code that stood at this place of the thread's stack gone? 0 where it may be there still. */
int pit__is_gone(uintptr_t at);

/* Bytes that the calling thread's stack has left: at least `wanted`? */
enum pit__room { PIT__ROOM, PIT__SHORT, PIT__SHORT_IN_HANDLER };
enum pit__room pit__stack_room(size_t wanted);

/* Call work(arg), on a stack that is long enough: another thread's, where this one's is short. 0: that
 * could not be had, because a handler on a stack of its own may not start a thread. */
int pit__with_room(void (*work)(void *), void *arg);

#endif
