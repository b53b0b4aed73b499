/* The rules of advice: on plain rows as the documents define them, and on runs made by hand. */
#include "check.h"

#include "analysis/advice.h"
#include "made_run.h"

#include <math.h>

/* The rules found, in their order, joined by blanks. */
static const char *rules_of(const pit_advice *advice)
{
    static char text[500];
    text[0] = 0;
    for (size_t i = 0; i < advice->count; i++) {
        strcat(text, i ? " " : "");
        strcat(text, advice->findings[i].rule);
    }
    return text;
}

static const pit_finding *finding(const pit_advice *advice, const char *rule)
{
    for (size_t i = 0; i < advice->count; i++)
        if (strcmp(advice->findings[i].rule, rule) == 0)
            return &advice->findings[i];
    printf("  no %s among: %s\n", rule, rules_of(advice));
    REQUIRE(0);
    return NULL;
}

/* ---- names ------------------------------------------------------------------------------------- */

TEST(names_say_what_a_part_does)
{
    static const struct {
        const char *name;
        enum pit__role role;
    } names[] = {
        {"data_loading", PIT__ROLE_DATA},
        {"data loading", PIT__ROLE_DATA},
        {"data_batch_production", PIT__ROLE_DATA},
        {"DataLoader", PIT__ROLE_DATA},
        {"loader", PIT__ROLE_DATA},
        {"load_ground_truth", PIT__ROLE_DATA},
        {"load_model", PIT__ROLE_NONE},
        {"load checkpoint", PIT__ROLE_NONE},
        {"load_checkpoint", PIT__ROLE_NONE},
        {"checkpoint", PIT__ROLE_CHECKPOINT},
        {"save_checkpoint", PIT__ROLE_CHECKPOINT},
        {"save", PIT__ROLE_CHECKPOINT},
        {"write_restart", PIT__ROLE_CHECKPOINT},
        {"dump_state", PIT__ROLE_CHECKPOINT},
        {"read_block", PIT__ROLE_DATA},
        {"thread", PIT__ROLE_NONE},
        {"report", PIT__ROLE_LOGGING},
        {"eval_step", PIT__ROLE_EVALUATION},
        {"validation", PIT__ROLE_EVALUATION},
        {"evaluate model", PIT__ROLE_EVALUATION},
        {"optimizer", PIT__ROLE_OPTIMIZER},
        {"adamw_step", PIT__ROLE_OPTIMIZER},
        {"update", PIT__ROLE_OPTIMIZER},
        {"log_metrics", PIT__ROLE_LOGGING},
        {"log_softmax", PIT__ROLE_NONE},
        {"print_trace", PIT__ROLE_LOGGING},
        {"write_output", PIT__ROLE_LOGGING},
        {"loader_start", PIT__ROLE_LOADER},
        {"compile", PIT__ROLE_COMPILE},
        {"get_batch", PIT__ROLE_DATA},
        {"metadata", PIT__ROLE_NONE},
        {"forward_pass", PIT__ROLE_FORWARD},
        {"model forward", PIT__ROLE_FORWARD},
        {"batch_backward", PIT__ROLE_BACKWARD},
        {"loss_fn_computation", PIT__ROLE_LOSS},
        {"make_step_total", PIT__ROLE_STEP},
        {"training_step", PIT__ROLE_STEP},
        {"Batch", PIT__ROLE_BATCH},
        {"step", PIT__ROLE_BATCH},
        {"epoch", PIT__ROLE_EPOCH},
        {"preprocessing", PIT__ROLE_NONE},
        {"", PIT__ROLE_NONE},
        {"_", PIT__ROLE_NONE},
        {"\xff\xfe", PIT__ROLE_NONE},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (pit__role_of(names[i].name) != names[i].role)
            printf("  %s\n", names[i].name);
        CHECK_INT(pit__role_of(names[i].name), names[i].role);
    }
}

/* ---- rows -------------------------------------------------------------------------------------- */

TEST(rows_over_half_and_over_a_fifth_are_named_in_the_documents_words)
{
    static const pit_row rows[] = {{.name = "load_truth_file", .seconds = 0.396},
                                   {.name = "optimization", .seconds = 2.361},
                                   {.name = "plots", .seconds = 0.003}};
    pit_advice *advice = pit_advise_rows(rows, 3, NULL, 0, 0);
    REQUIRE(advice != NULL);
    CHECK_STR(rules_of(advice), "bottleneck");
    CHECK_STR(advice->findings[0].headline, "⚠️  BOTTLENECK: optimization (85.5%)");
    CHECK_INT(advice->findings[0].severity, 2);
    CHECK_NEAR(advice->findings[0].share, 2.361 / 2.76, 1e-9);
    CHECK_STR(advice->findings[0].path, "optimization");
    pit_advice_free(advice);
    static const pit_row two[] = {{.name = "op", .seconds = 3}, {.name = "other", .seconds = 7}};
    advice = pit_advise_rows(two, 2, NULL, 0, 0);
    CHECK_STR(rules_of(advice), "bottleneck consider");
    CHECK_STR(advice->findings[1].headline, "⚡ Consider optimizing: op (30.0%)");
    pit_advice_free(advice);
    advice = pit_advise_rows(two, 2, NULL, 0, 1);
    CHECK_STR(advice->findings[0].headline, "BOTTLENECK: other (70.0%)");
    CHECK_STR(advice->findings[1].headline, "Consider optimizing: op (30.0%)");
    pit_advice_free(advice);
}

