/* The race engine with a callback that returns made-up figures and a made-up clock: nothing here depends on
 * the machine. Then the runs of tests/data/statistics, dealt to two sides: how often a real difference is
 * found, and how often one that does not exist. */
#include "check.h"
#include "noise.h"
#include "same_binary.h"

#include "analysis/looks.h"
#include "pitwall_bench.h"

/* The behaviour of the callback. */
struct course {
    double (*figure)(struct course *course, size_t side, size_t round);
    double run_seconds;   /* duration of a run on the clock */
    size_t stop_at, fail; /* the call that returns PIT_STOP, or 77; from 1 on */
    size_t stop_round;    /* the round before which progress stops it */
    double now;
    size_t calls, warmups, progress_calls, last_look;
    char order[2048]; /* A and B in the order in which they ran */
    double factor;    /* of side B */
    const double *data;
    size_t first;
    int coin;
};

static int play(void *argument, size_t side, size_t round, double *figures)
{
    struct course *course = argument;
    if (course->calls + 1 < sizeof course->order)
        course->order[course->calls] = (char)('A' + side);
    course->calls++;
    course->now += course->run_seconds;
    if (course->calls == course->stop_at)
        return PIT_STOP;
    if (course->calls == course->fail)
        return 77;
    course->warmups += round == 0;
    figures[0] = course->figure(course, side, round);
    return 0;
}

static double course_clock(void *argument)
{
    return ((struct course *)argument)->now;
}

static int watch(void *argument, const pit_race_progress *progress)
{
    struct course *course = argument;
    course->progress_calls++;
    course->last_look = progress->next_test;
    CHECK(progress->side_count == 2 && progress->round > 0);
    CHECK(isnan(progress->change[0]) == (progress->round == 1));
    return progress->round == course->stop_round;
}

static double ten_percent(struct course *course, size_t side, size_t round)
{
    (void)course;
    return (side ? 0.110 : 0.100) * (1 + 0.001 * (double)((round * 7 + side * 3) % 5));
}

/* So noisy that no verdict is possible, and reproducible. */
static double noisy(struct course *course, size_t side, size_t round)
{
    (void)course;
    size_t mixed = (round * 2 + side) * 2654435761u;
    return 0.1 * (1 + (double)(mixed / 16 % 1000) / 100);
}

static pit_race_result run(struct course *course, pit_race_options options)
{
    pit_race_result result;
    if (!options.clock)
        options.clock = course_clock;
    if (!options.seed)
        options.seed = 5;
    REQUIRE(pit_race(play, course, &options, &result) == 0);
    return result;
}

static const pit_comparison *answer(const pit_race_result *result)
{
    REQUIRE(result->comparisons && result->comparisons->count == 1);
    return &result->comparisons->items[0];
}

/* ---- how it runs ----------------------------------------------------------------------------- */

TEST(a_clear_difference_ends_it_at_the_first_look)
{
    struct course course = {.figure = ten_percent, .run_seconds = 0.1};
    pit_race_result result = run(&course, (pit_race_options){0});
    const pit_comparison *c = answer(&result);
    CHECK(result.end == PIT_RACE_DECIDED && result.rounds == 10 && result.test_count == 1);
    CHECK_NEAR(result.level, 0.05 / (double)pit__look_count, 1e-15);
    CHECK(c->verdict == PIT_SLOWER && c->decided_by == PIT_BY_LOWEST_THIRD);
    CHECK(c->change > 0.095 && c->change < 0.105 && c->low > 0.05 && c->high < 0.15);
    CHECK_NEAR(c->b / c->a - 1, c->change, 1e-12);
    CHECK(c->a >= 0.1 && c->a < 0.101);
    CHECK_STR(c->what, "wall time");
    CHECK(result.figures[0][0] > 0.099 && result.figures[1][9] > 0.109);
    CHECK(strstr(result.comparisons->headline, "slower") != NULL);
    pit_race_free(&result);
    pit_race_free(&result); /* nothing to free */
}

