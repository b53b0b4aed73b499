/* The clocks of two hosts, aligned by the collectives of the runs: for a common time line, and reported with
 * the error bound. The runs are made up on one machine. */
#include "check.h"
#include "model/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS = 200 };
#define START 1700000000000000000u
#define APART 1e9    /* clock of b ahead of that of a */
#define DRIFTS 50e-6 /* by which it gains */

static pit_collective points[2][CALLS];
static pit_group groups[2];
static pit_run runs[2];
static pit_fact facts[2][4];
static uint64_t state;

static double uniform(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

/* Times are those of a's clock, from the start of both runs; b's shows APART more, and gains. */
static void make_runs(int is_sync)
{
    static const char *const hosts[] = {"a", "b"}, *const ranks[] = {"0", "1"};
    state = 1;
    memset(runs, 0, sizeof runs);
    for (int i = 0; i < CALLS; i++) {
        double enter[2] = {i * 1e8 + 3e6 * uniform(), i * 1e8 + 3e6 * uniform()};
        double both = fmax(enter[0], enter[1]);
        for (int r = 0; r < 2; r++) {
            double leave = both + 20e3 + 60e3 * uniform(), rate = r ? 1 + DRIFTS : 1;
            points[r][i] = (pit_collective){.seq = (uint64_t)i,
                                            .enter_ns = (int64_t)(enter[r] * rate),
                                            .duration_ns = (uint64_t)((leave - enter[r]) * rate),
                                            .thread = PIT_NO_NODE,
                                            .node = PIT_NO_NODE,
                                            .is_sync = is_sync};
        }
    }
    for (int r = 0; r < 2; r++) {
        facts[r][0] = (pit_fact){"host", hosts[r]};
        facts[r][1] = (pit_fact){"rank", ranks[r]};
        facts[r][2] = (pit_fact){"world_size", "2"};
        facts[r][3] = (pit_fact){"job", "made up"};
        groups[r] = (pit_group){.id = 7,
                                .size = 2,
                                .rank = (uint32_t)r,
                                .calls = CALLS,
                                .stride = 1,
                                .points = points[r],
                                .point_count = CALLS};
        runs[r].path = hosts[r];
        runs[r].state = PIT_RUN_CLOSED;
        runs[r].facts = facts[r];
        runs[r].fact_count = 4;
        runs[r].groups = &groups[r];
        runs[r].group_count = 1;
        runs[r].ns_per_tick = 1;
        runs[r].start_wall_ns = START + (r ? (uint64_t)APART : 0);
        runs[r].duration_ns = CALLS * 1e8;
        runs[r].end_wall_ns = runs[r].start_wall_ns + (uint64_t)runs[r].duration_ns;
    }
}

static const pit_run *const both[] = {&runs[0], &runs[1]};

TEST(offset_and_drift_of_a_run_are_found_within_the_bound)
{
    struct pit__run_clock clocks[2];
    make_runs(1);
    pit_ranks *ranks = pit_ranks_of(both, 2);
    CHECK(ranks != NULL);
    CHECK_INT(ranks->host_count, 2);
    CHECK(ranks->clock_bound_ns > 0 && ranks->clock_bound_ns < 200e3);
    CHECK_INT(pit__run_clocks(both, 2, clocks), 0);
    CHECK(fabs(clocks[0].ahead) < 1e-9 && fabs(clocks[0].drift) < 1e-15);
    CHECK(fabs(clocks[1].ahead - APART) <= ranks->clock_bound_ns);
    CHECK(fabs(clocks[1].drift - DRIFTS) * CALLS * 1e8 <= 2 * ranks->clock_bound_ns);
    pit_ranks_free(ranks);
}

TEST(calls_that_one_may_leave_early_say_nothing_of_clocks)
{
    struct pit__run_clock clocks[2];
    make_runs(0);
    pit_ranks *ranks = pit_ranks_of(both, 2);
    REQUIRE(ranks);
    CHECK(isnan(ranks->clock_bound_ns));
    CHECK(strncmp(ranks->clock_words, "n/a", 3) == 0);
    CHECK_INT(pit__run_clocks(both, 2, clocks), 0);
    CHECK(fabs(clocks[1].ahead) < 1e-9);
    pit_ranks_free(ranks);
}

TEST(a_trace_of_two_hosts_is_on_one_time_line)
{
    make_runs(1);
    char *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    CHECK_INT(pit_export(out, "chrome-trace", both, 2), 0);
    fclose(out);
    char *at = strstr(text, "\"start_wall_ns\": ");
    CHECK(at != NULL);
    /* the first of both: b began at the same moment, not a second later */
    double first = at ? strtod(at + strlen("\"start_wall_ns\": "), NULL) : 0;
    CHECK(fabs(first - (double)START) < 1e6);
    free(text);
}

TEST(runs_of_one_host_need_no_clocks)
{
    make_runs(1);
    facts[1][0].value = "a";
    pit_ranks *ranks = pit_ranks_of(both, 2);
    CHECK(ranks && ranks->clock_bound_ns == 0);
    CHECK_STR(ranks->clock_words, "one host, exact");
    CHECK(ranks->wait_in == NULL || !ranks->is_estimated);
    pit_ranks_free(ranks);
}
