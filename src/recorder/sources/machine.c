/* Memory of the machine. It changes slowly, except while the process allocates memory. */
#include "recorder/sample_source.h"

#define RSS_STEP ((uint64_t)8 << 20) /* after such a change it is read again */

static void describe(struct pit__channel_list *list)
{
    pit__channel_add(list, &(struct pit__channel){.key = "available_bytes",
                                                  .unit = "bytes",
                                                  .help = "memory of the machine that is left",
                                                  .missing = "no MemAvailable in /proc/meminfo",
                                                  .over_time = PIT_FMT_MERGE_MIN,
                                                  .over_runs = PIT_FMT_MERGE_MIN});
}

static int has_moved(const struct pit__reading *now, const struct pit__source_state *state)
{
    uint64_t before = state->words[0]; /* RSS when it was read */
    return (now->rss > before ? now->rss - before : before - now->rss) >= RSS_STEP;
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    char text[256]; /* MemAvailable is in the third line */
    uint64_t kilobytes = PIT__UNKNOWN;
    if (pit__source_text(now, state, 0, "/proc/meminfo", text, sizeof text))
        kilobytes = pit__number_after(text, "MemAvailable:");
    values[0] = kilobytes == PIT__UNKNOWN ? PIT__UNKNOWN : kilobytes * 1024;
    state->words[0] = now->rss;
}

uint64_t pit__machine_bytes(void)
{
    char text[4096];
    uint64_t kilobytes = PIT__UNKNOWN;
    if (pit__file_text("/proc/meminfo", text, sizeof text))
        kilobytes = pit__number_after(text, "MemTotal:");
    return kilobytes == PIT__UNKNOWN ? PIT__UNKNOWN : kilobytes * 1024;
}

const struct pit__sample_source pit__source_machine = {
    .name = "machine", .every = 10, .open = describe, .read = take, .is_due = has_moved};
