/* Fixture for the rules of advice: a training of 100 steps without a problem; each test changes one
 * thing. */
#ifndef PIT_ADVICE_STAGE_H
#define PIT_ADVICE_STAGE_H

#include "check.h"

#include "analysis/advice_rules.h"

#include <math.h>
#include <stdio.h>

enum { STEP, DATA, FORWARD, BACKWARD, OPTIMIZER, EXTRA, PARTS };

static struct pit__part parts[PARTS];
static struct pit__advised found[16];

static inline struct pit__part part_of(const char *name, size_t parent, double seconds)
{
    return (struct pit__part){.name = name,
                              .path = name,
                              .role = pit__role_of(name),
                              .seconds = seconds,
                              .self_seconds = seconds,
                              .median = seconds / 100,
                              .longest = seconds / 100,
                              .count = 100,
                              .half_calls = 50,
                              .half_seconds = seconds / 2,
                              .parent = parent};
}

/* Ten seconds: data 5 %, forward 30 %, backward 48 %, optimizer 16 %. */
static inline struct pit__case healthy(void)
{
    parts[STEP] = part_of("step", PIT__NO_PART, 10);
    parts[DATA] = part_of("data_loading", STEP, 0.5);
    parts[FORWARD] = part_of("forward", STEP, 3.0);
    parts[BACKWARD] = part_of("backward", STEP, 4.8);
    parts[OPTIMIZER] = part_of("optimizer", STEP, 1.6);
    parts[STEP].children = parts[STEP].own_parts = 4;
    parts[STEP].self_seconds = 0.1;
    struct pit__variation steady = {.count = 100,
                                    .mean = 0.1,
                                    .median = 0.1,
                                    .min = 0.1,
                                    .max = 0.11,
                                    .ratio = 1.1,
                                    .drift = NAN};
    struct pit__case all = {.parts = parts,
                            .part_count = EXTRA,
                            .total = 10,
                            .wall = 12,
                            .before = 1,
                            .between = 0,
                            .after = 1,
                            .unit = STEP,
                            .has_course = 1,
                            .in_order = 1,
                            .warmup = {.course = PIT__COURSE_FLAT, .level = 0.1},
                            .first = 0.1,
                            .all = steady,
                            .steady = steady,
                            .slow = {.part = PIT__NO_PART},
                            .later = {.part = PIT__NO_PART},
                            .step_up = NAN,
                            .step_from = NAN,
                            .fair = {NAN, NAN, NAN, NAN, NAN, 0},
                            .together = NAN,
                            .idle = NAN,
                            .threads_idle = NAN,
                            .used = NAN,
                            .kernel = NAN,
                            .children = NAN,
                            .interpreted = NAN,
                            .held = 500e6,
                            .held_at_first = 450e6,
                            .growth_a_minute = 0,
                            .limit = 8e9};
    all.around = (struct pit__around){.seconds = 11,
                                      .cpu = 1.8,
                                      .busy = NAN,
                                      .main_cpu = 0.97,
                                      .delayed = 0.01,
                                      .throttled = 0,
                                      .io_wait = NAN,
                                      .read = 0,
                                      .written = 0,
                                      .forced = 5,
                                      .faults = 0,
                                      .swapped = 0,
                                      .pressure = 0,
                                      .storage_pressure = 0,
                                      .processors = 2,
                                      .threads = 4};
    all.told = (struct pit__told){.framework = "torch 2.3.0",
                                  .device = "cpu",
                                  .dtype = "float32",
                                  .workers = NAN,
                                  .batch = 64,
                                  .accumulation = NAN,
                                  .compute_threads = 2,
                                  .persistent = -1,
                                  .compiled = -1,
                                  .foreach = -1,
                                  .fused = -1};
    return all;
}

static inline struct pit__case starved(void)
{
    struct pit__case all = healthy();
    all.around.delayed = 0.6;
    all.around.cpu = all.around.main_cpu = 0.4;
    return all;
}

/* The rules that apply, in their order, joined by blanks. */
static inline const char *rules_of(const struct pit__case *all)
{
    static char text[400];
    int count = pit__advise(all, found, 16);
    text[0] = 0;
    for (int i = 0; i < count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, found[i].rule->key);
    }
    return text;
}

static inline struct pit__case with_extra(const char *name, size_t parent, double seconds,
                                          uint64_t count)
{
    struct pit__case all = healthy();
    parts[EXTRA] = part_of(name, parent, seconds);
    parts[EXTRA].count = count;
    all.part_count = PARTS;
    if (parent == PIT__NO_PART)
        all.total += seconds;
    return all;
}

/* Move time from backward to a part, so that the length of the step does not change. */
static inline void give(size_t part, double seconds)
{
    double more = seconds - parts[part].seconds, left = parts[BACKWARD].seconds - more;
    double from_forward = left < 2 ? 2 - left : 0;
    parts[part].seconds = parts[part].self_seconds = seconds;
    parts[part].half_seconds = seconds / 2;
    parts[part].median = parts[part].longest = seconds / 100;
    parts[BACKWARD].seconds = parts[BACKWARD].self_seconds = left + from_forward;
    parts[FORWARD].seconds = parts[FORWARD].self_seconds = parts[FORWARD].seconds - from_forward;
}

#endif
