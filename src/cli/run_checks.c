/* run_checks.c: record a test run with a span that measures memory, and read it. This shows what the
 * recorder really does on this machine. */
#include "checks.h"

#include "model/live_tree.h"
#include "report/units.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOUCHED_BYTES ((size_t)4 << 20)

/* ---- the run ------------------------------------------------------------------------------- */

static void find_folder(struct probe *probe)
{
    struct stat found;
    char *folder = probe->folder;
    snprintf(folder, sizeof probe->folder, "%s", *probe->wanted ? probe->wanted : ".");
    while (stat(folder, &found) != 0) {
        char *last = strrchr(folder, '/');
        if (!last)
            snprintf(folder, sizeof probe->folder, ".");
        else
            last[last == folder] = '\0';
        if (strcmp(folder, ".") == 0 || strcmp(folder, "/") == 0)
            return;
    }
}

/* A hidden name, so users do not mistake it for a run of theirs; each % is escaped. */
static void make_path(const char *folder, char *path, size_t size)
{
    size_t used = 0;
    for (; *folder && used + 64 < size; folder++) {
        path[used++] = *folder;
        if (*folder == '%')
            path[used++] = '%';
    }
    snprintf(path + used, size - used, "/.pitwall-doctor-%%p.pit");
}

static void measure_one(pit_recorder *recorder)
{
    pit_token token = pit_recorder_begin_name(recorder, "doctor");
    char *block = malloc(TOUCHED_BYTES);
    if (block) {
        memset(block, 1, TOUCHED_BYTES);
        __asm__ volatile("" : : "r"(block) : "memory"); /* or the compiler leaves all of it out */
    }
    free(block);
    pit_recorder_end(recorder, token);
}

static void open_probe(struct probe *probe)
{
    char path[PROBE_BYTES];
    pit_status status;
    pit_options options = {.span_flags = PIT_MEMORY};
    find_folder(probe);
    make_path(probe->folder, path, sizeof path);
    probe->recorder = pit_recorder_open(path, &options, &probe->code);
    if (!probe->recorder)
        return;
    measure_one(probe->recorder);
    if (pit_get_status(probe->recorder, &status) == 0) {
        probe->storage = status.storage;
        probe->system_errno = status.system_errno;
        snprintf(probe->path, sizeof probe->path, "%s", status.path);
    }
    probe->run = pit_run_read(probe->recorder, NULL);
}

static void close_probe(struct probe *probe)
{
    pit_run_free(probe->run);
    if (!probe->recorder)
        return;
    pit_recorder_close(probe->recorder);
    pit_status status; /* a run in memory may have got its file at the close */
    if (pit_get_status(probe->recorder, &status) == 0 && *status.path)
        unlink(status.path);
    if (*probe->path)
        unlink(probe->path);
    pit_recorder_free(probe->recorder);
}

/* ---- clock --------------------------------------------------------------------------------- */

static void clock_check(struct checks *checks, const pit_run *run)
{
    static const char source_path[] =
        "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    struct check *check = check_add(checks, "clock", 1);
    char number[PIT__UNIT_BYTES], source[64] = "";
    pit__text_puts(&check->figure, run->clock == 2   ? "the time-stamp counter"
                                   : run->clock == 3 ? "the counter cntvct_el0"
                                                     : "clock_gettime");
    if (run->span_cost_ns > 0)
        pit__text_printf(&check->figure, ", a span takes %s",
                         pit__unit_duration(number, run->span_cost_ns, 1));
    if (run->clock != 1)
        return;
    if (getenv("PITWALL_CLOCK")) {
        check_bad(check, CHECK_LIMITED, "PITWALL_CLOCK is set", "unset PITWALL_CLOCK");
        return;
    }
    FILE *file = fopen(source_path, "re");
    if (file) {
        if (!fgets(source, sizeof source, file))
            source[0] = '\0';
        fclose(file);
    }
    source[strcspn(source, "\n")] = '\0';
    check_bad(check, CHECK_LIMITED, "",
              "spans work, each a little slower; a kernel that trusts the "
              "processor's counter has tsc in ");
    pit__text_printf(&check->why, "the kernel uses the clock %s, not the processor's counter",
                     *source ? source : "a clock it does not name");
    pit__text_puts(&check->remedy, source_path);
}

/* ---- memory -------------------------------------------------------------------------------- */

static const pit_memory *memory_of(const pit_run *run)
{
    for (size_t t = 0; t < run->thread_count; t++)
        for (size_t n = 0; n < run->threads[t].node_count; n++)
            if (run->threads[t].nodes[n].memory)
                return run->threads[t].nodes[n].memory;
    return NULL;
}

