/* Rules under load: findings that stay although the program waits for a processor, and findings that are
 * dropped because those waits explain them. */
#include "advice_stage.h"

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
    parts[STEP].half_calls = 2; /* the waiting part takes most of the time: still report it */
    CHECK_STR(rules_of(&all), "starved slowdown");
    all.fair.step_up = 1.3; /* competition for the caches */
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
    all.around.forced = 2; /* most had none, and those differ */
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
    CHECK_STR(rules_of(&all), "starved"); /* may be chance */
    all.steady.slow_mean = 5;
    CHECK_STR(rules_of(&all), "starved");
    all.steady.slow_count = 8;
    CHECK_STR(rules_of(&all), "starved periodic_stall");
    all.steady.slow_count = 5;
    all.steady.slow_mean = 0.25;
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
    all.idle = 0.1; /* it sleeps: after that it gets a processor at once */
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

TEST(workers_that_wait_for_a_processor_are_not_too_few)
{
    struct pit__case all = starved();
    all.told.workers = 1;
    give(DATA, 4);
    CHECK_STR(rules_of(&all), "starved");
    give(DATA, 7);
    CHECK_STR(rules_of(&all), "starved input_few_workers");
    give(DATA, 4);
    all.told.workers = NAN; /* the program loads data itself: it waits equally in all parts */
    CHECK_STR(rules_of(&all), "starved input_processor");
}

TEST(reads_from_storage_show_by_their_bytes_where_a_busy_machine_hides_the_waits)
{
    struct pit__case all = starved();
    give(DATA, 7);
    all.told.workers = NAN;
    all.around.read = 60e6; /* it may be computing */
    CHECK_STR(rules_of(&all), "starved input_processor");
    all.around.read = 390e6;
    CHECK_STR(rules_of(&all), "starved input_storage");
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

/* ---- the host of a virtual machine --------------------------------------------------------------------- */

TEST(a_host_that_takes_the_processor_is_named)
{
    struct pit__case all = healthy();
    all.around.delayed = 0.31; /* the host's part is in it */
    all.around.stolen = 0.29;
    all.around.cpu = all.around.main_cpu = 0.68;
    CHECK_STR(rules_of(&all), "starved");
    CHECK_HAS(found[0].match.headline, "other machines on the same host");
    CHECK_NEAR(found[0].match.figures[5], 0.29, 1e-9);
    all.around.stolen = 0.05; /* programs of this machine took most */
    CHECK_STR(rules_of(&all), "starved");
    CHECK(!strstr(found[0].match.headline, "host"));
}

TEST(what_a_host_usually_takes_is_no_finding_and_explains_uneven_steps)
{
    struct pit__case all = healthy();
    all.around.delayed = all.around.stolen = 0.15;
    all.around.cpu = all.around.main_cpu = 0.85;
    CHECK_STR(rules_of(&all), "nothing");
    all.steady.ratio = 5;
    all.steady.off_count = 30;
    all.steady.excess = 0.4;
    CHECK_STR(rules_of(&all), "nothing");
    all.around.delayed = all.around.stolen = 0;
    CHECK_STR(rules_of(&all), "high_variance");
}

TEST(a_host_is_named_although_the_programs_own_threads_fill_the_processors)
{
    struct pit__case all = starved();
    all.around.processors = 2;
    all.around.cpu = 1.6;
    CHECK(!strstr(rules_of(&all), "starved")); /* its own threads had them */
    all.around.stolen = 0.25;
    CHECK_STR(rules_of(&all), "starved");
    CHECK_NEAR(found[0].match.figures[0], 0.25, 1e-9); /* without those */
}

TEST(a_host_is_no_reason_to_use_fewer_threads)
{
    struct pit__case all = healthy();
    all.told.compute_threads = 8;
    all.around.processors = 2;
    all.around.delayed = 0.3;
    all.around.cpu = all.around.main_cpu = 0.7;
    CHECK_STR(rules_of(&all), "oversubscribed");
    all.around.stolen = 0.28;
    CHECK_STR(rules_of(&all), "starved");
}

/* ---- limits ------------------------------------------------------------------------------------------------ */

TEST(a_program_that_waits_is_not_throttled_where_nothing_counts_it)
{
    struct pit__case all = healthy();
    all.around.cpu = all.around.main_cpu = 0.3;
    all.around.throttled = NAN;
    CHECK(!strstr(rules_of(&all), "throttled"));
    all.around.throttled = 0.9; /* of two processors */
    CHECK(strncmp(rules_of(&all), "throttled", 9) == 0);
    CHECK_NEAR(found[0].match.share, 0.7, 1e-9);
    all.around.throttled = 0.2;
    CHECK(strncmp(rules_of(&all), "throttled", 9) == 0);
    CHECK_NEAR(found[0].match.share, 0.2, 1e-9);
}
