/* The field tables: getters, reasons, merge rules; and the figures in rows. */
#include "check.h"

#include "made_run.h"
#include "model/fields.h"
#include "model/live_fields.h"
#include "model/live_tree.h"
#include "model/node_series.h"
#include "report/units.h"

#include <math.h>

static pit_field_value value_of(enum pit_row_kind of, const char *key, const void *row)
{
    pit_field_value value;
    const pit_field *field = pit_field_find(of, key);
    if (!field)
        printf("  no field %s\n", key);
    REQUIRE(field != NULL);
    pit_field_get(field, row, &value);
    return value;
}

static pit_memory memory = {.count = 4,
                            .delta_last = -512,
                            .delta_sum = 4096,
                            .delta_max = 2048,
                            .peak_last = 10,
                            .peak_sum = 400,
                            .peak_max = 300,
                            .rss_max = 5000,
                            .rss_last = 4000,
                            .minor_faults = 7,
                            .major_faults = 1,
                            .error_bytes = 64,
                            .peak_method = PIT_PEAK_HWM,
                            .device_max = 777};
static pit_alloc alloc = {.count = 4,
                          .allocs = 10,
                          .frees = 8,
                          .alloc_bytes = 1000,
                          .freed_bytes = 1200,
                          .peak_last = 100,
                          .peak_max = 600,
                          .live_last = -5,
                          .live_sum = -200,
                          .leak_spans = 2,
                          .leaked_bytes = 33,
                          .leaked_blocks = 3};

static pit_energy energy = {
    .count = 4, .joules = 8, .processors_j = 5, .devices_j = 3, .time_ns = 400};

static pit_teams teams = {.count = 5,
                          .threads = 18,
                          .threads_max = 4,
                          .busy_ns = 150,
                          .slowest_ns = 55,
                          .elapsed_ns = 70,
                          .wait_ns = 102,
                          .lag_ns = 50};

static pit_node whole_node(void)
{
    return (pit_node){.name = "b",
                      .path = "a/b",
                      .parent = 0,
                      .depth = 1,
                      .count = 4,
                      .total_ns = 500,
                      .self_ns = 300,
                      .finished_ns = 400,
                      .is_comm = 1,
                      .share = 0.5,
                      .self_share = 0.3,
                      .min_ns = 50,
                      .max_ns = 150,
                      .mean_ns = 100,
                      .std_ns = 20,
                      .p50_ns = 90,
                      .p95_ns = 140,
                      .p99_ns = 149,
                      .items = 10,
                      .bytes = 20,
                      .flops = 30,
                      .open = 1,
                      .open_ns = 100,
                      .memory = &memory,
                      .alloc = &alloc,
                      .device = {.count = 3,
                                 .run_ns = 60,
                                 .p50_ns = 20,
                                 .p95_ns = 28,
                                 .p99_ns = 29,
                                 .max_ns = 30,
                                 .wait_count = 3,
                                 .wait_ns = 12},
                      .energy = &energy,
                      .teams = &teams};
}

