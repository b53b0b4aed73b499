/* Each rule of runs by itself: what it needs to hold, and what keeps it silent. The case is made by hand:
 * a training of 100 steps in which nothing is wrong, changed in one way at a time. */
#include "check.h"

#include "analysis/advice_rules.h"

#include <math.h>
#include <stdio.h>

enum { STEP, DATA, FORWARD, BACKWARD, OPTIMIZER, EXTRA, PARTS };

static struct pit__part parts[PARTS];
static struct pit__advised found[16];

static struct pit__part part_of(const char *name, size_t parent, double seconds)
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
static struct pit__case healthy(void)
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
                            .step_up = NAN,
                            .step_from = NAN,
                            .fair = {NAN, NAN, NAN, NAN, NAN, 0},
                            .together = NAN,
                            .idle = NAN,
                            .interpreted = NAN,
                            .held = 500e6,
                            .held_at_first = 450e6,
                            .growth_a_minute = 0,
                            .limit = 8e9};
    all.around = (struct pit__around){.seconds = 11,
                                      .cpu = 1.8,
                                      .main_cpu = 0.97,
                                      .delayed = 0.01,
                                      .stopped = 0,
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

static struct pit__case starved(void)
{
    struct pit__case all = healthy();
    all.around.delayed = 0.6;
    all.around.cpu = all.around.main_cpu = 0.4;
    return all;
}

/* The rules that hold, in their order, joined by blanks. */
static const char *rules_of(const struct pit__case *all)
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

static struct pit__case with_extra(const char *name, size_t parent, double seconds, uint64_t count)
{
    struct pit__case all = healthy();
    parts[EXTRA] = part_of(name, parent, seconds);
    parts[EXTRA].count = count;
    all.part_count = PARTS;
    if (parent == PIT__NO_PART)
        all.total += seconds;
    return all;
}

/* Take from backward what is given to a part, so that the step is as long as before. */
static void give(size_t part, double seconds)
{
    double more = seconds - parts[part].seconds, left = parts[BACKWARD].seconds - more;
    double from_forward = left < 2 ? 2 - left : 0;
    parts[part].seconds = parts[part].self_seconds = seconds;
    parts[part].half_seconds = seconds / 2;
    parts[part].median = parts[part].longest = seconds / 100;
    parts[BACKWARD].seconds = parts[BACKWARD].self_seconds = left + from_forward;
    parts[FORWARD].seconds = parts[FORWARD].self_seconds = parts[FORWARD].seconds - from_forward;
}

TEST(a_healthy_training_has_nothing_that_stands_out)
{
    struct pit__case all = healthy();
    CHECK_STR(rules_of(&all), "nothing");
    CHECK_INT(found[0].match.severity, 0);
    CHECK_INT(found[0].match.listed_count, 4);
    CHECK_INT(found[0].match.listed[0], BACKWARD);
    all.around = (struct pit__around){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN,
                                      NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    CHECK_STR(rules_of(&all), "nothing"); /* without a sampler too */
}

/* ---- the machine ----------------------------------------------------------------------------- */

TEST(a_program_without_a_processor_is_starved)
{
    struct pit__case all = healthy();
    all.around.delayed = 0.61;
    all.around.main_cpu = 0.39;
    all.around.cpu = 0.7;
    CHECK_STR(rules_of(&all), "starved");
    CHECK_NEAR(found[0].match.stake, 6.71, 1e-9);
    CHECK_INT(found[0].match.severity, 2);
    all.around.delayed = 0.08;
    CHECK_STR(rules_of(&all), "nothing");
    all.around.delayed = 0.5;
    all.around.seconds = 0.3; /* a moment of a short run */
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(being_starved_explains_how_the_steps_vary_and_not_where_they_spend_their_time)
{
    struct pit__case all = healthy();
    all.around.delayed = 0.4;
    all.around.cpu = 0.7;
    all.steady.ratio = 5;
    all.steady.off_count = 30;
    all.steady.excess = 0.4;
    CHECK_STR(rules_of(&all), "starved");
    give(DATA, 4);
    CHECK_STR(rules_of(&all), "starved input_processor");
    all.around.delayed = 0;
    CHECK_STR(rules_of(&all), "input_processor high_variance");
}

TEST(threads_of_its_own_that_take_the_processors_are_oversubscription)
{
    struct pit__case all = healthy();
    all.around.delayed = 0.5;
    all.around.cpu = 1.9;
    all.around.threads = 17;
    CHECK_STR(rules_of(&all), "oversubscribed");
    all.around.threads = 8; /* those of a framework: it waits for its own work */
    CHECK_STR(rules_of(&all), "nothing");
    all.told.compute_threads = 16;
    all.around.cpu = 0.9; /* others are there as well */
    CHECK_STR(rules_of(&all), "oversubscribed");
    CHECK_NEAR(found[0].match.figures[5], 16, 0);
    all = healthy();
    all.around.delayed = 0.5;
    all.told.workers = 8;
    CHECK_STR(rules_of(&all), "oversubscribed");
    all = healthy();
    all.around.threads = 17; /* the main thread waits for those that compute */
    all.around.cpu = 1.95;
    all.around.forced = 400;
    CHECK_STR(rules_of(&all), "oversubscribed");
    CHECK(isnan(found[0].match.stake));
    all.around.forced = 20; /* idle ones are no harm */
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(a_team_is_known_beside_other_programs_too)
{
    struct pit__case all = starved();
    all.around.threads = 17;
    all.around.forced = 600;
    CHECK_STR(rules_of(&all), "starved"); /* the others idle: what there is the main thread has */
    all.around.main_cpu = 0.05;
    CHECK_STR(rules_of(&all), "oversubscribed");
    all.around.forced = 60; /* the main thread waits for one that computes */
    CHECK_STR(rules_of(&all), "starved");
    all.around.forced = 600;
    all.around.threads = 8;
    CHECK_STR(rules_of(&all), "starved");
}

TEST(a_quota_that_stops_the_program_is_said_before_its_waiting)
{
    struct pit__case all = healthy();
    all.around.stopped = 0.6;
    all.around.delayed = 0.5;
    all.around.cpu = 0.4;
    CHECK_STR(rules_of(&all), "throttled");
    all.around.stopped = 2.5; /* counted for each processor */
    CHECK_STR(rules_of(&all), "throttled");
    CHECK_NEAR(found[0].match.share, 1, 0);
    all.around.stopped = 0.01;
    all.around.delayed = 0;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(pages_from_storage_are_swapping_only_where_memory_is_short)
{
    struct pit__case all = healthy();
    all.around.faults = 500;
    CHECK_STR(rules_of(&all), "nothing"); /* a program that is read in */
    all.around.pressure = 0.3;
    CHECK_STR(rules_of(&all), "swapping");
    all.around.pressure = 0;
    all.around.swapped = 100e6;
    CHECK_STR(rules_of(&all), "swapping");
    all.around.swapped = 0;
    all.limit = 520e6;
    CHECK_STR(rules_of(&all), "swapping");
    all.around.faults = 2;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(a_gpu_whose_memory_is_almost_full_is_told_only_where_it_was_measured)
{
    struct pit__case all = healthy();
    all.around.device_total = 80e9;
    all.around.device_used = 79e9;
    CHECK(strstr(rules_of(&all), "device_memory") != NULL);
    all.around.device_used = 60e9;
    CHECK(strstr(rules_of(&all), "device_memory") == NULL);
    all.around.device_used = NAN;
    CHECK(strstr(rules_of(&all), "device_memory") == NULL);
    all.around.device_used = 79e9;
    all.around.device_total = NAN;
    CHECK(strstr(rules_of(&all), "device_memory") == NULL);
}

TEST(what_no_busy_machine_makes_is_said_beside_it)
{
    struct pit__case all = with_extra("solve", STEP, 3, 100);
    all.around.delayed = 0.4;
    all.around.cpu = 0.7;
    parts[EXTRA].half_calls = 3;
    parts[EXTRA].half_seconds = 2.4; /* 0.8 s each: no wait for a processor */
    parts[EXTRA].median = 0.005;
    CHECK_STR(rules_of(&all), "starved concentrated");
    parts[EXTRA].half_calls = 5;
    parts[EXTRA].half_seconds = 0.19;
    CHECK_STR(rules_of(&all), "starved");
    all = healthy();
    all.around.delayed = 0.4;
    all.around.cpu = 0.7;
    all.warmup.course = PIT__COURSE_DRIFT;
    all.steady.drift = 0.3;
    CHECK_STR(rules_of(&all), "starved");
    all.steady.drift = 1.3;
    CHECK_STR(rules_of(&all), "starved drift");
}

TEST(a_slower_level_is_seen_through_the_waits_for_a_processor)
{
    struct pit__case all = starved();
    all.step_up = 3; /* with the waits: other programs came */
    all.step_from = 0.05;
    all.fair.blocks = 30;
    CHECK_STR(rules_of(&all), "starved");
    all.fair =
        (struct pit__fair){.drift = 2, .step_up = 4, .step_from = 0.01, .above = 0.5, .blocks = 30};
    CHECK_STR(rules_of(&all), "starved slowdown");
    CHECK_NEAR(found[1].match.stake, 5, 1e-9);
    CHECK_NEAR(found[1].match.figures[4], 0.04, 1e-9);
    parts[STEP].half_calls = 2; /* what waited takes most: that is no reason to be silent */
    CHECK_STR(rules_of(&all), "starved slowdown");
    all.fair.step_up = 1.3; /* neighbours in the caches */
    CHECK_STR(rules_of(&all), "starved");
    all.fair.step_up = NAN;
    CHECK_STR(rules_of(&all), "starved drift");
    all.fair.drift = 0.3;
    CHECK_STR(rules_of(&all), "starved");
}

TEST(steps_that_differ_by_themselves_are_told_from_those_that_waited)
{
    struct pit__case all = starved();
    all.steady.ratio = 9;
    all.steady.off_count = 30;
    all.steady.excess = 0.4;
    all.steady.low_spread = 3;
    all.around.forced = 50; /* several waits in a step of 0.1 s */
    all.together = 1.3;
    CHECK_STR(rules_of(&all), "starved");
    all.together = 3;
    CHECK_STR(rules_of(&all), "starved high_variance");
    all.together = NAN;
    all.around.forced = 2; /* most had none, and these differ */
    CHECK_STR(rules_of(&all), "starved high_variance");
    all.steady.low_spread = 1.2;
    CHECK_STR(rules_of(&all), "starved");
}

TEST(a_beat_that_ranks_show_is_said_on_a_busy_machine)
{
    struct pit__case all = starved();
    all.steady.period = 20;
    all.steady.slow_count = 5;
    all.steady.slow_mean = 0.25;
    CHECK_STR(rules_of(&all), "starved"); /* chance may have put them there */
    all.steady.is_ranked = 1;
    CHECK_STR(rules_of(&all), "starved periodic_stall");
}

TEST(the_first_step_has_to_be_longer_than_luck_makes_it)
{
    struct pit__case all = starved();
    all.warmup.ends_at = 1;
    all.first = 2;
    all.warming = 1.9; /* of 10 s */
    CHECK_STR(rules_of(&all), "starved");
    all.warming = 3;
    CHECK_STR(rules_of(&all), "starved first_step");
    all.fair.blocks = 30;
    all.fair.warming = 0.03; /* most of it was waits */
    CHECK_STR(rules_of(&all), "starved");
    all.fair.warming = 0.2;
    CHECK_STR(rules_of(&all), "starved first_step");
    all.around.delayed = 0.95;
    all.around.cpu = 0.05;
    CHECK_STR(rules_of(&all), "starved");
    all.warming = 4.5;
    CHECK_STR(rules_of(&all), "starved first_step");
}

TEST(threads_that_wait_for_one_another_make_no_odd_ratio)
{
    struct pit__case all = starved();
    give(FORWARD, 1.7);
    parts[BACKWARD].seconds = parts[BACKWARD].self_seconds = 6.1; /* 3.6 times */
    CHECK_STR(rules_of(&all), "starved");
    all.told.compute_threads = 1;
    CHECK_STR(rules_of(&all), "starved odd_ratio");
    all.idle = 0.1; /* it sleeps: what comes after that has a processor at once */
    CHECK_STR(rules_of(&all), "starved");
    parts[FORWARD].seconds = parts[FORWARD].self_seconds = 1.1;
    CHECK_STR(rules_of(&all), "starved odd_ratio");
}

TEST(long_waits_make_long_calls)
{
    struct pit__case all = with_extra("solve", STEP, 3, 100);
    all.around.delayed = 0.8;
    all.around.cpu = 0.2;
    all.around.forced = 80; /* 10 ms each */
    parts[EXTRA].half_calls = 5;
    parts[EXTRA].half_seconds = 1.0;
    parts[EXTRA].median = 0.005;
    CHECK_STR(rules_of(&all), "starved concentrated");
    all.around.forced = 8; /* 100 ms each */
    CHECK_STR(rules_of(&all), "starved");
    all.around.forced = NAN;
    CHECK_STR(rules_of(&all), "starved concentrated");
}

/* ---- data -------------------------------------------------------------------------------------- */

TEST(loading_says_what_it_does_with_its_time)
{
    struct pit__case all = healthy();
    give(DATA, 5);
    CHECK_STR(rules_of(&all), "input_processor");
    CHECK(strstr(found[0].match.remedy, "num_workers={n5}") != NULL);
    all.around.main_cpu = 0.5;
    CHECK_STR(rules_of(&all), "input_waiting");
    all.idle = 0.05; /* it waited before its first span */
    CHECK_STR(rules_of(&all), "input_processor");
    all.idle = 0.5;
    CHECK_STR(rules_of(&all), "input_waiting");
    all.around.read = 100e6;
    CHECK_STR(rules_of(&all), "input_storage");
    all.around.read = 0;
    all.around.io_wait = 0.4;
    CHECK_STR(rules_of(&all), "input_storage");
    all.told.framework = NULL; /* no loader of a framework: no such argument */
    CHECK_STR(rules_of(&all), "input_storage");
    CHECK(!strstr(found[0].match.remedy, "num_workers"));
    all = healthy();
    give(DATA, 1.9);
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(without_figures_of_the_main_thread_the_process_tells_whether_it_waits)
{
    struct pit__case all = healthy();
    give(DATA, 5);
    all.around.main_cpu = all.around.delayed = NAN;
    all.around.cpu = 0.3;
    CHECK_STR(rules_of(&all), "input_waiting");
    all.around.cpu = 0.9;
    CHECK_STR(rules_of(&all), "input_processor");
    CHECK(strstr(found[0].match.headline, "computing") != NULL);
    all.around.cpu = NAN;
    CHECK_STR(rules_of(&all), "input_processor");
    CHECK(strstr(found[0].match.headline, "computing") == NULL);
}

TEST(workers_are_asked_for_only_while_there_are_processors)
{
    struct pit__case all = healthy();
    give(DATA, 5);
    all.told.workers = 1;
    all.around.main_cpu = 0.5;
    CHECK_STR(rules_of(&all), "input_few_workers");
    all.told.workers = 2;
    CHECK_STR(rules_of(&all), "input_processor");
    CHECK(!strstr(found[0].match.remedy, "num_workers"));
}

TEST(workers_that_wait_for_a_processor_are_not_too_few)
{
    struct pit__case all = starved();
    all.told.workers = 1;
    give(DATA, 4);
    CHECK_STR(rules_of(&all), "starved");
    give(DATA, 7);
    CHECK_STR(rules_of(&all), "starved input_few_workers");
    give(DATA, 4);
    all.told.workers = NAN; /* the program loads by itself: it waits as much in all parts */
    CHECK_STR(rules_of(&all), "starved input_processor");
}

TEST(one_long_call_of_a_starved_loader_is_luck)
{
    struct pit__case all = starved();
    give(DATA, 4);
    parts[DATA].half_calls = 2;
    parts[DATA].half_seconds = 2.4;
    parts[DATA].median = 0.01;
    CHECK_STR(rules_of(&all), "starved input_few_slow");
    parts[DATA].half_calls = 1;
    CHECK_STR(rules_of(&all), "starved input_processor");
}

TEST(few_slow_calls_of_loading_are_told_from_many)
{
    struct pit__case all = healthy();
    give(DATA, 5);
    parts[DATA].half_calls = 2;
    parts[DATA].half_seconds = 4;
    parts[DATA].median = 0.01;
    parts[DATA].longest = 2;
    CHECK_STR(rules_of(&all), "input_few_slow");
    CHECK_NEAR(found[0].match.stake, 3.98, 1e-9);
}

TEST(workers_that_are_started_anew_are_named)
{
    struct pit__case all = healthy();
    parts[EXTRA] = part_of("loader_start", PIT__NO_PART, 3);
    parts[EXTRA].count = 10;
    all.part_count = PARTS;
    all.total = 13;
    CHECK_STR(rules_of(&all), "input_restarts");
    all.told.persistent = 1;
    CHECK(!strstr(rules_of(&all), "restarts"));
    all.told.persistent = 0;
    parts[EXTRA].count = 1; /* once is how it begins */
    CHECK(!strstr(rules_of(&all), "restarts"));
    parts[EXTRA].count = 10;
    parts[EXTRA].seconds = parts[EXTRA].self_seconds = 0.2;
    give(DATA, 4); /* the first batch after each start waits for the workers */
    parts[DATA].half_calls = 10;
    parts[DATA].half_seconds = 3.5;
    parts[DATA].median = 0.004;
    CHECK_STR(rules_of(&all), "input_restarts");
    CHECK_NEAR(found[0].match.stake, 0.2 + 3.5 - 0.04, 1e-9);
    all.steady.period = 10; /* which is a beat too */
    all.steady.slow_count = 10;
    all.steady.slow_mean = 0.5;
    all.slow = (struct pit__slow){.part = DATA, .share = 0.9};
    CHECK_STR(rules_of(&all), "input_restarts");
}

/* ---- parts ------------------------------------------------------------------------------------- */

TEST(validation_checkpoints_and_logging_are_known_by_name)
{
    struct pit__case all = with_extra("eval_step", PIT__NO_PART, 4, 20);
    CHECK_STR(rules_of(&all), "validation");
    CHECK_NEAR(found[0].match.figures[5], 5, 0); /* every five steps */
    all = with_extra("validation", PIT__NO_PART, 1, 2);
    CHECK_STR(rules_of(&all), "nothing");
    all = with_extra("save_checkpoint", PIT__NO_PART, 2, 20);
    CHECK_STR(rules_of(&all), "checkpoint");
    all = with_extra("checkpoint", PIT__NO_PART, 0.3, 1);
    CHECK_STR(rules_of(&all), "nothing");
    all = with_extra("log_metrics", PIT__NO_PART, 2, 100);
    CHECK_STR(rules_of(&all), "logging");
    all = with_extra("log_metrics", PIT__NO_PART, 0.5, 100);
    CHECK_STR(rules_of(&all), "nothing");
    all = with_extra("write_output", PIT__NO_PART, 2, 1); /* once, at the end */
    CHECK_STR(rules_of(&all), "nothing");
    all = with_extra("save_model", PIT__NO_PART, 2, 1);
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(what_is_done_around_saving_is_part_of_it)
{
    struct pit__case all = with_extra("checkpoint", STEP, 1, 20);
    parts[BACKWARD].seconds = parts[BACKWARD].self_seconds = 2;
    parts[FORWARD].seconds = parts[FORWARD].self_seconds = 1;
    parts[STEP].self_seconds = 3.9;
    CHECK_STR(rules_of(&all), "unmarked checkpoint");
    parts[STEP].place = "train.py:16 in save";
    CHECK_STR(rules_of(&all), "checkpoint");
    CHECK_NEAR(found[0].match.stake, 4.9, 1e-9);
}

TEST(a_program_that_only_evaluates_does_not_validate_too_much)
{
    struct pit__case all = healthy();
    parts[0] = part_of("eval_step", PIT__NO_PART, 10);
    all.part_count = 1;
    all.unit = PIT__NO_PART;
    all.has_course = 0;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(unmarked_time_has_a_line_where_one_is_known)
{
    struct pit__case all = healthy();
    parts[BACKWARD].seconds = parts[BACKWARD].self_seconds = 2;
    parts[FORWARD].seconds = parts[FORWARD].self_seconds = 1;
    parts[STEP].self_seconds = 4.9;
    CHECK_STR(rules_of(&all), "unmarked");
    CHECK(!found[0].match.texts[0]);
    parts[STEP].place = "train.py:74 in main";
    parts[STEP].place_share = 0.8;
    CHECK_STR(rules_of(&all), "unmarked");
    CHECK_STR(found[0].match.texts[0], "train.py:74 in main");
    parts[STEP].place = "train.py:74 in log_histograms";
    CHECK_STR(rules_of(&all), "logging");
    parts[STEP].self_seconds = 1;
    CHECK_STR(rules_of(&all), "nothing");
    all.between = 6;
    CHECK_STR(rules_of(&all), "unmarked");
    CHECK_NEAR(found[0].match.share, 6.0 / 16, 1e-9);
}

TEST(small_batches_are_overhead)
{
    struct pit__case all = healthy();
    all.told.batch = 1;
    parts[FORWARD].count = parts[STEP].count = 10000;
    parts[STEP].median = 1e-3;
    CHECK_STR(rules_of(&all), "overhead");
    all.told.batch = 64;
    CHECK_STR(rules_of(&all), "nothing");
    all.told.batch = NAN;
    CHECK_STR(rules_of(&all), "nothing");
    parts[STEP].median = 200e-6;
    CHECK_STR(rules_of(&all), "overhead");
    all.told.framework = NULL;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(an_optimizer_is_judged_without_the_closure_inside_it)
{
    struct pit__case all = healthy();
    give(OPTIMIZER, 4.5);
    CHECK_STR(rules_of(&all), "optimizer");
    CHECK(strstr(found[0].match.remedy, "foreach") != NULL);
    all.told.foreach = 1;
    CHECK_STR(rules_of(&all), "optimizer");
    CHECK(!strstr(found[0].match.remedy, "foreach"));
    parts[OPTIMIZER].self_seconds = 1;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(a_backward_is_compared_with_the_forward_of_its_name)
{
    struct pit__case all = healthy();
    parts[FORWARD] = part_of("matmul_forward", STEP, 1.0);
    parts[BACKWARD] = part_of("matmul_backward", STEP, 5.3);
    CHECK_STR(rules_of(&all), "odd_ratio");
    CHECK_NEAR(found[0].match.figures[0], 5.3, 1e-9);
    CHECK_NEAR(found[0].match.stake, 3.3, 1e-9);
    parts[FORWARD] = part_of("softmax_forward", STEP, 1.0);
    CHECK_STR(rules_of(&all), "nothing"); /* of another layer */
    parts[FORWARD] = part_of("forward", STEP, 1.0);
    parts[BACKWARD] = part_of("backward", STEP, 6.0);
    all.told.dtype = "bfloat16";
    CHECK_STR(rules_of(&all), "odd_ratio");
    CHECK(strstr(found[0].match.remedy, "float32") != NULL);
    parts[BACKWARD] = part_of("backward", STEP, 3.0);
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(few_calls_that_take_most_of_a_part_are_named)
{
    struct pit__case all = with_extra("solve", STEP, 3, 100);
    parts[EXTRA].half_calls = 3;
    parts[EXTRA].half_seconds = 2.4;
    parts[EXTRA].median = 0.005;
    CHECK_STR(rules_of(&all), "concentrated");
    CHECK_NEAR(found[0].match.stake, 2.385, 1e-9);
    parts[EXTRA].half_calls = 20;
    CHECK_STR(rules_of(&all), "nothing");
    parts[EXTRA].half_calls = 1; /* the first call: that is another rule's */
    parts[EXTRA].is_longest_first = 1;
    CHECK_STR(rules_of(&all), "nothing");
}

/* ---- the course --------------------------------------------------------------------------------- */

TEST(a_function_whose_large_calls_come_on_a_beat_is_no_stall)
{
    struct pit__case all = healthy();
    parts[0] = part_of("matmul", PIT__NO_PART, 10);
    parts[0].count = 680;
    parts[0].half_calls = 30;
    parts[0].half_seconds = 6;
    parts[0].median = 0.006;
    all.part_count = 1;
    all.steady.period = 17;
    all.steady.slow_count = 40;
    all.steady.slow_mean = 0.2;
    all.steady.median = 0.006;
    CHECK_STR(rules_of(&all), "concentrated");
    parts[0].role = PIT__ROLE_BATCH;
    CHECK_STR(rules_of(&all), "periodic_stall");
}

TEST(a_first_step_that_costs_is_named_and_compiling_told_apart)
{
    struct pit__case all = healthy();
    all.first = 2;
    all.warming = 1.9;
    all.warmup.ends_at = 1;
    CHECK_STR(rules_of(&all), "first_step");
    CHECK(strstr(found[0].match.headline, "FIRST STEP") != NULL);
    all.told.compiled = 1;
    CHECK_STR(rules_of(&all), "first_step");
    CHECK(strstr(found[0].match.headline, "COMPILE") != NULL);
    all.first = 0.3;
    all.warming = 0.2; /* two per cent */
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(the_first_call_of_a_part_is_told_from_a_few_slow_ones)
{
    struct pit__case all = with_extra("multiply", STEP, 3, 100);
    parts[EXTRA].half_calls = 1;
    parts[EXTRA].half_seconds = parts[EXTRA].longest = 2.4;
    parts[EXTRA].median = 0.006;
    CHECK_STR(rules_of(&all), "concentrated");
    parts[EXTRA].is_longest_first = 1;
    CHECK_STR(rules_of(&all), "first_step");
    CHECK_INT(found[0].match.part, EXTRA);
}

TEST(two_levels_are_a_slowdown_and_no_drift)
{
    struct pit__case all = healthy();
    all.warmup.course = PIT__COURSE_UNSTEADY;
    all.steady.drift = 1.3;
    CHECK_STR(rules_of(&all), "drift");
    all.step_up = 3;
    all.step_from = 0.05;
    CHECK_STR(rules_of(&all), "slowdown");
    CHECK_NEAR(found[0].match.stake, 5, 1e-9);
    all.step_from = 0.094; /* it costs 6 % */
    CHECK_STR(rules_of(&all), "nothing");
    all.step_up = 0.5; /* faster */
    all.steady.drift = NAN;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(what_would_hardly_shorten_the_run_is_not_said)
{
    struct pit__case all = healthy();
    all.warmup.course = PIT__COURSE_SLOWDOWN;
    all.warmup.level = 0.05;
    CHECK_STR(rules_of(&all), "slowdown");
    parts[STEP].seconds = 0.9; /* of one small loop of several */
    parts[STEP].self_seconds = 0;
    CHECK(strstr(rules_of(&all), "slowdown") == NULL);
}

TEST(what_varies_in_stretches_is_not_the_input)
{
    struct pit__case all = healthy();
    all.steady.ratio = 5;
    all.steady.off_count = 30;
    all.steady.excess = 0.2;
    CHECK_STR(rules_of(&all), "high_variance");
    all.around.delayed = 0.09; /* so much can be luck */
    CHECK_STR(rules_of(&all), "nothing");
    all.around.delayed = 0;
    all.warmup.autocorrelated = 12;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(a_beat_is_explained_by_the_part_that_makes_it)
{
    struct pit__case all = healthy();
    all.steady.period = 20;
    all.steady.slow_count = 5;
    all.steady.slow_mean = 0.5;
    CHECK_STR(rules_of(&all), "periodic_stall");
    CHECK(strstr(found[0].match.headline, "because of") == NULL);
    all.slow = (struct pit__slow){.part = FORWARD, .share = 0.9};
    CHECK_STR(rules_of(&all), "periodic_stall");
    CHECK_STR(found[0].match.texts[0], "forward");
    all = with_extra("validation", STEP, 4, 5);
    all.steady.period = 20;
    all.steady.slow_count = 5;
    all.steady.slow_mean = 0.9;
    all.slow = (struct pit__slow){.part = EXTRA, .share = 0.9};
    CHECK_STR(rules_of(&all), "validation"); /* the cause, not its beat */
}

TEST(a_rule_of_memory_tells_a_leak_from_a_cache)
{
    struct pit__case all = healthy();
    all.held_at_first = 100e6;
    CHECK_STR(rules_of(&all), "nothing cache");
    all.is_growing = 1;
    all.grown = 50e6;
    all.growth_a_minute = 600e6;
    CHECK_STR(rules_of(&all), "leak");
    give(DATA, 5); /* it may die of it: that comes first */
    CHECK_STR(rules_of(&all), "leak input_processor");
    all.grown = 10e6;
    CHECK_STR(rules_of(&all), "input_processor");
}

/* ---- devices ---------------------------------------------------------------------------------- */

/* So many pieces of device work that a part launches, each of this length, waiting for so long. */
static void launch(size_t part, uint64_t pieces, double each, double waited)
{
    parts[part].own_launches = parts[part].device_waits = pieces;
    parts[part].launched_seconds = (double)pieces * each;
    parts[part].device_wait_seconds = (double)pieces * waited;
    for (size_t at = part; at != PIT__NO_PART; at = parts[at].parent) {
        parts[at].device_count += pieces;
        parts[at].device_seconds += (double)pieces * each;
    }
}

TEST(a_device_without_work_is_idle_by_what_the_host_does_meanwhile)
{
    struct pit__case all = healthy();
    give(DATA, 5);
    launch(FORWARD, 200, 0.015, 0.1); /* 3 s of 10 */
    CHECK_STR(rules_of(&all), "gpu_idle");
    CHECK_STR(parts[found[0].match.part].name, "data_loading");
    CHECK_STR(found[0].match.texts[0], "step");
    CHECK(fabs(found[0].match.figures[0] - 0.7) < 1e-9);
    CHECK(fabs(found[0].match.stake - 5) < 1e-9);
}

TEST(nothing_is_said_of_a_device_of_which_nothing_was_measured)
{
    struct pit__case all = healthy();
    give(DATA, 5);
    CHECK_STR(rules_of(&all), "input_processor");
}

TEST(a_device_that_works_most_of_the_time_is_not_idle)
{
    struct pit__case all = healthy();
    give(DATA, 5); /* the device goes on meanwhile */
    launch(FORWARD, 200, 0.04, 0.1);
    CHECK_STR(rules_of(&all), "input_processor");
    all = healthy(); /* idle, but no part of the host's explains it */
    launch(FORWARD, 20, 0.01, 0.1);
    launch(BACKWARD, 20, 0.03, 0.1);
    launch(OPTIMIZER, 20, 0.03, 0.1);
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(small_pieces_that_the_device_waits_for_are_launch_bound)
{
    struct pit__case all = healthy();
    launch(BACKWARD, 100000, 5e-6, 1e-6); /* 48 us of the host for each */
    launch(FORWARD, 100, 0.03, 0.05);
    CHECK_STR(rules_of(&all), "launch_bound");
    CHECK_STR(parts[found[0].match.part].name, "backward");
    CHECK(fabs(found[0].match.figures[1] - 48e-6) < 1e-9);
    all = healthy(); /* the queue is long: the host is ahead of the device */
    launch(BACKWARD, 100000, 5e-6, 1e-3);
    launch(FORWARD, 100, 0.03, 0.05);
    CHECK_STR(rules_of(&all), "nothing");
    all = healthy(); /* how long they waited is not known */
    launch(BACKWARD, 100000, 5e-6, 1e-6);
    launch(FORWARD, 100, 0.03, 0.05);
    parts[BACKWARD].device_waits = 0;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(waiting_for_a_device_that_is_not_full_is_sync_bound)
{
    struct pit__case all = with_extra("clFinish", STEP, 4, 1000);
    launch(FORWARD, 90, 0.05, 0.05); /* 5 s of 10 */
    launch(BACKWARD, 10, 0.05, 0.05);
    CHECK_STR(rules_of(&all), "sync_bound");
    CHECK_STR(parts[found[0].match.part].name, "clFinish");
    all = with_extra("clFinish", STEP, 4, 5); /* some waits at the end of epochs */
    launch(FORWARD, 90, 0.05, 0.05);
    launch(BACKWARD, 10, 0.05, 0.05);
    CHECK_STR(rules_of(&all), "nothing");
    all = with_extra("torch.cuda.synchronize", STEP, 4, 1000); /* the device has enough to do */
    launch(FORWARD, 100, all.total * 0.009, 0.05);
    CHECK_STR(rules_of(&all), "nothing");
}

/* ---- where nothing is wrong ------------------------------------------------------------------- */

TEST(one_part_that_takes_most_is_good_to_know_with_its_place)
{
    struct pit__case all = healthy();
    parts[0] = part_of("assemble", PIT__NO_PART, 1);
    parts[1] = part_of("solve", PIT__NO_PART, 9);
    parts[1].place = "solver.py:31 in jacobi";
    parts[1].place_share = 0.9;
    all.part_count = 2;
    all.unit = PIT__NO_PART;
    all.has_course = 0;
    CHECK_STR(rules_of(&all), "compute");
    CHECK_INT(found[0].match.severity, 0);
    CHECK_STR(found[0].match.texts[0], "solver.py:31 in jacobi");
}

TEST(a_program_without_spans_has_the_place_where_it_spends_its_time)
{
    struct pit__case all = healthy();
    all.part_count = 0;
    all.total = 0;
    all.unit = PIT__NO_PART;
    all.has_course = 0;
    all.is_short = 1;
    CHECK_STR(rules_of(&all), "");
    all.place = "solver.py:31 in jacobi";
    all.place_share = 0.8;
    CHECK_STR(rules_of(&all), "compute");
    all.interpreted = 0.2; /* most of it is in compiled code */
    all.compiled = 0.6;
    CHECK_STR(rules_of(&all), "compute");
    all.compiled = 0.1; /* in many little functions that the interpreter calls */
    CHECK_STR(rules_of(&all), "unmarked");
    all.interpreted = 0.1;
    CHECK_STR(rules_of(&all), "compute");
    all.interpreted = 0.9;
    CHECK_STR(rules_of(&all), "unmarked");
    all.interpreted = NAN;
    all.around.delayed = 0.5;
    all.around.cpu = 0.5;
    CHECK_STR(rules_of(&all), "starved");
}
