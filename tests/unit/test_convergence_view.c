/* Curves against a threshold: of plain figures, and of the values of runs. */
#include "check.h"

#include "made_run.h"
#include "made_view.h"

#include <math.h>

static const double mlp[] = {0.5, 0.1, 0.02, 0.009, 0.012}, kan[] = {0.4, 0.2, 0.1},
                    siren[] = {0.9, 0.01, 0.009}, seconds[] = {2, 1, 1, 1, 1};
static const pit_curve curves[] = {
    {"MLP", mlp, seconds, 5}, {"KAN", kan, NULL, 3}, {"SIREN", siren, seconds, 3}};

TEST(curves_stand_side_by_side)
{
    pit_data data = {.curves = curves, .curve_count = 3};
    CHECK_STR(made_view("convergence", &data, NULL, NULL),
              "Convergence: 0.01 or below\n"
              "\n"
              "curve  epochs  time (s)  stayed   best  at epoch   last  epochs in all\n"
              "MLP         4         5  no      0.009         4  0.012              5\n"
              "KAN       n/a       n/a  n/a       0.1         3    0.1              3\n"
              "SIREN       2         3  yes     0.009         3  0.009              3\n");
}

TEST(threshold_direction_and_smoothing_are_options)
{
    pit_data data = {.title = "accuracy", .curves = curves, .curve_count = 1};
    pit_report_options options = {.threshold = 0.4, .maximise = 1, .form = PIT_CSV};
    CHECK_STR(made_view("convergence", &data, &options, NULL),
              "name,epochs_to_converge,time_to_converge,stayed,best,best_epoch,last,epochs\n"
              "MLP,1,2,no,0.5,1,0.012,5\n");
    options = (pit_report_options){.smooth = 2, .threshold = 0.02};
    char *text = made_view("convergence", &data, &options, NULL);
    CHECK(strstr(text, "Convergence of accuracy: 0.02 or below, as the mean of 2\n") == text);
    CHECK(strstr(text, "\nMLP         4 ") != NULL);
    options.form = PIT_JSON;
    CHECK(strstr(made_view("convergence", &data, &options, NULL), "\"epochs_to_converge\": 4") !=
          NULL);
}

TEST(no_curve_is_said)
{
    pit_data data = {0};
    int code;
    CHECK_STR(made_view("convergence", &data, NULL, &code), "no value was recorded\n");
    CHECK_INT(code, PIT_NOTHING);
}

/* ---- of runs ------------------------------------------------------------------------------------ */

static pit_raw_node nodes[2];
static pit_thread threads[1];
static pit_event events[7];
static pit_point points[6];
static pit_raw_value values[1];

/* Three epochs of 2 s, the loss at 1 s and 2 s into each. */
static pit_run loss_run(void)
{
    static const double losses[] = {0.9, 0.5, 0.3, 0.05, 0.02, 0.008};
    for (size_t i = 0; i < 6; i++)
        points[i] = (pit_point){.ticks = 1000 + (i + 1) * 1000000000u,
                                .values = 1,
                                .mean = losses[i],
                                .min = losses[i],
                                .max = losses[i]};
    for (size_t i = 0; i < 3; i++)
        events[i] = (pit_event){
            .node = 0, .depth = 1, .begin = 1000 + i * 2000000000u, .duration = 2000000000u};
    values[0] = (pit_raw_value){
        .name = "loss", .count = 6, .last = 0.008, .points = points, .point_count = 6};
    nodes[0] = made_node("epoch", PIT_NO_NODE, 3, 2000000000u, 0);
    threads[0] = made_thread("main", nodes, 1);
    threads[0].events = events;
    threads[0].event_count = 3;
    threads[0].values = values;
    threads[0].value_count = 1;
    return made_run(threads, 1);
}

TEST(values_of_a_run_are_taken_at_the_end_of_each_epoch)
{
    pit_run run = loss_run();
    pit_report_options options = {.view = "convergence", .form = PIT_CSV};
    CHECK_STR(made_report(&run, &options, NULL),
              "name,epochs_to_converge,time_to_converge,stayed,best,best_epoch,last,epochs\n"
              "loss,3,6,yes,0.008,3,0.008,3\n");
}

