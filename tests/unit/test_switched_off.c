/* PITWALL=0 in the environment: no call has any effect. */
#include "probe.h"

#include <time.h>

static char path[64];

/* Before the library reads its environment. */
__attribute__((constructor(101))) static void switch_off(void)
{
    setenv("PITWALL", "0", 1);
    snprintf(path, sizeof path, "/tmp/pitwall-unit-off-%ld-%lx.pit", (long)getpid(),
             (unsigned long)time(NULL)); /* not left there by another test */
    setenv("PITWALL_FILE", path, 1);
}

TEST(pit_open_says_off_and_makes_nothing)
{
    pit_options options = {.sample_hz = 100};
    CHECK_INT(pit_open(path, &options), PIT_OFF);
    CHECK_INT(pit_open(NULL, NULL), PIT_OFF);
    CHECK(access(path, F_OK) != 0);
    CHECK_INT(probe_samplers(), 0);
    CHECK(pit_default_recorder() == NULL);
    CHECK_INT(pit__enabled, 0);
    pit_status status;
    CHECK_INT(pit_get_status(NULL, &status), PIT_OFF);
    CHECK_INT(status.recording, 0);
}

TEST(pit_close_is_good_so_that_main_may_return_it)
{
    pit_open(NULL, NULL);
    CHECK_INT(pit_close(), 0);
}

TEST(another_recorder_is_off_too)
{
    pit_options options = {.in_memory = 1};
    int code = 1;
    CHECK(pit_recorder_open(NULL, &options, &code) == NULL);
    CHECK_INT(code, PIT_OFF);
    CHECK(pit_recorder_open(NULL, &options, NULL) == NULL);
    CHECK_INT((long long)pit_recorder_begin_name(NULL, "x"), 0);
    CHECK_INT(pit_recorder_end(NULL, 77), 0);
}

TEST(spans_objects_values_and_phases_do_nothing)
{
    pit_open(NULL, NULL);
    CHECK_INT((long long)pit_begin_name("x"), 0);
    CHECK_INT(pit_end_ns(pit_begin_name("x")), 0);
    int inside = 0;
    PIT_SPAN("x") {
        inside++;
        PIT_PHASE("p");
        pit_phase_end();
        pit_items(1);
        pit_value("v", 1);
    }
    CHECK_INT(inside, 1); /* the block itself runs */
    pit_object object = pit_object_begin_name("o");
    CHECK_INT(pit_object_end(&object), 0);
    CHECK_INT(pit_label("k", "v"), PIT_NOT_OPEN);
    CHECK_INT(pit_close(), 0);
    CHECK(pit_recorder_memory(NULL, NULL) == NULL);
    CHECK(pit_run_read(NULL, NULL) == NULL);
}
