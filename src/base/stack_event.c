/* See stack_event.h. */
#include "stack_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__)
#define HAS_STACKS 1
#else
#define HAS_STACKS 0 /* nothing reads them there */
#endif

unsigned pit__stack_event_words(double hz)
{
    if (!HAS_STACKS)
        return 0;
    return hz <= 20 ? PIT__STACK_WORDS : hz <= 200 ? PIT__STACK_WORDS / 8 : 0;
}

/* A sample has its header, the instruction pointer, process and thread, the raw clock, which tells its span,
 * and the innermost part of the stack, which tells the caller. Mappings of code are recorded too: they change the
 * names of addresses. */
int pit__stack_event_open(pid_t thread, double hz)
{
    unsigned words = pit__stack_event_words(hz);
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attributes,
        .config = PERF_COUNT_SW_TASK_CLOCK,
        .sample_period = (__u64)(1e9 / hz),
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
                       (words ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0),
        .sample_regs_user = words ? PIT__STACK_REGISTERS : 0,
        .sample_stack_user = words * (unsigned)sizeof(uint64_t),
        .exclude_kernel = 1,
        .exclude_hv = 1,
        .mmap = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC_RAW};
    long fd = syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
    return fd < 0 ? -errno : (int)fd;
}

const char *pit__stack_event_reason(int error)
{
    switch (error) {
    case EACCES:
        return "the kernel allows perf events to root alone (kernel.perf_event_paranoid)";
    case EPERM:
        return "perf_event_open is forbidden: by the container's seccomp profile or "
               "perf_event_paranoid";
    case ENOSYS:
        return "this kernel or emulator has no perf events";
    case EINVAL:
    case ENOENT:
    case EOPNOTSUPP:
        return "this kernel's perf events have no clock that samples";
    case EMFILE:
    case ENFILE:
        return "no file descriptor was left for a perf event";
    default:
        return "the kernel gave no perf event";
    }
}

const char *pit__stack_event_remedy(int error)
{
    switch (error) {
    case EACCES:
    case EPERM:
        return "as root: sysctl kernel.perf_event_paranoid=2, or CAP_PERFMON for the program; in a "
               "container its seccomp profile has to allow perf_event_open";
    case ENOSYS:
    case EINVAL:
    case ENOENT:
    case EOPNOTSUPP:
        return "Linux 4.1 or later with CONFIG_PERF_EVENTS, not under an emulator";
    default:
        return "try again: a limit of the system was reached";
    }
}
