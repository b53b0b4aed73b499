/* What the sampler reads of the process, its cgroup and the machine. What can't be had is
 * UINT64_MAX.
 *
 * Files are kept open by the sampler's thread, in a table of descriptors that is its own: the
 * program does not see them, cannot close them or get their numbers, and no child inherits them;
 * they go with the thread. Whoever has no such table (the readings at open and close, an old
 * kernel) opens a file for each reading.
 *
 * Figures come from where they are cheap. /proc/self/status takes longer than all others together,
 * so it is only read for the mark where ru_maxrss of getrusage can't tell it (rss.c says why).
 * RSS, its peak, the process's usage and the cgroup's memory are read each time; figures that move
 * slowly take turns, so that at ten readings a second each is a second old at most. After a tenth
 * of a second of rest nothing is in the caches: every other function of libc on the way costs more
 * than what it does, so numbers are parsed by hand.
 */
#include "sample_source.h"

#include "recorder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define UNKNOWN UINT64_MAX
#define NO_LIMIT_V1 ((uint64_t)1 << 60)      /* version 1 says "none" by a very large number */
#define SELDOM_NS ((uint64_t)150 * 1000000u) /* readings further apart renew all figures */
#define RSS_STEP ((uint64_t)8 << 20)         /* the machine's memory is looked at again */

/* In headers since Linux 5.9 and glibc 2.34. */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define CLOSE_RANGE_UNSHARE_FLAG 2u

/* By bare system calls: the numbers are those of another table than the program's, and tools that
 * follow descriptors through the calls of libc would take them for the same. */
static int open_file(const char *path)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

static void close_file(int fd)
{
    syscall(SYS_close, fd);
}

/* 1 if there is text. */
static int read_file(int fd, char *text, size_t room)
{
    long got = fd < 0 ? -1 : syscall(SYS_pread64, fd, text, room - 1, 0L);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

static int read_text(const char *path, char *text, size_t room)
{
    int fd = open_file(path);
    int is_read = read_file(fd, text, room);
    if (fd >= 0)
        close_file(fd);
    return is_read;
}

/* The same of a source that may be open already. One that fails is opened again next time. */
static int read_source(struct pit__sources *sources, enum pit__source which, const char *path,
                       char *text, size_t room)
{
    if (!sources->keeps_open)
        return read_text(path, text, room);
    int *slot = &sources->files[which];
    if (*slot == 0)
        *slot = open_file(path) + 1;
    int is_read = read_file(*slot - 1, text, room);
    if (!is_read && *slot) {
        close_file(*slot - 1);
        *slot = 0;
    }
    return is_read;
}

/* Not unshare() and then closing: a descriptor of the program must not live on here, not even for
 * a moment, or whoever waits for the end of a pipe waits for us. */
void pit__sources_own(struct pit__sources *sources)
{
    sources->keeps_open = syscall(SYS_close_range, 0u, ~0u, CLOSE_RANGE_UNSHARE_FLAG) == 0;
}

void pit__sources_close(struct pit__sources *sources)
{
    for (int i = 0; i < PIT__SOURCE_COUNT; i++)
        if (sources->files[i]) {
            close_file(sources->files[i] - 1);
            sources->files[i] = 0;
        }
}

static uint64_t number_at(const char *text)
{
    uint64_t number = 0;
    if (*text < '0' || *text > '9')
        return UNKNOWN;
    for (; *text >= '0' && *text <= '9'; text++)
        number = number * 10 + (uint64_t)(*text - '0');
    return number;
}

/* The number behind `key` in a text, or UNKNOWN. */
static uint64_t number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (!at)
        return UNKNOWN;
    at += strlen(key);
    return number_at(at + strspn(at, " \t:"));
}

static uint64_t number_in(const char *path)
{
    char text[64];
    return read_text(path, text, sizeof text) ? number_at(text) : UNKNOWN;
}

/* ---- the cgroup ---------------------------------------------------------------------------- */

/* Where the process's memory is accounted; found once, kept for the process and its children. */
struct cgroup {
    int version; /* 0: none */
    char folder[1024];
};

static struct cgroup cgroup;

static int try_folder(int version, const char *mount, const char *path)
{
    char file[1200];
    snprintf(cgroup.folder, sizeof cgroup.folder, "%s%s", mount, path[1] ? path : "");
    snprintf(file, sizeof file, "%s/%s", cgroup.folder,
             version == 2 ? "memory.current" : "memory.usage_in_bytes");
    if (number_in(file) == UNKNOWN)
        return 0;
    cgroup.version = version;
    return 1;
}

