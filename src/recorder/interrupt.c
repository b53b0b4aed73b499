/* See interrupt.h. */
#include "interrupt.h"
#include "private_memory.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

__thread uintptr_t pit__inside __attribute__((tls_model("initial-exec")));

/* ---- blocking signals ---------------------------------------------------------------------- */

/* The kernel's form of a set: libc's is sixteen times as large, too much to keep for each thread. */
typedef uint64_t kernel_set;

static __thread struct {
    uint32_t depth;
    int cancel;
    int why; /* errno */
    kernel_set before;
} held __attribute__((tls_model("initial-exec")));

static kernel_set bit(int number)
{
    return (kernel_set)1 << (number - 1);
}

/* libc uses 32 and 33: a thread that cancels another or changes its user waits for the others. */
static kernel_set what_is_held_back(void)
{
    return ~(bit(SIGSEGV) | bit(SIGBUS) | bit(SIGFPE) | bit(SIGILL) | bit(SIGTRAP) | bit(SIGABRT) |
             bit(SIGSYS) | bit(32) | bit(33));
}

/* A handler that runs before the system call has its own outermost pair. */
void pit__signals_off(void)
{
    if (held.depth == 0) {
        kernel_set all = what_is_held_back(), before = 0;
        int cancel = PTHREAD_CANCEL_ENABLE, why = errno;
        syscall(SYS_rt_sigprocmask, SIG_BLOCK, &all, &before, sizeof all);
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
        held.before = before;
        held.cancel = cancel;
        held.why = why;
    }
    PIT_STORE(held.depth, held.depth + 1);
    PIT_SIGNAL_FENCE();
}

/* Blocked signals arrive during the last two calls; their handlers may jump away instead of returning. */
void pit__signals_on(void)
{
    PIT_SIGNAL_FENCE();
    if (held.depth > 1) {
        held.depth--;
        return;
    }
    kernel_set before = held.before;
    int cancel = held.cancel, why = held.why;
    PIT_STORE(held.depth, 0);
    PIT_SIGNAL_FENCE();
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof before);
    errno = why;
    pthread_setcancelstate(cancel, NULL);
}

void pit__signals_forget(void)
{
    if (held.depth > 1) /* the outermost pair belongs to the caller */
        held.depth = 1;
}

void pit__cancel_was(int state)
{
    held.cancel = state;
}

/* ---- state of the stack ---------------------------------------------------------------------- */

/* The kernel leaves at least this much between interrupted code and its handler: the 128 bytes that a
 * function may use below its stack, the registers, the state of the floating-point unit (more than
 * 1,050 bytes together on x86-64, 4,600 on ARM). A repeated call from the same place of the program is
 * closer than that to the former call's stack address. */
#define LEAST_BETWEEN 1024u

/* Defined in a program with the thread sanitizer, which calls handlers itself, without a kernel frame
 * in between. */
extern void __tsan_init(void) __attribute__((weak)); /* NOLINT(bugprone-reserved-identifier) */

/* Certain on one stack: if the code still runs, no later call of the recorder is above it. A deeper call
 * may or may not be its handler: then 0, and a later call, from further up, decides. */
int pit__is_gone(uintptr_t at)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    stack_t alternate;
    int is_on = 0, was_on = 0;
    if (syscall(SYS_sigaltstack, NULL, &alternate) == 0 && !(alternate.ss_flags & SS_DISABLE)) {
        is_on = (alternate.ss_flags & SS_ONSTACK) != 0;
        was_on = at - (uintptr_t)alternate.ss_sp < alternate.ss_size;
    }
    if (is_on != was_on)
        return was_on;
    return here > at || (!__tsan_init && at - here < LEAST_BETWEEN);
}

/* Checked by a system call that reads a signal set at the address before it rejects its other argument. */
static int is_readable(uintptr_t address)
{
    int why = errno;
    long failed = syscall(SYS_rt_sigprocmask, -1, address, NULL, sizeof(kernel_set));
    int is_bad = failed && errno == EFAULT;
    errno = why;
    return !is_bad;
}

#define PAGE ((uintptr_t)4096)
#define FAR_UP ((uintptr_t)1024 * 1024) /* how far up we look: a system call per page */

/* Are all pages readable, from that of `top` down to that of `bottom`? The main thread's stack grows when it
 * is read. */
static int are_readable(uintptr_t top, uintptr_t bottom)
{
    uintptr_t at = top & ~(PAGE - 1), last = bottom & ~(PAGE - 1);
    while (at >= last && is_readable(at))
        at -= PAGE;
    return at < last;
}

static pthread_t main_thread; /* 0: not known, because another thread has loaded the library */

__attribute__((constructor)) static void loaded(void)
{
    if (syscall(SYS_gettid) == (long)getpid())
        main_thread = pthread_self();
}

/* Is it the thread's own stack, not that of a coroutine, of which nothing tells where it ends? At the end of
 * its own is what pthread_self returns; at the end of the main thread's are random bytes of the kernel. The
 * only thread of a forked child is the thread that forked, and has its stack. */
static int is_own_stack(uintptr_t here)
{
    int is_main = main_thread ? pthread_equal(main_thread, pthread_self())
                              : syscall(SYS_gettid) == (long)getpid();
    uintptr_t end = is_main ? getauxval(AT_RANDOM) : (uintptr_t)pthread_self();
    return here < end && end - here < FAR_UP && are_readable(end, here);
}

/* Below a thread's stack is an unreadable page. */
enum pit__room pit__stack_room(size_t wanted)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    stack_t alternate;
    if (syscall(SYS_sigaltstack, NULL, &alternate) == 0 && alternate.ss_flags & SS_ONSTACK)
        return here - (uintptr_t)alternate.ss_sp >= wanted ? PIT__ROOM : PIT__SHORT_IN_HANDLER;
    int has_room = is_own_stack(here) && are_readable(here, here - wanted);
    return has_room ? PIT__ROOM : PIT__SHORT;
}

/* ---- a larger stack -------------------------------------------------------------------------- */

#define ENOUGH ((size_t)64 * 1024) /* for paths, texts of /proc, and libc's own needs */
#define LONG_STACK ((size_t)256 * 1024)

struct job {
    void (*work)(void *);
    void *arg;
};

static void *do_job(void *arg)
{
    const struct job *job = arg;
    job->work(job->arg);
    return NULL;
}

int pit__with_room(void (*work)(void *), void *arg)
{
    enum pit__room room = pit__stack_room(ENOUGH);
    if (room == PIT__ROOM) {
        work(arg);
        return 1;
    }
    struct job job = {work, arg};
    pthread_attr_t attributes;
    pthread_t thread;
    if (room == PIT__SHORT_IN_HANDLER || pit__is_bare_clone() ||
        pthread_attr_init(&attributes) != 0)
        return 0;
    pthread_attr_setstacksize(&attributes, LONG_STACK);
    int failed = pthread_create(&thread, &attributes, do_job, &job);
    pthread_attr_destroy(&attributes);
    if (!failed)
        pthread_join(thread, NULL);
    return !failed;
}
