/* Memory of the process's cgroup. */
#include "recorder/cgroup_folder.h"
#include "recorder/sample_source.h"

#define NO_LIMIT_V1 ((uint64_t)1 << 60) /* version 1 means "none" by a very large number */

/* Where the process's memory is accounted; found once, kept for the process and its children. */
static struct pit__cgroup_folder cgroup;

int pit__cgroup_version(void)
{
    static const struct pit__controller memory = {"memory", "memory.usage_in_bytes",
                                                  "memory.current"};
    struct pit__cgroup_folder found;
    if (!cgroup.version && pit__cgroup_find(&found, &memory))
        cgroup = found;
    return cgroup.version;
}

/* The tightest limit of this group and its parents. */
uint64_t pit__cgroup_limit(void)
{
    char file[PIT__CGROUP_FILE_BYTES];
    uint64_t limit = PIT__UNKNOWN;
    pit__cgroup_version();
    struct pit__cgroup_folder group = cgroup;
    for (int is_there = group.version != 0; is_there; is_there = pit__cgroup_up(&group)) {
        pit__cgroup_file(&group, "memory.limit_in_bytes", "memory.max", file, sizeof file);
        uint64_t here = pit__number_in(file);
        if (here < limit && !(group.version == 1 && here >= NO_LIMIT_V1))
            limit = here;
    }
    return limit;
}

uint64_t pit__oom_kills(void)
{
    char file[PIT__CGROUP_FILE_BYTES], text[512];
    pit__cgroup_version();
    pit__cgroup_file(&cgroup, "memory.oom_control", "memory.events", file, sizeof file);
    return cgroup.version && pit__file_text(file, text, sizeof text)
               ? pit__number_after(text, "oom_kill ")
               : PIT__UNKNOWN;
}

static void describe(struct pit__channel_list *list)
{
    pit__channel_add(list,
                     &(struct pit__channel){.key = "cgroup_used_bytes",
                                            .unit = "bytes",
                                            .help = "memory of the cgroup, page cache included",
                                            .missing = "no memory cgroup found",
                                            .over_time = PIT_FMT_MERGE_MAX,
                                            .over_runs = PIT_FMT_MERGE_MAX});
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    char file[PIT__CGROUP_FILE_BYTES], text[64];
    values[0] = PIT__UNKNOWN;
    if (!cgroup.version)
        return;
    file[0] = 0; /* the name is needed only if the file is not open */
    if (!state->files[0])
        pit__cgroup_file(&cgroup, "memory.usage_in_bytes", "memory.current", file, sizeof file);
    if (pit__source_text(now, state, 0, file, text, sizeof text))
        values[0] = pit__number_at(text);
}

const struct pit__sample_source pit__source_cgroup = {
    .name = "cgroup", .every = 1, .open = describe, .read = take};