TEST(every_getter_reads_its_own_figure)
{
    pit_node node = whole_node();
    static const struct {
        const char *key;
        double wanted;
    } all[] = {
        {"depth", 1},
        {"parent", 0},
        {"detached", 0},
        {"comm", 1},
        {"on_device", 0},
        {"device_total_ns", 60},
        {"device_wait_ns", 12},
        {"device_count", 3},
        {"device_p50_ns", 20},
        {"device_p95_ns", 28},
        {"device_p99_ns", 29},
        {"device_max_ns", 30},
        {"device_memory_max_bytes", 777},
        {"energy_spans", 4},
        {"energy_j", 8},
        {"energy_per_span_j", 2},
        {"energy_per_item_j", 0.8},
        {"power_w", 8 * 1e9 / 400},
        {"processors_energy_j", 5},
        {"devices_energy_j", 3},
        {"energy_estimated_j", 0},
        {"energy_unknown_spans", 0},
        {"team_regions", 5},
        {"team_threads_max", 4},
        {"team_threads_mean", 3.6},
        {"team_elapsed_ns", 70},
        {"team_busy_ns", 150},
        {"team_slowest_ns", 55},
        {"team_wait_ns", 102},
        {"team_imbalance_share", 0.25},
        {"count", 4},
        {"total_ns", 500},
        {"self_ns", 300},
        {"share", 0.5},
        {"self_share", 0.3},
        {"mean_ns", 100},
        {"std_ns", 20},
        {"min_ns", 50},
        {"p50_ns", 90},
        {"p95_ns", 140},
        {"p99_ns", 149},
        {"max_ns", 150},
        {"items_per_s", 10 * 1e9 / 500},
        {"bytes_per_s", 20 * 1e9 / 500},
        {"flop_per_s", 30 * 1e9 / 500},
        {"items", 10},
        {"bytes", 20},
        {"flops", 30},
        {"open", 1},
        {"open_ns", 100},
        {"finished_ns", 400},
        {"memory_spans", 4},
        {"memory_delta_bytes", 4096},
        {"memory_peak_bytes", 300},
        {"memory_delta_mean_bytes", 1024},
        {"memory_delta_max_bytes", 2048},
        {"memory_delta_last_bytes", -512},
        {"memory_peak_mean_bytes", 100},
        {"memory_peak_last_bytes", 10},
        {"memory_rss_max_bytes", 5000},
        {"memory_rss_last_bytes", 4000},
        {"memory_error_bytes", 64},
        {"minor_faults", 7},
        {"major_faults", 1},
        {"alloc_spans", 4},
        {"alloc_bytes", 1000},
        {"live_bytes", -200},
        {"live_last_bytes", -5},
        {"allocs", 10},
        {"frees", 8},
        {"freed_bytes", 1200},
        {"alloc_peak_bytes", 600},
        {"alloc_peak_last_bytes", 100},
        {"leak_spans", 2},
        {"leaked_bytes", 33},
        {"leaked_blocks", 3},
    };
    size_t texts = 4; /* name, path, memory_peak_method, energy_how */
    CHECK_INT(sizeof all / sizeof all[0] + texts, pit__node_fields.count);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        pit_field_value value = value_of(PIT_OF_NODE, all[i].key, &node);
        double got = value.type == PIT_VALUE_REAL     ? value.real
                     : value.type == PIT_VALUE_SIGNED ? (double)value.signed_whole
                                                      : (double)value.whole;
        if (value.type <= PIT_VALUE_UNKNOWN || fabs(got - all[i].wanted) > 1e-9)
            printf("  %s: %g, not %g\n", all[i].key, got, all[i].wanted);
        CHECK(value.type > PIT_VALUE_UNKNOWN);
        CHECK_NEAR(got, all[i].wanted, 1e-9);
    }
    CHECK_STR(value_of(PIT_OF_NODE, "name", &node).text, "b");
    CHECK_STR(value_of(PIT_OF_NODE, "path", &node).text, "a/b");
    CHECK_STR(value_of(PIT_OF_NODE, "memory_peak_method", &node).text, "hwm");
}

static enum pit_value_type type_of(const char *key, const pit_node *node)
{
    pit_field_value value = value_of(PIT_OF_NODE, key, node);
    /* n/a always has a reason */
    if (value.type <= PIT_VALUE_UNKNOWN)
        CHECK(value.reason && *value.reason);
    return value.type;
}

TEST(what_is_not_there_says_why)
{
    pit_node bare = {.name = "x", .path = "x", .parent = PIT_NO_NODE, .share = NAN};
    CHECK_INT(type_of("parent", &bare), PIT_VALUE_NONE);
    CHECK_INT(type_of("mean_ns", &bare), PIT_VALUE_UNKNOWN);
    CHECK_INT(type_of("share", &bare), PIT_VALUE_UNKNOWN);
    CHECK_INT(type_of("items_per_s", &bare), PIT_VALUE_NONE);
    CHECK_INT(type_of("memory_spans", &bare), PIT_VALUE_NONE);
    CHECK_INT(type_of("alloc_bytes", &bare), PIT_VALUE_NONE);
    CHECK_INT(type_of("leaked_bytes", &bare), PIT_VALUE_NONE);
    CHECK_INT(type_of("team_regions", &bare), PIT_VALUE_NONE);
    CHECK_INT(type_of("team_imbalance_share", &bare), PIT_VALUE_NONE);
    pit_teams no_time = {.count = 1, .threads = 2, .threads_max = 2};
    bare.teams = &no_time;
    CHECK_INT(type_of("team_imbalance_share", &bare), PIT_VALUE_UNKNOWN);
    bare.items = 3; /* in zero time */
    CHECK_INT(type_of("items_per_s", &bare), PIT_VALUE_UNKNOWN);
    bare.detached = 1;
    CHECK_INT(type_of("share", &bare), PIT_VALUE_NONE);
    bare.path = NULL; /* a name at several places */
    CHECK_INT(type_of("path", &bare), PIT_VALUE_NONE);
    CHECK_INT(type_of("depth", &bare), PIT_VALUE_NONE);

    pit_memory no_peak = memory;
    no_peak.peak_method = PIT_PEAK_NONE;
    bare.memory = &no_peak;
    static const char *const peaks[] = {"memory_peak_bytes", "memory_peak_mean_bytes",
                                        "memory_peak_last_bytes", "memory_rss_max_bytes"};
    for (size_t i = 0; i < sizeof peaks / sizeof peaks[0]; i++) {
        CHECK_INT(type_of(peaks[i], &bare), PIT_VALUE_UNKNOWN);
        CHECK_HAS(value_of(PIT_OF_NODE, peaks[i], &bare).reason, "cannot be reset");
    }
    CHECK_INT(type_of("memory_peak_method", &bare), PIT_VALUE_NONE);
    CHECK_INT(type_of("memory_delta_bytes", &bare), PIT_VALUE_SIGNED);
}

