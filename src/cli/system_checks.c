/* system_checks.c: what the kernel offers in addition to the figures of a run: counters, stack samples. */
#include "checks.h"

#include "base/stack_event.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The number in a small file, or NO_NUMBER. */
#define NO_NUMBER (-1000)
static int number_in(const char *path)
{
    char text[32];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    if (got <= 0)
        return NO_NUMBER;
    text[got] = '\0';
    return (int)strtol(text, NULL, 10);
}

/* Returns 0, or the errno if this process may not use the counter. */
static int try_counter(uint32_t type, uint64_t config)
{
    struct perf_event_attr attributes = {.type = type,
                                         .size = sizeof attributes,
                                         .config = config,
                                         .disabled = 1,
                                         .exclude_kernel = 1,
                                         .exclude_hv = 1};
    long fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    if (fd < 0)
        return errno;
    close((int)fd);
    return 0;
}

static void perf_check(struct checks *checks)
{
    struct check *check = check_add(checks, "perf events", 0);
    int hard = try_counter(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS);
    int soft = try_counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
    int paranoid = number_in("/proc/sys/kernel/perf_event_paranoid");
    if (paranoid != NO_NUMBER)
        pit__text_printf(&check->figure, "perf_event_paranoid is %d", paranoid);
    if (hard == 0)
        return;
    if (soft == 0)
        check_bad(check, CHECK_LIMITED, "only software events; hardware counters: ",
                  "in a virtual machine: switch its performance counters (PMU) on");
    else if (hard == ENOSYS)
        check_bad(check, CHECK_NO, "the kernel has none: ", "a kernel with CONFIG_PERF_EVENTS");
    else
        check_bad(check, CHECK_NO, "refused: ", pit__stack_event_remedy(EPERM));
    pit__text_puts(&check->why, hard == ENOENT ? "the machine shows none" : strerror(hard));
}

/* For native code only: lines of Python need no support of the kernel. */
static void stack_check(struct checks *checks)
{
    struct check *check = check_add(checks, "stack samples", 1);
    int event = pit__stack_event_open(getpid(), 10);
    if (event >= 0) {
        close(event);
        pit__text_puts(&check->figure, "of native code, by a perf event of the software clock");
        return;
    }
    check_bad(check, CHECK_NO, pit__stack_event_reason(-event), pit__stack_event_remedy(-event));
}

void system_checks(struct checks *checks)
{
    perf_check(checks);
    stack_check(checks);
}
