/* Each rule about runs alone: when it applies, and when it is silent. Rules under load are in
 * test_advice_busy.c, rules about devices in test_advice_devices.c. */
#include "advice_stage.h"

TEST(a_healthy_training_has_nothing_that_stands_out)
{
    struct pit__case all = healthy();
    CHECK_STR(rules_of(&all), "nothing");
    CHECK_INT(found[0].match.severity, 0);
    CHECK_INT(found[0].match.listed_count, 4);
    CHECK_INT(found[0].match.listed[0], BACKWARD);
    all.around = (struct pit__around){.seconds = NAN,
                                      .cpu = NAN,
                                      .main_cpu = NAN,
                                      .delayed = NAN,
                                      .throttled = NAN,
                                      .io_wait = NAN,
                                      .read = NAN,
                                      .written = NAN,
                                      .moved = NAN,
                                      .moves = NAN,
                                      .forced = NAN,
                                      .faults = NAN,
                                      .swapped = NAN,
                                      .pressure = NAN,
                                      .storage_pressure = NAN,
                                      .processors = NAN,
                                      .threads = NAN,
                                      .device_used = NAN,
                                      .device_total = NAN,
                                      .device_number = NAN};
    CHECK_STR(rules_of(&all), "nothing"); /* also without a sampler */
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

TEST(threads_of_its_own_that_take_the_processors_are_oversubscription)
{
    struct pit__case all = healthy();
    all.around.delayed = 0.5;
    all.around.cpu = 1.9;
    all.around.threads = 17;
    CHECK_STR(rules_of(&all), "oversubscribed");
    all.around.threads = 8; /* threads of a framework: it waits for its own work */
    CHECK_STR(rules_of(&all), "nothing");
    all.told.compute_threads = 16;
    all.around.cpu = 0.9; /* there are other programs too */
    CHECK_STR(rules_of(&all), "oversubscribed");
    CHECK_NEAR(found[0].match.figures[5], 16, 0);
    all = healthy();
    all.around.delayed = 0.5;
    all.told.workers = 8;
    CHECK_STR(rules_of(&all), "oversubscribed");
    all = healthy();
    all.around.threads = 17; /* the main thread waits for computing threads */
    all.around.cpu = 1.95;
    all.around.forced = 400;
    CHECK_STR(rules_of(&all), "oversubscribed");
    CHECK(isnan(found[0].match.stake));
    all.around.forced = 20; /* idle threads do no harm */
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(a_team_is_known_beside_other_programs_too)
{
    struct pit__case all = starved();
    all.around.threads = 17;
    all.around.forced = 600;
    CHECK_STR(rules_of(&all),
              "starved"); /* the others are idle: the main thread uses what there is */
    all.around.main_cpu = 0.05;
    CHECK_STR(rules_of(&all), "oversubscribed");
    all.around.forced = 60; /* the main thread waits for a computing thread */
    CHECK_STR(rules_of(&all), "starved");
    all.around.forced = 600;
    all.around.threads = 8;
    CHECK_STR(rules_of(&all), "starved");
}

TEST(a_program_that_was_stopped_from_outside_is_not_starved)
{
    struct pit__case all = healthy();
    all.around.delayed = 0.32;
    all.around.stopped = 0.3;
    CHECK_STR(rules_of(&all), "stopped");
    CHECK_NEAR(found[0].match.stake, 0.3 * 11, 1e-9);
    all.around.cpu = 0.1;
    all.around.delayed = 0.9; /* and had to wait for a processor, longer than it was stopped */
    CHECK_STR(rules_of(&all), "starved stopped");
    CHECK_NEAR(found[0].match.share, 0.6, 1e-9);
    all.around.main_cpu = 0.1;
    all.around.throttled = 0.2; /* a program stands still by that too */
    CHECK_STR(rules_of(&all), "throttled");
    all.around.throttled = 0;
    all.around.stopped = 0.01;
    CHECK_STR(rules_of(&all), "starved");
    all.around.stopped = all.around.delayed = 0.01;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(a_quota_that_stops_the_program_is_said_before_its_waiting)
{
    struct pit__case all = healthy();
    all.around.throttled = 0.6;
    all.around.delayed = 0.5;
    all.around.cpu = 0.4;
    all.around.main_cpu = 0.1;
    CHECK_STR(rules_of(&all), "throttled");
    all.around.throttled = 2.5; /* counted for each processor */
    CHECK_STR(rules_of(&all), "throttled");
    CHECK_NEAR(found[0].match.share, 0.9, 1e-9); /* it was not stopped while it ran */
    all.around.main_cpu = 0;
    all.around.threads = 2; /* nor while both threads ran */
    CHECK_STR(rules_of(&all), "throttled");
    CHECK_NEAR(found[0].match.share, 0.8, 1e-9);
    all.around.throttled = 0.01;
    all.around.delayed = 0;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(pages_from_storage_are_swapping_only_where_memory_is_short)
{
    struct pit__case all = healthy();
    all.around.faults = 500;
    CHECK_STR(rules_of(&all), "nothing"); /* the program is being loaded */
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

/* ---- data -------------------------------------------------------------------------------------- */

TEST(loading_says_what_it_does_with_its_time)
{
    struct pit__case all = healthy();
    give(DATA, 5);
    CHECK_STR(rules_of(&all), "input_processor");
    CHECK(!strstr(found[0].match.remedy, "num_workers")); /* there is no loader */
    all.told.workers = 0;
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

TEST(as_many_workers_as_processors_compute_or_wait)
{
    struct pit__case all = healthy();
    give(DATA, 4);
    all.told.workers = 2;
    CHECK_STR(rules_of(&all), "input_processor");
    CHECK(strstr(found[0].match.headline, "cannot keep up") != NULL); /* their time is not known */
    all.used = 1.8 * 11 + 7;
    CHECK_STR(rules_of(&all), "input_processor");
    CHECK(strstr(found[0].match.headline, "workers compute") != NULL);
    all.used = 1.8 * 11 + 0.5;
    CHECK_STR(rules_of(&all), "input_waiting");
    CHECK(strstr(found[0].match.headline, "workers wait") != NULL);
    CHECK(strstr(found[0].match.remedy, "num_workers") == NULL);
}

TEST(a_slow_first_step_does_not_hide_what_every_step_loses)
{
    struct pit__case all = healthy();
    all.first = 1.4;
    all.warmup.ends_at = 1;
    all.warming = 1.3;
    parts[STEP].self_seconds = 1;
    CHECK_STR(rules_of(&all), "first_step");
    parts[STEP].self_seconds = 4;
    CHECK_STR(rules_of(&all), "unmarked first_step");
}

TEST(steps_that_train_a_second_model_do_not_vary)
{
    struct pit__case all = healthy();
    all.steady.ratio = 3.9;
    all.steady.off_count = 20;
    all.steady.excess = 0.2;
    all.slow = (struct pit__slow){.part = BACKWARD, .share = 0.6};
    CHECK_STR(rules_of(&all), "high_variance");
    all.steady.period = 5; /* every fifth step has two optimizers */
    all.steady.slow_count = 20;
    all.steady.slow_mean = 0.21;
    CHECK_STR(rules_of(&all), "nothing");
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
    parts[EXTRA].count = 1; /* once is the normal start */
    CHECK(!strstr(rules_of(&all), "restarts"));
    parts[EXTRA].count = 10;
    parts[EXTRA].seconds = parts[EXTRA].self_seconds = 0.2;
    give(DATA, 4); /* the first batch after each start waits for the workers */
    parts[DATA].half_calls = 10;
    parts[DATA].half_seconds = 3.5;
    parts[DATA].median = 0.004;
    CHECK_STR(rules_of(&all), "input_restarts");
    CHECK_NEAR(found[0].match.stake, 0.2 + 3.5 - 0.04, 1e-9);
    all.steady.period = 10; /* also periodic */
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

TEST(a_layer_is_compared_by_its_calls_where_forwards_have_no_backward)
{
    struct pit__case all = healthy();
    parts[FORWARD] = part_of("matmul_forward", STEP, 4.7); /* it also evaluates and generates */
    parts[FORWARD].count = 470;
    parts[BACKWARD] = part_of("matmul_backward", STEP, 4.7);
    CHECK_STR(rules_of(&all), "nothing"); /* a framework's backward has its own calls */
    all.told.framework = NULL;
    CHECK_STR(rules_of(&all), "odd_ratio");
    CHECK_NEAR(found[0].match.figures[0], 4.7, 1e-9);
    CHECK_NEAR(found[0].match.stake, 2.7, 1e-9);
    parts[EXTRA] = part_of("gelu_backward", BACKWARD, 0.5); /* the layer inside explains it */
    parts[BACKWARD] = part_of("gpt_backward", STEP, 4.9);
    parts[BACKWARD].children = 1;
    parts[FORWARD].name = "gpt_forward";
    parts[DATA] = part_of("gelu_forward", FORWARD, 0.01);
    parts[EXTRA].seconds = parts[EXTRA].self_seconds = 4.6;
    all.part_count = PARTS;
    CHECK_STR(rules_of(&all), "odd_ratio");
    CHECK_INT(found[0].match.part, EXTRA);
    all.part_count = EXTRA;
    parts[FORWARD].count = 400; /* four steps of a sequence for each backward */
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
    parts[EXTRA].half_calls = 1;
    CHECK_STR(rules_of(&all), "concentrated");
    CHECK(strstr(found[0].match.headline, "one of {n1} calls") != NULL);
    parts[EXTRA].is_longest_first = 1; /* the first call: that is another rule's */
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(a_call_in_which_the_program_was_stopped_is_not_blamed)
{
    struct pit__case all = with_extra("solve", STEP, 3, 100);
    parts[EXTRA].half_calls = 1;
    parts[EXTRA].half_seconds = 2.4;
    parts[EXTRA].median = 0.005;
    all.around.stopped = all.around.delayed = 2.3 / all.around.seconds;
    CHECK_STR(rules_of(&all), "stopped");
    all.around.stopped = all.around.delayed = 1 / all.around.seconds; /* it took long anyway */
    CHECK_STR(rules_of(&all), "stopped concentrated");
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
    all.told.compiled = 1; /* that is usual, and done once */
    CHECK_STR(rules_of(&all), "nothing");
    all.first = 2.5;
    all.warming = 2.4;
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
    all.around.busy = 2.2; /* others take a part of the core: 1.4 times is theirs */
    CHECK_STR(rules_of(&all), "slowdown");
    all.step_up = 1.4;
    CHECK_STR(rules_of(&all), "nothing");
    all.around.busy = 1.9; /* nobody else is there */
    CHECK_STR(rules_of(&all), "slowdown");
    all.later = (struct pit__slow){.part = FORWARD, .share = 0.6}; /* and the others: the machine */
    CHECK_STR(rules_of(&all), "nothing");
    all.step_up = 2;
    CHECK_STR(rules_of(&all), "slowdown");
    all.step_up = 1.4;
    all.later.share = 0.95;
    CHECK_STR(rules_of(&all), "slowdown");
    all.later.part = PIT__NO_PART;
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
    parts[STEP].seconds = 0.9; /* of one small loop among several */
    parts[STEP].self_seconds = 0;
    CHECK(strstr(rules_of(&all), "slowdown") == NULL);
}

TEST(what_varies_in_stretches_is_not_the_input)
{
    struct pit__case all = healthy();
    all.steady.ratio = 5;
    all.steady.off_count = 30;
    all.steady.excess = 0.12; /* a virtual machine lost its processor: not counted anywhere */
    CHECK_STR(rules_of(&all), "nothing");
    all.together = 3; /* two parts of the same iterations: the input */
    CHECK_STR(rules_of(&all), "high_variance");
    all.together = 0;
    all.steady.excess = 0.2;
    CHECK_STR(rules_of(&all), "high_variance");
    all.around.delayed = 0.09; /* can be chance */
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
    CHECK_STR(rules_of(&all), "validation"); /* the cause, not its period */
}

TEST(growth_without_iterations_may_be_data_that_is_needed)
{
    struct pit__case all = healthy();
    all.is_growing = 1;
    all.grown = 500e6;
    all.held = 900e6;
    all.growth_a_minute = 6e9;
    CHECK_STR(rules_of(&all), "leak");
    CHECK(found[0].match.severity == 2);
    all.unit = PIT__NO_PART;
    CHECK(strncmp(rules_of(&all), "leak", 4) == 0);
    CHECK(found[0].match.severity == 0);
    CHECK_HAS(found[0].match.headline, "LEAK?");
    all.imports = 0.9; /* of the time outside the spans */
    CHECK(strncmp(rules_of(&all), "leak", 4) == 0);
    all.part_count = 0; /* of all time: libraries that are loaded take memory */
    CHECK(strstr(rules_of(&all), "leak") == NULL);
    all.imports = 0.1;
    CHECK(strncmp(rules_of(&all), "leak", 4) == 0);
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
    give(DATA, 5); /* the run may die of it: this comes first */
    CHECK_STR(rules_of(&all), "leak input_processor");
    all.grown = 10e6;
    CHECK_STR(rules_of(&all), "input_processor");
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
    all.compiled = 0.1; /* in many small functions that the interpreter calls */
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

TEST(a_slow_first_step_is_one_however_long_the_others_take_to_settle)
{
    struct pit__case all = healthy();
    all.warmup.ends_at = 40;
    all.warming = 3;
    all.first = 3;
    CHECK_STR(rules_of(&all), "first_step");
    CHECK_NEAR(found[0].match.figures[3], 1, 0);
    all.first = 0.6; /* the others are slow too */
    CHECK_STR(rules_of(&all), "nothing");
}