TEST(an_ending_and_losses)
{
    pit_ended ended = {.pid = 7, .exit_status = -1, .exit_signal = 9, .user_ns = PIT_UNKNOWN};
    CHECK_INT(value_of(PIT_OF_ENDED, "exit_status", &ended).type, PIT_VALUE_NONE);
    CHECK_INT(value_of(PIT_OF_ENDED, "exit_signal", &ended).whole, 9);
    CHECK_INT(value_of(PIT_OF_ENDED, "user_ns", &ended).type, PIT_VALUE_UNKNOWN);
    CHECK_HAS(value_of(PIT_OF_ENDED, "user_ns", &ended).reason, "not known to");
    ended.exit_signal = 0;
    ended.exit_status = 3;
    CHECK_INT(value_of(PIT_OF_ENDED, "exit_status", &ended).whole, 3);
    CHECK_INT(value_of(PIT_OF_ENDED, "exit_signal", &ended).type, PIT_VALUE_NONE);

    pit_losses losses = {0};
    uint64_t *counts = (uint64_t *)(void *)&losses;
    for (size_t i = 0; i < sizeof losses / sizeof *counts; i++)
        counts[i] = 100 + i;
    const pit_field *field;
    unsigned seen = 0; /* each member is read by exactly one field */
    for (size_t i = 0; (field = pit_field_at(PIT_OF_LOSSES, i)) != NULL; i++)
        seen |= 1u << (value_of(PIT_OF_LOSSES, field->key, &losses).whole - 100);
    CHECK_INT(seen, (1u << (sizeof losses / sizeof *counts)) - 1);
    CHECK_INT(value_of(PIT_OF_LOSSES, "beyond_file_bytes", &losses).whole, losses.beyond_file);
    CHECK(pit_field_at((enum pit_row_kind)99, 0) == NULL);
    CHECK(pit_field_find(PIT_OF_NODE, "no_such") == NULL);
}

/* ---- merge rules ----------------------------------------------------------------------------- */

static double figure(const pit_field *field, const pit_node *node)
{
    pit_field_value value;
    pit_field_get(field, node, &value);
    return value.type == PIT_VALUE_REAL     ? value.real
           : value.type == PIT_VALUE_SIGNED ? (double)value.signed_whole
                                            : (double)value.whole;
}

static double joined(const char *rule, double a, double b)
{
    return strcmp(rule, "sum") == 0        ? a + b
           : strcmp(rule, "smallest") == 0 ? fmin(a, b)
           /* last: the second run ends later */
           : strcmp(rule, "largest") == 0 ? fmax(a, b)
                                          : b;
}