TEST(batches_that_vary_are_named_in_the_documents_words)
{
    static const double batches[] = {0.538, 0.185, 0.19, 0.188, 0.082, 0.187, 0.186, 0.185};
    pit_advice *advice = pit_advise_rows(NULL, 0, batches, 8, 0);
    REQUIRE(advice != NULL);
    CHECK_STR(finding(advice, "high_variance")->headline,
              "⚠️  High variance (6.6x) - investigate outliers!");
    CHECK(strstr(finding(advice, "first_batch")->headline, "took 538 ms at first") != NULL);
    CHECK(!advice->too_little_data);
    pit_advice_free(advice);
    static const double even[] = {0.10, 0.11, 0.10, 0.12, 0.11, 0.10};
    advice = pit_advise_rows(NULL, 0, even, 6, 0);
    CHECK_INT(advice->count, 0);
    pit_advice_free(advice);
}

TEST(profiling_rows_have_the_rules_of_data_loss_and_step)
{
    static const pit_row rows[] = {
        {.name = "data_batch_production", .seconds = 6.0, .count = 100},
        {.name = "loss_fn_computation", .seconds = 4.56, .count = 100, .nested = 1},
        {.name = "make_step_total", .seconds = 7.89, .count = 100}};
    pit_advice *advice = pit_advise_rows(rows, 3, NULL, 0, 0);
    REQUIRE(advice != NULL);
    CHECK_STR(finding(advice, "input_bound")->headline,
              "INPUT-BOUND: data_batch_production is 43 % of the total");
    CHECK(strstr(finding(advice, "input_bound")->remedy, "preprocess the data offline") != NULL);
    CHECK_STR(finding(advice, "loss_bound")->headline,
              "LOSS-BOUND: loss_fn_computation is 58 % of make_step_total");
    pit_advice_free(advice);
    pit_row less[] = {rows[0], rows[1], rows[2]};
    less[1].seconds = 1;
    advice = pit_advise_rows(less, 3, NULL, 0, 0);
    CHECK_STR(finding(advice, "step_bound")->headline,
              "STEP: make_step_total is 57 % of the total");
    pit_advice_free(advice);
}

TEST(rows_of_a_model_have_the_rules_of_forward_and_backward)
{
    pit_row rows[] = {{.name = "forward", .seconds = 6.0, .count = 100},
                      {.name = "backward", .seconds = 4.0, .count = 100}};
    pit_advice *advice = pit_advise_rows(rows, 2, NULL, 0, 0);
    REQUIRE(advice != NULL);
    CHECK_STR(finding(advice, "forward_bound")->headline,
              "FORWARD-BOUND: forward is 60 % of the total");
    pit_advice_free(advice);
    rows[0].seconds = 3.0;
    advice = pit_advise_rows(rows, 2, NULL, 0, 0);
    CHECK_STR(finding(advice, "backward_bound")->headline,
              "BACKWARD-BOUND: backward is 57 % of the total");
    pit_advice_free(advice);
}

TEST(nothing_measured_is_too_little_and_no_finding)
{
    pit_advice *advice = pit_advise_rows(NULL, 0, NULL, 0, 0);
    REQUIRE(advice != NULL);
    CHECK_INT(advice->count, 0);
    CHECK_INT(advice->too_little_data, 1);
    CHECK_STR(advice->reason, "too little data: nothing was measured");
    pit_advice_free(advice);
    static const double batches[] = {1, 1};
    advice = pit_advise_rows(NULL, 0, batches, 2, 0);
    CHECK_STR(advice->reason,
              "too little data: 2 batches, at least 5 are needed to judge their course");
    pit_advice_free(advice);
    pit_advice_free(NULL);
}

/* ---- runs -------------------------------------------------------------------------------------- */

static pit_raw_node nodes[8];
static pit_thread threads[2];

