/* See rss.h. RSS: pread of an open /proc/self/statm. Peak: writing 5 to /proc/self/clear_refs resets
 * the kernel's high-water mark, and ru_maxrss of getrusage reads it. Two traps:
 *
 * - ru_maxrss never falls below the value from before exec: a small program started by a
 *   large one reads the large one's figure. Detected right after a reset; then VmHWM is used.
 * - the kernel merges its per-CPU counters late, so each figure has an error bound.
 *
 * The descriptors get high numbers: a program that closes everything and opens its own files
 * gets low numbers, and ours then fail instead of reading another file.
 */
#include "rss.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#define HIGH_DESCRIPTOR 700
#define HOT __attribute__((hot)) /* placed with the code of spans */

/* As high as possible; a low number is the last resort. */
static int open_high(const char *path, int flags)
{
    int low = open(path, flags | O_CLOEXEC);
    struct rlimit limit;
    if (low < 0 || getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return low;
    int least = limit.rlim_cur > HIGH_DESCRIPTOR + 16 ? HIGH_DESCRIPTOR
                : limit.rlim_cur > 64                 ? (int)limit.rlim_cur - 16
                                                      : 0;
    int high = least ? fcntl(low, F_DUPFD_CLOEXEC, least) : -1;
    if (high < 0)
        return low;
    close(low);
    return high;
}

/* pread of a file that is opened at the first use, and again if the program closed it or opened another
 * file with its number: then the text does not have the form that `number_of` expects. Returns the
 * number found there, or 0. pread does not change another file's position. */
static uint64_t read_open(int *slot, const char *path, uint64_t (*number_of)(const char *text),
                          char *text, size_t room)
{
    for (int tries = 0; tries < 2; tries++) {
        if (*slot == 0)
            *slot = open_high(path, O_RDONLY) + 1;
        ssize_t got = *slot > 0 ? pread(*slot - 1, text, room - 1, 0) : -1;
        text[got > 0 ? got : 0] = 0;
        uint64_t number = got > 0 ? number_of(text) : 0;
        if (number)
            return number;
        *slot = 0;
    }
    return 0;
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
    return (uint64_t)(64 * page) * 8; /* for eight threads; an estimate, not a guarantee */
}

/* Seven numbers in a line; the second one counts. 0: this is another file. */
HOT static uint64_t resident_pages(const char *text)
{
    uint64_t numbers[7];
    for (int i = 0; i < 7; i++) {
        numbers[i] = 0;
        if (*text < '0' || *text > '9')
            return 0;
        for (; *text >= '0' && *text <= '9'; text++)
            numbers[i] = numbers[i] * 10 + (uint64_t)(*text - '0');
        if (*text++ != (i < 6 ? ' ' : '\n'))
            return 0;
    }
    return *text == 0 ? numbers[1] : 0;
}

static uint64_t hwm_kilobytes(const char *text)
{
    const char *line = strncmp(text, "Name:", 5) == 0 ? strstr(text, "\nVmHWM:") : NULL;
    return line ? strtoull(line + 7, NULL, 10) : 0;
}

static uint64_t read_statm(struct pit__rss *rss)
{
    char text[256];
    return read_open(&rss->statm, "/proc/self/statm", resident_pages, text, sizeof text) *
           rss->page_bytes;
}

static uint64_t read_hwm(struct pit__rss *rss)
{
    static char text[4096]; /* too long for a small stack; guarded like the rest of rss */
    return read_open(&rss->status, "/proc/self/status", hwm_kilobytes, text, sizeof text) * 1024;
}

/* A descriptor that is certainly ours: the program may have closed it and opened another file with its
 * number. -1: not available. */
static int clear_refs(struct pit__rss *rss)
{
    struct stat found;
    if (rss->clear_refs &&
        (fstat(rss->clear_refs - 1, &found) != 0 || (uint64_t)found.st_ino != rss->clear_inode ||
         (uint64_t)found.st_dev != rss->clear_device))
        rss->clear_refs = 0;
    if (!rss->clear_refs) {
        rss->clear_refs = open_high("/proc/self/clear_refs", O_WRONLY) + 1;
        if (rss->clear_refs && fstat(rss->clear_refs - 1, &found) == 0) {
            rss->clear_device = (uint64_t)found.st_dev;
            rss->clear_inode = (uint64_t)found.st_ino;
        }
    }
    return rss->clear_refs - 1;
}

static uint64_t max_rss(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

#define SLACK_OF(rss) (2 * (rss)->error_bytes)

/* Far less than the error bound of the counters. */
#define NEXT_TO_NOTHING 65536u

/* If the mark may be a floor, only a reset can tell. */
HOT int pit__rss_is_low(const struct pit__rss *rss, const struct pit__rss_reading *now)
{
    int is_no_floor =
        rss->peak_method == PIT_FMT_PEAK_HWM ||
        (rss->peak_method == PIT_FMT_PEAK_RUSAGE && now->rss + SLACK_OF(rss) >= rss->floor_bound);
    return is_no_floor && now->peak && now->peak <= now->rss + NEXT_TO_NOTHING;
}

/* When the process is smaller than at any time since the first reset, the mark may have reached a floor
 * that was not visible before. */
void pit__rss_reset(struct pit__rss *rss, uint64_t resident)
{
    int fd = clear_refs(rss);
    if (fd < 0 || write(fd, "5", 1) != 1) {
        rss->peak_method = PIT_FMT_PEAK_NONE;
        return;
    }
    uint64_t slack = SLACK_OF(rss);
    if (rss->peak_method != PIT_FMT_PEAK_RUSAGE || resident + slack >= rss->floor_bound)
        return;
    if (max_rss() > resident + slack)
        rss->peak_method = PIT_FMT_PEAK_HWM;
    else
        rss->floor_bound = resident;
}

HOT struct pit__rss_reading pit__rss_read(struct pit__rss *rss)
{
    struct pit__rss_reading reading = {0, 0, 0, 0};
    struct rusage usage;
    int is_first = !rss->checked;
    if (is_first) {
        rss->checked = 1;
        rss->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
        rss->error_bytes = bound_bytes();
        rss->peak_method = PIT_FMT_PEAK_RUSAGE;
        rss->floor_bound = UINT64_MAX;
    }
    reading.rss = read_statm(rss);
    if (getrusage(RUSAGE_THREAD, &usage) == 0) {
        reading.minor_faults = (uint64_t)usage.ru_minflt;
        reading.major_faults = (uint64_t)usage.ru_majflt;
        if (rss->peak_method == PIT_FMT_PEAK_RUSAGE)
            reading.peak = (uint64_t)usage.ru_maxrss * 1024;
    }
    /* Nothing was reset before the first reading: ru_maxrss may be the floor. */
    if (is_first || rss->peak_method == PIT_FMT_PEAK_HWM)
        reading.peak = read_hwm(rss);
    return reading;
}