/* Two runs of one node, separate and merged: each field must follow its merge rule. */
TEST(fields_merge_as_their_rules_say)
{
    pit_memory memories[2] = {memory,
                              {.count = 2, .delta_last = 9, .delta_sum = -4, .delta_max = 1}};
    pit_teams both_teams[2] = {teams, {.count = 1, .threads = 6, .threads_max = 6, .busy_ns = 9}};
    pit_alloc allocs[2] = {alloc, {.count = 3, .allocs = 1, .live_last = 4, .live_sum = 6}};
    memories[1].peak_method = PIT_PEAK_HWM;
    memories[1].peak_last = memories[1].peak_max = memories[1].peak_sum = 17;
    memories[1].rss_max = memories[1].rss_last = 9000;
    memories[1].error_bytes = 128;
    allocs[1].leak_spans = allocs[1].leaked_bytes = allocs[1].leaked_blocks = 1;
    allocs[1].peak_last = 700;
    allocs[1].peak_max = 900;
    pit_raw_node raw[2] = {made_node("a", PIT_NO_NODE, 4, 100, 30),
                           made_node("a", PIT_NO_NODE, 2, 700, 11)};
    pit_open_span open[2] = {{.node = 0, .begin = 2000}, {.node = 0, .begin = 3000}};
    pit_thread threads[2];
    pit_run made[2];
    const pit_run *runs[2];
    for (int i = 0; i < 2; i++) {
        raw[i].memory = &memories[i];
        raw[i].alloc = &allocs[i];
        raw[i].teams = &both_teams[i];
        raw[i].items = 3 + (uint64_t)i;
        threads[i] = made_thread("main", &raw[i], 1);
        threads[i].open = &open[i];
        threads[i].open_count = 1;
        made[i] = made_run(&threads[i], 1);
        made[i].start_wall_ns += (uint64_t)i * 1000000000u;
        made[i].losses.abandoned = 1;
        runs[i] = &made[i];
    }
    pit_tree *one = pit_tree_build(runs, 1), *other = pit_tree_build(runs + 1, 1);
    pit_tree *both = pit_tree_build(runs, 2);
    REQUIRE(one && other && both && both->node_count == 1);
    CHECK_INT(both->losses.abandoned, 2);
    const pit_field *field;
    for (size_t i = 0; (field = pit_field_at(PIT_OF_NODE, i)) != NULL; i++) {
        const char *rule = pit_field_merge(field);
        if (strcmp(rule, "same") == 0 || strcmp(rule, "computed") == 0)
            continue;
        double a = figure(field, one->nodes), b = figure(field, other->nodes);
        double got = figure(field, both->nodes);
        if (fabs(got - joined(rule, a, b)) > 1e-6)
            printf("  %s is not the %s of %g and %g: %g\n", field->key, rule, a, b, got);
        CHECK_NEAR(got, joined(rule, a, b), 1e-6);
    }
    pit_tree_free(one);
    pit_tree_free(other);
    pit_tree_free(both);
}

/* ---- what rows are made of ------------------------------------------------------------------- */

TEST(open_time_is_in_total_and_self_and_share)
{
    pit_raw_node raw[] = {made_node("run", PIT_NO_NODE, 0, 0, 0), made_node("step", 0, 2, 100, 0),
                          made_node("beside", 0, 0, 0, 0)};
    raw[2].detached = 1;
    pit_thread thread = made_thread("main", raw, 3);
    pit_run run = made_run(&thread, 1);
    pit_open_span open[] = {{.node = 0, .begin = run.end_ticks - 1000},
                            {.node = 1, .begin = run.end_ticks - 300},
                            {.node = 2, .begin = run.end_ticks - 50, .object = 1}};
    thread.open = open;
    thread.open_count = 3;
    const pit_run *runs[] = {&run};
    pit_tree *tree = pit_tree_build(runs, 1);
    REQUIRE(tree && tree->node_count == 3);
    CHECK_NEAR(tree->total_ns, 1000, 1e-9);
    CHECK_NEAR(tree->finished_ns, 0, 0);
    const pit_node *outer = &tree->nodes[0], *step = &tree->nodes[1], *beside = &tree->nodes[2];
    CHECK_STR(step->name, "step");
    CHECK_NEAR(outer->total_ns, 1000, 1e-9);
    CHECK_NEAR(outer->self_ns, 500,
               1e-9); /* less 200 finished and 300 open; detached nodes do not count */
    CHECK_NEAR(step->total_ns, 500, 1e-9);
    CHECK_NEAR(step->finished_ns, 200, 1e-9);
    CHECK_NEAR(step->self_ns, 500, 1e-9);
    CHECK_NEAR(step->share, 0.5, 1e-12);
    CHECK_NEAR(beside->total_ns, 50, 1e-9);
    CHECK(isnan(beside->share) && isnan(beside->self_share));
    pit_tree_free(tree);
}

