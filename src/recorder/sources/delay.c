/* How long the main thread waited for storage. */
#include "recorder/sample_source.h"

#include <string.h>
#include <unistd.h>

#define FIELD 42 /* delayacct_blkio_ticks, counted from 1; the name in brackets is the second */
#define NAME_FIELD 2
static const char setting[] = "/proc/sys/kernel/task_delayacct"; /* since Linux 5.14 */

static int is_off(void)
{
    return pit__number_in(setting) == 0;
}

static void describe(struct pit__channel_list *list)
{
    pit__channel_add(list,
                     &(struct pit__channel){.key = "io_delay_ns",
                                            .unit = "ns",
                                            .help = "the main thread waited for storage",
                                            .missing = is_off() ? "kernel.task_delayacct is 0"
                                                                : "/proc/self/stat does not tell",
                                            .kind = PIT_FMT_COUNTER,
                                            .over_runs = PIT_FMT_MERGE_SUM});
}

/* The name may contain anything: fields are counted from its last bracket. */
static uint64_t ticks_in(const char *text)
{
    const char *at = strrchr(text, ')');
    for (int field = NAME_FIELD; at && field < FIELD; field++) {
        at = strchr(at, ' ');
        at = at ? at + 1 : NULL;
    }
    return at ? pit__number_at(at) : PIT__UNKNOWN;
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    char text[1024];
    uint64_t *is_silent = &state->words[0], *a_second = &state->words[1];
    if (now->readings == 0) {
        *is_silent = (uint64_t)is_off();
        *a_second = (uint64_t)sysconf(_SC_CLK_TCK);
    }
    values[0] = PIT__UNKNOWN;
    if (*is_silent || !*a_second ||
        !pit__source_text(now, state, 0, "/proc/self/stat", text, sizeof text))
        return;
    uint64_t ticks = ticks_in(text);
    if (ticks != PIT__UNKNOWN)
        values[0] = ticks * (1000000000u / *a_second);
}

const struct pit__sample_source pit__source_delay = {
    .name = "delay", .every = 10, .open = describe, .read = take};
