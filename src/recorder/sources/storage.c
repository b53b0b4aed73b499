/* What the process read from storage and wrote to it. */
#include "recorder/sample_source.h"

static void describe(struct pit__channel_list *list)
{
    static const char missing[] = "/proc/self/io cannot be read";
    struct pit__channel channel = {.key = "read_bytes",
                                   .unit = "bytes",
                                   .help = "read from storage",
                                   .missing = missing,
                                   .kind = PIT_FMT_COUNTER,
                                   .over_runs = PIT_FMT_MERGE_SUM};
    pit__channel_add(list, &channel);
    channel.key = "write_bytes";
    channel.help = "written to storage";
    pit__channel_add(list, &channel);
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    char text[512];
    int is_read = pit__source_text(now, state, 0, "/proc/self/io", text, sizeof text);
    values[0] = is_read ? pit__number_after(text, "\nread_bytes:") : PIT__UNKNOWN;
    values[1] = is_read ? pit__number_after(text, "\nwrite_bytes:") : PIT__UNKNOWN;
}

const struct pit__sample_source pit__source_storage = {
    .name = "storage", .every = 10, .open = describe, .read = take};