TEST(in_every_round_each_side_runs_once_in_random_order)
{
    struct course course = {.figure = noisy, .run_seconds = 0.01};
    pit_race_result result = run(&course, (pit_race_options){.runs = 100});
    size_t a_first = 0;
    REQUIRE(result.rounds == 100 && course.calls == 200);
    for (size_t i = 0; i < 200; i += 2) {
        CHECK(course.order[i] != course.order[i + 1]);
        a_first += course.order[i] == 'A';
    }
    CHECK(a_first > 25 && a_first < 75);
    struct course again = {.figure = noisy, .run_seconds = 0.01}, other = again;
    pit_race_result same = run(&again, (pit_race_options){.runs = 100});
    pit_race_result another = run(&other, (pit_race_options){.runs = 100, .seed = 6});
    CHECK(memcmp(course.order, again.order, 200) == 0);
    CHECK(memcmp(course.order, other.order, 200) != 0);
    pit_race_free(&result);
    pit_race_free(&same);
    pit_race_free(&another);
}

TEST(noise_is_looked_at_at_every_look_and_no_more)
{
    struct course course = {.figure = noisy, .run_seconds = 0.01};
    pit_race_result result = run(&course, (pit_race_options){.progress = watch});
    CHECK(result.end == PIT_RACE_ALL_RUNS && result.rounds == 320);
    CHECK_INT(result.test_count, pit__look_count);
    CHECK_NEAR(result.level, 0.05 / (double)pit__look_count, 1e-12);
    CHECK(answer(&result)->verdict == PIT_NO_VERDICT);
    CHECK(course.progress_calls == 320 && course.last_look == 320);
    pit_race_free(&result);
    size_t count;
    const size_t *looks = pit_race_tests(&count);
    CHECK(count == pit__look_count && looks[0] == 10);
}

TEST(the_budget_ends_it_with_what_is_left_of_the_level)
{
    struct course course = {.figure = noisy, .run_seconds = 1};
    pit_race_result result = run(&course, (pit_race_options){0}); /* 60 seconds */
    CHECK(result.end == PIT_RACE_BUDGET && result.rounds == 30 && result.test_count == 3);
    CHECK_NEAR(result.level, 0.05 * 4 / 6, 1e-12);
    CHECK_NEAR(result.seconds, 60, 1e-9);
    pit_race_free(&result);
    /* at least ten rounds, and then one test with the whole level */
    struct course slow = {.figure = noisy, .run_seconds = 20};
    result = run(&slow, (pit_race_options){0});
    CHECK(result.end == PIT_RACE_BUDGET && result.rounds == 10 && result.test_count == 1);
    CHECK_NEAR(result.level, 0.05, 1e-12);
    pit_race_free(&result);
    struct course longer = {.figure = noisy, .run_seconds = 1};
    result = run(&longer, (pit_race_options){.budget = 200, .level = 0.1});
    CHECK(result.rounds == 100 && result.test_count == 5);
    CHECK_NEAR(result.level, 0.1 * 2 / 6, 1e-12);
    pit_race_free(&result);
}

TEST(the_number_of_runs_can_be_given)
{
    struct course course = {.figure = ten_percent, .run_seconds = 100};
    pit_race_result result = run(&course, (pit_race_options){.runs = 23});
    CHECK(result.end == PIT_RACE_ALL_RUNS && result.rounds == 23 && result.test_count == 1);
    CHECK(result.level == 0.05 && answer(&result)->verdict == PIT_SLOWER);
    pit_race_free(&result);
    struct course both = {.figure = ten_percent, .run_seconds = 1};
    result = run(&both, (pit_race_options){.runs = 23, .budget = 30});
    CHECK(result.end == PIT_RACE_BUDGET && result.rounds == 15 && result.level == 0.05);
    pit_race_free(&result);
}

/* Six pairs cannot show it by swaps at this level; all runs together can. */
TEST(a_clear_difference_needs_five_runs)
{
    struct course course = {.figure = ten_percent, .run_seconds = 1};
    pit_race_result result = run(&course, (pit_race_options){.runs = 5});
    CHECK(answer(&result)->verdict == PIT_SLOWER && answer(&result)->decided_by == PIT_BY_FIGURE);
    pit_race_free(&result);
    struct course seven = {.figure = ten_percent, .run_seconds = 1};
    result = run(&seven, (pit_race_options){.runs = 7});
    CHECK(answer(&result)->verdict == PIT_SLOWER);
    CHECK(answer(&result)->decided_by == PIT_BY_LOWEST_THIRD);
    pit_race_free(&result);
}

TEST(warmups_are_not_counted)
{
    struct course course = {.figure = ten_percent, .run_seconds = 1};
    pit_race_result result = run(&course, (pit_race_options){.warmup = 3, .runs = 6});
    CHECK(course.warmups == 6 && course.calls == 18 && result.rounds == 6);
    pit_race_free(&result);
}

