/* A live run, reading by reading. One tick is one nanosecond. */
#include "check.h"

#include "made_run.h"
#include "model/live_tree.h"
#include "readings.h"
#include "report/text.h"

#include <math.h>

#define S 1000000000u

/* A training loop: epoch open for the whole run, in it data and step. `at` is the time, `steps` those
 * that ended. */
struct stage {
    pit_raw_node nodes[8];
    pit_open_span open[2];
    pit_thread threads[2];
    pit_run run;
};

static void set_stage(struct stage *s, uint64_t at_ns, uint64_t steps)
{
    s->nodes[0] = made_node("epoch", PIT_NO_NODE, 0, 0, 0);
    s->nodes[1] = made_node("data", 0, steps, 60000000, 0);
    s->nodes[2] = made_node("step", 0, steps, 40000000, 0);
    s->open[0] = (pit_open_span){.node = 0, .begin = 1000};
    s->threads[0] = made_thread("main", s->nodes, 3);
    s->threads[0].open = s->open;
    s->threads[0].open_count = 1;
    s->run = made_run(s->threads, 1);
    s->run.end_ticks = 1000 + at_ns;
    s->run.duration_ns = (double)at_ns;
    s->run.state = PIT_RUN_LIVE;
}

static const struct pit__live_node *named(const struct pit__live *live, const char *name)
{
    for (size_t i = 0; i < live->count; i++)
        if (strcmp(live->nodes[i].name, name) == 0)
            return &live->nodes[i];
    return NULL;
}

TEST(before_the_second_look_there_are_sums_and_no_rates)
{
    struct pit__live live = {0};
    struct stage s;
    set_stage(&s, 1 * (uint64_t)S, 10);
    CHECK_INT(pit__live_look(&live, &s.run, PIT__ALL_THREADS), 0);
    CHECK_INT(live.spans, 20);
    CHECK(isnan(live.rate));
    CHECK(isnan(named(&live, "data")->rate));
    CHECK(isnan(pit__live_now_share(&live, named(&live, "data"))));
    CHECK_NEAR(pit__live_share(&live, named(&live, "data")), 0.6, 1e-9);
    pit__live_free(&live);
}

TEST(two_looks_give_rates_shares_and_means_of_what_came_between)
{
    struct pit__live live = {0};
    struct stage s;
    set_stage(&s, 1 * (uint64_t)S, 10);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    set_stage(&s, 3 * (uint64_t)S, 30);
    /* the step has become faster: 20 more, of 30 ms */
    s.nodes[2].total = 10 * 40000000u + 20 * (uint64_t)30000000u;
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    CHECK_NEAR(live.rate, 20, 1e-9);
    CHECK_NEAR(named(&live, "step")->rate, 10, 1e-9);
    CHECK_NEAR(named(&live, "step")->now_mean_ns, 30e6, 1e-3);
    CHECK_NEAR(pit__live_now_share(&live, named(&live, "step")), 0.3, 1e-9);
    CHECK_NEAR(pit__live_now_share(&live, named(&live, "data")), 0.6, 1e-9);
    pit__live_free(&live);
}

TEST(a_span_that_stays_open_counts_with_the_time_it_has_taken)
{
    struct pit__live live = {0};
    struct stage s;
    set_stage(&s, 1 * (uint64_t)S, 10);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    set_stage(&s, 2 * (uint64_t)S, 18);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    const struct pit__live_node *epoch = named(&live, "epoch");
    CHECK_INT(epoch->open, 1);
    CHECK_NEAR(epoch->all_ns, 2e9, 1);
    CHECK_NEAR(epoch->now_ns, 1e9, 1);
    CHECK_NEAR(epoch->now_self_ns, 1e9 - 8 * 100e6, 1);
    CHECK_NEAR(pit__live_now_share(&live, epoch), 1, 1e-9);
    CHECK(isnan(epoch->now_mean_ns));
    pit__live_free(&live);
}