/* Another model's epochs came first, and there were more of them. */
static pit_run two_models_run(void)
{
    pit_run run = loss_run();
    for (size_t i = 3; i-- > 0;) {
        events[i + 4] = events[i];
        events[i + 4].node = 1;
    }
    for (size_t i = 0; i < 4; i++)
        events[i] = (pit_event){.node = 0, .depth = 1, .begin = 100 + 200 * i, .duration = 100};
    nodes[0] = made_node("epoch", PIT_NO_NODE, 4, 100, 0);
    nodes[1] = made_node("epoch", PIT_NO_NODE, 3, 2000000000u, 0);
    threads[0].event_count = 7;
    threads[0].node_count = 2;
    return run;
}

TEST(the_epochs_are_those_during_which_the_value_was_kept)
{
    pit_run run = two_models_run();
    pit_report_options options = {.view = "convergence", .form = PIT_CSV};
    CHECK(strstr(made_report(&run, &options, NULL), "\nloss,3,6,yes,0.008,3,0.008,3\n") != NULL);
    for (size_t i = 0; i < 6; i++) /* recorded in neither: use the node with the most */
        points[i].ticks += 10000000000u;
    CHECK(strstr(made_report(&run, &options, NULL), ",4\n") != NULL);
}

TEST(of_models_trained_in_turn_the_epochs_are_those_the_value_was_kept_in)
{
    pit_run run = two_models_run();
    for (size_t i = 0; i < 3; i++) { /* in each two seconds the other model comes first */
        events[2 * i] = (pit_event){
            .node = 0, .depth = 1, .begin = 1000 + i * 2000000000u, .duration = 750000000u};
        events[2 * i + 1] = (pit_event){
            .node = 1, .depth = 1, .begin = 750001000 + i * 2000000000u, .duration = 1250000000u};
    }
    nodes[0] = made_node("epoch", PIT_NO_NODE, 3, 750000000u, 0);
    nodes[1] = made_node("epoch", PIT_NO_NODE, 3, 1250000000u, 0);
    threads[0].event_count = 6;
    pit_report_options options = {.view = "convergence", .form = PIT_CSV};
    CHECK(strstr(made_report(&run, &options, NULL), "\nloss,3,3.75,yes,0.008,3,0.008,3\n") != NULL);
}

TEST(where_the_value_s_own_epochs_were_overwritten_each_value_is_one)
{
    pit_run run = two_models_run();
    for (size_t i = 0; i < 4; i++) /* the other model's epochs came later, and only they are left */
        events[i].begin += 10000000000u;
    threads[0].event_count = 4;
    threads[0].events_dropped = 3;
    pit_report_options options = {.view = "convergence", .form = PIT_CSV};
    CHECK(strstr(made_report(&run, &options, NULL), "\nloss,6,6,yes,0.008,6,0.008,6\n") != NULL);
}

TEST(the_node_asked_for_is_the_epoch)
{
    pit_run run = two_models_run();
    int code;
    nodes[0].name = "fold";
    pit_report_options options = {.view = "convergence", .form = PIT_CSV, .node = "fold"};
    CHECK(strstr(made_report(&run, &options, NULL), ",4\n") != NULL);
    options.form = PIT_TEXT;
    options.node = "nowhere";
    CHECK_STR(made_report(&run, &options, &code), "no span has this path or name\n");
    CHECK_INT(code, PIT_NOTHING);
    nodes[0].count = 5; /* one of them was overwritten */
    options.node = "fold";
    CHECK_STR(made_report(&run, &options, &code),
              "the run does not have every span of this node\n");
    CHECK_INT(code, PIT_NOTHING);
}

TEST(without_epochs_each_value_is_one)
{
    pit_run run = loss_run();
    threads[0].event_count = 0;
    pit_report_options options = {.view = "convergence", .form = PIT_CSV, .threshold = 0.05};
    CHECK(strstr(made_report(&run, &options, NULL), "\nloss,4,4,yes,0.008,6,0.008,6\n") != NULL);
    points[0].values = 5; /* a point of several counts as several */
    CHECK(strstr(made_report(&run, &options, NULL), "\nloss,8,4,yes,0.008,10,0.008,10\n") != NULL);
}

TEST(a_value_that_is_not_there_is_said)
{
    pit_run run = loss_run();
    pit_report_options options = {.view = "convergence", .value = "accuracy"};
    int code;
    CHECK_STR(made_report(&run, &options, &code), "no value of this name was recorded\n");
    CHECK_INT(code, PIT_NOTHING);
}
