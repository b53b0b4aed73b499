/* How many processors the process may use, and how long its cgroup had used up its quota: by the affinity
 * of the main thread, and by the tightest CPU quota of its groups. */
#include "recorder/cgroup_folder.h"
#include "recorder/sample_source.h"

#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { PROCESSORS, THROTTLED };
enum { STAT, QUOTA, PERIOD }; /* files */

#define PER_UNIT 100u
#define MASK_BYTES 1024u /* room for 8192 processors */

/* The group whose quota applies, or the process's own if none has a quota. Found at each open, and
 * stored only if it changed: the sampler of another run may be reading it. */
static struct pit__cgroup_folder group;
static int has_quota;

/* Hundredths of a processor. PIT__UNKNOWN: no quota, by "max" or -1. */
static uint64_t share_of(uint64_t quota, uint64_t period)
{
    if (quota == PIT__UNKNOWN || period == PIT__UNKNOWN || period == 0 ||
        quota > PIT__UNKNOWN / PER_UNIT)
        return PIT__UNKNOWN;
    return quota * PER_UNIT / period;
}

static uint64_t quota_of(const struct pit__reading *now, struct pit__source_state *state,
                         const struct pit__cgroup_folder *folder)
{
    char file[PIT__CGROUP_FILE_BYTES], text[64], period[64];
    pit__cgroup_file(folder, "cpu.cfs_quota_us", "cpu.max", file, sizeof file);
    if (!pit__source_text(now, state, QUOTA, file, text, sizeof text))
        return PIT__UNKNOWN;
    if (folder->version == 2)
        return share_of(pit__number_at(text), pit__number_after(text, " "));
    pit__cgroup_file(folder, "cpu.cfs_period_us", "", file, sizeof file);
    return pit__source_text(now, state, PERIOD, file, period, sizeof period)
               ? share_of(pit__number_at(text), pit__number_at(period))
               : PIT__UNKNOWN;
}

static void find_group(void)
{
    static const struct pit__controller cpu = {"cpu", "cpu.stat", "cpu.stat"};
    static const struct pit__reading once = {.keeps_open = 0};
    struct pit__cgroup_folder own, tightest;
    uint64_t least = PIT__UNKNOWN;
    pit__cgroup_find(&own, &cpu);
    tightest = own;
    for (int is_there = own.version != 0; is_there; is_there = pit__cgroup_up(&own)) {
        struct pit__source_state none = {.files = {0}};
        uint64_t here = quota_of(&once, &none, &own);
        if (here < least) {
            least = here;
            tightest = own;
        }
    }
    if (tightest.version != group.version || strcmp(tightest.path, group.path) != 0)
        group = tightest;
    if (has_quota != (least != PIT__UNKNOWN))
        has_quota = least != PIT__UNKNOWN;
}

static void describe(struct pit__channel_list *list)
{
    find_group();
    pit__channel_add(list,
                     &(struct pit__channel){.key = "processors",
                                            .help = "processors it may use: affinity, CPU quota",
                                            .missing = "sched_getaffinity failed",
                                            .per_unit = PER_UNIT,
                                            .over_runs = PIT_FMT_MERGE_MAX});
    pit__channel_add(list,
                     &(struct pit__channel){.key = "throttled_ns",
                                            .unit = "ns",
                                            .help = "its cgroup had used up its CPU quota",
                                            .missing = "no CPU controller in the cgroups it sees",
                                            .kind = PIT_FMT_COUNTER,
                                            .over_runs = PIT_FMT_MERGE_MAX});
}

/* Of the main thread: 0 would mean the sampler. */
static uint64_t allowed(void)
{
    unsigned char mask[MASK_BYTES] = {0};
    uint64_t count = 0;
    long bytes = syscall(SYS_sched_getaffinity, getpid(), sizeof mask, mask);
    for (long i = 0; i < bytes; i++)
        for (unsigned bits = mask[i]; bits; bits &= bits - 1)
            count++;
    return count ? count * PER_UNIT : PIT__UNKNOWN;
}

static uint64_t throttled(const struct pit__reading *now, struct pit__source_state *state)
{
    char file[PIT__CGROUP_FILE_BYTES], text[1024];
    pit__cgroup_file(&group, "cpu.stat", "cpu.stat", file, sizeof file);
    if (!pit__source_text(now, state, STAT, file, text, sizeof text))
        return PIT__UNKNOWN;
    if (group.version == 1)
        return pit__number_after(text, "throttled_time ");
    uint64_t us = pit__number_after(text, "throttled_usec ");
    return us == PIT__UNKNOWN ? us : us * 1000;
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    values[PROCESSORS] = allowed();
    values[THROTTLED] = group.version ? throttled(now, state) : PIT__UNKNOWN;
    uint64_t quota = has_quota ? quota_of(now, state, &group) : PIT__UNKNOWN;
    if (quota < values[PROCESSORS])
        values[PROCESSORS] = quota;
}

const struct pit__sample_source pit__source_processors = {
    .name = "processors", .every = 10, .open = describe, .read = take};
