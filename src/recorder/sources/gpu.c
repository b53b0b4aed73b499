/* GPUs: the last readings of their thread (device/gpu_table.h). One set of channels per GPU; none if there
 * is no GPU. */
#include "device/gpu_table.h"
#include "format/ordered.h"
#include "recorder/sample_source.h"

#include <stdio.h>

static const struct {
    const char *key;
    struct pit__channel channel;
} kinds[PIT__GPU_FIGURES] = {
    [PIT__GPU_BUSY] = {"busy",
                       {.unit = "share",
                        .help = "time in which the GPU had work",
                        .per_unit = 100,
                        .over_time = PIT_FMT_MERGE_MEAN}},
    [PIT__GPU_MEMORY] = {"memory_bytes",
                         {.unit = "bytes",
                          .help = "memory of the GPU in use, by all processes",
                          .over_time = PIT_FMT_MERGE_MAX}},
    [PIT__GPU_MEMORY_TOTAL] = {"memory_total_bytes",
                               {.unit = "bytes", .help = "memory that the GPU has"}},
    [PIT__GPU_OWN_MEMORY] = {"own_memory_bytes",
                             {.unit = "bytes",
                              .help = "memory of the GPU that this process uses",
                              .over_time = PIT_FMT_MERGE_MAX}},
    [PIT__GPU_POWER] = {"power_w",
                        {.unit = "W",
                         .help = "power of the GPU",
                         .per_unit = 1000,
                         .over_time = PIT_FMT_MERGE_MEAN}},
    [PIT__GPU_TEMPERATURE] = {"temperature_c",
                              {.unit = "C",
                               .help = "temperature of the GPU",
                               .per_unit = 1000,
                               .over_time = PIT_FMT_MERGE_MAX}},
    [PIT__GPU_CLOCK] = {"clock_hz",
                        {.unit = "Hz",
                         .help = "clock of the GPU's processors",
                         .over_time = PIT_FMT_MERGE_MEAN}},
    [PIT__GPU_MEMORY_CLOCK] = {"memory_clock_hz",
                               {.unit = "Hz",
                                .help = "clock of the GPU's memory",
                                .over_time = PIT_FMT_MERGE_MEAN}},
    [PIT__GPU_PCIE] = {"pcie_bytes_per_s",
                       {.unit = "bytes/s",
                        .help = "moved over PCIe, both ways",
                        .over_time = PIT_FMT_MERGE_MEAN}},
    [PIT__GPU_ENERGY] = {"energy_j",
                         {.unit = "J",
                          .help = "energy of the GPU, by its counter",
                          .per_unit = 1000000,
                          .kind = PIT_FMT_COUNTER}},
};

static const char not_told[] = "this GPU, or its driver, does not tell";

static void describe(struct pit__channel_list *list)
{
    const struct pit__gpus *gpus = pit__gpus_find();
    for (size_t i = 0; i < gpus->count; i++)
        for (int k = 0; k < PIT__GPU_FIGURES; k++) {
            char key[48];
            struct pit__channel channel = kinds[k].channel;
            snprintf(key, sizeof key, "gpu%zu_%s", i, kinds[k].key);
            channel.key = key;
            channel.missing = not_told;
            channel.over_runs = PIT_FMT_MERGE_ONCE;
            pit__channel_add(list, &channel);
        }
}

static void take(struct pit__reading *now, struct pit__source_state *state, uint64_t *values)
{
    struct pit__gpus *gpus = pit__gpus_find();
    char *stuck = (char *)state->words; /* room for a reason */
    int is_stuck = pit__gpus_stuck(stuck, PIT__GPU_WHY);
    for (size_t i = 0; i < gpus->count; i++) {
        const char *why = PIT_LOAD_ACQUIRE(gpus->list[i].why);
        if (!why)
            why = not_told; /* a call that returned late is no reason any more */
        for (int k = 0; k < PIT__GPU_FIGURES; k++) {
            size_t at = i * PIT__GPU_FIGURES + (size_t)k;
            values[at] = is_stuck ? PIT__UNKNOWN : PIT_LOAD(gpus->list[i].figures[k]);
            now->why[at] = is_stuck ? stuck : why;
        }
    }
    pit__gpus_ask();
}

_Static_assert(sizeof((struct pit__source_state){0}.words) >= PIT__GPU_WHY, "a reason fits");

const struct pit__sample_source pit__source_gpu = {
    .name = "gpu", .every = 1, .open = describe, .read = take};
