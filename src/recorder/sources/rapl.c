/* Energy of processors and memory, by the counters in /sys/class/powercap. One channel per domain; none if
 * the machine has no domain. */
#include "device/rapl_domains.h"
#include "recorder/sample_source.h"

static void describe(struct pit__channel_list *list)
{
    const struct pit__rapl *rapl = pit__rapl_find();
    for (size_t i = 0; i < rapl->count; i++)
        pit__channel_add(list, &(struct pit__channel){.key = rapl->domains[i].key,
                                                      .unit = "J",
                                                      .help = "energy, of all programs together",
                                                      .missing = rapl->domains[i].missing,
                                                      .per_unit = 1000000,
                                                      .kind = PIT_FMT_COUNTER,
                                                      .over_runs = PIT_FMT_MERGE_ONCE});
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    struct pit__rapl *rapl = pit__rapl_find();
    (void)now;
    (void)state;
    for (size_t i = 0; i < rapl->count; i++)
        values[i] = pit__rapl_read(&rapl->domains[i]);
}

const struct pit__sample_source pit__source_rapl = {
    .name = "rapl", .every = 10, .open = describe, .read = take};
