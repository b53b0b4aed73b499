/* The verdict: correct in made-up cases, and rarely wrong if there is no difference.
 *
 * tests/data/statistics/same_binary_runs.csv has 600 runs of one binary for each of five workloads,
 * one after another on a machine shared with others: every verdict of faster or slower between two
 * sides taken from it is a false alarm.
 */
#include "check.h"
#include "same_binary.h"

#include "analysis/looks.h"
#include "analysis/verdict.h"

#include <math.h>

static uint64_t random_state = 88172645463325252u;

static uint64_t next_random(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double uniform(void)
{
    return (double)(next_random() >> 11) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform() + 1e-300)) * cos(6.283185307179586 * uniform());
}

static struct pit__judgement judge(const double *a, const double *b, size_t n, double level)
{
    struct pit__sides sides = {a, a, b, b, n, n};
    struct pit__judgement j;
    REQUIRE(pit__judge(&sides, level, PIT__SMALLEST_EFFECT, &j) == 0);
    return j;
}

static void make(double *to, size_t n, double level, double spread)
{
    for (size_t i = 0; i < n; i++)
        to[i] = level * exp(spread * normal());
}

TEST(a_clear_difference_is_found_with_its_size)
{
    double a[10], b[10];
    make(a, 10, 100, 0.002);
    make(b, 10, 105, 0.002);
    struct pit__judgement j = judge(a, b, 10, 0.05);
    CHECK(j.call == PIT__SLOWER && fabs(j.change - 0.05) < 0.01);
    CHECK(j.low > 0.03 && j.high < 0.07 && j.more_runs == 0);
    j = judge(b, a, 10, 0.05);
    CHECK(j.call == PIT__FASTER && fabs(j.change + 0.048) < 0.01);
}

TEST(the_same_is_said_to_be_the_same)
{
    double a[20], b[20];
    make(a, 20, 100, 0.003);
    make(b, 20, 100, 0.003);
    struct pit__judgement j = judge(a, b, 20, 0.05);
    CHECK(j.call == PIT__SAME && fabs(j.change) < 0.01);
    for (int i = 0; i < 20; i++)
        b[i] = a[i] * 1.01; /* real, but smaller than the relevant effect */
    make(a, 20, 100, 0.0005);
    make(b, 20, 101, 0.0005);
    j = judge(a, b, 20, 0.05);
    CHECK(j.call == PIT__SAME && j.is_real);
}

TEST(noise_gives_no_verdict_and_says_how_many_more)
{
    double a[10], b[10];
    make(a, 10, 100, 0.02);
    make(b, 10, 101, 0.02);
    struct pit__judgement j = judge(a, b, 10, 0.05);
    CHECK(j.call == PIT__NO_VERDICT && j.doubt == PIT__TOO_WIDE);
    CHECK(j.low < 0 && j.high > 0 && j.more_runs > 0 && !j.is_too_noisy);
    make(a, 10, 100, 0.3);
    make(b, 10, 101, 0.3);
    j = judge(a, b, 10, 0.05);
    CHECK(j.call == PIT__NO_VERDICT && j.is_too_noisy && j.more_runs == 0);
}

TEST(too_few_runs_and_times_of_zero_give_none)
{
    double a[4] = {1, 1.01, 1.02, 1.03}, b[4] = {2, 2.01, 2.02, 2.03}, none[6] = {0};
    struct pit__judgement j = judge(a, b, 4, 0.05);
    CHECK(j.call == PIT__NO_VERDICT && j.doubt == PIT__TOO_FEW && j.more_runs > 0);
    j = judge(none, none, 6, 0.05);
    CHECK(j.call == PIT__NO_VERDICT && j.doubt == PIT__NO_FIGURES && isnan(j.change));
    j = judge(a, b, 0, 0.05);
    CHECK(j.call == PIT__NO_VERDICT && j.doubt == PIT__TOO_FEW);
}