TEST(threads_are_merged_by_path_and_one_can_be_chosen)
{
    struct pit__live live = {0};
    struct stage s;
    set_stage(&s, 1 * (uint64_t)S, 10);
    s.nodes[4] = made_node("epoch", PIT_NO_NODE, 1, 500000000, 100000000);
    s.nodes[5] = made_node("step", 0, 5, 20000000, 0);
    s.threads[1] = made_thread("second", s.nodes + 4, 2);
    s.run.thread_count = 2;
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    CHECK_INT(live.count, 3);
    CHECK_INT(named(&live, "step")->count, 15);
    CHECK_INT(live.busy_threads, 2);
    pit__live_look(&live, &s.run, 1);
    CHECK_INT(named(&live, "step")->count, 5);
    CHECK_INT(named(&live, "data")->count, 0);
    CHECK(isnan(live.rate)); /* not the difference between all threads and one */
    struct pit__live_rows rows = {0};
    CHECK_INT(pit__live_rows(&live, PIT__LIVE_BY_RUN, NULL, &rows), 0);
    CHECK_INT(rows.count, 2); /* data does not belong to this thread */
    pit__live_rows_free(&rows);
    pit__live_free(&live);
}

TEST(what_a_user_folded_stays_when_the_run_is_read_anew_at_its_end)
{
    struct pit__live live = {0};
    struct stage s, end;
    set_stage(&s, 1 * (uint64_t)S, 10);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    live.nodes[0].folded = 1;
    set_stage(&end, 2 * (uint64_t)S, 20);
    end.run.state = PIT_RUN_CLOSED;
    pit__live_look(&live, &end.run, PIT__ALL_THREADS);
    CHECK_INT(live.count, 3);
    CHECK_INT(live.nodes[0].folded, 1);
    CHECK_INT(named(&live, "data")->count, 20);
    CHECK(isnan(live.rate));
    pit__live_free(&live);
}

TEST(a_look_that_sees_less_than_the_one_before_never_gives_a_negative_rate)
{
    struct pit__live live = {0};
    struct stage s;
    set_stage(&s, 1 * (uint64_t)S, 10);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    set_stage(&s, 2 * (uint64_t)S, 9);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    CHECK_NEAR(named(&live, "step")->rate, 0, 0);
    CHECK_NEAR(named(&live, "step")->now_ns, 0, 0);
    pit__live_free(&live);
}

/* "epoch data step": the names of the rows. */
static const char *shown(const struct pit__live *live, enum pit__live_sort sort, const char *filter)
{
    static char text[400];
    struct pit__live_rows rows = {0};
    text[0] = '\0';
    REQUIRE(pit__live_rows(live, sort, filter, &rows) == 0);
    for (size_t i = 0; i < rows.count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, live->nodes[rows.rows[i].node].name);
        if (rows.rows[i].hidden)
            strcat(text, "+");
    }
    pit__live_rows_free(&rows);
    return text;
}

TEST(rows_are_sorted_folded_and_filtered)
{
    struct pit__live live = {0};
    struct stage s;
    set_stage(&s, 1 * (uint64_t)S, 10);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    set_stage(&s, 2 * (uint64_t)S, 20);
    s.nodes[2].count = 40; /* more of them, of half the length each */
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    CHECK_STR(shown(&live, PIT__LIVE_BY_RUN, NULL), "epoch data step");
    CHECK_STR(shown(&live, PIT__LIVE_BY_RATE, NULL), "epoch step data");
    CHECK_STR(shown(&live, PIT__LIVE_BY_NAME, NULL), "epoch data step");
    CHECK_STR(shown(&live, PIT__LIVE_BY_RUN, "STE"), "epoch step");
    CHECK_STR(shown(&live, PIT__LIVE_BY_RUN, "nothing of that name"), "");
    live.nodes[0].folded = 1;
    CHECK_STR(shown(&live, PIT__LIVE_BY_RUN, NULL), "epoch+");
    CHECK_STR(shown(&live, PIT__LIVE_BY_RUN, "step"), "epoch step");
    pit__live_free(&live);
}

