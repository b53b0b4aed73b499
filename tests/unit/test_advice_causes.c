/* Rules of advice for work other than training: waiting, measuring, preparing, saving. */
#include "advice_stage.h"

/* A service of 10 s: requests that parse and ask, with no framework. */
static struct pit__case service(double asking)
{
    struct pit__case all = healthy();
    parts[0] = part_of("request", PIT__NO_PART, 10);
    parts[1] = part_of("parse", 0, 10 - asking);
    parts[2] = part_of("ask", 0, asking);
    parts[0].children = parts[0].own_parts = 2;
    parts[0].self_seconds = 0;
    all.part_count = 3;
    all.unit = 0;
    all.told.framework = NULL;
    all.idle = 0;
    all.around.cpu = all.around.main_cpu;
    return all;
}

TEST(a_part_that_waits_does_not_compute)
{
    struct pit__case all = service(9);
    CHECK_STR(rules_of(&all), "compute");
    all.idle = 0.85;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_INT(found[0].match.part, 2);
    CHECK_INT(found[0].match.severity, 0); /* it may wait for processes that work */
    CHECK_NEAR(found[0].match.figures[4], 7.5, 1e-9);
    CHECK_NEAR(found[0].match.stake, 8.5, 1e-9);
    all.idle = NAN; /* readings that cover too little say what it waited at least, not at most */
    all.around.seconds = 8.2;
    all.around.main_cpu = 0;
    all.around.delayed = 0;
    all.wall = 10;
    all.used = 0.2;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_NEAR(found[0].match.figures[4], 7.2, 1e-9);
    CHECK_NEAR(found[0].match.stake, 9, 1e-9);
    all = service(9);
    all.idle = 0.5; /* of which 4 s are certainly in ask: less than half of it */
    CHECK_STR(rules_of(&all), "compute");
}

TEST(whoever_waits_for_its_own_work_is_not_said_to_wait)
{
    struct pit__case all = service(9);
    all.idle = 0.85;
    all.around.main_cpu = 0.1;
    all.around.cpu = 1.9; /* its own threads */
    CHECK_STR(rules_of(&all), "compute");
    all.around.cpu = 0.2;
    CHECK_STR(rules_of(&all), "waiting");
    parts[0].device_count = 5;
    CHECK(strstr(rules_of(&all), "waiting") == NULL);
    parts[0].device_count = 0;
    parts[2] = part_of("allreduce", 0, 9);
    CHECK_STR(rules_of(&all), "compute");
}

TEST(a_program_of_one_part_is_described_by_its_hottest_place)
{
    struct pit__case all = service(9);
    parts[0] = part_of("parallel region", PIT__NO_PART, 10);
    all.part_count = 1;
    CHECK_STR(rules_of(&all), "nothing");
    parts[0].place = "matmul_forward (train_gpt2)";
    parts[0].place_share = 0.4;
    CHECK_STR(rules_of(&all), "compute");
    CHECK(strstr(found[0].match.headline, "{s0}") != NULL);
}

TEST(few_waits_that_take_most_are_named_as_such)
{
    struct pit__case all = service(9);
    all.idle = 0.85;
    parts[2].half_calls = 2;
    parts[2].half_seconds = 8;
    CHECK_STR(rules_of(&all), "concentrated");
}

TEST(calls_that_take_no_longer_than_measuring_them_are_overhead)
{
    struct pit__case all = service(9);
    all.measuring = 2;
    parts[2].count = 1000;
    CHECK_STR(rules_of(&all), "compute"); /* calls are longer than that */
    parts[2].count = 500000000;
    parts[2].median = parts[2].longest = 18e-9;
    parts[2].half_calls = parts[2].count / 2;
    CHECK_STR(rules_of(&all), "overhead");
    CHECK_INT(found[0].match.part, 2);
    all.measuring = 0.5;
    CHECK_STR(rules_of(&all), "compute");
    all.between = 6;
    CHECK_STR(rules_of(&all), "unmarked");
    all.measuring = 5.5; /* measuring is the time between spans */
    CHECK_STR(rules_of(&all), "overhead");
}