static void memory_checks(struct checks *checks, const pit_run *run)
{
    char number[PIT__UNIT_BYTES];
    const pit_memory *memory = memory_of(run);
    struct check *now = check_add(checks, "memory", 1);
    uint64_t rss = pit_rss();
    if (rss)
        pit__text_printf(&now->figure, "RSS of the process (/proc/self/statm), now %s",
                         pit__unit_bytes_words(number, (double)rss));
    else
        check_bad(now, CHECK_NO, "/proc/self/statm cannot be read",
                  "mount /proc in this container or chroot");
    struct check *peak = check_add(checks, "peak memory", 1);
    enum pit_peak_method method = memory ? memory->peak_method : PIT_PEAK_NONE;
    if (method != PIT_PEAK_NONE)
        pit__text_printf(&peak->figure, "of each span, within %s",
                         pit__unit_bytes_words(number, (double)memory->error_bytes));
    if (method == PIT_PEAK_HWM)
        check_bad(peak, CHECK_LIMITED,
                  "the parent process is larger, so the peak is read from "
                  "/proc/self/status: 8 us instead of 1",
                  "start the program from a small process: a shell, `pitwall run`");
    if (method != PIT_PEAK_NONE)
        return;
    check_bad(peak, CHECK_NO,
              "the kernel's high-water mark cannot be reset by /proc/self/clear_refs",
              "mount /proc for writing; without it the peak of the whole run is still known, by "
              "the sampler");
    int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        pit__text_printf(&peak->why, ": %s", strerror(errno));
    else
        close(fd);
}

static void limit_check(struct checks *checks, const pit_run *run)
{
    char number[PIT__UNIT_BYTES];
    struct check *check = check_add(checks, "memory limit", 1);
    if (run->cgroup_version)
        pit__text_printf(&check->figure, "cgroup version %d, ", run->cgroup_version);
    if (run->cgroup_version && run->cgroup_limit != PIT_UNKNOWN)
        pit__text_printf(&check->figure, "limit %s",
                         pit__unit_bytes_words(number, (double)run->cgroup_limit));
    else if (run->machine_bytes != PIT_UNKNOWN)
        pit__text_printf(&check->figure, "no limit; the machine has %s",
                         pit__unit_bytes_words(number, (double)run->machine_bytes));
    if (!run->cgroup_version)
        check_bad(check, CHECK_LIMITED, "no cgroup with memory accounting is visible",
                  "make /sys/fs/cgroup visible in the container; until then figures are shown "
                  "against the machine's memory");
}

/* Where the sampler's readings come from, or why there are none. */
static void reading_check(struct checks *checks, const char *name, const pit_run *run,
                          const char *key, const char *source, const char *remedy)
{
    struct check *check = check_add(checks, name, 1);
    if (!isnan(pit__live_newest(run, key))) {
        pit__text_printf(&check->figure, "from %s", source);
        return;
    }
    check_bad(check, CHECK_NO, "", remedy);
    for (size_t i = 0; i < run->channel_count; i++)
        if (strcmp(run->channels[i].key, key) == 0 && run->channels[i].missing)
            pit__text_puts(&check->why, run->channels[i].missing);
    if (!check->why.length)
        pit__text_printf(&check->why, "%s cannot be read", source);
}

static void reading_checks(struct checks *checks, const pit_run *run)
{
    reading_check(checks, "memory pressure", run, "memory_pressure", "/proc/pressure/memory",
                  "a kernel with CONFIG_PSI, started with psi=1");
    reading_check(checks, "storage", run, "read_bytes", "/proc/self/io",
                  "a kernel with CONFIG_TASK_IO_ACCOUNTING, and a program file that its user "
                  "may read");
    reading_check(checks, "processor wait", run, "run_delay_ns", "/proc/self/schedstat",
                  "a kernel with CONFIG_SCHEDSTATS");
    reading_check(checks, "CPU throttling", run, "throttled_ns", "cpu.stat of the cgroup",
                  "make /sys/fs/cgroup visible in the container");
    reading_check(checks, "storage wait", run, "io_delay_ns", "/proc/self/stat",
                  "as root, before the program starts: sysctl kernel.task_delayacct=1");
}

void run_checks(struct checks *checks, const char *folder)
{
    struct probe probe = {.wanted = folder};
    open_probe(&probe);
    const pit_run *run = probe.run;
    if (!run) {
        struct check *check = check_add(checks, "recording", 1);
        check_bad(check, CHECK_NO, pit_strerror(probe.code),
                  probe.code == PIT_OFF ? "unset PITWALL" : "make room in memory");
    } else {
        clock_check(checks, run);
        memory_checks(checks, run);
        limit_check(checks, run);
        reading_checks(checks, run);
        place_checks(checks, &probe);
        source_checks(checks, &probe);
    }
    close_probe(&probe);
}
