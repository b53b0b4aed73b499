/* Pressure on the machine: the share of the last ten seconds in which some task waited for memory, for
 * a processor, for storage. */
#include "recorder/sample_source.h"

#include <string.h>

static const char *const files[] = {"/proc/pressure/memory", "/proc/pressure/cpu",
                                    "/proc/pressure/io"};

static void describe(struct pit__channel_list *list)
{
    static const struct pit__channel channels[] = {
        {"memory_pressure", "share", "time in which something waited for memory",
         "/proc/pressure/memory cannot be read", 10000, PIT_FMT_GAUGE, PIT_FMT_MERGE_MAX,
         PIT_FMT_MERGE_MAX},
        {"processor_pressure", "share", "time in which something waited for a processor",
         "/proc/pressure/cpu cannot be read", 10000, PIT_FMT_GAUGE, PIT_FMT_MERGE_MAX,
         PIT_FMT_MERGE_MAX},
        {"storage_pressure", "share", "time in which something waited for storage",
         "/proc/pressure/io cannot be read", 10000, PIT_FMT_GAUGE, PIT_FMT_MERGE_MAX,
         PIT_FMT_MERGE_MAX},
    };
    for (size_t i = 0; i < sizeof channels / sizeof channels[0]; i++)
        pit__channel_add(list, &channels[i]);
}

/* "avg10=1.23" are percent: in 1/10000. */
static uint64_t share_in(const char *text)
{
    const char *at = strstr(text, "avg10=");
    if (!at)
        return PIT__UNKNOWN;
    uint64_t whole = pit__number_at(at + 6);
    at = strchr(at, '.');
    if (whole == PIT__UNKNOWN || !at || pit__number_at(at + 1) == PIT__UNKNOWN ||
        pit__number_at(at + 2) == PIT__UNKNOWN)
        return PIT__UNKNOWN;
    return whole * 100 + (uint64_t)(at[1] - '0') * 10 + (uint64_t)(at[2] - '0');
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    char text[256];
    for (int i = 0; i < (int)(sizeof files / sizeof files[0]); i++) {
        int is_read = pit__source_text(now, state, i, files[i], text, sizeof text);
        values[i] = is_read ? share_in(text) : PIT__UNKNOWN;
    }
}

const struct pit__sample_source pit__source_pressure = {
    .name = "pressure", .every = 10, .open = describe, .read = take};
