/* Rules of advice for threads that wait for one another, and what waiting is for. */
#include "advice_stage.h"

/* Ten seconds of four threads on two processors, each with orders that are priced and booked. */
static struct pit__case traders(double booking)
{
    struct pit__case all = healthy();
    parts[0] = part_of("order", PIT__NO_PART, 40);
    parts[1] = part_of("price", 0, 40 - booking);
    parts[2] = part_of("book", 0, booking);
    parts[0].children = parts[0].own_parts = 2;
    parts[0].self_seconds = 0;
    all.part_count = 3;
    all.unit = 0;
    all.total = 40;
    all.wall = 10;
    all.before = all.after = 0;
    all.span_threads = 4;
    all.told.framework = NULL;
    all.idle = 0;
    all.around.seconds = 10;
    all.around.cpu = 1.2;
    all.around.processors = 2;
    all.around.threads = 4;
    all.around.looks = (struct pit__looks){.working = 200, .mutex = 120};
    return all;
}

TEST(threads_that_wait_for_a_mutex_are_named_with_their_part)
{
    struct pit__case all = traders(30);
    CHECK_STR(rules_of(&all), "mutex");
    CHECK_INT(found[0].match.part, 2);
    CHECK(strstr(found[0].match.headline, "in {name}") != NULL);
    CHECK_NEAR(found[0].match.share, 0.6, 1e-9);
    CHECK_NEAR(found[0].match.stake, 16, 1e-9); /* of 40: two processors instead of 1.2 */
    all = traders(22);                          /* each of them is long enough: 24 or 22 s */
    parts[1].self_seconds = parts[2].self_seconds = 22;
    CHECK_STR(rules_of(&all), "mutex");
    CHECK(strstr(found[0].match.headline, "in {name}") == NULL);
}

TEST(few_calls_that_wait_long_for_a_mutex_are_no_finding_of_their_own)
{
    struct pit__case all = traders(30);
    parts[2].half_calls = 1;
    parts[2].half_seconds = 20;
    CHECK_STR(rules_of(&all), "mutex");
    all.around.looks.mutex = 0;
    CHECK(strstr(rules_of(&all), "concentrated") != NULL);
}

TEST(threads_that_use_all_processors_lose_nothing_by_a_mutex)
{
    struct pit__case all = traders(30);
    all.around.cpu = 1.9;
    CHECK(strstr(rules_of(&all), "mutex") == NULL);
    all = traders(30);
    all.around.processors = 1;
    all.around.cpu = 0.95;
    CHECK(strstr(rules_of(&all), "mutex") == NULL);
    all = traders(30);
    all.around.looks.mutex = 5; /* could be chance */
    all.around.looks.working = 10;
    CHECK(strstr(rules_of(&all), "mutex") == NULL);
}

TEST(beside_other_programs_more_waits_are_needed)
{
    struct pit__case all = traders(30);
    all.around.delayed = 0.3;
    all.around.cpu = 0.8;
    CHECK_STR(rules_of(&all), "starved mutex");
    all.around.looks.mutex = 70; /* the thread with the lock may be waiting for a processor */
    CHECK_STR(rules_of(&all), "starved");
}

TEST(pythons_lock_lets_one_thread_run)
{
    struct pit__case all = traders(30);
    all.around.cpu = 1.02;
    all.around.looks = (struct pit__looks){.working = 200, .python = 130};
    CHECK_STR(rules_of(&all), "python_lock");
    CHECK(strstr(found[0].match.remedy, "processes") != NULL);
    all.around.cpu = 1.8; /* most of the work is done without it */
    CHECK(strstr(rules_of(&all), "python_lock") == NULL);
    all.around.cpu = 1.02;
    all.around.looks.python = 10; /* a second thread with little work */
    CHECK(strstr(rules_of(&all), "python_lock") == NULL);
}

TEST(in_a_short_run_few_looks_are_enough_if_most_of_them_agree)
{
    struct pit__case all = traders(30);
    all.around.cpu = 1.02;
    all.around.looks = (struct pit__looks){.working = 11, .python = 6};
    CHECK_STR(rules_of(&all), "python_lock");
    all.around.looks =
        (struct pit__looks){.working = 18, .python = 6}; /* a third: could be chance */
    CHECK(strstr(rules_of(&all), "python_lock") == NULL);
    all.around.looks = (struct pit__looks){.working = 9, .python = 5};
    CHECK(strstr(rules_of(&all), "python_lock") == NULL);
}

