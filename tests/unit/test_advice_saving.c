/* Rules of advice for saving that no span marks. */
#include "advice_stage.h"

TEST(functions_that_save_outside_of_all_spans_are_checkpoints)
{
    struct pit__case all = healthy();
    all.between = 6;
    all.place = all.saves_at = "train.py:9 in save_model";
    all.place_share = all.saves = 0.9;
    CHECK_STR(rules_of(&all), "checkpoint"); /* the time between the spans is explained */
    CHECK_NEAR(found[0].match.stake, 5.4, 1e-9);
    CHECK_STR(found[0].match.texts[0], "train.py:9 in save_model");
    all.saves = 0.1; /* a little of it */
    CHECK_STR(rules_of(&all), "unmarked");
}

TEST(functions_that_save_in_a_program_without_spans_are_checkpoints)
{
    struct pit__case all = healthy();
    all.part_count = 0;
    all.unit = PIT__NO_PART;
    all.has_course = 0;
    all.saves_at = "train.py:9 in save_model";
    all.saves = 0.4;
    CHECK_STR(rules_of(&all), "checkpoint");
    CHECK_NEAR(found[0].match.stake, 4.8, 1e-9);
    all.saves_at = NULL; /* too few samples */
    CHECK(strstr(rules_of(&all), "checkpoint") == NULL);
}

TEST(a_little_saving_outside_the_parts_of_a_step_is_a_checkpoint)
{
    struct pit__case all = healthy();
    parts[STEP].self_seconds = 1.4;
    parts[STEP].place = "train.py:9 in save";
    parts[STEP].place_share = 0.9;
    CHECK_STR(rules_of(&all), "checkpoint");
    parts[STEP].place = "train.py:9 in main";
    CHECK_STR(rules_of(&all), "nothing");
    parts[STEP].place = "train.py:9 in save";
    parts[STEP].place_share = 0.3; /* 4 % of the time */
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(a_place_that_saves_is_known_by_its_function)
{
    CHECK(pit__is_saving("train.py:9 in save_model"));
    CHECK(pit__is_saving("save_state (solver)"));
    CHECK(!pit__is_saving("save.py:9 in main"));
    CHECK(!pit__is_saving(NULL));
}
