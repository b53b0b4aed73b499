/* See rss.h. RSS: pread of an open /proc/self/statm. Peak: writing 5 to /proc/self/clear_refs resets
 * the kernel's high-water mark, and ru_maxrss of getrusage reads it. Two traps:
 *
 * - ru_maxrss never falls below what the process had before exec: a small program started by a
 *   large one reads the large one's figure. Seen after the first reset; VmHWM is read then.
 * - the kernel folds its per-CPU counters late, so each figure has a bound.
 *
 * The descriptors are moved high up: a program that closes everything and opens files of its own
 * gets low numbers, and ours then fail instead of meeting a stranger's file.
 */
#include "rss.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#define HIGH_DESCRIPTOR 700
#define NOT_TO_BE_HAD (-1)

static int open_high(const char *path, int flags)
{
    int low = open(path, flags | O_CLOEXEC);
    if (low < 0)
        return NOT_TO_BE_HAD;
    int high = fcntl(low, F_DUPFD_CLOEXEC, HIGH_DESCRIPTOR);
    close(low);
    return high < 0 ? NOT_TO_BE_HAD : high + 1;
}

/* The descriptor, opened at the first use. */
static int descriptor(int *slot, const char *path, int flags)
{
    if (*slot == 0)
        *slot = open_high(path, flags);
    return *slot > 0 ? *slot - 1 : -1;
}

/* Since Linux 6.2 each CPU keeps up to a batch of pages to itself; before, each thread up to 64. */
static uint64_t bound_bytes(void)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN), page = sysconf(_SC_PAGESIZE);
    struct utsname name;
    int major = 0, minor = 0;
    if (uname(&name) == 0)
        sscanf(name.release, "%d.%d", &major, &minor);
    if (major > 6 || (major == 6 && minor >= 2)) {
        long batch = 2 * cpus > 32 ? 2 * cpus : 32;
        return (uint64_t)(batch * cpus * page);
    }
    return (uint64_t)(64 * page) * 8; /* of eight threads; a figure, not a promise, there */
}

static uint64_t read_statm(struct pit__rss *rss)
{
    char text[96];
    int fd = descriptor(&rss->statm, "/proc/self/statm", O_RDONLY);
    ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (got <= 0)
        return 0;
    text[got] = 0;
    const char *second = strchr(text, ' ');
    return second ? strtoull(second, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

static uint64_t read_hwm(struct pit__rss *rss)
{
    char text[4096];
    int fd = descriptor(&rss->status, "/proc/self/status", O_RDONLY);
    ssize_t got = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (got <= 0)
        return 0;
    text[got] = 0;
    const char *line = strstr(text, "VmHWM:");
    return line ? strtoull(line + 6, NULL, 10) * 1024 : 0;
}

void pit__rss_reset(struct pit__rss *rss)
{
    int fd = descriptor(&rss->clear_refs, "/proc/self/clear_refs", O_WRONLY);
    if (fd < 0 || write(fd, "5", 1) != 1)
        rss->peak_method = PIT_FMT_PEAK_NONE;
}

/* Reset once and look whether the mark obeys. */
static void choose_method(struct pit__rss *rss)
{
    struct rusage usage;
    rss->checked = 1;
    rss->error_bytes = bound_bytes();
    rss->peak_method = PIT_FMT_PEAK_RUSAGE;
    pit__rss_reset(rss);
    if (rss->peak_method == PIT_FMT_PEAK_NONE)
        return;
    uint64_t now = read_statm(rss);
    getrusage(RUSAGE_SELF, &usage);
    if ((uint64_t)usage.ru_maxrss * 1024 > now + 2 * rss->error_bytes)
        rss->peak_method = PIT_FMT_PEAK_HWM;
}

struct pit__rss_reading pit__rss_read(struct pit__rss *rss)
{
    struct pit__rss_reading reading = {0, 0, 0, 0};
    struct rusage usage;
    if (!rss->checked)
        choose_method(rss);
    reading.rss = read_statm(rss);
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        reading.minor_faults = (uint64_t)usage.ru_minflt;
        reading.major_faults = (uint64_t)usage.ru_majflt;
        if (rss->peak_method == PIT_FMT_PEAK_RUSAGE)
            reading.peak = (uint64_t)usage.ru_maxrss * 1024;
    }
    if (rss->peak_method == PIT_FMT_PEAK_HWM)
        reading.peak = read_hwm(rss);
    return reading;
}
