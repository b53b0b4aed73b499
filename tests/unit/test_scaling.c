/* The complexity class, from measured costs of algorithms whose class is known. */
#include "check.h"
#include "csv_rows.h"

#include "analysis/scaling.h"

#include <math.h>

static struct pit__scaling fit(double (*cost)(double), double from, double to, int count)
{
    double sizes[64], costs[64];
    for (int i = 0; i < count; i++) {
        sizes[i] = round(from * pow(to / from, (double)i / (count - 1)));
        costs[i] = cost(sizes[i]) * (1 + 0.01 * ((i * 7) % 5 - 2));
    }
    struct pit__scaling s;
    REQUIRE(pit__scaling_fit(sizes, costs, (size_t)count, &s) == 0);
    return s;
}

static double constant(double n)
{
    (void)n;
    return 40;
}
static double linear(double n)
{
    return 100 + 3 * n;
}
static double loglinear(double n)
{
    return 2 * n * log2(n + 1);
}
static double square(double n)
{
    return 50 + 0.5 * n * n;
}
static double root(double n)
{
    return 10 * sqrt(n);
}
static double exponential(double n)
{
    return 5 * pow(1.6, n);
}

TEST(made_up_costs_give_their_class_and_coefficients)
{
    CHECK(fit(constant, 10, 1e5, 12).found == PIT__O_1);
    struct pit__scaling s = fit(linear, 10, 1e5, 12);
    CHECK(s.found == PIT__O_N && fabs(pit__scaling_factor(&s, PIT__O_N) / 3 - 1) < 0.05);
    CHECK(fabs(s.fits[PIT__O_N].a / 100 - 1) < 0.2 && !s.low_confidence);
    double low, high, cost = pit__scaling_predict(&s, 1e6, &low, &high);
    CHECK(fabs(cost / 3e6 - 1) < 0.05 && low < cost && cost < high);
    CHECK(fit(loglinear, 10, 1e5, 12).found == PIT__O_N_LOG_N);
    CHECK(fit(square, 10, 1e4, 12).found == PIT__O_N2);
    s = fit(root, 100, 1e6, 12);
    CHECK(s.found == PIT__O_POWER && fabs(s.fits[PIT__O_POWER].power - 0.5) < 0.05);
    s = fit(exponential, 5, 40, 12);
    CHECK(s.found == PIT__O_2_N && fabs(s.fits[PIT__O_2_N].power - 1.6) < 0.03);
    s = fit(linear, 1e3, 1e5, 12);
    CHECK(fabs(s.tail - 1) < 0.05 && s.tail_low <= s.tail && s.tail <= s.tail_high);
}

TEST(two_points_tell_nothing)
{
    double x[] = {1, 2}, y[] = {1, 2};
    struct pit__scaling s;
    CHECK(pit__scaling_fit(x, y, 2, &s) == -2);
}

/* ---- measured ------------------------------------------------------------------------------ */

#define SERIES 128
#define SIZES 64

static struct series {
    char name[40], truth[12];
    size_t count;
    double sizes[SIZES], costs[SIZES]; /* the minimum of all rounds */
} all[SERIES];
static size_t series_count;

static void take_point(char **fields, int count, void *arg)
{
    (void)arg;
    REQUIRE(count == 5);
    struct series *s = all;
    while (s < all + series_count && strcmp(s->name, fields[0]) != 0)
        s++;
    if (s == all + series_count) {
        REQUIRE(series_count++ < SERIES);
        snprintf(s->name, sizeof s->name, "%s", fields[0]);
        snprintf(s->truth, sizeof s->truth, "%s", fields[1]);
    }
    double size = atof(fields[2]), cost = atof(fields[4]);
    size_t i = 0;
    while (i < s->count && s->sizes[i] < size)
        i++;
    if (i < s->count && s->sizes[i] == size) {
        s->costs[i] = fmin(s->costs[i], cost);
        return;
    }
    REQUIRE(s->count < SIZES);
    for (size_t k = s->count++; k > i; k--) {
        s->sizes[k] = s->sizes[k - 1];
        s->costs[k] = s->costs[k - 1];
    }
    s->sizes[i] = size;
    s->costs[i] = cost;
}

static int is_right(const struct pit__scaling *s, const char *truth)
{
    static const char *const names[] = {"1", "log", "n", "nlogn", "n2", "n3", "2^n"};
    if (strncmp(truth, "n^", 2) == 0)
        return s->found == PIT__O_POWER &&
               fabs(s->fits[PIT__O_POWER].power - atof(truth + 2)) <= 0.15;
    return s->found < PIT__NAMED_CLASSES && strcmp(names[s->found], truth) == 0;
}

/* google/benchmark's rule: b f(n) without a constant, least squares of the costs themselves, the
 * smallest rms over the mean among 1, n, n^2, n^3, log n, n log n. */
static int usual_is_right(const struct series *s)
{
    static const char *const names[] = {"1", "n", "n2", "n3", "log", "nlogn"};
    int best = -1;
    double best_rms = INFINITY;
    for (int c = 0; c < 6; c++) {
        double tf = 0, ff = 0, mean = 0, rms = 0, f[SIZES];
        for (size_t i = 0; i < s->count; i++) {
            double n = s->sizes[i], l = log2(n);
            f[i] = c == 0   ? 1
                   : c == 1 ? n
                   : c == 2 ? n * n
                   : c == 3 ? n * n * n
                   : c == 4 ? l
                            : n * l;
            tf += s->costs[i] * f[i];
            ff += f[i] * f[i];
            mean += s->costs[i] / (double)s->count;
        }
        for (size_t i = 0; i < s->count; i++)
            rms += pow(s->costs[i] - tf / ff * f[i], 2);
        rms = sqrt(rms / (double)s->count) / mean;
        if (rms < best_rms) {
            best_rms = rms;
            best = c;
        }
    }
    return strcmp(names[best], s->truth) == 0;
}

TEST(measured_algorithms_are_told_apart)
{
    REQUIRE(csv_rows("scaling.csv", take_point, NULL) > 10000);
    int right = 0, usual = 0;
    for (size_t i = 0; i < series_count; i++) {
        struct pit__scaling s;
        REQUIRE(pit__scaling_fit(all[i].sizes, all[i].costs, all[i].count, &s) == 0);
        int good = is_right(&s, all[i].truth);
        right += good;
        usual += usual_is_right(&all[i]);
        if (!good)
            printf("  %-22s %-7s taken for %-8s k %.2f rms %.3f\n", all[i].name, all[i].truth,
                   pit__class_name(s.found), s.fits[s.found].power, s.fits[s.found].rms);
    }
    printf("  of %zu series: ours %d right, google/benchmark's rule %d\n", series_count, right,
           usual);
    CHECK(series_count == 116);
    CHECK(right >= 95);
}