TEST(series_of_threads_and_runs_are_merged_in_nanoseconds)
{
    static const pit_series_bin narrow[] = {
        {0, 10, 1, 5, 5, 5}, {10, 10, 2, 8, 3, 5}, {20, 10, 1, 9, 9, 9}};
    static const pit_series_bin wide[] = {{0, 20, 4, 40, 10, 10}};
    static const pit_series_bin slow[] = {{20, 10, 3, 12, 1, 6}}; /* of two nanoseconds a tick */
    pit_raw_node first[] = {made_node("other", PIT_NO_NODE, 1, 1000, 0),
                            made_node("a", PIT_NO_NODE, 4, 1, 0)};
    pit_raw_node second[] = {made_node("a", PIT_NO_NODE, 4, 10, 0)};
    pit_raw_node third[] = {made_node("a", PIT_NO_NODE, 3, 4, 0)};
    first[1].series = narrow;
    first[1].series_count = 3;
    second[0].series = wide;
    second[0].series_count = 1;
    third[0].series = slow;
    third[0].series_count = 1;
    pit_thread threads[] = {made_thread("one", first, 2), made_thread("two", second, 1)};
    pit_thread other = made_thread("one", third, 1);
    pit_run run = made_run(threads, 2), later = made_run(&other, 1);
    later.ns_per_tick = 2;
    const pit_run *runs[] = {&run, &later};
    pit_tree *tree = pit_tree_build(runs, 2);
    struct pit__node_series series;
    REQUIRE(tree && tree->node_count == 2);
    REQUIRE(pit__node_series_make(tree, runs, 2, &series) == 0);
    size_t a = strcmp(tree->nodes[0].name, "a") == 0 ? 0 : 1;
    CHECK_INT(series.first[2 - a] - series.first[1 - a], 0); /* the other has none */
    REQUIRE(series.first[a + 1] - series.first[a] == 3);
    const struct pit__stretch *s = series.stretches + series.first[a];
    CHECK_NEAR(s[0].start_ns, 0, 0); /* 0…20: two narrow ones and the wide one */
    CHECK_NEAR(s[0].width_ns, 20, 0);
    CHECK_INT(s[0].count, 7);
    CHECK_NEAR(s[0].total_ns, 53, 0);
    CHECK_NEAR(s[0].min_ns, 3, 0);
    CHECK_NEAR(s[0].max_ns, 10, 0);
    CHECK_NEAR(s[1].start_ns, 20, 0);
    CHECK_INT(s[1].count, 1);
    CHECK_NEAR(s[2].start_ns, 40, 0); /* 20 ticks of two nanoseconds */
    CHECK_NEAR(s[2].total_ns, 24, 0);
    CHECK_NEAR(s[2].max_ns, 12, 0);
    pit__node_series_free(&series);
    pit_tree_free(tree);
}

TEST(a_live_node_is_a_row_of_the_same_fields)
{
    pit_raw_node raw[] = {made_node("a", PIT_NO_NODE, 4, 100, 0), made_node("b", 0, 2, 50, 0)};
    pit_thread thread = made_thread("main", raw, 2);
    pit_run run = made_run(&thread, 1);
    struct pit__live live = {0};
    struct pit__live_figures row;
    char path[64];
    REQUIRE(pit__live_look(&live, &run, PIT__ALL_THREADS) == 0);
    pit__live_figures(&live, 1, path, sizeof path, &row);
    CHECK_STR(value_of(PIT_OF_NODE, "path", &row).text, "a/b");
    CHECK_NEAR(value_of(PIT_OF_NODE, "total_ns", &row).real, 100, 1e-9);
    CHECK_NEAR(value_of(PIT_OF_NODE, "mean_ns", &row).real, 50, 1e-9);
    CHECK_NEAR(value_of(PIT_OF_NODE, "share", &row).real, 0.25, 1e-9);
    pit_field_value value;
    for (size_t i = 0; i < pit__live_fields.count; i++) { /* one refresh gives no current rates */
        pit__field_read(pit__field_entry(&pit__live_fields, i), &row, &value);
        CHECK_INT(value.type, PIT_VALUE_UNKNOWN);
        CHECK(value.reason && *value.reason);
    }
    char text[PIT__UNIT_BYTES];
    pit__field_text(text, pit__live_field("total_ns"), &row, 1);
    CHECK_STR(text, "100 ns");
    pit__field_text(text, pit__live_field("now_share"), &row, 1);
    CHECK_STR(text, "n/a");
    pit__live_free(&live);
}
