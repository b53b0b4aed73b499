/* steps.h: stop a call after any of its instructions, by the processor's trap flag: a signal handler then
 * interrupts it there, and nothing is left to chance. */
#ifndef PIT_STEPS_H
#define PIT_STEPS_H

/* The thread sanitizer delays signals; other processors single-step differently. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define HAS_STEPS 1

#include <signal.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100

/* Instructions so far, and the number of the one after which the handler is called. */
static volatile int steps, wanted;
/* Cleared before the code that ends the steps: the stack pointer is not where the unwinder expects it there. */
static volatile int is_stepping;

/* In a handler of SIGTRAP: is it that instruction, or the first one after it where a signal that the
 * recorder blocks would arrive? Then there are no more traps. */
static inline int is_wanted_step(void *context)
{
    ucontext_t *at = context;
    if (!is_stepping || ++steps < wanted || sigismember(&at->uc_sigmask, SIGTERM))
        return 0;
    at->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
    return 1;
}

static inline void handle_steps(void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigemptyset(&action.sa_mask);
    REQUIRE(sigaction(SIGTRAP, &action, NULL) == 0);
}

/* Below the red zone, which may be in use. */
#define WITH_FLAGS(change_)                                                                        \
    __asm__ volatile("lea -128(%%rsp), %%rsp\n\tpushfq\n\t" change_                                \
                     "\n\tpopfq\n\tlea 128(%%rsp), %%rsp" ::                                       \
                         : "memory", "cc")

/* Run this and stop after its instruction number `wanted`. */
#define STEP(...)                                                                                  \
    do {                                                                                           \
        steps = 0;                                                                                 \
        is_stepping = 1;                                                                           \
        WITH_FLAGS("orq $0x100, (%%rsp)");                                                         \
        __VA_ARGS__;                                                                               \
        is_stepping = 0;                                                                           \
        WITH_FLAGS("andq $~0x100, (%%rsp)");                                                       \
    } while (0)

#endif
#endif