/* Batches of 20 ms with parts of these times, in tenths of a millisecond. */
static pit_run batch_run(unsigned load, unsigned forward, unsigned backward, unsigned other,
                         uint64_t batches)
{
    uint64_t ms = 100000, inside = (load + forward + backward + other) * ms;
    nodes[0] = made_node("batch", PIT_NO_NODE, batches, 20 * 10 * ms, batches * inside);
    nodes[1] = made_node("data", 0, batches, load * ms, 0);
    nodes[2] = made_node("forward", 0, batches, forward * ms, 0);
    nodes[3] = made_node("backward", 0, batches, backward * ms, 0);
    nodes[4] = made_node("optimizer", 0, batches, other * ms, 0);
    threads[0] = made_thread("main", nodes, 5);
    return made_run(threads, 1);
}

static pit_advice *advise(const pit_run *run)
{
    const pit_run *runs[] = {run};
    pit_advice *advice = pit_advise(runs, 1, 0);
    REQUIRE(advice != NULL);
    return advice;
}

static const char *rules_of_batches(unsigned load, unsigned forward, unsigned backward,
                                    unsigned other)
{
    pit_run run = batch_run(load, forward, backward, other, 100);
    pit_advice *advice = advise(&run);
    const char *rules = rules_of(advice);
    pit_advice_free(advice);
    return rules;
}

TEST(parts_of_a_batch_are_judged_against_what_is_usual)
{
    CHECK_STR(rules_of_batches(20, 60, 90, 30), "nothing");
    CHECK_STR(rules_of_batches(20, 80, 70, 30), "nothing");
    CHECK_STR(rules_of_batches(39, 55, 76, 30), "nothing");
    CHECK_STR(rules_of_batches(41, 55, 75, 29), "input_processor");
    CHECK_STR(rules_of_batches(10, 101, 60, 20), "nothing");
    CHECK_STR(rules_of_batches(10, 60, 81, 30), "nothing");
    CHECK_STR(rules_of_batches(10, 50, 60, 69), "nothing");
    CHECK_STR(rules_of_batches(10, 50, 60, 75), "optimizer");
    CHECK_STR(rules_of_batches(10, 30, 120, 20), "odd_ratio");
    CHECK_STR(rules_of_batches(10, 40, 100, 20), "nothing");
    CHECK_STR(rules_of_batches(10, 30, 30, 10), "unmarked");
}

TEST(what_saves_the_most_comes_first)
{
    CHECK_STR(rules_of_batches(42, 20, 30, 88), "optimizer input_processor");
    CHECK_STR(rules_of_batches(90, 20, 30, 80), "input_processor optimizer");
}

TEST(nothing_stands_out_is_said_with_the_shares)
{
    pit_run run = batch_run(10, 60, 96, 32, 100);
    pit_advice *advice = advise(&run);
    REQUIRE(advice->count == 1);
    CHECK_STR(advice->findings[0].headline,
              "NOTHING STANDS OUT: backward 48 %, forward 30 %, optimizer 16 %, data 5 %");
    CHECK_INT(advice->findings[0].severity, 0);
    CHECK(isnan(advice->findings[0].savings_ns));
    pit_advice_free(advice);
}

TEST(a_finding_says_what_is_at_stake)
{
    pit_run run = batch_run(100, 30, 50, 20, 100);
    run.duration_ns = 2e9;
    pit_advice *advice = advise(&run);
    REQUIRE(advice->count == 1);
    CHECK_NEAR(advice->findings[0].savings_ns, 1e9, 1);
    CHECK(strstr(advice->findings[0].evidence, "at most 50 % shorter without it") != NULL);
    CHECK(strstr(advice->findings[0].headline, "data is 50 % of the batch") != NULL);
    pit_advice_free(advice);
}

TEST(of_several_batches_the_one_with_the_most_at_stake_comes_first_and_is_told_apart)
{
    static const struct {
        const char *name;
        uint32_t parent;
        unsigned ms;
    } parts[] = {{"small", PIT_NO_NODE, 120}, {"batch", 0, 100}, {"optimizer", 1, 90},
                 {"large", PIT_NO_NODE, 240}, {"batch", 3, 200}, {"optimizer", 4, 150}};
    for (uint32_t i = 0; i < 6; i++) {
        uint64_t inside = i % 3 < 2 ? parts[i + 1].ms : 0;
        nodes[i] = made_node(parts[i].name, parts[i].parent, 100, parts[i].ms * 1000000u,
                             inside * 100 * 1000000u);
    }
    threads[0] = made_thread("main", nodes, 6);
    pit_run run = made_run(threads, 1);
    pit_advice *advice = advise(&run);
    REQUIRE(advice->count >= 2);
    CHECK_STR(advice->findings[0].headline, "OPTIMIZER: optimizer is 75 % of the batch of large");
    CHECK_STR(advice->findings[1].headline, "OPTIMIZER: optimizer is 90 % of the batch of small");
    pit_advice_free(advice);
}