TEST(a_changed_shape_is_no_verdict)
{
    double a10[10], a50[10], b10[10], b50[10];
    make(a10, 10, 90, 0.002);
    make(a50, 10, 100, 0.002);
    make(b10, 10, 80, 0.002); /* the fast calls faster, the median slower */
    make(b50, 10, 110, 0.002);
    struct pit__sides sides = {a10, a50, b10, b50, 10, 10};
    struct pit__judgement j;
    REQUIRE(pit__judge(&sides, 0.05, 0.02, &j) == 0);
    CHECK(j.call == PIT__NO_VERDICT && j.doubt == PIT__SHAPE_CHANGED);
    CHECK(j.change < -0.1 && j.other > 0.09);
}

/* ---- whole runs in pairs -------------------------------------------------------------------- */

TEST(pairs_are_judged_and_shown_by_one_figure)
{
    double a[20], b[20];
    struct pit__judgement j;
    for (int i = 0; i < 20; i++) { /* a fast and a slow mode, the same for both runs of a pair */
        double mode = i % 3 == 0 ? 1.5 : 1;
        a[i] = 100 * mode * exp(0.005 * normal());
        b[i] = 110 * mode * exp(0.005 * normal());
    }
    REQUIRE(pit__judge_pairs(a, b, 20, 0.05, 0.02, &j) == 0);
    CHECK(j.call == PIT__SLOWER && fabs(j.change - 0.1) < 0.02 && !j.by_late);
    CHECK(fabs(j.a - 100) < 2 && fabs(j.b - 110) < 2);
    CHECK_NEAR(j.b / j.a - 1, j.change, 1e-12);
    for (int i = 0; i < 20; i++) /* the undisturbed runs are alike, the others are not */
        b[i] = a[i] * (i % 3 == 0 ? 2 : 1);
    REQUIRE(pit__judge_pairs(a, b, 20, 0.2, 0.02, &j) == 0);
    CHECK(j.call == PIT__SLOWER && j.by_late && fabs(j.other) < 1e-9);
    CHECK_NEAR(j.b / j.a - 1, j.change, 1e-12);
    CHECK_NEAR(j.change, exp(log(2) * 7 / 20) - 1, 1e-9);
}

TEST(the_rank_test_shows_what_its_change_is_between)
{
    double a[11] = {10, 10, 10, 10, 10, 10, 20, 20, 20, 20, 20};
    double b[11] = {11, 11, 11, 11, 11, 22, 22, 22, 22, 22, 22}; /* medians 10 and 22 */
    struct pit__sides sides = {.a_early = a, .b_early = b, .a_count = 11, .b_count = 11};
    struct pit__judgement j;
    REQUIRE(pit__judge(&sides, 0.05, 0.02, &j) == 0);
    CHECK_NEAR(j.b / j.a - 1, j.change, 1e-12);
}

TEST(pairs_that_say_nothing_are_no_verdict)
{
    double a[20], b[20], none[20] = {0};
    struct pit__judgement j;
    make(a, 20, 100, 0.02);
    make(b, 20, 100, 0.02);
    REQUIRE(pit__judge_pairs(a, b, 4, 0.05, 0.02, &j) == 0);
    CHECK(j.call == PIT__NO_VERDICT && j.doubt == PIT__TOO_FEW && !j.is_too_noisy);
    REQUIRE(pit__judge_pairs(none, none, 20, 0.05, 0.02, &j) == 0);
    CHECK(j.doubt == PIT__NO_FIGURES && isnan(j.a));
    REQUIRE(pit__judge_pairs(a, b, 0, 0.05, 0.02, &j) == 0);
    CHECK(j.doubt == PIT__TOO_FEW && isnan(j.change));
}

TEST(no_more_than_ten_times_the_runs_are_advised)
{
    double a[20], b[20];
    for (int i = 1; i <= 40; i++) {
        struct pit__judgement j;
        make(a, 20, 100, 0.01 * i);
        make(b, 20, 101, 0.01 * i);
        for (int by_pairs = 0; by_pairs < 2; by_pairs++) {
            if (by_pairs)
                REQUIRE(pit__judge_pairs(a, b, 20, 0.05, 0.02, &j) == 0);
            else
                j = judge(a, b, 20, 0.05);
            CHECK(j.more_runs <= 200);
            CHECK(!j.is_too_noisy || (j.call == PIT__NO_VERDICT && j.more_runs == 0));
            if (i == 40 && j.call == PIT__NO_VERDICT)
                CHECK(j.is_too_noisy);
        }
    }
}

