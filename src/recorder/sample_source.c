/* What the sampler reads of the process, its cgroup and the machine. Files are opened anew each
 * time: some microseconds ten times a second, and nothing to go stale after fork or close. What
 * can't be had is UINT64_MAX.
 */
#include "recorder.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#define UNKNOWN UINT64_MAX
#define NO_LIMIT_V1 ((uint64_t)1 << 60) /* version 1 says "none" by a very large number */

static int read_text(const char *path, char *text, size_t room)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t got = read(fd, text, room - 1);
    close(fd);
    text[got > 0 ? got : 0] = 0;
    return got > 0;
}

/* The number behind `key` in a text, or UNKNOWN. */
static uint64_t number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    if (!at)
        return UNKNOWN;
    at += strlen(key);
    at += strspn(at, " \t:");
    return *at >= '0' && *at <= '9' ? strtoull(at, NULL, 10) : UNKNOWN;
}

static uint64_t number_in(const char *path)
{
    char text[64];
    return read_text(path, text, sizeof text) && text[0] >= '0' && text[0] <= '9'
               ? strtoull(text, NULL, 10)
               : UNKNOWN;
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

static uint64_t cgroup_number(const char *folder, const char *v1, const char *v2)
{
    char file[1200];
    snprintf(file, sizeof file, "%s/%s", folder, cgroup.version == 2 ? v2 : v1);
    return cgroup.version ? number_in(file) : UNKNOWN;
}

/* The tightest limit on the way up. */
static uint64_t cgroup_limit(void)
{
    char folder[sizeof cgroup.folder];
    uint64_t limit = UNKNOWN;
    memcpy(folder, cgroup.folder, sizeof folder);
    while (cgroup.version && strlen(folder) > strlen("/sys/fs/cgroup")) {
        uint64_t here = cgroup_number(folder, "memory.limit_in_bytes", "memory.max");
        if (here < limit && !(cgroup.version == 1 && here >= NO_LIMIT_V1))
            limit = here;
        *strrchr(folder, '/') = 0;
    }
    return limit;
}

static uint64_t cgroup_oom_kills(void)
{
    char file[1200], text[512];
    snprintf(file, sizeof file, "%s/%s", cgroup.folder,
             cgroup.version == 2 ? "memory.events" : "memory.oom_control");
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
    PIT_STORE(samples->oom_kills, cgroup_oom_kills());
}

/* ---- one reading --------------------------------------------------------------------------- */

static void read_usage(struct pit_fmt_sample *sample)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return;
    sample->cpu_ns = (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000u +
                     (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000u;
    sample->minor_faults = (uint64_t)usage.ru_minflt;
    sample->major_faults = (uint64_t)usage.ru_majflt;
    sample->switches = (uint64_t)usage.ru_nvcsw;
    sample->forced_switches = (uint64_t)usage.ru_nivcsw;
}

static void read_process(struct pit_fmt_sample *sample, uint64_t *peak)
{
    char text[4096];
    if (read_text("/proc/self/status", text, sizeof text)) {
        sample->threads = number_after(text, "\nThreads:");
        uint64_t kilobytes = number_after(text, "\nVmRSS:");
        if (kilobytes != UNKNOWN)
            sample->rss = sample->rss_max = kilobytes * 1024;
        kilobytes = number_after(text, "\nVmHWM:");
        *peak = kilobytes == UNKNOWN ? 0 : kilobytes * 1024;
    }
    if (read_text("/proc/self/io", text, sizeof text)) {
        sample->read_bytes = number_after(text, "\nread_bytes:");
        sample->write_bytes = number_after(text, "\nwrite_bytes:");
    }
}

static void read_machine(struct pit_fmt_sample *sample)
{
    char text[1024];
    if (read_text("/proc/meminfo", text, sizeof text)) {
        uint64_t kilobytes = number_after(text, "MemAvailable:");
        sample->available = kilobytes == UNKNOWN ? UNKNOWN : kilobytes * 1024;
    }
    sample->cgroup_used = cgroup_number(cgroup.folder, "memory.usage_in_bytes", "memory.current");
    if (read_text("/proc/pressure/memory", text, sizeof text)) {
        const char *average = strstr(text, "avg10=");
        unsigned whole, part; /* by hand: strtod would follow the program's locale */
        if (average && sscanf(average + 6, "%u.%2u", &whole, &part) == 2)
            sample->pressure = whole * 100u + part;
    }
}

struct pit_fmt_sample pit__sample_read(uint64_t ticks, uint64_t *peak)
{
    struct pit_fmt_sample sample;
    memset(&sample, 0xff, sizeof sample); /* everything unknown */
    memset(sample.spare, 0, sizeof sample.spare);
    sample.ticks = ticks;
    *peak = 0;
    read_usage(&sample);
    read_process(&sample, peak);
    read_machine(&sample);
    return sample;
}