/* A container may see its own cgroup as the root, whatever its path says. */
static void find_cgroup(void)
{
    char text[4096];
    if (!read_text("/proc/self/cgroup", text, sizeof text))
        return;
    char *save = NULL;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char *controllers = strchr(line, ':');
        char *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path)
            continue;
        *path++ = 0;
        int is_v2 = controllers[1] == 0, is_memory = strcmp(controllers + 1, "memory") == 0;
        if (is_v2 &&
            (try_folder(2, "/sys/fs/cgroup", path) ||
             try_folder(2, "/sys/fs/cgroup/unified", path) || try_folder(2, "/sys/fs/cgroup", "/")))
            return;
        if (is_memory && (try_folder(1, "/sys/fs/cgroup/memory", path) ||
                          try_folder(1, "/sys/fs/cgroup/memory", "/")))
            return;
    }
}

/* The name of a file in its folder, or in one above. */
static void file_of(char *file, size_t room, const char *folder, const char *v1, const char *v2)
{
    snprintf(file, room, "%s/%s", folder, cgroup.version == 2 ? v2 : v1);
}

/* The tightest limit on the way up. */
static uint64_t cgroup_limit(void)
{
    char folder[sizeof cgroup.folder], file[1200];
    uint64_t limit = UNKNOWN;
    memcpy(folder, cgroup.folder, sizeof folder);
    while (cgroup.version && strlen(folder) > strlen("/sys/fs/cgroup")) {
        file_of(file, sizeof file, folder, "memory.limit_in_bytes", "memory.max");
        uint64_t here = number_in(file);
        if (here < limit && !(cgroup.version == 1 && here >= NO_LIMIT_V1))
            limit = here;
        *strrchr(folder, '/') = 0;
    }
    return limit;
}

uint64_t pit__oom_kills(void)
{
    char file[1200], text[512];
    if (!cgroup.version)
        find_cgroup();
    file_of(file, sizeof file, cgroup.folder, "memory.oom_control", "memory.events");
    return cgroup.version && read_text(file, text, sizeof text) ? number_after(text, "oom_kill ")
                                                                : UNKNOWN;
}

void pit__sample_limits(struct pit_fmt_samples *samples)
{
    char text[4096];
    if (!cgroup.version)
        find_cgroup();
    uint64_t kilobytes =
        read_text("/proc/meminfo", text, sizeof text) ? number_after(text, "MemTotal:") : UNKNOWN;
    PIT_STORE(samples->machine_bytes, kilobytes == UNKNOWN ? UNKNOWN : kilobytes * 1024);
    PIT_STORE(samples->cgroup_limit, cgroup_limit());
    PIT_STORE(samples->cgroup_version, (uint64_t)cgroup.version);
    PIT_STORE(samples->oom_kills, pit__oom_kills());
}

/* ---- one reading --------------------------------------------------------------------------- */

/* ru_maxrss, in bytes. */
static uint64_t read_usage(struct pit_fmt_sample *sample)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return 0;
    sample->cpu_ns = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
                     (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
    sample->minor_faults = (uint64_t)usage.ru_minflt;
    sample->major_faults = (uint64_t)usage.ru_majflt;
    sample->switches = (uint64_t)usage.ru_nvcsw;
    sample->forced_switches = (uint64_t)usage.ru_nivcsw;
    return (uint64_t)usage.ru_maxrss * 1024;
}

/* The folder of the threads has a link for each, and two of its own. */
static uint64_t count_threads(void)
{
    struct stat found;
    return stat("/proc/self/task", &found) == 0 && found.st_nlink > 2 ? found.st_nlink - 2
                                                                      : UNKNOWN;
}

static uint64_t read_rss(struct pit__sources *sources)
{
    char text[128];
    if (!sources->page_bytes)
        sources->page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    if (!read_source(sources, PIT__SOURCE_STATM, "/proc/self/statm", text, sizeof text))
        return UNKNOWN;
    uint64_t pages = number_after(text, " "); /* the second number */
    return pages == UNKNOWN ? UNKNOWN : pages * sources->page_bytes;
}

static void read_storage(struct pit__sources *sources, struct pit_fmt_sample *sample)
{
    char text[512];
    int is_read = read_source(sources, PIT__SOURCE_IO, "/proc/self/io", text, sizeof text);
    sample->read_bytes = is_read ? number_after(text, "\nread_bytes:") : UNKNOWN;
    sample->write_bytes = is_read ? number_after(text, "\nwrite_bytes:") : UNKNOWN;
}

