/* How much of the process is in swap, and how much the machine reads back from it.
 *
 * The machine's count is in a long file, which takes as long to read as all others of a second
 * together. A process with nothing in swap never waits for it, so the file is read only while something
 * is in swap, and at the first and the last reading of a run. */
#include "recorder/sample_source.h"

#include <unistd.h>

enum { SWAP, SWAPPED_IN };
enum { STATUS, VMSTAT }; /* files */

static void describe(struct pit__channel_list *list)
{
    pit__channel_add(list, &(struct pit__channel){.key = "swap_bytes",
                                                  .unit = "bytes",
                                                  .help = "memory of the process that is in swap",
                                                  .missing = "no VmSwap in /proc/self/status",
                                                  .over_time = PIT_FMT_MERGE_MAX,
                                                  .over_runs = PIT_FMT_MERGE_SUM});
    pit__channel_add(list, &(struct pit__channel){.key = "swapped_in_bytes",
                                                  .unit = "bytes",
                                                  .help = "read from swap by the whole machine",
                                                  .missing = "no pswpin in /proc/vmstat",
                                                  .kind = PIT_FMT_COUNTER,
                                                  .over_runs = PIT_FMT_MERGE_ONCE});
}

static uint64_t swapped_in(const struct pit__reading *now, struct pit__source_state *state)
{
    char text[4096]; /* pswpin is in the middle of the file */
    if (!pit__source_text(now, state, VMSTAT, "/proc/vmstat", text, sizeof text))
        return PIT__UNKNOWN;
    uint64_t pages = pit__number_after(text, "\npswpin ");
    return pages == PIT__UNKNOWN ? PIT__UNKNOWN : pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    char text[4096];
    uint64_t kilobytes =
        pit__source_text(now, state, STATUS, "/proc/self/status", text, sizeof text)
            ? pit__number_after(text, "\nVmSwap:")
            : PIT__UNKNOWN;
    values[SWAP] = kilobytes == PIT__UNKNOWN ? PIT__UNKNOWN : kilobytes * 1024;
    if (kilobytes != 0 || now->readings == 0)
        values[SWAPPED_IN] = swapped_in(now, state);
}

const struct pit__sample_source pit__source_swap = {
    .name = "swap", .every = 10, .open = describe, .read = take};