TEST(a_race_that_is_stopped_answers_with_its_whole_rounds)
{
    struct course course = {.figure = ten_percent, .run_seconds = 1, .stop_at = 16};
    pit_race_result result = run(&course, (pit_race_options){.runs = 100});
    CHECK(result.end == PIT_RACE_STOPPED && result.rounds == 7);
    CHECK(answer(&result)->verdict == PIT_SLOWER && answer(&result)->a_runs == 7);
    pit_race_free(&result);
    struct course early = {.figure = ten_percent, .stop_at = 2};
    result = run(&early, (pit_race_options){0});
    CHECK(result.end == PIT_RACE_STOPPED && result.rounds == 0);
    CHECK(answer(&result)->verdict == PIT_NO_VERDICT);
    pit_race_free(&result);
    struct course seen = {.figure = noisy, .run_seconds = 0.01, .stop_round = 16};
    result = run(&seen, (pit_race_options){.progress = watch});
    CHECK(result.end == PIT_RACE_STOPPED && result.rounds == 15 && result.test_count == 2);
    CHECK_NEAR(result.level, 0.05 * 5 / 6, 1e-12);
    pit_race_free(&result);
}

TEST(a_failure_is_handed_on_and_leaves_nothing)
{
    struct course course = {.figure = ten_percent, .fail = 5};
    pit_race_options options = {.clock = course_clock};
    pit_race_result result;
    CHECK_INT(pit_race(play, &course, &options, &result), 77);
    CHECK(!result.figures && !result.comparisons && course.calls == 5);
}

TEST(wrong_options_are_refused)
{
    struct course course = {.figure = ten_percent};
    pit_race_result result;
    pit_race_options bad[] = {{.side_count = 1},  {.level = 2},
                              {.effect = -1},     {.budget = -1},
                              {.budget = NAN},    {.figure_count = 100},
                              {.runs = SIZE_MAX}, {.has_median = 1, .figure_count = 1}};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_INT(pit_race(play, &course, &bad[i], &result), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_race(NULL, &course, NULL, &result), PIT_BAD_ARGUMENT);
    CHECK_INT(pit_race(play, &course, NULL, NULL), PIT_BAD_ARGUMENT);
    CHECK_INT(course.calls, 0);
}

static int play_calls(void *argument, size_t side, size_t round, double *figures)
{
    (void)argument;
    figures[0] = (side == 2 ? 0.5 : 1) + 0.001 * (double)((round * 5 + side) % 7);
    figures[1] = 1.2 * figures[0];
    return 0;
}

TEST(several_sides_and_two_figures_a_run)
{
    const char *names[] = {"first", "second", "third"};
    pit_race_options options = {
        .side_count = 3, .has_median = 1, .names = names, .what = "step", .effect = 0.05};
    pit_race_result result;
    REQUIRE(pit_race(play_calls, NULL, &options, &result) == 0);
    CHECK(result.end == PIT_RACE_DECIDED && result.rounds == 10 && result.figure_count == 2);
    REQUIRE(result.comparisons->count == 2);
    const pit_comparison *items = result.comparisons->items;
    CHECK(items[0].verdict == PIT_SAME && items[1].verdict == PIT_FASTER);
    CHECK(items[1].decided_by == PIT_BY_P10 && items[1].change < -0.45);
    CHECK_STR(items[0].what, "step");
    CHECK_STR(result.comparisons->names[2], "third");
    pit_race_free(&result);
}

/* ---- how often it is right ------------------------------------------------------------------- */

/* How often slower, and how often wrong, in races of at most `rounds` pairs. */
struct score {
    double races, slower, faster;
};

static void add_race(struct course *course, size_t rounds, struct score *score)
{
    course->now = 0;
    course->calls = 0;
    course->run_seconds = 0.5; /* the budget ends it */
    pit_race_result result = run(
        course, (pit_race_options){.budget = (double)rounds, .seed = 1 + (uint64_t)score->races});
    REQUIRE(result.rounds <= rounds);
    score->races++;
    score->slower += answer(&result)->verdict == PIT_SLOWER;
    score->faster += answer(&result)->verdict == PIT_FASTER;
    pit_race_free(&result);
}

