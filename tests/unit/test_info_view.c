/* The facts about a run file, line by line. */
#include "check.h"

#include "made_run.h"
#include "readings.h"
#include "views/info_view.h"

static char *printed(const pit_run *run, const pit_report_options *options)
{
    static char *text;
    static size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    CHECK_INT(pit__info_print(out, &run, 1, options), 0);
    fclose(out);
    return keep(text);
}

/* Does the text contain this line? */
static int has_line(const char *text, const char *line)
{
    const char *at = strstr(text, line);
    return at && (at == text || at[-1] == '\n') && at[strlen(line)] == '\n';
}

static const pit_report_options ascii = {.ascii = 1};

TEST(a_quiet_run_says_what_it_has_and_that_nothing_was_lost)
{
    pit_raw_node node = made_node("step", PIT_NO_NODE, 1000, 12000000, 0);
    pit_thread thread = made_thread("main", &node, 1);
    pit_run run = made_run(&thread, 1);
    run.format_major = 1;
    run.format_minor = 2;
    char *text = printed(&run, &ascii);
    CHECK(has_line(text, "program   train --epochs 10"));
    CHECK(has_line(text, "clock     time-stamp counter, 1.00 G ticks a second, known to 0 %"));
    CHECK(has_line(text, "pages     mapped in place, in its file"));
    CHECK(has_line(text, "format    1.2"));
    CHECK(has_line(text, "holds     1,000 spans, 1 node, 0 values, 0 journal entries"));
    CHECK(has_line(text, "own cost  24 ns a span, under 0.001 % of the run"));
    CHECK(has_line(text, "sampler   n/a (no readings)"));
    CHECK(has_line(text, "lost      nothing"));
    CHECK(has_line(text, "id        01020300000000000000000000000000"));
    CHECK(strstr(text, "parent") == NULL);
}

TEST(what_is_not_known_is_not_a_zero)
{
    pit_run run = made_run(NULL, 0);
    run.span_cost_ns = 0;
    run.ns_per_tick_error = 1;
    run.storage = PIT_STORAGE_MEMORY;
    run.losses.abandoned = 3;
    run.losses.beyond_file = 1;
    char *text = printed(&run, &ascii);
    CHECK(has_line(text, "own cost  n/a (it was not measured)"));
    CHECK(has_line(text, "pages     in memory"));
    CHECK(has_line(text, "lost      3 spans were begun and not ended, 1 byte of the run is gone"));
    CHECK(strstr(text, "its rate is not known") != NULL);
    text = printed(&run, &(pit_report_options){.form = PIT_JSON});
    CHECK(strstr(text, "\"cost_share\": null") != NULL);
    CHECK(strstr(text, "\"sampler_hz\": null") != NULL);
    CHECK(strstr(text, "\"abandoned\": 3") != NULL);
}

/* Points of four readings each, a tenth of a second apart; the last one is incomplete. */
TEST(the_samplers_rate_is_not_bent_by_its_last_point)
{
    static const struct reading reading = {.rss = 1 << 20};
    pit_sample samples[5];
    pit_run run = made_run(NULL, 0);
    for (size_t i = 0; i < 5; i++)
        samples[i] = as_sample(1000 + i * 400000000u, &reading);
    samples[4].ticks = samples[3].ticks + 400000000u;
    set_readings(&run, samples, 5, 4);
    CHECK(has_line(printed(&run, &ascii), "sampler   10 readings a second"));
    samples[1].ticks = samples[0].ticks + 400000000u;
    samples[2].ticks = samples[1].ticks + 5000000u; /* the reading at the close */
    run.sample_count = 3;
    CHECK(has_line(printed(&run, &ascii), "sampler   10 readings a second"));
    run.sample_count = 1;
    CHECK(has_line(printed(&run, &ascii), "sampler   n/a (too few readings)"));
}

TEST(the_runs_beneath_it_and_above_it_are_named)
{
    pit_run below = made_run(NULL, 0), run = made_run(NULL, 0);
    pit_run *const list[] = {&below};
    below.path = "worker.pit";
    below.run_id[0] = 0xab;
    below.parent_run_id[15] = 7;
    run.below = list;
    run.below_count = 1;
    CHECK(
        has_line(printed(&run, &ascii), "sub-runs  ab020300000000000000000000000000, worker.pit"));
    CHECK(has_line(printed(&below, &ascii), "parent    00000000000000000000000000000007"));
}

TEST(another_form_is_refused)
{
    pit_run run = made_run(NULL, 0);
    const pit_run *runs[] = {&run};
    CHECK_INT(pit__info_print(stdout, runs, 1, &(pit_report_options){.form = PIT_CSV}),
              PIT_BAD_ARGUMENT);
}