/* ---- false alarms -------------------------------------------------------------------------- */

/* `pairs` pairs of neighbours from `from` on; a random bit decides which of each belongs to A. */
static void deal(const struct workload *w, size_t from, size_t pairs, double sides[4][40])
{
    for (size_t i = 0; i < pairs; i++) {
        size_t first = from + 2 * i, flip = next_random() >> 63;
        for (size_t k = 0; k < 2; k++) {
            sides[2 * k][i] = w->p10[first + (flip ^ k)];
            sides[2 * k + 1][i] = w->p50[first + (flip ^ k)];
        }
    }
}

static int is_alarm(double sides[4][40], size_t pairs, double level)
{
    struct pit__sides s = {sides[0], sides[1], sides[2], sides[3], pairs, pairs};
    struct pit__judgement j;
    REQUIRE(pit__judge(&s, level, PIT__SMALLEST_EFFECT, &j) == 0);
    return j.call == PIT__FASTER || j.call == PIT__SLOWER;
}

/* The usual method with the same figures: all of A, then all of B, one test of the medians. */
static double usual_rule(const struct workload *w)
{
    size_t alarms = 0, tests = 0;
    for (size_t from = 0; from + 20 <= RUNS; from += 20, tests++) {
        struct pit__rank_test test;
        REQUIRE(pit__rank_test(w->p50 + from, 10, w->p50 + from + 10, 10, 0.05, &test) == 0);
        alarms += test.is.p <= 0.05;
    }
    return (double)alarms / (double)tests;
}

static int seeds(void)
{
    return check_repeat(20, 100, 1000);
}

TEST(false_alarms_are_few_on_runs_of_one_binary)
{
    load_workloads();
    double all_alarms = 0, all_tests = 0;
    printf("  false alarms, 10 pairs      ours   A then B\n");
    for (size_t w = 0; w < WORKLOADS; w++) {
        double alarms = 0, tests = 0;
        for (int seed = 0; seed < seeds(); seed++)
            for (size_t from = 0; from + 20 <= RUNS; from += 20, tests++) {
                double sides[4][40];
                deal(&workloads[w], from, 10, sides);
                alarms += is_alarm(sides, 10, 0.05);
            }
        printf("    %-20s %8.1f %% %8.1f %%\n", workloads[w].name, 100 * alarms / tests,
               100 * usual_rule(&workloads[w]));
        CHECK(alarms / tests <= 0.08);
        all_alarms += alarms;
        all_tests += tests;
    }
    printf("    %-20s %8.1f %%\n", "all", 100 * all_alarms / all_tests);
    CHECK(all_alarms / all_tests <= 0.05);
}

/* All interim tests up to 40 pairs, where the race ends; runs with a slow mode, as on real machines. */
TEST(looks_at_simulated_runs_raise_few_false_alarms)
{
    int alarms = 0, tests = seeds() * 3;
    for (int i = 0; i < tests; i++) {
        double sides[4][40];
        for (int k = 0; k < 40; k++)
            for (int s = 0; s < 4; s += 2) {
                double slow = uniform() < 0.2 ? 1.3 : 1;
                sides[s][k] = 100 * slow * exp(0.01 * normal());
                sides[s + 1][k] = sides[s][k] * 1.1 * exp(0.005 * normal());
            }
        int found = 0;
        for (size_t pairs = pit__next_look(0); pairs <= 40 && !found; pairs = pit__next_look(pairs))
            found = is_alarm(sides, pairs, pit__look_level(pairs, pairs == 40, 0.05));
        alarms += found;
    }
    printf("  tests at 10, 20 and 40 pairs: %.1f %% of %d\n", 100.0 * alarms / tests, tests);
    CHECK(alarms <= tests * 0.05 + 1);
}

TEST(five_percent_are_found_in_ten_pairs_on_a_quiet_machine)
{
    int found = 0;
    for (int i = 0; i < 100; i++) {
        double a[10], b[10];
        make(a, 10, 100, 0.01);
        make(b, 10, 105, 0.01);
        found += judge(a, b, 10, 0.05).call == PIT__SLOWER;
    }
    CHECK(found >= 95);
}