/* Round r has the runs 2r and 2r + 1 of the data, in the order in which the engine requests them. */
static double from_data(struct course *course, size_t side, size_t round)
{
    size_t at = course->first + 2 * (round - 1) + (course->calls - 1) % 2;
    return course->data[at] * (side ? course->factor : 1);
}

/* Disjoint windows of every workload, over many seeds of the order. */
static struct score race_data(size_t rounds, double factor, int seeds)
{
    struct score score = {0};
    for (size_t w = 0; w < (size_t)check_repeat(2, WORKLOADS, WORKLOADS); w++)
        for (size_t first = 0; first + 2 * rounds <= (check_is_repeated() ? 2 * rounds : RUNS);
             first += 2 * rounds)
            for (int seed = 0; seed < (check_is_repeated() ? 1 : seeds); seed++) {
                struct course course = {.figure = from_data,
                                        .data = workloads[w].mean,
                                        .first = first,
                                        .factor = factor};
                add_race(&course, rounds, &score);
            }
    printf("    %3zu pairs, %+3.0f %%: %5.1f %% called slower, %4.1f %% faster, of %.0f\n", rounds,
           100 * (factor - 1), 100 * score.slower / score.races, 100 * score.faster / score.races,
           score.races);
    return score;
}

TEST(runs_of_one_binary_raise_few_alarms_and_hide_little)
{
    load_workloads();
    int some = check_rounds(4, 60), few = check_rounds(6, 60);
    printf("  whole runs (mean of each), all interim tests:\n");
    struct score same_40 = race_data(40, 1, some), same_80 = race_data(80, 1, few);
    struct score more_40 = race_data(40, 1.05, some), more_80 = race_data(80, 1.05, few);
    /* one seed tests the code, but not the rates */
    if (check_is_repeated())
        return;
    CHECK(same_40.slower + same_40.faster <= 0.05 * same_40.races);
    CHECK(same_80.slower + same_80.faster <= 0.05 * same_80.races);
    CHECK(more_40.slower >= 0.33 * more_40.races);
    CHECK(more_80.slower >= 0.50 * more_80.races);
    CHECK(more_40.faster + more_80.faster <= 0.01 * (more_40.races + more_80.races));
}

/* Noise of several kinds, the same for both sides: every alarm is false. */
static double two_modes(struct course *course, size_t side, size_t round)
{
    (void)course, (void)side, (void)round;
    return exp(0.01 * noise_normal()) * (noise_uniform() < 0.4 ? 1.5 : 1);
}

static double slow_stretches(struct course *course, size_t side, size_t round)
{
    (void)side, (void)round;
    if (noise_uniform() < 0.05)
        course->coin = !course->coin;
    return exp(0.02 * noise_normal()) * (course->coin ? 1.3 : 1);
}

static double heavy_tails(struct course *course, size_t side, size_t round)
{
    (void)course, (void)side, (void)round;
    return exp(0.02 * fmax(-100, fmin(100, tan(3.1 * (noise_uniform() - 0.5)))));
}

/* The second run of a round finds warm caches, and the machine gets slower over time. */
static double drift_and_order(struct course *course, size_t side, size_t round)
{
    (void)side;
    return exp(0.01 * noise_normal() + 0.01 * (double)round) * (course->calls % 2 ? 1.1 : 1);
}

TEST(made_up_noise_of_any_kind_raises_few_alarms)
{
    static const struct {
        const char *name;
        double (*figure)(struct course *course, size_t side, size_t round);
    } kinds[] = {{"two modes", two_modes},
                 {"slow stretches", slow_stretches},
                 {"heavy tails", heavy_tails},
                 {"drift and order", drift_and_order}};
    int races = check_is_repeated() ? check_rounds(2, 10) : check_rounds(60, 2000);
    for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++) {
        struct score score = {0};
        for (int i = 0; i < races; i++) {
            struct course course = {.figure = kinds[kind].figure};
            add_race(&course, 40, &score);
        }
        printf("    %-16s %4.1f %% false alarms, all interim tests up to 40 pairs, of %.0f\n",
               kinds[kind].name, 100 * (score.slower + score.faster) / score.races, score.races);
        /* The seed is fixed: a sample of 60 stays within what a rate of 5 % gives by chance. A few races,
         * in a build that repeats this one, test only the code. */
        double most = races < 1000 ? 0.12 : 0.05;
        CHECK(check_is_repeated() || score.slower + score.faster <= most * score.races);
    }
}
