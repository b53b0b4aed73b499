/* Rules about devices: they use only measured figures. */
#include "advice_stage.h"

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

/* ---- devices ---------------------------------------------------------------------------------- */

/* Device work that a part launches: number of pieces, length of each, waiting time of each. */
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
    give(DATA, 5); /* the device works meanwhile */
    launch(FORWARD, 200, 0.04, 0.1);
    CHECK_STR(rules_of(&all), "input_processor");
    all = healthy(); /* idle, but no part of the host explains it */
    launch(FORWARD, 20, 0.01, 0.1);
    launch(BACKWARD, 20, 0.03, 0.1);
    launch(OPTIMIZER, 20, 0.03, 0.1);
    CHECK_STR(rules_of(&all), "nothing");
}

TEST(small_pieces_that_the_device_waits_for_are_launch_bound)
{
    struct pit__case all = healthy();
    launch(BACKWARD, 100000, 5e-6, 1e-6); /* 48 us of host time for each */
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
