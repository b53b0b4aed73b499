/* NULL wherever the public API takes a pointer: nothing crashes, and lost spans are counted. */
#include "check.h"

#include "pitwall_report.h"

static uint64_t counted(void)
{
    pit_run *run = pit_run_read(NULL, NULL);
    if (!run)
        return UINT64_MAX;
    uint64_t count = run->losses.null_argument;
    pit_run_free(run);
    return count;
}

static int open_in_memory(void)
{
    pit_options options = {.in_memory = 1, .sample_hz = -1};
    return pit_open(NULL, &options);
}

/* The compiler must not see that it is NULL, or it would compile something else. */
static void *nothing(void)
{
    static void *volatile none;
    return none;
}

TEST(null_sites_and_probes_are_counted)
{
    CHECK(open_in_memory() == 0);
    CHECK(pit_begin(nothing()) == 0);
    pit_phase(nothing());
    CHECK(pit_object_begin(nothing()).begin == 0);
    CHECK(pit_recorder_begin(pit_default_recorder(), nothing()) == 0);
    pit_probe_begin(nothing());
    pit_probe_end(nothing());
    CHECK(counted() == 6);
    CHECK(pit_close() == 0);
}

TEST(null_texts_and_other_pointers_do_no_harm)
{
    CHECK(open_in_memory() == 0);
    pit_site nameless = PIT_SITE(nothing());
    CHECK(pit_end_ns(pit_begin(&nameless)) < UINT64_MAX);
    pit_phase(&nameless);
    pit_phase_end();
    pit_end(pit_begin_name(nothing()));
    pit_end(pit_begin_with(nothing(), PIT_MEMORY | PIT_RECORD | PIT_LEAKS | PIT_WAIT));
    pit_object object = pit_object_begin_name(nothing());
    pit_object_end(&object);
    CHECK(pit_object_end(nothing()) == 0);
    pit_value(nothing(), 1);
    pit_thread_name(nothing());
    CHECK(pit_label(nothing(), "x") == PIT_BAD_ARGUMENT);
    CHECK(pit_label("x", nothing()) == PIT_BAD_ARGUMENT);
    CHECK(pit_add_fact(nothing(), "x") == PIT_BAD_ARGUMENT);
    CHECK(pit_add_fact("x", nothing()) == PIT_BAD_ARGUMENT);
    CHECK(pit_journal(nothing(), "x", nothing(), 0, 0) == PIT_BAD_ARGUMENT);
    CHECK(pit_journal("x", nothing(), nothing(), 1, 0) == PIT_BAD_ARGUMENT);
    pit_figure bare = {nothing(), 1, nothing()};
    CHECK(pit_journal("x", nothing(), &bare, 1, 0) == 0);
    CHECK(pit_get_status(nothing(), nothing()) == PIT_BAD_ARGUMENT);
    CHECK(pit_recorder_memory(nothing(), nothing()) != NULL);
    CHECK(pit_recorder_find(nothing()) == NULL);
    CHECK(pit_recorder_close(nothing()) == PIT_NOT_OPEN);
    pit_recorder_free(nothing());
    CHECK(pit_recorder_begin(nothing(), &nameless) == 0);
    CHECK(pit_recorder_begin_name(nothing(), "x") == 0);
    CHECK(pit_recorder_end(nothing(), 1) == 0);
    pit_stack *stack = pit_stack_new();
    CHECK(pit_stack_switch(nothing(), stack) == PIT_BAD_ARGUMENT);
    CHECK(pit_stack_switch(stack, nothing()) == PIT_BAD_ARGUMENT);
    pit_stack_free(stack);
    pit_stack_free(nothing());
    pit_set_device(nothing());
    CHECK(pit_run_path(nothing(), 0, nothing(), nothing(), 0, 0) == PIT_BAD_ARGUMENT);
    CHECK(pit_record_ending(nothing(), nothing(), nothing(), nothing()) == PIT_NOT_SAVED);
    CHECK(pit_close() == 0);
}

TEST(null_is_nothing_where_nothing_is_recorded)
{
    CHECK(pit_begin(nothing()) == 0);
    pit_phase(nothing());
    pit_probe_begin(nothing());
    pit_probe_end(nothing());
    CHECK(pit_object_begin(nothing()).begin == 0);
}
