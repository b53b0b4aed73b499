/* Rules about how a framework runs the program, about programs without spans, and the words of findings
 * that depend on what the program is. */
#include "advice_stage.h"

TEST(a_function_that_is_compiled_with_every_call_is_named_before_its_memory)
{
    struct pit__case all = with_extra("compile", FORWARD, 2.5, 100);
    parts[EXTRA].half_calls = 45;
    parts[EXTRA].half_seconds = 1.25;
    CHECK_STR(rules_of(&all), "recompile");
    CHECK_NEAR(found[0].match.stake, 3.0, 1e-9); /* tracing is outside of the compilation */
    all.is_growing = 1;
    all.grown = 100e6;
    CHECK_STR(rules_of(&all), "recompile"); /* what was compiled is kept */
    parts[EXTRA].count = 4;                 /* for four shapes, as the program starts */
    CHECK_STR(rules_of(&all), "leak");
    all.is_growing = 0;
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(a_model_of_float64_is_told_what_float32_saves)
{
    struct pit__case all = healthy();
    all.told.dtype = "float64";
    CHECK_STR(rules_of(&all), "float64");
    CHECK_NEAR(found[0].match.stake, 4.7, 1e-9);
    CHECK_INT(found[0].match.severity, 1);
    parts[DATA].seconds = parts[DATA].self_seconds = 500; /* it does not matter then */
    all.total = 510;
    CHECK_STR(rules_of(&all), "input_processor");
}

TEST(steps_after_a_compilation_that_are_a_little_slower_are_not_counted_to_it)
{
    struct pit__case all = with_extra("compile", FORWARD, 0.6, 1);
    all.first = 0.1 + 1.3; /* the level is 0.1; tracing is outside of the compilation */
    all.warmup.ends_at = 4;
    all.warming = 2.4;
    CHECK_STR(rules_of(&all), "nothing");
    all.first = 0.1 + 2.2;
    CHECK_STR(rules_of(&all), "first_step");
    CHECK_NEAR(found[0].match.stake, 2.2, 1e-9);
    CHECK_NEAR(found[0].match.figures[3], 1, 0);
}

TEST(time_between_the_spans_is_named_if_it_is_much_of_the_run_or_most_of_the_loop)
{
    struct pit__case all = healthy();
    all.between = 0.45 * all.total; /* 31 % from the first span to the last */
    all.wall =
        4 * all.total; /* a short run, which imports for most of its time and then prepares */
    all.before = all.wall - all.total - all.between;
    CHECK_STR(rules_of(&all), "nothing");
    all.wall = 1.6 * all.total;
    all.before = all.wall - all.total - all.between;
    CHECK_STR(rules_of(&all), "unmarked");
    all.between = 1.1 * all.total;
    all.wall = 10 * all.total;
    CHECK_STR(rules_of(&all), "unmarked");
}

TEST(debugging_aids_are_named_after_findings_whose_cost_is_known)
{
    struct pit__case all = healthy();
    all.told.debugging = "anomaly detection";
    CHECK_STR(rules_of(&all), "debugging");
    CHECK_STR(found[0].match.texts[0], "anomaly detection");
    CHECK(isnan(found[0].match.stake));
    parts[BACKWARD].seconds = parts[BACKWARD].self_seconds =
        50; /* the aid may be the cause of the ratio */
    all.total = 55;
    CHECK_STR(rules_of(&all), "debugging");
    all = healthy();
    all.told.debugging = "anomaly detection";
    all.told.dtype = "float64";
    CHECK_STR(rules_of(&all), "float64 debugging");
}

TEST(a_program_without_spans_that_used_little_processor_time_waited)
{
    struct pit__case all = healthy();
    all.part_count = 0;
    all.unit = PIT__NO_PART;
    all.has_course = 0;
    all.is_short = 1;
    all.wall = 3;
    all.used = 0.06;
    CHECK_STR(rules_of(&all), "waiting");
    CHECK_INT(found[0].match.severity, 0);
    CHECK_NEAR(found[0].match.figures[0], 0.97, 1e-9); /* without its waits for a processor */
    all.used = 2;
    CHECK_STR(rules_of(&all), "nothing");
    all.used = 0.06;
    all.wall = 0.4; /* too short to say */
    CHECK_STR(rules_of(&all), "");
    all.wall = 3;
    all.used = NAN;
    CHECK_STR(rules_of(&all), "");
}

TEST(what_becomes_slower_is_named)
{
    struct pit__case all = healthy();
    all.warmup.course = PIT__COURSE_DRIFT;
    all.steady.drift = 1.3;
    CHECK_STR(rules_of(&all), "drift");
    CHECK(found[0].match.texts[0] == NULL);
    all.later.part = BACKWARD;
    CHECK_STR(rules_of(&all), "drift");
    CHECK_STR(found[0].match.texts[0], "backward");
    all.later = (struct pit__slow){.part = PIT__NO_PART, .is_unmarked = 1};
    parts[STEP].place = "train.py:9 in main";
    CHECK_STR(rules_of(&all), "drift");
    CHECK_STR(found[0].match.texts[0], "train.py:9 in main");
}

TEST(slow_steps_that_a_finding_explains_are_no_slowdown)
{
    struct pit__case all = with_extra("loader_start", STEP, 2.5, 10);
    all.warmup.course = PIT__COURSE_SLOWDOWN;
    all.warmup.level = 0.04;
    CHECK_STR(rules_of(&all), "slowdown input_restarts");
    all.slow.part = DATA; /* the first batch waits for the workers */
    CHECK_STR(rules_of(&all), "input_restarts");
    all.later.part = DATA; /* loading itself became slower */
    CHECK_STR(rules_of(&all), "slowdown input_restarts");
    parts[STEP].half_calls = 10; /* no: a few that are slow */
    CHECK_STR(rules_of(&all), "input_restarts");
}

TEST(a_fast_stretch_in_the_middle_is_no_faster_start)
{
    struct pit__case all = healthy();
    all.warmup.course = PIT__COURSE_SLOWDOWN;
    all.warmup.level = 0.06;
    CHECK_STR(rules_of(&all), "slowdown");
    all.warmup.ends_at = 43; /* it was slow before as well */
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(beside_other_programs_a_slowdown_must_be_more_than_their_use_of_the_caches)
{
    struct pit__case all = starved();
    all.fair = (struct pit__fair){.drift = NAN,
                                  .step_up = 1.6,
                                  .step_from = 0.05,
                                  .above = 0.3,
                                  .warming = NAN,
                                  .blocks = 20};
    CHECK_STR(rules_of(&all), "starved");
    all.fair.step_up = 3;
    CHECK_STR(rules_of(&all), "starved slowdown");
}

TEST(two_levels_are_no_variance)
{
    struct pit__case all = healthy();
    all.warmup.course = PIT__COURSE_SLOWDOWN;
    all.warmup.level = 0.02;
    all.steady.ratio = 15;
    all.steady.off_count = 60;
    all.steady.excess = 0.2;
    CHECK_STR(rules_of(&all), "slowdown");
    all.warmup.course = PIT__COURSE_UNSTEADY;
    CHECK_STR(rules_of(&all), "high_variance");
}

TEST(a_step_that_trains_a_second_model_is_no_stall)
{
    struct pit__case all = healthy();
    all.steady.period = 5;
    all.steady.slow_count = 20;
    all.steady.slow_mean = 0.19;
    all.slow = (struct pit__slow){.part = BACKWARD, .share = 0.6};
    CHECK_STR(rules_of(&all), "nothing");
    all.slow.part = DATA;
    CHECK_STR(rules_of(&all), "periodic_stall");
    all.slow.part = BACKWARD;
    all.steady.slow_mean = 0.5; /* several times as long: worth a look */
    CHECK_STR(rules_of(&all), "periodic_stall");
}

TEST(a_remedy_speaks_of_a_framework_only_where_there_is_one)
{
    struct pit__case all = healthy();
    all.around.delayed = 0.5;
    all.around.cpu = 1.9;
    all.around.threads = 17;
    CHECK_STR(rules_of(&all), "oversubscribed");
    CHECK(strstr(found[0].match.remedy, "torch") != NULL);
    all.told.framework = NULL;
    CHECK_STR(rules_of(&all), "oversubscribed");
    CHECK(strstr(found[0].match.remedy, "torch") == NULL);
    CHECK(strstr(pit__look_at("train.py:9 in main"), "that line") != NULL);
    CHECK(strstr(pit__look_at("solve (prog)"), "that function") != NULL);
}