/* Without spans, at a place of the main thread. */
static struct pit__case plain_program(double main_cpu, double cpu)
{
    struct pit__case all = healthy();
    all.part_count = 0;
    all.unit = PIT__NO_PART;
    all.total = 0;
    all.wall = all.around.seconds = 10;
    all.used = cpu * 10;
    all.told.framework = NULL;
    all.place = "count.py:18 in <genexpr>";
    all.place_share = 1;
    all.around.processors = 2;
    all.around.threads = 4;
    all.around.main_cpu = main_cpu;
    all.around.cpu = cpu;
    return all;
}

TEST(an_import_is_not_moved_to_compiled_code)
{
    struct pit__case all = plain_program(0.95, 1.0);
    all.interpreted = 0.9;
    CHECK_STR(rules_of(&all), "unmarked");
    all.is_import = 1;
    CHECK_STR(rules_of(&all), "compute");
    CHECK(strstr(found[0].match.remedy, "import") != NULL);
}

TEST(a_place_where_the_main_thread_waits_for_threads_does_not_compute)
{
    struct pit__case all = plain_program(0.95, 1.0);
    CHECK_STR(rules_of(&all), "compute");
    CHECK(strstr(found[0].match.headline, "of the run is at {s0}") != NULL);
    all = plain_program(0.1, 1.9);
    CHECK_STR(rules_of(&all), "compute");
    CHECK(strstr(found[0].match.headline, "waits for them at {s0}") != NULL);
    all = plain_program(0.1, 0.15); /* nothing works */
    CHECK(strstr(rules_of(&all), "compute") == NULL);
}

TEST(threads_that_take_turns_are_seen_without_a_mutex)
{
    struct pit__case all = traders(30);
    all.around.looks = (struct pit__looks){.working = 100};
    all.around.cpu = 1.0;
    CHECK_STR(rules_of(&all), "taking_turns");
    all.around.cpu = 0.2; /* they wait for something else */
    CHECK(strstr(rules_of(&all), "taking_turns") == NULL);
    all.around.cpu = 1.0;
    all.span_threads = 1; /* tasks of one thread overlap */
    CHECK(strstr(rules_of(&all), "taking_turns") == NULL);
    all.span_threads = 4;
    all.before = all.after = NAN; /* the main thread has no spans */
    CHECK_STR(rules_of(&all), "taking_turns");
    all.pressed = 0.8; /* they wait for a processor, which is counted for the main thread only */
    CHECK(strstr(rules_of(&all), "taking_turns") == NULL);
    all.pressed = NAN;
    CHECK(strstr(rules_of(&all), "taking_turns") == NULL);
}

TEST(waiting_says_for_what)
{
    struct pit__case all = healthy();
    parts[0] = part_of("request", PIT__NO_PART, 10);
    parts[1] = part_of("parse", 0, 1);
    parts[2] = part_of("ask", 0, 9);
    parts[0].children = parts[0].own_parts = 2;
    parts[0].self_seconds = 0;
    all.part_count = 3;
    all.unit = 0;
    all.told.framework = NULL;
    all.idle = 0.85;
    all.around.cpu = all.around.main_cpu;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK(found[0].match.texts[1] == NULL);
    all.around.looks.sleep = 80;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_STR(found[0].match.texts[1], "in a sleep");
    all.around.looks.transfer = 70; /* both */
    CHECK_STR(rules_of(&all), "waiting");
    CHECK(found[0].match.texts[1] == NULL);
    all.around.looks = (struct pit__looks){.sync = 60};
    CHECK_STR(rules_of(&all), "waiting");
    CHECK(strstr(found[0].match.remedy, "fsync") != NULL);
}

TEST(beside_other_programs_a_part_that_was_seen_waiting_still_waits)
{
    struct pit__case all = starved();
    parts[0] = part_of("job", PIT__NO_PART, 10);
    parts[1] = part_of("compute", 0, 0.4);
    parts[2] = part_of("commit", 0, 9.6);
    parts[0].children = parts[0].own_parts = 2;
    parts[0].self_seconds = 0;
    all.part_count = 3;
    all.unit = 0;
    all.told.framework = NULL;
    all.told.compute_threads = NAN;
    all.idle = 0.39; /* the rest is a wait for a processor */
    all.around.main_cpu = 0.03;
    CHECK_STR(rules_of(&all), "starved");
    all.around.looks.lock = 44;
    CHECK_STR(rules_of(&all), "starved waiting");
}

/* Work that grows with the run: its memory grows too, but the time is what is lost. */
TEST(a_drift_whose_place_is_known_comes_before_the_memory_that_it_keeps)
{
    struct pit__case all = healthy();
    all.warmup.course = PIT__COURSE_DRIFT;
    all.steady.drift = 1.4;
    all.later.part = DATA;
    all.is_growing = 1;
    all.held = 400e6;
    all.grown = 100e6;
    all.growth_a_minute = 600e6;
    CHECK_STR(rules_of(&all), "drift leak");
    all.later.part = PIT__NO_PART; /* what grows is not known */
    CHECK_STR(rules_of(&all), "leak drift");
    all.later.part = DATA;
    all.later.share = 1;
    all.steady.drift = 0.3; /* little time is lost */
    CHECK_STR(rules_of(&all), "leak drift");
}

