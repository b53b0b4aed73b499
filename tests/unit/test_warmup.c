/* Where warm-up ends, and the course after it: on hundreds of series whose truth is known, and on measured
 * ones. */
#include "check.h"

#include "analysis/warmup.h"
#include "csv_rows.h"

#include <math.h>

/* ---- series of known truth ------------------------------------------------------------------- */

static uint64_t state;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return ((double)(state >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(void)
{
    return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

struct truth {
    enum pit__course course;
    size_t count;
    double noise;      /* of the logarithm */
    double correlated; /* each duration with the next */
    unsigned variant;  /* 0…3 of the course */
    size_t warm;       /* durations of warm-up */
};

/* The amount that the course adds to the logarithm of duration i. */
static double added(const struct truth *truth, size_t i)
{
    static const double levels[] = {0, 3, 1, 4, 2, 5, 1.5, 3.5};
    double x = (double)i / (double)truth->count, far = fmax(0.3, 10 * truth->noise);
    switch (truth->course) {
    case PIT__COURSE_WARMUP:
        if (i >= truth->warm)
            return 0;
        return truth->variant == 3 ? far * (2.5 - 2 * (double)i / (double)truth->warm) : far;
    case PIT__COURSE_SLOWDOWN:
        return x >= 0.4 + 0.1 * truth->variant ? far : 0;
    case PIT__COURSE_DRIFT:
        return (truth->variant % 2 ? -1 : 1) * fmax(0.3, 15 * truth->noise) * x;
    case PIT__COURSE_DISTURBED:
        return (x > 0.3 && x < 0.45) || (truth->variant > 1 && x > 0.6 && x < 0.7) ? far : 0;
    case PIT__COURSE_UNSTEADY:
        return far * levels[((size_t)(x * 8) + truth->variant) % 8];
    case PIT__COURSE_FLAT:
    case PIT__COURSE_SHORT:
    default:
        return 0;
    }
}

/* One in a hundred is a spike. */
static double *make_series(const struct truth *truth)
{
    double *seconds = malloc(truth->count * sizeof *seconds), noise = 0;
    REQUIRE(seconds != NULL);
    for (size_t i = 0; i < truth->count; i++) {
        noise = truth->correlated * noise +
                sqrt(1 - truth->correlated * truth->correlated) * normal() * truth->noise;
        double spike = uniform() < 0.01 && i > 3 ? 1 + uniform() : 0;
        seconds[i] = 0.01 * exp(noise + spike + added(truth, i));
    }
    return seconds;
}

static int is_right(const struct truth *truth, const struct pit__warmup *found)
{
    size_t each = truth->count >= 1000 ? truth->count / 500 : 1;
    double slack = fmax(fmax(2, 0.05 * (double)truth->count), 2.0 * (double)each);
    if (found->course != truth->course)
        return 0;
    if (truth->course != PIT__COURSE_WARMUP)
        return 1;
    if (truth->variant == 3) /* it fades out: its end is not well defined */
        slack += 0.3 * (double)truth->warm;
    if (truth->warm == 1)
        return found->ends_at == 1;
    return fabs((double)found->ends_at - (double)truth->warm) <= slack;
}

static int try_one(const struct truth *truth, uint64_t seed)
{
    struct pit__warmup found;
    state = (0x9E3779B97F4A7C15u * (seed + 1)) | 1;
    for (int i = 0; i < 10; i++)
        uniform();
    double *seconds = make_series(truth);
    REQUIRE(pit__warmup_find(seconds, truth->count, &found) == 0);
    free(seconds);
    return is_right(truth, &found);
}

TEST(over_95_percent_of_synthetic_series_are_judged_right)
{
    static const size_t counts[] = {30, 100, 400, 999, 5000};
    static const double noises[] = {0.002, 0.01, 0.03, 0.08}, correlated[] = {0, 0.6};
    int right = 0, all = 0;
    for (int course = PIT__COURSE_FLAT; course <= PIT__COURSE_UNSTEADY; course++) {
        int own = 0, tried = 0;
        /* a step that divides none of the numbers of choices, so that a part of each is used */
        for (unsigned k = 0; k < 5 * 4 * 2 * 4; k += (unsigned)check_repeat(9, 3, 1)) {
            struct truth truth = {.course = (enum pit__course)course,
                                  .count = counts[k / 32],
                                  .noise = noises[k / 8 % 4],
                                  .correlated = correlated[k / 4 % 2],
                                  .variant = k % 4};
            size_t n = truth.count;
            truth.warm = (size_t[]){1, n / 30 + 1, n / 10, n / 4}[truth.variant];
            own += try_one(&truth, 1000 * (uint64_t)course + k);
            tried++;
        }
        printf("  %s: %d of %d\n", pit__course_word((enum pit__course)course), own, tried);
        CHECK(own > 0.9 * tried);
        right += own;
        all += tried;
    }
    printf("  all: %d of %d\n", right, all);
    CHECK(right > 0.95 * all);
}

/* ---- single series ----------------------------------------------------------------------------- */

static struct pit__warmup find(const double *seconds, size_t count)
{
    struct pit__warmup found;
    REQUIRE(pit__warmup_find(seconds, count, &found) == 0);
    return found;
}

TEST(six_epochs_whose_first_is_slow_are_warm_after_one)
{
    static const double epochs[] = {5.2, 3.1, 3.0, 3.1, 3.0, 2.9};
    struct pit__warmup found = find(epochs, 6);
    CHECK_INT(found.ends_at, 1);
    CHECK_INT(found.course, PIT__COURSE_WARMUP);
    CHECK_NEAR(found.level, 3.0, 0.05);
}

TEST(few_durations_are_not_judged)
{
    static const double epochs[] = {5.2, 3.1, 3.0, 3.1};
    struct pit__warmup found = find(epochs, 4);
    CHECK_INT(found.course, PIT__COURSE_SHORT);
    CHECK(isnan(found.level));
    CHECK_INT(find(epochs, 0).course, PIT__COURSE_SHORT);
}

TEST(equal_durations_are_flat_and_no_time_at_all_too)
{
    double equal[50], none[50] = {0};
    for (int i = 0; i < 50; i++)
        equal[i] = 0.25;
    CHECK_INT(find(equal, 50).course, PIT__COURSE_FLAT);
    CHECK_NEAR(find(equal, 50).level, 0.25, 1e-12);
    CHECK_INT(find(none, 50).course, PIT__COURSE_FLAT);
}

TEST(what_is_no_number_does_not_spread)
{
    double series[40];
    for (int i = 0; i < 40; i++)
        series[i] = 1 + 0.001 * (i % 3);
    series[7] = NAN;
    series[20] = INFINITY;
    series[30] = -1;
    struct pit__warmup found = find(series, 40);
    CHECK_INT(found.course, PIT__COURSE_FLAT);
    CHECK_NEAR(found.level, 1.001, 0.01);
}

TEST(one_slow_first_of_ten_thousand_is_seen)
{
    static double series[10000];
    state = 99;
    for (int i = 0; i < 10000; i++)
        series[i] = 0.001 * exp(0.02 * normal());
    series[0] = 0.5;
    struct pit__warmup found = find(series, 10000);
    CHECK_INT(found.course, PIT__COURSE_WARMUP);
    CHECK_INT(found.ends_at, 1);
}

/* ---- measured ones ------------------------------------------------------------------------------ */

#define SERIES 10
#define BEFORE 20

struct measured {
    size_t count, counts[SERIES];
    char last[80];
    double seconds[SERIES][BEFORE + 1000];
};

/* workload,run,iteration,ns */
static void take_row(char **fields, int count, void *arg)
{
    struct measured *m = arg;
    char name[80];
    REQUIRE(count == 4);
    /* two runs of each are enough here */
    if (atoi(fields[1]) > 1)
        return;
    snprintf(name, sizeof name, "%s %s", fields[0], fields[1]);
    if (strcmp(name, m->last) != 0) {
        strcpy(m->last, name);
        m->count++;
    }
    REQUIRE(m->count <= SERIES && m->counts[m->count - 1] < 1000);
    size_t *at = &m->counts[m->count - 1];
    m->seconds[m->count - 1][BEFORE + (*at)++] = strtod(fields[3], NULL) / 1e9;
}

/* The truth of measured iterations is unknown; but slow ones put before them are their warm-up by
 * construction. */
TEST(slow_iterations_put_before_measured_ones_are_their_warm_up)
{
    static struct measured m;
    int tried = 0;
    REQUIRE(csv_rows("iterations.csv", take_row, &m) > 0);
    CHECK_INT(m.count, SERIES);
    for (size_t s = 0; s < m.count; s++) {
        struct pit__warmup plain = find(m.seconds[s] + BEFORE, m.counts[s]);
        printf("  %zu iterations: %s, warm from %zu\n", m.counts[s], pit__course_word(plain.course),
               plain.ends_at);
        /* never steady */
        if (!(plain.level > 0))
            continue;
        for (size_t i = 0; i < BEFORE; i++)
            m.seconds[s][i] = 3 * plain.level;
        struct pit__warmup slow = find(m.seconds[s], BEFORE + m.counts[s]);
        CHECK_NEAR((double)slow.ends_at, BEFORE + (double)plain.ends_at, 2);
        CHECK_NEAR(slow.level / plain.level, 1, 0.05);
        tried++;
    }
    CHECK(tried >= 5);
}