TEST(lines_lead_to_rows_and_paths_name_them)
{
    struct pit__live live = {0};
    struct pit__live_rows rows = {0};
    struct pit__text text = {0};
    struct stage s;
    char path[20];
    set_stage(&s, 1 * (uint64_t)S, 10);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    pit__live_rows(&live, PIT__LIVE_BY_RUN, NULL, &rows);
    pit__live_lines(&rows, 1, 1, &text);
    CHECK_STR(pit__text_string(&text), "|- ");
    pit__live_lines(&rows, 2, 1, &text);
    CHECK_STR(pit__text_string(&text), "|- `- ");
    pit__live_path(&live, rows.rows[2].node, path, sizeof path);
    CHECK_STR(path, "epoch/step");
    pit__live_path(&live, rows.rows[2].node, path, 8);
    CHECK_STR(path, "epoch/s");
    pit__text_free(&text);
    pit__live_rows_free(&rows);
    pit__live_free(&live);
}

TEST(processors_in_use_come_from_the_samplers_last_two_readings)
{
    struct pit__live live = {0};
    struct stage s;
    set_stage(&s, 1 * (uint64_t)S, 10);
    const struct reading readings[] = {{.cpu_ns = S}, {.cpu_ns = S + 1500000000u}};
    pit_sample first = as_sample(1000 + S, &readings[0]);
    pit_sample second = as_sample(1000 + 2 * (uint64_t)S, &readings[1]);
    set_readings(&s.run, &first, 1, 1);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    CHECK(isnan(live.cores));
    set_stage(&s, 2 * (uint64_t)S, 10);
    set_readings(&s.run, &second, 1, 1);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS);
    CHECK_NEAR(live.cores, 1.5, 1e-9);
    pit__live_look(&live, &s.run, PIT__ALL_THREADS); /* no new reading: the value stays */
    CHECK_NEAR(live.cores, 1.5, 1e-9);
    pit__live_free(&live);
}

TEST(the_wait_for_a_processor_is_a_share_of_the_time_between_two_readings)
{
    static const pit_channel channels[] = {
        {.key = "cpu_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
        {.key = "run_delay_ns", .unit = "ns", .per_unit = 1, .is_counter = 1},
    };
    const uint64_t first[] = {S, 5}, second[] = {S, 5 + S / 4}, unknown[] = {S, PIT_UNKNOWN};
    const pit_sample samples[] = {
        {1000 + S, first}, {1000 + 2 * (uint64_t)S, second}, {1000 + 3 * (uint64_t)S, unknown}};
    struct pit__live live = {0};
    struct stage s;
    for (int i = 0; i < 3; i++) {
        set_stage(&s, (uint64_t)(i + 1) * S, 10);
        set_readings(&s.run, &samples[i], 1, 1);
        s.run.channels = channels;
        s.run.channel_count = 2;
        pit__live_look(&live, &s.run, PIT__ALL_THREADS);
        if (i == 1)
            CHECK_NEAR(live.waited, 0.25, 1e-9);
        else
            CHECK(isnan(live.waited));
    }
    pit__live_free(&live);
}

TEST(memory_along_the_run_is_the_highest_of_each_stretch)
{
    struct stage s;
    double bytes[4];
    const struct reading readings[] = {
        {.rss = 5, .rss_max = 10}, {.rss = 5, .rss_max = 30}, {.rss = 7, .rss_max = 20}};
    pit_sample samples[3] = {as_sample(1000, &readings[0]), as_sample(1000 + S / 2, &readings[1]),
                             as_sample(1000 + S / 2 + 1, &readings[2])};
    set_stage(&s, 1 * (uint64_t)S, 10);
    set_readings(&s.run, samples, 3, 1);
    s.run.has_samples = 0; /* no newest reading */
    CHECK_NEAR(pit__live_rss(&s.run, bytes, 4), 30, 0);
    CHECK_NEAR(bytes[0], 10, 0);
    CHECK_NEAR(bytes[1], 10, 0);
    CHECK_NEAR(bytes[2], 30, 0);
    s.run.sample_count = 0;
    CHECK(isnan(pit__live_rss(&s.run, bytes, 4)));
    s.run.machine_bytes = 100;
    s.run.cgroup_limit = PIT_UNKNOWN;
    CHECK_INT(pit__live_limit(&s.run), 100);
    s.run.cgroup_limit = 50;
    CHECK_INT(pit__live_limit(&s.run), 50);
}