TEST(threads_that_wait_in_openmps_own_code_have_a_lock)
{
    struct pit__case all = with_extra("assemble", PIT__NO_PART, 10, 50);
    parts[EXTRA].team_threads = 2;
    parts[EXTRA].team_busy = 20;
    parts[EXTRA].team_lag = 0.2;
    parts[EXTRA].in_openmp = 0.7;
    CHECK_STR(rules_of(&all), "mutex");
    CHECK_INT(found[0].match.part, EXTRA);
    CHECK_NEAR(found[0].match.stake, 7, 1e-9);
    CHECK(strstr(found[0].match.remedy, "critical") != NULL);
    parts[EXTRA].count = 1000000;
    CHECK_STR(rules_of(&all), "mutex");
    CHECK(strstr(found[0].match.remedy, "more work") != NULL);
    parts[EXTRA].in_openmp = 0.2; /* the ends of healthy regions */
    CHECK(strstr(rules_of(&all), "mutex") == NULL);
    parts[EXTRA].in_openmp = NAN;
    CHECK(strstr(rules_of(&all), "mutex") == NULL);
    parts[EXTRA].in_openmp = 0.7;
    parts[EXTRA].team_lag = 9; /* it waits at the end, for the slowest */
    CHECK_STR(rules_of(&all), "imbalance");
}

TEST(threads_of_a_region_that_wait_for_the_slowest_are_named)
{
    struct pit__case all = with_extra("assemble", PIT__NO_PART, 10, 50);
    parts[EXTRA].team_threads = 2;
    parts[EXTRA].team_busy = 11;
    parts[EXTRA].team_lag = 9;
    CHECK_STR(rules_of(&all), "imbalance");
    CHECK_INT(found[0].match.part, EXTRA);
    CHECK_NEAR(found[0].match.stake, 4.5, 1e-9); /* equal shares: 5.5 s instead of 10 */
    CHECK_NEAR(found[0].match.figures[0], 0.45, 1e-9);
    parts[EXTRA].team_lag = 2; /* it costs too little */
    CHECK(strstr(rules_of(&all), "imbalance") == NULL);
    parts[EXTRA].team_lag = 9;
    all.around.delayed = 0.6; /* one of them had no processor */
    all.around.cpu = all.around.main_cpu = 0.4;
    CHECK(strstr(rules_of(&all), "imbalance") == NULL);
}

TEST(a_program_that_waits_for_its_own_threads_is_not_starved)
{
    struct pit__case all = starved();
    all.around.delayed = 0.3;
    all.around.cpu = 1.3;
    all.around.busy = 2;
    CHECK(strstr(rules_of(&all), "starved") != NULL);
    all.around.busy = 1.35; /* nobody else used the processors */
    CHECK(strstr(rules_of(&all), "starved") == NULL);
    all.around.busy = NAN;
    CHECK(strstr(rules_of(&all), "starved") != NULL);
}

/* Two threads compute, the main thread waits for them: its own waits for a processor say nothing. */
TEST(threads_that_get_no_processor_are_starved_while_the_main_thread_waits)
{
    struct pit__case all = healthy();
    all.around.main_cpu = 0.01;
    all.around.cpu = 0.8;
    all.around.busy = 2;
    all.around.threads = 3;
    all.around.looks = (struct pit__looks){.working = 200, .lock = 100};
    CHECK(strncmp(rules_of(&all), "starved", 7) == 0);
    CHECK_NEAR(found[0].match.share, 0.6, 1e-9);
    all.around.busy = 0.85; /* they wait for one another */
    CHECK(strstr(rules_of(&all), "starved") == NULL);
    all.around.busy = 2;
    all.around.cpu = 1.8;
    CHECK(strstr(rules_of(&all), "starved") == NULL);
    all.around.cpu = 0.8;
    all.around.looks.working = 85; /* they have no more work than that */
    CHECK(strstr(rules_of(&all), "starved") == NULL);
    all.around.looks.working = 200;
    all.around.main_cpu = 0.5; /* its own waits are counted */
    CHECK(strstr(rules_of(&all), "starved") == NULL);
    all.around.main_cpu = NAN;
    all.around.looks = (struct pit__looks){.lock = NAN};
    CHECK(strstr(rules_of(&all), "starved") == NULL);
}