/* Memory comes by faults: without one since, the mark is where it was, or was reset. */
static uint64_t read_hwm(struct pit__sources *sources, uint64_t faults)
{
    char text[4096];
    if (sources->readings && faults == sources->hwm_faults)
        return sources->hwm;
    uint64_t kilobytes =
        read_source(sources, PIT__SOURCE_STATUS, "/proc/self/status", text, sizeof text)
            ? number_after(text, "\nVmHWM:")
            : UNKNOWN;
    sources->hwm = kilobytes == UNKNOWN ? 0 : kilobytes * 1024;
    sources->hwm_faults = faults;
    return sources->hwm;
}

/* A process that had more before exec keeps that as a floor below ru_maxrss: seen at the first
 * reading, when VmHWM is less. A floor that shows later, after the mark was reset, is at most what
 * was the mark then, and so nothing new. */
static uint64_t read_peak(struct pit__sources *sources, const struct pit_fmt_sample *sample,
                          uint64_t max_rss)
{
    if (sources->readings && max_rss > sources->floor)
        return max_rss;
    uint64_t hwm = read_hwm(sources, sample->minor_faults + sample->major_faults);
    if (sources->readings == 0)
        sources->floor = max_rss > hwm ? max_rss : 0;
    return hwm;
}

/* "avg10=1.23" in hundredths. */
static uint64_t read_pressure(struct pit__sources *sources)
{
    char text[256];
    const char *at;
    if (!read_source(sources, PIT__SOURCE_PRESSURE, "/proc/pressure/memory", text, sizeof text) ||
        !(at = strstr(text, "avg10=")))
        return UNKNOWN;
    uint64_t whole = number_at(at + 6);
    at = strchr(at, '.');
    if (whole == UNKNOWN || !at || number_at(at + 1) == UNKNOWN || number_at(at + 2) == UNKNOWN)
        return UNKNOWN;
    return whole * 100 + (uint64_t)(at[1] - '0') * 10 + (uint64_t)(at[2] - '0');
}

static uint64_t read_available(struct pit__sources *sources)
{
    char text[256]; /* it is the third line */
    if (!read_source(sources, PIT__SOURCE_MEMINFO, "/proc/meminfo", text, sizeof text))
        return UNKNOWN;
    uint64_t kilobytes = number_after(text, "MemAvailable:");
    return kilobytes == UNKNOWN ? UNKNOWN : kilobytes * 1024;
}

static uint64_t read_cgroup(struct pit__sources *sources)
{
    char file[1200], text[64];
    if (!cgroup.version)
        return UNKNOWN;
    file[0] = 0; /* its name is only asked for where it is not open */
    if (!sources->files[PIT__SOURCE_CGROUP])
        file_of(file, sizeof file, cgroup.folder, "memory.usage_in_bytes", "memory.current");
    return read_source(sources, PIT__SOURCE_CGROUP, file, text, sizeof text) ? number_at(text)
                                                                             : UNKNOWN;
}

static int has_moved(uint64_t from, uint64_t to)
{
    return (to > from ? to - from : from - to) >= RSS_STEP;
}

static void read_slow(struct pit__sources *sources, struct pit_fmt_sample *sample)
{
    struct pit_fmt_sample *slow = &sources->slow;
    uint64_t now = pit__clock_monotonic_ns();
    int is_all = sources->readings == 0 || now - sources->read_ns >= SELDOM_NS;
    enum pit__turn turn = (enum pit__turn)(sources->readings % PIT__TURN_COUNT);
    sources->read_ns = now;
    if (is_all || turn == PIT__TURN_AVAILABLE || has_moved(sources->available_rss, sample->rss)) {
        slow->available = read_available(sources);
        sources->available_rss = sample->rss;
    }
    if (is_all || turn == PIT__TURN_PRESSURE)
        slow->pressure = read_pressure(sources);
    if (is_all || turn == PIT__TURN_STORAGE)
        read_storage(sources, slow);
    if (is_all || turn == PIT__TURN_THREADS)
        slow->threads = count_threads();
    sample->available = slow->available;
    sample->pressure = slow->pressure;
    sample->read_bytes = slow->read_bytes;
    sample->write_bytes = slow->write_bytes;
    sample->threads = slow->threads;
}

struct pit_fmt_sample pit__sample_read(struct pit__sources *sources, uint64_t ticks, uint64_t *peak)
{
    struct pit_fmt_sample sample;
    memset(&sample, 0xff, sizeof sample); /* everything unknown */
    memset(sample.spare, 0, sizeof sample.spare);
    sample.ticks = ticks;
    uint64_t max_rss = read_usage(&sample);
    sample.rss = sample.rss_max = read_rss(sources);
    *peak = read_peak(sources, &sample, max_rss);
    sample.cgroup_used = read_cgroup(sources);
    read_slow(sources, &sample);
    sources->readings++;
    return sample;
}
