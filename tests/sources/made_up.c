/* A source that measures nothing, as small as a source can be: a test builds it into the library and
 * finds its channels in every output. Two devices, one of which does not answer. */
#include "recorder/sample_source.h"

#include <stdio.h>

static void describe(struct pit__channel_list *list)
{
    char key[32];
    for (int device = 0; device < 2; device++) {
        snprintf(key, sizeof key, "made_up%d_power_w", device);
        pit__channel_add(list, &(struct pit__channel){.key = key,
                                                      .unit = "W",
                                                      .help = "power of a device that is made up",
                                                      .missing = "the device does not answer",
                                                      .per_unit = 1000,
                                                      .over_time = PIT_FMT_MERGE_MEAN,
                                                      .over_runs = PIT_FMT_MERGE_ONCE});
    }
    pit__channel_add(list, &(struct pit__channel){.key = "made_up_readings",
                                                  .help = "how often the source was read",
                                                  .kind = PIT_FMT_COUNTER,
                                                  .over_runs = PIT_FMT_MERGE_SUM});
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    (void)now;
    values[0] = 12500; /* mW */
    values[1] = PIT__UNKNOWN;
    values[2] = ++state->words[0];
}

const struct pit__sample_source pit__source_made_up = {
    .name = "made_up", .every = 2, .open = describe, .read = take};
