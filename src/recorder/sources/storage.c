/* What the process read from storage and wrote to it, and what it read and wrote in all: pipes, sockets and
 * files, from and to memory too. */
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
    channel.key = "transferred_bytes";
    channel.help = "read and written in all: files, pipes, sockets";
    pit__channel_add(list, &channel);
    channel.key = "transfers";
    channel.unit = "";
    channel.help = "calls that read or wrote these";
    pit__channel_add(list, &channel);
}

static uint64_t sum_of(const char *text, const char *one, const char *other)
{
    uint64_t a = pit__number_after(text, one), b = pit__number_after(text, other);
    return a == PIT__UNKNOWN || b == PIT__UNKNOWN ? PIT__UNKNOWN : a + b;
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    char text[512];
    int is_read = pit__source_text(now, state, 0, "/proc/self/io", text, sizeof text);
    values[0] = is_read ? pit__number_after(text, "\nread_bytes:") : PIT__UNKNOWN;
    values[1] = is_read ? pit__number_after(text, "\nwrite_bytes:") : PIT__UNKNOWN;
    values[2] = is_read ? sum_of(text, "rchar:", "wchar:") : PIT__UNKNOWN;
    values[3] = is_read ? sum_of(text, "syscr:", "syscw:") : PIT__UNKNOWN;
}

const struct pit__sample_source pit__source_storage = {
    .name = "storage", .every = 10, .open = describe, .read = take};
