/* One run per side: the answer from its iterations, how often it is wrong, and that it fails no gate.
 *
 * tests/data/statistics/iterations.csv has the iterations of eight runs of one binary, for each of five
 * workloads: any two runs of a workload are the same program, so every difference is a wrong alarm.
 */
#include "compare/compare.h"

#include "check.h"
#include "same_binary.h"

#include <math.h>
#include <string.h>

#define PROCESSES 8 /* of each workload */
#define MOST 700

static struct process {
    double seconds[MOST];
    size_t count;
} processes[WORKLOADS][PROCESSES];

/* workload,run,iteration,ns: in the order of `workloads` of same_binary.h */
static void take_iteration(char **fields, int count, void *arg)
{
    static char last[80];
    int *workload = arg, run = atoi(fields[1]);
    REQUIRE(count == 4 && run < PROCESSES);
    if (strcmp(last, fields[0]) != 0) {
        snprintf(last, sizeof last, "%s", fields[0]);
        ++*workload;
    }
    struct process *process = &processes[*workload][run];
    REQUIRE(*workload < WORKLOADS && process->count < MOST);
    process->seconds[process->count++] = strtod(fields[3], NULL) / 1e9;
}

static void read_processes(void)
{
    int workload = -1;
    memset(processes, 0, sizeof processes);
    REQUIRE(csv_rows("iterations.csv", take_iteration, &workload) > 0);
    REQUIRE(workload == WORKLOADS - 1);
}

/* A side of one run with one part. */
struct one_run {
    pit_call_times calls;
    pit_figures figures;
    pit_side side;
};

static void make_one_run(struct one_run *one, const double *seconds, size_t count)
{
    REQUIRE(pit_find_call_times(seconds, count, &one->calls) == 0);
    one->figures = (pit_figures){.what = "step",
                                 .count = 1,
                                 .values = &one->calls.p10,
                                 .medians = &one->calls.median,
                                 .total = one->calls.total,
                                 .iterations = seconds,
                                 .iteration_count = count};
    one->side = (pit_side){.figures = &one->figures, .figure_count = 1, .runs = 1};
}

static pit_comparisons *compare(const double *a, size_t a_count, const double *b, size_t b_count,
                                const pit_compare_options *options)
{
    static struct one_run x, y;
    const pit_side *sides[] = {&x.side, &y.side};
    make_one_run(&x, a, a_count);
    make_one_run(&y, b, b_count);
    pit_comparisons *all = pit_compare_sides(sides, 2, options, NULL);
    REQUIRE(all != NULL);
    return all;
}

static int is_alarm(const pit_comparison *c)
{
    return c->verdict == PIT_FASTER || c->verdict == PIT_SLOWER;
}

TEST(the_rate_of_wrong_alarms_is_what_the_line_says)
{
    int all_pairs = 0, alarms = 0, no_verdict = 0;
    read_processes();
    for (int w = 0; w < WORKLOADS; w++)
        for (int x = 0; x < PROCESSES; x++)
            for (int y = x + 1; y < PROCESSES; y += check_repeat(3, 1, 1)) {
                const struct process *a = &processes[w][x], *b = &processes[w][y];
                pit_comparisons *all = compare(a->seconds, a->count, b->seconds, b->count, NULL);
                CHECK(all->items[0].is_indicative);
                alarms += is_alarm(&all->items[0]);
                no_verdict += all->items[0].verdict == PIT_NO_VERDICT;
                all_pairs++;
                pit_comparisons_free(all);
            }
    printf(
        "  indicative: %d of %d comparisons of one binary are wrong alarms (%.0f %%), %d have no "
        "answer\n",
        alarms, all_pairs, 100.0 * alarms / all_pairs, no_verdict);
    CHECK_INT((int)round(10.0 * alarms / all_pairs), PIT__INDICATIVE_WRONG);
}

/* The floor: even if the iterations of a run were known exactly. */
TEST(two_neighbouring_runs_of_one_binary_differ_by_more_than_what_matters)
{
    int differ = 0, pairs = 0;
    load_workloads();
    for (int w = 0; w < WORKLOADS; w++)
        for (int r = 0; r + 1 < RUNS; r += 2, pairs++)
            differ += fabs(log(workloads[w].p10[r + 1] / workloads[w].p10[r])) >= log1p(0.02);
    printf("  p10 of neighbouring runs: %d of %d differ by 2 %% or more (%.0f %%)\n", differ, pairs,
           100.0 * differ / pairs);
    CHECK(differ > pairs / 10);
}

/* Undisturbed iterations of 1 ms, all longer by `more`. */
static void make_steady(double *seconds, size_t count, double more)
{
    for (size_t i = 0; i < count; i++)
        seconds[i] = (1e-3 + 1e-6 * (double)(i * 7919 % 10)) * (1 + more);
}

TEST(it_is_marked_and_tells_its_rate)
{
    double a[200], b[200];
    char *text;
    size_t bytes;
    make_steady(a, 200, 0);
    make_steady(b, 200, 0.1);
    pit_comparisons *all = compare(a, 200, b, 200, NULL);
    CHECK(strncmp(all->headline, "indicative: B is 10.0 % slower [", 32) == 0);
    CHECK(strstr(all->headline, " in step (") != NULL);
    CHECK_INT(all->status, 2); /* this is not a verdict */
    CHECK(all->indicative);
    CHECK_NEAR(all->items[0].b / all->items[0].a - 1, all->items[0].change, 1e-9);
    FILE *out = open_memstream(&text, &bytes);
    REQUIRE(pit_comparisons_print(out, all, NULL) == 0);
    fclose(out);
    CHECK_HAS(text, "\nindicative: one run a side; on one binary about 4 of 10 are wrong alarms\n");
    CHECK(strstr(text, "advisory") == NULL);
    free(text);
    pit_comparisons_free(all);
    make_steady(b, 200, 0);
    all = compare(a, 200, b, 200, NULL);
    CHECK(strncmp(all->headline, "indicative: B is the same within 2 %: ", 38) == 0);
    pit_comparisons_free(all);
    all = compare(a, 4, b, 4, NULL);
    CHECK_INT(all->status, 2);
    CHECK(all->items[0].verdict == PIT_NO_VERDICT);
    pit_comparisons_free(all);
}

TEST(it_never_fails_a_gate)
{
    double a[200], b[200];
    const char *gate = "slower:5%@step";
    pit_compare_options options = {.gates = &gate, .gate_count = 1, .trust = 1, .interleaved = 1};
    make_steady(a, 200, 0);
    make_steady(b, 200, 1);
    pit_comparisons *all = compare(a, 200, b, 200, &options);
    CHECK(all->items[0].verdict == PIT_SLOWER);
    CHECK(all->gates[0].state == PIT_GATE_NO_VERDICT);
    CHECK_INT(all->status, 2);
    pit_comparisons_free(all);
}
