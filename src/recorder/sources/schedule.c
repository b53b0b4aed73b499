/* The main thread: its time on a processor, and its time ready to run without one. The file of the
 * process is that of its first thread. */
#include "recorder/sample_source.h"

enum { CPU, DELAY };

static void describe(struct pit__channel_list *list)
{
    static const char missing[] = "/proc/self/schedstat does not tell (CONFIG_SCHEDSTATS)";
    struct pit__channel channel = {.key = "main_cpu_ns",
                                   .unit = "ns",
                                   .help = "processor time of the main thread",
                                   .missing = missing,
                                   .kind = PIT_FMT_COUNTER,
                                   .over_runs = PIT_FMT_MERGE_SUM};
    pit__channel_add(list, &channel);
    channel.key = "run_delay_ns";
    channel.help = "the main thread was ready to run and had no processor";
    pit__channel_add(list, &channel);
}

/* "time delay turns". A kernel that does not count says "0 0 0", which no thread that ran has. */
static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    char text[128];
    values[CPU] = values[DELAY] = PIT__UNKNOWN;
    if (!pit__source_text(now, state, 0, "/proc/self/schedstat", text, sizeof text))
        return;
    uint64_t cpu = pit__number_at(text), delay = pit__number_after(text, " ");
    if (cpu == 0 && delay == 0)
        return;
    values[CPU] = cpu;
    values[DELAY] = delay;
}

const struct pit__sample_source pit__source_schedule = {
    .name = "schedule", .every = 1, .open = describe, .read = take};
