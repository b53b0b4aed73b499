/* Hooks in the report: their cost, from the last entry of the journal, and hooks that failed. */
#include "check.h"

#include "made_run.h"

static pit_raw_node nodes[1];
static pit_thread threads[1];
static pit_entry entries[3];

static const pit_figure early[] = {{"spans", 4, ""},
                                   {"passed", 2, ""},
                                   {"steps", 1, ""},
                                   {"span_ns", 30, "ns"},
                                   {"pass_ns", 5, "ns"}};
static const pit_figure late[] = {{"spans", 5000, ""},
                                  {"passed", 10000, ""},
                                  {"steps", 1000, ""},
                                  {"span_ns", 30, "ns"},
                                  {"pass_ns", 5, "ns"}};

/* A second of run with 1,000 steps: 5,000 spans of 30 ns, 10,000 calls passed on at 5 ns. */
static pit_run hooked(void)
{
    setenv("TZ", "UTC", 1);
    nodes[0] = made_node("step", PIT_NO_NODE, 1000, 1000000, 0);
    threads[0] = made_thread("main", nodes, 1);
    pit_run run = made_run(threads, 1);
    entries[0] = (pit_entry){"auto", "torch", 2000, 0, early, 5};
    entries[1] = (pit_entry){"other", "torch", 3000, 0, NULL, 0};
    entries[2] = (pit_entry){"auto", "torch", 1000 + 1000000000u, 0, late, 5};
    run.journal = entries;
    run.journal_count = 3;
    return run;
}

TEST(report_says_what_hooks_cost_a_step_and_of_the_run)
{
    pit_run run = hooked();
    CHECK_HAS(made_report(&run, NULL, NULL),
              "\nauto: hooks of torch, about 200 ns a step, 0.02 % of the run\n");
}

TEST(without_steps_the_cost_is_that_of_a_span)
{
    static const pit_figure figures[] = {{"spans", 100, ""},
                                         {"passed", 0, ""},
                                         {"steps", 0, ""},
                                         {"span_ns", 30, ""},
                                         {"pass_ns", 5, ""}};
    pit_run run = hooked();
    entries[2].figures = figures;
    CHECK_HAS(made_report(&run, NULL, NULL), "auto: hooks of torch, about 30 ns a span,");
}

TEST(a_cost_that_is_not_known_is_not_zero)
{
    static const pit_figure figures[] = {{"spans", 1, ""}, {"passed", 0, ""}, {"steps", 0, ""}};
    pit_run run = hooked();
    entries[2].figures = figures;
    entries[2].figure_count = 3;
    CHECK_HAS(made_report(&run, NULL, NULL),
              "auto: hooks of torch, their cost is n/a (it was not measured)\n");
}

TEST(hooks_that_failed_are_named)
{
    pit_run run = hooked();
    entries[1] = (pit_entry){"auto_failed", "torch.optim: AttributeError: step", 3000, 0, NULL, 0};
    CHECK_HAS(made_report(&run, NULL, NULL),
              "auto: no hook: torch.optim: AttributeError: step\nauto: hooks of torch");
}

TEST(a_run_without_hooks_says_nothing_of_them)
{
    pit_run run = hooked();
    run.journal_count = 0;
    pit_report_options json = {.form = PIT_JSON};
    CHECK(!strstr(made_report(&run, NULL, NULL), "auto"));
    CHECK(!strstr(made_report(&run, &json, NULL), "\"hooks\""));
}

TEST(json_has_the_same_figures)
{
    pit_run run = hooked();
    pit_report_options json = {.form = PIT_JSON};
    const char *text = made_report(&run, &json, NULL);
    CHECK_HAS(text, "\"libraries\": \"torch\"");
    CHECK_HAS(text, "\"steps\": 1000");
    CHECK_HAS(text, "\"cost_ns\": 200000");
    CHECK_HAS(text, "\"share\": 0.0002");
}