TEST(a_run_of_few_batches_says_how_many_it_takes)
{
    pit_run run = batch_run(150, 20, 20, 10, 4);
    pit_advice *advice = advise(&run);
    CHECK_INT(advice->count, 0);
    CHECK_INT(advice->too_little_data, 1);
    CHECK_STR(advice->reason, "too little data: batch ran 4 times, at least 5 are needed");
    pit_advice_free(advice);
    run = made_run(threads, 0);
    advice = advise(&run);
    CHECK_STR(advice->reason, "too little data: no span was recorded");
    pit_advice_free(advice);
    nodes[0] = made_node("batch", PIT_NO_NODE, 4, 50000, 0);
    threads[0] = made_thread("main", nodes, 1);
    run = made_run(threads, 1);
    advice = advise(&run);
    CHECK_STR(advice->reason,
              "too little data: 200 \xc2\xb5s in spans, at least 1.00 ms are needed");
    pit_advice_free(advice);
}

TEST(two_runs_of_the_same_work_that_differ_should_be_repeated)
{
    static pit_raw_node slow[1], fast[1];
    static pit_thread thread[2];
    slow[0] = made_node("batch", PIT_NO_NODE, 50, 30000000, 0);
    fast[0] = made_node("batch", PIT_NO_NODE, 50, 20000000, 0);
    thread[0] = made_thread("main", slow, 1);
    thread[1] = made_thread("main", fast, 1);
    pit_run a = made_run(&thread[0], 1), b = made_run(&thread[1], 1);
    const pit_run *runs[] = {&a, &b};
    pit_advice *advice = pit_advise(runs, 2, 0);
    REQUIRE(advice != NULL);
    CHECK_STR(rules_of(advice), "runs_vary");
    CHECK(strstr(advice->findings[0].remedy, "pitwall race") != NULL);
    pit_advice_free(advice);
}

/* Every batch is an event of the flight recorder. */
static pit_run course_run(const double *ms, size_t count)
{
    static pit_event events[1000];
    uint64_t at = 1000, total = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t took = (uint64_t)(ms[i] * 1e6);
        events[i] = (pit_event){.node = 0, .depth = 1, .begin = at, .duration = took};
        at += took;
        total += took;
    }
    nodes[0] = made_node("batch", PIT_NO_NODE, count, count ? total / count : 0, 0);
    threads[0] = made_thread("main", nodes, 1);
    threads[0].events = events;
    threads[0].event_count = count;
    return made_run(threads, 1);
}

static const char *rules_of_course(const double *ms, size_t count)
{
    pit_run run = course_run(ms, count);
    pit_advice *advice = advise(&run);
    const char *rules = rules_of(advice);
    pit_advice_free(advice);
    return rules;
}

TEST(the_course_of_batches_has_one_cause)
{
    double ms[100];
    for (int i = 0; i < 100; i++)
        ms[i] = 20 + 0.1 * (i * 7 % 5);
    CHECK_STR(rules_of_course(ms, 100), "nothing");
    ms[50] = 90; /* one iteration disturbed by another program is not variance */
    CHECK_STR(rules_of_course(ms, 100), "nothing");
    ms[50] = 20;
    ms[0] = 60; /* two percent of the run: no finding */
    CHECK_STR(rules_of_course(ms, 100), "nothing");
    ms[0] = 400;
    CHECK_STR(rules_of_course(ms, 100), "first_step");
    for (int i = 0; i < 100; i++)
        ms[i] = i % 20 == 19 ? 100 : 20 + 0.1 * (i * 7 % 5);
    CHECK_STR(rules_of_course(ms, 100), "periodic_stall");
    for (int i = 0; i < 100; i++)
        ms[i] = 20 + 0.2 * i + 0.1 * (i * 7 % 5);
    CHECK_STR(rules_of_course(ms, 100), "drift");
    for (int i = 0; i < 100; i++)
        ms[i] = 40 - 0.2 * i + 0.1 * (i * 7 % 5); /* getting faster is no finding */
    CHECK_STR(rules_of_course(ms, 100), "nothing");
    unsigned state = 5;
    for (int i = 0; i < 100; i++) {
        state = state * 1664525u + 1013904223u;
        ms[i] = 10 + 40.0 * (state >> 16) / 65536;
    }
    CHECK_STR(rules_of_course(ms, 100), "high_variance");
}

TEST(names_of_others_cannot_break_a_finding)
{
    static const pit_row rows[] = {{.name = "a\nb{name}\x1b[31m", .seconds = 9},
                                   {.name = NULL, .seconds = 1}};
    pit_advice *advice = pit_advise_rows(rows, 2, NULL, 0, 1);
    REQUIRE(advice != NULL);
    CHECK_STR(advice->findings[0].headline, "BOTTLENECK: a\\nb{name}\\x1b[31m (90.0%)");
    pit_advice_free(advice);
}