TEST(what_is_prepared_before_the_first_span_has_a_line)
{
    struct pit__case all = healthy();
    all.wall = 32;
    all.before = 21;
    all.place = "train.py:12 in count_words";
    all.place_share = 0.9;
    CHECK_STR(rules_of(&all), "unmarked");
    CHECK_NEAR(found[0].match.stake, 18.9, 1e-9);
    all.place = "train.py:3 in <module>"; /* imports */
    CHECK_STR(rules_of(&all), "nothing");
    CHECK(strstr(found[0].match.headline, "before the first span") != NULL);
    all.place = "train.py:12 in count_words";
    all.around.delayed = 0.09;
    all.before = 1.5;
    all.wall = 3;
    CHECK(strstr(rules_of(&all), "unmarked") == NULL); /* every program takes this long */
}

TEST(a_function_tells_logging_from_saving_and_a_folder_does_not)
{
    struct pit__case all = healthy();
    parts[BACKWARD].seconds = parts[BACKWARD].self_seconds = 2;
    parts[FORWARD].seconds = parts[FORWARD].self_seconds = 1;
    parts[STEP].self_seconds = 4.9;
    parts[STEP].place = "train.py:74 in dump_state";
    CHECK_STR(rules_of(&all), "checkpoint");
    parts[STEP].place = "train.py:74 in dump_figures";
    CHECK_STR(rules_of(&all), "logging");
    parts[STEP].place = "catalog/train.py:74 in smooth";
    CHECK_STR(rules_of(&all), "unmarked");
    parts[STEP].place = "smooth (libcatalog.so) beside print_all (train)";
    CHECK_STR(rules_of(&all), "unmarked");
    parts[STEP].place = "print_all (train)";
    CHECK_STR(rules_of(&all), "logging");
}

TEST(evaluating_and_updating_are_work_where_nothing_is_trained)
{
    struct pit__case all = service(6);
    parts[2] = part_of("evaluate", 0, 6);
    CHECK_STR(rules_of(&all), "compute");
    parts[1] = part_of("gradient", 0, 4);
    CHECK_STR(rules_of(&all), "validation");
    parts[1] = part_of("select", 0, 4);
    parts[2] = part_of("update", 0, 6);
    CHECK_STR(rules_of(&all), "nothing");
    parts[1] = part_of("forward", 0, 4);
    CHECK_STR(rules_of(&all), "optimizer");
    parts[1] = part_of("select", 0, 4);
    parts[2] = part_of("adam_step", 0, 6); /* recognised by this name */
    CHECK_STR(rules_of(&all), "optimizer");
}

TEST(a_finding_of_a_loop_that_is_little_of_the_run_is_not_said)
{
    struct pit__case all = healthy();
    give(DATA, 5);
    CHECK_STR(rules_of(&all), "input_processor");
    all.wall = 600;
    all.before = 580;
    CHECK_STR(rules_of(&all), "nothing");
    CHECK(strstr(found[0].match.headline, "before the first span") != NULL);
}

TEST(a_small_drift_of_several_parts_or_with_falls_is_the_machines)
{
    struct pit__case all = healthy();
    all.warmup.course = PIT__COURSE_DRIFT;
    all.steady.drift = 0.3;
    all.steady.falls = 0;
    all.later = (struct pit__slow){.part = BACKWARD, .share = 1};
    CHECK_STR(rules_of(&all), "drift");
    all.later.share = 0.75; /* and forward has the rest */
    CHECK_STR(rules_of(&all), "nothing");
    all.later.part = PIT__NO_PART; /* not known, as in a long run */
    CHECK_STR(rules_of(&all), "drift");
    all.steady.falls = 0.5;
    CHECK_STR(rules_of(&all), "nothing");
    all.later = (struct pit__slow){.part = BACKWARD, .share = 1};
    CHECK_STR(rules_of(&all), "nothing");
    all.steady.drift = 0.8; /* no machine changes that much */
    CHECK_STR(rules_of(&all), "drift");
}

TEST(a_backward_that_grows_along_the_run_is_a_drift)
{
    struct pit__case all = healthy();
    parts[0] = part_of("forward", PIT__NO_PART, 1);
    parts[1] = part_of("backward", PIT__NO_PART, 9);
    all.part_count = 2;
    all.unit = 1;
    CHECK_STR(rules_of(&all), "odd_ratio");
    all.warmup.course = PIT__COURSE_DRIFT;
    all.steady.drift = 1.7;
    CHECK_STR(rules_of(&all), "drift");
}
